"""Products of a vector with one column of a matrix in each trip of a loop become one product with the matrix, before the loop.

In: a PRIMAL Program. Out: the same, where no trip of the loop changes what another one multiplies, nor its own operands before the product:

    for j in range(n):                                    dots[:] = matmul(v[:], M[:, 0:n])
        ...                                               for j in range(n):
        t = matmul(v[:], M[:, j])            ->               ...
        ... t ...                                             t = dots[j]
                                                              ... t ...

What stays true: every value, up to the order of sums. Where Checks stand before the product in its trip, it is done under their conditions:
they are still asked in the loop. Why: the product reads the matrix row by row, as it lies in memory, and so does its adjoint. What it does
not do: products with one row in each trip, which lie in memory already; loops whose length follows an outer loop; Checks that read data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import sympy

from dfad.analysis.independence import independent_trips
from dfad.ir.algebra import both
from dfad.ir.memlet import Memlet, Range, symbol
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import (
    Array,
    Block,
    Branch,
    Check,
    Exchange,
    Library,
    Loop,
    Node,
    Program,
    Read,
    Repetition,
    ShapeSymbol,
    Tasklet,
)
from dfad.ir.walk import all_arrays, expression_symbols, reads, rewrite, rewrite_block, walk, writes
from dfad.optimise.lower_library import as_loops

ZERO = sympy.Integer(0)


def multiply_columns(program: Program) -> Program:
    """The Program with products before the loops; the same object when there are none."""
    keys = Names(node.key for node in walk(program.body) if not isinstance(node, Block))
    lengths = frozenset(bound.symbol for bound in program.symbols if isinstance(bound, ShapeSymbol))
    writer = _Writer(all_arrays(program), lengths, names_of(program), keys)
    body = rewrite_block(program.body, lambda node: writer.block(node) if isinstance(node, Block) else node)
    return program if body is program.body else replace(program, body=body)


@dataclass(frozen=True, slots=True)
class _Columns:
    """A product in each trip of a loop: the column's operand, and the Checks that stand before it in its trip."""

    node: Library
    side: int
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class _Writer:
    """What a rewrite of one Program needs: its arrays, the extents of its arguments, the names and keys in use."""

    arrays: dict[str, Array]
    lengths: frozenset[sympy.Symbol]
    names: Names
    keys: Names

    def block(self, block: Block) -> Block:
        """The Block with products before its loops."""
        arrays, body = list(block.arrays), list[Node]()
        for node in block.body:
            found = self.columns(node) if isinstance(node, Loop) else None
            while isinstance(node, Loop) and found is not None:
                dots, before, node = self.lifted(node, found)
                arrays.append(dots)
                body.append(before)
                found = self.columns(node)
            body.append(node)
        return block if len(arrays) == len(block.arrays) else Block(tuple(arrays), tuple(body))

    def columns(self, loop: Loop) -> _Columns | None:
        """The first product of the loop that can be done before it."""
        if loop.step != 1 or loop.start != 0 or loop.stop not in self.lengths or any(isinstance(node, Exchange) for node in walk(loop)):
            return None
        for position, node in enumerate(loop.body.body):
            found = _columns(node, loop) if isinstance(node, Library) else None
            if found is not None and self.is_free(found, loop, position):
                return found
        return None

    def is_free(self, found: _Columns, loop: Loop, position: int) -> bool:
        """Whether the products of all trips may be done before the loop."""
        operands = {memlet.array for memlet in found.node.reads}
        before = {memlet.array for child in loop.body.body[:position] for node in walk(child) for memlet in writes(node)}
        written = {memlet.array for node in walk(loop.body) for memlet in writes(node)}
        if operands & before or {symbol(name) for name in written} & {item for memlet in found.node.reads for item in memlet.symbols()}:
            return False
        return not operands & written or self.is_independent(loop)

    def is_independent(self, loop: Loop) -> bool:
        """Whether no trip of the loop reads or writes what another one writes."""
        plain = rewrite(loop, lambda node: as_loops(node, self.arrays, self.names, self.keys) if isinstance(node, Library) else node)
        assert isinstance(plain, Loop)
        return independent_trips(plain) is not None

    def lifted(self, loop: Loop, found: _Columns) -> tuple[Array, Node, Loop]:
        """What holds the products, the product before the loop, and the loop that reads it."""
        node = found.node
        dtype = self.arrays[node.write.array].dtype
        dots = Array(self.names.fresh("dots"), dtype, (loop.stop,))
        self.arrays[dots.name] = dots
        column, vector = node.reads[found.side], node.reads[1 - found.side]
        *others, last = column.subset
        assert isinstance(last, sympy.Expr)
        matrix = Memlet(column.array, (*others, Range(last.xreplace({loop.index: ZERO}), last.xreplace({loop.index: loop.stop}))))
        attributes = (("transpose_a", False), ("transpose_b", False))
        key = self.keys.fresh(f"{node.key}.")
        whole = Memlet(dots.name, (Range(ZERO, loop.stop),))
        product = Library("matmul", (vector, matrix), whole, node.where, key, attributes)
        read = Tasklet(node.write, Read(Memlet(dots.name, (loop.index,)), dtype), node.where, node.key, node.accumulate)
        body = tuple(read if one is node else one for one in loop.body.body)
        return dots, self.checked(product, found.checks), replace(loop, body=replace(loop.body, body=body))

    def checked(self, product: Library, checks: Sequence[Check]) -> Node:
        """The product where no Check before it fails."""
        if not checks:
            return product
        guard = reduce(both, dict.fromkeys(check.condition for check in checks))
        return Branch(guard, Block((), (product,)), Block((), ()), product.where, self.keys.fresh(f"{product.key}."))


def _columns(node: Library, loop: Loop) -> _Columns | None:
    """The product as one of a vector that no trip changes with a column that follows the index."""
    if node.operation != "matmul" or any(len(memlet.ranges) != 1 for memlet in node.reads):
        return None
    sides = [side for side, memlet in enumerate(node.reads) if loop.index in set(memlet.symbols())]
    checks = _checks_before(node, loop)
    own = {array.name for part in walk(loop.body) if isinstance(part, Block) for array in part.arrays}
    if len(sides) != 1 or checks is None or own & {memlet.array for memlet in node.reads}:
        return None
    *others, last = node.reads[sides[0]].subset
    follows = isinstance(last, sympy.Expr) and not (last - loop.index).has(loop.index)
    return _Columns(node, sides[0], checks) if follows and loop.index not in set(Memlet("", tuple(others)).symbols()) else None


def _checks_before(node: Library, loop: Loop) -> tuple[Check, ...] | None:
    """The Checks before the product in its trip; None where they are not the same in all trips, or hidden in regions."""
    before = loop.body.body[: loop.body.body.index(node)]
    checks = tuple(one for one in before if isinstance(one, Check))
    inside = [part for one in before if not isinstance(one, Check) for part in walk(one)]
    varying = {loop.index, *(symbol(memlet.array) for part in walk(loop.body) for memlet in writes(part))}
    varying |= {part.index for part in walk(loop.body) if isinstance(part, Repetition)}
    if any(isinstance(part, Check) for part in inside):
        return None
    return None if any(reads(check) or expression_symbols(check.condition) & varying for check in checks) else checks
