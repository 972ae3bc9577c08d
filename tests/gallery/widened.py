"""Values that come from a smaller type, and counts: what records them takes the smaller type, and loses nothing."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import Make, all_of, array, signed, value


def indices_of_four_bytes(n: int, rng: np.random.Generator) -> tuple[np.ndarray]:
    """Positions in an array of n."""
    return (rng.integers(0, max(n, 1), n).astype(np.int32),)


def singles(n: int, rng: np.random.Generator) -> tuple[np.ndarray]:
    """Numbers of four bytes."""
    return (rng.uniform(-1.0, 1.0, n).astype(np.float32),)


def widened_indices(p, x):
    """Where a cell comes from is an int32 that the next step changes."""
    n = len(x)
    for _t in range(3):
        for i in range(n):
            k = p[i] * np.int64(1)
            x[i] = 0.5 * x[i] * x[k] + 0.1
            p[i] = (k + 1) % n
    return np.sum(x * x)


def widened_weights(w, x, steps):
    """Weights of four bytes as float64, in a product that the next step overwrites, with an array and with a scalar."""
    a = np.zeros(len(x))
    for _t in range(steps):
        a[:] = w
        for i in range(len(x)):
            b = np.float64(w[i])
            x[i] = 0.01 * np.sin(a[i] * x[i] * b) + x[i]
            w[i] = -w[i] * 0.5
    return np.sum(x)


def widened_here_and_wide_there(p, x):
    """Of two statements that write k, one does not fit into four bytes."""
    n = len(x)
    for t in range(3):
        for i in range(n):
            k = p[i] * np.int64(1)
            if t == 1:
                k = (k + 1) * 5000000000
            x[i] = x[i] * x[k % n] + 1e-10 * k * x[i] * x[i]
            p[i] = (k + 1) % n
    return np.sum(x * x)


def widened_counts(a, x):
    """Trips of each cell, one of them none."""
    total = 0.0
    for i in range(len(x)):
        y = x[i]
        while y * y > 0.1:
            y = y * 0.5 * a[i]
        total += y * x[i]
    return total


def widened_counts_in_a_while(x, limit):
    """A loop of unknown length inside another."""
    total = 0.0
    while total < limit:
        y = x[0] + 0.1 * total
        while abs(y) > 0.3:
            y = 0.6 * np.sin(y)
        total += 1.0 + y * y
    return total


def one_or_more(make: Make) -> Make:
    """The same for at least one cell."""
    return lambda n, rng: make(max(n, 1), rng)


ENTRIES = (
    Entry(widened_indices, all_of(indices_of_four_bytes, array("n"))),
    Entry(widened_weights, all_of(singles, array("n"), value(3)), bits=False),
    Entry(widened_here_and_wide_there, all_of(indices_of_four_bytes, array("n"))),
    Entry(widened_counts, all_of(array("n"), signed("n"))),
    Entry(widened_counts_in_a_while, all_of(one_or_more(signed("n")), value(3.2)), bits=False),
)
