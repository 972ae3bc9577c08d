"""Statements of the source: each emits what it does and leaves the variables as they are after it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import sympy

from dfad.errors import CompilerBug
from dfad.frontend.arithmetic import apply, truth
from dfad.frontend.assignments import assign, assign_all, augment
from dfad.frontend.blocks import Header, OpenBlock
from dfad.frontend.builtin import trips_between
from dfad.frontend.computed import returned_value
from dfad.frontend.counted import count, counted
from dfad.frontend.doubts import demand_view, join_doubts
from dfad.frontend.early import left_out
from dfad.frontend.elementwise import number_of, operand_of, settle, typed
from dfad.frontend.expressions import evaluate, keep
from dfad.frontend.guards import knowing
from dfad.frontend.homes import close_homes, merge_paths, open_homes
from dfad.frontend.indexing import subscript
from dfad.frontend.liveness import assigned_names
from dfad.frontend.oneof import read_selection
from dfad.frontend.scope import Context, Doubt
from dfad.frontend.trips import one_trip, repeat
from dfad.frontend.values import (
    Deferred,
    Known,
    Lazy,
    Masked,
    OneOf,
    RangeOf,
    Scalar,
    Selection,
    Together,
    Tuple,
    Value,
    View,
    integer,
    kind_of,
)
from dfad.ir.dtype import BOOL, I64
from dfad.ir.nodes import Apply, Expression, Integer, Select


def lower_body(context: Context, body: Sequence[ast.stmt]) -> None:
    """Lower statements in order, up to a `return`."""
    for statement in body:
        if context.frame.result is not None:
            return
        context.frame.statement = statement
        context.stand_at(statement)
        with left_out(context):
            try:
                _lower(context, statement)
            except OverflowError as overflow:
                context.wrong_type(f"{overflow}", hint="give it a type that holds it: np.int64(...)")


def _lower(context: Context, statement: ast.stmt) -> None:
    match statement:
        case ast.Assign(targets=targets, value=value):
            assign_all(context, statement, targets, value)
        case ast.AnnAssign(target=target, value=value):
            if value is not None:
                assign(context, target, evaluate(context, value))
        case ast.AugAssign():
            augment(context, statement)
        case ast.If():
            _if(context, statement)
        case ast.For():
            _for(context, statement)
        case ast.While():
            _while(context, statement)
        case ast.Return(value=value):
            _return(context, value)
        case ast.Assert():
            _assert(context, statement)
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return
        case ast.Expr(value=value):
            evaluate(context, value)
        case _:
            context.unsupported(f"{type(statement).__name__} is not part of the language")


def _return(context: Context, value: ast.expr | None) -> None:
    if context.frame.regions:
        raise CompilerBug("a return stands inside a loop or branch: exits.py leaves none there")
    context.frame.result = Known(None) if value is None else returned_value(context, value, evaluate)


def _assert(context: Context, statement: ast.Assert) -> None:
    condition = typed(context, truth, number_of(context, evaluate(context, statement.test)))
    told = statement.msg.value if isinstance(statement.msg, ast.Constant) else ast.unparse(statement.test)
    message = str(told).replace("{", "{{").replace("}", "}}")
    if condition.constant is not True:
        context.builder.check(condition.expression, "assertion", message, ())


# ---------------------------------------------------------------- branches


def _if(context: Context, statement: ast.If) -> None:
    guard = typed(context, truth, number_of(context, evaluate(context, statement.test)))
    if guard.constant is not None:
        lower_body(context, statement.body if guard.constant else statement.orelse)
        return
    frame = context.frame
    opened = open_homes(context, statement)
    before, doubts = dict(frame.variables), dict(context.doubts)
    paths = list[tuple[OpenBlock, dict[str, Value]]]()
    frame.regions += 1
    met = dict[str, Doubt]()
    for holds, body in ((True, statement.body), (False, statement.orelse)):
        frame.variables, context.doubts = dict(before), dict(doubts)
        with context.builder.nested() as block, knowing(context, guard, holds):
            lower_body(context, body)
        paths.append((block, frame.variables))
        met = join_doubts(met, context.doubts)
    frame.regions -= 1
    frame.variables, context.doubts = before, met
    context.stand_at(statement)
    merge_paths(context, paths)
    context.builder.branch(guard.expression, *(block for block, _ in paths))
    close_homes(context, statement, opened)


# ---------------------------------------------------------------- loops


def _for(context: Context, statement: ast.For) -> None:
    over = evaluate(context, statement.iter)
    if isinstance(over, Masked):
        over = operand_of(context, over)
    match over:
        case RangeOf():
            _for_range(context, statement, over)
        case Tuple(items):
            with context.frame.holding([over, *_lists_named(context, statement.iter)]) as (held, *_):
                for place in range(len(items)):
                    now = context.frame.variables[held]
                    assert isinstance(now, Tuple)
                    assign(context, statement.target, now.items[place])
                    lower_body(context, statement.body)
        case Together():
            _for_rows(context, statement, _kept(context, over))
        case View() | Lazy() | Deferred() if over.shape:
            _for_rows(context, statement, _kept(context, over))
        case _:
            context.place = statement.iter
            context.wrong_type(f"a for loop runs over a range, an array's rows or a tuple, not over {kind_of(over)}")


def _lists_named(context: Context, node: ast.expr) -> Iterator[Tuple]:
    """The lists that an expression names, `zip(h, u)`: they may not change while a loop goes over them."""
    for name in (part.id for part in ast.walk(node) if isinstance(part, ast.Name)):
        value = context.frame.variables.get(name)
        if isinstance(value, Tuple):
            yield value


def _while(context: Context, statement: ast.While) -> None:
    found = counted(context, statement)
    if found is not None:
        count(context, statement, found, lambda: lower_body(context, statement.body))
        return
    opened = open_homes(context, statement)
    repeat(context, statement, lambda: lower_body(context, statement.body))
    close_homes(context, statement, opened)


def _for_rows(context: Context, statement: ast.For, rows: Value) -> None:
    """A loop over an array's rows, or over `zip` or `enumerate`: as many trips as the shortest part has elements."""
    with context.frame.holding(list(_arrays(rows))) as held:
        opened = open_homes(context, statement)
        with context.builder.loop("row", sympy.Integer(0), _trips(context, _now(context, rows, iter(held)))) as header:
            _trip(context, statement, lambda: _item(context, _now(context, rows, iter(held)), header.index))
    close_homes(context, statement, opened)


def _arrays(part: Value) -> Iterator[Value]:
    """The arrays of what a loop takes one item from at a time."""
    match part:
        case Together():
            for inner in part.parts:
                yield from _arrays(inner)
        case View() | OneOf():
            yield part
        case _:
            return


def _now(context: Context, part: Value, held: Iterator[str]) -> Value:
    """The same with its arrays where they are now."""
    match part:
        case Together():
            return replace(part, parts=tuple(_now(context, inner, held) for inner in part.parts))
        case View() | OneOf():
            value = context.frame.variables[next(held)]
            return read_selection(context, value) if isinstance(value, Selection) else value
        case _:
            return part


def _kept(context: Context, part: Value) -> Value:
    """What a loop takes one item from at a time, its arrays computed before the loop."""
    match part:
        case Together():
            return replace(part, parts=tuple(_kept(context, inner) for inner in part.parts))
        case OneOf():
            return part
        case Lazy() | Deferred():
            if len(part.shape) > 1:
                demand_view(context, part)
            return keep(context, part)
        case Masked():
            return context.side_by_side(context, part)
        case _:
            return part


def _trips(context: Context, part: Value) -> sympy.Expr:
    match part:
        case View() | OneOf() if part.shape:
            return part.shape[0]
        case Together():
            return sympy.Min(*(_trips(context, inner) for inner in part.parts))
        case RangeOf(Scalar(integer=sympy.Expr() as start), Scalar(integer=sympy.Expr() as stop), Scalar(constant=int() as step)) if step:
            return trips_between(start, stop, step)
        case _:
            context.wrong_type(f"a loop takes arrays and ranges together, not {kind_of(part)}", hint="write for i in range(...)")


def _item(context: Context, part: Value, index: sympy.Symbol) -> Value:
    match part:
        case Together():
            items = tuple(_item(context, inner, index) for inner in part.parts)
            return Tuple(items if part.first is None else (_counted(context, part.first, index), *items))
        case RangeOf():
            assert isinstance(part.step.constant, int)
            return _counted(context, part.start, part.step.constant * index)
        case View() | OneOf():
            return subscript(context, part, [integer(index)])
        case _:
            raise CompilerBug(f"a loop takes nothing from {part!r}")


def _counted(context: Context, first: Scalar, trips: sympy.Expr) -> Scalar:
    return typed(context, partial(apply, "add"), first, integer(trips))


def _for_range(context: Context, statement: ast.For, over: RangeOf) -> None:
    builder = context.builder
    start, stop, step = (builder.pin_integer(settle(context, bound)) for bound in (over.start, over.stop, over.step))
    base = statement.target.id if isinstance(statement.target, ast.Name) else "i"
    opened = open_homes(context, statement)
    last = _last_value(context, statement, start, stop, step)
    if last is not None and base in opened:
        opened.remove(base)
        del context.frame.homes[base]
    context.stand_at(statement)
    if step.is_Integer and step != 0:
        with builder.loop(base, start, stop, int(step)) as header:
            _trip(context, statement, lambda: integer(header.index))
    else:
        _counted_trips(context, statement, base, start, stop, step)
    close_homes(context, statement, opened)
    if last is not None:
        context.frame.variables[base] = integer(last)


def _trip(context: Context, statement: ast.For, item: Callable[[], Value]) -> None:
    with one_trip(context, statement):
        assign(context, statement.target, item())
        lower_body(context, statement.body)


def _last_value(context: Context, statement: ast.For, start: sympy.Expr, stop: sympy.Expr, step: sympy.Expr) -> sympy.Expr | None:
    """The loop variable after a loop that certainly runs and does not assign it; None when that is not proven or not asked."""
    target = statement.target
    facts = context.frame.liveness.regions[statement]
    if not isinstance(target, ast.Name) or target.id not in facts.carried or target.id in set(assigned_names(statement.body)):
        return None
    if not step.is_Integer or step == 0 or not context.builder.proves((stop - start - 1) if step > 0 else (start - stop - 1)):
        return None
    least, greatest = Header(sympy.Symbol("i"), start, stop, int(step)).extremes
    return greatest if step > 0 else least


def _counted_trips(context: Context, statement: ast.For, base: str, start: sympy.Expr, stop: sympy.Expr, step: sympy.Expr) -> None:
    """A step that is known only when it runs: count trips and compute the variable from the count."""
    builder = context.builder
    is_forward = Apply("gt", (Integer(step), Integer(sympy.Integer(0))), BOOL)
    builder.check(Apply("ne", (Integer(step), Integer(sympy.Integer(0))), BOOL), "index", "range() arg 3 must not be zero", ())
    forward = _quotient(stop - start + step - 1, step)
    backward = _quotient(start - stop - step - 1, -step)
    trips = builder.pin_integer(Scalar(Select(is_forward, forward, backward, I64)), "trips")
    with builder.loop(f"{base}_trip", sympy.Integer(0), trips) as header:
        _trip(context, statement, lambda: integer(sympy.expand(start + step * header.index)))


def _quotient(numerator: sympy.Expr, denominator: sympy.Expr) -> Expression:
    return Apply("floordiv", (Integer(sympy.expand(numerator)), Integer(denominator)), I64)
