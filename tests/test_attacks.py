"""Kernels that were written to break the compiler, each with the reference that showed it."""

from __future__ import annotations

import numpy as np

import dfad


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
