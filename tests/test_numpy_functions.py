"""NumPy's functions at their edges: no element, one, ties, NaN, single precision, integers; what they refuse, and where they share."""

import copy

import numpy as np
import pytest

import dfad
from tests.test_language import as_returned
from tests.test_values import assert_same

pytestmark = pytest.mark.slow

ROOM = np.array([0.0, 0.25, 0.25, 0.5, 0.5, 0.5, 1.0])
ASKED = np.array([0.25, 0.5, 0.0, -1.0, 2.0, np.nan, 0.3, 1.0])
NAN = np.array([0.5, np.nan, -1.0, 0.5, np.inf, np.nan, -np.inf])
SHORT = np.array([0.75, -0.5, 0.75, 0.125], dtype=np.float32)
WHOLE = np.array([3, -1, 3, 0, 2])
EMPTY = np.zeros(0)
TABLE = np.arange(12.0).reshape(3, 4) % 5.0


def searched(a, v):
    return np.searchsorted(a, v), np.searchsorted(a, v, side="right"), np.searchsorted(a, 0.5)


def binned(x, edges):
    falling = edges[::-1]
    return np.digitize(x, edges), np.digitize(x, edges, right=True), np.digitize(x, falling), np.digitize(x, falling, right=True)


def interpolated(x, xp, fp):
    return np.interp(x, xp, fp), np.interp(0.25, xp, fp), np.interp(x, xp, fp, left=-1.0, right=7.0)


def in_order(x):
    return np.sort(x), np.argsort(x, kind="stable"), np.sort(x)[::-1]


def parts_of_order(x):
    return np.median(x), np.quantile(x, 0.35), np.percentile(x, 100), np.percentile(x, [0, 50, 75]), np.ptp(x)


def parts_along_axes(A):
    return np.median(A, axis=-1), np.quantile(A, [0.5, 0.1], axis=0), np.percentile(A, 20, axis=(0, 1)), np.sort(A, axis=-2)


def laid_out(x):
    return np.diag(x), np.diag(x, -1), np.tile(x, (2, 3)), np.pad(x, (1, 2)), np.append(x, x), np.vander(x, 3), np.kron(x, x)


def extended(x):
    return np.pad(x, 4, mode="edge"), np.pad(x, 4, mode="wrap"), np.pad(x, 9, mode="reflect"), np.append(x, 1.0), np.kron(2.0, x)


def close(x, y):
    return np.isclose(x, y), np.allclose(x, y), np.isclose(x, y, equal_nan=True), np.array_equal(x, y), np.array_equal(x, y, equal_nan=True)


def by_element(x, y):
    steps, powers = np.heaviside(x, 0.5), np.float_power(x, 2)
    return steps, powers, np.fmax(x, y), np.fmin(x, y), np.logaddexp(x, y), np.signbit(x), np.nan_to_num(x), np.sinc(x)


def past_nan(x):
    return np.nansum(x), np.nanmean(x), np.nanmax(x), np.nanmin(x), np.nanprod(x)


def folded(a, v):
    full, turned = np.convolve(a, v), np.correlate(a, v, "full")
    return full, turned, np.convolve(a, v, "same"), np.convolve(a, v, "valid"), np.correlate(a, v), np.correlate(a, v, "same")


def summed(x, y):
    return np.inner(x, y), np.vdot(x, y), np.average(y), np.trapezoid(y, x), np.polyval(x, y), np.polyval([2, 1], x), np.tensordot(x, y, 1)


def sloped(x):
    return np.gradient(x), np.gradient(x, 2), np.gradient(x, np.arange(len(x)))


CASES = {
    "places": (searched, ROOM, ASKED),
    "places in nothing": (searched, EMPTY, ASKED),
    "places of nothing": (searched, ROOM, EMPTY),
    "places of whole numbers": (searched, np.array([-1, 0, 2, 2, 3]), WHOLE),
    "places in single precision": (searched, np.sort(SHORT), SHORT),
    "bins": (binned, ASKED, ROOM),
    "bins with one edge": (binned, ASKED, ROOM[:1]),
    "lines": (interpolated, ASKED, np.array([0.0, 0.25, 0.5, 1.0]), np.array([2.0, 1.0, np.inf, 4.0])),
    "lines through one point": (interpolated, ASKED, ROOM[:1], ROOM[1:2]),
    "lines for nothing": (interpolated, EMPTY, ROOM, ROOM),
    "lines of single precision": (interpolated, SHORT, np.array([0, 1]), np.array([3.0, 5.0], dtype=np.float32)),
    **{f"order of {name}": (in_order, x) for name, x in (("NaN", NAN), ("nothing", EMPTY), ("one", ROOM[:1]), ("ties", WHOLE % 2 == 1))},
    "order of short": (in_order, SHORT),
    **{f"parts of {name}": (parts_of_order, x) for name, x in (("NaN", NAN), ("one", ROOM[:1]), ("short", SHORT), ("whole", WHOLE))},
    "parts of two": (parts_of_order, ROOM[2:4]),
    "parts along axes": (parts_along_axes, TABLE),
    "parts along axes of whole numbers": (parts_along_axes, TABLE.astype(np.int64)),
    **{f"layout of {name}": (laid_out, x) for name, x in (("nothing", EMPTY), ("one", ROOM[:1]), ("short", SHORT), ("whole", WHOLE))},
    **{f"extension of {name}": (extended, x) for name, x in (("one", ROOM[:1]), ("short", SHORT), ("whole", WHOLE))},
    "close": (close, ROOM, ROOM + 1e-9),
    "close to NaN": (close, NAN, NAN * 1.0),
    "close whole numbers": (close, WHOLE, WHOLE + 1),
    "close to nothing": (close, EMPTY, EMPTY),
    "elements with NaN": (by_element, NAN, np.array([np.nan, 1.0, -0.0, 0.5, np.inf, np.nan, -np.inf])),
    "elements of zero": (by_element, np.array([0.0, -0.0, 1.0]), np.zeros(3)),
    "whole elements": (by_element, WHOLE, WHOLE[::-1].copy()),
    **{f"past NaN of {name}": (past_nan, x) for name, x in (("some", NAN[:4]), ("all", NAN[1:2]), ("short", SHORT), ("whole", WHOLE))},
    "folded": (folded, ROOM, SHORT[:3].astype(np.float64)),
    "folded by the longer": (folded, ROOM[1:4], ROOM),
    "folded one": (folded, ROOM[1:2], ROOM[3:4]),
    "folded whole numbers": (folded, WHOLE, WHOLE[:4]),
    "sums of nothing": (summed, EMPTY, EMPTY),
    "sums of whole numbers": (summed, WHOLE, WHOLE[::-1].copy()),
    "slopes of two": (sloped, ROOM[:2]),
    "slopes of short": (sloped, SHORT),
    "slopes of whole numbers": (sloped, WHOLE),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore")
def test_the_edges_are_numpys(name):
    function, *arguments = CASES[name]
    ours, theirs = copy.deepcopy(arguments), copy.deepcopy(arguments)
    with np.errstate(all="ignore"):
        expected = as_returned(function(*theirs))
    assert_same(dfad.kernel(function)(*ours), expected, False, name)


def taken_before_a_write(A):
    d = np.diagonal(A)
    A[0, 0] = 9.0
    return np.sum(d)


def written_diagonal(A):
    d = np.diagonal(A)
    d[0] = 9.0


def written_broadcast(A):
    b = np.broadcast_to(A[0], A.shape)
    b[0, 0] = 9.0


@pytest.mark.parametrize("function", [taken_before_a_write, written_diagonal, written_broadcast])
def test_what_numpy_does_not_let_write_is_refused(function):
    with pytest.raises(dfad.UnsupportedSyntax, match="ambiguous"):
        dfad.kernel(function)(np.ones((3, 3)))


def written_through(x, c):
    y = x if c > 0 else 2.0 * x
    row = np.atleast_2d(y)
    row[0, 0] = 5.0
    same = np.ascontiguousarray(np.asarray(y))
    same[1] = 6.0
    return np.sum(x), np.sum(y)


@pytest.mark.parametrize("c", [1, -1])
def test_views_reach_the_array_that_a_name_means(c):
    x, y = np.ones((2, 3))
    assert dfad.kernel(written_through)(x, c) == written_through(y, c)
    np.testing.assert_array_equal(x, y)


def sorted_parts(A):
    A[::2].sort(axis=0)
    A[1][1:].sort()
    A.T.sort()


def test_parts_of_arrays_are_sorted_in_place():
    A, B = copy.deepcopy((np.random.default_rng(0).random((4, 5)),) * 2)
    dfad.kernel(sorted_parts)(A)
    sorted_parts(B)
    np.testing.assert_array_equal(A, B)


def of_interpolation_at_a_point(x, xp, fp):
    return np.sum(np.interp(x, xp, fp))


def test_the_slope_at_a_point_is_that_to_its_right():
    xp, fp = np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 4.0])
    slopes = dfad.grad(of_interpolation_at_a_point)(np.array([-1.0, 0.0, 1.0, 1.5, 2.0, 3.0]), xp, fp)
    np.testing.assert_array_equal(slopes, [0.0, 1.0, 3.0, 3.0, 0.0, 0.0])


def quantile_of(x, q):
    return np.quantile(x, q)


def bins_of(x, edges):
    return np.digitize(x, edges)


def line_through(x, xp, fp):
    return np.interp(x, xp, fp)


def slopes_of(x):
    return np.gradient(x)


def wrapped(x):
    return np.pad(x, 1, mode="wrap")


def crossed(x):
    return np.cross(x, x)


FAILING = [
    (quantile_of, (ROOM, 1.5), dfad.KernelAssertionError, r"Quantiles must be in the range \[0, 1\]"),
    (quantile_of, (EMPTY, 0.5), dfad.KernelIndexError, "no quantile of no elements"),
    (bins_of, (ROOM, np.array([0.0, 2.0, 1.0])), dfad.KernelAssertionError, "bins must be monotonically increasing or decreasing"),
    (line_through, (ROOM, EMPTY, EMPTY), dfad.KernelIndexError, "np.interp has no points"),
    (line_through, (ROOM, ROOM, ROOM[1:]), dfad.KernelIndexError, "7 places with 6 values"),
    (slopes_of, (ROOM[:1],), dfad.KernelIndexError, "needs two elements"),
    (wrapped, (EMPTY,), dfad.KernelIndexError, "cannot extend an empty axis"),
    (crossed, (ROOM,), dfad.KernelIndexError, "extents 7 and 3"),
]


@pytest.mark.parametrize(("function", "arguments", "error", "message"), FAILING)
def test_calls_that_numpy_ends_with_an_error_end_with_one(function, arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        dfad.kernel(function)(*arguments)
    assert caught.value.line == function.__code__.co_firstlineno + 1


def reflected_oddly(x):
    return np.pad(x, 1, mode="symmetric")


def nearest(x):
    return np.quantile(x, 0.5, method="nearest")


def over_a_period(x):
    return np.interp(x, x, x, period=2.0)


def in_a_sorted_order(x, k):
    return np.searchsorted(x, 0.5, sorter=k)


def second_order(x):
    return np.gradient(x, edge_order=2)


def weighted_wrongly(A, x):
    return np.average(A, weights=x)


def sorted_expression(x):
    (x + 1.0).sort()


REFUSED = [
    (reflected_oddly, (ROOM,), 'the modes of np.pad are "constant", "edge", "wrap" and "reflect"', "write the borders"),
    (nearest, (ROOM,), 'quantiles are those of method="linear"', "sort, and take"),
    (over_a_period, (ROOM,), "np.interp with a period", "x % period"),
    (in_a_sorted_order, (ROOM, WHOLE), "takes no sorter", "a[sorter]"),
    (second_order, (ROOM,), "edge_order=1", "write the borders"),
    (weighted_wrongly, (TABLE, ROOM[:4]), "is not weighted by", "name the axis"),
    (sorted_expression, (ROOM,), "only an array that has a name", "np.sort"),
]


@pytest.mark.parametrize(("function", "arguments", "message", "hint"), REFUSED)
def test_what_is_not_there_is_refused_with_what_to_write(function, arguments, message, hint):
    with pytest.raises(dfad.DfadError) as caught:
        dfad.kernel(function)(*arguments)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.line == function.__code__.co_firstlineno + 1
