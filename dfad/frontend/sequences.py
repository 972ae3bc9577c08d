"""Tuples and lists: their items and parts, one joined to another, repeated; what Python does with them, not NumPy.

An item whose place only the running kernel knows is a choice among all of them: of numbers a number, of tuples a tuple, of arrays one
of several views. Operations with an array or a number of NumPy's take a sequence as an array (literals.py).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial
from typing import TypeGuard

import sympy

from dfad.frontend.arithmetic import apply, select
from dfad.frontend.arrays import as_view
from dfad.frontend.builder import cast
from dfad.frontend.elementwise import common_dtype, number_of, require_equal, typed
from dfad.frontend.oneof import one_of, parts_of
from dfad.frontend.positions import resolve_index
from dfad.frontend.scope import Context
from dfad.frontend.values import Deferred, Lazy, OneOf, Scalar, SliceOf, Tuple, Value, View, integer, kind_of, number
from dfad.frontend.written import dimensions_of
from dfad.ir.dtype import BOOL, I64

ARRAY_HINT = "write np.array(...) round it"


def of_sequences(context: Context, op: ast.operator, left: Value, right: Value) -> Value | None:
    """``left op right`` where one side is a sequence at least; None where NumPy makes an array of it."""
    match op, left, right:
        case ast.Add(), Tuple(first, is_list), Tuple(second, other) if is_list == other:
            return Tuple(first + second, is_list)
        case (ast.Mult(), Tuple() as sequence, Scalar() as count) | (ast.Mult(), Scalar() as count, Tuple() as sequence) if (
            count.dtype.kind == "i"
        ):
            return _repeated(context, sequence, count)
        case _:
            require_array(context, left, right)
            return None


def _repeated(context: Context, sequence: Tuple, count: Scalar) -> Tuple:
    if not isinstance(count.constant, int):
        context.unsupported(f"{kind_of(sequence)} is repeated a number of times that is not constant", hint="write np.full(n, value)")
    return Tuple(sequence.items * count.constant, sequence.is_list)


def require_array(context: Context, *operands: Value) -> None:
    """Refuse an operation of sequences and Python's own numbers alone, which Python refuses too."""
    for operand in operands:
        match operand:
            case Tuple() | Scalar(weak=True):
                pass
            case _:
                return
    context.wrong_type(f"this is not defined for {' and '.join(kind_of(operand) for operand in operands)}", hint=ARRAY_HINT)


def require_no_sequence(context: Context, operand: Value) -> None:
    """Refuse what Python does not do to a sequence."""
    if isinstance(operand, Tuple):
        context.wrong_type(f"this is not defined for {kind_of(operand)}", hint=ARRAY_HINT)


def are_equal(context: Context, left: Tuple, right: Tuple, wanted: bool) -> Scalar:
    """``left == right`` of two sequences of numbers, or ``!=`` where that is not ``wanted``."""
    if left.is_list != right.is_list or len(left.items) != len(right.items):
        return number(not wanted)
    found = number(True)
    for first, second in zip(left.items, right.items, strict=True):
        match first, second:
            case Tuple(), Tuple():
                same = are_equal(context, first, second, True)
            case _:
                same = typed(context, partial(apply, "eq"), number_of(context, first), number_of(context, second))
        found = typed(context, partial(apply, "and"), found, same)
    return found if wanted else typed(context, partial(apply, "not"), found)


def item_of(context: Context, node: ast.expr, owner: Tuple, items: Sequence[Value]) -> Value:
    """``owner[items]`` of a sequence that stands at that place of the source; a bool of Python's is an integer."""
    items = [Scalar(cast(item.expression, I64), weak=True) if _is_bool(item) else item for item in items]
    match items:
        case [Scalar() as index] if isinstance(index.constant, int) and -len(owner.items) <= index.constant < len(owner.items):
            return owner.items[index.constant]
        case [Scalar() as index] if isinstance(index.constant, int) and (shape := dimensions_of(node, len(owner.items))) is not None:
            context.wrong_type(f"{shape}, so that there is no shape[{index.constant}]")
        case [Scalar() as index] if index.constant is None and index.dtype.kind == "i" and owner.items:
            place = resolve_index(context, index, sympy.Integer(len(owner.items)), f"{kind_of(owner)}")
            return _chosen(context, place, owner.items)
        case [SliceOf(start, stop, step)]:
            bounds = (_constant_bound(context, part) for part in (start, stop, step))
            return Tuple(owner.items[slice(*bounds)], owner.is_list)
        case _:
            context.wrong_type("a tuple is indexed by an integer in range", hint="put the numbers into an array")


def _is_bool(item: Value) -> TypeGuard[Scalar]:
    return isinstance(item, Scalar) and item.weak and item.dtype == BOOL


def _constant_bound(context: Context, bound: Scalar | None) -> int | None:
    if bound is None or isinstance(bound.constant, int):
        return None if bound is None else int(bound.constant or 0)
    context.wrong_type("a tuple is sliced by constants", hint="put the numbers into an array")


def _chosen(context: Context, place: sympy.Expr, items: Sequence[Value]) -> Value:
    """The item at a place that is in range."""
    numbers = [item for item in items if isinstance(item, Scalar)]
    if len(numbers) == len(items):
        return _chosen_number(context, place, numbers)
    rows = [item for item in items if isinstance(item, Tuple)]
    if len(rows) == len(items) and len({len(row.items) for row in rows}) == 1:
        columns = zip(*(row.items for row in rows), strict=True)
        return Tuple(tuple(_chosen(context, place, column) for column in columns), rows[0].is_list, identity=None)
    if all(isinstance(item, View | Lazy | Deferred) for item in items):
        return _chosen_view(context, place, [item if isinstance(item, OneOf) else as_view(context, item) for item in items])
    context.unsupported("the items of this tuple are of several kinds, and which one it is only the running kernel knows", hint="write if")


def _chosen_number(context: Context, place: sympy.Expr, numbers: Sequence[Scalar]) -> Scalar:
    _, weak = common_dtype(context, numbers)
    found = numbers[-1]
    for position in reversed(range(len(numbers) - 1)):
        is_here = apply("eq", integer(place), integer(position))
        found = typed(context, select, is_here, numbers[position], found)
    return Scalar(found.expression, weak)


def _chosen_view(context: Context, place: sympy.Expr, items: Sequence[View | OneOf]) -> Value:
    """One of the views that the items may be: its place among all of them, from that of the item and that within it."""
    first, views, places = items[0], list[View](), list[Scalar]()
    for item in items:
        if item.dtype != first.dtype or len(item.shape) != len(first.shape):
            context.wrong_type(f"the items of this tuple are {kind_of(first)} and {kind_of(item)}, not arrays of one shape and type")
        for own, other in zip(first.shape, item.shape, strict=True):
            require_equal(context, own, other)
        selector, parts = parts_of(item)
        places.append(integer(len(views) + selector))
        views.extend(parts)
    if len(views) == len(items):
        return one_of(place, views)
    return one_of(context.builder.pin_integer(_chosen_number(context, place, places)), views)
