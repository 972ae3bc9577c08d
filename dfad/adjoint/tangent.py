"""A PRIMAL Program run with tangents: each value together with its derivative along one direction, by the rules of the adjoint.

In: a Program, its arguments, their tangents. Out: a log of what each assignment wrote, and how fast that changes. It runs in the
reference interpreter, slowly; it serves to find the statement whose derivative differs from a difference quotient.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dfad.adjoint.rules import BY_OPERAND, BY_RESULT
from dfad.errors import CompilerBug
from dfad.ir.evaluate import Argument, Run
from dfad.ir.library import library_value
from dfad.ir.nodes import (
    Apply,
    Array,
    Branch,
    Check,
    Constant,
    Exchange,
    Expression,
    Integer,
    Library,
    Node,
    Program,
    Read,
    Select,
    Tasklet,
)


@dataclass(frozen=True, slots=True)
class Step:
    """What a statement did: the value that it wrote (of a Branch, the side that it took), and the tangent of that value."""

    node: Tasklet | Library | Branch
    value: Any
    tangent: Any


class TooLong(Exception):
    """The run takes more steps than were allowed."""


def steps_of(program: Program, arguments: Mapping[str, Argument], tangents: Mapping[str, Any], most: int) -> list[Step]:
    """Run a PRIMAL Program.

    Parameters
    ----------
    program : Program
    arguments : mapping
        As `dfad.ir.evaluate.evaluate` takes them; arrays are updated in place.
    tangents : mapping
        Of some of the floating-point arguments, an array of the same shape; the others do not change.
    most : int
        The most steps to take.

    Raises
    ------
    TooLong
        When the run takes more.
    """
    run = _TangentRun(program, most)
    with np.errstate(all="ignore"):
        run.enter(arguments)
        for name, tangent in tangents.items():
            run.tangents[name] = np.array(tangent, np.float64)
        run.sweep()
    return run.steps


class _TangentRun(Run):
    """A run whose buffers have tangents beside them."""

    def __init__(self, program: Program, most: int) -> None:
        super().__init__(program, lambda array, count: None)
        self.tangents: dict[str, npt.NDArray[np.float64]] = {}
        self.steps: list[Step] = []
        self.most = most

    def allocate(self, array: Array) -> None:
        super().allocate(array)
        self.tangents[array.name] = np.zeros(self.buffers[array.name].shape)

    def release(self, array: Array) -> None:
        super().release(array)
        del self.tangents[array.name]

    def execute(self, node: Node) -> None:
        if isinstance(node, Branch):
            self.note(Step(node, bool(self.value(node.guard)), 0.0))
        super().execute(node)

    def note(self, step: Step) -> None:
        if len(self.steps) >= self.most:
            raise TooLong
        self.steps.append(step)

    def leaf(self, node: Tasklet | Library | Exchange | Check) -> None:
        match node:
            case Tasklet(write=write) | Library(write=write):
                tangent = self.tangent(node.value) if isinstance(node, Tasklet) else self.library_tangent(node)
                by_result = self.by_result(node)
                super().leaf(node)
                beside, where = self.shadow(write.array), self.subset(write)
                beside[where] = beside[where] + tangent if node.accumulate else tangent
                if self.buffer(write).dtype.kind == "f":
                    left = np.copy(self.buffer(write)[where])
                    self.note(Step(node, left, np.copy(beside[where])))
                    if by_result is not None:
                        self.note(Step(node, left, by_result(float(left))))
            case Exchange(first=first, second=second):
                super().leaf(node)
                self.tangents[first], self.tangents[second] = self.shadow(second), self.shadow(first)
            case Check():
                super().leaf(node)
            case _:
                raise CompilerBug(f"no such leaf: {node!r}")

    def shadow(self, name: str) -> npt.NDArray[np.float64]:
        """The tangents of an array; those of an argument that does not change are made when first asked for."""
        if name not in self.tangents:
            self.tangents[name] = np.zeros(self.buffers[name].shape)
        return self.tangents[name]

    def tangent(self, expression: Expression) -> Any:
        """How fast the expression's value changes."""
        match expression:
            case Constant() | Integer():
                return 0.0
            case Read(memlet):
                return self.shadow(memlet.array)[self.subset(memlet)]
            case Select():
                return self.tangent(expression.chosen if self.value(expression.condition) else expression.other)
            case Apply():
                return self.applied(expression) if expression.dtype.is_float else 0.0
            case _:
                raise CompilerBug(f"a PRIMAL Program has no {expression!r}")

    def applied(self, expression: Apply) -> Any:
        """The sum over the operands of partial times tangent, with the partials of the adjoint's table."""
        tangents = [self.tangent(operand) for operand in expression.operands]
        if expression.operation == "cast":
            return tangents[0]
        operands = tuple(Constant(float(self.value(operand)), expression.dtype) for operand in expression.operands)
        one = Constant(1.0, expression.dtype)
        rules = zip(BY_OPERAND[expression.operation], tangents, strict=True)
        return sum(float(self.value(rule(one, operands))) * tangent for rule, tangent in rules if tangent != 0.0)

    def by_result(self, node: Tasklet | Library) -> Callable[[float], Any] | None:
        """From what the statement leaves to its tangent with the partials by result; None where the adjoint takes none."""
        value = node.value if isinstance(node, Tasklet) and not node.accumulate else None
        if not isinstance(value, Apply) or value.operation not in BY_RESULT or not value.dtype.is_float:
            return None
        dtype, rules = value.dtype, BY_RESULT[value.operation]
        tangents = [self.tangent(operand) for operand in value.operands]
        seen = tuple(Constant(float(self.value(operand)), dtype) for operand in value.operands)

        def told(left: float) -> Any:
            one, result = Constant(1.0, dtype), Constant(left, dtype)
            pairs = zip(rules, tangents, strict=True)
            return np.asarray(sum(float(self.value(rule(one, seen, result))) * tangent for rule, tangent in pairs if tangent != 0.0))

        return told

    def library_tangent(self, node: Library) -> Any:
        values = [self.buffer(memlet)[self.subset(memlet)] for memlet in node.reads]
        tangents = [self.shadow(memlet.array)[self.subset(memlet)] for memlet in node.reads]
        if node.operation == "matmul":
            return library_value(node, [tangents[0], values[1]]) + library_value(node, [values[0], tangents[1]])
        axes: Any = node.attribute("axes")
        winners = values[0] == np.expand_dims(library_value(node, values), axes)
        return np.sum(np.where(winners, tangents[0], 0.0), axis=axes) / np.sum(winners, axis=axes)
