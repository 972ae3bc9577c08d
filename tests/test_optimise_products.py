"""Rewrites of products of matrices: golden listings, the meaning up to rounding, also on the gallery, and what they leave alone."""

import numpy as np
import pytest

from dfad.ir.nodes import Stage
from dfad.ir.show import show
from dfad.ir.verify import verify
from dfad.optimise import strips
from dfad.optimise.factors import scale_vectors
from dfad.optimise.strips import STRIP, multiply_strips
from dfad.optimise.substitute import substitute_once
from dfad.optimise.windows import multiply_windows
from tests.adjoint_paths import interpreted_gradients, reference_gradients, subject
from tests.gallery import GALLERY
from tests.ir_text import build
from tests.references import relative_error
from tests.test_optimise_gallery import SIZES, case, primal_values
from tests.test_optimise_golden import outcome

PASSES = {"scale": scale_vectors, "strips": multiply_strips, "windows": multiply_windows}
SCALED = """
def f(A: f8[N, N], x: f8[N], c: f8):
    W: f8[N, N]
    y: f8[N] = result
    for i in range(0, N):
        for j in range(0, N):
            W[i, j] = {value}
    {between}
    y[:] = {product}
    return y
"""
STRIPS = """
def f(A: f8[N, N], B: f8[N, N], y: f8[N, N]):
    for i in range({first}, N):
        W: f8[N]
        W[:] = matmul({vector}, {matrix})
        for j in range(0, N):
            {write}
"""
UPPER = """
def f(A: f8[N, N], y: f8[N, N]):
    for i in range(0, N):
        W: f8[N - i]
        W[:] = matmul(A[:, i], A[:, i:])
        for j in range(0, N - i):
            y[i, i + j] = W[j]
            y[i + j, i] = W[j]*0.5
"""
LOWER = """
def f(A: f8[N, N], x: f8[N], y: f8[N, N]):
    for i in range(1, N):
        W: f8[i + 1]
        for k in range(0, N):
            x[k] += y[i, k]
        W[:] = matmul(A[:i + 1, :], A[i, :])
        assert i < N, "index"
        for j in range(0, i + 1):
            y[i, j] += W[j]*x[j]
"""
WINDOWS = """
def f(A: f8[N, N], B: f8[N, N, N], y: f8[N, N], T: int):
    for j in range(0, T):
        W: f8[N]
        for z in range(0, N):
            W[z] = 0.0
        for c in range(0, 2):
            for k in range(0, N):
                for o in range(0, N):
                    W[o] += {product}
        for w in range(0, N):
            {write} = W[w]
"""
CASES = {
    "windows_rows": WINDOWS.format(product="A[j, k]*B[0, k, o]", write="y[j, w]"),
    "windows_shifted": WINDOWS.format(product="B[c, k, o]*A[j + c, k]", write="y[N - 1, w]").replace("N - 1", "j + 1"),
    "strips_in_place": STRIPS.format(vector="A[i, :]", matrix="B[:, :]", first=0, write="A[i, j] = W[j]"),
    "strips_upper": UPPER,
    "strips_lower": LOWER,
    "scale_matrix_vector": SCALED.format(value="c*A[i, j]", between="x[0] = 2.0", product="matmul(W[:, :], x[:])"),
    "scale_vector_matrix": SCALED.format(value="A[i, j]/c*3.0", between="pass", product="matmul(x[:], W[:, :])"),
    "scale_part": SCALED.format(value="2.0*A[N - 1, j]*c", between="pass", product="matmul(W[:, :], x[:])").replace("N - 1", "i"),
}
LEFT_ALONE = {
    "windows_in_place": WINDOWS.format(product="A[j, k]*B[0, k, o]", write="A[j, w]"),
    "windows_turned": WINDOWS.format(product="A[k, j]*B[0, k, o]", write="y[j, w]"),
    "windows_one_cell": WINDOWS.format(product="A[j, k]*B[0, k, o]", write="y[0, w]"),
    "strips_row_before": STRIPS.format(vector="A[i - 1, :]", matrix="B[:, :]", first=1, write="A[i, j] = W[j]"),
    "strips_matrix_changed": STRIPS.format(vector="A[i, :]", matrix="B[:, :]", first=0, write="B[i, j] = W[j]"),
    "strips_both_ends": STRIPS.format(vector="A[i, :]", matrix="B[:, i:i + 1]", first=0, write="y[i, 0] = W[0]"),
    "strips_checked": STRIPS.format(vector="A[i, :]", matrix="B[:, :]", first=0, write="y[i, j] = W[j]").replace(
        "W: f8[N]", 'W: f8[N]\n        assert i < N, "index"'
    ),
    "scale_matrix_changed": SCALED.format(value="c*A[i, j]", between="A[0, 0] = 2.0", product="matmul(W[:, :], x[:])"),
    "scale_rows": SCALED.format(value="x[i]*A[i, j]", between="pass", product="matmul(W[:, :], x[:])"),
    "scale_turned": SCALED.format(value="c*A[j, i]", between="pass", product="matmul(W[:, :], x[:])"),
    "scale_sum": SCALED.format(value="c + A[i, j]", between="pass", product="matmul(W[:, :], x[:])"),
}
ROUNDING = 1e-13


def program_of(text):
    return verify(build(text, Stage.PRIMAL))


def rewrite_of(name):
    return PASSES[max((one for one in PASSES if name.startswith(one)), key=len)]


@pytest.mark.parametrize("name", CASES)
def test_listing(name, golden):
    golden(f"optimise_{name}.txt", show(verify(rewrite_of(name)(program_of(CASES[name])))) + "\n")


@pytest.mark.parametrize("name", CASES)
def test_meaning_stays(name):
    program = program_of(CASES[name])
    for size in (1, 4, STRIP + 3):
        before, after = outcome(program, size), outcome(verify(rewrite_of(name)(program)), size)
        for one, other in zip(before, after, strict=True):
            np.testing.assert_allclose(other, one, rtol=ROUNDING, atol=0.0)


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_what_would_change_the_meaning_is_left_alone(name):
    program = program_of(LEFT_ALONE[name])
    assert rewrite_of(name)(program) is program


@pytest.mark.parametrize("name", sorted(GALLERY))
def test_gallery_keeps_its_meaning(name):
    for size in SIZES:
        one = case(name, size)
        program = substitute_once(one.lowered.program)
        expected = primal_values(program, one)
        for rewrite in PASSES.values():
            changed = verify(rewrite(program))
            if changed is program:
                continue
            for a, b in zip(expected, primal_values(changed, one), strict=True):
                bound = ROUNDING * (1e8 if a.dtype == np.float32 else 1.0)
                np.testing.assert_allclose(b, a, rtol=0.0, atol=bound * np.max(np.abs(a), initial=0.0))


@pytest.mark.parametrize("name", ["array_rows_times_matrix", "array_triangle_of_products"])
def test_gradients_across_strips(name, monkeypatch):
    monkeypatch.setattr(strips, "STRIP", 2)
    entry = GALLERY[name]
    one = subject(entry.function, entry.make(5, np.random.default_rng(0)))
    assert "min(2," in show(one.primal)
    for of in one.kinds:
        assert relative_error(interpreted_gradients(one, of), reference_gradients(one, of)) <= 1e-12
