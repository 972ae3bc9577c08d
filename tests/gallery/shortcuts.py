"""Kernels on which a tempting short cut gives a wrong gradient; their values are what any compiler should get right."""

import math

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, value


def short_squares_itself(A):
    """A statement overwrites its own operand."""
    for i in range(len(A)):
        A[i] = A[i] * A[i]
    return np.sum(A)


def short_first_overwrite_skipped(a, p):
    """The first overwrite in the text may not run: 6 at a = 3 with p false."""
    s = a[0] ** 2
    if p > 0.0:
        a[0] = 1.0
    a[0] = 2.0
    return s


def short_mirror(A):
    """y_bar is zeroed after the contributions, except in the middle."""
    n = len(A)
    for i in range(n):
        A[i] = 2.0 * A[n - 1 - i]
    return np.sum(A)


def short_reads_itself_and_neighbour(A):
    """y_bar changes while it is read."""
    for i in range(1, len(A)):
        A[i] += 0.5 * A[i] + 3.0 * A[i - 1]
    return np.sum(A)


def short_recomputed_scalar(A):
    """t can be recomputed only from the old A[i]."""
    s = 0.0
    for i in range(len(A)):
        t = 2.0 * A[i]
        A[i] = 0.1 * t
        s += math.sin(t)
    return s


def short_replayed_forcing(u, f, steps):
    """f changes after the time loop that a replay reads again."""
    for _t in range(steps):
        u[:] = np.sin(u) * u + f
    f[:] = 0.0
    return np.sum(u)


def short_restored_source(x):
    """V is recomputed from c, which is restored later."""
    c = 1.5 * x
    V = np.sin(c)
    c = 0.3 * x
    s = np.sum(V * V)
    V = c
    return s + np.sum(V)


def short_guard_on_changed_data(a, c):
    """The guard reads what its branch overwrites."""
    for i in range(len(a)):
        if a[i] > c:
            a[i] = a[i] * a[i] * 0.5
        else:
            a[i] += 0.4
    return np.sum(a)


def short_exchanged_names(u, steps):
    """Overwrites are those of buffers, not of names."""
    un = np.empty_like(u)
    for _t in range(steps):
        un[:] = np.sin(u) * u
        u, un = un, u
    return np.sum(u)


def short_old_buffer_named(p, steps):
    """A buffer is not reused while old still names it."""
    pn = p.copy()
    s = 0.0
    for _t in range(steps):
        old = pn
        pn = p.copy()
        p[:] = pn * old
        s += np.sum(old * pn)
    return s


def zero_first(v, A):
    A[0] = 0.0
    return v * v


def short_element_substituted(A):
    """An element as an argument is a copy."""
    return zero_first(A[0], A) + np.sum(A)


def short_scaled_by_zero(x, c):
    """y = c*x at c = 0."""
    y = c * x
    return np.sum(y * y + y)


def short_saturated(x):
    """tanh where it is nearly 1."""
    return np.sum(np.tanh(8.0 * x))


def short_address_changed(p):
    """The address of a store changes later."""
    p[int(p[0])] = 3.0
    p[0] = p[1] * 2.0
    return np.sum(p * p)


def addresses(n, rng):
    return (np.concatenate([[1.0], rng.uniform(0, 1, n + 1)]),)


def short_divisor_inline(a):
    """s += 1/(i+1+a*a)."""
    s = 0.0
    for i in range(2):
        s += 1.0 / (i + 1 + a * a)
    return s


def short_accumulator_nonlinear(x, init):
    """A non-linear use of an accumulator after its loop."""
    s = init
    for i in range(len(x)):
        s += x[i]
    return 1.0 / s + s**2


ENTRIES = (
    Entry(short_squares_itself, array("n"), bits=False),
    Entry(short_first_overwrite_skipped, all_of(array("n"), value(-1.0)), least=1),
    Entry(short_mirror, array("n"), bits=False),
    Entry(short_reads_itself_and_neighbour, array("n"), bits=False),
    Entry(short_recomputed_scalar, array("n"), bits=False),
    Entry(short_replayed_forcing, all_of(array("n"), array("n"), value(3)), bits=False),
    Entry(short_restored_source, array("n"), bits=False),
    Entry(short_guard_on_changed_data, all_of(signed("n"), value(0.3)), bits=False),
    Entry(short_exchanged_names, all_of(array("n"), value(3)), bits=False),
    Entry(short_old_buffer_named, all_of(array("n"), value(3)), bits=False),
    Entry(short_element_substituted, array("n"), bits=False, least=1),
    Entry(short_scaled_by_zero, all_of(array("n"), value(0.0)), bits=False),
    Entry(short_saturated, array("n"), bits=False),
    Entry(short_address_changed, addresses, bits=False),
    Entry(short_divisor_inline, number()),
    Entry(short_accumulator_nonlinear, all_of(array("n"), number())),
)
