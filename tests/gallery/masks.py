"""Boolean masks: assignments, reductions and elementwise functions of the elements that they let through."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, size, value


def mask_assigned(x, c):
    """x[mask] = number."""
    x[x > 0.5] = c
    x[x < 0.0] = -1.0


def mask_transforms(x):
    """x[mask] = f(x[mask])."""
    x[x > 0] = np.sqrt(x[x > 0]) * 2.0
    small = x < 0
    x[small] = -x[small] + 1.0
    x[small] *= 3.0


def mask_reduced(x, y):
    """Sums and means of what a mask lets through."""
    m = (x > 0) & (y > 0)
    return np.sum(x[m]), x[m].sum() * 2.0, np.sum(x[m] * y[m]), x[x > -2.0].mean(), np.prod(y[y > 0])


def mask_counted(x):
    """How many a mask lets through."""
    chosen = x[x > 0]
    return len(chosen), chosen.size, chosen.shape[0], np.sum(chosen)


def mask_kept(x):
    """What a mask chose stays as it was."""
    chosen = x[x > 0]
    x[:] = 1.0
    return np.sum(chosen * chosen)


def mask_of_rows(A, w):
    """A mask over the first axis."""
    A[w > 1.0] = 0.0
    A[w < 0.7] += 1.0
    return np.sum(A[w > 0.8])


def mask_of_matrix(A):
    """A mask of two axes."""
    A[A > 0.5] = 0.5
    A[~(A > 0)] *= 2.0
    return np.sum(A[A < 0])


def mask_neighbours(x):
    """The mask and the value read other elements than they write."""
    x[1:][x[:-1] > 0] = 5.0
    m = x > 1.0
    x[m] = x[::-1][m]


def mask_bins(data, radius, bins):
    """The mean of data in rings."""
    res = np.zeros(3)
    for i in range(3):
        inside = np.logical_and(bins[i] <= radius, radius < bins[i + 1])
        values = data[inside]
        res[i] = np.sum(values) / max(len(values), 1)
    return res


def ring(n, rng):
    return rng.uniform(0, 1, n), rng.uniform(0, 3, n), np.array([0.0, 0.5, 1.5, 3.0])


def mask_extremes(x):
    """Maxima and minima of what a mask lets through."""
    return np.max(x[x > -2.0]) - x[x > -2.0].min() * np.max(np.abs(x[x > -2.0]))


def mask_elements(x, idx):
    """Elements of what a mask let through, one by one, and written in place."""
    y = x[x > -0.5]
    s = 0.0
    for i in range(len(y)):
        s += y[i] * (i + 1)
        y[i] = 2.0 * y[i]
    for v in x[x < 0.0]:
        s -= v * v
    return s + np.sum(y * y) + np.sum(y[idx % (len(y) + 1) :])


def mask_meets_another(x, y):
    """Elements under two masks that let equally many through, and beside a whole array of that length."""
    p, q = x > 0.0, x[::-1] > 0.0
    z = x[p] * y[q] + y[p]
    return np.sum(z * z) + np.sum(np.cumsum(x[p])) + np.sum(x[p] @ y[p])


def mask_takes_array(x, y):
    """An array, or the elements of another mask, stored under a mask."""
    m = x > 0.0
    n = np.sum(m)
    x[m] = y[:n] ** 2
    x[~m] += y[np.sum(m) :]
    y[y[::-1] > 1.0] = y[y > 1.0] * x[: len(y[y > 1.0])]
    return np.sum(x * x) + np.sum(y)


def mask_rows_packed(A, c):
    """Whole rows side by side, reduced along an axis."""
    rows = A[c > 1.0]
    return np.sum(rows.sum(axis=0) ** 2) + np.sum(np.sum(A[c > 1.0] * 2.0, axis=1) ** 3)


def mask_takes_fewer_axes(A, B, x, y):
    """A row for all the rows that a mask lets through, and a number for each of them."""
    A[x > 0.0] = y[:3] * 2.0
    B[x > 0.0] = y[3:][x > 0.0][:, None]
    return A[0, 1] * B[-1, 2]


def mask_in_loop(x, n):
    """A length that is another in every trip."""
    s = 0.0
    for k in range(n):
        y = x[x > 0.2 * k]
        if len(y) > 1:
            s += np.max(y) * y[0] * y[-1]
        x *= 0.9
    return s


def mask_in_while(x):
    """Elements taken until few are left."""
    s = 0.0
    while len(x[x > 0.3]) > 1:
        y = x[x > 0.3]
        s += y[0] * np.max(y)
        x *= 0.8
    return s


ENTRIES = (
    Entry(mask_assigned, all_of(signed("n"), number())),
    Entry(mask_transforms, signed("n")),
    Entry(mask_reduced, all_of(signed("n"), signed("n")), bits=False, least=1),
    Entry(mask_counted, signed("n"), bits=False),
    Entry(mask_kept, signed("n"), bits=False),
    Entry(mask_of_rows, all_of(array("n", 3), array("n")), bits=False),
    Entry(mask_of_matrix, signed("n", "n+1"), bits=False),
    Entry(mask_neighbours, signed("n"), least=2),
    Entry(mask_bins, ring, bits=False),
    Entry(mask_extremes, signed("n"), least=1),
    Entry(mask_elements, all_of(signed("n"), value(1)), bits=False),
    Entry(mask_meets_another, all_of(signed("n"), array("n")), bits=False),
    Entry(mask_takes_array, all_of(signed("n"), array("n")), bits=False),
    Entry(mask_rows_packed, all_of(array("n", 3), array("n")), bits=False),
    Entry(mask_takes_fewer_axes, all_of(array("n", 3), array("n", 3), signed("n"), array("n+3")), least=1),
    Entry(mask_in_loop, all_of(signed("n"), size()), bits=False),
    Entry(mask_in_while, array("n"), bits=False),
)
