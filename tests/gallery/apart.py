"""Arrays from outside a loop that its trips make anew, of what the loop never changes; and some that only look so."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, size


def apart_two_solves(u, steps):
    """Two eliminations in each step, with the coefficients of both in one array."""
    n = len(u)
    p = np.zeros(n)
    q = np.zeros(n)
    for _t in range(steps):
        p[0] = 0.25
        q[0] = u[0]
        for j in range(1, n):
            p[j] = 0.25 / (1.5 - 0.25 * p[j - 1])
            q[j] = (u[j] - 0.25 * q[j - 1]) / (1.5 - 0.25 * p[j - 1])
        for j in range(n - 2, -1, -1):
            u[j] = p[j] * u[j + 1] + q[j]
        p[0] = 0.5
        q[0] = u[0]
        for j in range(1, n):
            p[j] = 0.5 / (2.5 - 0.5 * p[j - 1])
            q[j] = (u[j] - 0.5 * q[j - 1]) / (2.5 - 0.5 * p[j - 1])
        for j in range(n - 2, -1, -1):
            u[j] = p[j] * u[j + 1] + q[j]


def apart_with_the_step(u, steps):
    """What the array holds belongs to the step."""
    w = np.empty(len(u))
    for t in range(steps):
        for i in range(len(u)):
            w[i] = np.cos(0.1 * t + i)
        for i in range(len(u)):
            u[i] = u[i] * w[i]
    return np.sum(u * u)


def apart_in_an_inner_loop(u, steps):
    """The inner loop makes it; the outer one only runs it again."""
    w = np.zeros(3)
    for _t in range(steps):
        for i in range(len(u)):
            w[0] = 0.5
            w[1] = w[0] * w[0] + i
            w[2] = np.sin(w[1])
            u[i] = u[i] * w[2] + w[1]
    return np.sum(u * u)


def apart_in_a_while(u, most):
    """A loop of unknown length makes it anew, from what it does not change."""
    w = np.zeros(len(u))
    trips = 0
    while trips < most and np.sum(u * u) > 1e-3:
        for i in range(len(u)):
            w[i] = 0.25 * np.sin(1.0 + i)
        for i in range(len(u)):
            u[i] = u[i] * w[i]
        trips += 1
    return np.sum(u)


def apart_lives_on(u, steps):
    """The first cell is what the step before left."""
    p = np.full(len(u) + 1, 0.5)
    for _t in range(steps):
        for i in range(1, len(u) + 1):
            p[i] = 0.5 * p[i - 1] + 0.1
        p[0] = p[len(u)]
        for i in range(len(u)):
            u[i] = u[i] * p[i]
    return np.sum(u * u)


def apart_last_cell_lives_on(u, steps):
    """One cell is read that no trip writes."""
    p = np.full(len(u) + 1, 0.75)
    for _t in range(steps):
        for i in range(len(u)):
            p[i] = 0.5 + 0.1 * i
        for i in range(len(u)):
            u[i] = u[i] * p[i] * p[i + 1]
    return np.sum(u * u)


def apart_read_behind(u, steps):
    """What the last step left is read behind the loop."""
    p = np.zeros(len(u))
    for _t in range(steps):
        for i in range(len(u)):
            p[i] = 0.5 + 0.1 * i
        for i in range(len(u)):
            u[i] = u[i] * p[i]
    return np.sum(u * u * p)


def apart_of_the_state(u, steps):
    """It is made of what the steps change."""
    p = np.zeros(len(u))
    for _t in range(steps):
        for i in range(len(u)):
            p[i] = np.sin(u[i])
        for i in range(len(u)):
            u[i] = u[i] * p[len(u) - 1 - i]
    return np.sum(u)


def apart_of_a_counter(u, steps):
    """It is made of a number that the steps change."""
    p = np.zeros(len(u))
    c = 1.0
    for _t in range(steps):
        for i in range(len(u)):
            p[i] = c + 0.1 * i
        for i in range(len(u)):
            u[i] = u[i] * p[i]
        c = c * 0.5
    return np.sum(u * u)


def apart_under_a_condition(u, steps):
    """Some cells are made again where the data say so."""
    p = np.full(len(u), 0.5)
    for t in range(steps):
        for i in range(len(u)):
            if u[i] > 0.7:
                p[i] = 0.9 + 0.01 * t
        for i in range(len(u)):
            u[i] = u[i] * p[i]
    return np.sum(u * u)


def apart_the_halves_share(u, steps):
    """The second time only a part is made, and what the first left is read."""
    p = np.zeros(len(u) + 1)
    for _t in range(steps):
        for i in range(len(u) + 1):
            p[i] = 0.5 + 0.1 * i
        for i in range(len(u)):
            u[i] = u[i] * p[i]
        for i in range(len(u)):
            p[i] = 0.9 - 0.05 * i
        for i in range(len(u)):
            u[i] = u[i] * u[i] * p[i + 1]
    return np.sum(u * u)


def apart_by_slices(u, steps):
    """Whole slices at once, in two dimensions."""
    n = len(u)
    p = np.zeros((n, n))
    for _t in range(steps):
        p[:, 0] = 0.5
        for j in range(1, n):
            p[:, j] = 0.3 / (1.0 + p[:, j - 1])
        for j in range(n):
            u *= 0.5 + p[j]
        p[0] = 0.25
        for j in range(1, n):
            p[j] = 0.6 / (2.0 + p[j - 1])
        for j in range(n):
            u *= 0.75 + p[:, j]
    return np.sum(u * u)


ENTRIES = (
    Entry(apart_two_solves, all_of(array("n+1"), size())),
    Entry(apart_with_the_step, all_of(array("n"), size()), bits=False),
    Entry(apart_in_an_inner_loop, all_of(array("n"), size()), bits=False),
    Entry(apart_in_a_while, all_of(array("n"), size()), bits=False),
    Entry(apart_lives_on, all_of(array("n"), size()), bits=False),
    Entry(apart_last_cell_lives_on, all_of(array("n"), size()), bits=False),
    Entry(apart_read_behind, all_of(array("n"), size()), bits=False),
    Entry(apart_of_the_state, all_of(array("n"), size()), bits=False),
    Entry(apart_of_a_counter, all_of(array("n"), size()), bits=False),
    Entry(apart_under_a_condition, all_of(array("n"), size()), bits=False),
    Entry(apart_the_halves_share, all_of(array("n"), size()), bits=False),
    Entry(apart_by_slices, all_of(array("n"), size()), bits=False),
)
