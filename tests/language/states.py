"""Tuples and lists of arrays and numbers that a loop or a branch changes: the state of what is computed."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, value


def state_in_a_tuple(x, v, n):
    state = (x, v)
    for _ in range(n):
        state = (state[0] + 0.1 * state[1], state[1] - 0.1 * state[0])
    return np.sum(state[0] * state[1])


def stepped(state, dt):
    p, q = state
    return p + dt * q, q - dt * np.sin(p)


def state_from_a_function(x, v, n):
    state = (x, v)
    for _ in range(n):
        state = stepped(state, 0.1)
    p, q = state
    return np.sum(p * q)


def midpoint(f, y, dt):
    k1 = f(y)
    k2 = f((y[0] + 0.5 * dt * k1[0], y[1] + 0.5 * dt * k1[1]))
    return (y[0] + dt * k2[0], y[1] + dt * k2[1])


def pendulum(y):
    angle, speed = y
    return speed * 1.0, -np.sin(angle)


def state_of_an_integrator(x, v, n):
    y = x, v
    for _ in range(n):
        y = midpoint(pendulum, y, 0.05)
    return np.sum(y[0]) + np.sum(y[1] ** 2), y[0]


def advanced(state, n):
    for i in range(n):
        state = (state[1] * 0.5, state[0] + i)
    return state


def state_as_a_parameter(x, v, n):
    a, b = advanced((x, v), n)
    return np.sum(a * b)


def states_exchanged(x, v, n):
    """Its arrays are written, and change places."""
    s = (x.copy(), v.copy())
    for _ in range(n):
        s[0][0] += s[1][-1] * s[1][0]
        s = (s[1], s[0])
    return np.sum(s[0] * s[0]) - 2.0 * np.sum(s[1])


def state_of_several_kinds(x, v, n):
    s = (0.0, x * 1.0, (1, v))
    for _ in range(n):
        e, a, (c, b) = s
        s = (e + a[0], a + b * c, (c + 1, b * 0.5))
    return s[0] + np.sum(s[1]) + s[2][0] + np.sum(s[2][1])


def state_by_branch(x, v, n):
    s = (x, v)
    for _ in range(n):
        if s[0][0] > 0.3:
            s = (s[0] * 0.5, s[1])
        else:
            s = (s[0] + s[1], s[1] * 1.1)
    return np.sum(s[0]) + np.sum(s[1] * s[1])


def state_while(x, v, n):
    s = (x, v, 0)
    while s[2] < n:
        s = (s[0] + 0.1 * s[1], s[1] - 0.1 * s[0], s[2] + 1)
    a, b, c = s
    return np.sum(a) * b[0] + c


def state_on_one_path(x, v, n):
    s: tuple = (x, v)
    if n > 2:
        s = (v, x * 2.0)
    return np.sum(s[0]) + 3.0 * np.sum(s[1] * s[1])


def state_on_both_paths(x, v, n):
    if n > 2:
        s = (x * 2.0, v)
    else:
        s = (v, x)
    return np.sum(s[0] * s[0]) + 3.0 * s[1][0]


def state_of_the_last_trip(x, v, n):
    for i in range(n):
        s = (x * i, v)
    return np.sum(s[0] * s[1])


def state_of_the_trip_before(x, v, n):
    e = 0.0
    for i in range(n):
        if i > 0:
            e += np.sum(p[0]) * p[1][0]  # noqa: F821
        p = (x * i, v + i)  # noqa: F841
    return e


def state_in_a_list(x, v, n):
    s = [x, v]
    for _ in range(n):
        s = [s[0] * 1.1, s[0] + s[1]]
    return np.sum(s[0] * s[1]), len(s)


def state_returned(x, v, n):
    s = (x, v)
    for _ in range(n):
        s = (s[0] * 1.1, s[0] + s[1])
    return s


def best_so_far(x, v, n):
    best = (np.inf, x)
    for i in range(n):
        c = x * i - v
        e = np.sum(c * c)
        if e < best[0]:
            best = (e, c)
    return best[0] + np.sum(best[1])


def numbers_exchanged_in_tuples(x, v, n):
    """Every value is there before the first name is bound."""
    a, b, c, d = x[0], x[-1], v[0], v[-1]
    for _ in range(n):
        (a, b), (c, d) = (c * 1.5, d), (b, a)
    return a + 2.0 * b + 3.0 * c + 4.0 * d


def arrays_exchanged_in_tuples(x, v, n):
    u, w, z = x.copy(), v.copy(), x * 2.0
    for _ in range(n):
        (u, w), z = (w, z), u
        z[0] += 1.0
    return np.sum(u * u) + 2.0 * np.sum(w) + 3.0 * np.sum(z)


def two_states_exchanged(x, v, n):
    s, t = (x.copy(), v.copy()), (v * 2.0, x * 3.0)
    for _ in range(n):
        s[0][0] += t[1][-1]
        s, t = t, s
        s = (s[1], s[0])
    return np.sum(s[0]) + 2.0 * np.sum(s[1]) + 3.0 * np.sum(t[0] * t[0]) + 4.0 * np.sum(t[1])


def state_and_the_one_before(x, v, n):
    s = (x.copy(), v.copy())
    before = s
    for _ in range(n):
        before = s
        s = (s[0] * 0.5 + before[1], s[1])
        s[1][0] += 1.0
    return np.sum(s[0]) + 2.0 * np.sum(s[1] * s[1]) + 3.0 * np.sum(before[0]) + 5.0 * np.sum(before[1])


def two_names_for_a_state(x, v, n):
    a = b = (x, v)
    for _ in range(n):
        a = b = (b[1] + 1.0, a[0])
    return np.sum(a[0] * a[0]) + 2.0 * np.sum(b[1])


def names_and_tuples_in_a_row(x, v, n):
    """Every target gets the values from before the first is bound."""
    a, b = 0.5 * x[0], 0.5 * v[0]
    for _ in range(n):
        a = b = 0.5 * a + 0.25 * b + x[0]
        (a, b) = c = (b * 0.5, a)
        (a, b) = (p, q) = (b, a + 1.0)
        a += 0.1 * p * c[0] - q
    return a + 3.0 * b


STATE = all_of(array("n"), array("n"), value(3))

ENTRIES = (
    Entry(state_in_a_tuple, STATE, bits=False),
    Entry(state_from_a_function, STATE, bits=False),
    Entry(state_of_an_integrator, STATE, bits=False),
    Entry(state_as_a_parameter, STATE, bits=False),
    Entry(states_exchanged, STATE, least=1, bits=False),
    Entry(state_of_several_kinds, STATE, least=1, bits=False),
    Entry(state_by_branch, STATE, least=1, bits=False),
    Entry(state_while, STATE, least=1, bits=False),
    Entry(state_on_one_path, STATE, bits=False),
    Entry(state_on_both_paths, STATE, least=1, bits=False),
    Entry(state_of_the_last_trip, STATE, bits=False),
    Entry(state_of_the_trip_before, STATE, least=1, bits=False),
    Entry(state_in_a_list, STATE, bits=False),
    Entry(state_returned, STATE),
    Entry(best_so_far, STATE, bits=False),
    Entry(numbers_exchanged_in_tuples, STATE, least=1, bits=False),
    Entry(arrays_exchanged_in_tuples, STATE, least=1, bits=False),
    Entry(two_states_exchanged, STATE, least=1, bits=False),
    Entry(state_and_the_one_before, STATE, least=1, bits=False),
    Entry(two_names_for_a_state, STATE, bits=False),
    Entry(names_and_tuples_in_a_row, STATE, least=1, bits=False),
)
