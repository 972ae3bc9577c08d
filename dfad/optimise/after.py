"""The rewrites after the plan, in order: they keep the list of allocations, but for arrays that nobody uses."""

from __future__ import annotations

from dfad.ir.nodes import Program, Stage
from dfad.optimise.dead import remove_dead
from dfad.optimise.gather import gather
from dfad.optimise.tidy import tidy
from dfad.optimise.upward import run_upwards


def optimise_after(program: Program) -> Program:
    """The PLANNED Program made fast; a PRIMAL one is as it should be."""
    if program.stage is not Stage.PLANNED:
        return program
    return run_upwards(gather(remove_dead(tidy(program))))
