"""One of several views, told by an integer (selections.py says where these come from): reads choose, writes are Branches.

In: a `Selection` or a `OneOf`, whose views have one shape and type. Out: a value that stays what it is when the variable is bound anew;
elements that choose among the views; what is done to the view that it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import sympy

from dfad.frontend.arithmetic import apply, select
from dfad.frontend.scope import Context
from dfad.frontend.values import (
    ONE,
    ZERO,
    Along,
    Dimension,
    Indices,
    Lazy,
    Mixed,
    OneOf,
    Scalar,
    Selection,
    Together,
    Tuple,
    Value,
    View,
    element,
    integer,
)
from dfad.ir.memlet import symbol
from dfad.ir.nodes import Array, Expression

HOLES = tuple(symbol(f"hole {place}") for place in range(32))
"""What stands in a view for an index that changes with the binding; no variable of a kernel has such a name."""


def one_of(selector: sympy.Expr, views: Sequence[View]) -> View | OneOf:
    """The view at that place of several."""
    if all(view == views[0] for view in views):
        return views[0]
    alike = tuple(replace(view, shape=views[0].shape) for view in views)
    return OneOf(views[0].shape, views[0].dtype, partial(_element, selector, alike), selector=selector, views=alike)


def _element(selector: sympy.Expr, parts: Sequence[View | Lazy], indices: Indices) -> Expression:
    """The element of the part at that place."""
    found = Scalar(parts[-1].at(indices))
    for place in reversed(range(len(parts) - 1)):
        found = select(is_at(selector, place), Scalar(parts[place].at(indices)), found)
    return found.expression


def is_at(selector: sympy.Expr, place: int) -> Scalar:
    """Whether the view is the one at that place."""
    return apply("eq", integer(selector), integer(place))


def read_selection(context: Context, selection: Selection) -> View | OneOf:
    """What the variable means now, whatever it is bound to later."""
    pin = context.builder.pin_integer
    filled = []
    for view, holes in zip(selection.views, selection.holes, strict=True):
        table = {hole: pin(element(array)) for hole, array in zip(HOLES, holes, strict=False)}
        dimensions = tuple(_filled(dimension, table) for dimension in view.dimensions)
        filled.append(View(view.array, dimensions, tuple(extent.xreplace(table) for extent in view.shape)) if table else view)
    bounds = [[_most(context, view, axis) for axis in range(len(view.shape))] for view in filled]
    for view, told, most in zip(filled, selection.views, bounds, strict=True):
        for extent, hole, bound in zip(view.shape, told.shape, most, strict=True):
            if hole in HOLES:  # a part that fits; where no hole says how long it is, all views have the extents of one
                context.builder.know(bound - extent)
    if len(filled) == 1:
        return filled[0]
    selector = pin(element(selection.selector))
    axes = zip(zip(*(view.shape for view in filled), strict=True), zip(*bounds, strict=True), strict=True)
    shape = tuple(_extent(context, selector, extents, sympy.Max(*most)) for extents, most in axes)
    return one_of(selector, [replace(view, shape=shape) for view in filled])


def _most(context: Context, view: View, axis: int) -> sympy.Expr:
    """What the view's extent is at most: its array's."""
    for dimension, extent in zip(view.dimensions, view.array.shape, strict=True):
        if isinstance(dimension, Along) and dimension.axis == axis and dimension.stride == ONE:
            return context.builder.natural(extent)
    return view.shape[axis]


def _extent(context: Context, selector: sympy.Expr, extents: Sequence[sympy.Expr], most: sympy.Expr) -> sympy.Expr:
    """The extent of the view at that place; ``most`` is an upper bound."""
    if all(context.builder.are_equal(extents[0], extent) for extent in extents):
        return extents[0]
    found = integer(extents[-1])
    for place in reversed(range(len(extents) - 1)):
        found = select(is_at(selector, place), integer(extents[place]), found)
    pinned = context.builder.pin_integer(found)
    context.builder.know(pinned)
    context.builder.know(most - pinned)
    return pinned


def _filled(dimension: Dimension, table: dict[sympy.Symbol, sympy.Expr]) -> Dimension:
    match dimension:
        case Along():
            return replace(dimension, offset=dimension.offset.xreplace(table), stride=dimension.stride.xreplace(table))
        case Mixed():
            return dimension
        case _:
            return dimension.xreplace(table)


def parts_of(value: View | OneOf) -> tuple[sympy.Expr, tuple[View, ...]]:
    """The selector and the views of what may be one view."""
    return (value.selector, value.views) if isinstance(value, OneOf) else (ZERO, (value,))


def mapped(value: OneOf, change: Callable[[View], Value]) -> View | Lazy:
    """A part of whichever view it is, or the view turned round or in another shape."""
    found = [change(view) for view in value.views]
    views = [part for part in found if isinstance(part, View)]
    if len(views) == len(found):
        return one_of(value.selector, views)
    parts = [part for part in found if isinstance(part, View | Lazy)]
    shares = next((part.shares for part in parts if isinstance(part, Lazy) and part.shares is not None), None)
    return Lazy(parts[0].shape, value.dtype, partial(_element, value.selector, parts), shares)


def in_each(context: Context, value: View | OneOf, act: Callable[[View], None]) -> None:
    """Do something to the view that it is: a Branch over the views."""
    if isinstance(value, View):
        act(value)
    else:
        branch_over(context, value.selector, 0, [partial(act, view) for view in value.views])


def branch_over(context: Context, selector: sympy.Expr, place: int, acts: Sequence[Callable[[], None]]) -> None:
    """What is done at each place of the selector, from ``place`` on."""
    if place == len(acts) - 1:
        acts[place]()
        return
    with context.builder.nested() as then:
        acts[place]()
    with context.builder.nested() as orelse:
        branch_over(context, selector, place + 1, acts)
    context.builder.branch(is_at(selector, place).expression, then, orelse)


def moved(context: Context, value: Value, array: Array, kept: Array) -> Value:
    """The value with another array in place of one."""
    match value:
        case View() if value.array.name == array.name:
            return replace(value, array=kept)
        case OneOf():
            return mapped(value, lambda view: moved(context, view, array, kept))
        case Selection():
            return moved(context, read_selection(context, value), array, kept)
        case Tuple(items):
            return replace(value, items=tuple(moved(context, item, array, kept) for item in items))
        case Together(parts):
            return replace(value, parts=tuple(moved(context, part, array, kept) for part in parts))
        case _:
            return value
