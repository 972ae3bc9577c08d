"""The generated text: what a reader sees, what GCC makes of it, and that it depends on nothing else."""

from dataclasses import replace

import numpy as np
import pytest
import sympy

from dfad.emit import ArrayField, ExtentField, FloatField, IntegerField, ScalarResultField, emit
from dfad.emit.vector_math import declare_vectors, vector_functions
from dfad.errors import CompilerBug
from dfad.ir.evaluate import evaluate
from dfad.ir.nodes import Loop, Parallel
from dfad.ir.walk import rewrite_block
from dfad.optimise.lower_library import lower_library
from tests.emitted_kernels import Launcher
from tests.ir_text import build

SEIDEL_ADJOINT = """
def seidel_bar(A: f8[N, M], A_bar: f8[N, M], T: int):
    for t in range(T - 1, -1, -1):
        for i in range(N - 2, 0, -1):
            for j in range(M - 2, 0, -1):
                s: f8
                c: f8
                s = A_bar[i, j]
                A_bar[i, j] = 0.0
                c = s*0.25*cos(A[i - 1, j]*A[i, j - 1])
                A_bar[i, j] += 0.5*s
                A_bar[i - 1, j] += c*A[i, j - 1]
                A_bar[i, j - 1] += c*A[i - 1, j]
"""

WAVES = """
def waves(u: f8[N], c: f8, T: int):
    s: f8 = result
    v: f8[N]
    for t in range(0, T):
        for j in range(1, N - 1):
            v[j] = u[j] - c*(u[j] - u[j - 1])
        assert N > 2, "index"
        u, v = v, u
    s = 0.0
    for k in range(0, N):
        s += u[k]
    return s
"""

SCALED = """
def scaled(A: f4[N, M], n: int):
    best: f4[N]
    best[:] = reduce_max(A[:, :], axes=(1,))
    for i in range(0, N):
        for j in range(0, M):
            A[i, j] = exp(A[i, j] - best[i])
    for k in range(0, n):
        A[0, 0] = 0.5*A[0, 0]
"""


def parallel(program, line, *sums, is_even=True):
    """The program with the loops of a line marked as parallel, however short they are."""
    mark = Parallel(sympy.Integer(10**9), sums, is_even)

    def marked(node):
        return replace(node, parallel=mark) if isinstance(node, Loop) and node.where.line == line else node

    return replace(program, body=rewrite_block(program.body, marked))


@pytest.mark.parametrize(("name", "text"), [("seidel_bar", SEIDEL_ADJOINT), ("waves", WAVES), ("scaled", SCALED)])
def test_listing(golden, name, text):
    golden(f"emit_{name}.pyx", emit(lower_library(build(text)), fastmath=False).pyx)


def test_parallel_listing(golden):
    program = parallel(lower_library(build(SCALED)), 4)
    golden("emit_parallel.pyx", emit(program, fastmath=False).pyx)


def test_the_text_is_the_same_every_time():
    first, second = (emit(lower_library(build(SCALED)), fastmath=False) for _ in range(2))
    assert (first.pyx, first.header) == (second.pyx, second.header)


def test_fields():
    emitted = emit(build(WAVES), fastmath=False)
    match emitted.fields:
        case (ExtentField("u", 0), IntegerField("T"), ArrayField("u"), FloatField("c"), ScalarResultField("s")):
            pass
        case _:
            raise AssertionError(emitted.fields)
    assert [check.where.line for check in emitted.sites] == [7]


def test_flags():
    program = build(SEIDEL_ADJOINT)
    assert "-ffp-contract=fast" in emit(program, fastmath=True).flags
    assert "-ffp-contract=fast" not in emit(program, fastmath=False).flags
    assert [emit(one, fastmath=False).is_parallel for one in (program, parallel(program, 3))] == [False, True]


def test_vector_functions_are_declared_where_the_library_has_them():
    assert declare_vectors(["no_such_function", "range"]) == ()
    declared = declare_vectors(["exp", "powf"])
    assert len(declared) == len(vector_functions() & {"exp", "powf"})
    header = emit(build("def f(x: f8[N]):\n    for i in range(0, N):\n        x[i] = exp(x[i])"), fastmath=False).header
    assert ("double exp(double);" in header) == ("exp" in vector_functions())


def test_a_parallel_loop_that_writes_a_scalar_but_no_sum_is_refused():
    program = build("def f(x: f8[N]):\n    s: f8 = result\n    s = 0.0\n    for i in range(0, N):\n        s = x[i]\n    return s")
    with pytest.raises(CompilerBug, match="writes s"):
        emit(parallel(program, 4), fastmath=False)


def test_a_parallel_loop_with_an_array_whose_shape_follows_its_index_is_refused():
    program = build("def f(x: f8[N]):\n    for i in range(0, N):\n        y: f8[i]\n        for j in range(0, i):\n            y[j] = x[i]")
    with pytest.raises(CompilerBug, match="line 2 has a shape that follows its index"):
        emit(parallel(program, 2), fastmath=False)


VECTORISED = {
    "mathematics": ("def f(x: f8[N], y: f8[N]):\n    for i in range(0, N):\n        y[i] = exp(x[i])*tanh(x[i])", 1),
    "sines": ("def f(x: f8[N], y: f8[N]):\n    for i in range(0, N):\n        y[i] = sin(x[i])*cos(x[i])", 1),
    "sum": ("def f(x: f8[N]):\n    s: f8 = result\n    for i in range(0, N):\n        s += sqrt(x[i])\n    return s", 2),
    "stencil": ("def f(x: f8[N, M], y: f8[N, M]):\n    for i in range(1, N - 1):\n        for j in range(1, M - 1):\n"
                "            y[i, j] += 0.2*(x[i, j] + x[i, j - 1] + x[i - 1, j] + x[i + 1, j] + x[i, j + 1])", 1),
    "backwards": ("def f(x: f8[N], y: f8[N]):\n    for i in range(N - 2, -1, -1):\n        y[i] += 2.0*x[i + 1]", 1),
    "choice": ("def f(x: f8[N], y: f8[N]):\n    for i in range(0, N):\n        y[i] = x[i] if x[i] > 0.5 else maximum(y[i], 0.1)", 1),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.production
@pytest.mark.parametrize("name", sorted(VECTORISED))
def test_gcc_vectorises(name, tmp_path):
    text, loops = VECTORISED[name]
    report = tmp_path / "report"
    program = build(text)
    Launcher(program, flags=(f"-fopt-info-vec-optimized={report}",))
    assert report.read_text().count("loop vectorized") >= loops


@pytest.mark.slow
def test_parallel_loops_compute_the_same():
    program = build("""
    def f(A: f8[N, M], y: f8[N]):
        for i in range(N - 1, -1, -1):
            row: f8[M]
            s: f8
            s = 0.0
            for j in range(0, M):
                row[j] = 2.0*A[i, j]
            for k in range(0, M):
                s += row[k]
            y[i] = s
        for l in range(0, N, 3):
            y[l] += 1.0
    """)
    launcher = Launcher(parallel(parallel(program, 2), 11), threads=2)
    for n in (0, 1, 7):
        A = np.random.default_rng(n).standard_normal((n, 50))
        y, expected = np.zeros(n), np.zeros(n)
        run = launcher(A=A, y=y)
        evaluate(program, {"A": A, "y": expected})
        assert (run.status, run.left) == (0, 0)
        np.testing.assert_allclose(y, expected, rtol=1e-14, atol=0)


@pytest.mark.slow
def test_checks_inside_parallel_loops():
    program = build('def f(x: f8[N], n: int):\n    for i in range(0, N):\n        assert i < n, "index"\n        x[i] = 1.0')
    launcher = Launcher(parallel(program, 2), threads=2)
    assert launcher(x=np.zeros(9), n=9).status == 0
    run = launcher(x=np.zeros(9), n=7)
    assert (run.status, run.site) == (2, 0)
