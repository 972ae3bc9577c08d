"""Where a gradient and a difference quotient part: the first statement whose derivative by the rules is not what nearby runs show.

The kernel runs three times in the reference interpreter, at x and at x + h*v and x - h*v; step by step, what was written is compared.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from dfad.adjoint.tangent import Step, TooLong, steps_of
from dfad.errors import OutOfRoom
from dfad.frontend.lower import Lowered
from dfad.ir.nodes import Branch, IntegerSymbol
from dfad.source import Location

MOST_STEPS = 200_000
"""Steps that the interpreter takes in some seconds."""

RELATIVE, ABSOLUTE = 1e-3, 1e-7
"""What a difference quotient may differ by: of the larger derivative, and of the value written."""

BENT = 0.05
"""What one-sided quotients may differ by, of the larger."""


@dataclass(frozen=True)
class Found:
    """A statement, and in words what is the matter with it."""

    where: Location | None
    reason: str


def locate(lowered: Lowered, arguments: Mapping[str, Any], tangents: Mapping[str, Any], h: float) -> Found:
    """The first statement that explains a difference.

    Parameters
    ----------
    lowered : Lowered
        The kernel, statement by statement as in its text.
    arguments : mapping
        The values of the kernel's parameters.
    tangents : mapping
        A direction: of some arguments, an array of the same shape.
    h : float
        The step along it.
    """
    given = _given(lowered, arguments)

    def run(offset: float) -> list[Step]:
        moved = {name: _moved(value, tangents.get(name), offset) for name, value in given.items()}
        try:
            return steps_of(lowered.program, moved, tangents, MOST_STEPS)
        except OutOfRoom as short:
            given[short.room] = short.enough
            return run(offset)

    try:
        here, after, before = run(0.0), run(h), run(-h)
    except TooLong:
        return Found(None, f"the run is too long to look for the statement (more than {MOST_STEPS:,} steps): try smaller arguments")
    for compared in (_compared, _bent, _undefined):
        for steps in zip_longest(here, after, before):
            found = compared(*steps, h)
            if found is not None:
                return found
    return Found(None, "each statement's derivative agrees with the differences: rounding is left, or a fault of the compiled code")


def _given(lowered: Lowered, arguments: Mapping[str, Any]) -> dict[str, Any]:
    known = {array.name for array in lowered.program.parameters}
    known |= {bound.parameter for bound in lowered.program.symbols if isinstance(bound, IntegerSymbol)}
    given = {**arguments, **{hidden.name: hidden.get() for hidden in lowered.hidden}}
    return {name: value for name, value in given.items() if name in known}


def _moved(value: Any, tangent: Any, offset: float) -> Any:
    if tangent is None:
        return copy.deepcopy(value)
    moved = np.asarray(value) + offset * np.asarray(tangent)
    return np.ascontiguousarray(moved, np.asarray(value).dtype) if moved.ndim else float(moved)


def _compared(here: Step | None, after: Step | None, before: Step | None, h: float) -> Found | None:
    """What is wrong at this step of the three runs; None when nothing is."""
    if here is None or after is None or before is None:
        last = here or after or before
        assert last is not None
        return Found(last.node.where, "runs only at some of the nearby points: the number of trips depends on the argument")
    if not here.node is after.node is before.node:
        return Found(here.node.where, "does not run at all nearby points: the path depends on the argument")
    if isinstance(here.node, Branch):
        if here.value == after.value == before.value:
            return None
        return Found(here.node.where, "the condition is decided differently at nearby points: the argument lies at a kink or a jump")
    quotient = (_float(after) - _float(before)) / (2.0 * h)
    allowed = RELATIVE * np.maximum(np.abs(quotient), np.abs(here.tangent)) + ABSOLUTE * (1.0 + np.abs(here.value))
    wrong = ~(np.abs(quotient - here.tangent) <= allowed) & np.isfinite(here.value)
    if not np.any(wrong):
        return None
    place = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    told = f"its derivative is {here.tangent[place]:.6g} by the rules and {quotient[place]:.6g} by differences"
    return Found(here.node.where, f"{told}: a kink (max, abs, where, a rounding), or a step where it changes fast")


def _bent(here: Step, after: Step, before: Step, h: float) -> Found | None:
    """A statement whose value changes at another pace on either side: a kink at which central differences agree by chance."""
    if isinstance(here.node, Branch):
        return None
    ahead, behind = (_float(after) - _float(here)) / h, (_float(here) - _float(before)) / h
    allowed = BENT * np.maximum(np.abs(ahead), np.abs(behind)) + 1e3 * ABSOLUTE * (1.0 + np.abs(here.value))
    bent = np.abs(ahead - behind) > allowed
    if not np.any(bent):
        return None
    place = np.unravel_index(int(np.argmax(bent)), bent.shape)
    told = f"its derivative is {behind[place]:.6g} on one side and {ahead[place]:.6g} on the other"
    return Found(here.node.where, f"{told}: the argument lies at a kink (max, abs, clip)")


def _undefined(here: Step, after: Step, before: Step, h: float) -> Found | None:
    """A statement that left NaN or infinity: differences of it say nothing."""
    if isinstance(here.node, Branch) or np.all(np.isfinite([here.value, after.value, before.value])):
        return None
    return Found(here.node.where, "its value is not finite here or nearby, so that there is no derivative")


def _float(step: Step) -> Any:
    return np.asarray(step.value, np.float64)
