"""Library operations as loops: the same values, and what stays a call."""

import numpy as np
import pytest

from dfad.ir.evaluate import evaluate
from dfad.ir.nodes import Library, Loop, Role, Stage
from dfad.ir.show import show
from dfad.ir.verify import verify
from dfad.ir.walk import walk
from dfad.optimise.lower_library import lower_library
from tests.ir_text import build

OPERATIONS = {
    "dot": ("a: f8[K], b: f8[K]", "out: f8 = result", "out = matmul(a[:], b[:])"),
    "matvec": ("a: f8[M, K], b: f8[K]", "out: f8[M] = result", "for t in range(0, 1):\n        out[:] = matmul(a[:, :], b[:])"),
    "matvec_turned": ("a: f8[K, M], b: f8[K]", "out: f8[M] = result",
                      "for t in range(0, 1):\n        out[:] = matmul(a[:, :], b[:], transpose_a=True)"),
    "vecmat": ("a: f8[K], b: f8[K, N]", "out: f8[N] = result", "for t in range(0, 1):\n        out[:] = matmul(a[:], b[:, :])"),
    "vecmat_turned": ("a: f8[K], b: f8[N, K]", "out: f8[N] = result",
                      "for t in range(0, 1):\n        out[:] = matmul(a[:], b[:, :], transpose_b=True)"),
    "columns": ("a: f8[M, K, L], b: f8[K, N, L]", "out: f8[M, N] = result", "out[:, :] = matmul(a[:, :, 1], b[:, :, 0])"),
    "columns_turned": ("a: f8[K, M, L], b: f8[N, K, L]", "out: f8[M, N] = result",
                       "out[:, :] = matmul(a[:, :, 1], b[:, :, 0], transpose_a=True, transpose_b=True)"),
    "mixed": ("a: f4[M, K], b: f8[K, N]", "out: f8[M, N] = result", "out[:, :] = matmul(a[:, :], b[:, :])"),
    "max_all": ("a: f8[M, K]", "out: f8 = result", "out = reduce_max(a[:, :], axes=(0, 1))"),
    "max_rows": ("a: f8[M, K]", "out: f8[M] = result", "out[:] = reduce_max(a[:, :], axes=(1,))"),
    "max_columns": ("a: f8[M, K]", "out: f8[K] = result", "out[:] = reduce_max(a[:, :], axes=(0,))"),
    "min_middle": ("a: f4[M, K, L]", "out: f4[M, L] = result", "out[:, :] = reduce_min(a[:, :, :], axes=(1,))"),
    "max_part": ("a: f8[M, K]", "out: f8 = result", "out = reduce_max(a[1, 1:K:2], axes=(0,))"),
}  # fmt: skip
SIZES = {"M": 4, "K": 5, "N": 3, "L": 2}


def program_of(name):
    arguments, result, statement = OPERATIONS[name]
    return build(f"def {name}({arguments}):\n    {result}\n    {statement}\n    return out")


def arguments_of(program, seed=0):
    random = np.random.default_rng(seed)
    given = [array for array in program.parameters if array.role == Role.ARGUMENT]
    shapes = [tuple(SIZES[str(extent)] for extent in array.shape) for array in given]
    return {array.name: random.standard_normal(shape).astype(array.dtype.numpy) for array, shape in zip(given, shapes, strict=True)}


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_loops_mean_the_same(name):
    program = program_of(name)
    lowered = lower_library(program)
    verify(lowered)
    assert lowered.stage == Stage.LOWERED
    assert not any(isinstance(node, Library) for node in walk(lowered.body))
    arguments = arguments_of(program)
    before, after = evaluate(program, arguments), evaluate(lowered, arguments)
    np.testing.assert_allclose(after["out"], before["out"], rtol=1e-14 if before["out"].dtype == np.float64 else 1e-6, atol=0)


@pytest.mark.parametrize("name", sorted(name for name in OPERATIONS if not name.startswith(("max", "min"))))
def test_products_accumulate(name):
    arguments, result, statement = OPERATIONS[name]
    cells = {"out: f8 = result": "out", "out: f8[M, N] = result": "out[p, q]"}
    cell = cells.get(result, "out[p]")
    loops = f"for p in range(0, {result[8]}):\n        " * ("p" in cell) + "for q in range(0, N):\n            " * ("q" in cell)
    body = f"    {loops}{cell} = 1.0\n    {statement.replace(' = matmul', ' += matmul')}"
    program = build(f"def {name}({arguments}):\n    {result}\n{body}\n    return out")
    values = arguments_of(program)
    before, after = evaluate(program, values), evaluate(lower_library(program), values)
    np.testing.assert_allclose(after["out"], before["out"], rtol=1e-14, atol=0)


def test_maximum_of_nan_is_nan():
    program = lower_library(program_of("max_all"))
    a = np.zeros((4, 5))
    a[2, 3] = np.nan
    assert np.isnan(evaluate(program, {"a": a})["out"])


def test_matrix_products_stay_calls():
    head = "def f(a: f8[M, K], b: f8[K, N], c: f8[M, N], x: f8[K], y: f8[M]):\n"
    lowered = lower_library(build(head + "    c[:, :] += matmul(a[:, :], b[:, :])\n    y[:] = matmul(a[:, :], x[:])"))
    assert sum(isinstance(node, Library) for node in walk(lowered.body)) == 2
    assert not any(isinstance(node, Loop) for node in walk(lowered.body))


def test_small_products_are_loops():
    lowered = lower_library(build("def f(a: f8[3, 3], b: f8[3, 3], c: f8[3, 3]):\n    c[:, :] = matmul(a[:, :], b[:, :])"))
    assert not any(isinstance(node, Library) for node in walk(lowered.body))


def test_listing(golden):
    golden("lower_library_vecmat.txt", show(lower_library(program_of("vecmat"))))


@pytest.mark.parametrize("name", ["vecmat", "matvec_turned"])
def test_matrices_are_read_in_the_order_in_which_they_lie(name):
    sums = [node for node in walk(lower_library(program_of(name)).body) if getattr(node, "accumulate", False)]
    assert [node.write.array for node in sums] == ["out"]
