"""The rewrites that make one loop of many, in order: they remove arrays, so a plan within a budget does without them.

For a PRIMAL Program, for the halves of a ``vjp``, and for a gradient whose values are all kept.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from dfad.ir.nodes import Block, Program, Stage
from dfad.optimise.between import optimise_between
from dfad.optimise.choose import choose_sums
from dfad.optimise.contract import contract
from dfad.optimise.dead import remove_dead
from dfad.optimise.extents import unify_extents
from dfad.optimise.fuse import fuse
from dfad.optimise.lower_library import lower_extremes
from dfad.optimise.once import run_once
from dfad.optimise.tidy import tidy
from dfad.optimise.upward import run_upwards


def optimise_fused(program: Program, slow: Set[str] = frozenset()) -> Program:
    """The PRIMAL or PLANNED Program in fewer passes over memory; ``slow``: the operations without a vector form."""
    if program.stage is Stage.PLANNED:
        program = _in_one_sweep(remove_dead(run_upwards(optimise_between(program))))
    return contract(fuse(tidy(run_once(choose_sums(lower_extremes(unify_extents(program))))), slow))


def _in_one_sweep(program: Program) -> Program:
    """The Program with what the forward sweep does at the beginning of the reverse sweep, where its loops meet the others."""
    match program.body.body:
        case (Block() as forward, Block() as reverse):
            both = Block((*forward.arrays, *reverse.arrays), (*forward.body, *reverse.body))
            return replace(program, body=replace(program.body, body=(Block((), ()), both)))
        case _:
            return program
