"""The rewrites between the default plan and a budget, in order: they remove arrays and passes over arrays that nobody
needs, and add the few that gathers need.

They come before the planner, so that what it predicts is what runs.
"""

from __future__ import annotations

from dfad.ir.nodes import Program
from dfad.optimise.aliases import remove_copies
from dfad.optimise.dead import remove_dead
from dfad.optimise.gather import gather
from dfad.optimise.initial import assign_first
from dfad.optimise.tidy import tidy


def optimise_between(program: Program, spread: bool = True) -> Program:
    """The PLANNED Program without what the sweeps do not need; ``spread``: stencils whose contributions are costly get arrays for them."""
    program = remove_dead(tidy(program))
    program = remove_dead(remove_copies(assign_first(program)))
    return gather(program, spread)
