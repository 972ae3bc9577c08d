"""Loops of unknown length: what the condition reads and does, what the trips carry, and every way out."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, size, value


def while_halves(x):
    """A condition on one element, a body that changes it."""
    s = 0.0
    while x[0] > 0.01:
        x[0] = 0.5 * x[0]
        s += x[0]
    return s


def while_newton(a):
    """A scalar recurrence until it settles; the trips are counted."""
    x = a
    before = 0.0
    count = 0
    while abs(x - before) > 1e-12:
        before = x
        x = 0.5 * (x + a / x)
        count += 1
    return x, count


def while_jacobi(u, tolerance):
    """Sweeps over an array until they change little; the arrays are exchanged."""
    un = u.copy()
    err = 1.0
    sweeps = 0
    while err > tolerance:
        un[1:-1] = 0.5 * (u[:-2] + u[2:]) + 0.01 * u[1:-1] * u[1:-1]
        err = np.sum(np.abs(un - u))
        u, un = un, u
        sweeps += 1
    return np.sum(u * u), sweeps


def while_never(x):
    """A condition that is false from the start."""
    s = 1.0
    while x[0] > 100.0:
        s += x[0]
    return s


def while_both(x, n):
    """`and` tests the element only where the index is in range."""
    i = 0
    s = 0.0
    while i < n and x[i] > -0.5:
        s += x[i]
        i += 1
    return s, i


def while_either(x):
    """`or`, `not`, and a chain of comparisons."""
    s = 0.0
    t = 0.25
    while not s > 2.0 or 0.0 < t < 0.75 <= s:
        s += 0.5 + x[0] * x[0]
        t *= 1.25
    return s + t


def while_true_break(x):
    """The only way out is a break."""
    s = x[0]
    while True:
        s = 0.5 * s + 0.1
        if s < 0.25:
            break
        x[0] += s
    return s * x[0]


def while_breaks_and_continues(x, n):
    """Statements before and after both; the index moves on all paths."""
    i = -1
    s = 0.0
    while i < n - 1:
        i += 1
        if x[i] < -0.8:
            break
        s += 1.0
        if x[i] < 0.0:
            continue
        s += x[i]
    return s, i


def while_else(x, n):
    """The else runs when no break did."""
    i = 0
    while i < n:
        if x[i] < -0.7:
            s = x[i]
            break
        i += 1
    else:
        s = 5.0
    return s


def while_returns(x, n):
    """A return out of the middle."""
    i = 0
    s = 0.0
    while i < n:
        s += x[i] * x[i]
        if s > 0.5:
            return s
        i += 1
    return -s


def while_collatz(n):
    """Integers alone; a branch in every trip."""
    count = 0
    m = n + 7
    while m != 1:
        if m % 2 == 0:
            m //= 2
        else:
            m = 3 * m + 1
        count += 1
    return count


def while_insertion_sort(x):
    """An index that runs down inside a for loop, and elements that change places."""
    for i in range(1, len(x)):
        key = x[i]
        j = i - 1
        while j >= 0 and x[j] > key:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = key


def while_bisects(x, target):
    """Two indices that meet."""
    lo, hi = 0, len(x)
    while lo < hi:
        middle = (lo + hi) // 2
        if x[middle] < target:
            lo = middle + 1
        else:
            hi = middle
    return lo


def while_in_while(x):
    """An inner loop whose length changes from trip to trip."""
    s = 0.0
    outer = x[0]
    while outer > 0.1:
        inner = outer
        while inner < 1.0:
            inner *= 1.5
            s += inner * outer
        outer *= 0.5
    return s


def while_follows_links(start, following, weight):
    """A walk along indices that are data."""
    s = 0.0
    i = start
    while i >= 0:
        s += weight[i]
        weight[i] *= 0.5
        i = following[i]
    return s


def while_chained_indices(x, n):
    """An index that is written twice in a trip, and read in between."""
    i = 0
    s = 0.0
    while i < n:
        s += x[i]
        i += 1
        if i < n:
            s -= 0.5 * x[i]
            i += 1
    return s


def _residual(x, i):
    x[i] = 0.75 * x[i]
    return x[i] - 0.1


def while_condition_acts(x):
    """A condition that changes an array each time it is evaluated, the last time too."""
    s = 0.0
    while _residual(x, 0) > 0.0:
        s += x[0]
    return s


def while_condition_acts_behind_and(x, n):
    """What stands behind `and` acts only where the first part holds."""
    i = 0
    while i < n and _residual(x, i) > 0.0:
        i += 1
    return i


def while_condition_calls(x):
    """NumPy in the condition."""
    s = 0.0
    while np.max(np.abs(x)) > 0.25:
        x *= 0.5
        s += np.sum(x)
    return s


def _steps(x, bound):
    s = 0.0
    while x > bound:
        x *= 0.5
        if x < 0.3:
            return s - x
        s += x
    return s


def while_in_helper(x):
    """A helper with a loop of its own and a return inside it, called in a loop."""
    s = 0.0
    for i in range(len(x)):
        s += _steps(4.0 * x[i], 0.2 + 0.1 * i)
    return s


def while_row_by_row(A):
    """Loops over rows inside: an array made anew in each trip."""
    total = 1.0
    while total > 0.05:
        rows = A * total
        total = 0.0
        for row in rows:
            total += 0.3 * np.sum(row)
        total /= A.size
    return total


def while_widens(x):
    """An integer before the loop that becomes a float in it."""
    s = 0
    while s < 3:
        s = s + x[0] + 0.5
    return s


def while_first_value_inside(x):
    """A variable that only the loop assigns, read after it."""
    s = 0.0
    while s < 1.0:
        last = x[0] + s
        s += last * last + 0.125
    return last


def while_negative_index(x, n):
    """Indices that count from the end."""
    i = -1
    s = 0.0
    while i >= -n:
        s = 0.5 * s + x[i]
        i -= 1
    return s


def while_flag_is_known(x, chatty):
    """A condition that is known when the kernel is compiled: no loop at all."""
    while chatty:
        x[0] = 0.0
    return x[0]


def while_rebinds(x):
    """A name that every trip binds to a new array."""
    y = x
    s = 0.0
    while s < 4.0:
        y = 0.5 * y + 1.0
        s += np.sum(y) / y.size
    return np.sum(y) + np.sum(x)


def while_float_steps(x, h):
    """A float that counts: the number of trips follows from its rounding."""
    t = 0.0
    while t < 1.0:
        x += h * np.sin(x)
        t += h
    return np.sum(x)


def while_counts_up(x, n):
    """The trips of a for loop; the index is read before and after it moves, and behind the loop."""
    i = 0
    s = 0.0
    while i < n:
        s = 0.5 * s + x[i] * x[i]
        i += 1
        s += i
    return s + i


def while_counts_down(x):
    """Down to the first element, in steps of two."""
    i = len(x) - 1
    s = 0.0
    while i >= 0:
        s = 0.5 * s * x[i] + x[i]
        i -= 2
    return s, i


def while_counts_in_loops(A):
    """An inner counter that starts anew, an outer one that goes on."""
    s, k = 0.0, 0
    for i in range(A.shape[0]):
        j = i
        while j < A.shape[1]:
            A[i, j] *= s + 1.0
            s += A[i, j]
            j += 1
        while k <= i:
            s += A[k, 0]
            k += 1
    return s + j + k if A.shape[0] else s


def while_counts_no_trip(x, n):
    """The counter keeps its value where there is no trip."""
    i = n + 3
    while i < n:
        x[0] = 0.0
        i += 1
    j = 5
    while j > n + 5:
        j -= 3
    return i, j


def while_bound_moves(x, n):
    """A bound that the trips change: no counter."""
    i, m = 0, n
    s = 0.0
    while i < m:
        s += x[i]
        if s > 1.0:
            m -= 1
        i += 1
    return s, i, m


def while_bound_from_loop(x, n):
    """A bound that an outer loop changes, and the inner one does not."""
    m, s = 0, 0.0
    for k in range(n):
        i = 0
        m += k % 2
        while i < m + 1:
            s = s * x[i] + x[k]
            i += 1
    return s + m


def while_float_counter(x):
    """A float that moves by whole numbers."""
    t = 0.0
    s = x[0]
    while t < 3:
        s *= 0.5 + t
        t += 1
    return s + t


def while_bisects_floats(x):
    """An interval halved until it is small; the derivative is that of the path."""
    lo, hi = 0.5 * x[0], 2.0
    while hi - lo > 1e-3:
        middle = 0.5 * (lo + hi)
        if middle * middle > x[0]:
            hi = middle
        else:
            lo = middle
    return 0.5 * (lo + hi) * np.sum(x)


def while_true_in_while_true(x):
    """Breaks and a continue of both loops, and an else that never runs."""
    s = 0.0
    i = 0
    while True:
        j = 0
        while True:
            if j >= len(x):
                break
            if x[j] * (i + 1) > 2.0:
                s += x[j]
                break
            j += 1
        else:
            s += 100.0
        i += 1
        if i > 3:
            break
        if s > 5.0:
            continue
        s *= 1.1
    return s


def while_conjugate_gradients(A, b):
    """Vectors and numbers that the trips carry, products of matrices inside."""
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    while rs > 1e-6:
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        new = r @ r
        p = r + (new / rs) * p
        rs = new
    return np.sum(x * x)


def definite(n, rng):
    M = rng.uniform(0.0, 1.0, (n, n))
    return M @ M.T + n * np.eye(n), rng.uniform(0.5, 1.5, n)


ENTRIES = (
    Entry(while_halves, array("n"), least=1),
    Entry(while_newton, number()),
    Entry(while_jacobi, all_of(array("n+2"), value(0.5)), bits=False),
    Entry(while_never, array("n"), least=1),
    Entry(while_both, all_of(signed("n"), size())),
    Entry(while_either, array("n"), least=1),
    Entry(while_true_break, array("n"), least=1),
    Entry(while_breaks_and_continues, all_of(signed("n"), size())),
    Entry(while_else, all_of(signed("n"), size())),
    Entry(while_returns, all_of(signed("n"), size())),
    Entry(while_collatz, size()),
    Entry(while_insertion_sort, signed("n")),
    Entry(while_bisects, all_of(lambda n, rng: (np.sort(rng.uniform(0.0, 1.0, n)),), number(0.0, 1.0))),
    Entry(while_in_while, array("n", high=0.9), least=1),
    Entry(while_follows_links, all_of(lambda n, rng: (n - 1, np.arange(n) - 1), array("n"))),
    Entry(while_chained_indices, all_of(signed("n"), size())),
    Entry(while_condition_acts, array("n"), least=1),
    Entry(while_condition_acts_behind_and, all_of(array("n", low=0.05, high=0.5), size())),
    Entry(while_condition_calls, signed("n"), least=1, bits=False),
    Entry(while_in_helper, array("n")),
    Entry(while_row_by_row, array("n", "n+1"), least=1, bits=False),
    Entry(while_widens, array("n"), least=1),
    Entry(while_first_value_inside, array("n"), least=1),
    Entry(while_negative_index, all_of(signed("n"), size())),
    Entry(while_flag_is_known, all_of(array("n"), value(False)), least=1),
    Entry(while_rebinds, array("n"), least=1, bits=False),
    Entry(while_float_steps, all_of(array("n"), value(0.125)), bits=False),
    Entry(while_counts_up, all_of(array("n"), size())),
    Entry(while_counts_down, array("n")),
    Entry(while_counts_in_loops, array("n", "n+1", low=0.1, high=0.3)),
    Entry(while_counts_no_trip, all_of(array("n+1"), size())),
    Entry(while_bound_moves, all_of(array("n"), size())),
    Entry(while_float_counter, array("n"), least=1),
    Entry(while_bound_from_loop, all_of(array("n"), size())),
    Entry(while_bisects_floats, array("n", high=1.0), bits=False, least=1),
    Entry(while_true_in_while_true, array("n")),
    Entry(while_conjugate_gradients, definite, bits=False),
)
