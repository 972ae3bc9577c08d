"""Arrays of which each trip of a loop uses a part of its own shrink to that part.

In: any Program. Out: the same in which an array that one loop alone uses, every access of it following the loop's index by the same shift
in some dimension, is declared inside the loop without this dimension; again inside that loop, down to a scalar:

    e: f8[N, M]                                           for i in range(N):
    for i in range(N):                                        e: f8[M]
        for j in range(M): e[i, j] = exp(x[i, j])     ->      for j in range(M): e[j] = exp(x[i, j])
        for j in range(M): s[i] += e[i, j]                    for j in range(M): s[i] += e[j]

What stays true: every value, since no trip can read what another wrote, and the array was undefined at entry. Additions to a scalar of an
innermost body become assignments. What it does not do: parameters, exchanged arrays, arrays used at several places of their Block.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import sympy

from dfad.analysis.joining import varying_in
from dfad.ir.lifetimes import used_names
from dfad.ir.memlet import Memlet, Range
from dfad.ir.nodes import Apply, Array, Block, Loop, Node, Program, Read, Repetition, Role, Tasklet
from dfad.ir.walk import exchanged, map_memlets, reads, rewrite_block, walk, writes

Item = TypeVar("Item")


def contract(program: Program) -> Program:
    """The Program with contracted arrays; the same object when there are none."""
    fixed = exchanged(program.body)
    body = rewrite_block(program.body, lambda node: _in_block(node, fixed) if isinstance(node, Block) else node)
    return program if body is program.body else replace(program, body=body)


def _in_block(block: Block, fixed: frozenset[str]) -> Block:
    """The Block with its own arrays contracted as far as possible."""
    for array in block.arrays:
        loop = _only_loop(block, array.name) if array.rank and array.name not in fixed else None
        found = frozenset[int]() if loop is None else _dimensions(loop, array)
        if loop is not None and found:
            block = _moved(block, array, loop, found)
    return block


def _only_loop(block: Block, name: str) -> Loop | None:
    """The one loop, in this Block or in a plain one inside it, that uses the array."""
    users = [node for node in block.body if name in used_names(node)]
    match users:
        case [Loop() as loop]:
            return loop
        case [Block() as inner]:
            return _only_loop(inner, name)
        case _:
            return None


def _dimensions(loop: Loop, array: Array) -> frozenset[int]:
    """The dimensions that go: one in which every access follows the index by one shift, and those of extent 1; none without the first."""
    memlets = [memlet for node in walk(loop) for memlet in (*reads(node), *writes(node)) if memlet.array == array.name]
    varying = varying_in(loop)
    units = {at for at, extent in enumerate(array.shape) if extent == 1 and not any(isinstance(one.subset[at], Range) for one in memlets)}
    for dimension in range(array.rank):
        shifts = {_shift(memlet, dimension, loop.index) for memlet in memlets}
        shift = shifts.pop()
        if not shifts and shift is not None and not shift.free_symbols & {loop.index, *varying}:
            return frozenset({dimension, *units})
    return frozenset()


def _shift(memlet: Memlet, dimension: int, index: sympy.Symbol) -> sympy.Expr | None:
    subscript = memlet.subset[dimension]
    return None if isinstance(subscript, Range) or index not in subscript.free_symbols else sympy.expand(subscript - index)


def _moved(block: Block, array: Array, loop: Loop, dimensions: frozenset[int]) -> Block:
    """The Block with the array declared in the loop, without those dimensions."""
    role = Role.LOCAL if array.role is Role.TAPE else array.role
    part = replace(array, shape=_without(array.shape, dimensions), role=role)

    def smaller(memlet: Memlet) -> Memlet:
        return Memlet(memlet.array, _without(memlet.subset, dimensions)) if memlet.array == array.name else memlet

    def change(node: Node) -> Node:
        node = map_memlets(node, smaller)
        if isinstance(node, Block) and array in node.arrays:
            node = replace(node, arrays=tuple(one for one in node.arrays if one is not array))
        if isinstance(node, Loop) and node.key == loop.key:
            body = replace(node.body, arrays=(*node.body.arrays, part))
            node = replace(node, body=_in_block(body, frozenset()) if part.rank else _plainly(body, part))
        return node

    return rewrite_block(block, change)


def _without(items: tuple[Item, ...], dimensions: frozenset[int]) -> tuple[Item, ...]:
    return tuple(item for at, item in enumerate(items) if at not in dimensions)


def _plainly(block: Block, scalar: Array) -> Block:
    """The innermost body with each addition to a scalar of its own as an assignment: it is no sum over trips."""
    if scalar.rank or any(isinstance(node, Repetition) for node in walk(block)):
        return block

    def change(node: Node) -> Node:
        if not isinstance(node, Tasklet) or node.write.array != scalar.name or not node.accumulate:
            return node
        value = Apply("add", (Read(node.write, scalar.dtype), node.value), scalar.dtype)
        return replace(node, value=value, accumulate=False, reassociable=False)

    return rewrite_block(block, change)
