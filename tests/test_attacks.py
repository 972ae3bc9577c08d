"""Kernels that were written to break the compiler, each with the reference that showed it."""

from __future__ import annotations

import numpy as np
import pytest

import dfad
from tests.references import complex_step_gradient


def turned(x, y, z, steps):
    for t in range(steps):
        for _ in range(t):
            x, y = y, x
            x[0] += 1.0
            y, z = z, y
        x, z = z, x
    return x[0]


def test_exchanges_are_undone_when_inner_trips_depend_on_outer_ones():
    """`vjp`'s outputs mean the caller's arrays: the way back through a triangular nest goes through its trips backwards."""
    given = tuple(np.random.default_rng(5).uniform(size=3) for _ in range(3))
    expected = tuple(array.copy() for array in given)
    turned(*expected, 4)
    outputs, pullback = dfad.vjp(dfad.kernel(turned), *given, 4, of=("x", "y", "z"), wrt=("x", "y", "z"))
    np.testing.assert_array_equal(outputs, expected)
    cotangents = tuple(k + np.arange(3.0) for k in range(3))
    for gradient, cotangent in zip(pullback(cotangents), cotangents, strict=True):
        np.testing.assert_array_equal(gradient, cotangent)


def damped(x):
    s = x[0]
    for i in range(len(x)):
        s = np.sin(s) * x[i]
    return s


def test_the_value_beside_a_gradient_is_the_one_at_the_end():
    """The reverse sweep puts the recorded values of `s` back into `s`; the result must not be what it leaves there."""
    x = np.random.default_rng(5).uniform(0.2, 1.2, 4)
    value, _ = dfad.value_and_grad(dfad.kernel(damped))(x)
    assert abs(value - damped(x)) <= 1e-15


def recurrence_then_product(x, y, s):
    for _ in range(s):
        for i in range(1, len(x) - 1):
            x[i] = np.sin(x[i - 1] * y[i]) + 0.3 * x[i + 1] * x[i]
    z = x * y
    return np.sum(z * z)


def test_a_budget_holds_beside_a_recurrence():
    x, y = np.linspace(0.1, 0.9, 6), np.linspace(1.0, 2.0, 6)
    free = dfad.grad(recurrence_then_product)
    expected = free(x, y, 3)
    within = dfad.grad(recurrence_then_product, memory=free.memory["peak"])
    np.testing.assert_allclose(within(x, y, 3), expected, rtol=1e-13, atol=0)
    assert within.memory["peak"] <= free.memory["peak"]


def k(x, ix):
    for i in range(len(ix)):
        x[ix[i]] = x[ix[i] - 1] * 2.0 + x[ix[ix[i]]]
    return np.sum(x)


def test_a_kernel_may_be_called_as_its_generated_scalars_are():
    x, ix = np.arange(1.0, 5.0), np.array([1, 2, 0])
    assert dfad.kernel(k)(x.copy(), ix) == k(x.copy(), ix)


def record_of_computed_size(x, ix):
    s = x[0]
    n = ix[0]
    for i in range(n):
        s *= x[i % 4] * s
    return s


@pytest.mark.parametrize("trips", [0, 1, 3])
def test_a_vjp_keeps_what_has_a_computed_size(trips):
    """A tape of a length that the kernel reads from data."""
    x = np.arange(1.0, 5.0) / 3.0
    out, pullback = dfad.vjp(record_of_computed_size, x, np.array([trips]))
    assert abs(out - record_of_computed_size(x, np.array([trips]))) <= 1e-15
    expected = complex_step_gradient(record_of_computed_size, {"x": x, "ix": np.array([trips])}, wrt=("x",))
    np.testing.assert_allclose(pullback(1.0), expected[0], rtol=1e-13)
    np.testing.assert_allclose(pullback(2.0), 2.0 * expected[0], rtol=1e-13)
