"""Loops whose trips are not known at the call: bounds from data, records in them, arrays of their own, exchanges that depend on data."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, value


def ragged(n, rng):
    """Row pointers, some rows empty, and as many values."""
    counts = rng.integers(0, 4, n)
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return indptr, rng.uniform(0.5, 1.5, int(indptr[-1]))


def counted(n, rng):
    """Trips by element, from 0 up."""
    return (rng.integers(0, 5, n),)


def trips_ragged_recurrence(indptr, val, x):
    """A non-linear use of each value of a ragged row, in time steps that overwrite."""
    for _t in range(3):
        for i in range(len(x)):
            y = x[i]
            for k in range(indptr[i], indptr[i + 1]):
                y = np.sin(y * val[k])
            x[i] = x[i] + y
    return np.sum(x * x)


def trips_ragged_product(indptr, val, out):
    """The product of each row."""
    for i in range(len(out)):
        p = 1.0
        for k in range(indptr[i], indptr[i + 1]):
            p *= val[k]
        out[i] = p


def trips_ragged_backwards(indptr, val, x):
    """Every second value of a row, from its end."""
    for i in range(len(x)):
        for k in range(indptr[i + 1] - 1, indptr[i] - 1, -2):
            x[i] = x[i] * val[k] + val[k] * x[i] * x[i]
    return np.sum(x)


def trips_ragged_planes(counts, A):
    """A whole row is overwritten in each trip: slots of a plane for each."""
    for i in range(A.shape[0]):
        for _k in range(counts[i]):
            for j in range(1, A.shape[1]):
                A[i, j] = np.sin(A[i, j - 1] * A[i, j])
    return np.sum(A * A)


def trips_triangle_in_ragged(counts, x):
    """Inner loops as long as the trip number of a loop of unknown length."""
    s = 0.0
    for i in range(len(x)):
        for k in range(counts[i]):
            for j in range(k):
                x[i] = np.cos(x[i] + 0.1 * j) * x[j % len(x)]
                s += x[i] * s * 0.1 + x[i]
    return s


def trips_ragged_temporary(indptr, val, x):
    """An array as long as the row, overwritten in each trip."""
    s = 0.0
    for i in range(len(x)):
        lo = indptr[i]
        hi = indptr[i + 1]
        w = np.zeros(hi - lo)
        for k in range(hi - lo):
            w[k] = val[lo + k] * x[i]
        for k in range(hi - lo):
            w[k] = w[k] * w[k]
            s += w[k] * w[k]
    return s


def trips_ragged_branch(indptr, val, x):
    """A branch on data that the row changes, and a record on one side."""
    for i in range(len(x)):
        for k in range(indptr[i], indptr[i + 1]):
            if x[i] > 0.7:
                x[i] = x[i] * x[i] * 0.5 * val[k]
            else:
                x[i] += val[k] * val[k]
    return np.sum(x * x)


def trips_ragged_break(indptr, val, x):
    """A break out of a ragged row."""
    for i in range(len(x)):
        for k in range(indptr[i], indptr[i + 1]):
            x[i] = x[i] * val[k]
            if x[i] < 0.6:
                break
            x[i] = x[i] * x[i]
    return np.sum(x)


def trips_of_trips(counts, x):
    """A ragged loop in a ragged loop, the inner one read by the outer."""
    n = len(x)
    for i in range(n):
        for k in range(counts[i]):
            for _j in range(counts[(i + k) % n]):
                x[i] = np.sin(x[i] * x[(i + k) % n])
            x[i] = x[i] * x[i]
    return np.sum(x)


def trips_from_changed_counts(counts, x):
    """The bounds are overwritten after each use."""
    for _t in range(2):
        for i in range(len(x)):
            for _k in range(counts[i]):
                x[i] = x[i] * x[i]
            counts[i] = counts[i] // 2
    return np.sum(x)


def trips_from_the_second_sweep(indptr, val, x):
    """What is overwritten from the second sweep on: rows are counted for those sweeps only."""
    for t in range(3):
        for i in range(len(x)):
            for k in range(indptr[i], indptr[i + 1]):
                if t > 0:
                    val[k] = val[k] * x[i]
                x[i] += val[k] * val[k]
    return np.sum(x)


def trips_exchange_where_large(u, un, c):
    """Two arrays exchanged where an element of one is large."""
    for _t in range(4):
        for i in range(len(u)):
            un[i] = np.sin(u[i]) * u[i] + c
        if un[0] > 0.8:
            u, un = un, u
    return np.sum(u * un)


def trips_exchange_of_three(a, b, c, idx):
    """Three names go round as often as data say."""
    for t in range(len(idx)):
        for _k in range(idx[t]):
            a[:] = a * b + 0.1
            a, b, c = b, c, a
    return np.sum(a * a) + 2.0 * np.sum(b * c)


ENTRIES = (
    Entry(trips_ragged_recurrence, all_of(ragged, array("n")), bits=False),
    Entry(trips_ragged_product, all_of(ragged, array("n"))),
    Entry(trips_ragged_backwards, all_of(ragged, array("n")), bits=False),
    Entry(trips_ragged_planes, all_of(counted, array("n", 3)), bits=False),
    Entry(trips_triangle_in_ragged, all_of(counted, array("n")), bits=False),
    Entry(trips_ragged_temporary, all_of(ragged, array("n"))),
    Entry(trips_ragged_branch, all_of(ragged, array("n")), bits=False),
    Entry(trips_ragged_break, all_of(ragged, array("n")), bits=False),
    Entry(trips_of_trips, all_of(counted, array("n")), bits=False),
    Entry(trips_from_changed_counts, all_of(counted, array("n")), bits=False),
    Entry(trips_from_the_second_sweep, all_of(ragged, array("n")), bits=False),
    Entry(trips_exchange_where_large, all_of(array("n"), array("n"), number()), least=1, bits=False),
    Entry(trips_exchange_of_three, all_of(array("n"), signed("n"), array("n"), value(np.array([2, 0, 1, 2]))), bits=False),
)
