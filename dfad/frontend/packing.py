"""Elements that a mask lets through, side by side: an array whose length the kernel counts.

    k = 0
    for i: if mask[i]: packed[k] = x[i]; k = k + 1

In each trip the place is read through a scalar of its own, which a subset can name (grammar.md). The array lives where its length is
known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import sympy

from dfad.frontend.arrays import as_view, in_temporary, nest
from dfad.frontend.bounds import require_equal
from dfad.frontend.builder import cast, constant
from dfad.frontend.elementwise import apply_all, element_at, is_at_most_one, operand_of
from dfad.frontend.masks import lets_through, masked_shape
from dfad.frontend.scope import Context
from dfad.frontend.values import ONE, Indices, Lazy, Masked, MaskedCells, Shape, Tuple, Value, View, element, integer
from dfad.ir.dtype import I64
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Integer


def side_by_side(context: Context, value: Masked) -> View:
    """The elements in an array of their own."""
    return pack(context, value, lambda shape: context.builder.temporary("packed", value.dtype, shape))


def pack(context: Context, value: Masked, room: Callable[[Shape], View]) -> View:
    """The elements in what ``room`` gives for their shape."""
    builder = context.builder
    mask = in_temporary(context, Lazy(value.mask.shape, value.mask.dtype, value.mask.at))
    count, *_ = masked_shape(context, Masked(mask, value.shape, value.dtype, value.element))
    length = builder.pin_integer(count)
    builder.know(length)
    rest = value.shape[len(mask.shape) :]
    packed = room((length, *rest))
    with _let_through(context, mask) as (indices, place), ExitStack() as stack:
        inner, _ = nest(context, rest, stack)
        builder.tasklet(packed.memlet((place, *inner)), value.at((*indices, *inner)))
    return packed


def places_of(context: Context, mask: View | Lazy) -> tuple[View, ...]:
    """Where a mask is true: an array of positions for each of its axes, in order."""
    builder = context.builder
    held = in_temporary(context, Lazy(mask.shape, mask.dtype, mask.at))
    count, *_ = masked_shape(context, Masked(held, held.shape, held.dtype, held.at))
    length = builder.pin_integer(count)
    builder.know(length)
    found = tuple(builder.temporary("places", I64, (length,)) for _ in held.shape)
    with _let_through(context, held) as (indices, place):
        for places, index in zip(found, indices, strict=True):
            builder.tasklet(places.memlet((place,)), Integer(index))
    return found


def nonzero(context: Context, a: Value) -> Tuple:
    """``np.nonzero``: where elements are not 0, an array of positions for each axis."""
    return Tuple(places_of(context, as_view(context, apply_all(context, "ne", operand_of(context, a), integer(0)))))


def store_packed(context: Context, cells: MaskedCells, value: Value) -> None:
    """``owner[mask] = array``: an array that has as many elements as the mask lets through."""
    builder = context.builder
    source = operand_of(context, value)
    held = in_temporary(context, Lazy(source.shape, source.dtype, source.at))
    mask = in_temporary(context, Lazy(cells.mask.shape, cells.mask.dtype, cells.mask.at))
    count, *_ = masked_shape(context, Masked(mask, cells.owner.shape, cells.owner.dtype, cells.owner.at))
    rest = cells.owner.shape[len(mask.shape) :]
    shape = (builder.pin_integer(count), *rest)
    _check_fit(context, held, shape)
    with _let_through(context, mask) as (indices, place), ExitStack() as stack:
        inner, _ = nest(context, rest, stack)
        found = element_at(held, shape, (place, *inner))
        builder.tasklet(cells.owner.memlet((*indices, *inner)), cast(found.expression, cells.owner.dtype))


def _check_fit(context: Context, held: View, shape: Sequence[sympy.Expr]) -> None:
    """Make sure that an array broadcasts to the shape of the cells, the first extent of which is what a mask lets through."""
    if len(held.shape) > len(shape):
        context.wrong_type(f"an array of rank {len(held.shape)} does not fit cells of rank {len(shape)} under a mask")
    packed = "the mask lets {1} elements through, and here are {0}"
    missing = len(shape) - len(held.shape)
    for axis, (extent, other) in enumerate(zip(held.shape, shape[missing:], strict=True), missing):
        if extent != 1:
            fitting = ONE if is_at_most_one(extent) else other
            message = packed if axis == 0 else "the shapes do not fit under a mask: extents {0} and {1}"
            require_equal(context.builder, extent, fitting, "index", message)


@contextmanager
def _let_through(context: Context, mask: View) -> Iterator[tuple[Indices, sympy.Expr]]:
    """A pass over a mask: what the `with` block appends runs where it is true; the indices, and the number of such places so far."""
    builder = context.builder
    counter = builder.hold(builder.unused("place"), constant(0, I64))
    with ExitStack() as stack:
        indices, _ = nest(context, mask.shape, stack)
        with builder.nested() as then:
            place = builder.pin_integer(element(counter))
            builder.know(place)
            yield indices, place
            builder.tasklet(Memlet(counter.name), Integer(place + 1))
        with builder.nested() as orelse:
            pass
        builder.branch(lets_through(mask, indices), then, orelse)
