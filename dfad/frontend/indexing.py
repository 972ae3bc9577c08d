"""Subscripts: what an array and the items between the brackets give: an element, a view, or the elements that index arrays choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy

from dfad.frontend.arrays import in_temporary
from dfad.frontend.brackets import FULL, Item, Mask, axes_of_items, is_mask, leading_mask, spelled
from dfad.frontend.choices import Axis, Gap, Pick, chosen_positions
from dfad.frontend.elementwise import place
from dfad.frontend.masks import masked_cells, masked_part
from dfad.frontend.oneof import mapped
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
    renumbered,
)
from dfad.ir.nodes import Expression


def subscript(context: Context, owner: Elements, items: Sequence[Value]) -> Scalar | View | Lazy | Masked:
    """``owner[items]``: a number when every axis is indexed, else a view."""
    if isinstance(owner, Deferred):
        placed = place(context, owner)
        if isinstance(placed, Scalar):
            context.wrong_type("a number has no elements")
        owner = placed
    named = spelled(context, len(owner.shape), items)
    masked = _behind_mask(context, owner, named)
    if masked is not None:
        return masked_part(context, *masked)
    axes = axes_of_items(context, owner.shape, named)
    if any(isinstance(axis, Pick) for axis in axes):
        shape, positions = chosen_positions(context, axes)
        return Lazy(shape, owner.dtype, lambda indices: owner.at(positions(indices)))
    found = _plain_part(owner, axes)
    return found if found.shape else Scalar(found.at(()))


def part_of(context: Context, owner: View, items: Sequence[Value]) -> Target | MaskedCells:
    """The cells that ``owner[items] = ...`` writes; of rank 0 when every axis is indexed."""
    named = spelled(context, len(owner.shape), items)
    masked = _behind_mask(context, owner, named)
    if masked is not None:
        cells, mask = masked
        assert isinstance(cells, View)
        return masked_cells(context, cells, mask)
    axes = axes_of_items(context, owner.shape, named)
    if not any(isinstance(axis, Pick) for axis in axes):
        return _part(owner, axes)
    axes = [_apart(context, axis, owner) for axis in axes]
    shape, positions = chosen_positions(context, axes)
    return Chosen(owner.array, shape, lambda indices: owner.memlet(positions(indices)))


def _behind_mask(context: Context, owner: View | Lazy, items: Sequence[Item]) -> tuple[View | Lazy, Mask] | None:
    """What a leading mask stands for the first axes of: the part that the other items leave, the axes of the mask in front."""
    at = leading_mask(items)
    if at is None:
        return None
    mask = items[at]
    assert is_mask(mask)
    full = [FULL] * len(mask.shape)
    part = _plain_part(owner, axes_of_items(context, owner.shape, [*items[:at], *full, *items[at + 1 :]]))
    first = sum(_is_kept(item) for item in items[:at])
    inside = range(first, first + len(mask.shape))
    order = [*inside, *(axis for axis in range(len(part.shape)) if axis not in inside)]
    return _reordered(part, order), mask


def _is_kept(item: Item) -> bool:
    """Whether it leaves an axis."""
    return isinstance(item, SliceOf) or (isinstance(item, Known) and item.value is None)


def _reordered(value: View | Lazy, order: Sequence[int]) -> View | Lazy:
    """The array whose axis k is axis ``order[k]`` of the old one."""
    places = [order.index(old) for old in range(len(order))]
    if places == list(range(len(order))):
        return value
    if isinstance(value, OneOf):
        return mapped(value, lambda view: turned_view(view, order))
    if isinstance(value, View):
        return turned_view(value, order)
    shape = tuple(value.shape[old] for old in order)
    return Lazy(shape, value.dtype, lambda indices: value.at(tuple(indices[place] for place in places)))


def turned_view(view: View, order: Sequence[int]) -> View:
    """The view whose axis k is axis ``order[k]`` of the old one."""
    places = [order.index(old) for old in range(len(order))]
    turned = tuple(renumbered(dimension, places) for dimension in view.dimensions)
    return View(view.array, turned, tuple(view.shape[old] for old in order))


def _apart(context: Context, axis: Axis, owner: View) -> Axis:
    """An index array that is itself written is copied first."""
    if isinstance(axis, Pick) and axis.by.array.name == owner.array.name:
        return replace(axis, by=in_temporary(context, Lazy(axis.by.shape, axis.by.dtype, axis.by.at)))
    return axis


def _plain_part(owner: View | Lazy, axes: Sequence[Axis]) -> View | Lazy:
    """The part that integers and slices leave."""
    if isinstance(owner, OneOf):
        return mapped(owner, lambda view: _part(view, axes))
    return _lazy_part(owner, axes) if isinstance(owner, Lazy) else _part(owner, axes)


def _part(owner: View, axes: Sequence[Axis]) -> View:
    """The view of a view."""
    chosen = list[tuple[Axis, int]]()
    shape = list[sympy.Expr]()
    for axis in axes:
        if axis is None:
            shape.append(ONE)
        if axis is None or isinstance(axis, Gap):
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


def _lazy_part(owner: Lazy, axes: Sequence[Axis]) -> Lazy:
    shape = tuple(ONE if axis is None else axis[2] for axis in axes if axis is None or isinstance(axis, tuple))

    def element(indices: Indices) -> Expression:
        remaining = iter(indices)
        picked = list[sympy.Expr]()
        for axis in axes:
            match axis:
                case None:
                    next(remaining)
                case Gap():
                    pass
                case (start, stride, _):
                    picked.append(start + stride * next(remaining))
                case _:
                    picked.append(axis)
        return owner.at(tuple(picked))

    return Lazy(shape, owner.dtype, element, owner.shares)
