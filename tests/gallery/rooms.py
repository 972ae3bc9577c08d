"""Names that loops and branches bind to new arrays of other lengths: trees that shrink, differences, halves, what masks let through."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, value


def rooms_binomial_tree(s, steps, up):
    """The values of an option, backwards through a tree that has one node fewer each time."""
    v = s * s
    for _t in range(steps):
        v = up * v[1:] + (1.0 - up) * v[:-1]
        v = v * (1.0 + 0.1 * v)
    return v[0]


def rooms_differences(x):
    """Products of neighbours, by name all along."""
    u = np.sin(x)
    for _k in range(3):
        u = u[1:] * u[:-1] + 0.5
    return np.sum(u * u)


def rooms_halves(x):
    """A sum in pairs, until one is left."""
    u = x * x
    while len(u) > 1:
        half = len(u) // 2
        u = u[:half] * (1.0 + 0.1 * u[half : 2 * half])
    return np.sum(u)


def rooms_under_a_condition(x, c):
    """Shorter on one path."""
    u = x * x
    if c > 1.0:
        u = u[1:] * c
    return np.sum(u * u) * c


def rooms_of_either_side(x, y, c):
    """No array before the branch, and other lengths on its sides."""
    if c > 1.0:
        u = np.concatenate((x, y)) * c
    else:
        u = y[1:] * x[: len(y) - 1]
    u *= 2.0
    return np.sum(u * u)


def rooms_masked_on_one_path(x, c):
    """What a mask lets through, handed out of a branch."""
    u = x * 1.0
    if c > 1.0:
        u = u[u > 0.2]
    return np.sum(u * u) + 0.0 * c


def rooms_masked_again(x):
    """Fewer and fewer elements."""
    u = x * 1.0
    total = 0.0
    for k in range(4):
        u = u[u > 0.3 * k - 0.61]
        total += np.sum(u * u * u)
    return total + len(u)


def rooms_in_planes(A):
    """Two extents that shrink."""
    B = A * 1.0
    for _t in range(2):
        B = B[1:, :-1] * B[:-1, 1:] + A[0, 0]
    return np.sum(B * B)


def rooms_written_in_place(x):
    """Each new array is changed through its name, and through a view of it."""
    u = x * 1.0
    for k in range(3):
        u = u[1:] * x[0]
        u += 0.1 * k
        part = u[::2]
        part *= 1.5
        u[-1] = u[-1] * u[-1]
    return np.sum(u * u)


def rooms_another_name_keeps(x):
    """The array from before is still there under another name."""
    u = x * 1.0
    total = 0.0
    for _k in range(3):
        w = u
        u = u[1:] * 2.0
        u[:] = u * w[0]
        w += 0.25
        total += np.sum(w * w)
    return total + np.sum(u)


def rooms_of_each_trip(x, steps):
    """A loop in a loop that begins with all elements every time."""
    total = 0.0
    for t in range(steps):
        u = x * (1.0 + t)
        for _k in range(t):
            u = u[1:] * u[:-1]
        total += np.sum(u)
    return total


def rooms_of_an_argument(x, y):
    """The argument is left alone once its name means a shorter array."""
    for _k in range(2):
        x = x[1:] * y[0]
    x *= 3.0
    return np.sum(x * x)


def rooms_by_parts_and_anew(x):
    """Views and new arrays in turn."""
    u = x * 1.0
    for k in range(4):
        if k % 2 == 0:
            u = u[1:]
        else:
            u = u * u
    return np.sum(u)


def rooms_with_a_helper(x, steps):
    """The loop stands in a function that is inlined, twice."""
    return _shorter(x, steps) * _shorter(0.5 * x, 1)


def _shorter(v, steps):
    for _k in range(steps):
        v = v[1:] - v[:-1] * v[1:]
    return np.sum(v)


def rooms_left_early(x, limit):
    """With a way out of the loop."""
    u = x * 1.0
    count = 0
    for _k in range(len(x)):
        u = u[:-1] * 1.25
        count += 1
        if np.sum(u) < limit:
            break
    return np.sum(u * u) + count


def rooms_until_small(x, r):
    """A grid that is made coarser until few cells are left, with a residual that follows."""
    u = x * 1.0
    steps = 0
    while len(u) >= 3:
        u = 0.25 * u[:-2:2] + 0.5 * u[1:-1:2] + 0.25 * u[2::2] + r * u[1:-1:2] ** 2
        steps += 1
    return np.sum(u) + steps


def rooms_carried_around(x, y):
    """Two of them, each made of both."""
    u, v = x * 1.0, y * 1.0
    for _k in range(2):
        u, v = v[1:] * u[1:], u[:-1] + v[:-1]
    return np.sum(u * v)


ENTRIES = (
    Entry(rooms_binomial_tree, all_of(array("n+4"), value(3), number())),
    Entry(rooms_differences, array("n"), bits=False),
    Entry(rooms_halves, array("n")),
    Entry(rooms_under_a_condition, all_of(array("n"), number(0.5, 1.5))),
    Entry(rooms_of_either_side, all_of(array("n+1"), array("n"), number(0.5, 1.5))),
    Entry(rooms_masked_on_one_path, all_of(signed("n"), number(0.5, 1.5))),
    Entry(rooms_masked_again, signed("n")),
    Entry(rooms_in_planes, array("n+1", "n+2"), bits=False),
    Entry(rooms_written_in_place, array("n+4")),
    Entry(rooms_another_name_keeps, array("n+4")),
    Entry(rooms_of_each_trip, all_of(array("n"), value(4))),
    Entry(rooms_of_an_argument, all_of(array("n"), array("n+1"))),
    Entry(rooms_by_parts_and_anew, array("n")),
    Entry(rooms_with_a_helper, all_of(array("n"), value(3))),
    Entry(rooms_left_early, all_of(array("n"), value(3.0)), least=1),
    Entry(rooms_until_small, all_of(array("2n"), number(0.01, 0.1))),
    Entry(rooms_carried_around, all_of(array("n"), array("n"))),
)
