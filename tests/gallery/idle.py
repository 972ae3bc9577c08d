"""Regions that leave nothing to undo, arrays of a trip computed again, and values that are still in the argument at entry."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, value


def idle_count_under_a_mask(x, radius):
    """A count that nothing differentiable depends on."""
    total = 0.0
    for i in range(3):
        mask = np.logical_and(0.3 * i <= radius, radius < 0.3 * i + 0.9)
        total += np.sum(x[mask]) / (1.0 + np.sum(mask)) * x[0]
    return total


def idle_branch_overwrites(x):
    """What the branch overwrites is no one's derivative, but it was a factor."""
    d = np.arange(len(x)) * 0.7
    s = 0.0
    for t in range(3):
        for i in range(len(x)):
            s += x[i] * x[i] * d[i] + t
            if d[i] > 1.0:
                d[i] -= 0.4
    return s


def idle_loop_overwrites(x):
    """A loop with nothing to undo overwrites what was read before."""
    d = np.ones(len(x))
    s = 0.0
    for i in range(len(x)):
        s += x[i] * d[i] * s + x[i]
        k = i
        while k > 0 and d[k] < 3.0:
            d[k] += 0.5 * d[k - 1]
            k -= 1
    return s


def idle_loop_exchanges(x):
    """A loop that does nothing but exchange arrays."""
    s = 1.0
    for i in range(len(x)):
        c = np.zeros(2) + 0.5 * i
        d = np.ones(2)
        for _k in range(i % 3):
            c, d = d, c
        s += x[i] * x[i] * c[0] + 0.3 * s * d[1]
    return s


def idle_guard_of_an_address(x):
    """A branch decides an address, which is demanded."""
    last = 0
    s = 0.0
    for i in range(len(x)):
        if i % 2 == 0:
            last = i
        s += x[last] * x[i] * s + x[i]
    return s


def again_from_the_entry(x):
    """As for a deviation: the centred values are gone when the squares are differentiated."""
    mean = np.mean(x)
    s = 0.0
    for i in range(len(x)):
        d = x[i] - mean
        s += d * d * d
    x *= s
    x += mean


def again_not_from_the_entry(x):
    """The first value was overwritten before."""
    x[0] = 0.3 * x[0] * x[-1]
    s = 0.0
    for i in range(len(x)):
        d = x[i] - 0.2 * x[-1]
        s += d * d * d
    x *= s


def again_from_an_array_of_the_trip(x, steps):
    """Computed again from an array of the same trip."""
    for _t in range(steps):
        near = 0.5 * x + 0.1
        for i in range(1, len(x)):
            d = near[i] * x[i - 1]
            x[i] = 0.9 * x[i] + 0.1 * np.sqrt(d * d + 1.0)


def again_from_an_array_that_is_stored(x, steps):
    """Computed again from an array that is recorded."""
    for _t in range(steps):
        sums = np.cumsum(x)
        for i in range(len(x)):
            d = 0.5 * sums[i] + 0.1
            x[i] = 0.9 * x[i] + 0.1 * np.sqrt(d * d + 1.0)


def again_from_an_array_that_changes(x, steps):
    """Not computed again from an array that has changed."""
    for _t in range(steps):
        near = 0.5 * x
        for i in range(1, len(x)):
            d = near[i] + near[i - 1]
            x[i] += 0.1 * d * d
            near[i] = 0.3 * x[i]


ENTRIES = (
    Entry(idle_count_under_a_mask, all_of(array("n"), array("n")), least=1, bits=False),
    Entry(idle_branch_overwrites, all_of(array("n"))),
    Entry(idle_loop_overwrites, all_of(array("n"))),
    Entry(idle_loop_exchanges, all_of(array("n"))),
    Entry(idle_guard_of_an_address, all_of(array("n"))),
    Entry(again_from_the_entry, all_of(array("n")), least=1, bits=False),
    Entry(again_not_from_the_entry, all_of(array("n")), least=1),
    Entry(again_from_an_array_of_the_trip, all_of(array("n"), value(3))),
    Entry(again_from_an_array_that_is_stored, all_of(array("n"), value(3)), bits=False),
    Entry(again_from_an_array_that_changes, all_of(array("n"), value(3))),
)
