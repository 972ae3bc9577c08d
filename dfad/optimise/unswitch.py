"""A condition that no trip of an innermost loop changes is tested once, before it.

In: any Program. Out: the same in which an innermost loop whose Branches all test one condition on symbols, without its index, becomes a
Branch over two loops, one with the guarded statements and one without. What stays true: every value. What it does not do: conditions on
data, and loops with several different conditions. (The C compiler would do the same for every condition in turn, at several times the
compile time; it is told not to.)
"""

from __future__ import annotations

from dataclasses import replace

from dfad.ir.nodes import Block, Branch, Expression, Integer, Loop, Node, Program
from dfad.ir.walk import children, map_memlets, reads, rewrite_block, walk, walk_expression


def unswitch(program: Program) -> Program:
    """The Program with the conditions that no trip changes outside of innermost loops."""
    body = rewrite_block(program.body, _switched)
    return program if body is program.body else replace(program, body=body)


def _switched(node: Node) -> Node:
    if not isinstance(node, Loop) or any(isinstance(inner, Loop) for inner in walk(node.body)):
        return node
    guards = {inner.guard for inner in node.body.body if isinstance(inner, Branch)}
    if len(guards) != 1:
        return node
    guard = guards.pop()
    if not _is_fixed(guard, node) or any(isinstance(child, Branch) for inner in node.body.body for child in _below(inner)):
        return node
    if any(array.rank or array.dtype.kind == "i" for array in node.body.arrays) or _has_inner_arrays(node.body):
        return node
    then, orelse = _one_side(node, guard, True), _one_side(node, guard, False)
    return Branch(guard, Block((), then), Block((), orelse), node.where, f"{node.key}?")


def _is_fixed(guard: Expression, loop: Loop) -> bool:
    own = {array.name for array in loop.body.arrays} | {loop.index.name}
    symbols = {item.name for part in walk_expression(guard) if isinstance(part, Integer) for item in part.value.free_symbols}
    return not symbols & own and not any(reads(inner) for inner in loop.body.body if isinstance(inner, Branch) and inner.guard is guard)


def _has_inner_arrays(body: Block) -> bool:
    return any(isinstance(node, Block) and node.arrays for node in walk(body) if node is not body)


def _below(node: Node) -> list[Node]:
    return [inner for child in children(node) for inner in walk(child)]


def _one_side(loop: Loop, guard: Expression, side: bool) -> tuple[Node, ...]:
    """The loop as it is on one side of the condition, its arrays and keys marked on the other; nothing when it has nothing to do there."""
    body: list[Node] = []
    for node in loop.body.body:
        body += ((node.then if side else node.orelse).body) if isinstance(node, Branch) else (node,)
    if not body:
        return ()
    one = replace(loop, body=replace(loop.body, body=tuple(body)))
    return (one if side else _twin(one),)


def _twin(loop: Loop) -> Loop:
    """A copy whose arrays and keys are its own."""
    table = {array.name: f"{array.name}_" for array in loop.body.arrays}

    def copied(node: Node) -> Node:
        node = map_memlets(node, lambda memlet: replace(memlet, array=table.get(memlet.array, memlet.array)))
        return node if isinstance(node, Block) else replace(node, key=f"{node.key}-")

    body = rewrite_block(loop.body, copied)
    arrays = tuple(replace(array, name=table[array.name]) for array in loop.body.arrays)
    return replace(loop, body=replace(body, arrays=arrays), key=f"{loop.key}-")
