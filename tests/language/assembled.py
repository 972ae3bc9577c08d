"""Arrays made of others: diagonals, tiles, borders, elements by their places, powers; and arrays as views of another rank."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, size


def diagonal_matrices(x, A):
    return np.diag(x) @ A, np.diag(x, 1) * 2.0, np.diag(x * x, k=-2), np.diag(A) * x, np.diag(A, 1), np.sum(np.diag(np.diag(A)))


def diagonals_of_stacks(A):
    return np.diagonal(A), np.diagonal(A, offset=1, axis1=0, axis2=2) ** 2, A.diagonal(-1, 1, 2)


def tiles(x, A):
    return np.tile(x, 3) ** 2, np.tile(A, (2, 1)), np.tile(x, (2, 2)), np.tile(x[0], 3), np.tile(A, (2, 1, 2)) * 0.5


def borders_of_numbers(x, A):
    return np.pad(x, 1) ** 2, np.pad(A, ((1, 2), (0, 1)), constant_values=3.0), np.pad(x, (2, 1), constant_values=(x[0], 2.0))


def borders_from_inside(x, A):
    wrapped = np.pad(x, (1, 2), mode="wrap")
    return wrapped[1:] * wrapped[:-1], np.pad(A, 1, mode="edge"), np.pad(A, ((1, 1), (2, 0)), mode="reflect"), np.pad(x, 5, "reflect")


def stencil_with_periodic_border(x, n):
    for _ in range(n):
        y = np.pad(x, 1, mode="wrap")
        x = x + 0.1 * (y[2:] - 2.0 * y[1:-1] + y[:-2])
    return x


def taken_elements(x, A, i):
    return np.take(x, i) ** 2, np.take(A, i, axis=0), A.take([1, 0], axis=1), np.take(A, 1) * x[0], np.take(A, -1, axis=1)


def taken_copies(x):
    y = np.take(x, np.arange(len(x)))
    y[0] = 2.0
    return y * x


def appended(x, A):
    return np.append(x, x * 2.0), np.append(x, 1.0), np.append(A, A * A, axis=0), np.append(A, x), np.append(x, [x[0], 2.0])


def kronecker_products(x, A):
    return np.kron(A, A), np.kron(x, x), np.kron(A, x) ** 2, np.kron(2.0, x)


def views_of_another_rank(x):
    row = np.atleast_2d(x)
    row[0, 0] = row[0, 0] * 2.0
    same = np.asarray(x)
    same[-1] += 1.0
    also = np.atleast_1d(x)
    also[0] *= x[-1]
    return np.sum(x * x), np.atleast_1d(x[0]), np.atleast_2d(3.0)


def contiguous_arrays(x, A):
    y = np.ascontiguousarray(x)
    y[0] = x[0] * 3.0
    column = np.ascontiguousarray(A[:, 0])
    column[0] = 5.0
    return np.sum(x * x), np.sum(A * column[0]), np.asarray([x[0], 2.0]) * x[0], np.asarray(A, dtype=np.float64) ** 2


def broadcast_arrays(x, A, n):
    return np.broadcast_to(x, (n, len(x))) * 2.0, np.sum(A * np.broadcast_to(x[:1], A.shape)), np.broadcast_to(x[0], (2, n))


def indices_of_elements(A):
    i, j = np.indices((3, 4))
    k, m = np.indices(A.shape, sparse=True)
    return np.sum(A * (i + 2 * j)), A * (k - m), np.indices((2,))


def quarter_turns(A):
    turned = np.rot90(A)
    turned[0, 0] *= 2.0
    return np.rot90(A, 2) * 2.0, np.rot90(A, -1) ** 2, np.rot90(A, 1, (1, 0)), np.rot90(A, k=4)


def triangles_of_ones(A, n):
    return A * np.tri(3, 4), A * np.tri(3, 4, -1), np.sum(A) * np.tri(n, dtype=np.int64)


def powers_in_rows(x):
    return np.vander(x), np.vander(x, 3) * 2.0, np.vander(x, 4, increasing=True)


def layers_in_depth(x, A):
    return np.dstack((x, x * x)), np.dstack([A, A * 2.0, A]), np.dstack((A, A))[0, 0, 1] * x[0]


def vector_and_square(n, rng):
    return rng.uniform(0.5, 1.5, n), rng.uniform(0.5, 1.5, (n, n))


def vector_matrix_places(n, rng):
    return rng.uniform(0.5, 1.5, n), rng.uniform(0.5, 1.5, (n, 3)), rng.integers(-n, n, 4)


ENTRIES = (
    Entry(diagonal_matrices, vector_and_square, bits=False),
    Entry(diagonals_of_stacks, array("n", 3, 4)),
    Entry(tiles, all_of(array("n"), array("n", 2)), least=1),
    Entry(borders_of_numbers, all_of(array("n"), array("n", 2)), least=1),
    Entry(borders_from_inside, all_of(array("n"), array("n", 3)), least=1),
    Entry(stencil_with_periodic_border, all_of(array(4), size())),
    Entry(taken_elements, vector_matrix_places, least=1),
    Entry(taken_copies, array("n"), least=1),
    Entry(appended, all_of(array("n"), array("n", 2)), least=1),
    Entry(kronecker_products, all_of(array("n"), array("n", 2))),
    Entry(views_of_another_rank, array("n"), least=1, bits=False),
    Entry(contiguous_arrays, all_of(array("n"), array("n", 2)), least=1, bits=False),
    Entry(broadcast_arrays, all_of(array("n"), array(3, "n"), size()), least=1, bits=False),
    Entry(indices_of_elements, array(3, 4), bits=False),
    Entry(quarter_turns, array("n", 3), least=1),
    Entry(triangles_of_ones, all_of(array(3, 4), size()), bits=False),
    Entry(powers_in_rows, array("n"), bits=False),
    Entry(layers_in_depth, all_of(array("n"), array("n", 2)), least=1),
)
