"""The rewrites between the default plan and a budget, in order: they remove arrays and passes over arrays that nobody needs.

They come before the planner, so that what it predicts is what runs.
"""

from __future__ import annotations

from dfad.ir.nodes import Program
from dfad.optimise.aliases import remove_copies
from dfad.optimise.dead import remove_dead
from dfad.optimise.initial import assign_first
from dfad.optimise.tidy import tidy


def optimise_between(program: Program) -> Program:
    """The PLANNED Program without what the sweeps do not need."""
    program = remove_dead(tidy(program))
    return remove_dead(remove_copies(assign_first(program)))
