"""The adjoints of Library operations."""

from __future__ import annotations

import sympy

from dfad.adjoint.collector import Collector
from dfad.adjoint.nests import Build, element, nest, partner
from dfad.errors import CompilerBug
from dfad.ir.algebra import choose, compare, constant, divide, zero_like
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Apply, Array, Block, Demand, Expression, Library, Node, Read

Cell = tuple[sympy.Expr, ...]


def reverse_library(statement: Library, out: Collector) -> None:
    """Collect the adjoint statements of a Library operation whose result is active."""
    match statement.operation:
        case "matmul":
            _reverse_matmul(statement, out)
        case "reduce_max" | "reduce_min":
            _reverse_extremum(statement, out)
        case _:
            raise CompilerBug(f"no adjoint rule for the operation {statement.operation!r}")


def _reverse_matmul(statement: Library, out: Collector) -> None:
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
        out.zero(statement.write)


def _product(out: Collector, target: Memlet, left: Memlet, right: Memlet, transpose: tuple[bool, bool]) -> None:
    attributes = (("demands", out.key), ("transpose_a", transpose[0]), ("transpose_b", transpose[1]))
    out.nodes.append(Library("matmul", (left, right), target, out.where, out.next_key(), attributes, accumulate=True))


def _matrix_matrix(statement: Library, out: Collector, side: int) -> None:
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


def _matrix_vector(statement: Library, out: Collector, side: int) -> None:
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
        output = (partner(statement.write.ranges[0], matrix.ranges[0 if rows_are_output else 1], along),)
        inner = (partner(vector.ranges[0], matrix.ranges[1 if rows_are_output else 0], across),)
        value = Apply("mul", (Read(element(bar, output), dtype), out.seen(element(vector, inner))), dtype)
        return (out.tasklet(out.bar(element(matrix, cell)), value, accumulate=True),)

    out.nest(matrix.ranges, outer)


def _dot(statement: Library, out: Collector, side: int) -> None:
    mine, other = statement.reads[side], statement.reads[1 - side]
    dtype = out.setting.arrays[mine.array].dtype
    seed = out.scalar("s", Read(out.bar(statement.write), dtype))

    def cell_adjoint(cell: tuple[sympy.Expr, ...]) -> tuple[Node, ...]:
        other_cell = (partner(other.ranges[0], mine.ranges[0], cell[0]),)
        value = Apply("mul", (seed, out.seen(element(other, other_cell))), dtype)
        return (out.tasklet(out.bar(element(mine, cell)), value, accumulate=True),)

    out.nest(mine.ranges, cell_adjoint)


def _reverse_extremum(statement: Library, out: Collector) -> None:
    """The adjoint of the extremum is split evenly among the cells that equal it."""
    if statement.reads[0].array in out.setting.bars:
        out.nest(statement.write.ranges, _Extremum(statement, out).for_result)
    if not statement.accumulate:
        out.zero(statement.write)


class _Extremum:
    """An extremum along some of the ranges of its operand; ``kept`` are the others, which are those of the result."""

    def __init__(self, statement: Library, out: Collector) -> None:
        self.statement, self.out = statement, out
        (self.source,) = statement.reads
        axes = statement.attribute("axes")
        assert isinstance(axes, tuple)
        self.axes: tuple[int, ...] = axes
        self.reduced = tuple(part for position, part in enumerate(self.source.ranges) if position in axes)
        self.kept = tuple(part for position, part in enumerate(self.source.ranges) if position not in axes)
        self.dtype = out.setting.arrays[self.source.array].dtype

    def for_result(self, cell: Cell) -> tuple[Node, ...]:
        """The adjoint statements of one cell of the result: count the cells that equal it, then give each its share."""
        out, target = self.out, element(self.statement.write, cell)
        kept = tuple(partner(mine, other, part) for mine, other, part in zip(self.kept, self.statement.write.ranges, cell, strict=True))
        best = Demand(target, out.key, self.dtype, after=True)
        count = Array(out.setting.names.fresh("count"), self.dtype)
        share = Array(out.setting.names.fresh("share"), self.dtype)
        one, spread = constant(1.0, self.dtype), Read(Memlet(share.name), self.dtype)
        nodes: list[Node] = [out.tasklet(Memlet(count.name), zero_like(one))]
        nodes += self.along(lambda inner: (out.tasklet(Memlet(count.name), self.where_best(kept, inner, best, one), True),))
        nodes.append(out.tasklet(Memlet(share.name), divide(Read(out.bar(target), self.dtype), Read(Memlet(count.name), self.dtype))))
        nodes += self.along(lambda inner: (out.tasklet(out.bar(self.cell(kept, inner)), self.where_best(kept, inner, best, spread), True),))
        return (Block((count, share), tuple(nodes)),)

    def along(self, body: Build) -> tuple[Node, ...]:
        """Loops over the ranges along which the extremum is taken."""
        return nest(self.reduced, body, self.out.setting.names, self.out.where, self.out.next_key())

    def cell(self, kept: Cell, inner: Cell) -> Memlet:
        """The cell of the operand at these positions."""
        outer, below = iter(kept), iter(inner)
        places = (next(below) if position in self.axes else next(outer) for position in range(len(kept) + len(inner)))
        return element(self.source, tuple(places))

    def where_best(self, kept: Cell, inner: Cell, best: Expression, value: Expression) -> Expression:
        """The value where the cell equals the extremum, else 0."""
        return choose(compare("eq", self.out.seen(self.cell(kept, inner)), best), value, zero_like(value))
