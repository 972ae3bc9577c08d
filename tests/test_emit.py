"""Emitted kernels mean what the interpreter says, in every bit where C promises that."""

import numpy as np
import pytest

from dfad.emit import emit
from dfad.emit.scalar import unspelled
from dfad.emit.statement import NEST_WORK
from dfad.errors import CompilerBug
from dfad.ir.evaluate import evaluate
from dfad.ir.nodes import Stage
from dfad.optimise.lower_library import lower_library
from tests.emitted_kernels import Launcher
from tests.ir_text import build

pytestmark = pytest.mark.slow

EXACT = """
def exact(x: f8[N], y: f8[N], r: f8[K, N], n: int):
    for i in range(0, N):
        r[0, i] = x[i] + y[i] - (x[i] - y[i])
        r[1, i] = x[i]*(y[i]/(x[i] - y[i]*3.0))
        r[2, i] = -x[i] - -(y[i]*-2.5)
        r[3, i] = abs(x[i]) + sign(y[i])
        r[4, i] = floor(x[i]) + ceil(y[i]) - rint(x[i]*y[i]) + trunc(2.5*x[i])
        r[5, i] = sqrt(abs(x[i]))
        r[6, i] = maximum(x[i], y[i]) - minimum(x[i], 0.0)
        r[7, i] = python_max(x[i], y[i]) - python_min(x[i], y[i])
        r[8, i] = floordiv(x[i], y[i])
        r[9, i] = mod(x[i], y[i])
        r[10, i] = x[i] if x[i] < y[i] and not y[i] >= 1.0 or isnan(x[i]) else y[i]
        r[11, i] = x[i] if x[i] == y[i] else 2.0*y[i] if isinf(y[i]) else 3.0
        r[12, i] = x[i]**2.0
        r[13, i] = x[i]*(i - n) + floordiv(n, 3)
"""

MATHEMATICS = [
    "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh",
    "cbrt", "exp2", "arcsinh", "arccosh", "arctanh", "erf", "erfc", "gamma", "digamma",
]  # fmt: skip

OF_TWO = ["arctan2", "hypot", "pow", "fmod", "copysign", "nextafter"]

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, np.inf, -np.inf, np.nan, 1e300, -1e-300]


def same(program, arguments, rtol=0.0, **options):
    """The compiled kernel and the interpreter agree on results and on what they update."""
    copies = [{name: value.copy() if isinstance(value, np.ndarray) else value for name, value in arguments.items()} for _ in range(2)]
    run = Launcher(program, **options)(**copies[0])
    with np.errstate(all="ignore"):
        expected = evaluate(program, copies[1])
    assert run.status == 0
    assert run.left == 0
    for name, value in expected.items():
        got = copies[0][name] if name in copies[0] else run.results[name]
        np.testing.assert_allclose(got, value, rtol=rtol, atol=0, strict=True, err_msg=name)
    for name, value in copies[1].items():
        np.testing.assert_allclose(copies[0][name], value, rtol=rtol, atol=0, err_msg=name)
    return run


def test_every_operation_has_a_spelling():
    assert unspelled() == set()


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_exact_operations(dtype):
    text = EXACT.replace("f8", dtype)
    for number in ("3.0", "2.5", "1.0") if dtype == "f4" else ():
        text = text.replace(number, f"f4({number})")
    x, y = np.meshgrid(SPECIAL, SPECIAL)
    real = np.dtype(dtype)
    with np.errstate(all="ignore"):
        arguments = {"x": x.ravel().astype(real), "y": y.ravel().astype(real)}
    same(build(text), arguments | {"r": np.zeros((14, x.size), real), "n": -7})


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_mathematics(dtype):
    check_mathematics(dtype, rtol={"f8": 4e-15, "f4": 2e-6}[dtype])


@pytest.mark.production
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_mathematics_in_vectors(dtype):
    check_mathematics(dtype, rtol={"f8": 4e-15, "f4": 2e-6}[dtype])


def check_mathematics(dtype, rtol):
    calls = [*(f"{name}(x[#])" for name in MATHEMATICS), *(f"{name}(x[#], y[#])" for name in OF_TWO)]
    calls.append("2.0 + lgamma(x[#])")  # near its zeros the module math itself is off by some units of the last place
    loops = "\n".join(f"    for # in range(0, N):\n        r[{k}, #] = {call}".replace("#", f"i{k}") for k, call in enumerate(calls))
    program = build(f"def f(x: {dtype}[N], y: {dtype}[N], r: {dtype}[K, N]):\n{loops}")
    with np.errstate(all="ignore"):
        x = np.array([*SPECIAL, *np.random.default_rng(1).uniform(0.0, 0.9, 1000)], dtype=dtype)
    y = np.roll(x, 3) + np.dtype(dtype).type(0.1)
    same(program, {"x": x, "y": y, "r": np.zeros((len(calls), x.size), dtype)}, rtol)


def test_integers():
    program = build("""
    def f(a: i8[N], b: i8[N], r: i8[K, N], n: int):
        k: i8
        k = floordiv(n, 2)
        for i in range(0, N):
            r[0, i] = a[i] + b[i]*3 - (a[i] - b[i])
            r[1, i] = floordiv(a[i], b[i])
            r[2, i] = mod(a[i], b[i])
            r[3, i] = maximum(a[i], b[i]) - python_min(a[i], k)
            r[4, i] = abs(a[i]) - sign(b[i])
            r[5, Mod(i + Max(n, 3)*Min(i, 2), N)] += a[floor((i + 2*n)/3)] + b[floor(n/4)] + b[Mod(i*(i + 1)/2 - n, N)]
        for j in range(k - 1, -1, -2):
            r[6, j] = j
        for i in range(0, N):
            r[7, i] = fmod(a[i], b[i])
    """)
    a, b = (grid.ravel().astype(np.int64) for grid in np.meshgrid([-7, -1, 0, 1, 5, 8], [-3, -1, 1, 2, 9]))
    same(program, {"a": a, "b": b, "r": np.zeros((8, a.size), np.int64), "n": 11})


def test_flags_and_branches():
    program = build("""
    def f(x: f8[N], m: b1[N], y: f8[N]):
        hot: b1
        for i in range(0, N):
            m[i] = x[i] > 0.5
            if m[i]:
                y[i] = 1.0
            else:
                hot = x[i] < 0.25 or m[0]
                if hot:
                    y[i] = 2.0
    """)
    same(program, {"x": np.linspace(0, 1, 9), "m": np.zeros(9, bool), "y": np.zeros(9)})


SUMS = """
def f(A: f8[N, M], x: f8[M]):
    s: f8 = result
    t: f8 = result
    u: f8 = result
    best: f8 = result
    s = 1.5
    for i in range(0, N):
        for j in range(0, M):
            s += A[i, j]
    t = 0.5
    for k in range(M - 1, -1, -1):
        y: f8
        y = sin(x[k])
        if y > 0.0:
            t += y*x[k]
    u = 0.0
    for l in range(0, N):
        u += A[l, 0]
        for p in range(0, l):
            u += A[l, p]*x[p]
    best = reduce_max(A[:, :], axes=(0, 1))
    return s, t, u, best
"""


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize(("n", "m"), [(3, 5), (0, 0), (2, 32), (40, 71), (1, 1000), (3, 39), (3, 40), (2, 41), (5, 63)])
def test_sums_of_free_order(dtype, n, m):
    text = SUMS.replace("f8", dtype) if m >= n else SUMS
    text = text.replace("0.0:", "f4(0.0):") if dtype == "f4" else text
    if not n:
        text = text.replace("    best = reduce_max(A[:, :], axes=(0, 1))", "    best = 0.0")
    program = lower_library(build(text))
    random = np.random.default_rng(n + m)
    arguments = {"A": random.uniform(0.5, 1.5, (n, m)).astype(dtype), "x": random.uniform(0, 3, m).astype(dtype)}
    run = same(program, arguments, rtol=1e-13 if dtype == "f8" else 1e-5)
    assert run.results["s"] == pytest.approx(1.5 + arguments["A"].astype(float).sum(), rel=1e-14 if dtype == "f8" else 6e-8)


def test_maximum_in_lanes_knows_nan():
    program = lower_library(build("def f(x: f8[N]):\n    b: f8 = result\n    b = reduce_max(x[:], axes=(0,))\n    return b"))
    x = np.random.default_rng(3).standard_normal(100)
    assert same(program, {"x": x}).results["b"] == x.max()
    for place in (70, 97, 99):
        with_nan = x.copy()
        with_nan[place] = np.nan
        assert np.isnan(same(program, {"x": with_nan}).results["b"])


def test_exchange_and_memory():
    program = build("""
    def f(u: f8[N], T: int):
        v: f8[N]
        w: f8[N - 1] = tape
        for i in range(0, N):
            v[i] = u[i]
        for t in range(0, T):
            for j in range(1, N - 1):
                v[j] = 0.5*(u[j - 1] + u[j + 1])
            u, v = v, u
        out: f8[N] = result
        for k in range(0, N):
            out[k] = u[k]
        for l in range(0, N - 1):
            w[l] = out[l] + 1.0
            out[l] = w[l]
        return out
    """)
    for steps in (0, 3, 4):
        run = same(program, {"u": np.arange(10.0) ** 2, "T": steps})
        assert run.peak == {2: 80, 0: 72}


def test_ragged_arrays_are_allocated_at_each_entry():
    program = build("""
    def f(A: f8[N, N]):
        for i in range(0, N):
            row: f8[i + 1]
            for j in range(0, i + 1):
                row[j] = 2.0*A[i, j]
            for k in range(0, i + 1):
                A[k, i] += row[k]
    """)
    run = same(program, {"A": np.random.default_rng(0).standard_normal((6, 6))})
    assert run.peak == {2: 48}


def test_a_loop_over_a_large_array_can_be_stopped():
    launcher = Launcher(build("def f(x: f8[N, M]):\n    for i in range(0, N):\n        for j in range(0, M):\n            x[i, j] += 1.0"))
    x = np.zeros((3, 1 << 20))
    run = launcher(x=x, stop=True, countdown=10**5)
    assert (run.status, run.polls, x.sum()) == (3, 1, 0.0)
    assert launcher(x=x, countdown=10**7).status == 0
    assert x.min() == 1.0


def test_the_last_of_many_statements_is_vectorised_too(tmp_path):
    """Every statement may end the call; a compiler that thinks this likely takes the statements behind for cold code."""
    arrays = "".join(f"    y{k}: f8[N]\n" for k in range(1, 41))
    nests = "".join(f"    for i{k} in range(0, N):\n        y{k}[i{k}] = y{k - 1}[i{k}]*x[i{k}] + {k}.0\n" for k in range(1, 41))
    program = build(f"def f(x: f8[N], y0: f8[N]):\n{arrays}{nests}    for i in range(0, N):\n        x[i] = y40[i]\n")
    report = tmp_path / "loops.txt"
    Launcher(program, flags=("-O3", f"-fopt-info-vec-optimized={report}"))
    places = {line.split(": ")[0] for line in report.read_text().splitlines() if "loop vectorized" in line}
    assert len(places) == 40


def test_out_of_memory_is_a_status():
    program = build("def f(x: f8[N]):\n    y: f8[N] = tape\n    for i in range(0, N):\n        y[i] = x[i]\n        x[i] = y[i]")
    run = Launcher(program)(x=np.zeros(10), memory_limit=79)
    assert run.status == 1


def test_a_failed_check_tells_where_and_what():
    program = build("""
    def f(x: f8[N], n: int):
        assert n >= 0, "assertion"
        for i in range(0, n):
            assert i < N, "index"
            x[i] = 1.0
    """)
    launcher = Launcher(program)
    x = np.zeros(3)
    assert launcher(x=x, n=3).status == 0
    run = launcher(x=x, n=4)
    assert (run.status, launcher.emitted.sites[run.site].where.line) == (2, 4)
    run = launcher(x=x, n=-1)
    assert (run.status, launcher.emitted.sites[run.site].where.line) == (2, 2)


@pytest.mark.parametrize("body", [
    "for t in range(0, n):\n        for i in range(0, N):\n            x[i] += 1.0",
    "for t in range(0, n):\n        x[0] = 0.5*x[0] + 1.0",
    "y: f8[N]\n    for t in range(0, n):\n        for i in range(0, N):\n            y[i] = x[i]\n        x, y = y, x",
])  # fmt: skip
def test_long_loops_can_be_stopped(body):
    launcher = Launcher(build(f"def f(x: f8[N], n: int):\n    {body}"))
    run = launcher(x=np.zeros(100), n=3 * 10**6, stop=True, countdown=10**5)
    assert (run.status, run.polls) == (3, 1)
    run = launcher(x=np.zeros(100), n=10**6, countdown=10**7)
    assert run.status == 0
    assert run.polls < 40


PRODUCTS = """
def f(a: {t}[M, K], b: {t}[K, N], x: {t}[K], y: {t}[M], c: {t}[M, N], d: {t}[N, M], e: {t}[L, M, K]):
    c[:, :] = matmul(a[:, :], b[:, :])
    c[:, :] += matmul(a[:, :], b[:, :])
    d[:, :] = matmul(b[:, :], a[:, :], transpose_a=True, transpose_b=True)
    c[1:M, 0:2] = matmul(a[1:M, 1:K], b[1:K, 0:2])
    c[:, :] += matmul(e[1, :, :], b[:, :])
    y[:] = matmul(a[:, :], x[:])
    x[:] += matmul(a[:, :], y[:], transpose_a=True)
    c[2, :] = matmul(x[:], b[:, :])
    x[:] = matmul(b[:, :], c[2, :])
    y[:] += matmul(x[:], a[:, :], transpose_b=True)
    d[:, 1] = matmul(b[:, :], x[:], transpose_a=True)
"""


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("k", [4, 0])
def test_products_call_blas(dtype, k):
    text = PRODUCTS.format(t=dtype)
    if not k:
        text = "".join(line for line in text.splitlines(keepends=True) if "1:" not in line)
    program = lower_library(build(text))
    random = np.random.default_rng(5)
    shapes = {"a": (3, k), "b": (k, 5), "x": (k,), "y": (3,), "c": (3, 5), "d": (5, 3), "e": (2, 3, k)}
    arguments = {name: random.standard_normal(shape).astype(dtype) for name, shape in shapes.items()}
    same(program, arguments, rtol=1e-12 if dtype == "f8" else 1e-4)
    assert Launcher(program).emitted.uses_blas


def test_names_that_cython_knows():
    program = build("""
    def f(double: f8[kernel], lane: f8[kernel], exp: f8[kernel], whole: f8, a_part: f8[kernel]):
        ws: f8
        ws = whole
        for block in range(0, kernel):
            double[block] = exp[block]*ws + sin(lane[block]) + a_part[block]
    """)
    arrays = {name: np.random.default_rng(0).standard_normal(5) for name in ("double", "lane", "exp", "a_part")}
    same(program, arrays | {"whole": 0.25}, rtol=1e-15)


def test_what_cannot_be_printed_is_a_bug():
    with pytest.raises(CompilerBug, match="no call for reduce_max"):
        Launcher(build("def f(x: f8[N]):\n    b: f8 = result\n    b = reduce_max(x[:], axes=(0,))\n    return b"))
    with pytest.raises(CompilerBug, match="cannot print"):
        Launcher(build('def f(x: f8[N]):\n    x[0] = 1.0\n    x[1] = demand(x[0], "L2")', Stage.ADJOINT))


def test_whole_arrays_are_cleared_and_copied_at_once():
    program = build("""
    def f(A: f8[N, M], B: f8[N, M], C: f8[N, M], b: b1[N]):
        for i in range(0, N):
            for j in range(0, M):
                A[i, j] = 0.0
        for k in range(N - 1, -1, -1):
            for l in range(0, M):
                B[k, l] = C[k, l]
        for m in range(0, N):
            b[m] = True
        for n in range(0, N):
            for o in range(1, M):
                C[n, o] = 0.0
    """)
    arrays = {name: np.random.default_rng(0).standard_normal((3, 4)) for name in "ABC"}
    same(program, arrays | {"b": np.zeros(3, bool)})
    text = emit(program, fastmath=False).pyx
    assert text.count("dfad_clear(A, ") == text.count("dfad_copy(B, C, ") == 1
    assert text.count("for ") == 4  # two of them over the strips of one loop


FLAT = """
def f(A: f8[N, M, 1], B: f8[N, M, 1], C: f8[M, N], x: f8[N]):
    s: f8 = result
    s = 0.0
    for i in range(0, N):
        for j in range(0, M):
            A[i, j, 0] = exp(B[i, j, 0])*x[1]
            s += A[i, j, 0]
    for k in range(N - 1, -1, -1):
        for l in range(M - 1, -1, -1):
            B[k, l, 0] = 0.5*B[k, l, 0]
            x[0] = x[0]*0.5 + B[k, l, 0]
    for p in range(0, N):
        for q in range(0, M):
            C[q, p] = A[p, q, 0]
    for t in range(0, N):
        for u in range(0, M):
            A[t, u, 0] = B[t, u, 0]*u
    for v in range(0, N):
        for w in range(0, M):
            A[v, w, 0] = B[v, w, 0] + x[v]
    return s
"""


def test_whole_arrays_are_treated_element_by_element():
    program = build(FLAT)
    random = np.random.default_rng(7)
    shapes = {"A": (3, 5, 1), "B": (3, 5, 1), "C": (5, 3), "x": (3,)}
    same(program, {name: random.standard_normal(shape) for name, shape in shapes.items()}, rtol=1e-14)
    text = emit(program, fastmath=False).pyx
    assert "for l_strip in range(M*N - 1, -1, -1048576):" in text
    assert "B[l] = 0.5*B[l]" in text
    between_nests = text.count(f"dfad_poll(ws, {NEST_WORK})")
    assert text.count("dfad_poll(ws") - between_nests == 5


def test_a_sum_that_is_looked_at_is_not_kept_in_parts():
    program = lower_library(build("""
    def f(A: f8[N, M], x: f8[M], y: f8[M]):
        s: f8 = result
        s = 0.0
        for i in range(0, N):
            for j in range(0, M):
                s += A[i, j]
            assert s < 40.0, "index"
        for k in range(0, N):
            for l in range(0, M):
                s += A[k, l]
            s += matmul(x[:], y[:])
            if s > 100.0:
                for p in range(0, M):
                    y[p] += s
        return s
    """))
    arguments = {"A": np.full((2, 40), 0.25), "x": np.full(40, 0.5), "y": np.full(40, 2.0)}
    same(program, arguments, rtol=1e-14)
    run = Launcher(program)(**arguments | {"A": np.full((2, 40), 0.75)})
    assert (run.status, run.site) == (2, 0)
