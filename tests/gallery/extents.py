"""Names that mean views of different extents, as branches and loops bind them."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, signed, size, value


def extents_differ_by_branch(x, n):
    """Extents differ by branch."""
    if n % 2:
        u = x[1:]
    else:
        u = x[:-2]
    u *= u
    return np.sum(x * x) * len(u)


def extents_differ_by_choice(x, n):
    """Extents differ by choice."""
    u = x[1:] if n % 2 else x[:-2]
    u[:] = u[::-1] ** 2
    return np.sum(x) + np.sum(u * u)


def extents_shrink_in_a_loop(x):
    """Extents shrink in a loop."""
    u, s = x, 0.0
    for t in range(3):
        u = u[1:]
        u[0] *= 2.0 * u[-1]
        s += np.sum(u) * (t + 1)
    return s + np.sum(u * u)


def extents_shrink_until_one_is_left(x):
    """Extents shrink until one is left."""
    u, s = x, 0.0
    while len(u) > 2:
        u = u[1:-1] if u[0] > 1.0 else u[:-1]
        s += np.sum(u * u)
    return s


def extents_halved_by_data(x):
    """Extents halved by data."""
    part = x
    for _ in range(4):
        if len(part) > 2:
            if part[len(part) // 2] > 0.0:
                part = part[: len(part) // 2 + 1]
            else:
                part = part[len(part) // 2 :]
    part *= 2.0
    return part[0] * np.sum(part) + np.sum(x * x)


def extents_of_the_last_trip(A, n):
    """Extents of the last trip."""
    B = A
    for k in range(n):
        B = A[k:, : k + 1]
        B *= 1.5
    return np.sum(B**2) + B.shape[1]


def extents_of_one_or_of_the_rest(x):
    """One side has one element whatever the argument's extent, the other all but one."""
    s = 0.0
    for i in range(len(x)):
        part = x[1:] if x[i] > 1.0 else x[:1]
        part *= 0.5
        s += np.sum(part * part) * len(part)
    return s + np.sum(x * x)


ENTRIES = (
    Entry(extents_differ_by_branch, all_of(array("n"), size()), least=2, bits=False),
    Entry(extents_differ_by_choice, all_of(array("n"), size()), least=2, bits=False),
    Entry(extents_shrink_in_a_loop, array("n"), least=4, bits=False),
    Entry(extents_shrink_until_one_is_left, array("n"), bits=False),
    Entry(extents_halved_by_data, signed("n"), least=1, bits=False),
    Entry(extents_of_one_or_of_the_rest, array("n"), least=1, bits=False),
    Entry(extents_of_the_last_trip, all_of(array("n+1", 3), value(2)), least=1, bits=False),
)
