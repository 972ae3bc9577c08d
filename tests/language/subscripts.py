"""Subscripts: negative indices, slices, new axes, gather, scatter, masks."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, signed, value


def negative_index(x):
    return x[-1] * x[0] + x[-2] ** 2


def negative_index_at_run_time(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i - 1] * x[-i]
    return s


def slice_assignment(A):
    A[1:-1, 1:-1] = 0.25 * (A[:-2, 1:-1] + A[2:, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:]) * A[1:-1, 1:-1]


def slice_overlapping_copy(x):
    x[1:] = x[:-1] * x[:-1]


def slice_with_step(x):
    x[::2] *= 2.0
    x[1::2] = x[1::2] ** 2
    return np.sum(x[::-1] * x)


def slice_clipped_at_the_ends(x):
    return np.sum(x[-100:100] ** 2) + np.sum(x[50:60])


def slice_bounds_at_run_time(x, a, b):
    s = 0.0
    for i in range(len(x)):
        s += np.sum(x[i : i + a]) * np.sum(x[max(0, i - b) : i])
    return s


def slice_step_at_run_time(x, k):
    return np.sum(x[::k] ** 2) + np.sum(x[::-k])


def new_axis_and_ellipsis(x, A):
    return np.sum(A[..., 0] * x) + np.sum((x[:, None] - x[None, :]) ** 2)


def gather(x, idx):
    return np.sum(x[idx] ** 2)


def scatter(x, idx):
    y = np.zeros(len(x))
    y[idx] = x[idx] * x[idx]
    return y


def scatter_add(x, idx):
    y = np.zeros(4)
    np.add.at(y, idx % 4, x**2)
    return np.sum(y**2)


def indirect_loop(x, idx):
    s = 0.0
    for i in range(len(idx)):
        x[idx[i]] += x[i] * 0.5
        s += x[idx[i]] ** 2
    return s


def masked_assignment(x):
    x[x < 0.0] = 0.0
    x[x > 0.5] *= 2.0
    return np.sum(x * x)


def masked_function(x):
    mask = x > 0.0
    x[mask] = np.sqrt(x[mask])
    return np.sum(x)


def masked_reduction(data, r):
    s = 0.0
    for k in range(3):
        inside = np.logical_and(r >= 0.5 * k, r < 0.5 * k + 0.5)
        if np.any(inside):
            s += np.mean(data[inside]) ** 2
    return s


def masked_elements_as_result(x):
    return x[x > 0.0] * 2.0


def masked_elements_in_a_maximum(x):
    return np.max(x[x > -2.0]) * np.sum(x[x > 0.0] * x[x > 0.0])


def where_with_three_arguments(x, y):
    return np.sum(np.where(x > 0.0, x * y, y * y))


def element_swap(x):
    for i in range(len(x) // 2):
        x[i], x[-1 - i] = x[-1 - i], 0.5 * x[i]


def columns_that_stretch(A):
    x = A[:, 0:1]
    y = A[:, 1:2]
    d = x.T - x
    d -= y
    return np.sum(d * d * y.T) + np.sum(x * y)


def indices_of(n, rng):
    return rng.uniform(0.5, 1.5, n), rng.integers(0, max(n, 1), n)


ENTRIES = (
    Entry(negative_index, array("n"), least=2, bits=False),
    Entry(negative_index_at_run_time, array("n")),
    Entry(slice_assignment, array("n", "n+1")),
    Entry(slice_overlapping_copy, array("n")),
    Entry(slice_with_step, array("n"), bits=False),
    Entry(slice_clipped_at_the_ends, array("n"), bits=False),
    Entry(slice_bounds_at_run_time, all_of(array("n"), value(3), value(2)), bits=False),
    Entry(slice_step_at_run_time, all_of(array("n"), value(3)), bits=False),
    Entry(columns_that_stretch, array("n", 2), least=1, bits=False),
    Entry(new_axis_and_ellipsis, all_of(array("n"), array("n", "n", 2)), bits=False),
    Entry(gather, indices_of, bits=False),
    Entry(scatter, indices_of),
    Entry(scatter_add, indices_of, bits=False),
    Entry(indirect_loop, indices_of, bits=False),
    Entry(masked_assignment, signed("n"), bits=False),
    Entry(masked_function, signed("n"), bits=False),
    Entry(masked_reduction, all_of(array("n"), array("n", low=0.0)), bits=False),
    Entry(masked_elements_as_result, signed("n"), bits=False),
    Entry(masked_elements_in_a_maximum, signed("n"), least=1, bits=False),
    Entry(where_with_three_arguments, all_of(signed("n"), signed("n")), bits=False),
    Entry(element_swap, array("n")),
)
