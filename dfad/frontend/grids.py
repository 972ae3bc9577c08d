"""Grids of indices: `np.mgrid`, `np.ogrid`, `np.meshgrid`, and elements repeated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import sympy

from dfad.frontend.arithmetic import select
from dfad.frontend.arrays import as_view
from dfad.frontend.builder import cast
from dfad.frontend.creation import arange, extent_of
from dfad.frontend.elementwise import common_dtype, number_of, operand_of
from dfad.frontend.reductions import NOTHING, axes_of
from dfad.frontend.scope import Context
from dfad.frontend.shapes import ravel
from dfad.frontend.values import ONE, Indices, Known, Lazy, Scalar, SliceOf, Tuple, Value, integer, kind_of
from dfad.ir.dtype import BOOL
from dfad.ir.nodes import Apply, Expression, Integer


def _dense(context: Context, items: Sequence[Value]) -> Value:
    """``np.mgrid[a:b, c:d]``: an array of grids, one for each axis."""
    ranges = [_range_of(context, item) for item in items]
    dtype, _ = common_dtype(context, ranges)
    shape = tuple(one.shape[0] for one in ranges)

    def along(axis: int, indices: Indices) -> Expression:
        return cast(ranges[axis].at((indices[axis],)), dtype)

    def element(indices: Indices) -> Expression:
        return _chosen(indices[0], len(ranges), lambda axis: along(axis, indices[1:]))

    if len(items) == 1:
        return Lazy(shape, dtype, lambda indices: along(0, indices))
    return Lazy((sympy.Integer(len(ranges)), *shape), dtype, element)


def _chosen(place: sympy.Expr, count: int, element: Callable[[int], Expression]) -> Expression:
    """The element of the grid of that place, which may be known only when the kernel runs."""
    if place.is_Integer:
        return element(int(place))
    found = Scalar(element(count - 1))
    for known in reversed(range(count - 1)):
        is_here = Apply("eq", (Integer(place), Integer(sympy.Integer(known))), BOOL)
        found = select(Scalar(is_here), Scalar(element(known)), found)
    return found.expression


def _open(context: Context, items: Sequence[Value]) -> Value:
    """``np.ogrid[a:b, c:d]``: a tuple of grids that broadcast to each other."""
    ranges = [_range_of(context, item) for item in items]
    if len(ranges) == 1:
        return ranges[0]
    return Tuple(tuple(_spread(one, axis, len(ranges)) for axis, one in enumerate(ranges)))


def _spread(one: Lazy, axis: int, rank: int) -> Lazy:
    shape = tuple(one.shape[0] if position == axis else ONE for position in range(rank))
    return Lazy(shape, one.dtype, lambda indices: one.at((indices[axis],)))


def _range_of(context: Context, item: Value) -> Lazy:
    match item:
        case SliceOf(start, stop, step) if stop is not None:
            found = arange(context, start or integer(0), stop, step or integer(1))
            assert isinstance(found, Lazy)
            return found
        case _:
            context.wrong_type(f"a grid is made from start:stop:step, not from {kind_of(item)}")


GRIDS: dict[int, Callable[[Context, Sequence[Value]], Value]] = {id(np.mgrid): _dense, id(np.ogrid): _open}
"""The objects of NumPy that make arrays of what stands between brackets, by identity."""


def is_grid(value: Value) -> bool:
    """Whether subscripts of it make a grid."""
    return isinstance(value, Known) and id(value.value) in GRIDS


def grid(context: Context, maker: Known, items: Sequence[Value]) -> Value:
    """``np.mgrid[items]`` or ``np.ogrid[items]``."""
    return GRIDS[id(maker.value)](context, items)


def meshgrid(context: Context, *xi: Value, indexing: Value = Known("xy")) -> Value:  # noqa: B008
    """``np.meshgrid`` of vectors: with ``"xy"`` the first two axes change places."""
    if not isinstance(indexing, Known) or indexing.value not in ("xy", "ij"):
        context.wrong_type('the indexing of np.meshgrid is "xy" or "ij"')
    views = [as_view(context, x) for x in xi]
    if any(len(view.shape) != 1 for view in views):
        context.wrong_type("np.meshgrid takes vectors")
    axes = list(range(len(views)))
    if indexing.value == "xy" and len(axes) > 1:
        axes[:2] = 1, 0
    shape = tuple(views[axes.index(position)].shape[0] for position in range(len(axes)))

    def of(position: int) -> Lazy:
        view, axis = views[position], axes[position]
        return Lazy(shape, view.dtype, lambda indices: view.at((indices[axis],)))

    return Tuple(tuple(of(position) for position in range(len(views))))


def repeat(context: Context, a: Value, repeats: Value, axis: Value = NOTHING) -> Value:
    """``np.repeat``: each element that many times, side by side; of all elements when no axis is named."""
    source = operand_of(context, a)
    if isinstance(source, Scalar):
        source = Lazy((ONE,), source.dtype, lambda indices: number_of(context, a).expression)
    if isinstance(axis, Known) and len(source.shape) > 1:
        source = operand_of(context, ravel(context, source))
    (along,) = axes_of(context, source, axis)
    times = extent_of(context, repeats)
    shape = tuple(extent * times if position == along else extent for position, extent in enumerate(source.shape))

    def element(indices: Indices) -> Expression:
        return source.at((*indices[:along], sympy.floor(indices[along] / times), *indices[along + 1 :]))

    return Lazy(shape, source.dtype, element)
