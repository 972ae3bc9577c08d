"""Views with holes: what a selection's view leaves open for each binding, filled from integer scalars (selections.py)."""

from __future__ import annotations

from dataclasses import replace

import sympy

from dfad.frontend.builder import constant
from dfad.frontend.oneof import HOLES
from dfad.frontend.scope import Context
from dfad.frontend.values import AXES, ONE, ZERO, Along, Dimension, Mixed, View
from dfad.ir.dtype import I64
from dfad.ir.nodes import Array


def template_of(context: Context, view: View, resizes: bool, restrides: bool = False) -> tuple[View, tuple[sympy.Expr, ...]] | None:
    """The view with holes for what the kernel computes, and that; None where more than this is computed.

    Holes stand for places, for extents where it ``resizes``, for strides where it ``restrides``.
    """
    entry, values, dimensions = context.builder.entry, list[sympy.Expr](), list[Dimension]()
    for dimension in view.dimensions:
        place = _place_of(dimension)
        if restrides and isinstance(dimension, Along):
            values += [dimension.stride, place]
            dimensions.append(replace(dimension, stride=HOLES[len(values) - 2], offset=HOLES[len(values) - 1]))
            continue
        if _changes(dimension, entry):
            return None
        if not place.free_symbols <= entry or (resizes and isinstance(dimension, Along)):
            values.append(place)
            hole = HOLES[len(values) - 1]
            dimension = replace(dimension, offset=hole) if isinstance(dimension, Along) else hole
        dimensions.append(dimension)
    if resizes:
        shape = HOLES[len(values) : len(values) + len(view.shape)]
        values += [context.builder.natural(extent) for extent in view.shape]
        return View(view.array, tuple(dimensions), shape), tuple(values)
    return replace(view, dimensions=tuple(dimensions)), tuple(values)


def without_strides(view: View) -> View:
    """The view as if all its axes ran along the array's."""
    return replace(view, dimensions=tuple(replace(one, stride=ONE) if isinstance(one, Along) else one for one in view.dimensions))


def _changes(dimension: Dimension, entry: set[sympy.Expr]) -> bool:
    """Whether something else in it than a place depends on what the kernel computes."""
    match dimension:
        case Along(_, _, stride):
            return not stride.free_symbols <= entry
        case Mixed(index):
            return not index.free_symbols <= entry | set(AXES)
        case _:
            return False


def _place_of(dimension: Dimension) -> sympy.Expr:
    """What of a dimension a hole can stand for."""
    match dimension:
        case Along(_, offset, _):
            return offset
        case Mixed():
            return ZERO
        case _:
            return dimension


def declare_holes(context: Context, name: str, view: View) -> tuple[Array, ...]:
    """An integer scalar for each hole of the view."""
    strides = (dimension.stride for dimension in view.dimensions if isinstance(dimension, Along))
    places = (*(_place_of(dimension) for dimension in view.dimensions), *strides, *view.shape)
    used = frozenset[sympy.Expr]().union(*(place.free_symbols for place in places))
    base = context.builder.unused(f"{name}_at")
    return tuple(context.builder.hold(base, constant(0, I64)) for hole in HOLES if hole in used)
