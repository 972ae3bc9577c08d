"""What is decided of an ADJOINT Program before anything is put into effect: its sides, and how locals come back.

A side (sides.py) that would be computed again is none: what it compares is compared where it was, and the rest is decided once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dfad.analysis.equalities import Facts, equalities
from dfad.ir.nodes import Block, Program
from dfad.plan.demands import Demands, collect, prepare, sweeps
from dfad.plan.equal import without_equal
from dfad.plan.idle import idle_regions, without_idle
from dfad.plan.locals import Locals, decide_locals
from dfad.plan.sides import name_sides


@dataclass(frozen=True, slots=True)
class Decided:
    """The decisions for one Program.

    Attributes
    ----------
    program : Program
        ADJOINT, with the sides that are stored.
    facts : mapping
        What equals what in its forward sweep.
    found : Locals
        How its locals come back.
    reverse : Block
        Its reverse sweep without demands that others answer, and without the regions that are idle.
    """

    program: Program
    facts: Mapping[str, Facts]
    found: Locals
    reverse: Block


def decide(program: Program) -> Decided:
    """The decisions for an ADJOINT Program."""
    known = prepare(program)
    named = name_sides(program, known)
    if not named.questions:
        return _decide(program, known)
    decided = _decide(named.program, prepare(named.program))
    kept = [question for name, question in named.questions.items() if name in decided.found.stored]
    if len(kept) == len(named.questions):
        return decided
    program = name_sides(program, known, kept).program
    return _decide(program, prepare(program))


def _decide(program: Program, known: Demands) -> Decided:
    forward, reverse = sweeps(program)
    facts = equalities(forward)
    reverse = without_equal(reverse, facts, known)
    idle = idle_regions(forward, reverse, None)
    while True:
        needed = without_idle(reverse, idle)
        found = decide_locals(forward, needed, collect(needed, known))
        still_idle = idle & idle_regions(forward, reverse, found.demands)
        if still_idle == idle:
            return Decided(program, facts, found, needed)
        idle = still_idle
