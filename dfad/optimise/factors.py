"""A matrix that is scaled for one product with a vector: the vector is scaled instead.

In: a PRIMAL Program. Out: the same without each local array that one nest defines as a multiple of one matrix, and that one product with a
vector, later in the same Block, reads, while nothing that the nest reads is written in between.

    T[i, j] = alpha*A[i, j]            x_scaled[k] = alpha*x[k]
    y = T @ x                          y = A @ x_scaled

What stays true: the product, up to rounding; a factor that takes a finite product beyond the largest number does so to the matrix or
to the vector, whichever it meets. What it does not do: products of two matrices, where the smaller operand is not known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, replace

import sympy

from dfad.ir.memlet import Index, Memlet, Range, symbol
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Apply, Array, Block, Expression, Library, Loop, Node, Program, Read, Tasklet
from dfad.ir.walk import (
    all_arrays,
    changed_arrays,
    exchanged,
    expression_symbols,
    map_expression,
    reads,
    rewrite_block,
    walk,
    walk_expression,
    writes,
)
from dfad.optimise.substitute import Definition, definition_of


def scale_vectors(program: Program) -> Program:
    """The Program with factors of matrices moved to the vectors that these are multiplied with."""
    writer = _Writer.of(program)
    body = rewrite_block(program.body, lambda node: writer.in_block(node) if isinstance(node, Block) else node)
    return program if body is program.body else replace(program, body=body)


@dataclass(frozen=True, slots=True)
class _Multiple:
    """``definition`` makes a matrix of the cells of another one, ``matrix``, each times the same numbers."""

    definition: Definition
    matrix: Read


@dataclass(frozen=True, slots=True)
class _Writer:
    """What a rewrite of one Program needs: its arrays, those that are written once and read once, and the names and keys in use."""

    arrays: dict[str, Array]
    once: frozenset[str]
    names: Names
    keys: Names

    @staticmethod
    def of(program: Program) -> _Writer:
        """The writer for a Program."""
        nodes = list(walk(program.body))
        readers = Counter(memlet.array for node in nodes for memlet in reads(node))
        writers = Counter(memlet.array for node in nodes for memlet in writes(node))
        outside = exchanged(program.body) | {array.name for array in program.parameters}
        once = frozenset(name for name in readers if readers[name] == writers[name] == 1 and name not in outside)
        keys = Names(node.key for node in nodes if not isinstance(node, Block))
        return _Writer(all_arrays(program), once, names_of(program), keys)

    def in_block(self, block: Block) -> Block:
        """The Block without its scaled matrices; the same object where there are none."""
        own = {array.name: array for array in block.arrays if array.name in self.once and array.rank == 2}
        for node in block.body if own else ():
            found = _multiple(node, own)
            product = found and self.product_of(block, found)
            if found and product:
                block = self.scaled(block, found, product)
        return block

    def product_of(self, block: Block, found: _Multiple) -> Library | None:
        """The product of the Block that reads the multiple, if it can read the matrix instead."""
        position = block.body.index(found.definition.node)
        needed = {memlet.array for node in walk(found.definition.node) for memlet in reads(node)}
        for node in block.body[position + 1 :]:
            if isinstance(node, Library) and any(memlet.array == found.definition.array.name for memlet in node.reads):
                return node if self.is_fitting(node, found) else None
            if needed & changed_arrays(node):
                return None
        return None

    def is_fitting(self, node: Library, found: _Multiple) -> bool:
        """Whether it is a product of the whole multiple and a vector of the same dtype."""
        dtypes = {self.arrays[memlet.array].dtype for memlet in node.reads} | {found.matrix.dtype}
        ranks = sorted(len(memlet.ranges) for memlet in node.reads)
        return node.operation == "matmul" and ranks == [1, 2] and len(dtypes) == 1

    def scaled(self, block: Block, found: _Multiple, product: Library) -> Block:
        """The Block with the vector scaled in place of the matrix."""
        name = found.definition.array.name
        side = next(side for side, memlet in enumerate(product.reads) if memlet.array == name)
        vector = product.reads[1 - side]
        (places,) = vector.ranges
        new = Array(self.names.fresh(f"{vector.array}_scaled"), found.matrix.dtype, (places.extent,))
        k = symbol(self.names.fresh("k"))
        element = Read(Memlet(vector.array, tuple(_at(index, k) for index in vector.subset)), new.dtype)
        value = map_expression(found.definition.value, lambda part: element if part == found.matrix else part)
        fill = Tasklet(Memlet(new.name, (k,)), value, product.where, self.keys.fresh(f"{product.key}."))
        zero = sympy.Integer(0)
        loop = Loop(k, zero, places.extent, 1, Block((), (fill,)), product.where, self.keys.fresh(f"{product.key}."))
        operands = [Memlet(new.name, (Range(zero, places.extent),))] * 2
        operands[side] = _original(product.reads[side], found)
        changed = replace(product, reads=tuple(operands))
        body: list[Node] = []
        for node in block.body:
            body += [loop, changed] if node is product else [] if node is found.definition.node else [node]
        return Block((*(array for array in block.arrays if array.name != name), new), tuple(body))


def _multiple(node: Node, own: dict[str, Array]) -> _Multiple | None:
    """What the node defines, where that is a multiple of a matrix."""
    found = definition_of(node, own)
    if found is None:
        return None
    indices = {index for index in found.indices if isinstance(index, sympy.Symbol)}
    matrix = _linear_in(found.value, indices)
    if matrix is None or len(indices) != 2:
        return None
    held = [index for index in matrix.memlet.subset if isinstance(index, sympy.Expr) and index.free_symbols & indices]
    alone = [(index - own).is_Integer for index, own in zip(held, found.indices, strict=False)]
    return _Multiple(found, matrix) if len(held) == 2 and all(alone) else None


def _linear_in(value: Expression, indices: Set[sympy.Symbol]) -> Read | None:
    """The one read that changes with the indices, where the value is that read times numbers that do not."""
    match value:
        case Read():
            return value
        case Apply("mul", (a, b)):
            factor, rest = (a, b) if not expression_symbols(a) & indices else (b, a)
        case Apply("div", (a, b)):
            factor, rest = b, a
        case _:
            return None
    if expression_symbols(factor) & indices or any(part.dtype != value.dtype for part in walk_expression(rest) if isinstance(part, Read)):
        return None
    return _linear_in(rest, indices)


def _original(read: Memlet, found: _Multiple) -> Memlet:
    """What a read of the multiple names of the matrix."""
    table = dict(zip(found.definition.indices, read.subset, strict=True))
    return Memlet(found.matrix.memlet.array, tuple(_moved(index, table) for index in found.matrix.memlet.subset))


def _moved(index: Index, table: dict[sympy.Expr, Index]) -> Index:
    for own, places in table.items():
        if isinstance(places, Range) and isinstance(index, sympy.Expr) and own in index.free_symbols:
            return Range(places.start + index - own, places.stop + index - own, places.step)
    return index


def _at(index: Index, k: sympy.Symbol) -> sympy.Expr:
    return index.start + index.step * k if isinstance(index, Range) else index
