"""Functions of NumPy that are made of others: sums over letters, grids, repeats, outer products, covariances."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, size, value


def function_einsum_products(A, B, x):
    """Products of matrices and vectors, in any order of the letters."""
    C = np.einsum("ij,kj->ik", A, B) + np.einsum("ij,jk", A, B) + np.einsum("ji,jk->ki", A, B)
    return C, np.einsum("ij,j->i", A, x) + np.einsum("i,ij->j", x, A), np.einsum("i,i", x, x)


def function_einsum_diagonals(A, x):
    """Letters that stand twice in one operand."""
    return np.einsum("ii->i", A) * x, np.einsum("ii", A) + np.einsum("iji->", A[:, :, None] * x)


def function_einsum_sums(A, B, x):
    """Three operands, sums of one, outer and elementwise products."""
    s = np.einsum("i,ij,j->", x, A, x) + np.einsum("ij,ij->", A, B)
    return s, np.einsum("i,j->ij", x, x), np.einsum("ij->j", A) + np.einsum("ij->ji", A) @ x, np.einsum("ijk,jk->i", A[:, :, None] * x, B)


def function_grids(x, n):
    """Grids of indices and of values."""
    i, j = np.mgrid[0:n, 1:4]
    a, b = np.ogrid[0:n, 1:4]
    X, Y = np.meshgrid(x, x * 2.0)
    P, Q = np.meshgrid(x, x * 2.0, indexing="ij")
    return np.sum(X * Y + P * P * Q.T), (i * 0.5 + j + a * b) * x[:, None], np.mgrid[0:n] * x


def function_repeats(x, A, k):
    """Elements side by side, in a vector and along an axis."""
    return np.repeat(x, 3) ** 2, np.repeat(A, 2, axis=1), np.repeat(A, 2), x.repeat(k)


def function_outer(x, A):
    """Every element with every other, by several operations."""
    return np.add.outer(x, x) ** 2, np.multiply.outer(A, x), np.maximum.outer(x, A[0])


def function_covariances(A, x):
    """Of rows, of columns, of a vector."""
    return np.cov(A), np.cov(A, rowvar=False), np.cov(x), np.cov(A, bias=True)


def function_places_of_extremes(A, x):
    """Of all elements, and along each axis."""
    k = A.argmax()
    r, c = np.argmin(A, axis=1), np.argmax(A, axis=0)
    return A.ravel()[k] + np.sum(x[r] * x) + np.sum(c) + x[np.argmax(x)]


def function_columns(x, A):
    """Columns side by side, running sums of all elements, powers by name."""
    return np.column_stack((x, A, 2.0 * x)), np.cumsum(A), pow(x, 3)


SQUARE = all_of(array("n", "n"), array("n", "n"), array("n"))

ENTRIES = (
    Entry(function_einsum_products, SQUARE, bits=False),
    Entry(function_einsum_diagonals, all_of(array("n", "n"), array("n")), bits=False),
    Entry(function_einsum_sums, SQUARE, bits=False),
    Entry(function_grids, all_of(array("n"), size()), bits=False),
    Entry(function_repeats, all_of(array("n"), array("n", "n+1"), value(2))),
    Entry(function_outer, all_of(array("n"), array("n+1", "n"))),
    Entry(function_covariances, all_of(array("n", "n+3"), array("n+2")), bits=False, least=2),
    Entry(function_places_of_extremes, all_of(array("n", "n"), array("n")), bits=False, least=1),
    Entry(function_columns, all_of(array("n"), array("n", 2)), bits=False),
)
