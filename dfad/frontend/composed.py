"""NumPy functions whose meaning is written in the language itself, and inlined as if the kernel's author had written it.

In: the arguments of a call. Out: its value. The texts follow NumPy's definition to the last bit, also where a number lies on the edge
of a bin.
"""

from __future__ import annotations

import numpy as np

from dfad.frontend.arrays import as_view
from dfad.frontend.bounds import require_equal
from dfad.frontend.elementwise import number_of
from dfad.frontend.indexing import subscript
from dfad.frontend.products import transposed
from dfad.frontend.reductions import is_set
from dfad.frontend.scope import Context
from dfad.frontend.shapes import ravel, vstack
from dfad.frontend.spelled import inlined
from dfad.frontend.values import Known, Scalar, Tuple, Value, View, integer, number

NOTHING = Known(None)
Numbers = np.ndarray


def histogram(
    context: Context,
    a: Value,
    bins: Value = integer(10),  # noqa: B008
    range: Value = NOTHING,
    density: Value = NOTHING,
    weights: Value = NOTHING,
) -> Value:
    """``np.histogram`` with a number of bins of equal width."""
    if not isinstance(density, Known):
        context.unsupported("np.histogram with density is not part of the language", hint="divide the counts by their sum and the width")
    if not isinstance(bins, Scalar):
        context.unsupported("np.histogram takes a number of bins, not their edges", hint="count the bins that np.digitize(a, edges) gives")
    ends = _ends(context, range)
    values = _as_vector(context, a)
    if isinstance(weights, Known):
        return inlined(context, _counted, [values, bins, *ends])
    weighing = _as_vector(context, weights)
    message = "np.histogram of {0} numbers with {1} weights"
    require_equal(context.builder, values.shape[0], weighing.shape[0], "index", message)
    return inlined(context, _weighted, [values, bins, *ends, weighing])


def covariance(
    context: Context,
    m: Value,
    y: Value = NOTHING,
    rowvar: Value = number(True),  # noqa: B008
    bias: Value = number(False),  # noqa: B008
    ddof: Value = NOTHING,
) -> Value:
    """``np.cov`` of observations in the rows of a matrix, or in its columns; of a vector: its variance, of two: their matrix."""
    view = as_view(context, m)
    if not isinstance(y, Known):
        if len(view.shape) != 1:
            context.unsupported("np.cov takes a second array beside a vector only", hint="join the variables with np.vstack before")
        view = as_view(context, vstack(context, Tuple((view, y))))
    if len(view.shape) == 2 and not is_set(context, rowvar):
        view = transposed(view)
    if len(view.shape) == 2 and view.shape[0] == 1:
        view = as_view(context, subscript(context, view, [integer(0)]))
    taken = integer(0 if is_set(context, bias) else 1) if isinstance(ddof, Known) else number_of(context, ddof)
    return inlined(context, _covariance if len(view.shape) == 2 else _variance, [view, taken])


def _ends(context: Context, range_: Value) -> list[Value]:
    match range_:
        case Known(None):
            return [NOTHING, NOTHING]
        case Tuple((first, last)):
            return [number_of(context, first), number_of(context, last)]
        case _:
            context.wrong_type("range is a pair of numbers, (least, greatest)")


def _as_vector(context: Context, a: Value) -> View:
    view = as_view(context, a)
    return view if len(view.shape) == 1 else as_view(context, ravel(context, view))


# ---------------------------------------------------------------- texts


def _ends_of(a: Numbers, first: float | None, last: float | None) -> tuple[float, float]:
    """The least and the greatest number, or the given ends; a little to each side where they are one."""
    low = np.min(a) * 1.0 if first is None else first * 1.0
    high = np.max(a) * 1.0 if last is None else last * 1.0
    middle = 0.5 if low == high else 0.0
    return low - middle, high + middle


def _bin(x: float, bins: int, low: float, high: float) -> int:
    """The bin by division, put right by its edges, k*step + low, between which rounding may have moved it; the last one holds its end."""
    step = (high - low) / bins
    place = min(int((x - low) / (high - low) * bins), bins - 1)
    place = place - 1 if x < place * step + low else place
    return place + 1 if place < bins - 1 and x >= (place + 1) * step + low else place


def _counted(a: Numbers, bins: int, first: float | None, last: float | None) -> tuple[Numbers, Numbers]:
    low, high = _ends_of(a, first, last)
    counts = np.zeros(bins, dtype=np.int64)
    for x in a:
        if first is None or low <= x <= high:
            counts[_bin(x, bins, low, high)] += 1
    return counts, np.linspace(low, high, bins + 1)


def _weighted(a: Numbers, bins: int, first: float | None, last: float | None, weights: Numbers) -> tuple[Numbers, Numbers]:
    low, high = _ends_of(a, first, last)
    totals = np.zeros(bins, dtype=weights.dtype)
    for x, weight in zip(a, weights):  # noqa: B905
        if first is None or low <= x <= high:
            totals[_bin(x, bins, low, high)] += weight
    return totals, np.linspace(low, high, bins + 1)


def _covariance(rows: Numbers, ddof: int) -> Numbers:
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    products: Numbers = centred @ centred.T / (rows.shape[1] - ddof)
    return products


def _variance(a: Numbers, ddof: int) -> float:
    centred = a - np.mean(a)
    return float(centred @ centred) / (len(a) - ddof)
