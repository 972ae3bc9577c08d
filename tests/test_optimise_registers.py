"""Cells held in scalars: the same bits, where it is allowed, and the loop as it was where it is not."""

import numpy as np
import pytest

from dfad.ir.evaluate import evaluate
from dfad.ir.nodes import Stage
from dfad.ir.show import show
from dfad.ir.verify import verify
from dfad.ir.walk import walk
from dfad.optimise.registers import hold_cells
from tests.ir_text import build

CHOLESKY = """
def cholesky(A: f8[N, N]):
    for i in range(0, N):
        for j in range(0, i):
            for k in range(0, j):
                A[i, j] = A[i, j] - A[i, k]*A[j, k]
            A[i, j] = A[i, j]/A[j, j]
        for l in range(0, i):
            A[i, i] = A[i, i] - A[i, l]*A[i, l]
        A[i, i] = sqrt(A[i, i])
"""

ADJOINT = """
def adjoint(A: f8[N, N], A_bar: f8[N, N]):
    for i in range(N - 1, -1, -1):
        for j in range(i - 1, -1, -1):
            for k in range(j - 1, -1, -1):
                s: f8
                s = A_bar[i, j]
                A_bar[i, k] += -s*A[j, k]
                A_bar[j, k] += -s*A[i, k]
"""

def function(arguments, body):
    return f"def f({arguments}):{body}"


HELD = {
    "cholesky": (CHOLESKY, 2),
    "adjoint": (ADJOINT, 1),
    "sum of a row": (function("A: f8[N, N], x: f8[N]", """
    for i in range(0, N):
        for j in range(0, N):
            x[i] += A[i, j]
    """), 1),
    "two cells": (function("A: f8[N, N]", """
    for i in range(2, N):
        A[0, 0] += A[i, i]
        A[1, 1] = A[0, 0]*A[i, 1]
    """), 2),
    "a branch": (function("A: f8[N, N]", """
    for i in range(1, N):
        if A[0, 0] < 1.0:
            A[0, 0] += A[i, i]
    """), 1),
}

LEFT = {
    "it may be the cell": function("A: f8[N, N]", """
    for i in range(0, N):
        A[0, 0] += A[i, i]
    """),
    "it is the cell of another loop": function("A: f8[N, N]", """
    for i in range(0, N):
        for j in range(0, N):
            A[i, i] += A[j, j]
    """),
    "a branch decides": function("A: f8[N, N], n: int", """
    for i in range(1, N):
        if i < n:
            A[0, n] += A[i, i]
    """),
    "a side of a choice": function("A: f8[N, N], n: int", """
    for i in range(2, N):
        A[i, i] = A[0, n] if i < n else 1.0
    """),
    "a check stands before": function("A: f8[N, N], n: int", """
    for i in range(2, N):
        assert n < N, "index"
        A[0, n] += A[i, i]
    """),
    "the array is only read": function("A: f8[N, N], x: f8[N]", """
    for i in range(1, N):
        x[i] = A[0, 0]*A[i, i]
    """),
    "the subset changes": function("A: f8[N, N], p: i8[N]", """
    for i in range(2, N):
        q: i8
        q = p[i]
        A[0, q] += A[i, i]
    """),
}


def arguments_of(program, n):
    random = np.random.default_rng(n)
    values = {array.name: random.uniform(0.1, 1.0, (n,) * array.rank).astype(array.dtype.numpy) for array in program.parameters}
    if "A" in values:
        values["A"] += 3.0 * np.eye(n)
    return values | {bound.parameter: 1 for bound in program.symbols if hasattr(bound, "parameter")}


def same_bits(program, changed, n):
    before, after = arguments_of(program, n), arguments_of(program, n)
    evaluate(program, before)
    evaluate(changed, after)
    for name, value in before.items():
        np.testing.assert_array_equal(value, after[name], err_msg=name)


def held(program):
    return sum("_cell" in array.name for node in walk(program.body) for array in getattr(node, "arrays", ()))


@pytest.mark.parametrize("name", sorted(HELD))
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_held(name, n):
    text, count = HELD[name]
    program = build(text)
    changed = verify(hold_cells(program))
    assert held(changed) == count
    if not (n == 0 and name == "two cells"):
        same_bits(program, changed, n)


@pytest.mark.parametrize("name", sorted(LEFT))
def test_left_alone(name):
    program = build(LEFT[name])
    changed = hold_cells(program)
    assert changed is program


def test_listing(golden):
    golden("hold_cells_cholesky.txt", show(hold_cells(build(CHOLESKY, Stage.LOWERED))))
