"""The adjoints of Library operations."""

from __future__ import annotations

import sympy

from dfad.adjoint.collector import Collector
from dfad.adjoint.nests import Build, element, nest, partner
from dfad.errors import CompilerBug
from dfad.ir.algebra import choose, constant, zero_like
from dfad.ir.dtype import BOOL
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Apply, Array, Block, Demand, Expression, Library, Node, Read


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
    (source,) = statement.reads
    if source.array not in out.setting.bars:
        out.zero(statement.write)
        return
    axes = statement.attribute("axes")
    assert isinstance(axes, tuple)
    reduced = tuple(part for position, part in enumerate(source.ranges) if position in axes)
    dtype = out.setting.arrays[source.array].dtype

    def merged(kept: tuple[sympy.Expr, ...], inner: tuple[sympy.Expr, ...]) -> Memlet:
        outer, below = iter(kept), iter(inner)
        return element(source, tuple(next(below) if position in axes else next(outer) for position in range(len(source.ranges))))

    def inner_nest(body: Build) -> tuple[Node, ...]:
        return nest(reduced, body, out.setting.names, out.where, out.next_key())

    def for_result(cell: tuple[sympy.Expr, ...]) -> tuple[Node, ...]:
        target = element(statement.write, cell)
        kept_ranges = tuple(part for position, part in enumerate(source.ranges) if position not in axes)
        kept = tuple(partner(s, t, c) for s, t, c in zip(kept_ranges, statement.write.ranges, cell, strict=True))
        best = Demand(target, out.key, dtype, after=True)
        count = Array(out.setting.names.fresh("count"), dtype)
        share = Array(out.setting.names.fresh("share"), dtype)

        def won(inner: tuple[sympy.Expr, ...], value: Expression) -> Expression:
            here = out.seen(merged(kept, inner))
            return choose(Apply("eq", (here, best), BOOL), value, zero_like(value))

        one = constant(1.0, dtype)
        nodes: list[Node] = [out.tasklet(Memlet(count.name), constant(0.0, dtype))]
        nodes += inner_nest(lambda i: (out.tasklet(Memlet(count.name), won(i, one), True),))
        division = Apply("div", (Read(out.bar(target), dtype), Read(Memlet(count.name), dtype)), dtype)
        nodes.append(out.tasklet(Memlet(share.name), division))
        spread = Read(Memlet(share.name), dtype)
        nodes += inner_nest(lambda i: (out.tasklet(out.bar(merged(kept, i)), won(i, spread), True),))
        return (Block((count, share), tuple(nodes)),)

    out.nest(statement.write.ranges, for_result)
    if not statement.accumulate:
        out.zero(statement.write)
