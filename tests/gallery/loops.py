"""Loops: ranges of every kind, bounds from outer indices and data, carried values, exchanges."""

import math

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, size, value


def loop_reads_neighbours(A, B):
    """A stencil from one array into another."""
    for i in range(1, A.shape[0] - 1):
        B[i] = (A[i - 1] + A[i] + A[i + 1]) / 3.0


def loop_in_place_recurrence(A):
    """Each element from the one just written."""
    for i in range(1, A.shape[0]):
        A[i] = A[i] - 0.5 * A[i - 1]


def loop_nonlinear_sweeps(A, T):
    """In-place sweeps of a product of neighbours: every value is overwritten."""
    for _t in range(T):
        for i in range(1, A.shape[0] - 1):
            for j in range(1, A.shape[1] - 1):
                A[i, j] = 0.5 * A[i, j] + 0.25 * math.sin(A[i - 1, j] * A[i, j - 1])
    return np.sum(A)


def loop_triangular_factorization(A):
    """Cholesky in scalar loops: bounds from outer indices."""
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = math.sqrt(A[i, i])


def positive_definite(n, rng):
    A = rng.uniform(-1, 1, (n, n))
    return (A @ A.T + n * np.eye(n),)


def loop_exchanges_arrays(u, un, steps, N):
    """Upwind Burgers: two arrays exchanged at each step."""
    for _t in range(steps):
        for i in range(1, N - 1):
            f = max(u[i], 0.0) * (u[i] - u[i - 1]) + min(u[i], 0.0) * (u[i + 1] - u[i])
            un[i] = u[i] - 0.2 * f + 0.1 * (u[i + 1] - 2 * u[i] + u[i - 1])
        u, un = un, u
    return u


def loop_exchanges_with_local(u, steps):
    """One of the exchanged arrays is the kernel's own."""
    un = np.zeros_like(u)
    for _t in range(steps):
        for i in range(u.shape[0]):
            un[i] = 2.0 * u[i]
        u, un = un, u
    return np.sum(u)


def loop_rotates_three_arrays(a, b, c, steps):
    """Three names go round."""
    for _t in range(steps):
        for i in range(a.shape[0]):
            a[i] = b[i] + 0.5 * c[i]
        a, b, c = b, c, a
    return a, b, c


def loop_backwards(A):
    """A negative step down to 0."""
    for i in range(A.shape[0] - 2, -1, -1):
        A[i] = A[i] + 0.5 * A[i + 1]


def loop_ragged_step(x):
    """Every third element, the last stride cut short."""
    for i in range(0, len(x), 3):
        x[i] = x[i] * x[i]
    return np.sum(x)


def loop_ragged_negative_step(x):
    """Every third element from the end."""
    for i in range(len(x) - 1, -1, -3):
        x[i] = x[i] * x[i]
    return np.sum(x)


def loop_step_known_at_run_time(x, start, stop, step):
    """Start, stop and step are arguments."""
    s = 0.0
    for i in range(start, stop, step):
        s = s * 0.5 + x[i]
    return s


def loop_bounds_from_data(indptr, val):
    """Row sums of a ragged array."""
    out = np.zeros(indptr.shape[0] - 1)
    for i in range(indptr.shape[0] - 1):
        for k in range(indptr[i], indptr[i + 1]):
            out[i] += val[k]
    return out


def ragged(n, rng):
    counts = rng.integers(0, 4, n)
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return indptr, rng.uniform(0, 1, int(indptr[-1]))


def loop_index_from_data(idx, x):
    """A gather, written as a loop."""
    s = 0.0
    for i in range(len(idx)):
        s += x[idx[i]] * x[idx[i]]
    return s


def indices_and_data(n, rng):
    return rng.integers(-n, n, 2 * n), rng.uniform(0, 1, n)


def loop_index_scatter(idx, x, y):
    """A scatter with repeated indices, written as a loop."""
    for i in range(len(idx)):
        y[idx[i]] += x[i]


def scattered(n, rng):
    return rng.integers(0, max(n, 1), n), rng.uniform(0, 1, n), np.zeros(n)


def loop_variable_after(x):
    """The loop variable lives on after its loop."""
    i = -1
    for i in range(len(x)):
        x[i] = 2.0 * x[i]
    return x[i] + i


def loop_variable_assigned_inside(x):
    """Assigning the loop variable does not change the trips."""
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        i = i * 2
        s += i
    return s


def loop_counts_integers(x):
    """An integer counts in a loop and is used as an index."""
    k = 0
    for i in range(len(x)):
        if x[i] > 0.0:
            x[k] = x[i]
            k += 1
    return k


def loop_counter_reset(x):
    """A counter is set again before each inner loop that counts it."""
    s = 0.0
    j = 0
    for i in range(len(x)):
        j = i // 2
        for _k in range(3):
            s += x[j % len(x)] * j
            j = j + 1
        s -= j
    return s, j


def loop_integer_becomes_float(x):
    """An accumulator starts as the integer 0."""
    s = 0
    for i in range(len(x)):
        s += x[i]
    return s


def loop_carries_two_scalars(n):
    """Fibonacci by tuple assignment."""
    a, b = 0.0, 1.0
    for _i in range(n):
        a, b = b, a + b
    return a


def loop_carries_two_integers(n):
    """Fibonacci in integers."""
    a, b = 0, 1
    for _i in range(n):
        a, b = b, a + b
    return a


def loop_over_rows(A):
    """A loop over an array gives its rows, which are views."""
    for row in A:
        row[0] = row[0] + row[1]
    return np.sum(A)


def loop_over_elements(x):
    """A loop over a vector gives its elements."""
    s = 0.0
    for v in x:
        s = s * 0.5 + v
    return s


def loop_enumerates(x, A):
    """enumerate and zip give elements, rows and counts."""
    s = 0.0
    for i, v in enumerate(x):
        s += i * v
        x[i] = 2.0 * v
    for k, row in enumerate(A, 1):
        row[0] = k
    for v, row, j in zip(x, A, range(1, 100), strict=False):
        s = s * 0.5 + v * row[1] + j
    return s


def loop_over_tuple(x):
    """A loop over a literal tuple is unrolled."""
    s = 0.0
    for c in (1.0, 2.0, -0.5):
        for i in range(len(x)):
            s += c * x[i]
    return s


def loop_over_pairs(x):
    """Unrolled over a tuple of tuples."""
    s = 0.0
    for i, c in ((0, 0.5), (1, 2.0), (-1, 3.0)):
        s += c * x[i]
    return s


def loop_over_diagonal(A, s):
    """Index arithmetic in two dimensions."""
    n = A.shape[0]
    for d in range(n):
        for i in range(n - d):
            A[i, i + d] = A[i, i + d] * s + A[n - 1 - i - d, n - 1 - i]


def loop_wraps_at_run_time(x):
    """A periodic neighbour: the index is negative in the first trip."""
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = x[i - 1] + 2.0 * x[i]
    return y


def loop_extent_given_apart(A, N, M):
    """Extents are given as integers of their own."""
    s = 0.0
    for i in range(N):
        for j in range(M):
            s += A[i, j]
    return s


def loop_blocks(x, b):
    """Blocks by integer division, the rest after them."""
    n = len(x)
    s = 0.0
    for k in range(n // 3):
        for i in range(3 * k, 3 * k + 3):
            s += b * x[i]
    for i in range(n - n % 3, n):
        s -= x[i]
    return s


def loop_nothing_to_do(x):
    """A loop that never runs."""
    s = 1.0
    for i in range(5, 2):
        s = s + x[i]
    return s


def loop_temporary_in_body(A):
    """An array that lives in one trip."""
    s = 0.0
    for i in range(A.shape[0]):
        row = A[i].copy()
        row[0] = 2.0 * row[0]
        for j in range(row.shape[0]):
            s += row[j] * A[i, j]
    return s


def loop_array_rebound(u, T):
    """A name is bound to a new array in every trip."""
    for _t in range(T):
        u = u * 0.5 + 1.0
    return u


def loop_array_renewed(u, T):
    """A new array becomes the old one: the caller's stays as it is."""
    for _t in range(T):
        un = u.copy()
        for i in range(1, u.shape[0] - 1):
            un[i] = 0.5 * (u[i - 1] + u[i + 1])
        u = un
    return u


def loop_wraps_in_strides(x, A):
    """The column of a stencil's target wraps, as only the last of the outer trips tells."""
    n = len(x)
    for i in range(n - 1, -1, -3):
        for j in range(1, n - 1):
            A[j, i - 1] += x[j - 1] * x[j]
    return np.sum(A)


def loop_reads_from_the_end_in_steps(y, x, c):
    """Of an array that ends with a branch: which elements are read is told by remainders that isl leaves unsaid."""
    n = len(x)
    if c > 5.0:
        y[0] = c
    else:
        w = np.sin(y) * c
        for i in range(0, n, 2):
            y[i] -= 0.5 / (1.5 + math.cos(w[n - 1 - i]) ** 2)


ENTRIES = (
    Entry(loop_reads_from_the_end_in_steps, all_of(array("n"), array("n"), number()), bits=False),
    Entry(loop_wraps_in_strides, all_of(array("n"), array("n", "n")), bits=False),
    Entry(loop_reads_neighbours, all_of(array("n"), array("n"))),
    Entry(loop_in_place_recurrence, array("n")),
    Entry(loop_nonlinear_sweeps, all_of(array("n", "n+1"), value(3)), bits=False),
    Entry(loop_triangular_factorization, positive_definite),
    Entry(loop_exchanges_arrays, all_of(signed("n"), signed("n"), value(3), size())),
    Entry(loop_exchanges_with_local, all_of(array("n"), value(3)), bits=False),
    Entry(loop_rotates_three_arrays, all_of(array("n"), array("n"), array("n"), value(4))),
    Entry(loop_backwards, array("n")),
    Entry(loop_ragged_step, array("n"), bits=False),
    Entry(loop_ragged_negative_step, array("n"), bits=False),
    Entry(loop_step_known_at_run_time, all_of(array("n"), size(-1), value(-1), value(-2)), least=1),
    Entry(loop_bounds_from_data, ragged),
    Entry(loop_index_from_data, indices_and_data),
    Entry(loop_index_scatter, scattered),
    Entry(loop_variable_after, array("n"), least=1),
    Entry(loop_variable_assigned_inside, array("n")),
    Entry(loop_counts_integers, signed("n")),
    Entry(loop_counter_reset, array("n")),
    Entry(loop_integer_becomes_float, array("n"), least=1),
    Entry(loop_carries_two_scalars, size()),
    Entry(loop_carries_two_integers, size()),
    Entry(loop_over_rows, array("n", 2), bits=False),
    Entry(loop_over_elements, array("n")),
    Entry(loop_enumerates, all_of(array("n"), array("n+1", 2))),
    Entry(loop_over_tuple, array("n")),
    Entry(loop_over_pairs, array("n"), least=2),
    Entry(loop_over_diagonal, all_of(array("n", "n"), number())),
    Entry(loop_wraps_at_run_time, array("n")),
    Entry(loop_extent_given_apart, all_of(array("n", "n+1"), size(), size(1))),
    Entry(loop_blocks, all_of(array("n"), number())),
    Entry(loop_nothing_to_do, array("n")),
    Entry(loop_temporary_in_body, array("n", 3)),
    Entry(loop_array_rebound, all_of(array("n"), value(3))),
    Entry(loop_array_renewed, all_of(array("n"), value(3))),
)
