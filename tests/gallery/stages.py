"""Cells that a statement fills and the next one changes: what they hold in passing, and what only seems to pass."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, integers, number, value


def stage_in_a_recurrence(x, c):
    """Filled from the neighbour, then bent twice."""
    for i in range(1, x.shape[0]):
        x[i] = x[i - 1] * c + x[i]
        x[i] = np.sin(x[i])
        x[i] *= np.exp(-x[i])


def stage_by_operators(x, c):
    """Every step an augmented assignment; the last value counts, and one on the way."""
    total = 0.0
    for i in range(x.shape[0]):
        x[i] += c
        x[i] -= 0.25 * c
        x[i] *= x[i]
        total += x[i] * x[i] * c
        x[i] /= c
        x[i] **= 3
    return total


def stage_of_scalars(x, c, steps):
    """A carried scalar that is clipped in each step."""
    v = c
    s = 1.0
    for i in range(x.shape[0]):
        for _t in range(steps):
            v = v + 0.1 * x[i] * v * s
            v = max(v, 0.2)
            v = np.sqrt(v)
            s = s * np.cos(v)
            s = s + 0.5 * s * s
        x[i] = v
    return v * s


def stage_read_elsewhere(x, k):
    """In between it is read by an address that the data give, and by the last."""
    n = x.shape[0]
    total = 0.0
    for i in range(n):
        x[i] = 0.9 * x[i] * x[i]
        total += x[k[i] % n] * x[i]
        x[i] = np.cos(x[i]) * total
        x[i] = x[i] * x[i] + 0.1 * x[n - 1]
        x[i] = np.sin(x[i]) + 0.2 * x[-1 - i]
    return total


def stage_under_a_branch(x, c):
    """A branch in between reads it; another changes it."""
    for i in range(x.shape[0]):
        x[i] = x[i] * x[i]
        if x[i] > c:
            c = c + 0.1 * x[i] * x[i]
        x[i] = np.sin(x[i]) * c
        if x[i] > 0.8:
            x[i] = x[i] * x[i]
            x[i] = 0.5 * x[i] * x[i]
        x[i] = np.cos(x[i])


def stage_in_a_loop_between(x, y):
    """A loop in between reads it in every trip."""
    for i in range(x.shape[0]):
        x[i] = x[i] * y[i]
        for j in range(y.shape[0]):
            y[j] = y[j] * np.cos(x[i] * y[j])
        x[i] = np.exp(-x[i]) * y[0]


def stage_exchanged(x, y):
    """The names change their buffers in between."""
    for i in range(x.shape[0]):
        x[i] = x[i] * y[i]
        x, y = y, x
        x[i] = x[i] * x[i] + y[i]
        x[i] = np.sin(x[i])
    return np.sum(x * y)


def stage_of_a_sum(A, y):
    """Sums stay sums; what is made of one is bent."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            y[i] += A[i, j] * A[i, j]
            y[i] += 0.5 * A[i, j]
        y[i] = y[i] * 0.5
        y[i] = np.tanh(y[i])


def stage_of_a_plane(A, steps):
    """In place, in sweeps."""
    for _t in range(steps):
        for i in range(1, A.shape[0]):
            for j in range(1, A.shape[1]):
                A[i, j] = 0.5 * A[i - 1, j] + A[i, j] * A[i, j - 1]
                A[i, j] = A[i, j] / (1.0 + A[i, j] * A[i, j])


ENTRIES = (
    Entry(stage_in_a_recurrence, all_of(array("n+1"), number()), bits=False),
    Entry(stage_by_operators, all_of(array("n"), number(1.0, 2.0)), bits=False),
    Entry(stage_of_scalars, all_of(array("n"), number(), value(2)), bits=False),
    Entry(stage_read_elsewhere, all_of(array("n"), integers("n", low=0)), bits=False),
    Entry(stage_under_a_branch, all_of(array("n"), number()), bits=False),
    Entry(stage_in_a_loop_between, all_of(array("n"), array("n")), bits=False),
    Entry(stage_exchanged, all_of(array("n"), array("n")), bits=False),
    Entry(stage_of_a_sum, all_of(array("n", "n+1"), array("n")), bits=False),
    Entry(stage_of_a_plane, all_of(array("n+1", "n+1"), value(3)), bits=False),
)
