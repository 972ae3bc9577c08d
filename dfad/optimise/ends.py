"""A loop with a way out ends there: from ``for k: if not left: ...`` to ``while k < trips and not left: ...``.

In: a PRIMAL Program, in which a loop that may be left runs all its trips, those after the exit empty (frontend/exits.py). Out: the same in
which such a Loop is a While, with no empty trips: neither sweep makes them, and nothing is recorded for them. What stays true: every value.
The body is one Branch, whose guard reads scalars that live outside and does not name the index: once it is false nothing can make it true.
What it does not do: a loop of scalars inside another loop, which keeps its range, so that what it records lies in a box and the trips of
the outer loop stay independent.
"""

from __future__ import annotations

from dataclasses import replace

import sympy

from dfad.ir.algebra import both, compare
from dfad.ir.dtype import I64
from dfad.ir.memlet import Memlet, symbol
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Array, Block, Branch, Integer, Loop, Node, Program, Read, Repetition, Tasklet, While
from dfad.ir.walk import expression_symbols, map_symbols, reads, substitute, walk


def end_loops(program: Program) -> Program:
    """The Program whose loops end where they are left; the same object where none is."""
    body = _block(program.body, False, names_of(program))
    return program if body is program.body else replace(program, body=body)


def _block(block: Block, is_repeated: bool, names: Names) -> Block:
    nodes = tuple(_node(node, is_repeated, names) for node in block.body)
    return block if all(new is old for new, old in zip(nodes, block.body, strict=True)) else replace(block, body=nodes)


def _node(node: Node, is_repeated: bool, names: Names) -> Node:
    match node:
        case Block():
            return _block(node, is_repeated, names)
        case Branch():
            then, orelse = _block(node.then, is_repeated, names), _block(node.orelse, is_repeated, names)
            return node if then is node.then and orelse is node.orelse else replace(node, then=then, orelse=orelse)
        case Loop() | While():
            return _repetition(node, is_repeated, names)
        case _:
            return node


def _repetition(node: Repetition, is_repeated: bool, names: Names) -> Node:
    body = _block(node.body, True, names)
    changed = node if body is node.body else replace(node, body=body)
    has_loops = any(isinstance(part, Repetition) for part in walk(node.body))
    if not isinstance(changed, Loop) or (is_repeated and not has_loops):
        return changed
    branch = _way_out(changed)
    return changed if branch is None else _ended(changed, branch, names)


def _way_out(loop: Loop) -> Branch | None:
    """The Branch that the body consists of, where its guard stays false once it is."""
    match loop.body:
        case Block(arrays=(), body=(Branch(orelse=Block(body=())) as branch,)):
            is_fixed = loop.index not in expression_symbols(branch.guard) and all(not memlet.subset for memlet in reads(branch))
            return branch if is_fixed and reads(branch) else None
        case _:
            return None


def _ended(loop: Loop, branch: Branch, names: Names) -> Block:
    """The loop as a While that counts its trips in a scalar, since a guard names no index."""
    passed = Array(names.fresh(f"{loop.index}_passed"), I64)
    index = loop.index if loop.start == 0 and loop.step == 1 else symbol(names.fresh(f"{loop.index}_number"))
    sign = 1 if loop.step > 0 else -1
    trips = loop.stop if index == loop.index else sympy.floor((loop.stop - loop.start - sign) / sympy.Integer(loop.step)) + 1
    body = map_symbols(branch.then, substitute({loop.index: loop.start + index * loop.step}))
    begin = Tasklet(Memlet(passed.name), Integer(sympy.Integer(0)), loop.where, f"{loop.key}=0")
    step = Tasklet(Memlet(passed.name), Integer(index + 1), loop.where, f"{loop.key}+1")
    guard = both(compare("lt", Read(Memlet(passed.name), I64), Integer(trips)), branch.guard)
    assert isinstance(body, Block)
    inside = replace(body, body=(*body.body, step))
    return Block((passed,), (begin, While(index, guard, inside, loop.where, loop.key)))
