"""Loops: ranges, rows, tuples, while, ways out, bounds from data."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, signed, value


def range_with_start(x):
    for i in range(1, len(x)):
        x[i] = x[i] + 0.5 * x[i - 1] * x[i]


def range_with_step(x, k):
    s = 0.0
    for i in range(0, len(x), 3):
        s += x[i] * x[i]
    for i in range(1, len(x), k):
        s += 2.0 * x[i]
    return s


def range_backwards(x):
    for i in range(len(x) - 2, -1, -1):
        x[i] = x[i] * 0.5 + x[i + 1] ** 2


def reversed_ranges_and_rows(x):
    s = 0.0
    for i in reversed(range(1, len(x), 2)):
        s = 0.5 * s + x[i] * x[i - 1]
    for i in reversed(range(len(x))):
        x[i] = x[i] * s
    for v in reversed(x):
        s = s * 0.9 + v
    return s


def range_of_outer_index(A):
    for i in range(A.shape[0]):
        for j in range(i + 1):
            A[i, j] *= 1.0 + 0.1 * A[j, i]


def range_from_data(indptr, val):
    s = 0.0
    for i in range(len(indptr) - 1):
        t = 1.0
        for k in range(indptr[i], indptr[i + 1]):
            t *= val[k]
        s += t
    return s


def range_from_a_computed_integer(x):
    n = len(x)
    half = n // 2 + n % 2
    s = 0.0
    for i in range(half):
        s += x[i] * x[n - 1 - i]
    return s


def loop_variable_after_the_loop(x):
    i = 0
    for i in range(len(x)):
        if x[i] > 1.0:
            break
    return x[i] * x[i] + i


def loop_over_rows(A):
    s = 0.0
    for row in A:
        s += row[0] * row[-1]
        row[0] = s
    return s


def loop_over_what_it_binds_anew(x):
    for v in x:
        x = 0.5 * x + v * v
    return np.sum(x * x)


def loop_over_a_literal_tuple(x):
    s = 0.0
    for c, k in ((0.25, 0), (0.5, 1), (0.25, 2)):
        for i in range(len(x) - 2):
            s += c * x[i + k] ** 2
    return s


def loop_over_enumerate_and_zip(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):  # noqa: B905
        s += i * a * b
    for a, i in zip(x, range(1, 20, 3)):  # noqa: B905
        s += a * i
    for i, c in enumerate((0.5, 0.25)):
        s += c * i
    return s


def while_loop(x):
    i = 0
    s = 0.0
    while i < len(x) and s < 3.0:
        s += x[i] * x[i]
        i += 1
    return s


def while_per_cell(a):
    s = 0.0
    for k in range(len(a)):
        x = 1.0
        while abs(x * x * x - a[k] * x - 1.0) > 1e-10:
            x -= (x * x * x - a[k] * x - 1.0) / (3.0 * x * x - a[k])
        s += x
    return s


def while_true_with_break(x, tolerance):
    n = 0
    u = x.copy()
    while True:
        u = 0.5 * u
        n += 1
        if np.sum(u * u) <= tolerance or n > 20:
            break
    return np.sum(u) + n


def while_with_else(x):
    s = 0.0
    i = 0
    while i < len(x):
        if x[i] > 1.45:
            break
        s += x[i] ** 2
        i += 1
    else:
        s = 10.0 * s
    return s


def while_with_exchange(u):
    v = np.zeros_like(u)
    change = 1.0
    trips = 0
    while change > 1e-2 and trips < 30:
        change = 0.0
        for i in range(1, len(u) - 1):
            v[i] = 0.4 * (u[i - 1] + u[i + 1]) + 0.05 * u[i] ** 2
            change = max(change, abs(v[i] - u[i]))
        u, v = v, u
        trips += 1
    return np.sum(u * u)


def break_out(x):
    s = 0.0
    for v in x:
        if v < -0.7:
            break
        s += v * v
    return s


def continue_with_next(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] < 0.0:
            continue
        s += x[i] ** 2
    return s


def loop_else(x):
    for i in range(len(x)):
        if x[i] > 1.49:
            s = x[i]
            break
    else:
        s = 2.0 * np.sum(x)
    return s


def nested_breaks(A):
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if A[i, j] > 0.8:
                break
            s += A[i, j] ** 2
        if s > 1.5:
            break
    return s


def pointers(n, rng):
    counts = rng.integers(0, 4, n)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    return indptr.astype(np.int64), rng.uniform(0.5, 1.5, int(indptr[-1]))


ENTRIES = (
    Entry(range_with_start, array("n")),
    Entry(range_with_step, all_of(array("n"), value(2))),
    Entry(range_backwards, array("n"), bits=False),
    Entry(reversed_ranges_and_rows, array("n")),
    Entry(range_of_outer_index, array("n", "n"), bits=False),
    Entry(range_from_data, pointers),
    Entry(range_from_a_computed_integer, array("n")),
    Entry(loop_variable_after_the_loop, array("n"), least=1, bits=False),
    Entry(loop_over_rows, array("n", 3)),
    Entry(loop_over_what_it_binds_anew, array("n"), bits=False),
    Entry(loop_over_a_literal_tuple, array("n"), bits=False),
    Entry(loop_over_enumerate_and_zip, all_of(array("n"), array("n"))),
    Entry(while_loop, array("n")),
    Entry(while_per_cell, array("n")),
    Entry(while_true_with_break, all_of(array("n"), value(0.01)), bits=False),
    Entry(while_with_else, array("n"), bits=False),
    Entry(while_with_exchange, array("n"), bits=False),
    Entry(break_out, signed("n")),
    Entry(continue_with_next, signed("n"), bits=False),
    Entry(loop_else, array("n"), bits=False),
    Entry(nested_breaks, signed("n", 4), bits=False),
)
