"""Names that mean an array which a region binds anew under another name, on one path only: a choice, a part, what a loop runs over."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, value

STEPS = value(3)


def along_a_choice(x, y, c):
    """One of two arrays, of which one is new or the caller's."""
    if c > 1.0:
        x = y * 0.5
    W = x if c > 0.8 else y
    W[0] = x[-1] * W[0]
    return np.sum(x * x) + np.sum(y * y)


def along_a_part(x, steps):
    """A part of an array that is new in each trip, and new again on one path."""
    s = 0.0
    for i in range(steps):
        x = x * 0.5
        W = x[1:]
        if s * i > 0.2:
            x = x + 1.0
        x[1] = x[1] * x[0]
        s += W[0] * W[0]
    return s + np.sum(x)


def along_a_return(x, y, c):
    """A part that nobody reads behind the exchange, and a return before it."""
    s = 0.3
    if c > 0.8:
        u = x[1:]
        if c > 1.2:
            return s * np.sum(x * y)
        s += u[-1] * u[-1]
        x, y = y, x
        y -= x * x
    else:
        x = x + 1.0
    return s * np.sum(x * x) + np.sum(y)


def along_rows(x, y, steps):
    """A loop over an array whose name is bound anew and exchanged in it."""
    for _t in range(steps):
        for v in y:
            x[0] -= 0.1 * v * x[0]
            y = x * 0.8
            x, y = y, x
    return np.sum(x) + np.sum(y)


def along_two_arrays(x, y, steps):
    """The same over two arrays at once."""
    s = 0.0
    for _t in range(steps):
        for i, (v, w) in enumerate(zip(x, y)):  # noqa: B905
            y[-1] -= v * w * y[i]
            if w > 0.9:
                y = x * 0.5
            x, y = y, x
            s += y[i] * x[i]
    return s + np.sum(x * y)


ENTRIES = (
    Entry(along_a_choice, all_of(array("n"), array("n"), number(0.7, 1.3)), 1, bits=False),
    Entry(along_a_part, all_of(array("n"), STEPS), 2, bits=False),
    Entry(along_a_return, all_of(array("n"), array("n"), number(0.7, 1.3)), 2, bits=False),
    Entry(along_rows, all_of(array("n"), array("n"), STEPS), 1, bits=False),
    Entry(along_two_arrays, all_of(array("n"), array("n"), STEPS), 1, bits=False),
)
