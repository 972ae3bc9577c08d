"""Calls of Python functions: arguments copied or shared, what is bound stays local, evaluation in order."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, value

SCALE = 1.5


def square(v):
    return v * v


def overwrites_first(v, A):
    A[0] = 0.0
    return v * v


def rebinds(x):
    x = x + 1.0
    x[0] = 100.0
    return x


def adds_one(x):
    x += 1.0


def with_defaults(x, scale=2.0, shift=None):
    if shift is None:
        return x * scale
    return x * scale + shift


def two_results(a, b):
    return a + b, a * b


def smooth_rows(A, steps):
    for _t in range(steps):
        for i in range(1, A.shape[0] - 1):
            A[i] = (A[i - 1] + A[i + 1]) / 2.0


def uses_global(x):
    return SCALE * x


def inner_function(x):
    return square(x) + uses_global(x)


def counts(n):
    s = 0
    for i in range(n):
        s += i
    return s


def call_scalar_function(x):
    """A function of a number, in a loop."""
    s = 0.0
    for i in range(len(x)):
        s += square(x[i]) - square(square(x[i]))
    return s


def call_copies_elements(A):
    """h(A[0], A) with A[0] overwritten inside: the element is a copy."""
    return overwrites_first(A[0], A)


def call_rebinding_is_local(A):
    """What a callee binds to its parameter's name does not reach the caller."""
    B = rebinds(A)
    return A[0], B[0]


def call_updates_in_place(A):
    """A callee updates the caller's array, or a part of it."""
    adds_one(A)
    adds_one(A[1:])
    adds_one(A.T)


def call_keywords_and_defaults(x):
    """Keyword arguments and defaults."""
    return with_defaults(x) + with_defaults(x, shift=1.0) - with_defaults(x, 3.0) * with_defaults(shift=x, x=2.0, scale=0.5)


def call_returns_tuple(a, b):
    """A tuple comes back and is unpacked."""
    s, p = two_results(a, b)
    t, q = two_results(s, p)
    return t - q, s


def call_nested(x):
    """Calls inside calls, with a global of the callee."""
    return inner_function(inner_function(x))


def call_twice_same_names(x):
    """The same function inlined twice: its variables do not meet."""
    return counts(len(x)) + counts(3) * 2


def call_with_loops(A, steps):
    """A time loop in a helper, the loss in the kernel."""
    smooth_rows(A, steps)
    return np.sum(A)


def call_in_order(A):
    """A[0] is read before the call that overwrites it, and after."""
    s = A[0] + overwrites_first(2.0, A) + A[0]
    A[0] += overwrites_first(3.0, A)
    return s


def applied(function, A):
    return A[0] + function(2.0, A)


def call_of_a_parameter(A):
    """A function in a variable, and as an argument."""
    g = overwrites_first
    return A[0] + g(3.0, A) + A[0], applied(overwrites_first, A)


def call_in_index(A):
    """A call inside an index."""
    A[int(square(1.0))] = 5.0


def halves(x, steps):
    for _t in range(steps):
        x = x * 0.5
    return x


def call_operand_survives(A):
    """The callee binds its parameter anew in a loop; the caller's operand is still read."""
    x = A * 2.0
    return x - halves(x, 3)


def call_array_expression(A):
    """An array expression as an argument is computed once."""
    return np.sum(square(A + 1.0)) + np.sum(with_defaults(A * 2.0, shift=1.0))


ENTRIES = (
    Entry(call_scalar_function, array("n")),
    Entry(call_copies_elements, array("n"), least=1),
    Entry(call_rebinding_is_local, array("n"), least=1),
    Entry(call_updates_in_place, array("n", "n")),
    Entry(call_keywords_and_defaults, number()),
    Entry(call_returns_tuple, all_of(number(), number())),
    Entry(call_nested, number()),
    Entry(call_twice_same_names, array("n")),
    Entry(call_with_loops, all_of(signed("n", 3), value(3)), bits=False),
    Entry(call_in_order, array("n"), least=1),
    Entry(call_of_a_parameter, array("n"), least=1),
    Entry(call_in_index, array("n"), least=2),
    Entry(call_operand_survives, array("n")),
    Entry(call_array_expression, array("n"), bits=False),
)
