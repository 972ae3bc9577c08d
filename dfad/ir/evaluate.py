"""The reference interpreter: what a Program means, in NumPy, slowly and plainly.

In: a Program of any stage and its arguments. Out: its results; arrays among the arguments are updated in place. Each elementary
operation is done by NumPy on scalars of the dtype of its Apply, so that a PRIMAL Program gives NumPy's bits. Arrays are allocated and
released as lifetimes.py says and are filled with NaN (integers: a large negative number; bool: True) whenever they become undefined.

Open demands are answered from a log: the forward sweep notes what each demanded statement saw, under its key and the values of the
loop indices around it, and the demand looks it up under the values that the same indices have where it stands.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt
import sympy

from dfad.errors import CompilerBug, failed_check
from dfad.ir.dtype import Dtype
from dfad.ir.integer import compile_integer
from dfad.ir.library import library_value
from dfad.ir.lifetimes import bytes_of, schedule, top_arrays
from dfad.ir.memlet import Memlet, Range
from dfad.ir.nodes import (
    Apply,
    Array,
    Block,
    Branch,
    Check,
    Constant,
    Demand,
    Exchange,
    Expression,
    Integer,
    IntegerSymbol,
    Library,
    Loop,
    Node,
    Program,
    Read,
    Repetition,
    Role,
    Select,
    Stage,
    Statement,
    Tasklet,
    While,
)
from dfad.ir.operations import OPERATIONS
from dfad.ir.show import show, show_memlet
from dfad.ir.walk import all_arrays, children, expressions, reads, walk, walk_expression, writes

Argument: TypeAlias = npt.NDArray[Any] | np.generic | float | int
Observer: TypeAlias = Callable[[Array, int], None]

UNDEFINED: dict[str, float | int | bool] = {"f": float("nan"), "i": -(2**30) - 7, "b": True}


def undefined(dtype: Dtype) -> float | int | bool:
    """What stands in a cell that nothing has written."""
    return -107 if dtype.kind == "i" and dtype.bytes == 1 else UNDEFINED[dtype.kind]


def evaluate(program: Program, arguments: Mapping[str, Argument], observer: Observer | None = None) -> dict[str, Any]:
    """Run a Program.

    Parameters
    ----------
    program : Program
        Of any stage; verified.
    arguments : mapping
        An array for each parameter of role ARGUMENT (a number for rank 0) and an integer for each integer parameter, by name.
        Arrays have the dtype and shape that the Program says; they are updated in place.
    observer : callable, optional
        Called with an array and its bytes at each allocation, and with minus its bytes at each release. Results that the caller
        allocates (parameters of role RESULT) are told too, first of all.

    Returns
    -------
    dict
        The results by name, in the order of the return statement: arrays, and NumPy scalars for rank 0.

    Raises
    ------
    KernelIndexError, KernelAssertionError
        Where a Check fails, with its location.
    CompilerBug
        Where the Program breaks a promise of grammar.md: an index out of range, a demand of what never ran, an array that is not there.
    """
    run = Run(program, observer or (lambda array, count: None))
    with np.errstate(all="ignore"):
        run.enter(arguments)
        run.sweep()
    return {name: run.result(name) for name in program.results}


class Run:
    """One run: the buffers that names stand for now, the values of symbols, the log of demanded values."""

    def __init__(self, program: Program, observer: Observer) -> None:
        self.program = program
        self.observer = observer
        self.arrays = all_arrays(program)
        self.buffers: dict[str, npt.NDArray[Any]] = {}
        self.symbols: dict[str, int] = {}
        self.values = _Symbols(self)
        self.log = _Log(program)
        self.compiled: dict[sympy.Expr, Callable[[Mapping[str, int]], int]] = {}

    # ------------------------------------------------------------ entry, steps, allocation

    def enter(self, arguments: Mapping[str, Argument]) -> None:
        for bound in self.program.symbols:
            if isinstance(bound, IntegerSymbol):
                self.symbols[bound.symbol.name] = int(arguments[bound.parameter])
            else:
                self.symbols[bound.symbol.name] = np.shape(arguments[bound.array])[bound.dimension]
        for array in self.program.parameters:
            if array.role is Role.RESULT:
                self.allocate(array)
            else:
                self.buffers[array.name] = self.checked(array, arguments[array.name])

    def checked(self, array: Array, value: Argument) -> npt.NDArray[Any]:
        buffer = value if isinstance(value, np.ndarray) else np.array(value, array.dtype.numpy)
        shape = (*buffer.shape[:1], *self.shape(array)[1:]) if array.grows else self.shape(array)
        if buffer.dtype != array.dtype.numpy or buffer.shape != shape:
            raise CompilerBug(f"argument {array.name} is {buffer.dtype}{list(buffer.shape)}, not {array.dtype}{list(shape)}")
        return buffer if array.rank else buffer.copy()

    def sweep(self) -> None:
        for array in top_arrays(self.program.body):
            if not array.rank:
                self.allocate(array)
        for step in schedule(self.program):
            for array in step.allocate:
                self.allocate(array)
            self.execute(step.node)
            for array in step.release:
                self.release(array)

    def allocate(self, array: Array) -> None:
        self.buffers[array.name] = np.full(self.shape(array), undefined(array.dtype), array.dtype.numpy)
        if array.rank:
            self.observer(array, self.integer(bytes_of(array)))

    def result(self, name: str) -> Any:
        buffer, extents = self.buffers[name], dict(self.program.extents).get(name)
        if extents is not None:
            return buffer.reshape([int(self.buffers[extent]) for extent in extents])
        return buffer[()] if buffer.ndim == 0 else buffer

    def release(self, array: Array) -> None:
        buffer = self.buffers.pop(array.name)
        if array.rank:
            self.observer(array, -buffer.nbytes)

    def shape(self, array: Array) -> tuple[int, ...]:
        return tuple(0 if extent == sympy.oo else max(0, self.integer(extent)) for extent in array.shape)

    def grow(self, node: Library) -> None:
        """The rows up to the last of the range get memory, undefined, where they have none."""
        array, rows = self.arrays[node.write.array], node.write.ranges[0]
        old, count = self.buffers[array.name], self.integer(rows.stop)
        if count > old.shape[0]:
            more = np.full((count - old.shape[0], *old.shape[1:]), undefined(array.dtype), array.dtype.numpy)
            self.buffers[array.name] = np.concatenate((old, more))
            self.observer(array, more.nbytes)

    # ------------------------------------------------------------ nodes

    def execute(self, node: Node) -> None:
        match node:
            case Block():
                self.block(node)
            case Loop():
                for value in range(self.integer(node.start), self.integer(node.stop), node.step):
                    self.symbols[node.index.name] = value
                    self.block(node.body)
                self.symbols.pop(node.index.name, None)
            case While():
                self.repeat(node)
            case Branch():
                self.log.note_before(node, self)
                self.block(node.then if self.value(node.guard) else node.orelse)
            case Tasklet() | Library() | Exchange() | Check():
                self.log.note_before(node, self)
                self.leaf(node)
                self.log.note_after(node, self)
            case _:
                raise CompilerBug(f"no such node: {node!r}")

    def repeat(self, node: While) -> None:
        """Trips for as long as the guard holds; it is evaluated outside the body, so with no index bound."""
        for trip in count():
            self.log.note_before(node, self)
            if not self.value(node.guard):
                return
            self.symbols[node.index.name] = trip
            self.block(node.body)
            del self.symbols[node.index.name]

    def block(self, block: Block) -> None:
        """Arrays that the step holds anyway become undefined; the others live from here to the end of the Block."""
        own = [array for array in block.arrays if array.name not in self.buffers]
        for array in block.arrays:
            if array.name in self.buffers:
                self.buffers[array.name][...] = undefined(array.dtype)
            else:
                self.allocate(array)
        for node in block.body:
            self.execute(node)
        for array in own:
            self.release(array)

    def leaf(self, node: Tasklet | Library | Exchange | Check) -> None:
        match node:
            case Tasklet():
                value, buffer = self.value(node.value), self.buffer(node.write)
                where = self.subset(node.write)
                buffer[where] = np.add(buffer[where], value) if node.accumulate else value
            case Library(operation="grow"):
                self.grow(node)
            case Library():
                operands = [self.log.operand(node, memlet, self) for memlet in node.reads]
                result, buffer, where = library_value(node, operands), self.buffer(node.write), self.subset(node.write)
                buffer[where] = buffer[where] + result if node.accumulate else result
            case Exchange():
                first, second = self.buffers[node.first], self.buffers[node.second]
                self.buffers[node.first], self.buffers[node.second] = second, first
            case Check():
                if not self.value(node.condition):
                    values = [int(self.value(value)) for value in node.values]
                    raise failed_check(node.error, node.message, values, node.where.place())

    # ------------------------------------------------------------ expressions

    def value(self, expression: Expression) -> Any:
        match expression:
            case Constant():
                return cast(expression.value, expression.dtype)
            case Integer():
                return cast(self.integer(expression.value), expression.dtype)
            case Read():
                return self.buffer(expression.memlet)[self.subset(expression.memlet)]
            case Demand():
                return self.log.answer(expression, self)
            case Select():
                return cast(self.value(expression.chosen if self.value(expression.condition) else expression.other), expression.dtype)
            case Apply():
                return self.apply(expression)
            case _:
                raise CompilerBug(f"no such expression: {expression!r}")

    def apply(self, expression: Apply) -> Any:
        operation = OPERATIONS[expression.operation]
        operands = [self.value(operand) for operand in expression.operands]
        if operation.kind in ("arithmetic", "bitwise"):
            operands = [cast(operand, expression.dtype) for operand in operands]
        return cast(operation.meaning(*operands), expression.dtype)

    def integer(self, expression: sympy.Expr) -> int:
        if expression not in self.compiled:
            self.compiled[expression] = compile_integer(expression)
        return self.compiled[expression](self.values)

    def buffer(self, memlet: Memlet) -> npt.NDArray[Any]:
        if memlet.array not in self.buffers:
            raise CompilerBug(f"{show_memlet(memlet)}: {memlet.array} holds no memory there", show(self.program))
        return self.buffers[memlet.array]

    def subset(self, memlet: Memlet, held: npt.NDArray[Any] | None = None) -> tuple[int | slice, ...]:
        """The subset as NumPy takes it, of the array or of what is held for it; out of range is a fault of whoever built the Program."""
        found: list[int | slice] = []
        for index, extent in zip(memlet.subset, (self.buffer(memlet) if held is None else held).shape, strict=True):
            if isinstance(index, Range):
                start, stop, step = self.integer(index.start), self.integer(index.stop), self.integer(index.step)
                inside = step >= 1 and (start >= stop or (start >= 0 and stop - 1 - (stop - 1 - start) % step < extent))
                found.append(slice(start, max(start, stop), step) if inside else slice(0))
            else:
                found.append(self.integer(index))
                inside = 0 <= self.integer(index) < extent
            if not inside:
                values = {name: value for name, value in self.symbols.items() if any(name == part.name for part in memlet.symbols())}
                raise CompilerBug(f"{show_memlet(memlet)} is out of range at {values}: extent {extent}", show(self.program))
        return tuple(found)


class _Symbols(dict[str, int]):
    """The values of symbols by name: those bound, and integer scalars by the array that holds them."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run

    def __missing__(self, name: str) -> int:
        if name in self.run.symbols:
            return self.run.symbols[name]
        return int(self.run.buffers[name]) if name in self.run.buffers else self.run.log.integer(name, self.run)


def cast(value: Any, dtype: Dtype) -> Any:
    """A NumPy scalar of that dtype, converted as NumPy converts arrays."""
    numpy_type = dtype.numpy
    if isinstance(value, np.generic) and value.dtype == numpy_type:
        return value
    return np.asarray(value).astype(numpy_type)[()]


def _is_inside(cell: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return all(0 <= index < extent for index, extent in zip(cell, shape, strict=True))


# ---------------------------------------------------------------- the log of demanded values


class _Log:
    """What demanded statements saw: (key, after, array, indices of the loops, indices of the cell) -> value."""

    def __init__(self, program: Program) -> None:
        parts = (part for node in walk(program.body) for value in expressions(node) for part in walk_expression(value))
        self.demanded: dict[tuple[str, bool], set[Memlet]] = defaultdict(set)
        for part in parts:
            if isinstance(part, Demand):
                self.demanded[part.key, part.after].add(part.memlet)
        seen = {node.key: {memlet.array for memlet in node.reads} for node in walk(program.body) if isinstance(node, Library)}
        for node in walk(program.body):
            if isinstance(node, Library) and "demands" in dict(node.attributes):
                key = str(node.attribute("demands"))
                self.demanded[key, False].update(memlet for memlet in node.reads if memlet.array in seen[key])
        is_open = program.stage is Stage.ADJOINT
        self.loops = dict(_loops_around(program.body, ())) if is_open else {}
        self.integers = {node.write.array: node.key for node in walk(program.body) if is_open and _writes_integer(node)}
        self.values: dict[tuple[object, ...], Any] = {}

    def note_before(self, node: Statement, run: Run) -> None:
        if (node.key, False) in self.demanded:
            self.note(node.key, False, (*reads(node), *writes(node)), run)

    def note_after(self, node: Statement, run: Run) -> None:
        if (node.key, True) in self.demanded:
            self.note(node.key, True, writes(node), run)
        for memlet in writes(node):
            if self.integers.get(memlet.array) == node.key:
                self.values["integer", memlet.array, self.instance(node.key, run)] = int(run.buffers[memlet.array])

    def note(self, key: str, after: bool, own: tuple[Memlet, ...], run: Run) -> None:
        """Note the cells that the statement names itself; of demands of other cells, the whole array."""
        wanted = self.demanded[key, after]
        instance = self.instance(key, run)
        for memlet in {memlet for memlet in own if not memlet.ranges and memlet.array in run.buffers}:
            cell = tuple(run.integer(index) for index in memlet.subset)
            buffer = run.buffers[memlet.array]
            if _is_inside(cell, buffer.shape):
                self.values[key, after, memlet.array, instance, cell] = buffer[cell]
        for name in {memlet.array for memlet in wanted if memlet.ranges or memlet not in own} & run.buffers.keys():
            self.values[key, after, name, instance] = run.buffers[name].copy()

    def answer(self, demand: Demand, run: Run) -> Any:
        cell = tuple(run.integer(index) for index in demand.memlet.subset)
        name = (demand.key, demand.after, demand.memlet.array, self.instance(demand.key, run))
        if (*name, cell) in self.values:
            return self.values[(*name, cell)]
        if name not in self.values or not _is_inside(cell, self.values[name].shape):
            raise CompilerBug(f"{demand.key} did not run at {name[3]}, its {show_memlet(demand.memlet)} is demanded", show(run.program))
        return self.values[name][cell]

    def integer(self, name: str, run: Run) -> int:
        """An integer scalar of a Block of the forward sweep, as it was in the same instance of the loops."""
        return int(self.values["integer", name, self.instance(self.integers[name], run)])

    def operand(self, node: Library, memlet: Memlet, run: Run) -> npt.NDArray[Any]:
        """The operand as it is now; with the attribute ``demands``, an array that the named statement saw, as it was then."""
        key = str(dict(node.attributes).get("demands"))
        seen = self.values.get((key, False, memlet.array, self.instance(key, run))) if key in self.loops else None
        held = run.buffer(memlet) if seen is None else seen
        return np.asarray(held[run.subset(memlet, held)])

    def instance(self, key: str, run: Run) -> tuple[int, ...]:
        return tuple(run.symbols[name] for name in self.loops[key])


def _writes_integer(node: Node) -> TypeGuard[Tasklet]:
    return isinstance(node, Tasklet) and not node.write.subset and node.value.dtype.kind == "i"


def _loops_around(node: Node, indices: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The key of each node below and the indices of the loops around it, outermost first."""
    if not isinstance(node, Block):
        yield node.key, indices
    below = (*indices, node.index.name) if isinstance(node, Repetition) else indices
    for child in children(node):
        yield from _loops_around(child, below)
