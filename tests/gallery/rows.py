"""Loops over arrays that their body binds anew or exchanges: the loop goes on with the array that it began with."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, signed, size, value


def rows_of_a_name_bound_anew(x):
    """Rows of a name bound anew."""
    for v in x:
        x = x * 0.5 + v
    return x


def rows_of_a_name_bound_anew_in_an_outer_loop(x):
    """Rows of a name bound anew in an outer loop."""
    z = x * 2.0
    for _ in range(2):
        for v in z:
            z = 0.5 * z + v * v
    return z


def rows_of_exchanged_arrays(x, y):
    """Rows of exchanged arrays."""
    s = 0.0
    for i, v in enumerate(x):
        x, y = y, x
        s += v * v * (i + 1)
    return s + x[0]


def rows_exchanged_and_written(x, y):
    """Rows exchanged and written."""
    for a, b in zip(x, y):  # noqa: B905
        x, y = y, x
        x[0] = a * b
    return np.sum(x * y)


def rows_bound_anew_on_one_path(x):
    """Rows bound anew on one path."""
    for i, v in enumerate(x):
        if v > 0.0:
            x = x * 0.5
        x[i] = v * v
    return np.sum(x * x)


def rows_written_before_they_are_bound_anew(x):
    """Rows written before they are bound anew."""
    for v in x:
        x[-1] += v * v
        if v > 0.0:
            x = x + v
    return x


def rows_of_an_alias(x):
    """Rows of an alias."""
    y = x
    for v in y:
        x = x * v + 1.0
    return np.sum(x) * np.sum(y)


def rows_within_rows(x, y):
    """Rows within rows."""
    for v in x:
        for w in y:
            x, y = y * w, x + v
    return np.sum(x * y)


def rows_left_by_break(x, n):
    """Rows left by break."""
    for _ in range(n):
        for v in x:
            if v > 0.5:
                break
            x = x * 0.9
        x = x + 0.1
    return np.sum(x * x)


def rows_of_what_an_outer_loop_bound(x, n):
    """The array that an outer trip made is run over, written in place, and replaced by another while it is."""
    x = x * 1.0
    for _ in range(n):
        for v in x:
            x[0] += 0.1 * v
            x = x * 0.5 + v
        w = x
        x[-1] += w[0] * w[0]
    return np.sum(x * x)


def rows_of_two_that_change_places(x, y, n):
    """Rows of two that change places."""
    for _ in range(n):
        for a, b in zip(x, y):  # noqa: B905
            y[-1] += a * b
            x, y = y, x * b
        x[0] *= 0.5
    return np.sum(x * x) + np.sum(y)


def rows_within_rows_of_one_name(x, n):
    """Rows within rows of one name."""
    for _ in range(n):
        for v in x:
            x[0] += 0.1 * v
            for w in x:
                x[-1] += 0.1 * w * v
                x = x * 0.9
            x = x + 0.1
    return np.sum(x * x)


ENTRIES = (
    Entry(rows_of_what_an_outer_loop_bound, all_of(array("n"), value(2)), least=1, bits=False),
    Entry(rows_of_two_that_change_places, all_of(array("n"), array("n"), value(2)), least=1, bits=False),
    Entry(rows_within_rows_of_one_name, all_of(array("n"), value(2)), bits=False),
    Entry(rows_of_a_name_bound_anew, array("n")),
    Entry(rows_of_a_name_bound_anew_in_an_outer_loop, array("n")),
    Entry(rows_of_exchanged_arrays, all_of(array("n"), array("n")), least=1),
    Entry(rows_exchanged_and_written, all_of(array("n"), array("n")), bits=False),
    Entry(rows_bound_anew_on_one_path, signed("n"), bits=False),
    Entry(rows_written_before_they_are_bound_anew, signed("n"), least=1),
    Entry(rows_of_an_alias, array("n"), bits=False),
    Entry(rows_within_rows, all_of(array("n"), array("n")), bits=False),
    Entry(rows_left_by_break, all_of(signed("n"), size()), bits=False),
)
