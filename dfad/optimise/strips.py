"""Products of a vector and a matrix, one in each trip of a loop, become products of two matrices, one for each strip of trips.

In: a PRIMAL Program. Out: the same, where the trips of a loop multiply vectors that lie side by side with one matrix, or with a part of it
that begins or ends at the trip, and where no trip changes what another one multiplies:

    for i in range(a, b):                        for s in range(a, b, STRIP):
        T[:] = matmul(V[i, :], A[:, i:n])            R[:e - s, :] = matmul(V[s:e, :], A[:, s:n])           e = min(s + STRIP, b)
        ... T[j] ...                                 for i in range(s, e):
                                                         ... R[i - s, j + i - s] ...

What stays true: every value, up to the order of sums. A strip keeps the array that takes the place of T small, and what lies outside of a
triangle at most STRIP wide. What it does not do: products that a trip adds to what is there, products behind a Check of the same trip,
products of two vectors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy

from dfad.analysis.independence import independent_trips
from dfad.ir.memlet import Index, Memlet, Range, symbol
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Array, Block, Check, Library, Loop, Program
from dfad.ir.walk import all_arrays, exchanged, map_memlets, reads, rewrite, rewrite_block, walk, writes
from dfad.optimise.lower_library import as_loops

STRIP = 64
ZERO = sympy.Integer(0)


def multiply_strips(program: Program) -> Program:
    """The Program with products of matrices in place of products in every trip of a loop."""
    keys = Names(node.key for node in walk(program.body) if not isinstance(node, Block))
    writer = _Writer(all_arrays(program), names_of(program), keys)
    body = rewrite_block(program.body, lambda node: writer.in_strips(node) if isinstance(node, Loop) else node)
    return program if body is program.body else replace(program, body=body)


@dataclass(frozen=True, slots=True)
class _Rows:
    """A product that a loop does in every trip: the vector's operand, whose subscript at ``dimension`` counts the trips."""

    node: Library
    side: int
    dimension: int


@dataclass(frozen=True, slots=True)
class _Writer:
    """What a rewrite of one Program needs: its arrays, the names and keys in use."""

    arrays: dict[str, Array]
    names: Names
    keys: Names

    def in_strips(self, loop: Loop) -> Loop:
        """The loop over strips, where one of its products can be done for all trips of a strip; else the same loop."""
        if loop.step != 1 or exchanged(loop.body):
            return loop
        for node in loop.body.body:
            if any(isinstance(part, Check) for part in walk(node)):
                return loop
            if isinstance(node, Library):
                found = _rows(node, loop)
                if found is not None and self.is_free(found, loop):
                    return self.strips(found, loop)
        return loop

    def is_free(self, found: _Rows, loop: Loop) -> bool:
        """Whether the product may run before all else in the trips of a strip."""
        operands = {memlet.array for memlet in found.node.reads}
        position = loop.body.body.index(found.node)
        before = {memlet.array for child in loop.body.body[:position] for node in walk(child) for memlet in writes(node)}
        written = {memlet.array for node in walk(loop.body) for memlet in writes(node)}
        own = {array.name for node in walk(loop.body) if isinstance(node, Block) for array in node.arrays}
        if operands & (before | own) or any(item.name in own for memlet in found.node.reads for item in memlet.symbols()):
            return False
        return not operands & written or self.is_independent(loop)

    def is_independent(self, loop: Loop) -> bool:
        """Whether no trip of the loop reads or writes what another one writes."""
        plain = rewrite(loop, lambda node: as_loops(node, self.arrays, self.names, self.keys) if isinstance(node, Library) else node)
        assert isinstance(plain, Loop)
        return independent_trips(plain) is not None

    def strips(self, found: _Rows, loop: Loop) -> Loop:
        """The loop over strips."""
        first, target = symbol(self.names.fresh(f"{loop.index}_first")), found.node.write.array
        last = sympy.Min(first + STRIP, loop.stop)
        product = self.product(found, loop, first, last)
        offset = _hull(_columns(found), loop.index, first, last).start
        shift = _columns(found).start - offset

        def change(memlet: Memlet) -> Memlet:
            if memlet.array != target:
                return memlet
            (column,) = memlet.subset
            return Memlet(product.write.array, (loop.index - first, _plus(column, shift)))

        rest = tuple(rewrite(node, lambda part: map_memlets(part, change)) for node in loop.body.body if node is not found.node)
        arrays = tuple(array for array in loop.body.arrays if array.name != target)
        inner = replace(loop, start=first, stop=last, body=Block(arrays, rest), key=self.keys.fresh(f"{loop.key}."))
        extents = (sympy.Min(sympy.Integer(STRIP), loop.stop - loop.start), product.write.ranges[1].extent)
        many = Array(product.write.array, self.arrays[target].dtype, extents)
        self.arrays[many.name] = many
        return replace(loop, index=first, step=STRIP, body=Block((many,), (product, inner)))

    def product(self, found: _Rows, loop: Loop, first: sympy.Symbol, last: sympy.Expr) -> Library:
        """The product for all trips of a strip."""
        vector, matrix = found.node.reads[found.side], found.node.reads[1 - found.side]
        rows = vector.subset[found.dimension] - loop.index
        subset = (*vector.subset[: found.dimension], Range(first + rows, last + rows), *vector.subset[found.dimension + 1 :])
        is_turned = not isinstance(subset[-1], Range) or any(isinstance(index, Range) for index in vector.subset[: found.dimension])
        whole = Memlet(matrix.array, tuple(_hull(index, loop.index, first, last) for index in matrix.subset))
        attributes = (("transpose_a", is_turned), ("transpose_b", _has_rows_out(found)))
        columns = _hull(_columns(found), loop.index, first, last)
        many = self.names.fresh(f"{found.node.write.array}_rows")
        write = Memlet(many, (Range(ZERO, last - first), Range(ZERO, columns.extent)))
        return replace(found.node, reads=(Memlet(vector.array, subset), whole), write=write, attributes=attributes)


def _rows(node: Library, loop: Loop) -> _Rows | None:
    """The product as one of many, where its operands are laid out as this file wants them."""
    ranks = tuple(len(memlet.ranges) for memlet in node.reads)
    own = {array.name for array in loop.body.arrays}
    if node.operation != "matmul" or node.accumulate or sorted(ranks) != [1, 2] or node.write.array not in own:
        return None
    side = ranks.index(1)
    vector = node.reads[side]
    moving = [at for at, index in enumerate(vector.subset) if loop.index in _symbols(index)]
    if len(moving) != 1 or isinstance(vector.subset[moving[0]], Range):
        return None
    found = _Rows(node, side, moving[0])
    steady = not (vector.subset[moving[0]] - loop.index).has(loop.index)
    return found if steady and _is_one_matrix(found, loop.index) and _is_only_product(found, loop) else None


def _is_only_product(found: _Rows, loop: Loop) -> bool:
    """Whether it alone writes its result, all of it, from which single cells are read."""
    target = found.node.write
    others = [node for node in walk(loop.body) if node is not found.node and not isinstance(node, Block)]
    if any(memlet.array == target.array for node in others for memlet in writes(node)):
        return False
    (places,) = target.ranges
    cells = all(not memlet.ranges for node in others for memlet in reads(node) if memlet.array == target.array)
    return places.start == 0 and places.step == 1 and cells


def _is_one_matrix(found: _Rows, index: sympy.Symbol) -> bool:
    """Whether the trips read one matrix, or parts that begin or end at the trip."""
    matrix, columns = found.node.reads[1 - found.side], _columns(found)
    if any(index in _symbols(one) for one in matrix.subset if one is not columns):
        return False
    if columns.step != 1 or (columns.start.has(index) and columns.stop.has(index)):
        return False
    return not any((end - index).has(index) for end in (columns.start, columns.stop) if end.has(index))


def _columns(found: _Rows) -> Range:
    """The range of the matrix that is that of the result."""
    return found.node.reads[1 - found.side].ranges[0 if _has_rows_out(found) else 1]


def _has_rows_out(found: _Rows) -> bool:
    """Whether each cell of the result comes from a row of the matrix, as it lies there, not from a column."""
    is_turned = bool(dict(found.node.attributes).get("transpose_b" if found.side == 0 else "transpose_a", False))
    return is_turned if found.side == 0 else not is_turned


def _hull(index: Index, trip: sympy.Symbol, first: sympy.Expr, last: sympy.Expr) -> Index:
    """All that the trips of a strip name."""
    if not isinstance(index, Range):
        return index
    return Range(index.start.xreplace({trip: first}), index.stop.xreplace({trip: last - 1}), index.step)


def _plus(index: Index, by: sympy.Expr) -> Index:
    return index + by if isinstance(index, sympy.Expr) else Range(index.start + by, index.stop + by, index.step)


def _symbols(index: Index) -> frozenset[sympy.Symbol]:
    return frozenset(Memlet("", (index,)).symbols())
