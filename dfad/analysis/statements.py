"""The statements of a sweep, numbered in the order of the text, each with what surrounds it.

A *statement* is a leaf, a Branch or While (its guard), or the end of a Block (an overwrite of the arrays that the Block declares).
Loops and statements take numbers in the order of the text; a Branch or While takes a second one behind what it holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import sympy

from dfad.errors import CompilerBug
from dfad.ir.memlet import Memlet, Range
from dfad.ir.nodes import Block, Branch, Check, Exchange, Expression, Library, Loop, Node, Repetition, Tasklet, While


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """One statement with what surrounds it.

    ``order`` holds the numbers of the loops around it and its own; ``guards`` the Branches around it with the side taken;
    ``exit`` is the number just after its region (for a Branch or While), otherwise its own.
    """

    key: str
    node: Node
    loops: tuple[Repetition, ...]
    guards: tuple[tuple[Expression, bool], ...]
    order: tuple[int, ...]
    exit: int


@dataclass(slots=True)
class _Walk:
    """The state of one walk over the text."""

    number: int = 0
    found: list[Statement] = field(default_factory=list)


def statements(root: Block) -> list[Statement]:
    """Every statement below ``root``, the end of each region behind what is in it; the end of a Block has a key that begins with
    ``end:``."""
    state = _Walk()
    _visit_block(root, "end:", (), (), (), state)
    return state.found


def _visit_block(
    block: Block,
    key: str,
    loops: tuple[Repetition, ...],
    guards: tuple[tuple[Expression, bool], ...],
    order: tuple[int, ...],
    state: _Walk,
) -> None:
    for node in block.body:
        state.number += 1
        here = state.number
        match node:
            case Block():
                _visit_block(node, f"{key}.{here}", loops, guards, order, state)
            case Loop():
                _visit_block(node.body, f"end:{node.key}", (*loops, node), guards, (*order, here), state)
            case While():
                _visit_block(node.body, f"end:{node.key}", (*loops, node), guards, (*order, here), state)
                state.number += 1
                state.found.append(Statement(node.key, node, loops, guards, (*order, here), state.number))
            case Branch():
                _visit_block(node.then, f"end:{node.key}.then", loops, (*guards, (node.guard, True)), order, state)
                _visit_block(node.orelse, f"end:{node.key}.else", loops, (*guards, (node.guard, False)), order, state)
                state.number += 1
                state.found.append(Statement(node.key, node, loops, guards, (*order, here), state.number))
            case Tasklet() | Library() | Exchange() | Check():
                state.found.append(Statement(node.key, node, loops, guards, (*order, here), here))
            case _:
                raise CompilerBug(f"no such node: {node!r}")
    state.number += 1
    state.found.append(Statement(key, block, loops, guards, (*order, state.number), state.number))


def written_cells(statement: Statement) -> Iterator[Memlet]:
    """The memlets that the statement overwrites; the end of a Block overwrites all of the arrays declared there."""
    match statement.node:
        case Tasklet() | Library():
            yield statement.node.write
        case Block():
            for array in statement.node.arrays:
                yield Memlet(array.name, tuple(Range(sympy.Integer(0), extent) for extent in array.shape))
        case Branch() | While() | Exchange() | Check():
            return
        case _:
            raise CompilerBug(f"no such statement: {statement.node!r}")
