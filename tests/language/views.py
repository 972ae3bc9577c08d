"""Views: a part of an array is the array itself, under another name."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array


def row_is_a_view(A):
    row = A[0]
    row[1] = row[0] * row[0]
    return np.sum(A)


def transpose_is_a_view(A):
    B = A.T
    B[0, :] = B[1, :] * 2.0
    return np.sum(A * A)


def reversed_is_a_view(A):
    B = A[::-1, ::2]
    B[0, 0] = 5.0
    B *= B
    return np.sum(A)


def view_of_a_view(A):
    inner = A[1:-1]
    cell = inner[:, 1:]
    cell[...] = cell * cell
    return np.sum(inner)


def reshape_is_a_view(A):
    flat = A.reshape(-1)
    for i in range(1, len(flat)):
        flat[i] += 0.5 * flat[i - 1] * flat[i]
    return np.sum(A)


def ravel_reads(A):
    return np.sum(A.ravel() * np.ravel(A))


def name_bound_to_another_array(a, b):
    cur, other = a, b
    for _ in range(3):
        other[:] = 0.5 * cur * cur
        cur, other = other, cur
    return np.sum(cur)


def alias_of_the_whole(A):
    B = A
    B[0] = 3.0 * B[1]
    return np.sum(A)


def copy_is_not_a_view(A):
    B = A.copy()
    B *= 2.0
    A += B
    return np.sum(A)


def augmented_array_is_the_callers(A):
    A += 1.0
    A = A + 1.0
    A *= 2.0
    return np.sum(A)


def view_of_another_length(x):
    inner, s = x, 0.0
    while len(inner) > 2:
        inner = inner[1:-1]
        inner *= 0.5
        s += np.sum(inner * inner)
    half = x[: len(x) // 2] if s > 1.0 else x[len(x) // 2 :]
    return s + np.sum(half * half)


ENTRIES = (
    Entry(view_of_another_length, array("n"), bits=False),
    Entry(row_is_a_view, array("n+1", 3), bits=False),
    Entry(transpose_is_a_view, array("n", 3), bits=False),
    Entry(reversed_is_a_view, array("n+1", 5), bits=False),
    Entry(view_of_a_view, array("n", 4), bits=False),
    Entry(reshape_is_a_view, array("n", 3), bits=False),
    Entry(ravel_reads, array("n", 3), bits=False),
    Entry(name_bound_to_another_array, all_of(array("n"), array("n")), bits=False),
    Entry(alias_of_the_whole, array("n", 3), least=2, bits=False),
    Entry(copy_is_not_a_view, array("n", 3), bits=False),
    Entry(augmented_array_is_the_callers, array("n", 3), bits=False),
)
