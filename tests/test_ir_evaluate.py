"""The reference interpreter against NumPy: bits of elementary arithmetic, in-place updates, errors, allocation, open demands."""

import math

import numpy as np
import pytest

from dfad.errors import CompilerBug, KernelAssertionError, KernelIndexError
from dfad.ir.evaluate import evaluate
from dfad.ir.nodes import Stage
from dfad.ir.verify import verify
from tests.ir_text import build
from tests.test_ir_show import MIXED, SEIDEL


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def run(text, stage=Stage.PRIMAL, observer=None, **arguments):
    return evaluate(verify(build(text, stage)), arguments, observer)


def seidel(A, T):
    for _ in range(T):
        for i in range(1, A.shape[0] - 1):
            for j in range(1, A.shape[1] - 1):
                A[i, j] = 0.5 * A[i, j] + 0.25 * np.sin(A[i - 1, j] * A[i, j - 1])
    s = 0.0
    for i in range(A.shape[0] - 1, -1, -1):
        s += A[i, A.shape[1] // 2]
    return s


def test_loops_and_updates_in_place(rng):
    A = rng.standard_normal((7, 6))
    B = A.copy()
    assert run(SEIDEL, A=A, T=4)["s"] == seidel(B, 4)
    np.testing.assert_array_equal(A, B, strict=True)


@pytest.mark.parametrize("x", [1.0, -1.0])
def test_branches_casts_reductions(rng, x):
    a = rng.standard_normal(6).astype(np.float32)
    k = 5 // 2
    b = -a[1:] * (a[:-1] - a[k])
    expected = float(b.max()) if x > 0.0 and not a[k] > np.float32(1.0) else 0.0
    assert run(MIXED, a=a, n=5, x=x)["total"] == expected


OPERATIONS = {
    "x + y*z": lambda x, y, z: x + y * z,
    "x/y - z": lambda x, y, z: x / y - z,
    "x//y + x % z": lambda x, y, z: x // y + x % z,
    "pow(abs(x), y)": lambda x, y, z: np.abs(x) ** y,
    "maximum(x, y) + python_max(y, z)": lambda x, y, z: np.maximum(x, y) + max(y, z),
    "hypot(x, y) + arctan2(y, z)": lambda x, y, z: np.hypot(x, y) + np.arctan2(y, z),
    "sqrt(x) + log(y) + exp(-z)": lambda x, y, z: np.sqrt(x) + np.log(y) + np.exp(-z),
    "f8(i8(x)) + rint(y) + floor(z)": lambda x, y, z: np.float64(np.int64(x)) + np.rint(y) + np.floor(z),
    "f8(f4(x)) * y": lambda x, y, z: np.float64(np.float32(x)) * y,
    "x if y > z or not x < y else y": lambda x, y, z: x if y > z or not x < y else y,
    "1.0/(x - x)": lambda x, y, z: np.float64(1.0) / (x - x),
}


@pytest.mark.parametrize("text", OPERATIONS)
def test_operations_have_the_bits_of_numpy(rng, text):
    for x, y, z in rng.standard_normal((20, 3)) * 3.0:
        with np.errstate(all="ignore"):
            expected = OPERATIONS[text](x, y, z)
            found = run(f"def f(x: f8, y: f8, z: f8):\n    r: f8 = result\n    r = {text}\n    return r", x=x, y=y, z=z)["r"]
        np.testing.assert_array_equal(found, expected)


def test_float32_stays_float32(rng):
    a, b = rng.standard_normal((2, 50)).astype(np.float32)
    text = "def f(a: f4[N], b: f4[N]):\n    for i in range(0, N):\n        a[i] = a[i]*b[i] + f4(0.1)*sin(b[i])"
    expected = a * b + np.float32(0.1) * np.array([np.sin(value) for value in b])
    run(text, a=a, b=b)
    np.testing.assert_array_equal(a, expected, strict=True)


def test_integer_scalars_index_and_scatter(rng):
    a, idx = rng.standard_normal(5), np.array([3, 1, 3, 0])
    text = """
    def f(a: f8[N], idx: i8[M]):
        for j in range(0, M):
            k: i8
            k = idx[j]
            a[k] += 1.0
    """
    expected = a.copy()
    np.add.at(expected, idx, 1.0)
    run(text, a=a, idx=idx)
    np.testing.assert_array_equal(a, expected)


def test_exchange_changes_buffers_not_contents():
    text = """
    def f(u: f8[N], T: int):
        v: f8[N]
        for t in range(0, T):
            for i in range(0, N):
                v[i] = 2.0*u[i]
            u, v = v, u
        return u
    """
    u = np.array([1.0, 2.0])
    assert run(text, u=u, T=3)["u"].tolist() == [8.0, 16.0]
    assert u.tolist() == [4.0, 8.0], "after an odd number of exchanges the caller's buffer holds the step before"


def test_matmul_on_subsets(rng):
    A, B, v = rng.standard_normal((4, 3)), rng.standard_normal((5, 3)), rng.standard_normal(3)
    C, w = np.ones((4, 5)), np.zeros(4)
    text = """
    def f(A: f8[N, K], B: f8[M, K], C: f8[N, M], v: f8[K], w: f8[N]):
        C[:, :] += matmul(A[:, :], B[:, :], transpose_b=True)
        w[1:N] = matmul(A[0:N - 1, :], v[:])
    """
    run(text, A=A, B=B, C=C, v=v, w=w)
    np.testing.assert_allclose(C, 1.0 + A @ B.T, rtol=1e-15)
    np.testing.assert_allclose(w[1:], A[:-1] @ v, rtol=1e-15)
    assert w[0] == 0.0


def test_zero_trips_and_negative_steps():
    text = """
    def f(a: f8[N], n: int):
        for i in range(N - 1, -1, -2):
            a[i] = 1.0
        for j in range(n, 0):
            a[j] = 7.0
    """
    a = np.zeros(4)
    run(text, a=a, n=3)
    assert a.tolist() == [0.0, 1.0, 0.0, 1.0]


def test_failed_checks_tell_the_place():
    text = "def f(a: f8[N], n: int):\n    assert n < N, 'index'\n    assert a[n] > 0.0\n    a[n] = 1.0"
    a = np.array([1.0, -1.0])
    with pytest.raises(KernelIndexError) as caught:
        run(text, a=a, n=2)
    assert caught.value.line == 2
    with pytest.raises(KernelAssertionError) as caught:
        run(text, a=a, n=1)
    assert caught.value.line == 3
    assert a.tolist() == [1.0, -1.0]


@pytest.mark.parametrize("index", ["n", "-1"])
def test_an_index_out_of_range_is_our_fault(index):
    with pytest.raises(CompilerBug, match="out of range"):
        run(f"def f(a: f8[N], n: int):\n    a[{index}] = 1.0", a=np.zeros(3), n=3)


def test_arrays_are_undefined_at_entry():
    text = """
    def f(a: f8[N]):
        for i in range(0, N):
            s: f8
            b: f8[2]
            if i == 0:
                s = 1.0
                b[0] = 1.0
            a[i] = s + b[0]
    """
    a = np.zeros(2)
    run(text, a=a)
    assert a[0] == 2.0
    assert math.isnan(a[1])


def test_every_allocation_is_told():
    text = """
    def f(a: f8[N]):
        out: f8[N] = result
        b: f8[N]
        c: f8[N, 2]
        for i in range(0, N):
            b[i] = a[i]
        for j in range(0, N):
            c[j, 0] = b[j]
        for k in range(0, N):
            d: f8[3]
            e: f8[k]
            d[0] = c[k, 0]
            out[k] = d[0]
        return out
    """
    told = []
    result = run(text, observer=lambda array, count: told.append((array.name, count)), a=np.arange(2.0))
    assert result["out"].tolist() == [0.0, 1.0]
    assert told == [
        ("out", 16), ("b", 16), ("c", 32), ("b", -16), ("d", 24), ("e", 0), ("e", 0), ("e", 8), ("e", -8), ("c", -32), ("d", -24),
    ]  # fmt: skip


SQUARES = """
def squares(A: f8[N], A_bar: f8[N], T: int):
    s: f8 = adjoint
    for t in range(0, T):
        for i in range(1, N):
            A[i] = A[i]*A[i - 1]
    for t in range(T - 1, -1, -1):
        for i in range(N - 1, 0, -1):
            s = A_bar[i]
            A_bar[i] = 0.0
            A_bar[i] += s*demand(A[i - 1], "L5")
            A_bar[i - 1] += s*demand(A[i], "L5")
"""


def test_open_demands_see_what_their_statement_saw(rng):
    A, direction, weights = rng.uniform(0.5, 1.5, (3, 5))

    def primal(A):
        A = A.astype(complex)
        for _ in range(3):
            for i in range(1, 5):
                A[i] = A[i] * A[i - 1]
        return weights @ A

    expected = np.imag(primal(A + 1e-30j * direction)) / 1e-30
    A_bar = weights.copy()
    run(SQUARES, Stage.ADJOINT, A=A, A_bar=A_bar, T=3)
    assert A_bar @ direction == pytest.approx(expected, rel=1e-13)


def test_demands_after_and_of_other_cells():
    text = """
    def f(A: f8[N], r: f8[3]):
        A[0] = 2.0*A[0]
        A[0] = 9.0
        A[1] = 9.0
        r[0] = demand(A[0], "L2")
        r[1] = after(A[0], "L2")
        r[2] = demand(A[1], "L3")
    """
    r = np.zeros(3)
    run(text, Stage.ADJOINT, A=np.array([1.0, 5.0]), r=r)
    assert r.tolist() == [1.0, 2.0, 5.0]


def test_a_demand_of_what_never_ran():
    text = """
    def f(a: f8[N]):
        for i in range(0, 1):
            a[i] = 2.0
        for i in range(0, 2):
            a[i] = demand(a[i], "L3")
    """
    with pytest.raises(CompilerBug, match=r"L3 did not run at \(1,\)"):
        run(text, Stage.ADJOINT, a=np.zeros(3))


def test_library_operands_can_be_demanded():
    text = """
    def f(A: f8[N, N], x: f8[N], y: f8[N], x_bar: f8[N], y_bar: f8[N]):
        y[:] = matmul(A[:, :], x[:])
        for i in range(0, N):
            A[i, 0] = 0.0
        x_bar[:] += matmul(A[:, :], y_bar[:], transpose_a=True, demands="L2")
    """
    A, x = np.array([[1.0, 2.0], [3.0, 4.0]]), np.ones(2)
    x_bar, y_bar = np.zeros(2), np.array([1.0, 10.0])
    run(text, Stage.ADJOINT, A=A, x=x, y=np.zeros(2), x_bar=x_bar, y_bar=y_bar)
    assert x_bar.tolist() == [31.0, 42.0]
    assert A[:, 0].tolist() == [0.0, 0.0]
