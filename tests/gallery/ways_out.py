"""Loops within loops that are left early: which trips ran is told by the trip in which the loop was left."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, size, value


def out_at_a_barrier(x, steps, barrier):
    """Paths that end at a barrier, some in the first step, some never; the place where they end counts."""
    total = 0.0
    for p in range(x.shape[0]):
        s = x[p]
        for t in range(steps):
            s *= np.cos(0.4 * s + 0.02 * t)
            if s < barrier:
                s = 0.5 * s * s
                break
            s = s * (1.05 - 0.1 * s)
        total += s * s
    return total


def out_downwards(x, c):
    """By steps of -2."""
    total = 0.0
    for p in range(x.shape[0]):
        s = x[p]
        for t in range(20 + p, 1, -2):
            s = np.sin(s) * (1.0 + 0.01 * t)
            if s < c:
                s *= s
                break
        total += s * s * x[p]
    return total


def out_by_two_doors(x, low, high):
    """Two breaks, a statement between them."""
    for p in range(x.shape[0]):
        for t in range(12):
            x[p] = np.sin(x[p]) * x[p] + 0.01 * t * x[p]
            if x[p] < low:
                x[p] = np.sin(x[p])
                break
            x[p] = 1.1 * x[p] * np.cos(0.1 * x[p])
            if x[p] > high:
                x[p] = 1.0 / x[p]
                break


def out_on_the_other_side(x, c):
    """The way out stands in the else of a test of what is overwritten."""
    for p in range(x.shape[0]):
        for _t in range(10):
            x[p] *= np.cos(0.4 * x[p])
            if x[p] > c:
                x[p] = x[p] * np.cos(0.2 * x[p])
            else:
                x[p] = np.exp(x[p])
                break


def out_behind_tests(x, c):
    """A test within a test, and a trip that is skipped."""
    for p in range(x.shape[0]):
        for t in range(14):
            x[p] = x[p] * np.cos(0.5 * x[p])
            if t % 3 == 1:
                continue
            if x[p] < c:
                x[p] += 0.1 * x[p] * x[p]
                if x[p] < 0.5 * c:
                    x[p] = 3.0 * x[p] * x[p]
                    break
            x[p] = np.sin(x[p]) + 0.1


def out_of_the_function(x, c):
    """A return from a loop within a loop."""
    s = 1.0
    for p in range(x.shape[0]):
        for t in range(9):
            s = np.sin(s * x[p]) * (1.0 + 0.01 * t)
            if s < c:
                return s * s * x[p]
            s = s * (1.1 - 0.1 * s)
    return s * s


def out_and_else(x, c):
    """What happens when nobody leaves."""
    total = 0.0
    for p in range(x.shape[0]):
        s = x[p]
        for t in range(p, 10):
            s = s * np.cos(0.5 * s)
            if s < c:
                total += s * t
                break
        else:
            s = s * s + 2.0
        total += s * s
    return total


def out_of_the_inner_of_three(A, c):
    """Left and entered again."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            for _k in range(10):
                A[i, j] = A[i, j] * np.cos(A[i, j])
                if A[i, j] < c:
                    break
            for _k in range(9):
                A[i, j] = A[i, j] * A[i, j] * 1.2
                if A[i, j] > 1.0 or A[i, j] < 0.5 * c:
                    A[i, j] = np.sin(A[i, j])
                    break


def out_set_in_a_loop(x, c):
    """The flag of one loop is set within another."""
    for p in range(x.shape[0]):
        for _t in range(9):
            found = False
            for i in range(x.shape[0]):
                x[p] = x[p] * (1.0 - 0.05 * x[i])
                if x[p] < c:
                    found = True
            if found:
                x[p] = 2.0 * x[p] * x[p]
                break


def out_by_a_flag_of_ones_own(x, c):
    """A flag that is set, and set back in the same loop."""
    for p in range(x.shape[0]):
        stopped = False
        for t in range(12):
            if not stopped:
                x[p] = x[p] * np.cos(0.5 * x[p])
                if x[p] < c:
                    x[p] = np.sin(x[p]) + 0.2
                    stopped = True
            if t == 8:
                stopped = False


def out_known_before(x, c):
    """A flag that may be set when the loop begins."""
    for p in range(x.shape[0]):
        stopped = x[p] < c
        for _t in range(12):
            if not stopped:
                x[p] = x[p] * np.cos(0.5 * x[p])
                if x[p] < c:
                    x[p] = np.sin(x[p]) + 0.2
                    stopped = True


def out_of_no_trip(x, n, c):
    """Loops of as many trips as the argument says, none too."""
    for p in range(x.shape[0]):
        for _t in range(n - 1):
            x[p] = np.sin(x[p]) * x[p] + 0.3
            if x[p] < c:
                x[p] = x[p] * x[p]
                break


def _until(v, c):
    for _t in range(11):
        v = v * np.cos(0.4 * v)
        if v < c:
            return v * v
    return 2.0 * v


def out_of_a_helper(x, c):
    """Returns within helpers."""
    total = 0.0
    for p in range(x.shape[0]):
        total += _until(x[p], c) * _until(np.sin(x[p]), 0.5 * c)
    return total


def way_out_beside_an_exchange(x, y, c):
    """Whether the kernel has returned is computed again without the condition of the exchange."""
    s = 0.3 * c
    if c > 5.0:
        return s + np.sum(x)
    if x[0] > 0.8:
        if c > 1.0:
            return s + np.sum(x * x)
    else:
        if s > 0.1:
            x, y = y, x
    return s + np.sum(x * x) - np.sum(np.sin(y))


ENTRIES = (
    Entry(way_out_beside_an_exchange, all_of(array("n"), array("n"), number()), least=1, bits=False),
    Entry(out_at_a_barrier, all_of(array("n+1"), value(10), number(0.7, 0.9)), bits=False),
    Entry(out_downwards, all_of(array("n+1"), value(0.6)), bits=False),
    Entry(out_by_two_doors, all_of(array("n+1"), value(0.3), value(1.5)), bits=False),
    Entry(out_on_the_other_side, all_of(array("n+1"), value(0.7)), bits=False),
    Entry(out_behind_tests, all_of(array("n+1"), value(0.4)), bits=False),
    Entry(out_of_the_function, all_of(array("n+1"), value(0.2)), bits=False),
    Entry(out_and_else, all_of(array("n+1"), value(0.7)), bits=False),
    Entry(out_of_the_inner_of_three, all_of(array("n", "n+1"), value(0.4)), bits=False),
    Entry(out_set_in_a_loop, all_of(array("n+1"), value(0.4)), bits=False),
    Entry(out_by_a_flag_of_ones_own, all_of(array("n+1"), value(0.5)), bits=False),
    Entry(out_known_before, all_of(array("n+1"), value(0.7)), bits=False),
    Entry(out_of_no_trip, all_of(array("n+1"), size(), value(0.8)), bits=False),
    Entry(out_of_a_helper, all_of(array("n+1"), value(0.5)), bits=False),
)
