"""Arrays assembled from others: diagonals, tiles, products of blocks, powers; and arrays as they stand, with the rank that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

import numpy as np
import sympy

from dfad.frontend.arithmetic import apply, select
from dfad.frontend.arrays import as_view, nest, store
from dfad.frontend.builder import cast, constant
from dfad.frontend.creation import copied, dtype_of, extent_of, shape_of
from dfad.frontend.elementwise import (
    Operand,
    apply_all,
    common_dtype,
    element_at,
    is_stretched,
    number_of,
    operand_of,
    require_equal,
    require_stretched,
)
from dfad.frontend.flat import vector_of
from dfad.frontend.indexing import subscript, turned_view
from dfad.frontend.reductions import NOTHING, axes_of, is_set
from dfad.frontend.scope import Context
from dfad.frontend.shapes import BACKWARDS, FULL, NEW, concatenate, flip, is_contiguous, ravel, stack, swapaxes
from dfad.frontend.spelled import inlined
from dfad.frontend.values import (
    ONE,
    Deferred,
    Indices,
    Known,
    Lazy,
    OneOf,
    Scalar,
    Shape,
    Sharing,
    Tuple,
    Value,
    View,
    integer,
    kind_of,
    number,
)
from dfad.ir.dtype import F64, I64
from dfad.ir.nodes import Expression

Numbers = np.ndarray
MAIN = integer(0)
FALSE = number(False)

# ---------------------------------------------------------------- diagonals


def diagonal(context: Context, a: Value, offset: Value = MAIN, axis1: Value = integer(0), axis2: Value = integer(1)) -> Value:  # noqa: B008
    """``np.diagonal`` of a matrix, or of the matrices on two axes. NumPy gives a view that is not to be written; this one is a copy, and
    a write to the array before it is read is refused."""
    view = as_view(context, a)
    if len(view.shape) < 2:
        context.wrong_type(f"a diagonal is of a matrix, not of {kind_of(view)}")
    first, second = (axes_of(context, view, axis)[0] for axis in (axis1, axis2))
    if first == second:
        context.wrong_type("a diagonal runs along two axes")
    others = [position for position in range(len(view.shape)) if position not in (first, second)]
    view = turned_view(view, [*others, first, second])
    shift = context.builder.pin_integer(number_of(context, offset))
    rows, columns = view.shape[-2:]
    down, right = sympy.Max(0, -shift), sympy.Max(0, shift)
    shape = (*view.shape[:-2], context.builder.natural(sympy.Min(rows - down, columns - right)))

    def element(indices: Indices) -> Expression:
        return view.at((*indices[:-1], indices[-1] + down, indices[-1] + right))

    return Lazy(shape, view.dtype, element, _shared(a))


def _shared(value: Value) -> Sharing | None:
    """The cells that NumPy's view of a value would see, where this one is a copy."""
    match value:
        case View():
            return Sharing((value,), None)
        case OneOf(views=views):
            return Sharing(views, None)
        case Lazy(shares=Sharing(cells)):
            return Sharing(cells, None)
        case _:
            return None


def diag(context: Context, v: Value, k: Value = MAIN) -> Value:
    """``np.diag``: the diagonal of a matrix, or a matrix with that diagonal."""
    view = as_view(context, v)
    if len(view.shape) == 2:
        return diagonal(context, v if isinstance(v, Lazy) else view, k)
    if len(view.shape) != 1:
        context.wrong_type(f"np.diag takes a vector or a matrix, not {kind_of(view)}")
    shift = context.builder.pin_integer(number_of(context, k))
    down, right = sympy.Max(0, -shift), sympy.Max(0, shift)
    extent = context.builder.natural(view.shape[0])

    def write(target: View, accumulate: bool) -> None:
        if not accumulate:
            store(context, target, Scalar(constant(0, target.dtype)))
        with ExitStack() as loops:
            (index,), _ = nest(context, (extent,), loops)
            context.builder.tasklet(target.memlet((index + down, index + right)), cast(view.at((index,)), target.dtype), accumulate)

    return Deferred((extent + down + right,) * 2, view.dtype, frozenset({view.array.name}), write)


def triangle(context: Context, N: Value, M: Value = NOTHING, k: Value = MAIN, dtype: Value = NOTHING) -> Value:
    """``np.tri``: ones at and below a diagonal."""
    rows = extent_of(context, N)
    columns = rows if isinstance(M, Known) else extent_of(context, M)
    shift = context.builder.pin_integer(number_of(context, k))
    own = dtype_of(context, dtype, F64)

    def element(indices: Indices) -> Expression:
        is_below = apply("le", integer(indices[1] - indices[0]), integer(shift))
        return select(is_below, Scalar(constant(1, own)), Scalar(constant(0, own))).expression

    return Lazy((rows, columns), own, element)


# ---------------------------------------------------------------- blocks


def _blocks(context: Context, outer: Shape, inner: Operand, element: Callable[[Indices, Indices], Expression]) -> Callable[..., None]:
    """Writes blocks of one shape side by side; ``element``: of the place of a block, and that in it."""

    def write(target: View, accumulate: bool) -> None:
        with ExitStack() as loops:
            indices, _ = nest(context, (*outer, *inner.shape), loops)
            block, inside = indices[: len(outer)], indices[len(outer) :]
            places = tuple(extent * one + other for extent, one, other in zip(inner.shape, block, inside, strict=True))
            context.builder.tasklet(target.memlet(places), cast(element(block, inside), target.dtype), accumulate)

    return write


def _of_rank(context: Context, value: Operand, rank: int) -> Operand:
    """The array with new axes of one element in front."""
    if isinstance(value, Scalar):
        return Lazy((ONE,) * rank, value.dtype, lambda indices: value.expression)
    missing = rank - len(value.shape)
    return operand_of(context, subscript(context, value, [*[NEW] * missing, FULL])) if missing > 0 else value


def tile(context: Context, A: Value, reps: Value) -> Value:
    """``np.tile``: the array side by side with itself."""
    times = shape_of(context, reps)
    source: Operand = A if isinstance(A, Scalar) else as_view(context, A)
    rank = max(len(times), len(source.shape))
    source = _of_rank(context, source, rank)
    times = (*[ONE] * (rank - len(times)), *times)
    extents = tuple(context.builder.natural(extent) for extent in source.shape)
    shape = tuple(extent * one for extent, one in zip(extents, times, strict=True))
    names = frozenset({source.array.name}) if isinstance(source, View) else None
    return Deferred(shape, source.dtype, names, _blocks(context, times, source, lambda block, inside: source.at(inside)))


def kronecker(context: Context, a: Value, b: Value) -> Value:
    """``np.kron``: every element of the first times the second."""
    sides = [operand_of(context, side) for side in (a, b)]
    rank = max(len(side.shape) for side in sides)
    if not rank:
        return apply_all(context, "mul", *sides)
    first, second = (_of_rank(context, side if isinstance(side, Scalar) else as_view(context, side), rank) for side in sides)
    dtype, _ = common_dtype(context, (first, second))
    shape = tuple(
        context.builder.natural(one) * context.builder.natural(other) for one, other in zip(first.shape, second.shape, strict=True)
    )

    def element(block: Indices, inside: Indices) -> Expression:
        return apply("mul", Scalar(first.at(block)), Scalar(second.at(inside))).expression

    names = frozenset(side.array.name for side in (first, second) if isinstance(side, View))
    return Deferred(shape, dtype, names, _blocks(context, first.shape, second, element))


def indices(context: Context, dimensions: Value, dtype: Value = NOTHING, sparse: Value = FALSE) -> Value:
    """``np.indices``: for each axis the array of the indices on it."""
    shape = shape_of(context, dimensions)
    own = dtype_of(context, dtype, I64)

    def along(axis: int, kept: Shape) -> Lazy:
        return Lazy(kept, own, lambda places: cast(integer(places[axis]).expression, own))

    if is_set(context, sparse):
        open_ = [tuple(extent if position == axis else ONE for position, extent in enumerate(shape)) for axis in range(len(shape))]
        return Tuple(tuple(along(axis, kept) for axis, kept in enumerate(open_)))
    return stack(context, Tuple(tuple(along(axis, shape) for axis in range(len(shape)))))


def vandermonde(context: Context, x: Value, N: Value = NOTHING, increasing: Value = FALSE) -> Value:
    """``np.vander``: the powers of each number in a row."""
    source = vector_of(context, x, "what np.vander takes")
    columns = source.shape[0] if isinstance(N, Known) else extent_of(context, N)
    kind = Known((F64 if source.dtype.is_float else I64).numpy)
    powers = as_view(context, inlined(context, _powers, [source, integer(context.builder.natural(columns)), kind]))
    return powers if is_set(context, increasing) else subscript(context, powers, [FULL, BACKWARDS])


def _powers(x: Numbers, columns: int, kind: type) -> Numbers:
    powers: Numbers = np.ones((len(x), columns), dtype=kind)
    for i in range(len(x)):
        for j in range(1, columns):
            powers[i, j] = powers[i, j - 1] * x[i]
    return powers


# ---------------------------------------------------------------- elements and joins


def take(context: Context, a: Value, indices: Value, axis: Value = NOTHING) -> Value:
    """``np.take``: elements by their places, along an axis or of all elements: always a copy."""
    view = as_view(context, a)
    if isinstance(axis, Known):
        view = view if len(view.shape) == 1 else as_view(context, ravel(context, view))
    (along,) = axes_of(context, view, axis)
    chosen = subscript(context, view, [*[FULL] * along, indices])
    return copied(context, chosen) if isinstance(chosen, View) else chosen


def append(context: Context, arr: Value, values: Value, axis: Value = NOTHING) -> Value:
    """``np.append``: one array after the other."""
    parts = [_seen(context, part) for part in (arr, values)]
    return concatenate(context, Tuple(tuple(_of_rank(context, part, 1) if isinstance(part, Scalar) else part for part in parts)), axis)


def dstack(context: Context, tup: Value) -> Value:
    """``np.dstack``: arrays side by side along a third axis."""
    if not isinstance(tup, Tuple):
        context.wrong_type(f"np.dstack takes a tuple of arrays, not {kind_of(tup)}")
    return concatenate(context, Tuple(tuple(_of_three_axes(context, item) for item in tup.items)), integer(2))


def _of_three_axes(context: Context, item: Value) -> Operand:
    value = operand_of(context, item)
    match len(value.shape):
        case 0:
            return _of_rank(context, value, 3)
        case 1:
            return operand_of(context, subscript(context, value, [NEW, FULL, NEW]))  # type: ignore[arg-type]
        case 2:
            return operand_of(context, subscript(context, value, [FULL, FULL, NEW]))  # type: ignore[arg-type]
        case _:
            return value


# ---------------------------------------------------------------- views


def _seen(context: Context, value: Value) -> Value:
    """An array as it stands; a sequence as an array."""
    return as_view(context, value) if isinstance(value, Tuple) else value


def at_least(rank: int) -> Callable[..., Value]:
    """``np.atleast_1d``, ``np.atleast_2d``: views with new axes in front."""

    def handler(context: Context, *arys: Value) -> Value:
        found = [_of_rank(context, operand_of(context, _seen(context, array)), rank) for array in arys]
        return found[0] if len(found) == 1 else Tuple(tuple(found))

    return handler


def as_array(context: Context, a: Value, dtype: Value = NOTHING) -> Value:
    """``np.asarray``: the array itself where it has the type."""
    value = _seen(context, a)
    found = value if isinstance(value, Deferred) else operand_of(context, value)
    return found if dtype_of(context, dtype, found.dtype) == found.dtype else copied(context, found, dtype)


def as_contiguous(context: Context, a: Value, dtype: Value = NOTHING) -> Value:
    """``np.ascontiguousarray``: the array itself where its elements lie side by side."""
    found = operand_of(context, as_array(context, a, dtype))
    if isinstance(found, Scalar):
        return _of_rank(context, found, 1)
    views = found.views if isinstance(found, OneOf) else (found,) if isinstance(found, View) else ()
    side_by_side = [is_contiguous(view) for view in views]
    if all(side_by_side):
        return found
    if any(side_by_side):
        context.unsupported("whether np.ascontiguousarray copies is ambiguous here", hint="write .copy()")
    return copied(context, found)


def broadcast_to(context: Context, array: Value, shape: Value) -> Value:
    """``np.broadcast_to``. NumPy gives a view that is not to be written; this one is a copy, and a write to the array before it is read is
    refused."""
    source = operand_of(context, _seen(context, array))
    wanted = shape_of(context, shape)
    missing = len(wanted) - len(source.shape)
    if missing < 0:
        context.wrong_type(f"{kind_of(source)} cannot be broadcast to rank {len(wanted)}")
    for own, extent in zip(source.shape, wanted[missing:], strict=True):
        if own != 1 and is_stretched(own, extent):
            require_stretched(context, own, extent)
        elif own != 1:
            require_equal(context, own, extent)
    return Lazy(wanted, source.dtype, lambda places: element_at(source, wanted, places).expression, _shared(source))


def rotate(context: Context, m: Value, k: Value = integer(1), axes: Value = Tuple((integer(0), integer(1)))) -> Value:  # noqa: B008
    """``np.rot90``: a view, turned a constant number of times."""
    times = k.constant if isinstance(k, Scalar) else None
    if not isinstance(times, int):
        context.wrong_type("np.rot90 turns a constant number of times")
    named = _two_axes(context, m, axes)
    match times % 4:
        case 0:
            return as_view(context, m)
        case 1:
            return swapaxes(context, flip(context, m, named[1]), *named)
        case 2:
            return flip(context, flip(context, m, named[0]), named[1])
        case _:
            return flip(context, swapaxes(context, m, *named), named[1])


def _two_axes(context: Context, m: Value, axes: Value) -> Sequence[Value]:
    if not isinstance(axes, Tuple) or len(axes.items) != 2:
        context.wrong_type("np.rot90 turns in the plane of two axes")
    found = [axes_of(context, operand_of(context, m), axis)[0] for axis in axes.items]
    if found[0] == found[1]:
        context.wrong_type("np.rot90 turns in the plane of two axes")
    return [integer(axis) for axis in found]


ASSEMBLED: dict[object, Callable[..., Value]] = {
    np.diag: diag,
    np.diagonal: diagonal,
    np.tri: triangle,
    np.tile: tile,
    np.kron: kronecker,
    np.indices: indices,
    np.vander: vandermonde,
    np.take: take,
    np.append: append,
    np.dstack: dstack,
    np.atleast_1d: at_least(1),
    np.atleast_2d: at_least(2),
    np.asarray: as_array,
    np.ascontiguousarray: as_contiguous,
    np.broadcast_to: broadcast_to,
    np.rot90: rotate,
}

ASSEMBLED_METHODS: dict[str, Callable[..., Value]] = {"take": take, "diagonal": diagonal}

ASSEMBLED_VIEWS: frozenset[Callable[..., Value]] = frozenset({rotate})
