"""The adjoint of one statement.

For a Tasklet ``y = e(x...)`` always

    s = y_bar;  y_bar = 0 (kept when it accumulates);  x_bar += s * de/dx   for every active read

so that a statement that reads what it writes, or another cell of the same array, is right. Operands of partials are Demands for the
values that the statement saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import sympy

from dfad.adjoint.algebra import add, cast, choose, constant, zero_like
from dfad.adjoint.names import Names
from dfad.adjoint.rules import BY_OPERAND, BY_RESULT, is_flat
from dfad.errors import CompilerBug
from dfad.ir.dtype import BOOL
from dfad.ir.memlet import Memlet, Range, symbol
from dfad.ir.nodes import (
    Apply,
    Array,
    Block,
    Constant,
    Demand,
    Expression,
    Library,
    Loop,
    Node,
    Read,
    Select,
    Tasklet,
)
from dfad.ir.walk import map_expression, operands
from dfad.source import Location


@dataclass(frozen=True, slots=True)
class Setting:
    """What the adjoint of a statement depends on besides the statement."""

    arrays: dict[str, Array]
    bars: dict[str, str]
    constant_arrays: frozenset[str]
    names: Names
    """``bars``: active array -> its adjoint; ``constant_arrays``: arrays that nothing writes, read as they are."""


@dataclass(slots=True)
class _Adjoint:
    """The adjoint statements of one statement, as they are collected."""

    setting: Setting
    key: str
    where: Location
    arrays: list[Array] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    count: int = 0

    def next_key(self) -> str:
        self.count += 1
        return f"~{self.key}/{self.count}"

    def scalar(self, wish: str, value: Expression) -> Read:
        """A fresh scalar that holds the value."""
        array = Array(self.setting.names.fresh(wish), value.dtype)
        self.arrays.append(array)
        self.put(Memlet(array.name), value)
        return Read(Memlet(array.name), value.dtype)

    def put(self, write: Memlet, value: Expression, accumulate: bool = False) -> None:
        self.nodes.append(self.tasklet(write, value, accumulate))

    def tasklet(self, write: Memlet, value: Expression, accumulate: bool = False) -> Tasklet:
        return Tasklet(write, value, self.where, self.next_key(), accumulate=accumulate, reassociable=accumulate)

    def demanded(self, expression: Expression) -> Expression:
        """The expression with the values that the statement saw."""

        def leaf(part: Expression) -> Expression:
            if isinstance(part, Read) and part.memlet.array not in self.setting.constant_arrays:
                return Demand(part.memlet, self.key, part.dtype)
            return part

        return map_expression(expression, leaf)

    def bar(self, memlet: Memlet) -> Memlet:
        return Memlet(self.setting.bars[memlet.array], memlet.subset)

    def block(self) -> Block:
        return Block(tuple(self.arrays), tuple(self.nodes))


def adjoint_of(statement: Tasklet | Library, setting: Setting, is_fresh: bool) -> Block:
    """The adjoint statements of one statement, as a Block of their own.

    Parameters
    ----------
    statement : Tasklet or Library
        The statement of the forward sweep.
    setting : Setting
        Adjoint arrays and names.
    is_fresh : bool
        Whether the written array is a scalar that only this statement writes: its adjoint need not be zeroed then.
    """
    out = _Adjoint(setting, statement.key, statement.where)
    if statement.write.array in setting.bars:
        match statement:
            case Tasklet():
                _reverse_tasklet(statement, out, is_fresh)
            case Library(operation="matmul"):
                _reverse_matmul(statement, out)
            case Library(operation="reduce_max" | "reduce_min"):
                _reverse_extremum(statement, out)
            case _:
                raise CompilerBug(f"no adjoint rule for the operation {statement.operation!r}")
    return out.block()


# ---------------------------------------------------------------- tasklets


def _reverse_tasklet(statement: Tasklet, out: _Adjoint, is_fresh: bool) -> None:
    bar = out.bar(statement.write)
    seed: Expression = Read(bar, out.setting.arrays[statement.write.array].dtype)
    parts = _Contributions(out, statement)
    if not parts.is_active(statement.value):
        if not statement.accumulate and not is_fresh:
            out.put(bar, zero_like(seed))
        return
    if bar.subset:
        seed = out.scalar("s", seed)
    parts.spread(statement.value, cast(seed, statement.value.dtype), parts.result(), ())
    own = parts.found.pop(statement.write, None)
    if not statement.accumulate and not is_fresh:
        out.put(bar, own if own is not None else zero_like(seed))
    elif own is not None:
        out.put(bar, own, accumulate=True)
    for memlet, value in parts.found.items():
        out.put(out.bar(memlet), value, accumulate=True)


class _Contributions:
    """What each active read of one Tasklet receives."""

    def __init__(self, out: _Adjoint, statement: Tasklet) -> None:
        self.out = out
        self.statement = statement
        self.found: dict[Memlet, Expression] = {}

    def result(self) -> Expression | None:
        """The value that the statement left, where it left its value as computed."""
        array = self.out.setting.arrays[self.statement.write.array]
        if self.statement.accumulate or array.dtype != self.statement.value.dtype:
            return None
        return Demand(self.statement.write, self.statement.key, array.dtype, after=True)

    def is_active(self, expression: Expression) -> bool:
        match expression:
            case Read():
                return expression.dtype.is_float and expression.memlet.array in self.out.setting.bars
            case Select():
                return self.is_active(expression.chosen) or self.is_active(expression.other)
            case Apply():
                differentiable = expression.dtype.is_float and not is_flat(expression.operation)
                return differentiable and any(self.is_active(operand) for operand in expression.operands)
            case _:
                return False

    def spread(self, expression: Expression, c: Expression, result: Expression | None, conditions: tuple[tuple[Expression, bool], ...]) -> None:
        """Send the adjoint ``c`` of an expression down to its active reads, under the conditions of the Selects above."""
        if not self.is_active(expression):
            return
        match expression:
            case Read():
                self._collect(expression, c, conditions)
            case Select():
                condition = self.out.demanded(expression.condition)
                self.spread(expression.chosen, c, None, (*conditions, (condition, True)))
                self.spread(expression.other, c, None, (*conditions, (condition, False)))
            case Apply(operation="cast"):
                self.spread(expression.operands[0], cast(c, expression.operands[0].dtype), None, conditions)
            case Apply():
                self._spread_operands(expression, c, result, conditions)
            case _:
                raise CompilerBug(f"an active expression of an unknown form: {expression!r}")

    def _spread_operands(self, expression: Apply, c: Expression, result: Expression | None, conditions: tuple[tuple[Expression, bool], ...]) -> None:
        active = [k for k, operand in enumerate(expression.operands) if self.is_active(operand)]
        seen = tuple(self.out.demanded(operand) for operand in expression.operands)
        if self._is_shared(expression, c):
            c = self.out.scalar("c", c)
        for k in active:
            if result is not None and expression.operation in BY_RESULT:
                below = BY_RESULT[expression.operation][k](c, seen, result)
            else:
                below = BY_OPERAND[expression.operation][k](c, seen)
            self.spread(expression.operands[k], below, None, conditions)

    def _is_shared(self, expression: Apply, c: Expression) -> bool:
        """Whether ``c`` is worth a scalar: it is an operation, and more than one active read receives it."""
        plain = isinstance(c, Read | Constant) or (isinstance(c, Apply) and c.operation == "neg" and isinstance(c.operands[0], Read))
        return not plain and sum(1 for part in _active_reads(expression, self)) > 1

    def _collect(self, read: Read, c: Expression, conditions: tuple[tuple[Expression, bool], ...]) -> None:
        for condition, side in reversed(conditions):
            c = choose(condition, c, zero_like(c)) if side else choose(condition, zero_like(c), c)
        value = cast(c, self.out.setting.arrays[read.memlet.array].dtype)
        self.found[read.memlet] = add(self.found[read.memlet], value) if read.memlet in self.found else value


def _active_reads(expression: Expression, parts: _Contributions) -> Iterator[Expression]:
    if isinstance(expression, Read):
        if parts.is_active(expression):
            yield expression
        return
    for operand in operands(expression):
        yield from _active_reads(operand, parts)


# ---------------------------------------------------------------- nests over subsets


def nest(ranges: tuple[Range, ...], body: Callable[[tuple[sympy.Expr, ...]], tuple[Node, ...]], names: Names, where: Location, key: str) -> tuple[Node, ...]:
    """Loops over a box of fresh indices round what ``body`` makes for the cell; just that for no ranges."""
    indices = tuple(symbol(names.fresh(f"k{position}")) for position in range(len(ranges)))
    cell = tuple(part.start + index * part.step for part, index in zip(ranges, indices, strict=True))
    nodes = body(cell)
    for position, (part, index) in reversed(list(enumerate(zip(ranges, indices, strict=True)))):
        nodes = (Loop(index, sympy.Integer(0), part.extent, 1, Block((), nodes), where, f"{key}/k{position}"),)
    return nodes


def element(memlet: Memlet, cell: tuple[sympy.Expr, ...]) -> Memlet:
    """The memlet with its ranges, in order, replaced by the indices of one cell."""
    remaining = iter(cell)
    return Memlet(memlet.array, tuple(next(remaining) if isinstance(index, Range) else index for index in memlet.subset))


def _nest(out: _Adjoint, ranges: tuple[Range, ...], body: Callable[[tuple[sympy.Expr, ...]], tuple[Node, ...]]) -> None:
    out.nodes.extend(nest(ranges, body, out.setting.names, out.where, out.next_key()))


def _zero_subset(out: _Adjoint, memlet: Memlet) -> None:
    dtype = out.setting.arrays[memlet.array].dtype
    _nest(out, memlet.ranges, lambda cell: (out.tasklet(out.bar(element(memlet, cell)), constant(0.0, dtype)),))


# ---------------------------------------------------------------- library operations


def _seen(out: _Adjoint, memlet: Memlet) -> Expression:
    return out.demanded(Read(memlet, out.setting.arrays[memlet.array].dtype))


def _reverse_matmul(statement: Library, out: _Adjoint) -> None:
    left, right = statement.reads
    ranks = (len(left.ranges), len(right.ranges))
    for side, memlet in enumerate(statement.reads):
        if memlet.array in out.setting.bars:
            if ranks == (2, 2):
                _matrix_matrix(statement, out, side)
            elif ranks == (1, 1):
                _dot(statement, out, side)
            else:
                _matrix_vector(statement, out, side)
    if not statement.accumulate:
        _zero_subset(out, statement.write)


def _product(out: _Adjoint, target: Memlet, left: Memlet, right: Memlet, transpose: tuple[bool, bool]) -> None:
    attributes = (("demands", out.key), ("transpose_a", transpose[0]), ("transpose_b", transpose[1]))
    out.nodes.append(Library("matmul", (left, right), target, out.where, out.next_key(), attributes, accumulate=True))


def _matrix_matrix(statement: Library, out: _Adjoint, side: int) -> None:
    """C = op(A) op(B): A_bar += C_bar op(B)' and B_bar += op(A)' C_bar, transposed where the operand was."""
    left, right = statement.reads
    bar = out.bar(statement.write)
    ta, tb = bool(statement.attribute("transpose_a")), bool(statement.attribute("transpose_b"))
    if side == 0 and not ta:
        _product(out, out.bar(left), bar, right, (False, not tb))
    elif side == 0:
        _product(out, out.bar(left), right, bar, (tb, True))
    elif not tb:
        _product(out, out.bar(right), left, bar, (not ta, False))
    else:
        _product(out, out.bar(right), bar, left, (True, ta))


def _matrix_vector(statement: Library, out: _Adjoint, side: int) -> None:
    """y = op(A) x or y = x op(A): x_bar += op(A)' y_bar (or op(A) y_bar), A_bar += the outer product."""
    matrix_side = 0 if len(statement.reads[0].ranges) == 2 else 1
    matrix, vector = statement.reads[matrix_side], statement.reads[1 - matrix_side]
    transposed = bool(statement.attribute("transpose_a" if matrix_side == 0 else "transpose_b"))
    bar = out.bar(statement.write)
    if side != matrix_side:
        flip = transposed if matrix_side == 1 else not transposed
        _product(out, out.bar(vector), matrix, bar, (flip, False))
        return
    dtype = out.setting.arrays[matrix.array].dtype
    rows_are_output = (matrix_side == 0) != transposed

    def outer(cell: tuple[sympy.Expr, ...]) -> tuple[Node, ...]:
        along, across = (cell[0], cell[1]) if rows_are_output else (cell[1], cell[0])
        output = tuple([_offset(statement.write.ranges[0], matrix.ranges[0 if rows_are_output else 1], along)])
        inner = tuple([_offset(vector.ranges[0], matrix.ranges[1 if rows_are_output else 0], across)])
        value = Apply("mul", (Read(element(bar, output), dtype), _seen(out, element(vector, inner))), dtype)
        return (out.tasklet(out.bar(element(matrix, cell)), value, accumulate=True),)

    _nest(out, matrix.ranges, outer)


def _offset(target: Range, source: Range, cell: sympy.Expr) -> sympy.Expr:
    """The index in ``target`` that has the same position as ``cell`` has in ``source``."""
    if source.step == 1:
        return target.start + (cell - source.start) * target.step
    return target.start + sympy.floor((cell - source.start) / source.step) * target.step


def _dot(statement: Library, out: _Adjoint, side: int) -> None:
    mine, other = statement.reads[side], statement.reads[1 - side]
    dtype = out.setting.arrays[mine.array].dtype
    seed = out.scalar("s", Read(out.bar(statement.write), dtype))

    def cell_adjoint(cell: tuple[sympy.Expr, ...]) -> tuple[Node, ...]:
        partner = (_offset(other.ranges[0], mine.ranges[0], cell[0]),)
        value = Apply("mul", (seed, _seen(out, element(other, partner))), dtype)
        return (out.tasklet(out.bar(element(mine, cell)), value, accumulate=True),)

    _nest(out, mine.ranges, cell_adjoint)


def _reverse_extremum(statement: Library, out: _Adjoint) -> None:
    """The adjoint of the extremum is split evenly among the cells that equal it."""
    (source,) = statement.reads
    if source.array not in out.setting.bars:
        _zero_subset(out, statement.write)
        return
    axes = statement.attribute("axes")
    assert isinstance(axes, tuple)
    reduced = tuple(part for position, part in enumerate(source.ranges) if position in axes)
    dtype = out.setting.arrays[source.array].dtype

    def merged(kept: tuple[sympy.Expr, ...], inner: tuple[sympy.Expr, ...]) -> Memlet:
        outer, below = iter(kept), iter(inner)
        return element(source, tuple(next(below) if position in axes else next(outer) for position in range(len(source.ranges))))

    def for_result(cell: tuple[sympy.Expr, ...]) -> tuple[Node, ...]:
        target = element(statement.write, cell)
        kept_ranges = tuple(part for position, part in enumerate(source.ranges) if position not in axes)
        kept = tuple(_offset(s, t, c) for s, t, c in zip(kept_ranges, statement.write.ranges, cell, strict=True))
        best = Demand(target, out.key, dtype, after=True)
        count = Array(out.setting.names.fresh("count"), dtype)
        share = Array(out.setting.names.fresh("share"), dtype)

        def won(inner: tuple[sympy.Expr, ...], value: Expression) -> Expression:
            here = _seen(out, merged(kept, inner))
            return choose(Apply("eq", (here, best), BOOL), value, zero_like(value))

        one = constant(1.0, dtype)
        nodes: list[Node] = [out.tasklet(Memlet(count.name), constant(0.0, dtype))]
        nodes += nest(reduced, lambda i: (out.tasklet(Memlet(count.name), won(i, one), True),), out.setting.names, out.where, out.next_key())
        division = Apply("div", (Read(out.bar(target), dtype), Read(Memlet(count.name), dtype)), dtype)
        nodes.append(out.tasklet(Memlet(share.name), division))
        spread = Read(Memlet(share.name), dtype)
        nodes += nest(
            reduced,
            lambda i: (out.tasklet(out.bar(merged(kept, i)), won(i, spread), True),),
            out.setting.names,
            out.where,
            out.next_key(),
        )
        return (Block((count, share), tuple(nodes)),)

    _nest(out, statement.write.ranges, for_result)
    if not statement.accumulate:
        _zero_subset(out, statement.write)
