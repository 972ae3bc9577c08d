"""Index arrays on several axes, beside slices and integers, read and written."""

import numpy as np

from tests.gallery import Entry


def gather_of_two_axes(A, i, j):
    return np.sum(A[i, j] ** 2) + np.sum(A[i[:, None], j[None, :]] ** 2) + np.sum(A[i, 0] * A[-1, j])


def gather_of_columns(A, i, j):
    return np.sum(A[:, i] ** 2) + np.sum(A[i][:, j] ** 3) + np.sum(A[1:, j] * A[1:, i])


def scatter_beside_a_slice(A, x, i):
    A[i, 1:3] += x[:, None]
    A[:, i] *= 2.0
    return np.sum(A * A)


def scatter_of_two_axes(A, x, i, j):
    A[i, j] = x * x
    A[i, i] += A[j, j]
    np.add.at(A, (i, j), x)
    return np.sum(A * A)


def gather_of_three_axes(C, i):
    C[i, ..., 0] = 2.0 * C[i, ..., 1]
    return np.sum(C[:, i, 0] ** 2), np.sum(C[0, :, i % 2] ** 2, axis=0), np.sum(C[i, :, 1] * C[i, i, :1])


def gather_in_a_loop(x, i):
    for _ in range(3):
        x[i] = 0.5 * x[i] + 0.1 * x * x
    return np.sum(x * x)


def places(n, rng):
    return rng.integers(-n, max(n, 1), n)


def square(n, rng):
    return rng.uniform(0.5, 1.5, (n, n)), places(n, rng), places(n, rng)


def wide(n, rng):
    return rng.uniform(0.5, 1.5, (n, max(n, 3))), rng.uniform(0.5, 1.5, n), places(n, rng)


def square_and_vector(n, rng):
    return rng.uniform(0.5, 1.5, (n, n)), rng.uniform(0.5, 1.5, n), places(n, rng), places(n, rng)


def cube(n, rng):
    return rng.uniform(0.5, 1.5, (n, n, 2)), places(n, rng)


def vector(n, rng):
    return rng.uniform(0.5, 1.5, n), places(n, rng)


ENTRIES = (
    Entry(gather_of_two_axes, square, least=1, bits=False),
    Entry(gather_of_columns, square, least=1, bits=False),
    Entry(scatter_beside_a_slice, wide, bits=False),
    Entry(scatter_of_two_axes, square_and_vector, bits=False),
    Entry(gather_of_three_axes, cube, least=1, bits=False),
    Entry(gather_in_a_loop, vector, bits=False),
)
