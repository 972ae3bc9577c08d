"""What a name means that a condition chose: arrays within choices, arrays in tuples, arrays of other lengths; and conditions as numbers."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, value


def choice_in_a_choice(x, y, c):
    z = x if c > 1.1 else (y if c > 0.9 else x)
    z[1] = 3.0 * z[0]
    w = (x[::-1] if c > 1.0 else y) if c > 0.9 else x * 2.0
    w[0] = 5.0 * c
    y[-1] = 8.0
    return z[1] * z[-1] + w[0] * w[-1]


def one_of(u, v, c):
    if c > 0.9:
        return u
    return v


def choice_by_a_function(x, y, c):
    z = x if c > 1.1 else one_of(y, x, c)
    z[1:] = c * z[0]
    return np.sum(x * y)


def array_in_a_tuple_chosen(x, y, c):
    t = (c, y)
    if c > 0.9:
        t = t if c > 1.1 else (0.5, x)
    a, z = t
    z[1] = a * z[0]
    s = t
    s[1][:1] *= 0.7
    return np.sum(t[1] * x)


def array_in_a_tuple_chosen_in_a_loop(x, y, c):
    t = (c, y)
    for i in range(2):
        t = t if c > 0.9 + 0.1 * i else (0.5, x)
    y[1] = 9.0 * c
    x[1] = 8.0 * x[0]
    return t[1][1] * t[0]


def computed_on_one_side(x, y, c):
    z = np.zeros(2) if c > 1.0 else np.array([c, x[0]])
    z[0] = 3.0 * c
    w = x[:2] if c > 1.0 else np.array([c, c])
    w[1] = z[1] * y[0]
    return np.sum(z) * np.sum(w) + np.sum(x)


def conditions_counted(x, y, c):
    """Python's bools are integers, NumPy's are not."""
    n = 0
    for i in range(3):
        for j in range(3):
            n += (i == j) + (i < j) + (i <= j)
    level = False
    for k in range(3):
        level = level + (c > 0.2 * k)
    sign = (c > 1.0) - (c < 1.0)
    table = (10.0, 20.0, 30.0)[(c > 1.0) + (c > 1.1)]
    both = (x[0] > 1.0) + (y[0] > 1.0)
    return n, level, sign, -(c > 1.0), table, ((c > 0.8) + (c > 0.9)) / 2 * x[0], both, (not c > 1.0) + 1


def exchanged_with_another_length(x, steps):
    y = x[1:] * 1.5
    for _i in range(steps):
        x, y = y, x
        x = x * 0.5
        y[0] = x[0]
    return np.sum(x) + 2.0 * np.sum(y)


def rows_of_a_tuple_bound_anew(x, y, steps):
    s = 0.0
    for _i in range(steps):
        for a in (x, y):
            y = y * 2.0
            s += a[0] * y[1]
    return s


STEPS = value(3)
CHOICE = number(0.8, 1.2)

ENTRIES = (
    Entry(choice_in_a_choice, all_of(array("n"), array("n"), CHOICE), 2),
    Entry(choice_by_a_function, all_of(array("n"), array("n"), CHOICE), 2, bits=False),
    Entry(array_in_a_tuple_chosen, all_of(array("n"), array("n"), CHOICE), 2, bits=False),
    Entry(array_in_a_tuple_chosen_in_a_loop, all_of(array("n"), array("n"), CHOICE), 2),
    Entry(computed_on_one_side, all_of(array("n"), array("n"), CHOICE), 2, bits=False),
    Entry(conditions_counted, all_of(array("n"), array("n"), CHOICE), 1),
    Entry(exchanged_with_another_length, all_of(array("n"), STEPS), 3, bits=False),
    Entry(rows_of_a_tuple_bound_anew, all_of(array("n"), array("n"), STEPS), 2),
)
