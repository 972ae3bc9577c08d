"""Which loops threads may share, which they may not, and that the order of shared trips is free."""

import numpy as np
import pytest
import sympy

from dfad.analysis.work import is_even, work_of
from dfad.ir.evaluate import evaluate
from dfad.ir.memlet import symbol
from dfad.ir.nodes import Loop
from dfad.ir.walk import walk
from dfad.optimise.parallel import mark_parallel
from tests.ir_text import build
from tests.shared_loops import share_backwards

# name -> (the program, the lines whose loops are marked). Line 1 is the `def`.
MARKED = {
    "elementwise": ("def f(x: f8[N, M], y: f8[N, M]):\n    for i in range(0, N):\n        for j in range(0, M):\n"
                    "            y[i, j] = sin(x[i, j])", {2}),
    "two_arrays_in_time": ("""def f(A: f8[N, M], B: f8[N, M], T: int):
    for t in range(0, T):
        for i in range(1, N - 1):
            for j in range(1, M - 1):
                B[i, j] = A[i - 1, j] + A[i + 1, j] + A[i, j - 1]
        for k in range(1, N - 1):
            for l in range(1, M - 1):
                A[k, l] = B[k - 1, l] + B[k, l + 1]
""", {3, 6}),
    "gathered_adjoint": ("""def f(A_bar: f8[N, M], B_bar: f8[N, M]):
    for i in range(0, N):
        for j in range(1, M - 1):
            A_bar[i, j] += B_bar[i, j - 1] + B_bar[i, j + 1] if 1 <= i and i < N - 1 else 0.0
        for k in range(0, 2):
            A_bar[i, k + Max(M - 2, 0)] += B_bar[i, k] if 1 <= i else 0.0
""", {2}),
    "recurrence_along_each_row": ("""def f(A: f8[N, M]):
    for i in range(0, N):
        for j in range(1, M):
            A[i, j] += 0.5*A[i, j - 1]
""", {2}),
    "columns_under_a_vertical_sweep": ("""def f(A: f8[K, N, M]):
    for k in range(1, K):
        for i in range(0, N):
            for j in range(0, M):
                A[k, i, j] += 0.5*A[k - 1, i, j]
""", {3}),
    "even_from_odd": ("def f(x: f8[N]):\n    for i in range(0, floor(N/2)):\n        x[2*i] = x[2*i + 1]", {2}),
    "strided_trips": ("def f(x: f8[N]):\n    for i in range(1, N, 2):\n        x[i] = x[i - 1]", {2}),
    "upper_half_from_lower_half": ("def f(x: f8[N], n: int):\n    for i in range(0, n):\n        x[i + n] = x[i]", {2}),
    "rows_of_a_triangle": ("""def f(A: f8[N, N], x: f8[N]):
    for i in range(0, N):
        for j in range(0, i):
            A[i, j] = x[j]*A[i, i]
""", {2}),
    "update_of_lu": ("""def f(A: f8[N, N]):
    for k in range(0, N):
        for i in range(k + 1, N):
            for j in range(k + 1, N):
                A[i, j] += -(A[i, k]*A[k, j])
""", {3}),
    "own_scalars_and_array": ("""def f(A: f8[N, M], y: f8[N]):
    for i in range(0, N):
        s: f8
        row: f8[M]
        s = 0.0
        for j in range(0, M):
            row[j] = A[i, j]*A[i, j]
        for k in range(1, M):
            s += row[k]*row[k - 1]
        y[i] = s
""", {2}),
    "gather_by_index": ("""def f(x: f8[N], idx: i8[M], y: f8[M]):
    for i in range(0, M):
        k: i8
        k = idx[i]
        y[i] = x[k]
""", {2}),
    "sums": ("""def f(A: f8[N, M]):
    s: f8 = result
    t: f8 = result
    s = 0.0
    t = 1.0
    for i in range(0, N):
        for j in range(0, M):
            s += A[i, j]
        t += A[i, 0]*A[i, 0]
    return s, t
""", {6}),
    "trips_of_unknown_length": ("""def f(x: f8[N], y: f8[N]):
    for i in range(0, N):
        e: f8
        e = x[i]
        while (e > 0.01, w):
            e = 0.5*e
        y[i] = e
""", {2}),
    "sums_of_columns": ("""def f(A: f8[N, M], s: f8[M]):
    for i in range(0, N):
        for j in range(0, M):
            s[j] += A[i, j]
""", {3}),
    "array_that_follows_the_index": ("""def f(x: f8[N]):
    for i in range(0, N):
        row: f8[i]
        for j in range(0, i):
            row[j] = x[i]
        x[i] = row[0] if 0 < i else 0.0
""", {4}),
    "check_of_a_local": ("""def f(x: f8[N], n: int):
    y: f8[N]
    s: f8 = result
    for i in range(0, N):
        assert i < n, "index"
        y[i] = x[i]
    s = y[0]
    return s
""", {4}),
}  # fmt: skip

LEFT = {
    "seidel": """def f(A: f8[N, M]):
    for i in range(1, N - 1):
        for j in range(1, M - 1):
            A[i, j] = A[i - 1, j] + A[i, j - 1] + A[i + 1, j] + A[i, j + 1]
""",
    "prefix_sum": "def f(x: f8[N]):\n    for i in range(1, N):\n        x[i] += x[i - 1]",
    "prefix_sum_backwards": "def f(x: f8[N]):\n    for i in range(N - 2, -1, -1):\n        x[i] += x[i + 1]",
    "scatter_by_index": """def f(x: f8[N], idx: i8[M], y: f8[M]):
    for i in range(0, M):
        k: i8
        k = idx[i]
        x[k] = y[i]
""",
    "histogram": """def f(x: f8[N], h: f8[K], b: i8[N]):
    for i in range(0, N):
        k: i8
        k = b[i]
        h[k] += x[i]
""",
    "one_cell_of_an_array": "def f(x: f8[N], s: f8[1]):\n    for i in range(0, N):\n        s[0] += x[i]",
    "reversal_in_place": "def f(x: f8[N]):\n    for i in range(0, N):\n        x[i] = x[N - 1 - i]",
    "wrap": "def f(x: f8[N]):\n    for i in range(0, N):\n        x[i] = x[Mod(i + 1, N)]",
    "product_of_symbols": "def f(x: f8[N], n: int):\n    for i in range(0, n):\n        x[n*i] = x[n*i + n]",
    "diagonals": "def f(x: f8[N]):\n    for i in range(0, 20):\n        for j in range(0, 9):\n            x[i + j] = 1.0*i",
    "cholesky_rows": """def f(A: f8[N, N]):
    for i in range(0, N):
        for j in range(0, i):
            for k in range(0, j):
                A[i, j] += -(A[i, k]*A[j, k])
            A[i, j] = A[i, j]/A[j, j]
""",
    "scalar_that_lives_on": "def f(x: f8[N]):\n    s: f8 = result\n    for i in range(0, N):\n        s = x[i]\n    return s",
    "running_value": """def f(x: f8[N], y: f8[N]):
    s: f8
    s = 0.0
    for i in range(0, N):
        s += x[i]
        y[i] = s
""",
    "maximum_in_order": """def f(x: f8[N]):
    s: f8 = result
    s = x[0]
    for i in range(1, N):
        if s < x[i]:
            s = x[i]
    return s
""",
    "exchange": """def f(x: f8[N], y: f8[N]):
    for i in range(0, 20):
        y[i] = x[i]
        x, y = y, x
""",
    "check_of_the_caller's_array": """def f(x: f8[N], n: int):
    for i in range(0, N):
        assert i < n, "index"
        x[i] = 1.0
""",
    "few_trips": "def f(x: f8[N]):\n    for i in range(0, 9):\n        x[i] = 1.0",
    "innermost_of_three": """def f(A: f8[N, M], T: int):
    for t in range(0, T):
        for i in range(1, N):
            for j in range(0, M):
                A[i, j] += A[i - 1, j]
""",
}  # fmt: skip


def marked_lines(program):
    return {node.where.line for node in walk(program.body) if isinstance(node, Loop) and node.parallel is not None}


@pytest.mark.parametrize("name", MARKED)
def test_loops_that_threads_may_share(name):
    text, lines = MARKED[name]
    assert marked_lines(mark_parallel(build(text))) == lines


@pytest.mark.parametrize("name", LEFT)
def test_loops_that_they_may_not(name):
    program = build(LEFT[name])
    assert mark_parallel(program) is program


def data(program, size, rng):
    """Arguments of a program, integers within the arrays."""
    sizes = {"N": size, "M": size, "K": size, "n": size // 2, "T": 2}
    found = {"n": size // 2, "T": 2}
    for array in program.parameters:
        shape = tuple(sizes[str(extent)] if extent.is_Symbol else int(extent) for extent in array.shape)
        found[array.name] = rng.integers(0, size, shape) if array.dtype.kind == "i" else rng.uniform(0.5, 1.0, shape)
    used = {item.parameter for item in program.symbols if hasattr(item, "parameter")}
    return {name: value for name, value in found.items() if name in used or name not in ("n", "T")}


@pytest.mark.parametrize("name", sorted(MARKED.keys() - {"check_of_a_local"}))
@pytest.mark.parametrize("size", [4, 7])
def test_the_order_of_shared_trips_is_free(name, size):
    program = build(MARKED[name][0])
    turned = share_backwards(program)
    assert turned.body is not program.body
    results = set(program.results)
    arguments = {key: value for key, value in data(program, size, np.random.default_rng(size)).items() if key not in results}
    copies = [{key: np.copy(value) if isinstance(value, np.ndarray) else value for key, value in arguments.items()} for _ in range(2)]
    found = [evaluate(one, given) for one, given in zip((program, turned), copies, strict=True)]
    for key in copies[0]:
        np.testing.assert_allclose(copies[1][key], copies[0][key], rtol=1e-14, atol=0, err_msg=key)
    for key in found[0]:
        np.testing.assert_allclose(found[1][key], found[0][key], rtol=1e-14, atol=0, err_msg=key)


def test_sums_and_arrays_of_their_own_are_told():
    (loop,) = (n for n in walk(mark_parallel(build(MARKED["sums"][0])).body) if isinstance(n, Loop) and n.parallel is not None)
    assert loop.parallel.sums == ("s", "t")
    program = build(MARKED["own_scalars_and_array"][0])
    assert marked_lines(mark_parallel(program, arrays=False)) == {6, 8}


def test_work_is_a_polynomial_of_what_is_known_outside():
    loops = {name: next(n for n in walk(build(MARKED[name][0]).body) if isinstance(n, Loop)) for name in MARKED}
    N, M = symbol("N"), symbol("M")
    per_cell = work_of(loops["elementwise"]) / (N * M)
    assert per_cell.is_Integer
    assert per_cell > 16
    assert work_of(loops["rows_of_a_triangle"]).free_symbols == {N}
    assert sympy.degree(work_of(loops["rows_of_a_triangle"]), N) == 2
    assert work_of(loops["trips_of_unknown_length"]).free_symbols == {N}
    assert [is_even(loops[name]) for name in ("elementwise", "rows_of_a_triangle", "trips_of_unknown_length")] == [True, False, False]
