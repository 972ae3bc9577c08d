"""The last lowering: Library operations that have no call of their own become loops.

In: a PLANNED or PRIMAL Program. Out: a LOWERED one, whose Library operations are products of matrices, or of a matrix and a vector outside
loops, with contiguous rows, of floats of one dtype: those are calls of BLAS. What stays true: every value, up to the order of sums.

    c = a @ b        s = 0; for k: s += a[k]*b[k]; c = s                  vectors, and rows of a matrix by a vector
    y = x @ A        y[:] = 0; for k, j: y[j] += x[k]*A[k, j]             in the order in which A lies in memory; A.T @ x alike
    m = max(a)       m = -inf; for ...: m = maximum(m, a[...])         integers: m = a[first]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import sympy

from dfad.errors import CompilerBug
from dfad.ir.algebra import zero_of
from dfad.ir.dtype import Dtype
from dfad.ir.memlet import Index, Memlet, Range, symbol
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Apply, Array, Block, Constant, Expression, Library, Loop, Node, Program, Read, Repetition, Stage, Tasklet
from dfad.ir.walk import all_arrays, rewrite_block, walk

SMALL = 512
"""Products of at most so many multiplications, known in advance, are loops."""


def lower_library(program: Program) -> Program:
    """The Program with loops in place of the Library operations that emit cannot call."""
    arrays = all_arrays(program)
    in_loops = {node for loop in walk(program.body) if isinstance(loop, Repetition) for node in walk(loop)}
    changed = _with_loops(program, lambda node: not _is_call(node, arrays, node in in_loops))
    return replace(changed, stage=Stage.LOWERED)


def lower_extremes(program: Program) -> Program:
    """The Program with loops in place of maxima and minima; its stage stays."""
    return _with_loops(program, lambda node: node.operation in ("reduce_max", "reduce_min"))


def as_loops(node: Library, arrays: dict[str, Array], names: Names, keys: Names) -> Block:
    """One operation as loops; ``names`` and ``keys`` are those in use."""
    return _Writer(node, arrays, names, keys).loops()


def _with_loops(program: Program, is_chosen: Callable[[Library], bool]) -> Program:
    arrays = all_arrays(program)
    names, keys = names_of(program), Names(node.key for node in walk(program.body) if not isinstance(node, Block))

    def change(node: Node) -> Node:
        return as_loops(node, arrays, names, keys) if isinstance(node, Library) and is_chosen(node) else node

    body = rewrite_block(program.body, change)
    return program if body is program.body else replace(program, body=body)


# ---------------------------------------------------------------- what stays a call


def _is_call(node: Library, arrays: dict[str, Array], in_loop: bool) -> bool:
    if node.operation != "matmul":
        return node.operation == "grow"
    operands = (*node.reads, node.write)
    dtypes = {arrays[memlet.array].dtype for memlet in operands}
    ranks = tuple(len(memlet.ranges) for memlet in node.reads)
    if len(dtypes) != 1 or not dtypes.copy().pop().is_float or ranks == (1, 1) or (ranks != (2, 2) and in_loop):
        return False
    return all(_has_rows(memlet, arrays[memlet.array]) for memlet in operands if len(memlet.ranges) == 2) and not _is_small(node)


def _has_rows(memlet: Memlet, array: Array) -> bool:
    """Whether the second range runs over neighbours in memory."""
    last = memlet.subset[-1]
    return isinstance(last, Range) and last.step == 1


def _is_small(node: Library) -> bool:
    squared = sympy.Mul(*(index.extent for memlet in (*node.reads, node.write) for index in memlet.ranges))
    return bool(squared.is_Integer and squared <= SMALL**2)


# ---------------------------------------------------------------- loops


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes one operation as loops; ``names`` and ``keys`` are those in use, to which it adds its own."""

    node: Library
    arrays: dict[str, Array]
    names: Names
    keys: Names

    def loops(self) -> Block:
        """The operation as a Block."""
        match self.node.operation:
            case "matmul":
                return self.matmul()
            case "reduce_max":
                return self.extreme("maximum")
            case "reduce_min":
                return self.extreme("minimum")
            case _:
                raise CompilerBug(f"no library operation {self.node.operation}")

    def matmul(self) -> Block:
        left, right = self.node.reads
        flags = dict(self.node.attributes)
        rows = list(left.ranges)[:: -1 if flags.get("transpose_a") else 1]
        columns = list(right.ranges)[:: -1 if flags.get("transpose_b") else 1]
        k = self.index("k")
        outer = [self.index(letter) for letter, count in (("i", len(rows)), ("j", len(columns))) if count == 2]
        i, j = outer[: len(rows) - 1], outer[len(rows) - 1 :]
        a = _at(left, [*i, k] if not flags.get("transpose_a") else [k, *i])
        b = _at(right, [k, *j] if not flags.get("transpose_b") else [*j, k])
        product = Apply("mul", (self.read(a), self.read(b)), self.dtype)
        extents = [index.extent for index in (*rows[:-1], *columns[1:])]
        inner = (k, rows[-1].extent)
        if _varies_last(b, j[0]) if j else any(_varies_last(a, index) for index in i):
            return self.row_by_row(outer, extents, inner, product)
        return self.cell_by_cell(outer, extents, inner, product)

    def cell_by_cell(
        self, outer: Sequence[sympy.Symbol], extents: Sequence[sympy.Expr], inner: tuple[sympy.Symbol, sympy.Expr], product: Expression
    ) -> Block:
        """Each element is a sum of its own."""
        total = Array(self.names.fresh("total"), self.dtype)
        cell = Memlet(total.name)
        body = (
            self.tasklet(cell, zero_of(self.dtype)),
            self.loop(*inner, self.tasklet(cell, product, adds=True)),
            replace(self.tasklet(_at(self.node.write, outer), self.read(cell, self.dtype)), accumulate=self.node.accumulate),
        )
        return self.nest(outer, extents, Block((total,), body))

    def row_by_row(
        self, outer: Sequence[sympy.Symbol], extents: Sequence[sympy.Expr], inner: tuple[sympy.Symbol, sympy.Expr], product: Expression
    ) -> Block:
        """The rows of the right matrix, or of the left one transposed, times a number each, are added to a row of the result."""
        add = self.tasklet(_at(self.node.write, outer), product, adds=True)
        zero = self.tasklet(_at(self.node.write, outer), zero_of(self.dtype))
        *above, j = outer
        row = self.loop(*inner, self.loop(j, extents[-1], add))
        if self.node.accumulate:
            return self.nest(above, extents[:-1], Block((), (row,)))
        cleared = self.loop(*self.renamed(j, extents[-1], zero))
        return self.nest(above, extents[:-1], Block((), (cleared, row)))

    def renamed(self, index: sympy.Symbol, extent: sympy.Expr, node: Tasklet) -> tuple[sympy.Symbol, sympy.Expr, Tasklet]:
        """The same statement under an index of its own."""
        other = self.index("j")
        return other, extent, replace(node, write=node.write.map_indices(lambda value: value.xreplace({index: other})))

    def extreme(self, operation: str) -> Block:
        (memlet,) = self.node.reads
        axes = self.node.attribute("axes")
        assert isinstance(axes, tuple)
        indices = [self.index("i" if at not in axes else "k") for at in range(len(memlet.ranges))]
        kept = [at for at in range(len(memlet.ranges)) if at not in axes]
        best = Array(self.names.fresh("best"), self.dtype)
        cell = Memlet(best.name)
        first = self.read(_at(memlet, [indices[at] if at in kept else sympy.Integer(0) for at in range(len(indices))]))
        if self.dtype.is_float:
            first = Constant(-math.inf if operation == "maximum" else math.inf, self.dtype)
        value = Apply(operation, (self.read(cell, self.dtype), self.read(_at(memlet, indices))), self.dtype)
        search: Node = replace(self.tasklet(cell, value), reassociable=True)
        for at in reversed(axes):
            search = self.loop(indices[at], memlet.ranges[at].extent, search)
        outer = [indices[at] for at in kept]
        write = replace(self.tasklet(_at(self.node.write, outer), self.read(cell, self.dtype)), accumulate=self.node.accumulate)
        body = (self.tasklet(cell, first), search, write)
        return self.nest(outer, [memlet.ranges[at].extent for at in kept], Block((best,), body))

    # ------------------------------------------------------------ pieces

    @property
    def dtype(self) -> Dtype:
        """The dtype of the result."""
        return self.arrays[self.node.write.array].dtype

    def read(self, memlet: Memlet, dtype: Dtype | None = None) -> Expression:
        """A read, cast to the dtype of the result."""
        own = dtype or self.arrays[memlet.array].dtype
        read = Read(memlet, own)
        return read if own == self.dtype else Apply("cast", (read,), self.dtype)

    def tasklet(self, write: Memlet, value: Expression, adds: bool = False) -> Tasklet:
        """A statement of the operation's place, with a key of its own."""
        return Tasklet(write, value, self.node.where, self.keys.fresh(f"{self.node.key}."), adds, adds)

    def loop(self, index: sympy.Symbol, extent: sympy.Expr, body: Node) -> Loop:
        """A loop over ``range(extent)``."""
        inside = body if isinstance(body, Block) else Block((), (body,))
        return Loop(index, sympy.Integer(0), extent, 1, inside, self.node.where, self.keys.fresh(f"{self.node.key}."))

    def nest(self, indices: Sequence[sympy.Symbol], extents: Sequence[sympy.Expr], body: Block) -> Block:
        """Loops around a Block, the first index outermost."""
        for index, extent in reversed(list(zip(indices, extents, strict=True))):
            body = Block((), (self.loop(index, extent, body),))
        return body

    def index(self, letter: str) -> sympy.Symbol:
        """A fresh loop index."""
        return symbol(self.names.fresh(letter))


def _at(memlet: Memlet, indices: Sequence[sympy.Expr]) -> Memlet:
    """The element of the subset at those positions along its ranges."""
    left = iter(indices)
    return Memlet(memlet.array, tuple(_position(index, left) for index in memlet.subset))


def _position(index: Index, left: Iterator[sympy.Expr]) -> sympy.Expr:
    return index.start + index.step * next(left) if isinstance(index, Range) else index


def _varies_last(memlet: Memlet, index: sympy.Symbol) -> bool:
    """Whether neighbours along the index are neighbours in memory."""
    last = memlet.subset[-1]
    return not isinstance(last, Range) and index in last.free_symbols
