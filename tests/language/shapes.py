"""New arrays, and arrays put together or in another order."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, size


def zeros_ones_empty_full(n, c):
    a, b, d = np.zeros(n), np.ones((n, 2)), np.full(n, c)
    e = np.empty(n)
    for i in range(n):
        e[i] = c * i
    return a + b[:, 0] + d * e


def arrays_like_another(A):
    B = np.zeros_like(A)
    C = np.empty_like(A)
    C[...] = A * A
    return B + np.ones_like(A) * np.full_like(A, 2.0) + C


def arange_and_linspace(x):
    k = np.arange(len(x))
    return np.sum(x * np.linspace(0.0, 1.0, len(x))) + np.sum(x**2 * k) + np.sum(np.arange(0.0, 1.0, 0.25))


def arange_of_computed_floats(x, n):
    h = 1.0 / (n + 1)
    t = np.arange(0.0, 1.0, h)
    return t * x[0] ** 2, np.sum(np.sin(np.arange(h, 2.0, 0.25)) * x[0])


def identity_matrix(A):
    return A @ (A + np.eye(A.shape[0]))


def array_of_literals(x):
    weights = np.array([0.25, 0.5, 0.25])
    s = 0.0
    for i in range(len(x) - 2):
        s += np.sum(weights * x[i : i + 3]) ** 2
    return s


def shape_ndim_size_len(A):
    n, m = A.shape
    return np.sum(A) * A.size / (A.ndim + len(A) + n * m + A.shape[-1])


def transpose_with_axes(A):
    return np.transpose(A, (1, 0, 2)) * 2.0, A.transpose(2, 1, 0).copy(), np.swapaxes(A, 0, 1)


def reshape_and_ravel(A):
    return np.sum(A.reshape(A.shape[1], A.shape[0]) * A.T) + np.sum(np.reshape(A, (-1,)) ** 2) + np.sum(A.ravel()[::2])


def concatenate_and_stack(x, y):
    return np.concatenate([x, y, x * y]), np.stack([x, y]), np.vstack((x, y)), np.hstack((x, y)), np.stack((x, y), axis=1)


def flip_and_roll(x, A):
    return np.flip(x) * np.roll(x, 1), np.flip(A, axis=1), np.roll(A, -1, axis=0) * A


def repeat_and_triangles(x, A):
    return np.repeat(x, 2) ** 2, np.triu(A, 1) @ np.tril(A)


def broadcasting(A, x):
    return np.sum((A - x) * x[:, np.newaxis] / (1.0 + A * 2.0))


def astype_and_item(x):
    k = (4.0 * x).astype(np.int64)
    return np.sum(k.astype(np.float64) * x) + np.sum(x[:1]).item()


def fill_in_place(x):
    y = np.empty(len(x))
    y.fill(2.0)
    return np.sum(y * x)


def mesh_of_indices(A):
    i, j = np.mgrid[0:3, 0:4]
    return np.sum(A * (i + 2 * j))


def matrix_and_vector(n, rng):
    return rng.uniform(0.5, 1.5, n), rng.uniform(0.5, 1.5, (n, n))


ENTRIES = (
    Entry(zeros_ones_empty_full, all_of(size(), number())),
    Entry(arrays_like_another, array("n", 3)),
    Entry(arange_and_linspace, array("n"), bits=False),
    Entry(arange_of_computed_floats, all_of(array("n"), size()), least=1, bits=False),
    Entry(identity_matrix, array("n", "n"), bits=False),
    Entry(array_of_literals, array("n"), bits=False),
    Entry(shape_ndim_size_len, array("n", 3), bits=False),
    Entry(transpose_with_axes, array("n", 3, 2)),
    Entry(reshape_and_ravel, array("n", 4), bits=False),
    Entry(concatenate_and_stack, all_of(array("n"), array("n"))),
    Entry(flip_and_roll, matrix_and_vector),
    Entry(repeat_and_triangles, matrix_and_vector, bits=False),
    Entry(broadcasting, lambda n, rng: matrix_and_vector(n, rng)[::-1], bits=False),
    Entry(astype_and_item, array("n"), bits=False),
    Entry(fill_in_place, array("n"), bits=False),
    Entry(mesh_of_indices, array(3, 4), bits=False),
)
