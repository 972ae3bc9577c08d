"""Subscripts: an element or a view from an array and the items between the brackets.

Integers wrap once from below as in Python and are then in range, by proof or by a Check before the access; slices are clipped as in NumPy.
Every index that comes out is non-negative and in range.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import sympy

from dfad.frontend.bounds import require
from dfad.frontend.builder import constant
from dfad.frontend.elementwise import place
from dfad.frontend.scope import Context
from dfad.frontend.values import ONE, ZERO, Along, Deferred, Elements, Indices, Known, Lazy, Scalar, SliceOf, Value, View, kind_of
from dfad.ir.dtype import BOOL, I64
from dfad.ir.nodes import Apply, Expression, Integer, Select

OUT_OF_RANGE = "index {0} is out of bounds for an axis of extent {1}"


def subscript(context: Context, owner: Elements, items: Sequence[Value]) -> Scalar | View | Lazy:
    """``owner[items]``: a number when every axis is indexed, else a view."""
    if isinstance(owner, Deferred):
        placed = place(context, owner)
        if isinstance(placed, Scalar):
            context.wrong_type("a number has no elements")
        owner = placed
    axes = _axes(context, owner, items)
    if isinstance(owner, Lazy):
        return _lazy_part(owner, axes)
    found = _part(owner, axes)
    return found if found.shape else Scalar(found.at(()))


def part_of(context: Context, owner: View, items: Sequence[Value]) -> View:
    """The cells that ``owner[items] = ...`` writes; of rank 0 when every axis is indexed."""
    return _part(owner, _axes(context, owner, items))


Axis: TypeAlias = sympy.Expr | tuple[sympy.Expr, sympy.Expr, sympy.Expr] | None
"""What becomes of an axis: fixed at an index; (start, stride, extent); or a new axis (None)."""


def _axes(context: Context, owner: View | Lazy, items: Sequence[Value]) -> list[Axis]:
    """One entry for each item, the ellipsis and missing items spelled out."""
    consuming = [item for item in items if not _is_known(item, None) and not _is_known(item, ...)]
    missing = len(owner.shape) - len(consuming)
    if missing < 0:
        context.wrong_type(f"{len(consuming)} indices for {kind_of(owner)}")
    full = SliceOf(None, None, None)
    dots = [position for position, item in enumerate(items) if _is_known(item, ...)]
    if len(dots) > 1:
        context.wrong_type("an index can hold one ... only")
    at = dots[0] if dots else len(items)
    spelled = [*items[:at], *[full] * missing, *items[at + 1 :]]
    extents = iter(owner.shape)
    return [None if _is_known(item, None) else _axis(context, item, next(extents)) for item in spelled]


def _is_known(item: Value, known: object) -> bool:
    return isinstance(item, Known) and item.value is known


def _axis(context: Context, item: Value, extent: sympy.Expr) -> Axis:
    match item:
        case Scalar() if item.dtype.kind == "i":
            return resolve_index(context, item, extent)
        case SliceOf():
            return resolve_slice(context, item, extent)
        case View() | Lazy() | Deferred() if item.shape and item.dtype == BOOL:
            context.unsupported(
                "an array of booleans as an index is not yet supported", hint="write np.where(mask, new, old), or a loop with an if"
            )
        case View() | Lazy() | Deferred() if item.shape:
            context.unsupported("an array as an index is not yet supported", hint="write a loop over the index array")
        case View() | Lazy() if item.dtype.kind == "i":
            return resolve_index(context, Scalar(item.at(())), extent)
        case _:
            context.wrong_type(
                f"an index is an integer or a slice, not {kind_of(item)}", hint="use // for an integer quotient, int() to truncate"
            )


def _part(owner: View, axes: Sequence[Axis]) -> View:
    """The view of a view."""
    chosen = list[tuple[Axis, int]]()
    shape = list[sympy.Expr]()
    for axis in axes:
        if axis is None:
            shape.append(ONE)
            continue
        chosen.append((axis, len(shape)))
        if isinstance(axis, tuple):
            shape.append(axis[2])
    return View(owner.array, tuple(_narrowed(dimension, chosen) for dimension in owner.dimensions), tuple(shape))


def _narrowed(dimension: sympy.Expr | Along, chosen: Sequence[tuple[Axis, int]]) -> sympy.Expr | Along:
    if not isinstance(dimension, Along):
        return dimension
    axis, position = chosen[dimension.axis]
    if isinstance(axis, tuple):
        start, stride, _ = axis
        return Along(position, dimension.offset + dimension.stride * start, dimension.stride * stride)
    return dimension.offset + dimension.stride * axis


def _lazy_part(owner: Lazy, axes: Sequence[Axis]) -> Scalar | Lazy:
    shape = tuple(ONE if axis is None else axis[2] for axis in axes if axis is None or isinstance(axis, tuple))

    def element(indices: Indices) -> Expression:
        remaining = iter(indices)
        picked = list[sympy.Expr]()
        for axis in axes:
            match axis:
                case None:
                    next(remaining)
                case (start, stride, _):
                    picked.append(start + stride * next(remaining))
                case _:
                    picked.append(axis)
        return owner.at(tuple(picked))

    return Lazy(shape, owner.dtype, element) if shape else Scalar(element(()))


def resolve_index(context: Context, index: Scalar, extent: sympy.Expr) -> sympy.Expr:
    """The index counted from the start, in range."""
    builder = context.builder
    value = builder.pin_integer(index)
    if value.is_Integer and value < 0:
        resolved = extent + value
    elif builder.proves(value):
        resolved = value
    elif builder.proves(-1 - value):
        resolved = extent + value
    else:
        resolved = _wrapped(context, value, extent)
    require(builder, resolved, "index", OUT_OF_RANGE, (value, extent))
    require(builder, extent - 1 - resolved, "index", OUT_OF_RANGE, (value, extent))
    return resolved


def _wrapped(context: Context, value: sympy.Expr, extent: sympy.Expr) -> sympy.Expr:
    """An index of unknown sign: ``value + extent`` where it is negative."""
    builder = context.builder
    is_negative = Apply("lt", (Integer(value), constant(0, I64)), BOOL)
    wrapped = builder.pin_integer(Scalar(Select(is_negative, Integer(value + extent), Integer(value), I64)), "wrapped")
    if builder.proves(value + extent):
        builder.know(wrapped)
    if builder.proves(extent - 1 - value):
        builder.know(extent - 1 - wrapped)
    return wrapped


def resolve_slice(context: Context, item: SliceOf, extent: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """(start, stride, extent) of a slice, clipped; an extent below 0 means 0."""
    step = 1 if item.step is None else item.step.constant
    if not isinstance(step, int) or step == 0:
        context.unsupported("the step of a slice must be an integer constant other than 0", hint="write a loop")
    if step > 0:
        start = ZERO if item.start is None else _clipped_start(context, item.start, extent)
        stop = extent if item.stop is None else _clipped_stop(context, item.stop, extent)
        span = stop - start
    else:
        start = extent - 1 if item.start is None else _clipped_high(context, item.start, extent)
        stop = -ONE if item.stop is None else _clipped_low(context, item.stop, extent)
        span = start - stop
    size = abs(step)
    count = span if size == 1 else sympy.floor((span + size - 1) / size)
    return start, sympy.Integer(step), count


def _counted(context: Context, bound: Scalar, extent: sympy.Expr) -> sympy.Expr:
    """A bound counted from the start, not yet clipped."""
    builder = context.builder
    value = builder.pin_integer(bound)
    if builder.proves(value):
        return value
    if builder.proves(-1 - value):
        return extent + value
    return _wrapped(context, value, extent)


def _clipped_start(context: Context, bound: Scalar, extent: sympy.Expr) -> sympy.Expr:
    """From 0; beyond the end the slice is empty anyway."""
    value = _counted(context, bound, extent)
    return value if context.builder.proves(value) else sympy.Max(0, value)


def _clipped_stop(context: Context, bound: Scalar, extent: sympy.Expr) -> sympy.Expr:
    """Up to the extent; before the start the slice is empty anyway."""
    value = _counted(context, bound, extent)
    return value if context.builder.proves(extent - value) else sympy.Min(value, extent)


def _clipped_high(context: Context, bound: Scalar, extent: sympy.Expr) -> sympy.Expr:
    value = _counted(context, bound, extent)
    return value if context.builder.proves(extent - 1 - value) else sympy.Min(value, extent - 1)


def _clipped_low(context: Context, bound: Scalar, extent: sympy.Expr) -> sympy.Expr:
    value = _counted(context, bound, extent)
    return value if context.builder.proves(value + 1) else sympy.Max(-1, value)
