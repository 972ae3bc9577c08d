"""Subscripts: what an array and the items between the brackets give: an element, a view, or the elements that index arrays choose."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from dfad.frontend.arrays import as_view, in_temporary
from dfad.frontend.choices import Axis, Pick, chosen_positions
from dfad.frontend.elementwise import place
from dfad.frontend.masks import masked_cells, masked_part
from dfad.frontend.oneof import mapped
from dfad.frontend.positions import resolve_index, resolve_slice
from dfad.frontend.scope import Context
from dfad.frontend.values import (
    AXES,
    ONE,
    Along,
    Chosen,
    Deferred,
    Dimension,
    Elements,
    Indices,
    Known,
    Lazy,
    Masked,
    MaskedCells,
    Mixed,
    OneOf,
    Scalar,
    SliceOf,
    Target,
    Value,
    View,
    kind_of,
)
from dfad.frontend.written import array_of, axis_of, counted
from dfad.ir.dtype import BOOL
from dfad.ir.nodes import Expression


def subscript(context: Context, owner: Elements, items: Sequence[Value]) -> Scalar | View | Lazy | Masked:
    """``owner[items]``: a number when every axis is indexed, else a view."""
    if isinstance(owner, Deferred):
        placed = place(context, owner)
        if isinstance(placed, Scalar):
            context.wrong_type("a number has no elements")
        owner = placed
    mask = _mask_of(context, items)
    if mask is not None:
        return masked_part(context, owner, mask)
    axes = _axes(context, owner, items)
    if any(isinstance(axis, Pick) for axis in axes):
        shape, positions = chosen_positions(context, axes)
        return Lazy(shape, owner.dtype, lambda indices: owner.at(positions(indices)))
    if isinstance(owner, Lazy) and not isinstance(owner, OneOf):
        return _lazy_part(owner, axes)
    found = mapped(owner, lambda view: _part(view, axes)) if isinstance(owner, OneOf) else _part(owner, axes)
    return found if found.shape else Scalar(found.at(()))


def part_of(context: Context, owner: View, items: Sequence[Value]) -> Target | MaskedCells:
    """The cells that ``owner[items] = ...`` writes; of rank 0 when every axis is indexed."""
    mask = _mask_of(context, items)
    if mask is not None:
        return masked_cells(context, owner, mask)
    axes = _axes(context, owner, items)
    if not any(isinstance(axis, Pick) for axis in axes):
        return _part(owner, axes)
    axes = [_apart(context, axis, owner) for axis in axes]
    shape, positions = chosen_positions(context, axes)
    return Chosen(owner.array, shape, lambda indices: owner.memlet(positions(indices)))


def _mask_of(context: Context, items: Sequence[Value]) -> View | Lazy | None:
    """The mask, where it is all that stands between the brackets."""
    match items:
        case [View() | Lazy() as mask] if mask.shape and mask.dtype == BOOL:
            return mask
        case [Deferred() as mask] if mask.shape and mask.dtype == BOOL:
            return as_view(context, mask)
        case _:
            return None


def _apart(context: Context, axis: Axis, owner: View) -> Axis:
    """An index array that is itself written is copied first."""
    if isinstance(axis, Pick) and axis.by.array.name == owner.array.name:
        return Pick(in_temporary(context, Lazy(axis.by.shape, axis.by.dtype, axis.by.at)), axis.extent)
    return axis


def _axes(context: Context, owner: View | Lazy, items: Sequence[Value]) -> list[Axis]:
    """One entry for each item, the ellipsis and missing items spelled out."""
    consuming = [item for item in items if not _is_known(item, None) and not _is_known(item, ...)]
    missing = len(owner.shape) - len(consuming)
    if missing < 0:
        name = array_of(context) or "the array"
        context.wrong_type(f"{name} has {counted(len(owner.shape))}, and here are {len(consuming)} indices")
    full = SliceOf(None, None, None)
    dots = [position for position, item in enumerate(items) if _is_known(item, ...)]
    if len(dots) > 1:
        context.wrong_type("an index can hold one ... only")
    at = dots[0] if dots else len(items)
    spelled = [*items[:at], *[full] * missing, *items[at + 1 :]]
    axes = iter(enumerate(owner.shape))
    return [None if _is_known(item, None) else _axis(context, item, *next(axes)) for item in spelled]


def _is_known(item: Value, known: object) -> bool:
    return isinstance(item, Known) and item.value is known


def _axis(context: Context, item: Value, axis: int, extent: sympy.Expr) -> Axis:
    match item:
        case Scalar() if item.dtype.kind == "i":
            return resolve_index(context, item, extent, axis_of(context, axis))
        case SliceOf():
            return resolve_slice(context, item, extent)
        case View() | Lazy() | Deferred() if item.shape and item.dtype == BOOL:
            context.unsupported(
                "a mask beside other indices is not yet supported", hint="index first, then write the mask alone: A[0][mask]"
            )
        case View() | Lazy() | Deferred() if item.shape and item.dtype.kind == "i":
            return Pick(as_view(context, item), extent)
        case View() | Lazy() if item.dtype.kind == "i":
            return resolve_index(context, Scalar(item.at(())), extent, axis_of(context, axis))
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


def _narrowed(dimension: Dimension, chosen: Sequence[tuple[Axis, int]]) -> Dimension:
    if isinstance(dimension, Mixed):
        return Mixed(dimension.index.xreplace({AXES[old]: _old_index(*new) for old, new in enumerate(chosen)}))
    if not isinstance(dimension, Along):
        return dimension
    axis, position = chosen[dimension.axis]
    if isinstance(axis, tuple):
        start, stride, _ = axis
        return Along(position, dimension.offset + dimension.stride * start, dimension.stride * stride)
    return dimension.offset + dimension.stride * axis


def _old_index(axis: Axis, position: int) -> sympy.Expr:
    """The index on an axis of the owner, from those on the axes of the part."""
    match axis:
        case (start, stride, _):
            return start + stride * AXES[position]
        case _:
            return axis


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

    return Lazy(shape, owner.dtype, element, owner.shares) if shape else Scalar(element(()))
