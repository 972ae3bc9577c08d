"""An array and its copy, read by turns while they are alike and when they are not any more."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, value


def twin_of_a_step(u, v, steps):
    """As in flow solvers: a source from the state, then the state from its copy."""
    for _t in range(steps):
        un = u.copy()
        vn = v.copy()
        b = u[1:] * v[1:] * u[:-1] + np.sin(u[1:])
        u[1:] = 0.5 * un[1:] - 0.2 * un[1:] * vn[1:] * un[:-1] + 0.1 * b
        v[1:] = 0.4 * vn[1:] * un[1:] + 0.1 * u[1:] * b


def twin_written_in_between(u):
    """A copy whose original is written before it is read."""
    for _t in range(3):
        un = u.copy()
        u[1:] = u[:-1] * un[1:]
        s = np.sum(u * u)
        u[:] = un * u + 0.1 * s


def twin_that_is_written(u):
    """A copy that is written itself."""
    w = u.copy()
    for i in range(1, len(u)):
        w[i] = u[i] * w[i - 1]
        u[i] = u[i] * w[i]
    return np.sum(w * w)


def twin_in_part(u):
    """A copy of a part."""
    w = np.ones(len(u) + 1)
    w[:-1] = u
    s = np.sum(u * u)
    u *= w[1:] + s
    return s


def twin_of_a_matrix(A, x):
    """A copy of a matrix, both read by a stencil."""
    B = A.copy()
    y = A @ x
    A[:] = np.sin(B) * np.outer(x, y)
    return np.sum(B @ y)


def twin_read_in_a_condition(u):
    """A copy that decides a branch."""
    for _t in range(3):
        w = u.copy()
        for i in range(len(u)):
            if u[i] > 0.9:
                u[i] = w[i] * w[-1 - i]


ENTRIES = (
    Entry(twin_of_a_step, all_of(array("n+1"), array("n+1"), value(3)), bits=False),
    Entry(twin_written_in_between, array("n+1"), bits=False),
    Entry(twin_that_is_written, array("n+1"), bits=False),
    Entry(twin_in_part, array("n"), bits=False),
    Entry(twin_of_a_matrix, all_of(array("n", "n"), array("n")), bits=False),
    Entry(twin_read_in_a_condition, array("n")),
)
