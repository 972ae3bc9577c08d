"""Products of one matrix with several vectors, panel by panel: golden listings, the meaning, what stays apart, and compiled kernels."""

import numpy as np
import pytest

import dfad
from dfad.ir.show import show
from dfad.ir.verify import verify
from dfad.optimise import panels
from dfad.optimise.lower_library import lower_library
from dfad.optimise.panels import multiply_panels
from tests.ir_text import build
from tests.test_optimise_golden import SIZES, outcome

HEAD = "def f(A: f8[N, N], x: f8[N], r: f8[N], y: f8[N], z: f8[N]):\n    "
CASES = {
    "both_sides": ("y[:] = matmul(A[:, :], x[:])", "z[:] = matmul(r[:], A[:, :])"),
    "normal_equations": ("y[:] = matmul(A[:, :], x[:])", "z[:] += matmul(A[:, :], y[:], transpose_a=True)"),
    "checks_between": (
        "y[:] += matmul(A[:, :], x[:])",
        "assert integer(N - M) == integer(0), 'index'",
        "z[:] = matmul(r[:], A[:, :])",
        "y[0] = z[0]",
    ),
    "three_of_a_part": (
        "y[1:N:2] = matmul(A[1:N:2, 1:N], x[1:N])",
        "z[1:N] = matmul(y[1:N:2], A[1:N:2, 1:N])",
        "r[1:N:2] += matmul(x[1:N], A[1:N:2, 1:N], transpose_b=True)",
    ),
}
LEFT_ALONE = {
    "all_of_the_first_is_needed": ("y[:] = matmul(A[:, :], x[:])", "z[:] = matmul(A[:, :], y[:])"),
    "a_sum_over_rows_is_needed": ("y[:] = matmul(r[:], A[:, :])", "z[:] = matmul(A[:, :], y[:])"),
    "an_operand_is_overwritten": ("y[:] = matmul(A[:, :], x[:])", "x[:] = matmul(r[:], A[:, :])"),
    "one_result": ("y[:] = matmul(A[:, :], x[:])", "y[:] += matmul(r[:], A[:, :])"),
    "other_rows": ("y[0:N - 1] = matmul(A[0:N - 1, :], x[:])", "z[:] = matmul(y[1:N], A[0:N - 1, :])"),
    "other_parts": ("y[0:N - 1] = matmul(A[0:N - 1, :], x[:])", "z[:] = matmul(r[1:N], A[1:N, :])"),
    "the_matrix_changes": ("y[:] = matmul(A[:, :], x[:])", "A[0, 0] = 2.0", "z[:] = matmul(r[:], A[:, :])"),
    "the_matrix_is_a_result": ("A[0, :] = matmul(A[:, :], x[:])", "z[:] = matmul(r[:], A[:, :])"),
    "a_check_reads_data": ("y[:] = matmul(A[:, :], x[:])", "assert y[0] > 0.0, 'index'", "z[:] = matmul(r[:], A[:, :])"),
}


def program_of(lines):
    head = HEAD.replace("z: f8[N]", "z: f8[N], M: int") if any("M" in line for line in lines) else HEAD
    return lower_library(build(head + "\n    ".join(lines)))


@pytest.mark.parametrize("name", CASES)
def test_listing(name, golden):
    golden(f"optimise_panels_{name}.txt", show(verify(multiply_panels(program_of(CASES[name])))) + "\n")


@pytest.mark.parametrize("cells", [1, 12, panels.CELLS])
@pytest.mark.parametrize("name", sorted({*CASES} - {"checks_between"}))
def test_meaning_stays(name, cells, monkeypatch):
    monkeypatch.setattr(panels, "ROWS", 1)
    monkeypatch.setattr(panels, "CELLS", cells)
    program = program_of(CASES[name])
    for size in SIZES:
        before, after = outcome(program, size), outcome(verify(multiply_panels(program)), size)
        for one, other in zip(before, after, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-13, atol=1e-15)


def test_no_array_is_held_that_a_plan_did_not_count():
    text = """
def f(A: f8[N, N], x: f8[N], r: f8[N], y: f8[N]):
    a: f8[N]
    b: f8[N]
    for i in range(0, N):
        a[i] = x[i]*2.0
    y[:] = matmul(A[:, :], a[:])
    b[:] = matmul(r[:], A[:, :])
    for j in range(0, N):
        r[j] = b[j]{more}
"""
    alone, both = (lower_library(build(text.format(more=more))) for more in ("", " + a[j]"))
    assert show(multiply_panels(alone)) == show(alone)
    assert "panel" in show(verify(multiply_panels(both)))


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_what_would_change_the_meaning_is_left_alone(name):
    program = program_of(LEFT_ALONE[name])
    assert show(multiply_panels(program)) == show(program)


def solved(A, x, r):
    """Each product needs of the one before it the rows of its panel, or all of it."""
    y = A @ x
    z = A.T @ y
    x -= 0.5 * z
    r += A @ x
    x += r @ A
    return y, z


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (70, 50), (100, 2000), (40000, 3)])
@pytest.mark.parametrize("threads", [1, 2])
def test_compiled_products_are_those_of_numpy(shape, threads):
    random = np.random.default_rng(sum(shape))
    A, x, r = random.standard_normal(shape) / max(shape), random.standard_normal(shape[1]), random.standard_normal(shape[0])
    mine, theirs = (x.copy(), r.copy()), (x.copy(), r.copy())
    found, wanted = dfad.kernel(solved, threads=threads)(A, *mine), solved(A, *theirs)
    for one, other in zip((*found, *mine), (*wanted, *theirs), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)


@pytest.mark.slow
def test_what_came_before_a_failing_check_is_done():
    def two(A, x, r, y, z):
        y += A @ x
        z += r @ A

    A, x, y, z = np.ones((3, 3)), np.ones(3), np.zeros(3), np.zeros(3)
    with pytest.raises(dfad.KernelIndexError, match="r @ A"):
        dfad.kernel(two, threads=1)(A, x, np.ones(2), y, z)
    assert (y.tolist(), z.tolist()) == ([3.0] * 3, [0.0] * 3)
