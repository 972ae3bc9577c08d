"""Assignments: names, unpacking, elements and slices, augmented ones."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import sympy

from dfad.frontend.arrays import as_view, store
from dfad.frontend.bounds import require_equal
from dfad.frontend.builder import cast
from dfad.frontend.doubts import check_write_in_place, demand_view
from dfad.frontend.elementwise import apply_all, common_dtype, operand_of
from dfad.frontend.exchanges import exchange_homes
from dfad.frontend.expressions import binary, evaluate, evaluate_index, keep
from dfad.frontend.indexing import part_of, subscript
from dfad.frontend.lists import augmented_list, require_list
from dfad.frontend.liveness import is_exchange
from dfad.frontend.masks import is_spread, keep_masked, masked_content, store_masked
from dfad.frontend.names import calls_a_function
from dfad.frontend.oneof import in_each
from dfad.frontend.packing import store_packed
from dfad.frontend.scope import Context
from dfad.frontend.values import (
    Chosen,
    Deferred,
    Lazy,
    Masked,
    MaskedCells,
    OneOf,
    Scalar,
    Sharing,
    Target,
    Tuple,
    Value,
    View,
    integer,
    kind_of,
    whole,
)
from dfad.frontend.variables import bind
from dfad.frontend.written import dimensions_of
from dfad.ir.dtype import BOOL
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Read
from dfad.ir.walk import walk_expression


def assign_all(context: Context, statement: ast.Assign, targets: Sequence[ast.expr], assigned: ast.expr) -> None:
    """``a = b = value``, or an exchange of arrays."""
    if is_exchange(statement):
        left, right = ([node.id for node in ast.walk(side) if isinstance(node, ast.Name)] for side in (targets[0], assigned))
        if exchange_homes(context, left, right):
            return
    found = evaluate(context, assigned)
    if len(targets) > 1:
        found = _kept_apart(context, keep(context, found), _written(context, targets))
    for target, value in zip(targets, context.frame.in_turn([found] * len(targets)), strict=True):
        assign(context, target, value)


def _written(context: Context, targets: Sequence[ast.expr]) -> set[str]:
    """The arrays of the variables among the targets."""
    names = {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    homes = context.frame.homes
    return {array.name for name in names & homes.keys() for array in homes[name].arrays}


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
            found, items = _owner(context, owner, index)
            value = _kept_for(context, found, value)
            in_each(context, found, lambda view: _store(context, part_of(context, view, items), value))
        case _:
            context.stand_at(target)
            context.unsupported("only names, elements and slices can be assigned")


def _store(context: Context, cells: Target | MaskedCells, value: Value) -> None:
    if isinstance(cells, MaskedCells):
        _store_under_mask(context, cells, value)
    else:
        store(context, cells, value)


def _store_under_mask(context: Context, cells: MaskedCells, value: Value) -> None:
    if is_spread(context, cells, value):
        store_masked(context, cells, value)
    else:
        store_packed(context, cells, value)


def _owner(context: Context, owner: ast.expr, index: ast.expr) -> tuple[View | OneOf, list[Value]]:
    """The array whose cells a subscript on the left names, and the items between the brackets."""
    found, items = evaluate_index(context, owner, index)
    demand_view(context, found)
    found = _as_cells(context, found)
    if not isinstance(found, View | OneOf):
        context.place = owner
        hint = "make an array of it: np.array([...])" if isinstance(found, Tuple) else None
        context.wrong_type(f"{kind_of(found)} has no elements to assign", hint=hint)
    check_write_in_place(context, found)
    return found, items


def _as_cells(context: Context, owner: Value) -> Value:
    """What is written to: of a value that no name means, as ``x[idx][mask] = v`` has it, an array of its own, which nobody reads."""
    match owner:
        case OneOf() | Lazy(shares=Sharing()):
            return owner
        case Lazy() | Deferred() | Masked() if owner.shape:
            return as_view(context, owner)
        case _:
            return owner


def _unpack(context: Context, targets: Sequence[ast.expr], value: Value) -> None:
    pairs = list(_pairs(context, targets, value))
    if all(isinstance(target, ast.Name) for target, _ in pairs):
        pairs.sort(key=lambda pair: isinstance(pair[1], Lazy | Deferred) and not isinstance(pair[1], OneOf))
    ordered = [target for target, _ in pairs]
    values = _apart(context, ordered, [item for _, item in pairs])
    for target, item in zip(ordered, context.frame.in_turn(values), strict=True):
        assign(context, target, item)


def _pairs(context: Context, targets: Sequence[ast.expr], value: Value) -> Iterator[tuple[ast.expr, Value]]:
    """What each target gets, those within tuples among them: all values are there before the first is assigned."""
    items = value.items if isinstance(value, Tuple) else _rows(context, value, len(targets))
    if len(items) != len(targets):
        what = dimensions_of(getattr(context.place, "value", context.place), len(items))
        context.wrong_type(f"{f'{len(items)} values for' if what is None else f'{what}, and here are'} {len(targets)} names")
    for target, item in zip(targets, items, strict=True):
        if isinstance(target, ast.Tuple | ast.List):
            yield from _pairs(context, target.elts, item)
        else:
            yield target, item


def _rows(context: Context, value: Value, count: int) -> tuple[Value, ...]:
    """The elements of an array, as many as there are names; where its length is not known now, it is checked."""
    if not isinstance(value, View | Lazy | Deferred) or not value.shape:
        context.wrong_type(f"{kind_of(value)} cannot be unpacked")
    length = value.shape[0]
    if not length.is_Integer:
        require_equal(context.builder, length, sympy.Integer(count), "index", f"{{0}} values for {count} names")
    kept = keep(context, value)
    assert isinstance(kept, View | Lazy)
    return tuple(subscript(context, kept, [integer(row)]) for row in range(int(length) if length.is_Integer else count))


def _apart(context: Context, targets: Sequence[ast.expr], items: Sequence[Value]) -> list[Value]:
    """The values with those computed first that an earlier target of the same statement overwrites."""
    stored, kept = set[str](), list[Value]()
    for target, item in zip(targets, items, strict=True):
        kept.append(_kept_apart(context, item, stored))
        stored |= {"*"} if isinstance(target, ast.Subscript) else _written(context, [target])
    return kept


def _kept_apart(context: Context, item: Value, stored: set[str]) -> Value:
    match item:
        case Scalar():
            read = {part.memlet.array for part in walk_expression(item.expression) if isinstance(part, Read)}
            elements = any(isinstance(part, Read) and part.memlet.subset for part in walk_expression(item.expression))
            return _computed(context, item) if read & stored or (elements and "*" in stored) else item
        case Lazy() | Deferred() if stored and not isinstance(item, OneOf):
            return keep(context, item)
        case Tuple(items):
            return replace(item, items=tuple(_kept_apart(context, part, stored) for part in items))
        case _:
            return item


def _computed(context: Context, value: Scalar) -> Scalar:
    """The number in a scalar of its own, also when it is a variable that is about to change."""
    array = context.builder.hold(context.builder.unused("tmp"), value.expression)
    return Scalar(Read(Memlet(array.name), array.dtype), value.weak)


def augment(context: Context, statement: ast.AugAssign) -> None:
    """``target op= value``: an array is a view that sees what the value's calls write; a number, and what a mask or an index array chooses,
    is read before the value is evaluated."""
    op, target = statement.op, statement.target
    calls = calls_a_function(context, statement.value)
    if isinstance(target, ast.Name):
        current = evaluate(context, ast.copy_location(ast.Name(target.id, ast.Load()), target))
        require_list(context, statement, current)
        if isinstance(current, View | OneOf):
            check_write_in_place(context, current)
            value = _kept_for(context, current, evaluate(context, statement.value))
            in_each(context, current, lambda view: update(context, view, op, value))
            return
        settled = keep(context, current) if calls else current
        value = evaluate(context, statement.value)
        if isinstance(settled, Tuple) and settled.is_list:
            bind(context, target.id, augmented_list(context, target.id, op, settled, value))
        else:
            _augmented_name(context, target.id, op, settled, value)
        return
    assert isinstance(target, ast.Subscript)
    found, items = _owner(context, target.value, target.slice)
    before: Value | None = None
    if isinstance(found, OneOf):
        before = keep(context, subscript(context, found, items)) if calls else None
        value = keep(context, evaluate(context, statement.value))
        in_each(context, found, lambda view: _augment_cells(context, part_of(context, view, items), op, lambda: value, before))
        return
    cells = part_of(context, found, items)
    if calls:
        if isinstance(cells, MaskedCells):
            content = before = keep_masked(context, masked_content(cells))
            cells = replace(cells, mask=content.mask)
        elif isinstance(cells, Chosen) or not cells.shape:
            before = keep(context, _content(cells))
    _augment_cells(context, cells, op, lambda: evaluate(context, statement.value), before)


def _augment_cells(
    context: Context, cells: Target | MaskedCells, op: ast.operator, value: Callable[[], Value], before: Value | None
) -> None:
    if isinstance(cells, MaskedCells):
        _store_under_mask(context, cells, binary(context, op, masked_content(cells) if before is None else before, value()))
    else:
        update(context, cells, op, value(), before)


def _kept_for(context: Context, target: View | OneOf, value: Value) -> Value:
    """The value, computed once where the target is one of several views."""
    return keep(context, value) if isinstance(target, OneOf) else value


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
