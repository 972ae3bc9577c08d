"""Cells that an innermost loop comes back to are held in scalars.

In: a LOWERED Program. Out: a LOWERED one in which

    for k in range(j): A[i, j] -= A[i, k]*A[j, k]      reads      if 0 < j: cell = A[i, j]; for k in range(j): cell -= ...; A[i, j] = cell

What stays true: every value, every bit. C compilers cannot do this where the loop touches other elements of the array: they do not know
that k < j < i. It is done when (1) the subset of the cell does not change in the loop, (2) the loop certainly touches the cell if it runs
at all, (3) each other access to the array in the loop differs from the cell in some dimension, by the ranges of the loops around, and
(4) the loop writes to the array, else the compiler sees it by itself, and (5) the array lives round the loop. Not done: parallel loops,
loops with a Check or a Library operation, cells that Branches alone touch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import sympy

from dfad.ir.dtype import BOOL
from dfad.ir.memlet import Memlet, Range
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import (
    Apply,
    Array,
    Block,
    Branch,
    Check,
    Exchange,
    Integer,
    Library,
    Loop,
    Node,
    Program,
    Read,
    Repetition,
    Tasklet,
)
from dfad.ir.walk import all_arrays, certain_reads, children, map_memlets, reads, rewrite_block, walk, writes


def hold_cells(program: Program) -> Program:
    """The Program with scalars in place of the cells that innermost loops come back to; the same object when there are none."""
    arrays = all_arrays(program)
    around = dict(_loops_around(program.body, ()))
    names = names_of(program)

    def change(node: Node) -> Node:
        if not isinstance(node, Loop) or node.parallel:
            return node
        if any(isinstance(part, Repetition | Check | Library | Exchange) for part in walk(node.body)):
            return node
        return _hold(node, _cells(node, (*around[node], node), arrays), arrays, names)

    body = rewrite_block(program.body, change)
    return program if body is program.body else replace(program, body=body)


def _loops_around(node: Node, around: tuple[Loop, ...]) -> Iterator[tuple[Loop, tuple[Loop, ...]]]:
    """Each loop with those around it, outermost first."""
    if isinstance(node, Loop):
        yield node, around
        around = (*around, node)
    for child in children(node):
        yield from _loops_around(child, around)


# ---------------------------------------------------------------- which cells


def _cells(loop: Loop, around: Sequence[Loop], arrays: dict[str, Array]) -> list[Memlet]:
    """The cells that can be held, in order of the text."""
    inside = list(walk(loop.body))
    accesses = list(dict.fromkeys(memlet for node in inside for memlet in (*reads(node), *writes(node))))
    written = {memlet.array for node in inside for memlet in writes(node)}
    own = {array.name for node in inside if isinstance(node, Block) for array in node.arrays}
    changing = written | {loop.index.name} | own
    certain = set(_certain(loop.body))
    return [
        cell
        for cell in accesses
        if cell.array in written - own and arrays[cell.array].rank > 0 and cell in certain
        if not any(symbol.name in changing for symbol in cell.symbols())
        if all(other == cell or other.array != cell.array or _differ(cell, other, around) for other in accesses)
    ]


def _certain(block: Block) -> Iterator[Memlet]:
    """What the block touches whatever happens."""
    for node in block.body:
        match node:
            case Block():
                yield from _certain(node)
            case Branch():
                yield from certain_reads(node.guard)
            case Tasklet():
                yield node.write
                yield from certain_reads(node.value)
            case _:
                return


def _differ(cell: Memlet, other: Memlet, around: Sequence[Loop]) -> bool:
    """Whether the two are different elements in every iteration."""
    return any(
        _is_positive(a - b, around) or _is_positive(b - a, around)
        for a, b in zip(cell.subset, other.subset, strict=True)
        if not isinstance(a, Range) and not isinstance(b, Range)
    )


def _is_positive(value: sympy.Expr, around: Sequence[Loop]) -> bool:
    """Whether an affine value is at least 1 for all indices of the loops: each index, innermost first, is put at its worst end."""
    value = sympy.expand(value)
    for loop in reversed(around):
        if value.is_Integer:
            break
        slope = value.coeff(loop.index)
        if slope == 0:
            continue
        if not slope.is_Integer:
            return False
        lowest, highest = (loop.start, loop.stop - 1) if loop.step > 0 else (loop.stop + 1, loop.start)
        value = sympy.expand(value.subs(loop.index, lowest if slope > 0 else highest))
    return bool(value.is_Integer and value >= 1)


# ---------------------------------------------------------------- holding them


def _hold(loop: Loop, cells: Sequence[Memlet], arrays: dict[str, Array], names: Names) -> Node:
    if not cells:
        return loop
    held = {cell: Array(names.fresh(f"{cell.array}_cell"), arrays[cell.array].dtype) for cell in cells}
    written = {memlet for node in walk(loop.body) for memlet in writes(node)}

    def at(node: Node) -> Node:
        return map_memlets(node, lambda memlet: Memlet(held[memlet].name) if memlet in held else memlet)

    loads = [_copy(Memlet(array.name), cell, array, loop, "load") for cell, array in held.items()]
    stores = [_copy(cell, Memlet(array.name), array, loop, "store") for cell, array in held.items() if cell in written]
    inner = replace(loop, body=rewrite_block(loop.body, at))
    block = Block(tuple(held.values()), (*loads, inner, *stores))
    runs = Apply("lt" if loop.step > 0 else "gt", (Integer(loop.start), Integer(loop.stop)), BOOL)
    return Branch(runs, block, Block((), ()), loop.where, f"{loop.key}:runs")


def _copy(write: Memlet, read: Memlet, scalar: Array, loop: Loop, purpose: str) -> Tasklet:
    return Tasklet(write, Read(read, scalar.dtype), loop.where, f"{loop.key}:{purpose} {scalar.name}")
