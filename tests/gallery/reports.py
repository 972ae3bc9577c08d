"""Programs that broke other systems, with the answers known; see `ANSWERS`."""

import math

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, value


def report_linear_chain(P):
    """An O(n) loop must not have an O(n^2) gradient: ones at P[0]."""
    for i in range(1, P.shape[0]):
        P[i] = P[i - 1]
    return np.sum(P[-1])


def report_running_sum(x):
    """f[i] = x[i] + f[i-1]; the gradient of f[-1] is all ones."""
    f = np.zeros(len(x))
    f[0] = x[0]
    for i in range(1, len(x)):
        f[i] = x[i] + f[i - 1]
    return f[-1]


def report_where_not_taken(x):
    """The square root's side is not taken at 0: gradient 1."""
    return np.sum(np.where(x < 1.0, x, np.sqrt(x)))


def report_two_in_place_statements(x):
    """f = f[i-1]*x, then a sigmoid of it, in place."""
    f = np.zeros(10)
    f[0] = 1.0
    for i in range(1, 10):
        f[i] = f[i - 1] * x
        f[i] = 1.0 / (1.0 + np.exp(-f[i]))
    return np.sum(f)


def report_assigned_elements(b):
    """A vector assembled element by element."""
    c = np.zeros(2)
    c[0] = b[0] * b[0]
    c[1] = b[1] * b[0] + b[2]
    return c


def report_block_assignment(A):
    """A block of a larger matrix."""
    B = np.zeros((4, 4))
    B[:2, :2] = A
    return np.sum(B)


def report_added_to_element(x, y):
    """x[0, 0] += y[i]."""
    for i in range(len(y)):
        x[0, 0] += y[i]
    return np.sum(x)


def damped_twice(v):
    rate = 0.5
    v = v * rate
    rate = 0.25
    return v * v * rate


def grown(v):
    rate = 3.0
    return damped_twice(v * rate) + rate * v


def report_constants_in_callees(x):
    """Scalar constants of one name, redefined in several inlined functions."""
    rate = 2.0
    s = 0.0
    for i in range(len(x)):
        s += damped_twice(x[i]) * rate
        rate = rate * 0.5
        s += grown(x[i]) * damped_twice(s) * rate
    return s


def report_product_loop(x):
    """prod *= x[i]."""
    p = 1.0
    for i in range(len(x)):
        p *= x[i]
    return p


def report_overwritten_input(a):
    """b[i] = a[i]**2, then a[i] = 1: gradient 2a."""
    b = np.zeros_like(a)
    for i in range(len(a)):
        b[i] = a[i] ** 2
        a[i] = 1.0
    return np.sum(b)


def report_overwritten_slice(a, c):
    """b = a**2; a[:] = c."""
    b = a**2
    a[:] = c
    return np.sum(b)


def report_accumulator_used(x, init):
    """1/s of an accumulated s."""
    s = init
    for i in range(len(x)):
        s += x[i]
    return 1.0 / s


def report_read_then_overwritten(x, t, a):
    """x = cos(t)*x in place; an exponential average."""
    y = 0.0
    for i in range(len(x)):
        x[i] = math.cos(t) * x[i]
        y = a * x[i] + (1.0 - a) * y
    return y


def report_smallest_squared(x):
    """if d < m: m = d, then m**2."""
    m = 10.0
    for i in range(len(x)):
        d = x[i] * x[i]
        if d < m:
            m = d
    return m**2


def report_logsumexp(x):
    """log of a sum of exponentials."""
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def report_four_sweeps(A):
    """Sweeps of sin of a product, in place."""
    for _t in range(4):
        for i in range(1, A.shape[0]):
            for j in range(1, A.shape[1]):
                A[i, j] = np.sin(A[i - 1, j] * A[i, j - 1]) + 0.5 * A[i, j]
    return np.sum(A)


def report_ragged_range(x):
    """range(0, 11, 3)."""
    for i in range(0, 11, 3):
        x[i] = x[i] * x[i]
    return np.sum(x)


def report_branch_on_changed_data(a, c, steps):
    """An if inside a loop over data that changes."""
    for _t in range(steps):
        for i in range(len(a)):
            if a[i] > c:
                a[i] = a[i] * a[i] * 0.5
            else:
                a[i] += 0.1
    return np.sum(a)


def report_narrow_stencil(u, steps):
    """Upwind on domains as narrow as the stencil."""
    un = u.copy()
    for _t in range(steps):
        for i in range(1, len(u) - 1):
            f = max(u[i], 0.0) * (u[i] - u[i - 1]) + min(u[i], 0.0) * (u[i + 1] - u[i])
            un[i] = u[i] - 0.2 * f + 0.1 * (u[i + 1] - 2.0 * u[i] + u[i - 1])
        u, un = un, u
    return np.sum(u)


def report_log_or_zero(x):
    """log(x) if x > 0 else 0."""
    s = 0.0
    for i in range(len(x)):
        s += np.log(x[i]) if x[i] > 0 else 0.0
    return s


def smooth(A, steps):
    """Mean of four neighbours, in place."""
    for _t in range(steps):
        for i in range(1, A.shape[0] - 1):
            for j in range(1, A.shape[1] - 1):
                A[i, j] = (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]) / 4.0


def report_smoother(A, steps):
    """A smoother called from a second function."""
    smooth(A, steps)
    return np.sum(A)


def report_linear_regression(w, b, x, y):
    """The mean of squares of a line's misfit."""
    return np.mean((w * x + b - y) ** 2)


def report_mixture(x):
    """Doubled on even trips, plus 3 on odd ones."""
    for i in range(100):
        if i % 2 == 0:
            x = x * 2.0
        else:
            x = x + 3.0
    return x


def report_experts(W, y, g):
    """A loop of products with a matrix chosen by data."""
    for t in range(len(g)):
        y = W[g[t]] @ y
    return np.sum(y)


def experts(n, rng):
    return rng.uniform(0, 1, (3, 2, 2)), rng.uniform(0, 1, 2), rng.integers(0, 3, n)


def report_newton_until_settled(a):
    """A `while` until the residual is small: the square root."""
    x = 1.0
    while abs(x * x - a) > 1e-12:
        x = x - (x * x - a) / (2.0 * x)
    return x


def report_riemann_sum(lower, upper, h):
    """A loop whose bounds are differentiated."""
    s = 0.0
    x = lower
    while x < upper:
        s += x * x * h
        x += h
    return s


ENTRIES = (
    Entry(report_linear_chain, array("n", 2, 2), bits=False, least=1),
    Entry(report_running_sum, array("n"), least=1),
    Entry(report_where_not_taken, array("n"), bits=False),
    Entry(report_two_in_place_statements, number(), bits=False),
    Entry(report_assigned_elements, array(3)),
    Entry(report_block_assignment, array(2, 2), bits=False),
    Entry(report_added_to_element, all_of(array(2, 2), array("n"))),
    Entry(report_constants_in_callees, array("n")),
    Entry(report_product_loop, array("n")),
    Entry(report_overwritten_input, array("n"), bits=False),
    Entry(report_overwritten_slice, all_of(array("n"), number()), bits=False),
    Entry(report_accumulator_used, all_of(array("n"), number())),
    Entry(report_read_then_overwritten, all_of(array("n"), number(), number()), bits=False),
    Entry(report_smallest_squared, signed("n")),
    Entry(report_logsumexp, array("n"), bits=False, least=1),
    Entry(report_four_sweeps, signed("n", "n"), bits=False),
    Entry(report_ragged_range, array(11), bits=False),
    Entry(report_branch_on_changed_data, all_of(signed("n"), value(0.3), value(3)), bits=False),
    Entry(report_narrow_stencil, all_of(signed("n"), value(3)), bits=False),
    Entry(report_log_or_zero, signed("n"), bits=False),
    Entry(report_smoother, all_of(array("n", "n"), value(5)), bits=False),
    Entry(report_linear_regression, all_of(number(), number(), array("n"), array("n")), bits=False, least=1),
    Entry(report_mixture, number()),
    Entry(report_experts, experts, bits=False),
    Entry(report_newton_until_settled, number()),
    Entry(report_riemann_sum, all_of(value(0.1), value(1.0), value(0.3))),
)

ANSWERS = {
    # name: (arguments, value, gradient by the first float parameter)
    "report_two_in_place_statements": ((1.0,), 7.02404078, 1.74510849),
    "report_added_to_element": ((np.ones((2, 2)), np.array([1.0, 2.0])), 7.0, np.ones((2, 2))),
    "report_product_loop": ((np.array([2.0, 2.0, 2.0]),), 8.0, np.array([4.0, 4.0, 4.0])),
    "report_overwritten_input": ((np.array([1.0, 2.0, 3.0]),), 14.0, np.array([2.0, 4.0, 6.0])),
    "report_overwritten_slice": ((np.array([1.0, 2.0, 3.0]), 5.0), 14.0, np.array([2.0, 4.0, 6.0])),
    "report_logsumexp": ((np.array([1.0, 2.0, 3.0, 4.0]),), 4.440189698561196, np.array([0.0320586, 0.0871443, 0.2368828, 0.6439143])),
    "report_log_or_zero": ((np.array([-2.0, -1.0, 0.5, 1.0, 2.0]),), 0.0, np.array([0.0, 0.0, 2.0, 1.0, 0.5])),
    "report_where_not_taken": ((np.array([0.0]),), 0.0, np.array([1.0])),
    "report_mixture": ((1.0,), None, 2.0**50),
    "report_newton_until_settled": ((2.0,), 1.41421356, 0.35355339),
    "report_riemann_sum": ((0.0, 1.0, 0.25), 0.21875, 0.75),
    "short_divisor_inline": ((2.0,), 1.0 / 5.0 + 1.0 / 6.0, -0.2711111),
    "scalar_polynomial": ((2.0, 3.0), 15.0, 3.0),
}
"""Values and gradients known beforehand."""
