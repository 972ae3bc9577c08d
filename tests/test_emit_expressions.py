"""Random expressions of every type, compiled by the hundred, give the interpreter's bits."""

import numpy as np
import pytest

from dfad.ir.dtype import BOOL, F32, F64, I32, I64
from dfad.ir.memlet import Memlet, symbol
from dfad.ir.nodes import Apply, Array, Block, Constant, Integer, Loop, Program, Read, Role, Select, ShapeSymbol, Tasklet
from dfad.ir.verify import verify
from dfad.source import Location
from tests.emitted_kernels import Launcher
from tests.test_emit import same

pytestmark = pytest.mark.slow

DTYPES = (F64, F32, I64, I32, BOOL)
HERE = Location("kernel.py", 1, 0, 1, 1)
INDEX, EXTENT = symbol("i"), symbol("N")
FLOATING = {1: ["neg", "abs", "sign", "floor", "ceil", "rint", "trunc", "sqrt"],
            2: ["add", "sub", "mul", "div", "floordiv", "mod", "maximum", "minimum", "python_max", "python_min"]}  # fmt: skip
WHOLE = {1: ["neg", "abs", "sign"], 2: ["add", "sub", "mul", "floordiv", "mod", "maximum", "minimum", "python_max", "python_min"]}
COMPARISONS = ["lt", "le", "gt", "ge", "eq", "ne"]


class Grower:
    """Grows expressions of a dtype from a random source."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def pick(self, options):
        return options[self.random.integers(len(options))]

    def grow(self, dtype, depth):
        kind = self.pick(["leaf", "unary", "binary", "binary", "select", "cast"]) if depth else "leaf"
        match kind:
            case "leaf":
                return self.leaf(dtype)
            case "select":
                return Select(self.grow(BOOL, depth - 1), self.grow(dtype, depth - 1), self.grow(dtype, depth - 1), dtype)
            case "cast":
                return self.cast(dtype, depth)
        if dtype == BOOL:
            return self.logical(kind, depth)
        arity = 1 if kind == "unary" else 2
        name = self.pick((FLOATING if dtype.is_float else WHOLE)[arity])
        return Apply(name, tuple(self.grow(dtype, depth - 1) for _ in range(arity)), dtype)

    def leaf(self, dtype):
        if dtype == I64 and self.random.random() < 0.3:
            return Integer(2 * INDEX - EXTENT)
        if self.random.random() < 0.6:
            return Read(Memlet(f"x_{dtype.name}", (INDEX,)), dtype)
        return Constant(self.pick({"i": [0, 1, -2, 3], "f": [0.0, 1.0, -2.5, 0.375], "b": [True, False]}[dtype.kind]), dtype)

    def cast(self, dtype, depth):
        """From a type whose values the other can hold; what C does with others is open."""
        sources = {F64: [F32, I64, I32, BOOL], F32: [F64, I32, BOOL], I64: [I32, BOOL], I32: [BOOL], BOOL: [F64, F32, I64, I32]}
        return Apply("cast", (self.grow(self.pick(sources[dtype]), depth - 1),), dtype)

    def logical(self, kind, depth):
        if kind == "unary":
            name = self.pick(["not", "isnan", "isinf"])
            return Apply(name, (self.grow(BOOL if name == "not" else self.pick([F64, F32]), depth - 1),), BOOL)
        if self.random.random() < 0.5:
            return Apply(self.pick(["and", "or"]), (self.grow(BOOL, depth - 1), self.grow(BOOL, depth - 1)), BOOL)
        sides = self.pick([(F64, F64), (F32, F32), (F32, F64), (I64, I64), (I64, F64), (I32, I64), (I64, F32), (BOOL, BOOL)])
        return Apply(self.pick(COMPARISONS), tuple(self.grow(side, depth - 1) for side in sides), BOOL)


def program_of(values):
    """A loop that stores each value for every i."""
    count = {dtype: sum(value.dtype == dtype for value in values) for dtype in DTYPES}
    inputs = [Array(f"x_{dtype.name}", dtype, (EXTENT,), Role.ARGUMENT) for dtype in DTYPES]
    outputs = [Array(f"r_{dtype.name}", dtype, (symbol(f"K_{dtype.name}"), EXTENT), Role.ARGUMENT) for dtype in DTYPES]
    body, row = [], dict.fromkeys(DTYPES, 0)
    for number, value in enumerate(values):
        body.append(Tasklet(Memlet(f"r_{value.dtype.name}", (symbol("N") * 0 + row[value.dtype], INDEX)), value, HERE, f"S{number}"))
        row[value.dtype] += 1
    loop = Loop(INDEX, EXTENT * 0, EXTENT, 1, Block((), tuple(body)), HERE, "L")
    symbols = [ShapeSymbol(EXTENT, inputs[0].name, 0), *(ShapeSymbol(output.shape[0], output.name, 0) for output in outputs)]
    return Program("f", tuple(symbols), (*inputs, *outputs), Block((), (loop,)), ()), count


@pytest.mark.parametrize("seed", [*range(3), pytest.param(3, marks=pytest.mark.production)])
def test_random_expressions(seed):
    grower = Grower(seed)
    values = [grower.grow(dtype, depth) for dtype in DTYPES for depth in (1, 2, 3, 4) for _ in range(8)]
    program, count = program_of(values)
    verify(program)
    random = np.random.default_rng(seed)
    n = 24
    special = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -2.0, 0.25])
    arguments = {"x_float64": np.concatenate([special, random.standard_normal(n - 8) * 3]), "x_bool": random.random(n) < 0.5}
    arguments["x_float32"] = np.roll(arguments["x_float64"], 5).astype(np.float32)
    arguments |= {f"x_{dtype.name}": random.integers(-9, 9, n).astype(dtype.numpy) for dtype in (I64, I32)}
    arguments |= {f"r_{dtype.name}": np.zeros((count[dtype], n), dtype.numpy) for dtype in DTYPES}
    with np.errstate(all="ignore"):
        same(program, arguments)


def test_a_long_sum_of_bools_and_choices():
    yes = Constant(True, BOOL)
    flag = Read(Memlet("x_bool", (INDEX,)), BOOL)
    value = Select(Select(flag, Apply("lt", (Integer(INDEX), Constant(3, I64)), BOOL), yes, BOOL), flag, Apply("not", (flag,), BOOL), BOOL)
    program, count = program_of([value, Apply("cast", (value,), F64)])
    arguments = {f"x_{dtype.name}": np.zeros(6, dtype.numpy) for dtype in DTYPES}
    arguments["x_bool"] = np.array([True, False] * 3)
    arguments |= {f"r_{dtype.name}": np.zeros((count[dtype], 6), dtype.numpy) for dtype in DTYPES}
    same(program, arguments)
    assert "PyObject" not in Launcher(program).kernel.c.partition("address")[0]
