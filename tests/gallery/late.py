"""Values that the reverse sweep fills behind their read in the text: what the last trip leaves is never used, or nothing ever reads."""

import math

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, value


def late_but_for_the_last(x, m):
    """The last square of each number is not used."""
    s = 0.0
    for i in range(len(x)):
        z = x[i]
        for j in range(m):
            z = z * z
            if j < m - 1:
                s += np.sin(z)
    return s


def late_but_for_the_last_row(x, m):
    """The same with an array, in two loops."""
    s = 0.0
    for i in range(2):
        z = x + i
        for j in range(m):
            for k in range(1, len(x)):
                z[k] = z[k] * z[k - 1]
            if j < m - 1:
                s += np.sum(np.sin(z))
    return s


def late_and_never(x, m):
    """A condition that the bounds of the loop rule out."""
    s = 0.0
    for i in range(1, len(x)):
        z = x[i]
        for _j in range(m):
            z = z * z
            if i < 1:
                s += np.sin(z)
        s += z
    return s


def late_in_a_row_of_one(x, y):
    """A condition that the extent rules out."""
    for i in range(len(x)):
        z = 1.0 + math.sin(x[i])
        while z > 0.17:
            z *= 0.5 + 0.1 * math.cos(y[i])
            if i == 1:
                x[i] += np.sin(max(z, 0.12))
    return np.sum(x)


ENTRIES = (
    Entry(late_but_for_the_last, all_of(array("n"), value(3)), bits=False),
    Entry(late_but_for_the_last_row, all_of(array("n"), value(3)), bits=False),
    Entry(late_and_never, all_of(array("n"), value(3)), bits=False),
    Entry(late_in_a_row_of_one, all_of(array(1), array(1)), bits=False),
)
