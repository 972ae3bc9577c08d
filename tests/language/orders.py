"""Elements found, elements in order, what stands at a part of the order."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, integers, signed


def interpolation(x, xp, fp):
    return np.interp(x, xp, fp) ** 2, np.interp(x[0], xp, fp), np.interp(0.25, xp, fp, left=x[0], right=-1.0)


def interpolation_outside(x, xp, fp, c):
    return np.interp(x * 10.0, xp, fp, left=c, right=-c), np.interp(-x, xp, fp), np.interp(c, xp[:1], fp[:1])


def interpolation_in_a_loop(x, xp, fp, n):
    y = x.copy()
    for _ in range(3):
        y = y + 0.1 * np.interp(y, xp, fp)
    return y


def places_found(a, v, A):
    i = np.searchsorted(a, v)
    j = np.searchsorted(a, A, side="right")
    return v * i, np.sum(A * j), a.searchsorted(0.5) + np.searchsorted(a, v[0], "right")


def bins_of_values(x, edges, w):
    k = np.digitize(x, edges)
    counts = np.zeros(len(edges) + 1)
    np.add.at(counts, k, w)
    return counts, x * np.digitize(x, edges[::-1], right=True), w * np.digitize(w[0], edges)


def sorted_values(x):
    return np.sort(x) * np.arange(len(x)), x[np.argsort(x, kind="stable")] ** 2, np.sum(np.argsort(x) * x)


def sorted_matrix(A):
    return np.sort(A), np.sort(A, axis=0) ** 2, np.sort(A, axis=None), A * np.argsort(A, axis=0)


def sorted_in_place(x, A):
    x.sort()
    A.sort(axis=0)
    return x[0] * A[-1, 0], x.argsort() * 1.0


def sorted_in_a_loop(A):
    s = 0.0
    for row in A:
        y = np.sort(row)
        s += y[0] * y[-1] + np.median(row)
    return s


def ties_in_order(k, x):
    return x[np.argsort(k, kind="stable")], np.sort(k)


def medians(A):
    return np.median(A), np.median(A, axis=0), np.median(A, axis=1, keepdims=True) * A, np.median(A[0]), np.median(A, axis=(0, 1))


def quantiles(A, x):
    return np.quantile(x, 0.3), np.percentile(A, 60, axis=1), np.percentile(x, [25, 50, 75]), np.quantile(A, x[0] - 0.5)


def quantiles_along_axes(A, q):
    return np.quantile(A, q, axis=0), np.quantile(A, q, axis=1, keepdims=True), np.percentile(A, 100.0 * q[1], axis=(0, 1), keepdims=True)


def ranges_of_values(A):
    return np.ptp(A) ** 2, np.ptp(A, axis=0), np.ptp(A, axis=1, keepdims=True) * A


def table(n, rng):
    xp = np.cumsum(rng.uniform(0.1, 0.4, 4))
    return rng.uniform(0.0, 1.2, n), xp, rng.uniform(-1.0, 1.0, 4)


def table_and_number(n, rng):
    return *table(n, rng), float(rng.uniform(0.2, 0.8))


def sorted_and_values(n, rng):
    return np.sort(rng.uniform(0.0, 1.0, n + 2)), rng.uniform(-0.1, 1.1, n), rng.uniform(-0.1, 1.1, (2, n))


def values_and_edges(n, rng):
    return rng.uniform(-0.2, 1.2, n), np.linspace(0.0, 1.0, 5), rng.uniform(0.5, 1.5, n)


def matrix_and_parts(n, rng):
    return rng.uniform(-1.0, 1.0, (n, 3)), np.array([0.0, 0.21, 0.5, 1.0])


ENTRIES = (
    Entry(interpolation, table, least=1),
    Entry(interpolation_outside, table_and_number),
    Entry(interpolation_in_a_loop, lambda n, rng: (*table(n, rng), n)),
    Entry(places_found, sorted_and_values, least=1, bits=False),
    Entry(bins_of_values, values_and_edges, least=1),
    Entry(sorted_values, signed("n"), bits=False),
    Entry(sorted_matrix, signed("n", 3)),
    Entry(sorted_in_place, all_of(signed("n"), signed("n", 2)), least=1),
    Entry(sorted_in_a_loop, signed(3, "n"), least=1),
    Entry(ties_in_order, all_of(integers("n", low=0, high=3), array("n"))),
    Entry(medians, signed("n", 3), least=1),
    Entry(quantiles, all_of(signed("n", 4), array("n")), least=1, bits=False),
    Entry(quantiles_along_axes, matrix_and_parts, least=1),
    Entry(ranges_of_values, signed("n", 3), least=1),
)
