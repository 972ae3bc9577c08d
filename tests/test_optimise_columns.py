"""Products with the columns of a matrix, one in each trip, as one product: golden listings, the meaning, what stays, compiled kernels."""

import numpy as np
import pytest

import dfad
from dfad.ir.show import show
from dfad.ir.verify import verify
from dfad.optimise.columns import multiply_columns
from tests.ir_text import build
from tests.test_optimise_golden import SIZES, outcome

HEAD = """
def f(A: f8[N, N], B: f8[N, N], v: f8[N], y: f8[N], T: int):
    for j in range({range}):
        t: f8
        {body}
"""
CASES = {
    "of_a_matrix": ("0, N", "t = matmul(v[:], B[:, j])", "y[j] += t*2.0"),
    "of_what_trips_change_apart": ("0, N", "A[0, j] = 2.0", "t = matmul(B[1:N, j + 0], v[1:N])", "B[0, j] += t", "B[N - 1, j] = t"),
    "into_cells": ("0, N", "y[j] += matmul(B[:, j], v[:])"),
    "two": ("0, N", "t = matmul(v[:], B[:, j])", "y[j] = matmul(A[:, j], v[:])", "y[j] += t"),
    "under_a_check": ("0, N", "assert integer(N - T) >= integer(-20), 'index'", "t = matmul(v[:], B[:, j])", "y[j] = t"),
}
LEFT_ALONE = {
    "rows": ("0, N", "t = matmul(v[:], B[j, :])", "y[j] = t"),
    "a_triangle": ("0, N", "t = matmul(v[0:j], B[0:j, j])", "y[j] = t"),
    "both_move": ("0, N", "t = matmul(A[:, j], B[:, j])", "y[j] = t"),
    "a_part": ("1, N", "t = matmul(v[:], B[:, j])", "y[j] = t"),
    "every_other": ("0, N, 2", "t = matmul(v[:], B[:, j])", "y[j] = t"),
    "the_other_way": ("0, N", "t = matmul(v[:], B[:, N - 1 - j])", "y[j] = t"),
    "written_before": ("0, N", "B[0, j] = 2.0", "t = matmul(v[:], B[:, j])", "y[j] = t"),
    "written_by_another_trip": ("0, N", "t = matmul(v[:], B[:, j])", "B[0, 0] = t"),
    "the_vector_is_written": ("0, N", "t = matmul(v[:], B[:, j])", "v[j] = t"),
    "under_a_condition": ("0, N", "if v[j] > 0.0:", "    t = matmul(v[:], B[:, j])", "    y[j] = t"),
    "a_check_of_the_trip": ("0, N", "assert integer(T - j) >= integer(-20), 'index'", "t = matmul(v[:], B[:, j])", "y[j] = t"),
    "a_check_of_data": ("0, N", "assert v[0] > -9.0, 'index'", "t = matmul(v[:], B[:, j])", "y[j] = t"),
}


def program_of(lines):
    return build(HEAD.format(range=lines[0], body="\n        ".join(lines[1:])))


@pytest.mark.parametrize("name", CASES)
def test_listing(name, golden):
    golden(f"optimise_columns_{name}.txt", show(verify(multiply_columns(program_of(CASES[name])))) + "\n")


@pytest.mark.parametrize("name", CASES)
def test_meaning_stays(name):
    program = program_of(CASES[name])
    for size in SIZES:
        before, after = outcome(program, size), outcome(verify(multiply_columns(program)), size)
        for one, other in zip(before, after, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_what_would_change_the_meaning_is_left_alone(name):
    program = program_of(LEFT_ALONE[name])
    assert show(multiply_columns(program)) == show(program)


def swept(A, B, v):
    """Trips that change their own column behind the products with it."""
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            t = np.dot(B[:, j], v)
            u = A[i] @ B[:, j]
            B[:, j] -= 0.5 * t * v
            B[i, j] += u * u
    return np.sum(B * B)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(1, 1), (3, 0), (5, 7)])
@pytest.mark.parametrize("threads", [1, 2])
def test_compiled_values_and_gradients_are_those_of_the_loop(shape, threads):
    random = np.random.default_rng(sum(shape))
    A, B, v = (random.standard_normal(extents) / 3.0 for extents in ((shape[0], shape[0]), shape, shape[0]))
    mine, theirs = B.copy(), B.copy()
    assert dfad.kernel(swept, threads=threads)(A, mine, v) == pytest.approx(swept(A, theirs, v), rel=1e-13)
    np.testing.assert_allclose(mine, theirs, rtol=1e-13, atol=1e-14)
    directions = [random.standard_normal(array.shape) for array in (A, B, v)]
    gradient = dfad.grad(swept, wrt=("A", "B", "v"), threads=threads)(A, B, v)
    found = sum(np.sum(one * direction) for one, direction in zip(gradient, directions, strict=True))
    turned = swept(*(array + 1e-30j * direction for array, direction in zip((A, B, v), directions, strict=True)))
    assert found == pytest.approx(turned.imag / 1e-30, rel=1e-12, abs=1e-14)


@pytest.mark.slow
def test_a_check_fails_where_it_stood():
    def sums(v, B, y):
        for j in range(B.shape[1]):
            y[j] = 1.0
            y[j] += v @ B[:, j]

    y = np.zeros(3)
    with pytest.raises(dfad.KernelIndexError, match="v @ B"):
        dfad.kernel(sums)(np.ones(2), np.ones((4, 3)), y)
    assert y.tolist() == [1.0, 0.0, 0.0]
