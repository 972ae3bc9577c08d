"""Branches: guards on data and on integers, values that differ by path, conditional expressions, truth."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, size, value


def branch_in_loop(a, c):
    """A guard on data that the branch overwrites."""
    for i in range(len(a)):
        if a[i] > c:
            a[i] = a[i] * a[i] * 0.5
        else:
            a[i] += 0.1


def branch_chain(x):
    """if, elif, else with a value for each."""
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0.5:
            y = x[i]
        elif x[i] > 0.0:
            y = 2.0 * x[i]
        else:
            y = 0.0
        s += y
    return s


def branch_without_else(x):
    """A value that only one path changes."""
    m = x[0]
    for i in range(1, len(x)):
        if x[i] > m:
            m = x[i]
    return m


def branch_on_integers(x):
    """A guard on the index."""
    s = 0.0
    for i in range(len(x)):
        if i % 2 == 0:
            s += x[i]
        else:
            s -= x[i]
    return s


def branch_guards_an_index(x):
    """An access that only the guard makes legal."""
    y = np.zeros_like(x)
    for i in range(len(x)):
        if i > 0 and x[i - 1] > 0.0:
            y[i] = x[i - 1]
        else:
            y[i] = -1.0
    return y


def branch_on_flag(x, flip):
    """A flag is part of the code."""
    if flip:
        for i in range(len(x)):
            x[i] = -x[i]


def branch_on_none(x, y):
    """None is part of the code."""
    if y is None:
        return np.sum(x)
    return np.sum(y)


def branch_on_float_argument(x, c):
    """A guard outside every loop."""
    if c > 1.0:
        s = 2.0
    else:
        s = 3.0
    for i in range(len(x)):
        x[i] = s * x[i]
    return s


def branch_integer_or_float(x, c):
    """An integer on one path, a float on the other."""
    s = 1
    if c > 1.0:
        s = 2.5
    return s * np.sum(x)


def branch_array_by_path(x, c):
    """A new array on each path."""
    if c > 1.0:
        y = x + 1.0
    else:
        y = x * 2.0
    return y


def branch_array_rebound(x, c):
    """A new array on one path, the caller's own on the other."""
    if c > 1.0:
        x[0] = 3.0
        x = x + 1.0
        x[0] = 5.0
    else:
        x[0] = 7.0
    return x * 2.0


def branch_expression(x):
    """A conditional expression evaluates one side only."""
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = x[i - 1] if i > 0 else 7.0
    return y


def branch_expression_with_sum(A, c):
    """The side that is not taken is not computed."""
    return np.sum(A) if c > 1.0 else 0.5


def branch_builtin_max(x):
    """Builtin max and min of several numbers."""
    s = 0.0
    for i in range(len(x)):
        s += max(x[i], 0.0, -2.0 * x[i]) + min(x[i], 0.3)
    return s


def branch_chained_comparison(x):
    """a < b < c."""
    k = 0
    for i in range(len(x)):
        if -0.5 < x[i] <= 0.5:
            k += 1
    return k


def branch_or(x):
    """or stops at the first true operand."""
    k = 0
    for i in range(len(x)):
        if i == 0 or x[i - 1] < 0.0:
            k += 1
    return k


def branch_not(x):
    """not, and a bool in a variable."""
    s = 0.0
    for i in range(len(x)):
        big = x[i] > 0.5
        if not big:
            s += x[i]
    return s


def branch_and_or_values(x, a):
    """and and or give one of their operands."""
    s = 0.0
    for i in range(len(x)):
        s += (x[i] or 2.0) * (x[i] > 0 and a)
        s += x[i] and 0.5
    return s, a or 1.0, a and 3.0


def branch_flag_carried(x):
    """A bool that a loop carries."""
    found = False
    for i in range(len(x)):
        if x[i] > 0.9:
            found = True
    return 1.0 if found else 0.0


def branch_nested_loops(A):
    """Loops inside branches inside loops."""
    s = 0.0
    for i in range(A.shape[0]):
        if A[i, 0] > 0.0:
            for j in range(A.shape[1]):
                if A[i, j] > 0.5:
                    s += A[i, j]
                else:
                    s -= 1.0
        else:
            s += 0.25
    return s


def branch_exchange(u, v, c):
    """Names change their arrays on one path."""
    if c > 1.0:
        u, v = v, u
    u[0] = 3.0
    return u, v


def branch_minimum_found(x):
    """The place of the least element."""
    k = 0
    for i in range(1, len(x)):
        if x[i] < x[k]:
            k = i
    x[k] = 10.0
    return k


def branch_log_positive(x):
    """A branch that protects a logarithm."""
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            s += np.log(x[i])
    return s


def branch_pass(x):
    """pass and an assertion that holds."""
    for i in range(len(x)):
        if x[i] > 0.0:
            pass
        else:
            x[i] = 0.0
    assert len(x) >= 0, "never"


def branch_chooses_array(x, y, n):
    """A conditional expression between arrays."""
    z = x if n % 2 == 1 else y * 2.0
    w = x + 1.0 if np.sum(x) > 1.0 else x - 1.0
    return np.sum(z * w) + np.sum((y if n > 2 else x) ** 2)


def branch_exchanges_twice(x, y, c, d):
    """Two exchanges under two conditions, one name read afterwards; the caller's arrays stay as they are."""
    if c > 1.0:
        if d > 1.0:
            x, y = y, x
        x, y = y, x
    return np.sum(x * x * x)


def branch_exchanges_a_name_bound_outside(x, y, c, d):
    """The inner exchange must not hand the caller's array to a name that the outer branch binds by itself."""
    x = x + 1.0
    if c > 0.0:
        if d < 0.0:
            c = 0.5
        else:
            x, y = y, x
        x, y = y, x
    y = x.copy()
    return x * y


ENTRIES = (
    Entry(branch_exchanges_a_name_bound_outside, all_of(array("n"), signed("n"), number(), number()), bits=False),
    Entry(branch_exchanges_twice, all_of(array("n"), signed("n"), number(1.1, 1.2), number(0.5, 1.5)), bits=False),
    Entry(branch_in_loop, all_of(signed("n"), value(0.3))),
    Entry(branch_chain, signed("n")),
    Entry(branch_without_else, signed("n"), least=1),
    Entry(branch_on_integers, signed("n")),
    Entry(branch_guards_an_index, signed("n")),
    Entry(branch_on_flag, all_of(array("n"), value(True))),
    Entry(branch_on_none, all_of(array("n"), value(None)), bits=False),
    Entry(branch_on_float_argument, all_of(array("n"), number())),
    Entry(branch_integer_or_float, all_of(array("n"), number()), bits=False),
    Entry(branch_array_by_path, all_of(array("n"), number())),
    Entry(branch_array_rebound, all_of(array("n"), number()), least=1),
    Entry(branch_expression, array("n")),
    Entry(branch_expression_with_sum, all_of(array("n", "n"), number()), bits=False),
    Entry(branch_builtin_max, signed("n")),
    Entry(branch_chained_comparison, signed("n")),
    Entry(branch_or, signed("n")),
    Entry(branch_not, signed("n")),
    Entry(branch_and_or_values, all_of(signed("n"), number())),
    Entry(branch_flag_carried, signed("n")),
    Entry(branch_nested_loops, signed("n", "n+1")),
    Entry(branch_exchange, all_of(array("n"), array("n"), number()), least=1),
    Entry(branch_minimum_found, signed("n"), least=1),
    Entry(branch_log_positive, signed("n"), bits=False),
    Entry(branch_pass, signed("n")),
    Entry(branch_chooses_array, all_of(array("n"), array("n"), size()), bits=False),
)
