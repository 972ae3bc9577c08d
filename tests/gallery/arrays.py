"""Array code: creation, elementwise functions, broadcasting, reductions, products, results."""

import numpy as np
from numpy import sqrt as root

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, integers, number, signed, size


def array_elementwise(a, b, c):
    """Arithmetic of arrays and numbers."""
    return (a * 2.0 + b / 3.0 - c) * a - -b


def array_functions(x):
    """NumPy's elementwise functions."""
    y = np.exp(x) + np.log(x) * np.sin(x) - np.cos(x) + np.tanh(x) + np.arctan2(x, 2.0) + np.hypot(x, 1.0)
    return y + np.expm1(x) + np.log1p(x) + np.arctan(x) + np.cosh(x) + np.sinh(x) + x**1.5


def array_exact_functions(x):
    """Functions with NumPy's very bits."""
    return root(np.abs(x)) + np.sign(x) + np.floor(3.0 * x) - np.ceil(2.0 * x) + np.rint(4.0 * x) + np.square(x) + x**2 - np.negative(x)


def array_maximum(x, y):
    """Maximum, minimum, clip."""
    return np.maximum(x, y) - np.minimum(x, 0.25) + np.clip(y, -0.5, 0.5) + x.clip(0.0, 1.0)


def array_where(x):
    """A choice per element; the other side does not matter."""
    return np.where(x > 0, np.log(np.abs(x) + 1.0), x * 2.0) + np.where(x < 0.25, 1.0, 0.0)


def array_comparisons(x, y):
    """Comparisons and logic give booleans."""
    mask = (x > y) & (x > 0) | ~(y > 0.1)
    return mask, np.sum(mask), np.logical_and(x > 0, y > 0), x == y


def array_creation(n):
    """Arrays of every kind."""
    a = np.zeros(n) + np.ones(n) * 3.0 - np.full(n, 0.5)
    b = np.eye(n) + np.zeros((n, n))
    c = np.arange(n) * 2
    d = np.linspace(0.0, 1.0, n)
    e = np.zeros_like(b) + np.ones_like(b) + np.full_like(b, 2.0)
    return a, b, c, d, e


def array_created_types(n):
    """Created arrays have the dtype that NumPy gives them."""
    return (
        np.zeros(n, dtype=np.float32),
        np.ones(n, dtype=int),
        np.arange(2, 9, 3),
        np.arange(0.0, 1.0, 0.3),
        np.full(n, 7),
        np.zeros(n, bool),
    )


def array_literal(a, b):
    """An array written out."""
    x = np.array([a, b, a * b])
    m = np.array([[1.0, a], [b, 2.0]])
    return x * 2.0, m @ m


def array_sums(A):
    """Sums over axes."""
    return np.sum(A), np.sum(A, axis=0), A.sum(axis=1), np.sum(A, axis=1, keepdims=True), A.sum(axis=-1), np.sum(A, (0, 1))


def array_means(A):
    """Means over axes."""
    return np.mean(A), A.mean(axis=0), np.mean(A, axis=1, keepdims=True)


def array_extremes(A):
    """Maxima and minima over axes."""
    return np.max(A), A.min(), np.max(A, axis=0), np.min(A, axis=1), np.max(A, axis=1, keepdims=True), np.max(A * A, axis=0)


def array_product_of_elements(x):
    """np.prod."""
    return np.prod(x), x.prod()


def array_truth(x):
    """np.all and np.any."""
    return np.all(x > 0), np.any(x > 0.9), (x > -2.0).all()


def array_matrix_products(A, B, x, y):
    """Products of matrices and vectors."""
    return A @ B, A @ x, y @ A, x @ x, np.dot(A, B), np.matmul(B, A), x.dot(x), np.outer(x, y)


def array_transposed_products(A, x):
    """Products with transposes and parts."""
    return A.T @ A, A @ A.T, A.T @ (A @ x), A[1:] @ x, A[:, 0] @ A[:, 1], A.T[1] @ A[:, 0], A[::2].T @ A[::2]


def array_product_in_place(C, A, B, alpha, beta):
    """C = alpha A B + beta C."""
    C[:] = alpha * A @ B + beta * C


def array_product_accumulates(C, A, B):
    """C += A B, C -= A B, C = B A."""
    C += A @ B
    C -= B @ A
    C[:] = C @ A


def array_scaled_products(A, B, x, a, b):
    """A factor of a matrix in products with vectors."""
    return a * A @ x + x @ (B[:, 1:] * b / 3.0)


def array_scaled_then_changed(A, x, a):
    """A factor that changes before the product is taken."""
    T = a * A
    A[0, 0] = 5.0
    return T @ x + A @ x


def array_rows_times_matrix(A, B):
    """Each row times one matrix, in place."""
    for r in range(A.shape[0]):
        A[r, :] = A[r, :] @ B + B @ A[r, :]


def array_triangle_of_products(A, C):
    """A column times the columns that follow it."""
    for i in range(A.shape[1]):
        C[i:, i] += 0.5 * (A[:, i] @ A[:, i:])
        C[i, :i] = A[:, : i + 1][0, :i] * C[i, i]
    return C


def array_windows(A, B):
    """A convolution over pixels, window by window."""
    K = B.shape[0]
    out = np.empty((A.shape[0] - K + 1, A.shape[1] - K + 1, B.shape[3]))
    for i in range(A.shape[0] - K + 1):
        for j in range(A.shape[1] - K + 1):
            window = A[i : i + K, j : j + K, :, np.newaxis]
            out[i, j, :] = np.sum(window * B, axis=(0, 1, 2))
    return out


def array_windows_of_rows(A, B, C):
    """A window of rows times weights."""
    for j in range(1, A.shape[0]):
        C[j - 1, :] = np.sum(A[j, :, np.newaxis] * B, axis=0)


def array_windows_in_place(A, B):
    """Windows of an array that the loop writes."""
    for j in range(1, A.shape[0]):
        A[j - 1, :] = np.sum(A[j, :, np.newaxis] * B, axis=0)


def array_softmax(x):
    """Softmax over the last axis."""
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def array_bound_anew(A):
    """A = A + 1 makes a new array."""
    A = A + 1.0
    A[0] = 0.0
    return A


def array_in_place(A):
    """A += 1 updates the caller's."""
    A += 1.0
    A *= A
    return A


def array_alias(A):
    """Two names of one array."""
    B = A
    B[0] = 4.0
    return A[0] * 2.0


def array_copy(A):
    """A copy is another array."""
    B = A.copy()
    B[0] = 4.0
    return A[0] + B[0], B


def array_part_returned(A):
    """A part of an argument as the result."""
    return A[1:], A[0]


def array_returned_twice(A):
    """One array, returned twice."""
    B = A * 2.0
    return B, B


def array_shape_arithmetic(A):
    """shape, size, ndim, len."""
    n, m = A.shape
    return n * m, A.size, A.ndim, len(A), A.shape[1] - A.shape[0]


def array_broadcasts(A, v, w):
    """Shapes of several ranks."""
    return A + v, A * w[:, None], A - 1.0, v[None, :] * w[:, None] + A


def array_ones_broadcast(A, row, column):
    """Extents of 1 stretch."""
    A += row
    A *= column
    return row + column


def array_scalar_once(A, x):
    """A number is computed once, before the array that uses it changes."""
    A[:] = A * A[0] + np.sum(A)
    A -= A[-1]
    return A * np.sqrt(x)


def array_integers(k):
    """Integer arrays."""
    k += 2
    k[0] = 7
    return k // 2, k % 3, k * 1.5, k + k, k / 2, np.sum(k), k**2, np.abs(k)


def array_singles(x):
    """float32 stays float32."""
    y = x * 2.0 + 1.0
    y[0] = 0.1
    return y, np.sum(x), x @ x, np.sqrt(x), x.astype(np.float64) * 0.1


def singles(n, rng):
    return (rng.uniform(0, 1, n).astype(np.float32),)


def array_reduction_of_expression(x, y):
    """Sums of expressions, as a distance."""
    return np.sqrt(np.sum((x - y) ** 2)), np.mean(np.abs(x - y)), np.sum(x * y) / np.sum(y)


def array_temporary_reused(x):
    """An array bound again to a new value."""
    y = x + 1.0
    y = y * y
    y = y - x
    return y


def array_fill(x):
    """fill and whole assignment."""
    x.fill(2.0)
    y = np.empty(3)
    y[:] = 5.0
    y[...] += 1.0
    return y


def array_statistics(A):
    """Variance and standard deviation."""
    return np.var(A), A.std(), np.var(A, axis=0), np.std(A, axis=1, keepdims=True), A.var(ddof=1), np.linalg.norm(A), np.trace(A)


def array_running_sums(A, x):
    """cumsum of a vector and along axes, diff."""
    return np.cumsum(x), np.cumsum(A, axis=0), A.cumsum(axis=1), np.diff(x), np.diff(np.cumsum(x))


def array_places_of_extremes(x):
    """argmax and argmin."""
    k = np.argmax(x)
    x[k] = -5.0
    return k, np.argmin(x), x[np.argmax(x)]


def array_joined(x, y, A):
    """Arrays joined and stacked."""
    B = np.vstack((A, x))
    return np.concatenate((x, y * 2.0, x)), np.stack((x, y)), np.hstack((x, y)), B, np.concatenate((A, A), axis=1), np.hstack((A, A))


def array_flipped(x, A):
    """Flips and rolls."""
    return np.flip(x) * 1.0, np.flip(A, axis=1) + A, np.roll(x, 2), np.roll(x, -1) - np.roll(x, 1), np.roll(A, 1, axis=0), np.flip(A) * 2.0


def array_reshaped(A):
    """Other shapes and orders of axes."""
    return A.reshape(-1) * 2.0, np.ravel(A), A.reshape(A.shape[1], A.shape[0]), np.transpose(A, (1, 0)) + 0.0, A.flatten()


def array_triangles(A):
    """Upper and lower triangles."""
    return np.triu(A), np.tril(A, -1), np.triu(A * 2.0, 1) + np.tril(A), np.identity(A.shape[0]) * 2.0


def array_axes_reordered(A):
    """A transpose of three axes is a view."""
    B = A.transpose(2, 0, 1)
    B[0] += 1.0
    return np.sum(B, axis=0), np.transpose(A)[0] * 1.0


def array_laplace(n):
    """A matrix made element by element."""
    A = np.zeros((n, n))
    for i in range(n):
        A[i, i] = 2.0
        if i > 0:
            A[i, i - 1] = A[i - 1, i] = -1.0
    return A


def arrays_copied_crosswise(x, y, n):
    """Two names bound to copies of each other in one statement: both are read before either is bound."""
    for _t in range(n):
        x, y = y.copy(), x.copy()
        x[0] *= 0.5
        x, y = y * 0.5 + x, x.copy()
    return np.sum(np.cos(x) * y)


def arrays_scaled_then_copied_crosswise(x, y, n):
    """The same where a name means the caller's array in the first trip only."""
    for _t in range(n):
        x *= 0.5
        x, y = y.copy(), x.copy()
    return np.sum(np.cos(x) * y)


ENTRIES = (
    Entry(arrays_scaled_then_copied_crosswise, all_of(signed("n"), array("n"), size()), bits=False, least=1),
    Entry(arrays_copied_crosswise, all_of(signed("n"), array("n"), size()), bits=False, least=1),
    Entry(array_elementwise, all_of(array("n"), array("n"), number())),
    Entry(array_functions, array("n"), bits=False),
    Entry(array_exact_functions, signed("n")),
    Entry(array_maximum, all_of(signed("n"), signed("n"))),
    Entry(array_where, signed("n"), bits=False),
    Entry(array_comparisons, all_of(signed("n"), signed("n"))),
    Entry(array_creation, size()),
    Entry(array_created_types, size()),
    Entry(array_literal, all_of(number(), number()), bits=False),
    Entry(array_sums, array("n", "n+1"), bits=False),
    Entry(array_means, array("n", "n+1"), bits=False, least=1),
    Entry(array_extremes, signed("n", "n+1"), least=1),
    Entry(array_product_of_elements, array("n"), bits=False),
    Entry(array_truth, signed("n")),
    Entry(array_matrix_products, all_of(array("n", "n"), array("n", "n"), array("n"), array("n")), bits=False),
    Entry(array_transposed_products, all_of(array("n", 3), array(3)), bits=False, least=1),
    Entry(array_product_in_place, all_of(array("n", "n+1"), array("n", 3), array(3, "n+1"), number(), number()), bits=False),
    Entry(array_product_accumulates, all_of(array("n", "n"), array("n", "n"), array("n", "n")), bits=False),
    Entry(array_scaled_products, all_of(array("n", "n"), array("n", "n+1"), array("n"), number(), number()), bits=False, least=1),
    Entry(array_scaled_then_changed, all_of(array("n", "n"), array("n"), number()), bits=False, least=1),
    Entry(array_rows_times_matrix, all_of(array("n", 3), array(3, 3)), bits=False, least=1),
    Entry(array_triangle_of_products, all_of(array(3, "n"), array("n", "n")), bits=False, least=1),
    Entry(array_windows, all_of(array("n+1", "n+2", 2), array(2, 2, 2, 3)), bits=False, least=1),
    Entry(array_windows_of_rows, all_of(array("n", 2), array(2, 3), array("n", 3)), bits=False, least=1),
    Entry(array_windows_in_place, all_of(array("n", 3), array(3, 3)), bits=False, least=1),
    Entry(array_softmax, signed("n", 2, 3), bits=False),
    Entry(array_bound_anew, array("n"), least=1),
    Entry(array_in_place, array("n")),
    Entry(array_alias, array("n"), least=1),
    Entry(array_copy, array("n"), least=1),
    Entry(array_part_returned, array("n", 2), least=1),
    Entry(array_returned_twice, array("n")),
    Entry(array_shape_arithmetic, array("n", "n+2")),
    Entry(array_broadcasts, all_of(array("n", "n+1"), array("n+1"), array("n"))),
    Entry(array_ones_broadcast, all_of(array("n", 3), array(1, 3), array("n", 1))),
    Entry(array_scalar_once, all_of(array("n"), number()), bits=False, least=1),
    Entry(array_integers, integers("n"), least=1),
    Entry(array_singles, singles, bits=False, least=1),
    Entry(array_reduction_of_expression, all_of(array("n"), array("n")), bits=False, least=1),
    Entry(array_temporary_reused, array("n")),
    Entry(array_fill, array("n")),
    Entry(array_statistics, array("n", "n+1"), bits=False, least=2),
    Entry(array_running_sums, all_of(array("n", "n+1"), array("n")), bits=False, least=1),
    Entry(array_places_of_extremes, signed("n"), least=1),
    Entry(array_joined, all_of(array("n"), array("n"), array("n", "n"))),
    Entry(array_flipped, all_of(array("n"), array("n", "n+1")), least=1),
    Entry(array_reshaped, array("n", "n+1")),
    Entry(array_triangles, array("n", "n+1")),
    Entry(array_axes_reordered, array(2, "n", 3)),
    Entry(array_laplace, size()),
)
