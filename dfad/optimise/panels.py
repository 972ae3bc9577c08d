"""Products of one matrix with several vectors read the matrix once, in panels of rows that stay in the cache.

In: a LOWERED Program. Out: the same in which products of one matrix and a vector each, one behind the other in a Block, are done panel by
panel:

    q[:] = matmul(A[:, :], p[:])                s[j] = 0.0 for all j
    s[:] = matmul(r[:], A[:, :])       ->       for k in range(panels):
                                                    q[a:b] = matmul(A[a:b, :], p[:])           rows a to b are those of panel k
                                                    s[:] += matmul(r[a:b], A[a:b, :])

What stays true: every value, up to the order of sums. Why: a product of a large matrix and a vector takes the time of reading the matrix.
A product may read what one before it has written, where it needs of it the rows of the same panel only: A.T @ (A @ x). Checks between two
products are asked before both; where one fails, all runs in the order of the source. What it does not do: products in loops, which are
loops themselves (lower_library); several threads, which would divide each panel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import sympy

from dfad.ir.algebra import both
from dfad.ir.dtype import I64
from dfad.ir.lifetimes import used_names
from dfad.ir.memlet import Memlet, Range, symbol
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Array, Block, Branch, Check, Constant, Integer, Library, Loop, Node, Program, Tasklet
from dfad.ir.walk import all_arrays, expression_symbols, reads, rewrite_block, walk

CELLS = 1 << 16
"""About so many elements of a matrix stay in the second cache beside what else is in use."""

ROWS = 16
"""A panel has at least so many rows: a call for fewer would cost more than it saves."""

ZERO = sympy.Integer(0)


def multiply_panels(program: Program) -> Program:
    """The Program with products of one matrix joined; the same object when there are none."""
    keys = Names(node.key for node in walk(program.body) if not isinstance(node, Block))
    writer = _Writer(program, all_arrays(program), names_of(program), keys)
    body = rewrite_block(program.body, lambda node: writer.block(node) if isinstance(node, Block) else node)
    return program if body is program.body else replace(program, body=body)


@dataclass(frozen=True, slots=True)
class _Product:
    """A matrix times a vector. ``sums_rows``: each cell of the result is a sum over all rows, not a sum over one of them."""

    node: Library
    matrix: Memlet
    vector: Memlet
    sums_rows: bool


@dataclass(frozen=True, slots=True)
class _Run:
    """Products that may run panel by panel, and the nodes from the first to the last of them."""

    products: tuple[_Product, ...]
    nodes: tuple[Node, ...]

    @property
    def checks(self) -> tuple[Check, ...]:
        """What is asked between them."""
        return tuple(node for node in self.nodes if isinstance(node, Check))


@dataclass(frozen=True, slots=True)
class _Writer:
    """What a rewrite of one Program needs; ``names`` and ``keys`` are those in use."""

    program: Program
    arrays: dict[str, Array]
    names: Names
    keys: Names

    def block(self, block: Block) -> Block:
        """The Block with its runs of products joined."""
        arrays, body, place = list(block.arrays), list[Node](), 0
        given = frozenset(bound.symbol for bound in self.program.symbols)
        while place < len(block.body):
            run = _run_from(block.body[place:], given)
            if run is None or self.holds_more(run, block.body[:place], block.body[place + len(run.nodes) :]):
                body.append(block.body[place])
                place += 1
            else:
                height = Array(self.names.fresh("panel"), I64)
                arrays.append(height)
                body.append(self.joined(run, height))
                place += len(run.nodes)
        return block if len(arrays) == len(block.arrays) else Block(tuple(arrays), tuple(body))

    def holds_more(self, run: _Run, before: Sequence[Node], after: Sequence[Node]) -> bool:
        """Whether some array ends before the last product, and another one begins behind the first."""
        first, *others = (used_names(one.node) for one in run.products)
        last = others[-1]
        used = first.union(*others) - {array.name for array in self.program.parameters}
        begin = used - first.union(*map(used_names, before))
        end = used - last.union(*map(used_names, after))
        return bool(begin and end)

    def joined(self, run: _Run, height: Array) -> Node:
        """The run in panels, where no Check between its products fails."""
        panels = self.panels(run, height)
        if not run.checks:
            return panels
        guard = reduce(both, dict.fromkeys(check.condition for check in run.checks))
        where = run.checks[0].where
        return Branch(guard, panels, Block((), run.nodes), where, self.keys.fresh(f"{run.checks[0].key}."))

    def panels(self, run: _Run, height: Array) -> Block:
        """The products, panel by panel."""
        node = run.products[0].node
        rows, columns = (one.extent for one in run.products[0].matrix.ranges)
        index, size = symbol(self.names.fresh("k")), symbol(height.name)
        most = sympy.Max(ROWS, sympy.floor(CELLS / sympy.Max(1, columns)))
        measured = Tasklet(Memlet(height.name), Integer(most), node.where, self.key(node))
        cleared = [self.cleared(one.node) for one in run.products if one.sums_rows and not one.node.accumulate]
        part = (index * size, sympy.Min(index * size + size, rows))
        body = tuple(replace(_of_rows(one, part), key=self.key(one.node)) for one in run.products)
        count = sympy.floor((rows + size - 1) / size)
        loop = Loop(index, ZERO, count, 1, Block((), body), node.where, self.key(node))
        return Block((), (measured, *cleared, loop))

    def cleared(self, node: Library) -> Loop:
        """Zeros in what the product writes."""
        index = symbol(self.names.fresh("j"))
        subset = tuple(one.start + one.step * index if isinstance(one, Range) else one for one in node.write.subset)
        zero = Constant(0.0, self.arrays[node.write.array].dtype)
        inner = Tasklet(Memlet(node.write.array, subset), zero, node.where, self.key(node))
        return Loop(index, ZERO, node.write.ranges[0].extent, 1, Block((), (inner,)), node.where, self.key(node))

    def key(self, node: Library) -> str:
        return self.keys.fresh(f"{node.key}.")


def _run_from(nodes: Sequence[Node], given: frozenset[sympy.Symbol]) -> _Run | None:
    """The products from the first node on that may run panel by panel, if there are two of them at least."""
    products: list[_Product] = []
    length = 0
    for place, node in enumerate(nodes):
        product = _product(node)
        if product is not None and all(_may_follow(product, earlier) for earlier in products):
            products.append(product)
            length = place + 1
        elif not products or not isinstance(node, Check) or reads(node) or not expression_symbols(node.condition) <= given:
            break
    return _Run(tuple(products), tuple(nodes[:length])) if len(products) > 1 else None


def _product(node: Node) -> _Product | None:
    """The node as a product of a matrix and a vector."""
    if not isinstance(node, Library) or node.operation != "matmul":
        return None
    left, right = node.reads
    flags = dict(node.attributes)
    match len(left.ranges), len(right.ranges):
        case 2, 1:
            return _Product(node, left, right, bool(flags.get("transpose_a")))
        case 1, 2:
            return _Product(node, right, left, not flags.get("transpose_b"))
        case _:
            return None


def _may_follow(product: _Product, earlier: _Product) -> bool:
    """Whether a panel of the product may run before later panels of the earlier one."""
    written, before = product.node.write.array, earlier.node.write.array
    if product.matrix != earlier.matrix or written == before or written in {memlet.array for memlet in earlier.node.reads}:
        return False
    if before not in {memlet.array for memlet in product.node.reads}:
        return True
    return product.sums_rows and not earlier.sums_rows and product.vector == earlier.node.write and product.matrix.array != before


def _of_rows(product: _Product, part: tuple[sympy.Expr, sympy.Expr]) -> Library:
    """The product of some rows of the matrix; what is summed over all rows is added up."""
    node, matrix = product.node, _part(product.matrix, part)
    if not product.sums_rows:
        operands = tuple(matrix if memlet is product.matrix else memlet for memlet in node.reads)
        return replace(node, reads=operands, write=_part(node.write, part))
    vector = _part(product.vector, part)
    operands = tuple(matrix if memlet is product.matrix else vector for memlet in node.reads)
    return replace(node, reads=operands, accumulate=True)


def _part(memlet: Memlet, part: tuple[sympy.Expr, sympy.Expr]) -> Memlet:
    """The memlet with a part of its first range."""
    first = next(at for at, index in enumerate(memlet.subset) if isinstance(index, Range))
    whole = memlet.ranges[0]
    start, stop = (whole.start + whole.step * end for end in part)
    return Memlet(memlet.array, (*memlet.subset[:first], Range(start, stop, whole.step), *memlet.subset[first + 1 :]))
