"""A gradient Program cut in two: names that the kernel has taken, and outputs and arguments named twice."""

import numpy as np
import pytest

import dfad
from dfad.errors import KernelTypeError

X, Y = np.arange(1.0, 4.0), np.arange(2.0, 5.0)


def adjoint_taken(x, x_bar):
    return np.sum(x * x * x_bar)


def seed_taken(x_seed, x):
    x[:] = x * x_seed * x_seed


def copy_taken(x, x_copy):
    x[:] = x * x
    x_copy[:] = x_copy * 3.0


def kept_taken(x, c_kept):
    c = c_kept * 2.0
    x[:] = x * x * c
    return c


def test_an_argument_may_have_the_name_of_an_adjoint():
    _, pullback = dfad.vjp(adjoint_taken, X, Y, wrt=(0, 1))
    for found, expected in zip(pullback(1.0), (2 * X * Y, X * X), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_an_argument_may_have_the_name_of_a_cotangent():
    out, pullback = dfad.vjp(seed_taken, X, Y.copy(), of="x", wrt=("x_seed", "x"))
    np.testing.assert_allclose(out, Y * X * X, rtol=1e-15)
    for found, expected in zip(pullback(Y), (2 * X * Y * Y, X * X * Y), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_an_argument_may_have_the_name_of_a_working_copy():
    out, pullback = dfad.vjp(copy_taken, X.copy(), Y.copy(), of=("x_copy", "x"), wrt=("x", "x_copy"))
    for found, expected in zip((*out, *pullback((X, Y))), (3 * Y, X * X, 2 * X * Y, 3 * X), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_a_scalar_may_have_the_name_of_a_kept_value():
    out, pullback = dfad.vjp(kept_taken, X.copy(), 0.5, of="x", wrt=("x", "c_kept"))
    np.testing.assert_allclose(out, X * X, rtol=1e-15)
    for found, expected in zip(pullback(Y), (2 * X * Y, np.sum(2 * X * X * Y)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-15)


@pytest.mark.parametrize("options", [{"wrt": ("x", "x_copy", 0)}, {"of": ("x", "x")}])
def test_nothing_is_named_twice(options):
    with pytest.raises(KernelTypeError, match="twice"):
        dfad.vjp(copy_taken, X.copy(), Y.copy(), **{"of": "x", **options})
