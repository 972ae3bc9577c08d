"""What this machine takes for the work that a plan weighs: measured once, in well under a second, and kept in the cache.

One generated kernel, compiled as every kernel is, has a loop for each kind of work: adding arrays of several sizes, arithmetic in a vector
loop, each function, a recurrence, short rows, a product of matrices. An answer is the least of a few runs. Where it cannot be measured, for
want of a compiler or of memory, there is no answer.
"""

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

import numpy as np
import sympy

from dfad.emit import emit
from dfad.errors import DfadError
from dfad.ir.dtype import BOOL, F64
from dfad.ir.memlet import Memlet, Range, symbol
from dfad.ir.nodes import (
    Apply,
    Array,
    Block,
    Branch,
    Constant,
    Expression,
    Integer,
    IntegerSymbol,
    Library,
    Loop,
    Node,
    Program,
    Read,
    Role,
    ShapeSymbol,
    Stage,
    Tasklet,
)
from dfad.ir.signature import ArgumentType, ArrayType, IntegerType
from dfad.run import cache, launch, toolchain
from dfad.run.build import building, provide_launcher
from dfad.run.describe import Wrapper, describe
from dfad.run.launch import Routine
from dfad.source import Location

FUNCTIONS = ("div", "sqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arctan", "pow", "hypot")
"""The operations that are measured each on its own; others that are not simple take as long as the slowest of these."""

STREAMS = tuple(1 << k for k in range(14, 27, 2))
"""Bytes of three arrays together, from the first cache to beyond the last."""

CHAIN = 8
"""Multiplications and additions of the section that measures them."""

VECTOR, ROW, SIDE = 1024, 8, 256
"""Elements of the arrays of most sections, of the short rows, and of a row of the matrices."""

SECONDS = 4e-4
"""What one run of a section takes, about."""

RUNS = 4
N, M, WIDTH, SECTION, TIMES = map(symbol, ("N", "M", "width", "section", "times"))
WHERE = Location("calibrate", 1, 0, 1, 0)


@dataclass(frozen=True)
class Measured:
    """Seconds on this machine, as `dfad.plan.costs.Costs` names them."""

    streams: tuple[tuple[int, float], ...]
    simple: float
    functions: Mapping[str, float]
    latency: float
    call: float
    entry: float
    product: float


def measured() -> Measured | None:
    """What this machine takes: from the cache, else measured now; None where that is not possible."""
    key = toolchain.digest((toolchain.compiler_identity(), toolchain.flags(), toolchain.machine(), toolchain.dfad_identity()))
    if key not in KNOWN:
        KNOWN[key] = _kept(key) or _measure_and_keep(key)
    return KNOWN[key]


KNOWN: dict[str, Measured | None] = {}
"""What this process knows, by the compiler and the processor that it is true of."""


def _kept(key: str) -> Measured | None:
    entry = cache.disk().read("costs", key)
    if entry is None:
        return None
    plain = json.loads(entry)
    plain["streams"] = tuple((size, seconds) for size, seconds in plain["streams"])
    return Measured(**plain)


def _measure_and_keep(key: str) -> Measured | None:
    with contextlib.suppress(DfadError, OSError, MemoryError):
        found = _measure()
        cache.put(cache.disk(), {("costs", key): json.dumps(asdict(found)).encode()})
        return found
    return None


# ---------------------------------------------------------------- measuring


def _measure() -> Measured:
    sections = dict(_sections())
    run = _runner(_routine(_program(sections)), list(sections))
    streams = tuple((size, run("add", size // 24) / 24) for size in STREAMS)
    functions = {name: run(name) for name in FUNCTIONS}
    serial = run("recurrence") / 2
    return Measured(
        streams=streams,
        simple=run("chain") / (2 * CHAIN),
        functions=functions,
        latency=serial,
        call=run("serial exp") - serial,
        entry=max(run("rows") - run("add"), 0.0) * ROW,
        product=run("product", VECTOR) * VECTOR / SIDE**3,
    )


def _runner(routine: Routine, names: list[str]) -> Callable[..., float]:
    """(section, elements) -> the seconds of one element: the least of some runs that each take `SECONDS` or one pass."""
    size = max(STREAMS) // 24
    x, y, out = np.linspace(0.5, 1.5, size), np.linspace(1.5, 0.5, size), np.zeros(size)
    matrices = [np.ones((SIDE, SIDE)) for _ in range(3)]

    def once(name: str, count: int, times: int) -> float:
        start = perf_counter()
        routine((x[:count], y[:count], out[:count], *matrices, ROW, names.index(name), times))
        return (perf_counter() - start) / times / count

    def run(name: str, count: int = VECTOR) -> float:
        once(name, count, 1)
        times = max(1, int(SECONDS / count / once(name, count, 8)))
        return min(once(name, count, times) for _ in range(RUNS))

    return run


# ---------------------------------------------------------------- the kernel


def _routine(program: Program) -> Routine:
    """The program, compiled and loaded."""
    provide_launcher()
    emitted = emit(program, fastmath=False)
    store = cache.disk()
    with building(store) as build:
        key = build.add(emitted)
        built = build.kernels()
    store = cache.put(store, {("libraries", key): contents for key, contents in built.libraries.items()})
    inputs: list[tuple[str, ArgumentType]] = [(a.name, ArrayType(a.dtype, (False,) * a.rank)) for a in program.parameters]
    inputs += [(one.name, IntegerType()) for one in (WIDTH, SECTION, TIMES)]
    recipe = describe(program, emitted, Wrapper(inputs), (), key)
    return launch.make_routine(recipe, launch.load_library(store, recipe), (), 1)


def _program(sections: Mapping[str, Callable[[str], Node]]) -> Program:
    vectors = [Array(name, F64, (N,), Role.ARGUMENT) for name in ("x", "y", "out")]
    matrices = [Array(name, F64, (M, M), Role.ARGUMENT) for name in ("p", "q", "r")]
    body = tuple(_section(number, make(f"s{number}")) for number, make in enumerate(sections.values()))
    symbols: list[ShapeSymbol | IntegerSymbol] = [ShapeSymbol(N, "x", 0), ShapeSymbol(M, "p", 0)]
    symbols += [IntegerSymbol(one, one.name) for one in (WIDTH, SECTION, TIMES)]
    return Program("calibrate", tuple(symbols), (*vectors, *matrices), Block((), body), (), stage=Stage.LOWERED)


def _section(number: int, node: Node) -> Branch:
    """The node many times, where it is the section that is asked for."""
    key = f"s{number}"
    is_asked = Apply("eq", (Integer(SECTION), Integer(sympy.Integer(number))), BOOL)
    again = Loop(symbol(f"{key}_t"), sympy.Integer(0), TIMES, 1, Block((), (node,)), WHERE, f"{key}/times")
    return Branch(is_asked, Block((), (again,)), Block((), ()), WHERE, key)


def _sections() -> Iterator[tuple[str, Callable[[str], Node]]]:
    """Name and nest of each kind of work; a nest is made from the key of its section."""
    yield "add", lambda key: _loop(key, lambda i: Apply("add", (_at("x", i), _at("y", i)), F64))
    yield "chain", lambda key: _loop(key, _chain)
    for name in FUNCTIONS:
        yield name, lambda key, name=name: _loop(key, lambda i: _function(name, i))     # type: ignore[misc]
    yield "recurrence", lambda key: _loop(key, lambda i: _step(_at("out", i - 1), i), first=1)
    yield "serial exp", lambda key: _loop(key, lambda i: Apply("exp", (Apply("neg", (_at("out", i - 1),), F64),), F64), first=1)
    yield "rows", _rows
    whole = [Memlet(name, (Range(sympy.Integer(0), M), Range(sympy.Integer(0), M))) for name in ("p", "q", "r")]
    yield "product", lambda key: Library("matmul", (whole[0], whole[1]), whole[2], WHERE, f"{key}/product")


def _loop(key: str, value: Callable[[sympy.Symbol], Expression], first: int = 0) -> Loop:
    i = symbol(f"{key}_i")
    body = Tasklet(Memlet("out", (i,)), value(i), WHERE, f"{key}/value")
    return Loop(i, sympy.Integer(first), N, 1, Block((), (body,)), WHERE, f"{key}/loop")


def _rows(key: str) -> Loop:
    """The sum of two arrays in short rows."""
    i, j = symbol(f"{key}_i"), symbol(f"{key}_j")
    place = WIDTH * i + j
    body = Tasklet(Memlet("out", (place,)), Apply("add", (_at("x", place), _at("y", place)), F64), WHERE, f"{key}/value")
    inner = Loop(j, sympy.Integer(0), WIDTH, 1, Block((), (body,)), WHERE, f"{key}/inner")
    return Loop(i, sympy.Integer(0), sympy.floor(N / WIDTH), 1, Block((), (inner,)), WHERE, f"{key}/outer")


def _at(array: str, index: sympy.Expr) -> Read:
    return Read(Memlet(array, (index,)), F64)


def _step(before: Expression, i: sympy.Symbol) -> Expression:
    return Apply("add", (Apply("mul", (before, Constant(0.5, F64)), F64), _at("x", i)), F64)


def _chain(i: sympy.Symbol) -> Expression:
    value: Expression = _at("y", i)
    for _ in range(CHAIN):
        value = _step(value, i)
    return value


def _function(name: str, i: sympy.Symbol) -> Expression:
    operands: Any = (_at("x", i), _at("y", i)) if name in ("div", "pow", "hypot") else (_at("x", i),)
    return Apply(name, operands, F64)
