"""Nests whose inner range grows or shrinks with the outer index, overwriting what the reverse needs."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, value


def triangle_grows(x, y):
    """Records in a lower triangle."""
    for i in range(len(y)):
        for j in range(i):
            x[j] = x[j] * x[j] * 0.5 + 0.1 * y[i]


def triangle_shrinks(x, y):
    """Records in an upper triangle."""
    for i in range(len(y)):
        for j in range(i, len(x)):
            x[j] = x[j] * (0.5 * x[j] + 0.1 * y[i])


def triangle_backwards(x, y):
    """Records in a triangle gone through backwards."""
    for i in range(len(y) - 1, -1, -1):
        for j in range(len(x) - 1, i, -1):
            x[j] = x[j] * x[j] * 0.5 + 0.1 * y[i] * x[j - 1]


def triangle_grows_by_two(x, y):
    """Records in a triangle whose rows grow by two."""
    for i in range(len(y)):
        for j in range(1, 2 * i + 2):
            x[j] = x[j] * x[j] * 0.5 + 0.1 * y[i]


def triangle_of_slices(x, y):
    """Records of slices that grow."""
    for k in range(1, len(x)):
        x[:k] += 0.3 * y[k] * x[k] * np.flip(x[:k])
        x[k] = y[k] * x[k]


def triangle_of_columns(A):
    """Records of columns that grow."""
    for k in range(A.shape[1]):
        for j in range(k + 1, A.shape[1]):
            s = np.dot(A[:, k], A[:, j])
            A[:, j] -= 0.2 * s * A[:, k]


def triangle_in_sweeps(x, y, sweeps):
    """Records in a triangle, sweep by sweep."""
    for t in range(sweeps):
        for i in range(len(x)):
            for j in range(i + 1):
                x[j] = x[j] * x[j] * 0.5 + 0.1 * y[i] + 0.01 * t


def triangle_of_triangles(x, y):
    """Records in a pyramid."""
    for i in range(len(x)):
        for j in range(i):
            for k in range(j, i):
                x[k] = x[k] * x[k] * 0.5 + 0.1 * y[i] * y[j]


def triangle_counted(x):
    """Nests whose bodies name no index are no boxes."""
    count = 0
    for i in range(len(x)):
        for _ in range(i):
            count += 1
    for i in range(len(x) - 1, -1, -1):
        for j in range(i - 1, -1, -1):
            for _ in range(j):
                count += 1
    return count * np.sum(x)


def triangle_summed(x):
    """So a sum of one cell is none of a box either."""
    s = 0.0
    for i in range(len(x)):
        for _ in range(i):
            s += x[0]
    return s * x[-1]


def box_of_negative_sides(x):
    """Two negative extents are no positive one."""
    count, s = 0, 0.0
    for _ in range(len(x) - 7):
        for _ in range(len(x) - 8):
            count += 1
            s += x[0]
    return (count + 1) * s + np.sum(x)


ENTRIES = (
    Entry(triangle_grows, all_of(array("n"), array("n"))),
    Entry(triangle_shrinks, all_of(array("n"), array("n"))),
    Entry(triangle_backwards, all_of(array("n"), array("n"))),
    Entry(triangle_grows_by_two, all_of(array("2n"), array("n"))),
    Entry(triangle_of_slices, all_of(array("n"), array("n"))),
    Entry(triangle_of_columns, array("n+1", "n"), bits=False),
    Entry(triangle_in_sweeps, all_of(array("n"), array("n"), value(3))),
    Entry(triangle_of_triangles, all_of(array("n"), array("n"))),
    Entry(triangle_counted, array("n"), bits=False),
    Entry(triangle_summed, array("n"), bits=False, least=1),
    Entry(box_of_negative_sides, array("n"), bits=False, least=1),
)
