"""Several names for one array whose variable is bound anew: a write through one of them reaches the others."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, value


def exchanged_and_kept(x, y, n):
    """A third name keeps what the exchanged ones meant in some trips."""
    t = 0.0
    z = x
    for d in range(n):
        y = y * 2.0
        x *= 1.5
        t = t + z[0]
        x, y = y, x
        if d % 2 == 0:
            z = x
    return t


def loop_over_what_is_exchanged(x, y, n):
    """What the inner loop goes over is also what an exchanged name means."""
    t = 0.0
    for _ in range(n):
        for v in x:
            t = v * 0.5
            y = y * 2.0
            x *= 1.5
            x, y = y, x
    return t


def loop_over_what_masks_write(x, y, n):
    """The same with a function, and a write of some elements."""
    t = 0.0
    for _ in range(n):
        for v in x:
            t = v * 0.5
            y = _doubled(y)
            x[x > 0] = np.sqrt(x[x > 0])
            x, y = y, x
    return t


def _doubled(z):
    z = z * 2.0
    z[0] = 1.0
    return z


def two_names_for_one(y, n):
    """Both mean the array that its own name leaves."""
    t = 0.0
    v = y
    w = y
    for d in range(n):
        y = y * 2.0
        v[0] = v[0] + 1.0
        t = t + w[0]
        if d % 2 == 0:
            v = y
            w = y
    return t


def two_views_of_one(y, n):
    """One of them runs backwards."""
    t = 0.0
    v = y
    w = y[::-1]
    for d in range(n):
        y = y * 2.0
        v[0] = v[0] + 1.0
        t = t + w[-1] + y[0]
        if d % 2 == 0:
            v = y
            w = y[::-1]
    return t


def name_of_the_trip_beside_an_exchange(x, y, n):
    """A name that each trip binds means what an exchanged one does."""
    t = 0.0
    for _ in range(n):
        y = y * 2.0
        x, y = y, x
        z = x
        y = y * 3.0
        z[0] = z[0] + 7.0
        t += x[0]
    return t


def three_names_by_turns(x, y, n):
    """Three names come to mean y in different trips."""
    t = 0.0
    u = x
    v = x
    w = x
    for d in range(n):
        if d % 3 == 0:
            u = y
        if d % 3 < 2:
            v = y
        if d % 2 == 0:
            w = y
        y = y * 1.5
        u[0] += 1.0
        v[0] *= 1.25
        t += w[0] + u[0] * 0.5 + v[0] * 0.25
    return t


def parts_of_one(y, n):
    """Two names for parts of it."""
    t = 0.0
    r = y
    q = y
    for d in range(n):
        if d % 2 == 0:
            r = y[1:]
            q = y[1:]
        else:
            q = y[1:]
        y = y * 1.5
        q[0] += 1.0
        t += r[0]
    return t


def loop_over_a_turned_exchange(x, y, n):
    """The inner loop goes backwards over an array that its body binds anew and exchanges."""
    s = 0.0
    for _ in range(n):
        x[0] += 1.0
        for v in y[::-1]:
            s += v
            x = y * 0.5
            x, y = y, x
    return s + np.sum(x) * 2 + np.sum(y)


def part_of_one_that_is_bound_anew(x, y, n):
    """A part of an exchanged array is written after a name was bound anew."""
    for _ in range(n):
        for _ in range(n):
            u = x[1:]
            y = x * 2.0
            u *= 0.5
        x, y = y, x
    return x * 1.0, y * 1.0


PAIR = all_of(array("n"), array("n"), value(5))

ENTRIES = (
    Entry(exchanged_and_kept, PAIR, least=1),
    Entry(loop_over_what_is_exchanged, all_of(array("n"), array("n"), value(3))),
    Entry(loop_over_what_masks_write, all_of(array("n"), array("n"), value(3)), least=1, bits=False),
    Entry(two_names_for_one, all_of(array("n"), value(6)), least=1),
    Entry(two_views_of_one, all_of(array("n"), value(6)), least=1),
    Entry(name_of_the_trip_beside_an_exchange, PAIR, least=1),
    Entry(three_names_by_turns, PAIR, least=1),
    Entry(parts_of_one, all_of(array("n"), value(6)), least=2),
    Entry(loop_over_a_turned_exchange, all_of(array("n"), array("n"), value(2)), least=1, bits=False),
    Entry(part_of_one_that_is_bound_anew, all_of(array("n"), array("n"), value(2)), least=1),
)
