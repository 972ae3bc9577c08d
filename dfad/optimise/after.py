"""The rewrites after the plan, in order: they keep the list of allocations, but for arrays that nobody uses."""

from __future__ import annotations

from dfad.ir.nodes import Program, Stage
from dfad.optimise.carry import carry_values
from dfad.optimise.dead import remove_dead
from dfad.optimise.distribute import distribute
from dfad.optimise.unswitch import unswitch
from dfad.optimise.upward import run_upwards


def optimise_after(program: Program) -> Program:
    """The PLANNED Program, as optimise_between left it, made fast; of these rewrites a PRIMAL one takes those that know no sweeps."""
    if program.stage is Stage.PLANNED:
        program = remove_dead(distribute(run_upwards(program)))
    return unswitch(carry_values(program))
