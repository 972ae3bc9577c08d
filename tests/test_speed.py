"""As fast as the hand-written C, and no slower than JAX at its best: ratios of interleaved pairs on a machine with nothing else to do.

Run with `make long`; every test prints its figures.
"""

import ctypes
import time

import numpy as np
import pytest

import dfad
from dfad.suite import cholesky, seidel_2d, seidel_nonlinear
from tests.anchored import builder, call

pytestmark = [pytest.mark.long, pytest.mark.production]



def seidel_loss(A, T):
    seidel_2d.function(A, T)
    return np.sum(A)


def jacobi_loss(A, B, T):
    for _ in range(1, T):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    return np.sum(A)


def seidel_nonlinear_loss(A, T):
    seidel_nonlinear.function(A, T)
    return np.sum(A)


def cholesky_loss(A):
    cholesky.function(A)
    return np.sum(A)


@pytest.fixture(scope="module")
def anchor(tmp_path_factory):
    """`anchor(name)`: the compiled library of tests/anchors/<name>.c."""
    return builder(tmp_path_factory.mktemp, ["-ffp-contract=off"])


def ratio(mine, theirs, what, pairs=15):
    """The median of mine/theirs over interleaved pairs, printed with both medians."""
    times = np.empty((pairs, 2))
    for pair in times:
        for side, work in enumerate((mine, theirs)):
            start = time.perf_counter()
            work()
            pair[side] = time.perf_counter() - start
    found = float(np.median(times[:, 0] / times[:, 1]))
    print(f"\n{what}: {found:.3f} ({np.median(times[:, 0]) * 1e3:.2f} ms against {np.median(times[:, 1]) * 1e3:.2f} ms)")
    return found


def error(mine, theirs):
    return np.abs(mine - theirs).max() / np.abs(theirs).max()


def random(*shape):
    return np.random.default_rng(7).random(shape)


def test_seidel_2d_gradient_is_as_fast_as_c(anchor):
    sweeps, n = 100, 400
    a, library = random(n, n), anchor("seidel_2d")
    work, theirs = np.empty_like(a), np.empty_like(a)
    both, alone = dfad.value_and_grad(seidel_loss, threads=1), dfad.grad(seidel_loss, threads=1)
    call(library.grad, a, work, theirs, n, sweeps)
    value, mine = both(a, sweeps)
    assert error(mine, theirs) < 1e-12
    assert error(alone(a, sweeps), theirs) < 1e-12
    assert value == pytest.approx(work.sum(), rel=1e-12)
    assert both.memory["tape"] == 0
    backward = np.ones_like(a)
    found = ratio(lambda: both(a, sweeps), lambda: call(library.grad, a, work, theirs, n, sweeps), "seidel_2d value_and_grad / C grad")
    assert found <= 1.15
    assert ratio(lambda: alone(a, sweeps), lambda: call(library.bwd, backward, n, sweeps), "seidel_2d grad / C bwd") <= 1.15


def test_jacobi_2d_gradient_is_as_fast_as_the_gather_form_in_c(anchor):
    sweeps, n = 100, 350
    a, b, library = random(n, n), random(n, n) + 1.0, anchor("jacobi_2d")
    work = [np.empty_like(a) for _ in range(4)]
    both = dfad.value_and_grad(jacobi_loss, wrt=("A", "B"), threads=1)
    call(library.grad_g, a, b, *work, n, sweeps)
    _, (by_a, by_b) = both(a, b, sweeps)
    assert error(by_a, work[2]) < 1e-12
    assert error(by_b, work[3]) < 1e-12
    assert both.memory["tape"] == 0
    found = ratio(lambda: both(a, b, sweeps), lambda: call(library.grad_g, a, b, *work, n, sweeps), "jacobi_2d value_and_grad / C grad_g")
    assert found <= 1.15


def test_seidel_nonlinear_gradient_is_as_fast_as_c(anchor):
    sweeps, n = 20, 100
    a, library = random(n, n), anchor("seidel_nonlinear")
    work, theirs, rows, tape = np.empty_like(a), np.empty_like(a), np.empty(2 * n), np.empty((sweeps - 1) * (n - 1) ** 2)
    library.grad.restype = ctypes.c_double
    both = dfad.value_and_grad(seidel_nonlinear_loss, threads=1)
    value = call(library.grad, a, work, theirs, tape, rows, n, sweeps)
    mine = both(a, sweeps)
    assert mine[0] == pytest.approx(value, rel=1e-12)
    assert error(mine[1], theirs) < 1e-12
    assert both.memory["tape"] <= (sweeps - 1) * (n - 1) ** 2 * 8
    assert (
        ratio(
            lambda: both(a, sweeps),
            lambda: call(library.grad, a, work, theirs, tape, rows, n, sweeps),
            "seidel_nonlinear value_and_grad / C grad",
        )
        <= 1.15
    )


def test_cholesky_keeps_no_tape_and_less_than_three_arrays():
    n = 400
    root = random(n, n)
    spd = root @ root.T + n * np.eye(n)
    gradient = dfad.grad(cholesky_loss, threads=1)
    gradient(spd)
    assert gradient.memory["tape"] == 0
    assert gradient.memory["peak"] < 3 * spd.nbytes


def jax_gradient(formulation, sweeps):
    """Value and gradient of the sum of a JAX formulation, compiled."""
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)

    def loss(a):
        left = formulation(a, sweeps)
        return jax.numpy.sum(left[0] if isinstance(left, tuple) else left)

    return jax.jit(jax.value_and_grad(loss))


def test_seidel_2d_gradient_against_jax_at_its_best():
    sweeps, n = 100, 400
    a = random(n, n)
    theirs = jax_gradient(seidel_2d.jax_best, sweeps)
    both = dfad.value_and_grad(seidel_loss)
    assert error(both(a, sweeps)[1], np.asarray(theirs(a)[1])) < 1e-12
    assert ratio(lambda: both(a, sweeps), lambda: theirs(a)[1].block_until_ready(), "seidel_2d value_and_grad / jax_best", 9) <= 1.1


def test_seidel_2d_gradient_against_the_port_to_jax():
    sweeps, n = 5, 200
    a = random(n, n)
    theirs = jax_gradient(seidel_2d.jax_port, sweeps)
    both = dfad.value_and_grad(seidel_loss)
    assert error(both(a, sweeps)[1], np.asarray(theirs(a)[1])) < 1e-12
    assert ratio(lambda: both(a, sweeps), lambda: theirs(a)[1].block_until_ready(), "seidel_2d value_and_grad / jax_port", 3) <= 1 / 800
