"""Orders: ``np.argsort``, ``np.sort``, medians, quantiles, ranges of values.

The places in the order of the elements come from merging runs of twice the length each time; what is sorted is read at these places, so
that a gradient goes back to them. NaN comes last, and equal elements stay in the order in which they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

import numpy as np

from dfad.frontend.arrays import as_view, nest, store
from dfad.frontend.bounds import require
from dfad.frontend.doubts import check_write_in_place
from dfad.frontend.elementwise import apply_all, joined_type, operand_of
from dfad.frontend.flat import vector_of
from dfad.frontend.indexing import subscript, turned_view
from dfad.frontend.reductions import NOTHING, axes_of, keeps, maximum, minimum
from dfad.frontend.scope import Context
from dfad.frontend.shapes import FULL, NEW, ravel, reshape
from dfad.frontend.spelled import inlined
from dfad.frontend.values import (
    ONE,
    Indices,
    Known,
    Lazy,
    Scalar,
    Value,
    View,
    integer,
    kind_of,
    number,
)
from dfad.ir.dtype import F64, I64
from dfad.ir.nodes import Expression

Numbers = np.ndarray
LAST = integer(-1)
LINEAR = Known("linear")


def argsort(context: Context, a: Value, axis: Value = LAST, kind: Value = NOTHING, *, stable: Value = NOTHING) -> Value:
    """``np.argsort``: the places of the elements in their order, along an axis or of all elements."""
    return _places(context, *_along(context, a, axis))


def sort(context: Context, a: Value, axis: Value = LAST, kind: Value = NOTHING, *, stable: Value = NOTHING) -> Value:
    """``np.sort``: a copy in order."""
    source, along = _along(context, a, axis)
    return _in_order(context, source, along)


def sort_in_place(context: Context, a: Value, axis: Value = LAST, kind: Value = NOTHING, *, stable: Value = NOTHING) -> Value:
    """``a.sort()``."""
    if not isinstance(a, View):
        context.unsupported("only an array that has a name of its own can be sorted in place", hint="write np.sort(...)")
    check_write_in_place(context, a)
    store(context, a, _in_order(context, *_along(context, a, axis)))
    return Known(None)


def _along(context: Context, a: Value, axis: Value) -> tuple[View, int]:
    """What is sorted and along which axis."""
    source = as_view(context, a)
    if isinstance(axis, Known) and len(source.shape) > 1:
        source = as_view(context, ravel(context, source))
    named = axes_of(context, source, axis)
    if len(named) != 1:
        context.wrong_type(f"{kind_of(source)} is sorted along one axis")
    return source, named[0]


def _places(context: Context, source: View, along: int) -> View:
    """The places along an axis, for each line of elements."""
    places = context.builder.temporary("places", I64, source.shape)
    others = tuple(ONE if position == along else extent for position, extent in enumerate(source.shape))
    with ExitStack() as stack:
        indices, _ = nest(context, others, stack)
        items = [FULL if position == along else integer(index) for position, index in enumerate(indices)]
        inlined(context, _merge_sort, [subscript(context, view, items) for view in (source, places)])
    return places


def _in_order(context: Context, source: View, along: int) -> Lazy:
    places = _places(context, source, along)
    extent = source.shape[along]

    def element(indices: Indices) -> Expression:
        place = context.builder.pin_integer(Scalar(places.at(indices)))
        context.builder.know(place)
        context.builder.know(extent - 1 - place)
        return source.at((*indices[:along], place, *indices[along + 1 :]))

    return Lazy(source.shape, source.dtype, element)


# ---------------------------------------------------------------- what stands at a part of the order


def median(context: Context, a: Value, axis: Value = NOTHING, *, keepdims: Value = NOTHING) -> Value:
    """``np.median``: the element in the middle, or the mean of the two there."""
    source = as_view(context, a)
    return _kept(context, inlined(context, _middle, [_ordered(context, source, axis)]), source, axis, keepdims)


def quantile(context: Context, a: Value, q: Value, axis: Value = NOTHING, *, method: Value = LINEAR, keepdims: Value = NOTHING) -> Value:
    """``np.quantile``, linear between elements; several quantiles come along a new first axis."""
    return _quantiles(context, a, q, (axis, method, keepdims), _assert_share)


def percentile(context: Context, a: Value, q: Value, axis: Value = NOTHING, *, method: Value = LINEAR, keepdims: Value = NOTHING) -> Value:
    """``np.percentile``: the quantile of a hundredth."""
    hundredths = apply_all(context, "div", operand_of(context, q), number(100.0))
    return _quantiles(context, a, hundredths, (axis, method, keepdims), _assert_percentage)


def _quantiles(context: Context, a: Value, q: Value, how: tuple[Value, Value, Value], claim: Callable[[float], None]) -> Value:
    axis, method, keepdims = how
    if not isinstance(method, Known) or method.value != "linear":
        context.unsupported('quantiles are those of method="linear"', hint="sort, and take the elements that you mean")
    share, source = operand_of(context, q), as_view(context, a)
    ordered = _ordered(context, source, axis)
    if not share.shape:
        one = Scalar(share.at(()), share.weak) if isinstance(share, Scalar) else Scalar(share.at(()))
        inlined(context, claim, [one])
        return _kept(context, inlined(context, _part, [ordered, one]), source, axis, keepdims)
    shares = vector_of(context, share, "q")
    inlined(context, _assert_each, [shares, Known(claim)])
    own = ordered.dtype if ordered.dtype.is_float else F64
    dtype, _ = joined_type(context, [(own, False), (shares.dtype, False)])
    return _kept(context, inlined(context, _parts, [ordered, shares, Known(dtype.numpy)]), source, axis, keepdims, [FULL])


def _ordered(context: Context, source: View, axis: Value) -> View:
    """The elements in order along a first axis, which stands for those that are reduced."""
    axes = axes_of(context, source, axis)
    if len(axes) > 1:
        kept = [position for position in range(len(source.shape)) if position not in axes]
        extents = [integer(context.builder.natural(source.shape[position])) for position in kept]
        turned = turned_view(source, [*axes, *kept])
        source, axes = as_view(context, reshape(context, turned, integer(-1), *extents)), (0,)
    require(context.builder, source.shape[axes[0]] - 1, "index", "there is no quantile of no elements", ())
    found = _in_order(context, source, axes[0])
    order = [axes[0], *(position for position in range(len(source.shape)) if position != axes[0])]
    return turned_view(as_view(context, found), order)


def _kept(context: Context, found: Value, source: View, axis: Value, keepdims: Value, before: Sequence[Value] = ()) -> Value:
    """The result with the axes that were reduced as axes of one element, where these stay; ``before``: of its own axes in front."""
    if not keeps(context, keepdims):
        return found
    axes = axes_of(context, source, axis)
    result = operand_of(context, found)
    if isinstance(result, Scalar):
        return Lazy((ONE,) * len(axes), result.dtype, lambda indices: result.expression)
    return subscript(context, result, [*before, *(NEW if position in axes else FULL for position in range(len(source.shape)))])


def spread(context: Context, a: Value, axis: Value = NOTHING, *, keepdims: Value = NOTHING) -> Value:
    """``np.ptp``: the greatest less the least."""
    view = a if isinstance(a, Scalar) else as_view(context, a)
    ends = (operand_of(context, extreme(context, view, axis, keepdims)) for extreme in (maximum, minimum))
    return apply_all(context, "sub", *ends)


ORDERING: dict[object, Callable[..., Value]] = {
    np.argsort: argsort,
    np.sort: sort,
    np.median: median,
    np.quantile: quantile,
    np.percentile: percentile,
    np.ptp: spread,
}

ORDERING_METHODS: dict[str, Callable[..., Value]] = {"argsort": argsort, "sort": sort_in_place}

# ---------------------------------------------------------------- texts


def _merge_sort(a: Numbers, places: Numbers) -> None:
    """Write the places of the elements in their order: runs in order, of twice the length each time, from two such runs."""
    n = len(a)
    order, merged = np.arange(n), np.empty(n, dtype=np.int64)
    keys, moved = a.copy(), np.empty_like(a)
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle = min(start + width, n)
            stop = min(start + 2 * width, n)
            left = start
            right = middle
            for k in range(start, stop):
                is_left = left < middle
                if is_left and right < stop:
                    x, y = keys[left], keys[right]
                    is_left = not (y < x or (x != x and y == y))
                if is_left:
                    merged[k] = order[left]
                    moved[k] = keys[left]
                    left += 1
                else:
                    merged[k] = order[right]
                    moved[k] = keys[right]
                    right += 1
        order, merged = merged, order
        keys, moved = moved, keys
        width = 2 * width
    places[:] = order


def _middle(ordered: Numbers) -> Numbers:
    n = len(ordered)
    lower, upper, last = ordered[(n - 1) // 2] * 1.0, ordered[n // 2] * 1.0, ordered[n - 1] * 1.0
    middle = lower if n % 2 == 1 else (lower + upper) / 2.0
    found: Numbers = np.where(np.isnan(last), last, middle)
    return found


def _part(ordered: Numbers, share: float) -> Numbers:
    """NumPy's arithmetic between the two elements round a part of the order."""
    last = len(ordered) - 1
    place = last * share
    below = int(np.floor(place))
    weight = place - below
    first, second, end = ordered[below] * 1.0, ordered[min(below + 1, last)] * 1.0, ordered[last] * 1.0
    step = second - first
    part = second - step * (1 - weight) if weight >= 0.5 else first + step * weight
    found: Numbers = np.where(np.isnan(end), end, part)
    return found


def _parts(ordered: Numbers, shares: Numbers, kind: type) -> Numbers:
    parts: Numbers = np.empty((len(shares),) + ordered.shape[1:], dtype=kind)  # noqa: RUF005
    for i in range(len(shares)):
        parts[i] = _part(ordered, shares[i])
    return parts


def _assert_share(share: float) -> None:
    assert 0.0 <= share <= 1.0, "Quantiles must be in the range [0, 1]"


def _assert_percentage(share: float) -> None:
    assert 0.0 <= share <= 1.0, "Percentiles must be in the range [0, 100]"


def _assert_each(shares: Numbers, claim: Callable[[float], None]) -> None:
    for share in shares:
        claim(share)
