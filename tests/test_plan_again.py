"""What a vjp keeps without a budget: values one expression away from what it keeps anyway are made again."""

import numpy as np
import pytest

import dfad
from dfad.suite.data import wave
from tests.references import gradient_error, weights

pytestmark = pytest.mark.slow


def chain(x):
    y = np.sin(x) * x
    z = np.sqrt(y * y + 1.0)
    return z * y


def after_a_product(A, B):
    x = np.maximum(A @ B, 1.0)
    return x @ x


def of_neighbours(u):
    d = u[1:] - u[:-1]
    e = d * d + d
    return np.sum(e * e * e) + np.sum(d[1:] * e[:-1])


def running(x):
    y = np.empty(len(x))
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = np.sin(y[i - 1] * x[i])
    return y * y


def overwritten(x):
    a = 2.0 * x
    y = a * x
    a[:] = np.sin(y)
    return a * y


@pytest.mark.parametrize(
    ("kernel", "arguments", "tape"),
    [
        (chain, {"x": wave(9)}, 0),
        (after_a_product, {"A": wave(4, 4), "B": wave(4, 4, phase=1.1)}, 4 * 4 * 8),
        (of_neighbours, {"u": wave(11)}, 10 * 8),
        (running, {"x": wave(9)}, 9 * 8),
        (overwritten, {"x": wave(9)}, 3 * 9 * 8),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_the_tape_holds_what_nothing_near_gives(kernel, arguments, tape):
    out, pullback = dfad.vjp(dfad.kernel(kernel), *arguments.values())
    gradient = pullback(weights(np.shape(out)) if np.ndim(out) else 1.0)
    assert pullback.memory["tape"] == tape
    assert gradient_error(kernel, arguments, gradient, wrt=next(iter(arguments))) <= 1e-12


def filled_in_two(x):
    y = np.zeros(len(x) + 2)
    y[1:-1] = x
    z = y[2:] * y[1:-1] * y[:-2]
    return z * x


def test_a_value_with_two_producers_is_made_again():
    x = wave(9)
    out, pullback = dfad.vjp(dfad.kernel(filled_in_two), x)
    gradient = pullback(weights(out.shape))
    assert pullback.memory["tape"] == 0
    assert gradient_error(filled_in_two, {"x": x}, gradient, wrt="x") <= 1e-12


def updated(A, x, alpha):
    A += np.outer(x, x)
    y = (alpha * A) @ x
    return y * y


def test_what_the_kernel_leaves_in_an_argument_stands_for_a_multiple_of_it():
    A, x = wave(4, 4), wave(4, phase=1.1)
    out, pullback = dfad.vjp(dfad.kernel(updated, wrt="x"), A, x, 0.5)
    gradient = pullback(weights(out.shape))
    assert pullback.memory["tape"] <= 4 * 8
    assert gradient_error(updated, {"A": A, "x": x, "alpha": 0.5}, gradient, wrt="x") <= 1e-12
