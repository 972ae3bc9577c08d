"""While loops that count: ``while i < n: ...; i += 1`` makes the trips of ``for i in range(i, n)``.

That holds when i is an integer that one statement of the body itself changes, by a constant in the direction of the comparison, and n
an integer that no trip changes. Then the Program has a Loop, whose trips are known, in place of a While.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

import sympy

from dfad.frontend.expressions import evaluate
from dfad.frontend.homes import close_homes, open_homes
from dfad.frontend.liveness import assigned_names
from dfad.frontend.names import calls_a_function
from dfad.frontend.scope import Context
from dfad.frontend.trips import one_trip
from dfad.frontend.values import Scalar, integer
from dfad.frontend.variables import bind
from dfad.ir.dtype import I64

COMPARISONS: dict[type[ast.cmpop], tuple[int, int]] = {ast.Lt: (1, 0), ast.LtE: (1, 1), ast.Gt: (-1, 0), ast.GtE: (-1, -1)}
"""The direction in which a comparison lets an integer run, and what is added to its right side to exclude it."""


SCALAR = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)
"""What an expression of numbers alone is made of: it changes only where one of its names is assigned."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The variable and its range."""

    name: str
    start: sympy.Expr
    stop: sympy.Expr
    step: int

    @property
    def last(self) -> sympy.Expr:
        """The value of the variable behind the loop: the first that is not in the range."""
        size = abs(self.step)
        if self.step > 0:
            return sympy.Max(self.start, self.start + size * sympy.floor((self.stop - self.start + size - 1) / size))
        return sympy.Min(self.start, self.start - size * sympy.floor((self.start - self.stop + size - 1) / size))


def counted(context: Context, statement: ast.While) -> Counted | None:
    """The loop as a range; None where it is not of that kind."""
    match statement.test:
        case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[bound]) if type(op) in COMPARISONS:
            direction, beyond = COMPARISONS[type(op)]
        case _:
            return None
    step, value = _step(statement, name), context.frame.variables.get(name)
    if step * direction <= 0 or not isinstance(value, Scalar) or value.dtype != I64 or not _is_integer_home(context, name):
        return None
    stop = _fixed_integer(context, bound, set(assigned_names(statement.body)))
    return None if stop is None else Counted(name, context.builder.pin_integer(value), stop + beyond, step)


def _step(statement: ast.While, name: str) -> int:
    """What every trip adds to the variable; 0 where it does not add a constant once."""
    if list(assigned_names(statement.body)).count(name) != 1:
        return 0
    for inner in statement.body:
        match inner:
            case ast.AugAssign(target=ast.Name(id=target), op=op, value=ast.Constant(value=int() as size)) if target == name:
                return size if isinstance(op, ast.Add) else -size if isinstance(op, ast.Sub) else 0
            case _:
                pass
    return 0


def _is_integer_home(context: Context, name: str) -> bool:
    """Whether what an outer region carries the variable in, if any does, is an integer."""
    home = context.frame.homes.get(name)
    return home is None or home.array is None or home.array.dtype == I64


def _fixed_integer(context: Context, bound: ast.expr, assigned: set[str]) -> sympy.Expr | None:
    """The value of an expression that computes nothing and names nothing that a trip changes."""
    names = {node.id for node in ast.walk(bound) if isinstance(node, ast.Name)}
    if names & assigned or calls_a_function(context, bound):
        return None
    context.builder.unpin()
    with context.builder.nested() as block:
        value = evaluate(context, bound)
    if not isinstance(value, Scalar) or value.dtype != I64 or block.body:
        return None
    return context.builder.pin_integer(value) if all(isinstance(node, SCALAR) for node in ast.walk(bound)) else value.integer


def count(context: Context, statement: ast.While, found: Counted, body: Callable[[], None]) -> None:
    """The Loop; the variable is its index inside and what follows its range behind it."""
    frame = context.frame
    outer = frame.homes.pop(found.name, None)
    opened = open_homes(context, statement, frozenset({found.name}))
    context.stand_at(statement)
    with context.builder.loop(found.name, found.start, found.stop, found.step) as header, one_trip(context, statement):
        frame.variables[found.name] = integer(header.index)
        body()
    close_homes(context, statement, opened)
    if outer is not None:
        frame.homes[found.name] = outer
    bind(context, found.name, integer(found.last))
