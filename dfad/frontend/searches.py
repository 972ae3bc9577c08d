"""Searches in sorted vectors: ``np.searchsorted``, ``np.digitize``, and ``np.interp``, which draws lines between what it finds.

A search halves the range in which the place lies; as in NumPy, NaN comes after every number.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dfad.frontend.arrays import as_view
from dfad.frontend.bounds import require, require_equal
from dfad.frontend.builder import cast
from dfad.frontend.elementwise import number_of
from dfad.frontend.flat import for_each, vector_of
from dfad.frontend.reductions import NOTHING, is_set
from dfad.frontend.scope import Context
from dfad.frontend.spelled import inlined
from dfad.frontend.values import Known, Lazy, Scalar, Value, View, number
from dfad.ir.dtype import F64

Numbers = np.ndarray


def searchsorted(context: Context, a: Value, v: Value, side: Value = Known("left"), sorter: Value = NOTHING) -> Value:  # noqa: B008
    """``np.searchsorted``: where numbers belong in a sorted vector, before or after those that are equal."""
    if not isinstance(sorter, Known):
        context.unsupported("np.searchsorted takes no sorter here", hint="search in a[sorter]")
    if not isinstance(side, Known) or side.value not in ("left", "right"):
        context.wrong_type('side is "left" or "right"')
    place = _first_place if side.value == "left" else _last_place
    return for_each(context, _place_of, _places_of, v, vector_of(context, a, "what np.searchsorted searches"), Known(place))


def digitize(context: Context, x: Value, bins: Value, right: Value = number(False)) -> Value:  # noqa: B008
    """``np.digitize``: the bin of each number, between edges that rise or fall."""
    edges = vector_of(context, bins, "the bins of np.digitize")
    inlined(context, _assert_monotonic, [edges])
    place = _closed_bin if is_set(context, right) else _open_bin
    return for_each(context, _place_of, _places_of, x, edges, Known(place))


def interp(
    context: Context, x: Value, xp: Value, fp: Value, left: Value = NOTHING, right: Value = NOTHING, period: Value = NOTHING
) -> Value:
    """``np.interp``: on the lines between points, and the outermost values, or those given, outside."""
    if not isinstance(period, Known):
        context.unsupported("np.interp with a period is not part of the language", hint="write x % period, and points beyond both ends")
    places, values = (_as_float(context, vector_of(context, points, "np.interp's points")) for points in (xp, fp))
    require_equal(context.builder, places.shape[0], values.shape[0], "index", "np.interp of {0} places with {1} values")
    require(context.builder, places.shape[0] - 1, "index", "np.interp has no points", ())
    ends = [end if isinstance(end, Known) else Scalar(cast(number_of(context, end).expression, F64)) for end in (left, right)]
    return for_each(context, _between, _all_between, x, places, values, *ends)


def _as_float(context: Context, view: View) -> View:
    if view.dtype == F64:
        return view
    return as_view(context, Lazy(view.shape, F64, lambda indices: cast(view.at(indices), F64)))


SEARCHES: dict[object, Callable[..., Value]] = {np.searchsorted: searchsorted, np.digitize: digitize, np.interp: interp}

# ---------------------------------------------------------------- texts


def _first_place(x: float, a: Numbers) -> int:
    """The first place whose number is not below x."""
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if a[middle] < x or (x != x and a[middle] == a[middle]):
            low = middle + 1
        else:
            high = middle
    return low


def _last_place(x: float, a: Numbers) -> int:
    """The first place whose number is above x."""
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if x < a[middle] or (a[middle] != a[middle] and x == x):
            high = middle
        else:
            low = middle + 1
    return low


def _place_of(x: float, a: Numbers, place: Callable[[float, Numbers], int]) -> int:
    return place(x, a)


def _places_of(x: Numbers, a: Numbers, place: Callable[[float, Numbers], int]) -> Numbers:
    places = np.empty(len(x), dtype=np.int64)
    for i in range(len(x)):
        places[i] = place(x[i], a)
    return places


def _is_falling(bins: Numbers) -> bool:
    return len(bins) > 1 and bins[0] > bins[-1]


def _assert_monotonic(bins: Numbers) -> None:
    is_falling = _is_falling(bins)
    for i in range(len(bins) - 1):
        assert bins[i] >= bins[i + 1] if is_falling else bins[i] <= bins[i + 1], "bins must be monotonically increasing or decreasing"


def _closed_bin(x: float, bins: Numbers) -> int:
    """The bin that holds its right end."""
    if _is_falling(bins):
        return len(bins) - _first_place(x, bins[::-1])
    return _first_place(x, bins)


def _open_bin(x: float, bins: Numbers) -> int:
    """The bin that holds its left end."""
    if _is_falling(bins):
        return len(bins) - _last_place(x, bins[::-1])
    return _last_place(x, bins)


def _between(x: float, xp: Numbers, fp: Numbers, left: float | None, right: float | None) -> float:
    """NumPy's arithmetic. At a point the slope is that of the line to its right; at the outermost point on the right it is 0."""
    last = len(xp) - 1
    x = x * 1.0
    value: float = fp[last]
    if x > xp[last]:
        value = fp[last] if right is None else right
    elif x < xp[0]:
        value = fp[0] if left is None else left
    elif x != x and last > 0:
        value = x
    elif x < xp[last]:
        place = _last_place(x, xp) - 1
        slope = (fp[place + 1] - fp[place]) / (xp[place + 1] - xp[place])
        value = slope * (x - xp[place]) + fp[place]
        if value != value:
            value = slope * (x - xp[place + 1]) + fp[place + 1]
            if x == xp[place] or (value != value and fp[place] == fp[place + 1]):
                value = fp[place]
    return value


def _all_between(x: Numbers, xp: Numbers, fp: Numbers, left: float | None, right: float | None) -> Numbers:
    values = np.empty(len(x))
    for i in range(len(x)):
        values[i] = _between(x[i], xp, fp, left, right)
    return values
