"""Trips of a loop, and the loops whose condition is evaluated before each of them.

A condition that emits nothing, and so reads only what it names, is the guard itself. Otherwise, as in ``while f(x) > 0:``, a scalar holds
its value, computed before the loop and again at the end of each trip:

    going = condition
    while going:
        body
        going = condition
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dfad.frontend.arithmetic import truth
from dfad.frontend.doubts import check_next_trip, join_doubts
from dfad.frontend.elementwise import number_of, typed
from dfad.frontend.expressions import evaluate
from dfad.frontend.guards import facts_of
from dfad.frontend.scope import Context
from dfad.frontend.values import Scalar
from dfad.ir.dtype import BOOL
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Check, Read


@contextmanager
def one_trip(context: Context, statement: ast.stmt) -> Iterator[None]:
    """What is lowered inside is one trip: what it assigned, but for what has a home, is forgotten after it."""
    frame = context.frame
    before, doubts = dict(frame.variables), dict(context.doubts)
    frame.regions += 1
    context.written.append(set())
    yield
    check_next_trip(context, doubts)
    context.written.pop()
    frame.regions -= 1
    frame.variables = before
    context.doubts = join_doubts(doubts, context.doubts)
    context.stand_at(statement)


def repeat(context: Context, statement: ast.While, body: Callable[[], None]) -> None:
    """A While of that body; the variables that it carries have their homes."""
    builder = context.builder
    builder.unpin()
    length = len(builder.block.body)
    condition = _condition(context, statement)
    if condition.constant is not None and not condition.constant:
        return
    is_plain = all(isinstance(node, Check) for node in builder.block.body[length:])
    held = None if is_plain else builder.hold(builder.unused("going"), condition.expression)
    guard = condition.expression if held is None else Read(Memlet(held.name), BOOL)
    with builder.repetition(guard), one_trip(context, statement):
        for fact in facts_of(condition.expression, True):
            builder.know(fact)
        body()
        if held is not None:
            builder.tasklet(Memlet(held.name), _condition(context, statement).expression)


def _condition(context: Context, statement: ast.While) -> Scalar:
    context.stand_at(statement)
    return typed(context, truth, number_of(context, evaluate(context, statement.test)))
