"""Statements: assignments, branches, early ways out, functions, names from outside."""

import math

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, value

GRAVITY = 9.81
TABLE = np.array([0.5, 1.0, 2.0])


def positional_parameters(x, a, b):
    return np.sum(a * x + b)


def keyword_default(x, scale=3.0, shift=None):
    if shift is None:
        return np.sum(scale * x)
    return np.sum(scale * x) + shift


def docstring_and_annotations(x: np.ndarray, a: float = 2.0) -> float:
    """The annotated kernel."""
    total: float = 0.0
    for v in x:
        total += a * v
    return total


def scale_row(row, factor=2.0):
    row *= factor


def call_of_a_function_with_a_view(A):
    for i in range(A.shape[0]):
        scale_row(A[i], factor=0.5 + i)


def hypotenuse(a, b):
    return math.sqrt(a * a + b * b)


def call_of_a_function_inside_an_expression(x, y):
    s = 0.0
    for i in range(len(x)):
        s += hypotenuse(x[i], hypotenuse(y[i], 1.0))
    return s


def global_number(x):
    return np.sum(GRAVITY * x)


def global_array(x):
    s = 0.0
    for i in range(len(x)):
        s += TABLE[i % 3] * x[i] ** 2
    return s


def _closure(offset):
    def closure_variable(x):
        return np.sum((x + offset) ** 2)

    return closure_variable


closure_variable = _closure(1.25)


def assert_statement(x):
    assert len(x) >= 0, "never"
    return np.sum(x)


def pass_statement(x, c):
    if c > 100.0:
        pass
    else:
        x += c
    return np.sum(x)


def if_elif_else(x):
    s = 0.0
    for v in x:
        if v < -0.5:
            s += v * v
        elif v < 0.5:
            s += 3.0 * v
        else:
            s -= v**3
    return s


def augmented_assignments(x):
    s = 1.0
    for i in range(len(x)):
        s += x[i]
        s *= 1.5
        s -= 0.25 * x[i]
        s /= 1.0 + x[i] ** 2
    return s


def tuple_unpacking(A):
    n, m = A.shape
    a, (b, c) = 1.0, (2.0, 3.0)
    s = 0.0
    for i in range(n):
        for j in range(m):
            s += (a + b * i + c * j) * A[i, j] ** 2
    return s


def swap_of_numbers(x):
    a, b = 0.0, 1.0
    for v in x:
        a, b = b, 0.5 * a + v * b
    return a + b


def swap_of_arrays(u, steps):
    v = np.zeros_like(u)
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            v[i] = 0.5 * (u[i - 1] + u[i + 1]) * u[i]
        u, v = v, u
    return np.sum(u)


def rebound_array(x):
    x = x * 2.0
    x[0:1] = 5.0
    return np.sum(x)


def early_return(x, c):
    if c > 1.2:
        return np.sum(x)
    if c > 0.9:
        return np.sum(x * x)
    return c * np.sum(x)


def early_return_from_loops(A, limit):
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            total += A[i, j]
            if total > limit:
                return total * total
    return -total


def several_results(x):
    return np.sum(x), x * x, len(x)


def no_result(x):
    x[:] = np.sin(x)


ENTRIES = (
    Entry(positional_parameters, all_of(array("n"), number(), number()), bits=False),
    Entry(keyword_default, array("n"), bits=False),
    Entry(docstring_and_annotations, array("n")),
    Entry(call_of_a_function_with_a_view, array("n", 4)),
    Entry(call_of_a_function_inside_an_expression, all_of(array("n"), array("n"))),
    Entry(global_number, array("n"), bits=False),
    Entry(global_array, array("n"), bits=False),
    Entry(closure_variable, array("n"), bits=False),
    Entry(assert_statement, array("n"), bits=False),
    Entry(pass_statement, all_of(array("n"), number()), bits=False),
    Entry(if_elif_else, signed("n"), bits=False),
    Entry(augmented_assignments, array("n"), bits=False),
    Entry(tuple_unpacking, array("n", 3), bits=False),
    Entry(swap_of_numbers, array("n")),
    Entry(swap_of_arrays, all_of(array("n"), value(3)), bits=False),
    Entry(rebound_array, array("n"), bits=False),
    Entry(early_return, all_of(array("n"), number()), bits=False),
    Entry(early_return_from_loops, all_of(array("n", 4), value(4.1)), bits=False),
    Entry(several_results, array("n"), bits=False),
    Entry(no_result, array("n"), bits=False),
)
