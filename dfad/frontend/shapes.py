"""Functions that lay elements out anew: joins, flips, rolls, other shapes and orders of axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy

from dfad.frontend.arithmetic import apply, select
from dfad.frontend.arrays import as_view, store
from dfad.frontend.builder import constant
from dfad.frontend.creation import shape_of
from dfad.frontend.doubts import demand_view
from dfad.frontend.elementwise import Operand, common_dtype, is_at_most_one, number_of, operand_of, require_equal
from dfad.frontend.functions import same
from dfad.frontend.indexing import subscript, turned_view
from dfad.frontend.products import transpose
from dfad.frontend.reductions import NOTHING, axes_of
from dfad.frontend.scope import Context
from dfad.frontend.values import (
    AXES,
    ONE,
    ZERO,
    Along,
    Deferred,
    Dimension,
    Indices,
    Known,
    Lazy,
    Mixed,
    Scalar,
    Shape,
    Sharing,
    SliceOf,
    Tuple,
    Value,
    View,
    integer,
    kind_of,
)
from dfad.ir.dtype import BOOL
from dfad.ir.nodes import Apply, Expression, Integer, ShapeSymbol

FULL = SliceOf(None, None, None)
BACKWARDS = SliceOf(None, None, integer(-1))
NEW = Known(None)


def _seen(context: Context, value: Value) -> View:
    """The array of which a view is made."""
    demand_view(context, value)
    return as_view(context, value)


def _operands(context: Context, arrays: Value) -> list[Operand]:
    if not isinstance(arrays, Tuple) or not arrays.items:
        context.wrong_type(f"arrays are joined from a tuple of them, not from {kind_of(arrays)}")
    return [operand_of(context, item) for item in arrays.items]


def _rows(context: Context, arrays: Value) -> View | None:
    """The array whose rows are joined, if no tuple of arrays is."""
    if isinstance(arrays, Tuple | Known) or len(operand_of(context, arrays).shape) < 2:
        return None
    return as_view(context, arrays)


def _joined_rows(context: Context, rows: View, axis: Value) -> Lazy:
    """The rows of an array one after the other along an axis of theirs."""
    count, *extents = (context.builder.natural(extent) for extent in rows.shape)
    (along,) = axes_of(context, Lazy(tuple(extents), rows.dtype, rows.at), axis)
    shape = (*extents[:along], count * extents[along], *extents[along + 1 :])

    def element(indices: Indices) -> Expression:
        row, inside = unfolded(indices[along], (count, extents[along]))
        return rows.at((row, *indices[:along], inside, *indices[along + 1 :]))

    return Lazy(shape, rows.dtype, element)


def concatenate(context: Context, arrays: Value, axis: Value = integer(0)) -> Value:  # noqa: B008
    """``np.concatenate``: one after the other along an axis."""
    if (rows := _rows(context, arrays)) is not None:
        return ravel(context, rows) if isinstance(axis, Known) else _joined_rows(context, rows, axis)
    parts = _operands(context, arrays)
    if isinstance(axis, Known):
        return _joined(context, [operand_of(context, ravel(context, part)) for part in parts], integer(0))
    return _joined(context, parts, axis)


def _joined(context: Context, parts: Sequence[Operand], axis: Value) -> Value:
    rank = len(parts[0].shape)
    if any(len(part.shape) != rank for part in parts) or not rank:
        context.wrong_type("arrays of one rank are joined", hint="np.stack makes a new axis")
    (along,) = axes_of(context, parts[0], axis)
    for part in parts[1:]:
        for position in range(rank):
            if position != along:
                require_equal(context, parts[0].shape[position], part.shape[position])
    extents = [context.builder.natural(part.shape[along]) for part in parts]
    shape = tuple(sympy.Add(*extents) if position == along else extent for position, extent in enumerate(parts[0].shape))
    dtype, _ = common_dtype(context, parts)
    reads = (
        None if any(isinstance(part, Lazy) for part in parts) else frozenset(part.array.name for part in parts if isinstance(part, View))
    )

    def write(target: View, accumulate: bool) -> None:
        start = sympy.Integer(0)
        for part, extent in zip(parts, extents, strict=True):
            store(context, section(target, along, start, extent), part, accumulate)
            start += extent

    return Deferred(shape, dtype, reads, write)


def section(target: View, axis: int, start: sympy.Expr, extent: sympy.Expr) -> View:
    """The cells of a view from ``start`` on along an axis."""
    moved = tuple(_shifted(dimension, axis, start) for dimension in target.dimensions)
    return View(target.array, moved, (*target.shape[:axis], extent, *target.shape[axis + 1 :]))


def _shifted(dimension: Dimension, axis: int, start: sympy.Expr) -> Dimension:
    match dimension:
        case Along() if dimension.axis == axis:
            return replace(dimension, offset=dimension.offset + dimension.stride * start)
        case Mixed(index):
            return Mixed(index.xreplace({AXES[axis]: AXES[axis] + start}))
        case _:
            return dimension


def stack(context: Context, arrays: Value, axis: Value = integer(0)) -> Value:  # noqa: B008
    """``np.stack`` along a new axis."""
    if (rows := _rows(context, arrays)) is not None:
        return same(context, moveaxis(context, rows, integer(0), axis))
    parts = _operands(context, arrays)
    place = _place_of(context, axis, len(parts[0].shape) + 1)
    return _joined(context, [_widened(context, part, place) for part in parts], integer(place))


def expand_dims(context: Context, a: Value, axis: Value) -> Value:
    """``np.expand_dims`` by one axis: a view."""
    view = _seen(context, a)
    place = _place_of(context, axis, len(view.shape) + 1)
    return subscript(context, view, [*[FULL] * place, NEW])


def squeeze(context: Context, a: Value, axis: Value = NOTHING) -> Value:
    """``np.squeeze``: a view without the axes that have one element, which must be known now; those that are named are checked."""
    view = _seen(context, a)
    if isinstance(axis, Known) and axis.value is None:
        dropped = {position for position, extent in enumerate(view.shape) if extent == 1 or is_at_most_one(extent)}
        for position in set(range(len(view.shape))) - dropped:
            _require_several(context, view.shape[position])
    else:
        dropped = set(axes_of(context, view, axis))
    for position in dropped:
        require_equal(context, view.shape[position], ONE)
    return subscript(context, view, [integer(0) if position in dropped else FULL for position in range(len(view.shape))])


def _require_several(context: Context, extent: sympy.Expr) -> None:
    """Make sure that an axis stays; an extent of an argument that is a symbol is not 1."""
    if not extent.is_Integer and extent not in {known.symbol for known in context.symbols if isinstance(known, ShapeSymbol)}:
        has_several = Apply("ne", (Integer(extent), Integer(ONE)), BOOL)
        context.builder.check(has_several, "index", "np.squeeze meets an axis that happens to have one element: name the axis", ())


def _place_of(context: Context, axis: Value, rank: int) -> int:
    """An axis of a result of that rank, which must be constant; negative ones count from the end."""
    place = axis.constant if isinstance(axis, Scalar) else None
    if not isinstance(place, int) or not -rank <= place < rank:
        context.wrong_type(f"an axis of an array of rank {rank} is a constant from {-rank} to {rank - 1}")
    return place % rank


def vstack(context: Context, arrays: Value) -> Value:
    """``np.vstack``: rows one below the other."""
    if (rows := _rows(context, arrays)) is not None:
        return same(context, rows) if len(rows.shape) == 2 else _joined_rows(context, rows, integer(0))
    parts = _operands(context, arrays)
    return _joined(context, [part if len(part.shape) > 1 else _widened(context, part) for part in parts], integer(0))


def hstack(context: Context, arrays: Value) -> Value:
    """``np.hstack``: vectors one after the other, matrices side by side."""
    if (rows := _rows(context, arrays)) is not None:
        return _joined_rows(context, rows, integer(0 if len(rows.shape) == 2 else 1))
    parts = [part if part.shape else _widened(context, part) for part in _operands(context, arrays)]
    return _joined(context, parts, integer(0 if len(parts[0].shape) == 1 else 1))


def column_stack(context: Context, tup: Value) -> Value:
    """``np.column_stack``: vectors as columns, matrices as they are."""
    if (rows := _rows(context, tup)) is not None:
        return same(context, transpose(context, rows)) if len(rows.shape) == 2 else _joined_rows(context, rows, integer(1))
    parts = _operands(context, tup)
    return _joined(context, [part if len(part.shape) > 1 else _widened(context, part, 1) for part in parts], integer(1))


def _widened(context: Context, part: Operand, place: int = 0) -> Operand:
    """The operand with a new axis of extent 1 there."""
    if isinstance(part, Scalar):
        return Lazy((ONE,), part.dtype, lambda indices: part.expression)
    return operand_of(context, subscript(context, part, [*[FULL] * place, NEW]))


def flip(context: Context, m: Value, axis: Value = NOTHING) -> Value:
    """``np.flip``: a view that runs backwards."""
    view = _seen(context, m)
    turned = axes_of(context, view, axis)
    return subscript(context, view, [BACKWARDS if position in turned else FULL for position in range(len(view.shape))])


def upper(context: Context, m: Value, k: Value = integer(0)) -> Value:  # noqa: B008
    """``np.triu``: zeros below the k-th diagonal."""
    return _triangle(context, m, k, "ge")


def lower(context: Context, m: Value, k: Value = integer(0)) -> Value:  # noqa: B008
    """``np.tril``: zeros above the k-th diagonal."""
    return _triangle(context, m, k, "le")


def _triangle(context: Context, m: Value, k: Value, relation: str) -> Lazy:
    """The elements whose column - row stands in that relation to k."""
    matrix = operand_of(context, m)
    if len(matrix.shape) != 2:
        context.wrong_type(f"a triangle is of a matrix, not of {kind_of(matrix)}")
    shift = context.builder.pin_integer(number_of(context, k))

    def element(indices: Indices) -> Expression:
        is_kept = apply(relation, integer(indices[1] - indices[0]), integer(shift))
        return select(is_kept, Scalar(matrix.at(indices)), Scalar(constant(0, matrix.dtype))).expression

    return Lazy(matrix.shape, matrix.dtype, element)


def reshape(context: Context, a: Value, *shape: Value) -> Value:
    """``a.reshape(shape)``: the elements in the order of the last axis first.

    It is a copy that is easy to analyse, until a write is met that would have to reach both: then lowering starts again with a view.
    """
    view = _seen(context, a)
    wanted = shape_of(context, shape[0] if len(shape) == 1 else Tuple(shape)) if not _has_free(shape) else _completed(context, view, shape)
    require_equal(context, sympy.expand(sympy.Mul(*view.shape)), sympy.expand(sympy.Mul(*wanted)))
    key = f"{context.frame.path}reshape@{context.spot}"
    if isinstance(a, View) and key in context.learned.viewed:
        return _reshaped(context, view, wanted)

    def element(indices: Indices) -> Expression:
        return view.at(unfolded(folded(indices, wanted), view.shape))

    shares = Sharing((view,), key if is_contiguous(view) else None) if isinstance(a, View) else None
    return Lazy(wanted, view.dtype, element, shares)


def is_contiguous(view: View) -> bool:
    """Whether its cells lie side by side in the order of its axes: a step in that order is a step in its array."""
    axes = tuple(ZERO if extent == 1 else axis for axis, extent in zip(AXES, view.shape, strict=False))
    places = [_without_remainders(index) for index in view.memlet(axes).subset if isinstance(index, sympy.Expr)]
    return not sympy.expand(folded(tuple(places), view.array.shape) - folded(axes, view.shape)).free_symbols & set(axes)


def _without_remainders(index: sympy.Expr) -> sympy.Expr:
    """The index with ``p - m*floor(p/m)`` for p mod m."""
    return index.replace(sympy.Mod, lambda numerator, divisor: numerator - divisor * sympy.floor(numerator / divisor))


def _reshaped(context: Context, view: View, shape: Shape) -> View:
    """The view with its cells in another shape."""
    old = unfolded(folded(AXES[: len(shape)], shape), view.shape)
    inner = view.memlet(old).subset
    return View(view.array, tuple(Mixed(index) for index in inner if isinstance(index, sympy.Expr)), shape)


def _items(shape: Sequence[Value]) -> Sequence[Value]:
    return shape[0].items if len(shape) == 1 and isinstance(shape[0], Tuple) else shape


def _has_free(shape: Sequence[Value]) -> bool:
    return any(isinstance(item, Scalar) and item.constant == -1 for item in _items(shape))


def _completed(context: Context, view: View, shape: Sequence[Value]) -> Shape:
    """The shape with its one -1 replaced by what is left."""
    items = _items(shape)
    free = [position for position, item in enumerate(items) if isinstance(item, Scalar) and item.constant == -1]
    if len(free) != 1:
        context.wrong_type("a shape can hold one -1 only")
    others = shape_of(context, Tuple(tuple(item for position, item in enumerate(items) if position != free[0])))
    left = sympy.cancel(sympy.Mul(*view.shape) / sympy.Mul(*others))
    if not left.is_polynomial():
        left = sympy.floor(sympy.Mul(*view.shape) / sympy.Mul(*others))
    return (*others[: free[0]], left, *others[free[0] :])


def ravel(context: Context, a: Value) -> Value:
    """``a.ravel()``: all elements in one axis."""
    return reshape(context, a, integer(-1))


def folded(indices: Indices, shape: Shape) -> sympy.Expr:
    """The position in the order of the last axis first."""
    position = sympy.Integer(0)
    for index, extent in zip(indices, shape, strict=True):
        position = position * extent + index
    return sympy.expand(position)


def unfolded(position: sympy.Expr, shape: Shape) -> Indices:
    """The indices of a position in that order."""
    found = list[sympy.Expr]()
    for extent in reversed(shape[1:]):
        found.append(sympy.Mod(position, extent))
        position = sympy.floor(position / extent)
    return (position, *reversed(found)) if shape else ()


def transpose_axes(context: Context, a: Value, *axes: Value) -> Value:
    """``np.transpose`` with the axes in a new order."""
    order = _items(axes)
    if not order:
        return transpose(context, a)
    view = _seen(context, a)
    named = [_place_of(context, item, len(view.shape)) for item in order]
    if sorted(named) != list(range(len(view.shape))):
        context.wrong_type(f"the axes of {kind_of(view)} are constants, each named once")
    return turned_view(view, named)


def swapaxes(context: Context, a: Value, axis1: Value, axis2: Value) -> Value:
    """``np.swapaxes``: a view with two axes exchanged."""
    view = _seen(context, a)
    rank = len(view.shape)
    first, second = _place_of(context, axis1, rank), _place_of(context, axis2, rank)
    order = list(range(rank))
    order[first], order[second] = second, first
    return turned_view(view, order)


def moveaxis(context: Context, a: Value, source: Value, destination: Value) -> Value:
    """``np.moveaxis`` of one axis: a view, the other axes in their order."""
    view = _seen(context, a)
    rank = len(view.shape)
    moved = _place_of(context, source, rank)
    order = [position for position in range(rank) if position != moved]
    order.insert(_place_of(context, destination, rank), moved)
    return turned_view(view, order)
