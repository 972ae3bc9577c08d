"""Sums of products that a loop makes cell by cell, as in a convolution, become products of matrices.

In: a PRIMAL Program. Out: the same, where the trips of a loop fill neighbouring cells of an array with sums of products of two others:

    for j in range(a, b):                            for j in range(a, b): out[j, o] = 0.0         o: a loop
        T[:] = 0.0                                   for c: out[a:b, :] += matmul(X[a + c:b + c, :], Y[c, :, :])
        for c, k, o: T[o] += X[j + c, k]*Y[c, k, o]            (if a < b)
        out[j, :] = T[:]

What stays true: every value, up to the order of sums. The subscripts must lie as BLAS wants them: X ends in the index that is summed over,
Y and ``out`` in one that X does not have, the trip counts rows of X and of ``out``. What it does not do: sums whose order the source fixes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy

from dfad.analysis.shifts import Nest, covers, is_rectangular, perfect_nest
from dfad.ir.algebra import runs
from dfad.ir.memlet import Index, Memlet, Range
from dfad.ir.names import Names
from dfad.ir.nodes import Apply, Array, Block, Branch, Constant, Library, Loop, Node, Program, Read, Tasklet
from dfad.ir.walk import all_arrays, map_expression, rewrite_block, substitute, walk

FLAGS = (("transpose_a", False), ("transpose_b", False))


def multiply_windows(program: Program) -> Program:
    """The Program with products of matrices in place of such sums."""
    keys = Names(node.key for node in walk(program.body) if not isinstance(node, Block))
    arrays = all_arrays(program)

    def change(node: Node) -> Node | tuple[Node, ...]:
        found = _sums(node, arrays) if isinstance(node, Loop) else None
        return node if found is None else _products(found, keys)

    body = rewrite_block(program.body, change)
    return program if body is program.body else replace(program, body=body)


@dataclass(frozen=True, slots=True)
class _Sums:
    """A loop over cells: the loop that writes them, the nest that sums, its product and the cell that it is added to."""

    copy: Loop
    nest: Nest
    trips: Loop
    left: Memlet
    right: Memlet
    cell: Memlet


def _sums(loop: Loop, arrays: dict[str, Array]) -> _Sums | None:
    """The loop as such sums, where it is nothing else."""
    match loop.body:
        case Block(arrays=(Array() as own,), body=(Loop() as clear, Loop() as add, Loop() as copy)) if loop.step == 1:
            target = _target(copy, own)
            nest = perfect_nest(add)
            if target is None or not _clears(clear, own) or not is_rectangular(nest):
                return None
            return _operands(loop, nest, copy, target, own, arrays)
        case _:
            return None


def _only(loop: Loop) -> Tasklet | None:
    """The Tasklet that a perfect nest consists of."""
    match perfect_nest(loop).body:
        case Block(arrays=(), body=(Tasklet() as inner,)):
            return inner
        case _:
            return None


def _clears(loop: Loop, own: Array) -> bool:
    inner = _only(loop)
    is_zero = inner is not None and isinstance(inner.value, Constant) and inner.value.value == 0 and not inner.accumulate
    return inner is not None and is_zero and inner.write.array == own.name and covers(loop, inner, own, lambda extent: extent)


def _target(loop: Loop, own: Array) -> tuple[Tasklet, Memlet] | None:
    """The Tasklet that writes the sums to where they belong, and the sums as it reads them, all of them."""
    inner = _only(loop)
    if inner is None or inner.accumulate or not isinstance(inner.value, Read) or inner.value.memlet.array != own.name:
        return None
    whole = replace(inner, write=inner.value.memlet)
    return (inner, inner.value.memlet) if covers(loop, whole, own, lambda extent: extent) else None


def _operands(loop: Loop, nest: Nest, copy: Loop, target: tuple[Tasklet, Memlet], own: Array, arrays: dict[str, Array]) -> _Sums | None:
    """The operands of the product, if they lie as BLAS wants them."""
    inner = nest.body.body[0] if len(nest.body.body) == 1 and not nest.body.arrays else None
    match inner:
        case Tasklet(accumulate=True, reassociable=True, value=Apply("mul", (Read() as one, Read() as other))):
            sources = (one.memlet, other.memlet)
        case _:
            return None
    writer, sums = target
    if inner.write.array != own.name or writer.write.array in {memlet.array for memlet in sources} | {own.name}:
        return None
    if len({arrays[memlet.array].dtype for memlet in (*sources, inner.write, writer.write)}) != 1 or not own.dtype.is_float:
        return None
    table = {mine: cell for mine, cell in zip(sums.subset, inner.write.subset, strict=True) if isinstance(mine, sympy.Symbol)}
    cell = writer.write.map_indices(substitute({mine: part for mine, part in table.items() if isinstance(part, sympy.Expr)}))
    left, right = sources if any(loop.index in index.free_symbols for index in _indices(sources[0])) else sources[::-1]
    found = _Sums(copy, nest, loop, left, right, cell)
    return found if _is_product(found) else None


def _is_product(found: _Sums) -> bool:
    """Whether the trips, the sum and the last subscripts make a product of matrices with contiguous rows."""
    if not all(memlet.subset for memlet in (found.left, found.right, found.cell)):
        return False
    j, loops = found.trips.index, set(found.nest.indices)
    summed, columns = _ends(found.left) & loops, _ends(found.cell) & loops
    if len(summed) != 1 or len(columns) != 1 or summed == columns:
        return False
    (k,), (o,) = summed, columns
    if any(j in bound.free_symbols for loop in found.nest.loops for bound in (loop.start, loop.stop)):
        return False
    places = [(found.left, (j, k)), (found.right, (k, o)), (found.cell, (j, o))]
    return all(_held(memlet, (j, k, o)) == wanted for memlet, wanted in places) and all(
        loop.step == 1 for loop in found.nest.loops if loop.index in (k, o)
    )


def _held(memlet: Memlet, indices: tuple[sympy.Symbol, ...]) -> tuple[sympy.Symbol, ...] | None:
    """Which of the indices the subscripts hold, in order, each alone plus what does not change with them; the last stands last."""
    found = []
    for index in _indices(memlet):
        held = [one for one in indices if one in index.free_symbols]
        if len(held) > 1 or (held and (index - held[0]).free_symbols & set(indices)):
            return None
        found += held
    return tuple(found) if found and found[-1] in _ends(memlet) else None


def _indices(memlet: Memlet) -> tuple[sympy.Expr, ...]:
    return tuple(index for index in memlet.subset if isinstance(index, sympy.Expr))


def _ends(memlet: Memlet) -> frozenset[sympy.Symbol]:
    """The symbols of the last subscript."""
    last = memlet.subset[-1]
    return frozenset(last.free_symbols) if isinstance(last, sympy.Expr) else frozenset()


def _products(found: _Sums, keys: Names) -> tuple[Node, ...]:
    """The cells cleared, then, where there are any, the products added to them: no other place has been checked."""
    nest, trips = found.nest, found.trips
    inner = nest.body.body[0]
    assert isinstance(inner, Tasklet)
    summed, columns = (next(iter(_ends(memlet) & set(nest.indices))) for memlet in (found.left, found.cell))
    spans = {loop.index: loop for loop in (trips, *nest.loops) if loop.index in (trips.index, summed, columns)}
    reads = (_spread(found.left, spans), _spread(found.right, spans))
    node: Node = Library("matmul", reads, _spread(found.cell, spans), inner.where, keys.fresh(f"{inner.key}."), FLAGS, accumulate=True)
    for loop in reversed(nest.loops):
        if loop.index not in spans:
            node = replace(loop, body=Block((), (node,)))
    zero = _cleared(found.copy)
    some = Branch(runs(trips), Block((), (node,)), Block((), ()), trips.where, keys.fresh(f"{trips.key}."))
    return replace(trips, body=Block((), (zero,))), some


def _cleared(copy: Loop) -> Loop:
    """The loop with zeros in place of what it reads."""

    def change(node: Node) -> Node:
        if not isinstance(node, Tasklet):
            return node
        return replace(node, value=map_expression(node.value, lambda part: Constant(0.0, part.dtype)))

    return replace(copy, body=rewrite_block(copy.body, change))


def _spread(memlet: Memlet, spans: dict[sympy.Symbol, Loop]) -> Memlet:
    """The memlet over the whole of these loops."""

    def whole(index: Index) -> Index:
        for symbol, loop in spans.items():
            if isinstance(index, sympy.Expr) and symbol in index.free_symbols:
                return Range(index.xreplace({symbol: loop.start}), index.xreplace({symbol: loop.stop}))
        return index

    return Memlet(memlet.array, tuple(whole(index) for index in memlet.subset))
