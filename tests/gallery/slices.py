"""Slices and views: what a subscript names, and the right side evaluated before the left is written."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, size, value


def slice_stencil(A, B):
    """A stencil in slices."""
    B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])


def slice_shift_up(A):
    """A[1:] = A[:-1]: written from the end."""
    A[1:] = A[:-1]


def slice_shift_down(A):
    """A[:-1] = A[1:]: written from the start."""
    A[:-1] = A[1:]


def slice_add_shifted(A):
    """A[1:] += A[:-1] reads the old values."""
    A[1:] += A[:-1]


def slice_both_neighbours(A):
    """Reads on both sides need a temporary."""
    A[1:-1] = A[:-2] + A[2:]


def slice_reverses(x):
    """x[:] = x[::-1]."""
    x[:] = x[::-1]


def slice_reversed_in_part(x):
    """A[i] = 2*A[n-1-i] in a slice."""
    x[1:-1] = 2.0 * x[-2:0:-1]


def slice_transposes(A):
    """A[:] = A.T."""
    A[:] = A.T


def slice_shift_two_ways(A):
    """A diagonal shift in two dimensions."""
    A[1:, :-1] = A[:-1, 1:] + 1.0


def slice_row_from_row(A):
    """Rows that differ do not overlap."""
    for i in range(1, A.shape[0]):
        A[i, :] = A[i - 1, :] * 0.5 + A[i, :]


def slice_every_other(x):
    """Even elements from odd ones: no overlap."""
    x[::2] = x[::2] * 2.0
    x[1::2] = 1.0


def slice_halves(x, n):
    """The second half from the first."""
    x[n:] = 2.0 * x[:n]


def slice_negative_step(x):
    """Views that run backwards."""
    y = x[::-1]
    z = x[-1:0:-2]
    return y * 1.0, z * 2.0


def slice_clipped(x):
    """Slices beyond the ends are clipped."""
    y = x[:100].copy()
    z = x[3:2]
    w = x[-100:2]
    return y, np.sum(z), w * 1.0


def slice_row_is_a_view(A):
    """row = A[i]; row[0] = 1 writes A."""
    for i in range(A.shape[0]):
        row = A[i]
        row[0] = 1.0
        row[1:] += 2.0


def slice_view_of_view(A):
    """A view of a view of the transpose."""
    B = A.T[1:]
    C = B[::-1, 1:]
    C[0] = 7.0
    C[:, 0] *= 2.0


def slice_new_axis(x, y):
    """None makes an axis for broadcasting."""
    return x[:, None] * y[None, :]


def slice_ellipsis(A):
    """... stands for the axes that are not named."""
    A[..., 0] = 5.0
    return A[0, ...] * 1.0


def slice_column_and_row(A):
    """Columns and rows as vectors."""
    A[:, 0] = A[0, :]
    A[0, 1:] -= A[1:, 0]


def slice_broadcasts(A, v):
    """A vector to every row, a number to every cell."""
    A[:] = A * v
    A[1:] += v
    A[0] = 3.0


def slice_bounds_from_loop(x):
    """Slices with a moving bound."""
    s = 0.0
    for i in range(len(x)):
        s += np.sum(x[:i]) * 0.5
        x[i:] *= 0.5
    return s


def slice_bounds_from_arguments(x, a, b):
    """Bounds of any sign, given as integers."""
    x[a:b] = 0.0
    x[b:a] = 1.0
    return np.sum(x[a:])


def slice_whole_swap(A):
    """Rows exchanged through a copy."""
    t = A[0].copy()
    A[0] = A[1]
    A[1] = t


def slice_periodic(u):
    """Periodic borders by slices and elements."""
    un = np.empty_like(u)
    un[1:-1] = u[2:] - u[:-2]
    un[0] = u[1] - u[-1]
    un[-1] = u[0] - u[-2]
    return un


def slice_seidel(A, T):
    """Gauss-Seidel as published: a row slice, then a recurrence along it."""
    N = A.shape[0]
    for _t in range(T - 1):
        for i in range(1, N - 1):
            A[i, 1:-1] += A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            for j in range(1, N - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0


def slice_copies_between_steps(p, T):
    """pn = p.copy() in each step."""
    pn = np.empty_like(p)
    for _t in range(T):
        pn = p.copy()
        p[1:-1] = 0.5 * (pn[2:] + pn[:-2])
        p[0] = p[1]


def slice_old_name_kept(p, T):
    """old still names the array that pn named."""
    s = 0.0
    pn = p.copy()
    for _t in range(T):
        old = pn
        pn = p.copy()
        p[:] = 0.5 * pn + old
        s = s + old[0]
    return s


def slice_step_at_run_time(x, a, b, k):
    """A step known only when it runs, of either sign, with bounds that are clipped."""
    y = x[a:b:k] * 2.0
    s = 0.0
    for i in range(len(y)):
        s += y[i] * (i + 1)
    x[a:b:k] = y + 1.0
    return s


def slice_step_overlaps(x, k):
    """Both sides run over the same cells, one backwards."""
    x[::k] = x[::-k] * 0.5
    x[::k] += x[::k] * x[::k]
    return np.sum(x * x)


def slice_reshape_is_a_view(A):
    """What is written to the vector is seen in the matrix."""
    flat = A.reshape(-1)
    for i in range(1, len(flat)):
        flat[i] += 0.5 * flat[i - 1] * flat[i]
    return np.sum(A)


def slice_reshape_of_rows(A, i):
    """Rows side by side are a view too, and so is every part of it."""
    B = A[i : i + 2].ravel()
    B[1] = B[0] * 2.0
    B[::2] = 0.5
    return np.sum(A * A)


def slice_reshape_to_matrix(x, n):
    """Transposed, written by rows and by elements."""
    A = x.reshape((n, 2)).T
    A[0] *= 0.5
    for i in range(n):
        A[1, i] = A[0, i] * A[1, i]
    return np.sum(x * x)


def slice_reshape_sees_later_writes(A):
    """The matrix is written while the vector is in use."""
    v = A.reshape(-1)
    A[0, 0] = 5.0
    return v[0] + np.sum(v * v)


def slice_reshape_written_directly(x, n):
    """No name between the reshape and the write."""
    x.reshape((n, 2))[:, 0] = 3.0
    x.reshape(-1)[1] += 2.0
    np.transpose(x.reshape((2, n)))[0] *= 2.0
    return np.sum(x * x)


def slice_reshape_by_rows(x, n):
    """Rows of a reshape are views of the vector."""
    for row in x.reshape((n, 2)):
        row[0] = row[0] * row[1]
    for k, row in enumerate(x.reshape((2, n))):
        row[:] = row * (k + 1.0)
    return np.sum(x * x)


def slice_reshape_turned(x, n):
    """Flipped, transposed and cut reshapes are views too."""
    y = np.flip(x.reshape((n, 2)), 0)
    y[0] = 7.0
    z = x.reshape((n, 2)).T[1]
    z[0] = 4.0
    return np.sum(x * x)


def slice_reshape_in_while(x, n):
    """A view made anew in every trip, under two names."""
    k = 0
    while x[0] < 4.0:
        y = x.reshape((n, 2))
        y[0] *= 1.5
        z = y
        z[-1] += 0.25
        k += 1
    return np.sum(x) + k


def slice_reshape_in_branch(x, n, c):
    """Either name is written, on one path each."""
    y = x.reshape((n, 2))
    if c > 1.0:
        y[0] = 2.0 * y[0]
    else:
        x[0] = 1.0
    return np.sum(y * x.reshape((n, 2)))


def slice_step_views(x, A, k):
    """Views with a step known only when it runs: written, overlapping, reversed, of two axes."""
    y = x[::k]
    y[0] = 2.0
    y[1:] = y[:-1] * 0.5
    z = y[::-1]
    z[0] += 1.0
    B = A[::k, ::-k]
    B[0] = 3.0 * B[-1]
    return np.sum(x * x) + len(z) + np.sum(B @ B.T) + np.sum(A[1:][::k])


def slices_of_differences(x):
    """Slices of arrays made of slices: of an empty vector all are empty, and fit."""
    d = x[1:] - x[:-1]
    e = d[1:] * d[:-1]
    return e + x[1:-1] * d[1:], d[1:-1] * x[1:-2]


ENTRIES = (
    Entry(slices_of_differences, signed("n")),
    Entry(slice_stencil, all_of(array("n+1", "n+1"), array("n+1", "n+1"))),
    Entry(slice_shift_up, array("n")),
    Entry(slice_shift_down, array("n")),
    Entry(slice_add_shifted, array("n")),
    Entry(slice_both_neighbours, array("n+1")),
    Entry(slice_reverses, array("n")),
    Entry(slice_reversed_in_part, array("n+1")),
    Entry(slice_transposes, array("n", "n")),
    Entry(slice_shift_two_ways, array("n", "n+1")),
    Entry(slice_row_from_row, array("n", "n")),
    Entry(slice_every_other, array("n")),
    Entry(slice_halves, all_of(array("2n"), size())),
    Entry(slice_negative_step, array("n")),
    Entry(slice_clipped, array("n"), bits=False),
    Entry(slice_row_is_a_view, array("n", 3)),
    Entry(slice_view_of_view, array("n+2", "n+2")),
    Entry(slice_new_axis, all_of(array("n"), array("n+1"))),
    Entry(slice_ellipsis, array("n+1", 2, 3)),
    Entry(slice_column_and_row, array("n+1", "n+1")),
    Entry(slice_broadcasts, all_of(array("n+1", "n"), array("n"))),
    Entry(slice_bounds_from_loop, array("n"), bits=False),
    Entry(slice_bounds_from_arguments, all_of(array("n"), value(-3), value(2)), bits=False),
    Entry(slice_whole_swap, array(2, "n")),
    Entry(slice_periodic, array("n+2")),
    Entry(slice_seidel, all_of(array("n+1", "n+1"), value(4))),
    Entry(slice_copies_between_steps, all_of(array("n+2"), value(3))),
    Entry(slice_old_name_kept, all_of(array("n+1"), value(3))),
    Entry(slice_step_at_run_time, all_of(array("n"), value(1), value(-1), value(2))),
    Entry(slice_step_overlaps, all_of(array("n"), value(-2)), bits=False),
    Entry(slice_reshape_is_a_view, array("n", "n+1"), bits=False),
    Entry(slice_reshape_of_rows, all_of(array("n+2", 3), value(1)), bits=False, least=1),
    Entry(slice_reshape_to_matrix, all_of(array("2n"), size()), bits=False),
    Entry(slice_reshape_sees_later_writes, array("n+1", "n+2"), bits=False),
    Entry(slice_reshape_written_directly, all_of(array("2n"), size()), bits=False, least=1),
    Entry(slice_reshape_by_rows, all_of(array("2n"), size()), bits=False),
    Entry(slice_reshape_turned, all_of(array("2n"), size()), bits=False, least=1),
    Entry(slice_reshape_in_while, all_of(array("2n"), size()), bits=False, least=1),
    Entry(slice_reshape_in_branch, all_of(array("2n"), size(), number()), bits=False, least=1),
    Entry(slice_step_views, all_of(array("n"), array("n", "n"), value(-2)), bits=False, least=1),
)
