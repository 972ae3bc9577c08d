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
