"""NumPy's functions of elements, reductions and products."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, signed


def exponentials_and_logarithms(x):
    return np.sum(np.exp(-x) + np.log(x) + np.log1p(x) + np.expm1(x) + np.log2(x) + np.log10(x) + np.exp2(x))


def trigonometric_functions(x):
    return np.sum(np.sin(x) * np.cos(x) + np.tan(0.5 * x) + np.arcsin(0.5 * x) + np.arccos(0.5 * x) + np.arctan(x))


def hyperbolic_functions(x):
    return np.sum(np.sinh(x) - np.cosh(x) + np.tanh(x) + np.arcsinh(x) + np.arccosh(x + 1.0) + np.arctanh(0.5 * x))


def roots_and_powers(x, y):
    return np.sum(np.sqrt(x) + np.square(y) + np.power(x, y) + np.cbrt(x) + np.reciprocal(y) + np.hypot(x, y) + np.arctan2(x, y))


def signs_and_roundings(x):
    return np.sum(np.abs(x) * np.sign(x) + np.floor(x) * x + np.ceil(x) + np.rint(x) + np.trunc(x) + np.fabs(x) + np.negative(x))


def roundings_to_decimals(x):
    return np.sum(np.round(x, 2) * x + np.round(x, -1) + np.round(x) * x) + round(x[0], 1) * x[0]


def minimum_maximum_clip(x, y):
    return np.sum(np.minimum(x, y) * np.maximum(x, 0.3) + np.clip(x, -0.25, 0.75) + x.clip(0.1, 0.9))


def logical_functions(x, y):
    both = np.logical_and(x > 0.0, y > 0.0)
    either = np.logical_or(both, np.logical_not(x < 0.5)) & ~np.logical_xor(x > 0.2, y > 0.2)
    return np.sum(np.where(either | (x < -0.5), x * y, y))


def tests_of_values(x):
    return np.sum(np.where(np.isnan(x) | np.isinf(x) | ~np.isfinite(x), 0.0, x * x))


def sum_mean_and_product(A):
    return np.sum(A, axis=0) * np.mean(A, axis=0) + np.prod(A, axis=0), A.sum(), A.mean(axis=1, keepdims=True)


def variance_and_deviation(A):
    return np.var(A) + np.std(A, axis=1), A.var(axis=0), A.std()


def extremes(A):
    return np.max(A, axis=1) * np.min(A, axis=1), A.max() - A.min(), np.max(A, axis=0, keepdims=True)


def places_of_extremes(x):
    return x[np.argmax(x)] * x[np.argmin(x)]


def any_and_all(x):
    s = 0.0
    if np.any(x > 0.9) and not np.all(x > -0.9):
        s = np.sum(x * x)
    return s + np.sum(x)


def cumulative_sum(A):
    return np.sum(np.cumsum(A, axis=1) ** 2), np.cumsum(A[0])


def dot_of_vectors(x, y):
    return np.dot(x, y) * (x @ x)


def matrix_products(A, B, x):
    return A @ B, np.dot(A, x), x @ A, np.matmul(A.T, B)


def outer_products(x, y):
    return np.sum(np.outer(x, y) ** 2) + np.sum(np.add.outer(x, y) ** 2) + np.sum(np.subtract.outer(x, y) ** 2)


def einsum_products(A, B, x):
    return np.einsum("ij,jk->ik", A, B), np.einsum("ij,j->i", A, x), np.einsum("ii", A) + np.einsum("ij,ij->", A, B)


def differences_and_trace(A, x):
    return np.sum(np.diff(x) ** 2) + np.trace(A) ** 2 + np.linalg.norm(x + 1.0)


def histogram_with_weights(x, w):
    counts, edges = np.histogram(x, bins=4, range=(0.0, 2.0), weights=w)
    return np.sum(counts**2) + edges[1]


def covariance_matrix(A):
    return np.cov(A)


def square_arrays(n, rng):
    return rng.uniform(0.5, 1.5, (n, n)), rng.uniform(0.5, 1.5, (n, n)), rng.uniform(0.5, 1.5, n)


VECTORS = all_of(array("n"), array("n"))
SIGNED = all_of(signed("n"), signed("n"))

ENTRIES = (
    Entry(exponentials_and_logarithms, array("n"), bits=False),
    Entry(trigonometric_functions, array("n"), bits=False),
    Entry(hyperbolic_functions, array("n"), bits=False),
    Entry(roots_and_powers, VECTORS, bits=False),
    Entry(signs_and_roundings, signed("n"), bits=False),
    Entry(roundings_to_decimals, array("n"), least=1, bits=False),
    Entry(minimum_maximum_clip, SIGNED, bits=False),
    Entry(logical_functions, SIGNED, bits=False),
    Entry(tests_of_values, signed("n"), bits=False),
    Entry(sum_mean_and_product, array("n", 3), least=1, bits=False),
    Entry(variance_and_deviation, array("n", 3), least=1, bits=False),
    Entry(extremes, array("n", 3), least=1, bits=False),
    Entry(places_of_extremes, array("n"), least=1),
    Entry(any_and_all, signed("n"), bits=False),
    Entry(cumulative_sum, array("n", 3), least=1, bits=False),
    Entry(dot_of_vectors, VECTORS, bits=False),
    Entry(matrix_products, square_arrays, bits=False),
    Entry(outer_products, VECTORS, bits=False),
    Entry(einsum_products, square_arrays, bits=False),
    Entry(differences_and_trace, lambda n, rng: square_arrays(n, rng)[1:], bits=False),
    Entry(histogram_with_weights, all_of(array("n"), array("n")), bits=False),
    Entry(covariance_matrix, array(3, "n"), least=2, bits=False),
)
