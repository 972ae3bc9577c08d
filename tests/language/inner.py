"""Functions that a kernel defines for itself, with `def` and `lambda`: what they read of the kernel is that of the moment of the call."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, value


def function_inside(x):
    def square(v):
        return v * v

    return square(x[0]) + square(x[1])


def lambda_under_a_name(x):
    square = lambda v: v * v  # noqa: E731
    return square(x[0]) + square(x[1])


def variable_of_the_moment(x, a):
    def g(v):
        return a * v

    a = a + 1.0
    s = g(x[0])
    a = a * 2.0
    return s + g(x[1])


def functions_that_call_each_other(x, a):
    def step(y, k):
        return y + h * slope(y) * k

    def slope(y):
        return -a * y + x[i]

    h = 0.1
    y = 1.0
    for i in range(len(x)):
        y = step(y, i)
        h = h * 1.1
    return y


def runge_kutta(f, y, h):
    k1 = f(y)
    k2 = f(y + h / 2 * k1)
    k3 = f(y + h / 2 * k2)
    k4 = f(y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def lambda_handed_to_an_integrator(x, a):
    y = x * 1.0
    for t in range(3):
        y = runge_kutta(lambda u: -a * u + t, y, 0.1)  # noqa: B023
    return np.sum(y * y)


def function_handed_to_an_integrator(x, a):
    def pendulum(u):
        return np.array([u[1], -a * np.sin(u[0])])

    y = np.array([x[0], x[1]])
    for _ in range(3):
        y = runge_kutta(pendulum, y, 0.1)
    return y[0]


def function_that_writes(x, a):
    def raise_by(i):
        x[i] += a * x[0]

    for i in range(len(x)):
        raise_by(i)
    return np.sum(x * x)


def function_of_exchanged_arrays(x, n):
    u = x * 1.0
    w = x * 2.0

    def total():
        return np.sum(u * 3.0 + w)

    s = 0.0
    for _ in range(n):
        u, w = w, u
        s += total() * u[0]
        u[0] += 1.0
    return s


def parameter_of_the_same_name(x, a):
    def g(a):
        return a * 2.0

    return g(x[0]) + a


def defaults_of_inner_functions(x):
    def g(v, p=2, *, q=0.5):
        return v**p + q

    return g(x[0]) + g(x[1], 3) + g(x[2], q=-1.0)


def inner_function_with_an_early_return(x):
    def capped(v):
        if v > 0.5:
            return 0.5
        return v * v

    s = 0.0
    for v in x:
        s += capped(v) * v
    return s


def function_inside_a_function_inside(x, a):
    def outer(v):
        def inner(w):
            return w * a + v

        return inner(v) * inner(2.0 * v)

    return outer(x[0]) + outer(x[1])


def inner_function_that_calls_its_neighbour(x, a):
    def square(v):
        return v * v * a

    def outer(v):
        def inner(w):
            return square(w) + v

        return inner(v) + square(v)

    return outer(x[0])


def lambda_of_a_lambda(x, a):
    f = lambda u: (lambda v: v * u * a)(u + 1.0)  # noqa: E731
    g = lambda v: f(v) + 1.0  # noqa: E731
    return g(x[0]) + f(x[1])


def applied_to_all(f, x):
    s = 0.0
    for i in range(len(x)):
        s += f(x[i])
    return s


def twice(f, v):
    return f(f(v))


def lambdas_handed_on(x, a):
    k = a
    s = applied_to_all(lambda v: np.exp(-k * v), x)
    k = 3.0
    return s + applied_to_all(lambda v, b=2: twice(lambda u: u * k, v**b), x)


def functions_in_a_tuple(x):
    s = 0.0
    for f in (lambda v: v * v, lambda v: v + 1.0):
        s += f(x[0])
    return s


def function_of_what_shrinks(x):
    v = x

    def last():
        return v[-1] * len(v)

    s = last()
    v = v[1:]
    s += last()
    return s * np.sum(v)


def loop_variable_in_a_function(x):
    def here():
        return x[i] * x[i]

    s = 0.0
    for i in range(len(x)):  # noqa: B007
        s += here()
    return s + here()


def function_in_a_condition(x, a):
    def is_small(v):
        return v < a

    i = 0
    while i < len(x) - 1 and is_small(x[i]):
        i += 1
    return x[i] * x[i]


def scaled(x, factor):
    def by_factor(v):
        return v * factor + OFFSET

    return by_factor(x)


OFFSET = 0.25


def helper_with_functions_inside(x, a):
    return np.sum(scaled(x, a) * scaled(x[::-1], 2.0))


ENTRIES = (
    Entry(function_inside, array("n"), least=2),
    Entry(lambda_under_a_name, array("n"), least=2),
    Entry(variable_of_the_moment, all_of(array("n"), number()), least=2),
    Entry(functions_that_call_each_other, all_of(array("n"), number())),
    Entry(lambda_handed_to_an_integrator, all_of(signed("n"), number()), bits=False),
    Entry(function_handed_to_an_integrator, all_of(signed("n"), number()), least=2, bits=False),
    Entry(function_that_writes, all_of(array("n"), number()), bits=False),
    Entry(function_of_exchanged_arrays, all_of(array("n"), value(3)), least=1, bits=False),
    Entry(parameter_of_the_same_name, all_of(array("n"), number()), least=1),
    Entry(defaults_of_inner_functions, array("n"), least=3),
    Entry(inner_function_with_an_early_return, array("n")),
    Entry(function_inside_a_function_inside, all_of(array("n"), number()), least=2),
    Entry(inner_function_that_calls_its_neighbour, all_of(array("n"), number()), least=1),
    Entry(lambda_of_a_lambda, all_of(array("n"), number()), least=2),
    Entry(lambdas_handed_on, all_of(array("n"), number()), bits=False),
    Entry(functions_in_a_tuple, array("n"), least=1),
    Entry(function_of_what_shrinks, array("n"), least=2, bits=False),
    Entry(loop_variable_in_a_function, array("n"), least=1),
    Entry(function_in_a_condition, all_of(array("n"), number(0.2, 0.8)), least=1),
    Entry(helper_with_functions_inside, all_of(array("n"), number()), bits=False),
)
