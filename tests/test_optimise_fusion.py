"""Loops that run as one, and arrays that shrink with them: golden listings, the meaning, and what stays apart."""

import numpy as np
import pytest

from dfad.ir.show import show
from dfad.ir.verify import verify
from dfad.optimise.choose import choose_sums
from dfad.optimise.contract import contract
from dfad.optimise.extents import unify_extents
from dfad.optimise.fuse import fuse
from dfad.optimise.once import run_once
from tests.ir_text import build
from tests.test_optimise_golden import SIZES, outcome

PASSES = {
    "fuse": fuse,
    "contract": lambda program: contract(fuse(program)),
    "once": run_once,
    "choose": choose_sums,
    "extents": unify_extents,
}

CASES = {
    "fuse_rows": """
def f(x: f8[N, N], y: f8[N, N]):
    e: f8[N, N]
    s: f8[N]
    for i in range(0, N):
        for j in range(0, N):
            e[i, j] = exp(x[i, j])
    for z in range(0, N):
        s[z] = 0.0
    for k in range(0, N):
        for l in range(0, N):
            s[k] += e[k, l]
    for m in range(0, N):
        for n in range(0, N):
            y[m, n] = e[m, n]/s[m]
""",
    "fuse_past_others": """
def f(x: f8[N], y: f8[M], z: f8[N]):
    a: f8[N]
    b: f8
    c: f8[M]
    for i in range(0, N):
        a[i] = x[i]*2.0
    b = x[0]
    for j in range(0, M):
        c[j] = a[0]*b
    assert N - M == 0, "index"
    for k in range(0, N):
        z[k] = a[k] + b
    for l in range(0, M):
        y[l] = c[l]*z[l]
""",
    "fuse_behind_by_rows": """
def f(x: f8[N, N], y: f8[N, N]):
    for i in range(1, N):
        for j in range(0, N):
            x[i, j] = y[i, j]*2.0
    for k in range(1, N):
        for l in range(0, N):
            y[k, l] = x[k - 1, l] + x[k, l]
""",
    "extents_in_a_loop": """
def f(x: f8[N], y: f8[M], z: f8[K], T: int):
    assert integer(0) >= T or integer(N - M) == integer(0), "index"
    for i in range(0, M):
        y[i] = 1.0
    for t in range(T - 1, -1, -1):
        for j in range(0, N):
            x[j] += y[j]
        for k in range(0, M):
            y[k] *= 2.0
        for l in range(0, K):
            z[l] += 1.0
""",
    "extents_in_two_loops": """
def f(x: f8[N], y: f8[M], z: f8[K], T: int):
    assert integer(0) >= T or (integer(0) >= K or integer(N - M) == integer(0)), "index"
    for t in range(0, T):
        for i in range(0, N):
            x[i] *= 2.0
        for l in range(0, K):
            for j in range(0, N):
                x[j] += y[j]*z[l]
""",
    "contract_rows": """
def f(x: f8[N, N], y: f8[N, N]):
    e: f8[N, N]
    t: f8[N, N]
    s: f8[N]
    for z in range(0, N):
        s[z] = 0.0
    for i in range(0, N):
        for j in range(0, N):
            t[i, j] = x[i, j]*0.5
    for k in range(0, N):
        for l in range(0, N):
            e[k, l] = exp(t[k, l])
    for o in range(0, N):
        for p in range(0, N):
            s[o] += e[o, p]
    for m in range(0, N):
        for n in range(0, N):
            y[m, n] = e[m, n]/s[m]
""",
    "contract_scalar": """
def f(x: f8[N], y: f8[N]):
    a: f8[N]
    for i in range(0, N):
        a[i] = x[i]*2.0
    for j in range(0, N):
        a[j] += y[j]
    for k in range(0, N):
        x[k] = a[k]*a[k]
""",
    "contract_shifted": """
def f(x: f8[N], y: f8[N]):
    a: f8[N + 1]
    for i in range(0, N):
        a[i + 1] = x[i]*2.0
    for j in range(0, N):
        y[j] = a[j + 1]
""",
    "choose_masked_mean": """
def f(x: f8[N], y: f8[N]):
    s: f8
    n: i8
    s = 0.0
    n = 0
    for i in range(0, N):
        if x[i] > 0.75:
            n += 1
            s += x[i]
    y[0] = s
    y[0] = y[0] + n
""",
    "choose_known_cell": """
def f(x: f8[N], y: f8[N]):
    for i in range(0, N):
        y[i] = 0.0
        if x[i] > 0.75:
            y[i] += x[i]
""",
    "choose_two_masks": """
def f(x: f8[N], y: f8[N]):
    a: f8
    b: f8
    a = 0.0
    b = 0.0
    for i in range(0, N):
        if x[i] > 0.75:
            a += y[i]
        if x[i] < 0.5:
            b += y[i]
    y[0] = a
    x[0] = b
""",
    "once_kept_axis": """
def f(x: f8[N, N], y: f8[N]):
    for i in range(0, N):
        for j in range(0, 1):
            x[i, j] = y[i]
""",
}

APART = {
    "fuse_reads_ahead": """
def f(x: f8[N], y: f8[N]):
    for i in range(0, N - 1):
        x[i] = y[i]*2.0
    for j in range(0, N - 1):
        y[j] = x[j + 1]
""",
    "fuse_would_carry": """
def f(x: f8[N], y: f8[N]):
    for i in range(1, N):
        x[i] = y[i]*2.0
    for j in range(1, N):
        y[j] = x[j - 1]
""",
    "fuse_recurrence_and_vectors": """
def f(x: f8[N], y: f8[N]):
    for i in range(1, N):
        x[i] = x[i - 1]*0.5
    for j in range(1, N):
        y[j] = x[j]*2.0
""",
    "fuse_whole_sum_between": """
def f(x: f8[N]):
    s: f8
    s = 0.0
    for i in range(0, N):
        s += x[i]
    for j in range(0, N):
        x[j] = x[j]/s
""",
    "fuse_what_a_check_guards": """
def f(x: f8[N], y: f8[M]):
    for i in range(0, N):
        x[i] = 2.0*x[i]
    assert N - M == 0, "index"
    for j in range(0, N):
        y[j] = x[j]
""",
    "fuse_counts_the_rows_of_an_array": """
def f(x: f8[N], y: f8[N]):
    n: i8
    k: i8
    a: f8[k]
    n = 0
    for i in range(0, N):
        y[i] = x[i]*2.0
        n = n + 1
    k = n
    for j in range(0, N):
        a[j] = y[j] + (x[j - 1] if j > 0 else 0.0)
        x[j] = a[j]
""",
    "fuse_transposed": """
def f(x: f8[N, N], y: f8[N, N]):
    for i in range(0, N):
        for j in range(0, N):
            x[i, j] = y[i, j]*2.0
    for k in range(0, N):
        for l in range(0, N):
            y[k, l] = x[l, k]
""",
    "choose_cell_that_may_not_exist": """
def f(x: f8[N], y: f8[N]):
    for i in range(0, N):
        if i > 0:
            y[i - 1] += x[i]
""",
    "choose_costly": """
def f(x: f8[N], y: f8[N]):
    s: f8
    s = 0.0
    for i in range(0, N):
        if x[i] > 0.75:
            s += exp(x[i])
    y[0] = s
""",
    "contract_read_by_another_trip": """
def f(x: f8[N, N], y: f8[N]):
    a: f8[N]
    for i in range(1, N):
        for j in range(0, N):
            a[j] = a[j] + x[i, j] if i > 1 else x[i, j]
        y[i] = a[0]
""",
}


def case(name):
    text = {**CASES, **APART}[name]
    return verify(build(text)), PASSES[name.partition("_")[0]]


@pytest.mark.parametrize("name", CASES)
def test_listing(name, golden):
    program, rewrite = case(name)
    golden(f"optimise_{name}.txt", show(verify(rewrite(program))) + "\n")


@pytest.mark.parametrize("name", [*CASES, *APART])
def test_meaning_stays(name):
    program, rewrite = case(name)
    for size in SIZES:
        for one, other in zip(outcome(program, size), outcome(verify(rewrite(program)), size), strict=True):
            np.testing.assert_array_equal(other, one)


@pytest.mark.parametrize("name", APART)
def test_what_would_change_the_meaning_or_the_speed_stays_apart(name):
    program, rewrite = case(name)
    assert show(rewrite(program)) == show(program)


def test_an_operation_without_vectors_does_not_drag_others_along():
    program = verify(build("""
def f(x: f8[N], y: f8[N], z: f8[N]):
    for i in range(0, N):
        y[i] = sin(x[i])
    for j in range(0, N):
        z[j] = tanh(x[j])
"""))
    assert show(fuse(program, {"tanh"})) == show(program)
    assert show(fuse(program)) != show(program)
