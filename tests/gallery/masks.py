"""Boolean masks: assignments, reductions and elementwise functions of the elements that they let through."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed


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
)
