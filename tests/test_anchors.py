"""The hand-written C adjoints are right: each against complex steps through the same loops in Python."""

import ctypes

import numpy as np
import pytest

from tests.anchored import builder, call

pytestmark = pytest.mark.slow

STEP = 1e-30


@pytest.fixture(scope="module")
def anchor(tmp_path_factory):
    """`anchor(name)`: the compiled library of tests/anchors/<name>.c."""
    return builder(tmp_path_factory.mktemp)


def complex_step(loss, array):
    """The gradient of `loss` by each element of `array`, exact to rounding."""
    gradient = np.empty(array.shape)
    for place in np.ndindex(array.shape):
        moved = array.astype(complex)
        moved[place] += 1j * STEP
        gradient[place] = loss(moved).imag / STEP
    return gradient


def seidel_2d(A, sweeps):
    n = len(A)
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = A[i - 1 : i + 2, j - 1 : j + 2].sum() / 9.0
    return A.sum()


def jacobi_2d(A, B, sweeps):
    for _ in range(sweeps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    return A.sum()


def seidel_nonlinear(A, sweeps):
    n = len(A)
    for _ in range(sweeps):
        for i in range(1, n):
            for j in range(1, n):
                A[i, j] = 0.5 * A[i, j] + 0.25 * np.sin(A[i - 1, j] * A[i, j - 1])
    return A.sum()


@pytest.fixture
def array():
    return np.random.default_rng(7).uniform(-2.0, 2.0, (9, 9))


def test_seidel_2d(anchor, array):
    final, gradient = np.empty_like(array), np.empty_like(array)
    call(anchor("seidel_2d").grad, array, final, gradient, 9, 5)
    np.testing.assert_allclose(gradient, complex_step(lambda A: seidel_2d(A, 4), array), rtol=1e-13, atol=1e-14)
    primal = array.copy()
    seidel_2d(primal, 4)
    np.testing.assert_allclose(final, primal, rtol=1e-13, atol=1e-14)


def test_seidel_2d_skewed_has_the_plain_loops_values(anchor, array):
    plain, skewed = array.copy(), array.copy()
    call(anchor("seidel_2d").fwd, plain, 9, 12)
    call(anchor("seidel_2d_skewed").fwd_skew, skewed, 9, 12)
    np.testing.assert_allclose(skewed, plain, rtol=1e-15, atol=0)


@pytest.mark.parametrize("form", ["grad_s", "grad_g"])
def test_jacobi_2d(anchor, array, form):
    other = array[::-1].copy()
    final, last, by_a, by_b = (np.empty_like(array) for _ in range(4))
    call(getattr(anchor("jacobi_2d"), form), array, other, final, last, by_a, by_b, 9, 4)
    np.testing.assert_allclose(by_a, complex_step(lambda A: jacobi_2d(A, other.astype(complex), 3), array), rtol=1e-13, atol=1e-14)
    by_other = complex_step(lambda B: jacobi_2d(array.astype(complex), B, 3), other)
    np.testing.assert_allclose(by_b, by_other, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("form", ["grad", "grad_s"])
@pytest.mark.parametrize("sweeps", [1, 2, 6])
def test_seidel_nonlinear(anchor, array, form, sweeps):
    final, gradient, tape, work = np.empty_like(array), np.empty_like(array), np.empty(max(1, sweeps - 1) * 64), np.empty(18)
    function = getattr(anchor("seidel_nonlinear"), form)
    function.restype = ctypes.c_double
    loss = call(function, array, final, gradient, tape, work, 9, sweeps)
    primal = array.copy()
    np.testing.assert_allclose(loss, seidel_nonlinear(primal, sweeps), rtol=1e-14)
    np.testing.assert_allclose(gradient, complex_step(lambda A: seidel_nonlinear(A, sweeps), array), rtol=1e-13, atol=1e-14)
    # The reverse sweep has restored what the second and later sweeps overwrote.
    once = array.copy()
    seidel_nonlinear(once, 1)
    np.testing.assert_allclose(final, once, rtol=1e-14, atol=1e-15)
