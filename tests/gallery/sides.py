"""Comparisons whose operands are overwritten: the gradient needs no more than which side was less."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, integers, signed, value


def side_of_a_rectifier(x, steps):
    """A rectifier in place in every trip."""
    for t in range(steps):
        x[:] = np.maximum(x, 0.1 * t) - 0.3 * np.sum(x)


def side_of_shortest_paths(path):
    """The way from i to j, or that by k."""
    for k in range(len(path)):
        for i in range(len(path)):
            for j in range(len(path)):
                path[i, j] = min(path[i, j], path[i, k] + path[k, j])


def side_of_an_absolute_value(x, c):
    """Distances, of the distances again."""
    for t in range(4):
        x[:] = np.abs(x - c * t) + 0.1 * np.sign(x)


def side_of_a_range(x, low, high):
    """Kept in a range, then moved on."""
    for _t in range(3):
        x[:] = np.clip(x, low, high) * 1.2 - 0.1


def side_of_a_choice(x, y, c):
    """One of two arrays, by what one of them is, and by two conditions at once."""
    for _t in range(3):
        z = np.where(x > c, 0.5 * x, y + 0.1)
        y[:] = np.where((x > 0.0) & (z < y), z, y - 0.2 * x)
        x[:] = z


def side_of_scalars(x):
    """Largest and smallest so far, and how far apart they were on the way."""
    high = x[0]
    low = x[0]
    total = 0.0
    for i in range(1, len(x)):
        high = max(high, x[i] * 0.9)
        low = min(low, x[i])
        total += 0.5 * (high - low)
    return total


def side_of_what_is_read_as_well(x):
    """Operands that the gradient reads anyway."""
    for _t in range(3):
        x[:] = np.maximum(x, 0.2) * x + np.abs(x) * 0.1


def side_of_neighbours(x):
    """A maximum of neighbours in the middle of a sweep, behind what the sweep has overwritten."""
    for _t in range(3):
        for i in range(1, len(x) - 1):
            x[i] = 0.9 * np.maximum(x[i - 1], np.minimum(x[i], x[i + 1] - 0.1))


def side_until_it_fits(x):
    """Trips that nobody counts in advance, with a condition of their own."""
    k = 0
    while np.sum(x) > 0.5 and k < 20:
        for i in range(len(x)):
            if x[i] > -0.5:
                x[i] = np.maximum(x[i] - 0.3, -0.05 * k) if k % 2 == 0 else np.abs(x[i] - 0.11)
        k += 1


def side_of_chosen_elements(x, idx):
    """Elements that an index array names."""
    for _t in range(2):
        for i in range(len(idx)):
            k = idx[i] % len(x)
            x[k] = np.minimum(x[k] * 1.1, x[(k + 1) % len(x)] + 0.2)


def side_of_a_product(A, x):
    """A rectifier behind a product of matrices."""
    for _t in range(3):
        z = A @ x
        x[:] = np.maximum(z, 0.05)


def _limited(v, top):
    return np.minimum(v, top)


def side_in_a_helper(x, top):
    """A limit that another function sets, of what it has limited before."""
    for _t in range(3):
        x[:] = _limited(x * 1.3, top) - 0.1


def side_of_short_numbers(x, y):
    """Single precision beside double."""
    for _t in range(3):
        x[:] = np.maximum(x, y) * 0.7
        y -= 0.1


def side_of_what_is_counted(x):
    """Only the condition asks for the counts, and they are not made cell by cell."""
    c = np.zeros(len(x), dtype=np.int64)
    for i in range(len(x)):
        c[i] += 1
    return np.where(c == 0, 7.0, x)


ENTRIES = (
    Entry(side_of_a_rectifier, all_of(signed("n"), value(3)), bits=False),
    Entry(side_of_shortest_paths, array("n", "n", low=0.1)),
    Entry(side_of_an_absolute_value, all_of(signed("n"), array("n"))),
    Entry(side_of_a_range, all_of(signed("n"), value(-0.4), value(0.45))),
    Entry(side_of_a_choice, all_of(signed("n"), signed("n"), value(0.1))),
    Entry(side_of_scalars, signed("n"), least=1),
    Entry(side_of_what_is_read_as_well, signed("n")),
    Entry(side_of_neighbours, signed("n")),
    Entry(side_until_it_fits, array("n"), bits=False),
    Entry(side_of_chosen_elements, all_of(array("n"), integers("n", low=0)), least=1),
    Entry(side_of_a_product, all_of(signed("n", "n"), array("n")), bits=False),
    Entry(side_in_a_helper, all_of(array("n"), value(1.1))),
    Entry(side_of_what_is_counted, signed("n")),
    Entry(side_of_short_numbers, lambda n, rng: (rng.uniform(-1, 1, n).astype(np.float32), rng.uniform(-1, 1, n)), bits=False),
)
