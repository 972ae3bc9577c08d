"""Arrays that a kernel changes as a whole, cell by cell, often under a condition, and whose older values the gradient reads."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, signed, value


def renewed_under_a_mask(x, steps):
    """Distances whose inverses are taken in place, but for those of a body to itself."""
    energy = 0.0
    for _t in range(steps):
        d = x[None, :] - x[:, None]
        inverse = d**2 + 0.01
        inverse[inverse > 0.02] = inverse[inverse > 0.02] ** (-1.5)
        near = np.sqrt(d**2)
        near[near > 0.0] = 1.0 / near[near > 0.0]
        x += 0.001 * np.sum(d * inverse, axis=1)
        energy += 0.01 * np.sum(np.triu(near, 1))
    return energy


def renewed_again_and_again(x):
    """Squares, roots and products in place, the versions between them read as well."""
    for _t in range(3):
        a = 0.5 * x + 0.1
        b = np.sin(a)
        a *= a
        b += a * a
        a[:] = np.sqrt(a) * b
        a -= b * a
        x[:] = 0.5 * a + 0.3 * b


def renewed_where_it_was_read(x, c):
    """A linear change of what a sine has read."""
    total = 0.0
    for _t in range(3):
        a = x * c
        b = np.sin(a)
        a += 1.0
        x[:] = a * 0.5
        total += np.sum(b * b)
    return total


def renewed_by_rows(A):
    """Cells changed in loops, by one side of a condition or the other, twice in a trip, or not at all."""
    n, m = A.shape
    for _t in range(2):
        B = A * A
        for i in range(n):
            for j in range(m):
                if B[i, j] > 0.7:
                    B[i, j] = B[i, j] * B[i, j]
                    B[i, j] += 0.1 * B[i, j] * B[i, j]
                elif B[i, j] > 0.2:
                    B[i, j] *= B[i, j]
                if B[i, j] > 0.9:
                    B[i, j] = np.exp(-B[i, j])
        A[:] = 0.5 * B + 0.1 * A


def renewed_by_sides(x, y):
    """Each side of a condition sets the cell, in another way, and the gradient asks for what it left."""
    total = 0.0
    for _t in range(2):
        a = np.empty(len(x))
        for i in range(len(x)):
            if y[i] > 0.0:
                a[i] = np.exp(x[i])
            else:
                a[i] = 1.0 / x[i]
        total += np.sum(a * a)
        x += 0.5 * a
    return total


def renewed_in_part(x):
    """Changes that leave a cell out, and one that reads a neighbour."""
    for _t in range(2):
        a = 2.0 * x
        a[1:] = a[1:] ** 2
        for i in range(1, len(a)):
            a[i] = a[i] * a[i - 1]
        x[:] = 0.3 * a


def renewed_outside_the_loop(x, steps):
    """An array that lives from trip to trip."""
    a = x * 0.5
    for _t in range(steps):
        a[a > 0.0] = np.sin(a[a > 0.0])
        a[:] = a * a + 0.3
    return np.sum(a)


def renewed_before_a_product(A, x):
    """A product of matrices of the old values, then of the new ones."""
    w = np.tanh(x)
    s = A @ w
    w[w < 0.1] = w[w < 0.1] * 0.2
    s += A @ w
    w *= s
    return np.sum(w * s)


def renewed_under_a_condition(x, c):
    """A Block of a branch renews its own array, and leaves the array of the Block around it alone."""
    a = x * c
    if x[0] > 0.0:
        b = a * a
        b[b > 0.1] = b[b > 0.1] ** 3
        a[:] = a * b
    a *= a
    return np.sum(a)


def renewed_by_broadcast(x, y):
    """One row, one column and one cell."""
    row = (x * x)[None, :]
    row *= row
    column = (y * y)[:, None]
    column[column > 0.5] = 1.0 / column[column > 0.5]
    z = row * column
    z[z > 0.3] = np.sqrt(z[z > 0.3])
    return np.sum(z * z)


def renewed_where_it_tells(A):
    """A root that some columns do not count with, and an exponential that is scaled: what both gave first tells their partials."""
    s = np.std(A, axis=0)
    s[s <= 0.1] = 1.0
    e = np.exp(-s)
    e[e > 0.75] *= 2.0
    return np.sum(A * A / s * e)


ENTRIES = (
    Entry(renewed_under_a_mask, all_of(array("n"), value(3)), bits=False),
    Entry(renewed_again_and_again, array("n"), bits=False),
    Entry(renewed_where_it_was_read, all_of(array("n"), array("n")), bits=False),
    Entry(renewed_by_rows, array("n", "n+1", low=0.2), bits=False),
    Entry(renewed_by_sides, all_of(array("n"), signed("n")), bits=False),
    Entry(renewed_in_part, array("n")),
    Entry(renewed_outside_the_loop, all_of(signed("n"), value(3)), bits=False),
    Entry(renewed_before_a_product, all_of(array("n", "n"), signed("n")), bits=False),
    Entry(renewed_under_a_condition, all_of(signed("n"), array("n")), least=1, bits=False),
    Entry(renewed_where_it_tells, array("n", "n+1"), least=1, bits=False),
    Entry(renewed_by_broadcast, all_of(array("n"), array("n+1")), bits=False),
)
