"""Statements of the source: each emits what it does and leaves the variables as they are after it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

import sympy

from dfad.errors import CompilerBug
from dfad.frontend.arithmetic import truth
from dfad.frontend.arrays import store
from dfad.frontend.blocks import Header, OpenBlock
from dfad.frontend.builder import cast
from dfad.frontend.doubts import check_next_trip, check_write_in_place, join_doubts
from dfad.frontend.elementwise import apply_all, common_dtype, number_of, operand_of, settle, typed
from dfad.frontend.exchanges import exchange_homes
from dfad.frontend.expressions import binary, evaluate, evaluate_index, keep
from dfad.frontend.guards import knowing
from dfad.frontend.homes import close_homes, merge_paths, open_homes
from dfad.frontend.indexing import part_of, subscript
from dfad.frontend.liveness import assigned_names, is_exchange
from dfad.frontend.masks import masked_content, store_masked
from dfad.frontend.names import calls_a_function
from dfad.frontend.scope import Context, Doubt
from dfad.frontend.values import (
    Chosen,
    Deferred,
    Known,
    Lazy,
    MaskedCells,
    RangeOf,
    Scalar,
    Target,
    Tuple,
    Value,
    View,
    integer,
    kind_of,
    whole,
)
from dfad.frontend.variables import bind
from dfad.ir.dtype import BOOL, I64
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Apply, Expression, Integer, Read, Select
from dfad.ir.walk import walk_expression


def lower_body(context: Context, body: Sequence[ast.stmt]) -> None:
    """Lower statements in order, up to a `return`."""
    for statement in body:
        if context.frame.result is not None:
            return
        context.frame.statement = statement
        context.stand_at(statement)
        _lower(context, statement)


def _lower(context: Context, statement: ast.stmt) -> None:
    match statement:
        case ast.Assign(targets=targets, value=value):
            _assign(context, statement, targets, value)
        case ast.AnnAssign(target=target, value=value):
            if value is not None:
                assign(context, target, evaluate(context, value))
        case ast.AugAssign():
            _augmented(context, statement)
        case ast.If():
            _if(context, statement)
        case ast.For():
            _for(context, statement)
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
    context.frame.result = Known(None) if value is None else evaluate(context, value)


def _assert(context: Context, statement: ast.Assert) -> None:
    condition = typed(context, truth, number_of(context, evaluate(context, statement.test)))
    told = statement.msg.value if isinstance(statement.msg, ast.Constant) else ast.unparse(statement.test)
    message = str(told).replace("{", "{{").replace("}", "}}")
    if condition.constant is not True:
        context.builder.check(condition.expression, "assertion", message, ())


# ---------------------------------------------------------------- assignment


def _assign(context: Context, statement: ast.Assign, targets: Sequence[ast.expr], value: ast.expr) -> None:
    if is_exchange(statement):
        left, right = ([node.id for node in ast.walk(side) if isinstance(node, ast.Name)] for side in (targets[0], value))
        if exchange_homes(context, left, right):
            return
    found = evaluate(context, value)
    if len(targets) > 1:
        found = keep(context, found)
    for target in targets:
        assign(context, target, found)


def assign(context: Context, target: ast.expr, value: Value) -> None:
    """``target = value``, the value evaluated already."""
    match target:
        case ast.Name(id=name):
            bind(context, name, value)
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            _unpack(context, targets, value)
        case ast.Subscript(value=owner, slice=index):
            if calls_a_function(context, index):
                value = keep(context, value)
            _store(context, _cells(context, owner, index), value)
        case _:
            context.stand_at(target)
            context.unsupported("only names, elements and slices can be assigned")


def _store(context: Context, cells: Target | MaskedCells, value: Value) -> None:
    if isinstance(cells, MaskedCells):
        store_masked(context, cells, value)
    else:
        store(context, cells, value)


def _cells(context: Context, owner: ast.expr, index: ast.expr) -> Target | MaskedCells:
    """The cells that a subscript on the left names."""
    found, items = evaluate_index(context, owner, index)
    if not isinstance(found, View):
        context.place = owner
        context.wrong_type(f"{kind_of(found)} has no elements to assign")
    check_write_in_place(context, found)
    return part_of(context, found, items)


def _unpack(context: Context, targets: Sequence[ast.expr], value: Value) -> None:
    items = value.items if isinstance(value, Tuple) else _rows(context, value)
    if len(items) != len(targets):
        context.wrong_type(f"{len(items)} values for {len(targets)} names")
    for target, item in zip(targets, _apart(context, targets, items), strict=True):
        assign(context, target, item)


def _rows(context: Context, value: Value) -> tuple[Value, ...]:
    """The elements of an array of known length."""
    if isinstance(value, View | Lazy | Deferred) and value.shape and value.shape[0].is_Integer:
        return tuple(subscript(context, value, [integer(row)]) for row in range(int(value.shape[0])))
    context.wrong_type(f"{kind_of(value)} cannot be unpacked", hint="its length must be known when the kernel is compiled")


def _apart(context: Context, targets: Sequence[ast.expr], items: Sequence[Value]) -> list[Value]:
    """The values with those computed first that an earlier target of the same statement overwrites."""
    homes = context.frame.homes
    stored, kept = set[str](), list[Value]()
    for target, item in zip(targets, items, strict=True):
        kept.append(_kept_apart(context, target, item, stored))
        match target:
            case ast.Name(id=name) if name in homes:
                home = homes[name].array
                stored |= {home.name} if home is not None else set()
            case ast.Subscript():
                stored.add("*")
            case _:
                pass
    return kept


def _kept_apart(context: Context, target: ast.expr, item: Value, stored: set[str]) -> Value:
    match item:
        case Scalar():
            read = {part.memlet.array for part in walk_expression(item.expression) if isinstance(part, Read)}
            elements = any(isinstance(part, Read) and part.memlet.subset for part in walk_expression(item.expression))
            return _computed(context, item) if read & stored or (elements and "*" in stored) else item
        case View() if item.array.name in stored and isinstance(target, ast.Name) and context.frame.is_live(target.id):
            return keep(context, Lazy(item.shape, item.dtype, item.at))
        case Lazy() | Deferred() if stored:
            return keep(context, item)
        case _:
            return item


def _computed(context: Context, value: Scalar) -> Scalar:
    """The number in a scalar of its own, also when it is a variable that is about to change."""
    array = context.builder.hold(context.builder.unused("tmp"), value.expression)
    return Scalar(Read(Memlet(array.name), array.dtype), value.weak)


def _augmented(context: Context, statement: ast.AugAssign) -> None:
    """``target op= value``: a number is read before the value is evaluated; an array is a view that sees what the value's calls write."""
    op, target = statement.op, statement.target
    calls = calls_a_function(context, statement.value)
    if isinstance(target, ast.Name):
        current = evaluate(context, ast.copy_location(ast.Name(target.id, ast.Load()), target))
        if isinstance(current, View):
            check_write_in_place(context, current)
            update(context, current, op, evaluate(context, statement.value))
            return
        settled = keep(context, current) if calls else current
        _augmented_name(context, target.id, op, settled, evaluate(context, statement.value))
        return
    assert isinstance(target, ast.Subscript)
    cells = _cells(context, target.value, target.slice)
    if isinstance(cells, MaskedCells):
        store_masked(context, cells, binary(context, op, masked_content(cells), evaluate(context, statement.value)))
        return
    before = keep(context, Scalar(cells.at(()))) if calls and not cells.shape else None
    update(context, cells, op, evaluate(context, statement.value), before)


def _augmented_name(context: Context, name: str, op: ast.operator, current: Value, value: Value) -> None:
    home = context.frame.homes.get(name)
    if home is not None and home.array is not None and isinstance(current, Scalar) and isinstance(value, Scalar) and _is_sum(op):
        dtype, weak = common_dtype(context, (current, value))
        if current.integer is None and (dtype, weak) == (home.array.dtype, home.weak):
            context.builder.tasklet(Memlet(home.array.name), cast(_signed(context, op, value).expression, dtype), accumulate=True)
            return
    bind(context, name, binary(context, op, current, value))


def _is_sum(op: ast.operator) -> bool:
    return isinstance(op, ast.Add | ast.Sub)


def _signed(context: Context, op: ast.operator, value: Scalar) -> Scalar:
    """What is added: ``a - b`` and ``a + (-b)`` have the same bits."""
    found = apply_all(context, "neg", value) if isinstance(op, ast.Sub) else value
    assert isinstance(found, Scalar)
    return found


def update(context: Context, cells: Target, op: ast.operator, value: Value, before: Value | None = None) -> None:
    """``cells op= value`` in place; ``before``: what the cells held, where a call may have changed them since."""
    current = before if before is not None else _content(cells)
    if isinstance(op, ast.MatMult):
        store(context, cells, binary(context, op, current, value))
        return
    found = value if isinstance(value, Deferred) and value.shape else operand_of(context, value)
    dtype, _ = common_dtype(context, (Scalar(Read(Memlet(cells.array.name), cells.dtype)), found))
    divides = isinstance(op, ast.Div) and not cells.dtype.is_float
    if cells.shape and (divides or (dtype.is_float and not cells.dtype.is_float)):
        context.wrong_type(
            f"the result is a float and cannot be stored in place in {kind_of(whole(cells.array))}",
            hint="write A = A op value, or use a float array",
        )
    if before is None and isinstance(cells, View) and _is_sum(op) and dtype == cells.dtype and dtype != BOOL:
        store(context, cells, apply_all(context, "neg", found) if isinstance(op, ast.Sub) else found, accumulate=True)
        return
    store(context, cells, binary(context, op, current, found))


def _content(cells: Target) -> Scalar | View | Lazy:
    if isinstance(cells, Chosen):
        return Lazy(cells.shape, cells.dtype, cells.at)
    return cells if cells.shape else Scalar(cells.at(()))


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
    match over:
        case RangeOf():
            _for_range(context, statement, over)
        case Tuple(items):
            for item in items:
                assign(context, statement.target, item)
                lower_body(context, statement.body)
        case View() | Lazy() | Deferred() if over.shape:
            rows = over if isinstance(over, View) else keep(context, over)
            _for_rows(context, statement, rows)
        case _:
            context.place = statement.iter
            context.wrong_type(f"a for loop runs over a range, an array's rows or a tuple, not over {kind_of(over)}")


def _for_rows(context: Context, statement: ast.For, rows: Value) -> None:
    assert isinstance(rows, View)
    opened = open_homes(context, statement)
    with context.builder.loop("row", sympy.Integer(0), rows.shape[0]) as header:
        _trip(context, statement, lambda: subscript(context, rows, [integer(header.index)]))
    close_homes(context, statement, opened)


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
    """One trip: bind the target, run the body; what the body assigned is forgotten after it."""
    frame = context.frame
    before, doubts = dict(frame.variables), dict(context.doubts)
    frame.regions += 1
    context.written.append(set())
    assign(context, statement.target, item())
    lower_body(context, statement.body)
    check_next_trip(context, doubts)
    context.written.pop()
    frame.regions -= 1
    frame.variables = before
    context.doubts = join_doubts(doubts, context.doubts)
    context.stand_at(statement)


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
