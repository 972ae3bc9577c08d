"""What a guard tells about integers inside the branch that it opens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sympy

from dfad.frontend.scope import Context
from dfad.frontend.values import Scalar
from dfad.ir.nodes import Apply, Expression, Integer

OPPOSITE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}


@contextmanager
def knowing(context: Context, guard: Scalar, holds: bool) -> Iterator[None]:
    """The innermost block runs only where the guard is true (or, with `holds` false, where it is false)."""
    for fact in facts_of(guard.expression, holds):
        context.builder.know(fact)
    yield


def facts_of(guard: Expression, holds: bool) -> Iterator[sympy.Expr]:
    """Integer expressions that are >= 0 when the guard has that truth."""
    match guard:
        case Apply("not", (operand,)):
            yield from facts_of(operand, not holds)
        case Apply("and" | "or" as operation, (first, second)) if holds == (operation == "and"):
            yield from facts_of(first, holds)
            yield from facts_of(second, holds)
        case Apply(operation, (Integer(first), Integer(second))) if operation in OPPOSITE:
            match operation if holds else OPPOSITE[operation]:
                case "lt":
                    yield second - first - 1
                case "le":
                    yield second - first
                case "gt":
                    yield first - second - 1
                case "ge":
                    yield first - second
                case "eq":
                    yield from (first - second, second - first)
                case _:
                    return
        case _:
            return
