"""Scalars that loops carry beside what they are made of, and what loops find in them first: some need no record, some only look so."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, size


def carried_residual(a, b):
    """Before each trip f is the residual of x, which is recorded anyway."""
    total = 0.0
    for i in range(len(a)):
        x = 1.0
        f = x**3 - a[i] * x - b[i]
        while abs(f) > 1e-9:
            x -= f / (3.0 * x**2 - a[i])
            f = x**3 - a[i] * x - b[i]
        total += x * x
    return total


def carried_residual_after(a, n):
    """The residual is read behind the loop, too."""
    x = 0.5
    r = np.sin(x) - 0.1
    for _i in range(n):
        x = x * (1.0 - 0.2 * r * r * a[0])
        r = np.sin(x) - 0.1
    return r * r * a[0] + x


def carried_residual_of_an_array(a):
    """What it is made of is an element, and changes under another name of the index, too."""
    s = 0.0
    f = np.exp(-a[0])
    for k in range(len(a)):
        s += f * f
        a[0] = a[0] + 0.3 * f * f * a[k]
        f = np.exp(-a[0])
    return s


def carried_differs_at_entry(a):
    """Before the first trip f is something else."""
    x = 1.0
    f = 2.0 * x * x
    for i in range(len(a)):
        x = x + 0.1 * f * f * a[i]
        f = x * x
    return x


def carried_changes_in_between(a):
    """x has moved on when f is read."""
    x = 1.0
    f = np.sin(x)
    for i in range(len(a)):
        x = x * a[i]
        x = x + 0.1 * f * f
        f = np.sin(x)
        x = x + 0.2 * a[i]
    return x


def carried_under_a_branch(a):
    """One side of a branch leaves f as it was."""
    x = 1.0
    f = x * x
    for i in range(len(a)):
        x = x * (0.9 + 0.1 * f * a[i])
        if a[i] > 1.0:
            f = x * x
    return x + f * f


def carried_on_both_sides(a):
    """Both sides of a branch leave f as the square of x."""
    x = 1.0
    f = x * x
    for i in range(len(a)):
        x = x * (0.9 + 0.1 * f * a[i])
        if a[i] > 1.0:
            f = x * x
        else:
            x = x + 0.5
            f = x * x
    return x + f * f


def carried_by_two(a):
    """One is made of the other, which is made of a third."""
    x = 0.3
    y = x * x
    z = np.sin(y)
    for i in range(len(a)):
        x = x + 0.1 * z * y * a[i]
        y = x * x
        z = np.sin(y)
    return x * y * z


def carried_with_the_index(a):
    """What f is made of belongs to the trip before."""
    x = 1.0
    f = x * a[0]
    for i in range(len(a)):
        x = x + 0.1 * f * f
        f = x * a[i]
    return f * x


def carried_copy(a):
    """An older value of the same variable."""
    x = 1.0
    old = x
    for i in range(len(a)):
        x = x * 0.5 + 0.1 * np.sin(old) * a[i]
        old = x
    return x * old


def carried_single(a):
    """In single precision, where the constant at entry is not the double of that name."""
    x = np.float32(0.7)
    f = x * x
    for i in range(len(a)):
        x = x + np.float32(0.3) * f * a[i]
        f = x * x
    return x


def first_is_a_constant(a, n):
    """Every trip but the first overwrites what must be kept; the first finds 1."""
    s = 0.0
    for i in range(len(a)):
        x = 1.0
        for _k in range(n):
            x = x * x * 0.5 + a[i]
        s += x
    return s


def first_under_a_condition(a):
    """The first overwrite need not be in the first trip."""
    x = 1.0
    for i in range(len(a)):
        if a[i] > 1.0:
            x = x * x * 0.5 + a[i]
    return x


def first_of_two_writes(a):
    """Two statements overwrite: the second finds what the first left."""
    x = 1.0
    for i in range(len(a)):
        x = x * x * 0.25
        x = x * x + a[i]
    return x


def first_in_an_inner_loop(a, n):
    """The variable lives longer than the inner loop, whose first trip finds what the last sweep left."""
    x = 1.0
    for i in range(len(a)):
        for _k in range(n):
            x = x * x * 0.25 + a[i] * 0.5
    return x


def first_downwards(a):
    """A loop that runs down."""
    x = 0.5
    for i in range(len(a) - 1, -1, -1):
        x = x * x + a[i] * 0.5
    return x


def first_from_two(a):
    """A loop that does not begin at 0."""
    x = 0.5
    for i in range(2, len(a)):
        x = x * x * 0.5 + a[i] * 0.5
    return x


ENTRIES = (
    Entry(carried_residual, all_of(array("n", low=0.3, high=0.5), array("n", low=0.8, high=1.5)), bits=False),
    Entry(carried_residual_after, all_of(array("n+1"), size()), bits=False),
    Entry(carried_residual_of_an_array, array("n+1"), bits=False),
    Entry(carried_differs_at_entry, array("n")),
    Entry(carried_changes_in_between, array("n"), bits=False),
    Entry(carried_under_a_branch, array("n")),
    Entry(carried_on_both_sides, array("n")),
    Entry(carried_by_two, array("n"), bits=False),
    Entry(carried_with_the_index, array("n+1")),
    Entry(carried_copy, array("n"), bits=False),
    Entry(carried_single, lambda n, rng: (rng.uniform(0.5, 1.5, n).astype(np.float32),), bits=False),
    Entry(first_is_a_constant, all_of(array("n", low=0.1, high=0.4), size())),
    Entry(first_under_a_condition, array("n")),
    Entry(first_of_two_writes, array("n", high=0.9)),
    Entry(first_in_an_inner_loop, all_of(array("n", high=0.9), size())),
    Entry(first_downwards, array("n", high=0.9)),
    Entry(first_from_two, array("n", high=0.9)),
)
