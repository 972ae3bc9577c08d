"""A condition that no trip of an innermost loop changes is tested once, before it.

In: any Program. Out: the same in which an innermost loop whose Branches all test one condition on symbols, without its index, becomes a
Branch over two loops, one with the guarded statements and one without. What stays true: every value. What it does not do: conditions on
data, and loops with several different conditions. (The C compiler would do the same for every condition in turn, at several times the
compile time; it is told not to.)
"""

from __future__ import annotations

from dataclasses import replace

from dfad.ir.memlet import symbol
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Block, Branch, Expression, Loop, Node, Program, Repetition
from dfad.ir.walk import expression_symbols, map_symbols, reads, rename_arrays, rewrite_block, substitute, walk


def unswitch(program: Program) -> Program:
    """The Program with the conditions that no trip changes outside of innermost loops."""
    names = names_of(program)
    body = rewrite_block(program.body, lambda node: _switched(node, names) if isinstance(node, Loop) else node)
    return program if body is program.body else replace(program, body=body)


def _switched(loop: Loop, names: Names) -> Node:
    guard = _only_guard(loop)
    if guard is None or not _is_fixed(guard, loop) or not _can_be_copied(loop):
        return loop
    then, orelse = _one_side(loop, True), tuple(_twin(side, names) for side in _one_side(loop, False))
    return Branch(guard, Block((), then), Block((), orelse), loop.where, f"{loop.key}?")


def _only_guard(loop: Loop) -> Expression | None:
    """The condition of all Branches of an innermost loop, which stand directly in its body; None for none or several."""
    inside = [node for node in walk(loop.body) if isinstance(node, Repetition | Branch)]
    guards = {node.guard for node in loop.body.body if isinstance(node, Branch)}
    is_flat = all(isinstance(node, Branch) and node in loop.body.body for node in inside)
    return guards.pop() if is_flat and len(guards) == 1 else None


def _is_fixed(guard: Expression, loop: Loop) -> bool:
    """Whether the condition reads no data and names nothing that the loop binds or declares."""
    own = {array.name for array in loop.body.arrays} | {loop.index.name}
    tests = (node for node in loop.body.body if isinstance(node, Branch))
    return not own & {item.name for item in expression_symbols(guard)} and not any(reads(test) for test in tests)


def _can_be_copied(loop: Loop) -> bool:
    """Whether the loop declares nothing but scalars of its body that no subset names."""
    inner = any(node.arrays for node in walk(loop.body) if isinstance(node, Block) and node is not loop.body)
    return not inner and not any(array.rank or array.dtype.kind == "i" for array in loop.body.arrays)


def _one_side(loop: Loop, side: bool) -> tuple[Loop, ...]:
    """The loop as it is on one side of the condition; nothing when it has nothing to do there."""
    body: list[Node] = []
    for node in loop.body.body:
        body += (node.then if side else node.orelse).body if isinstance(node, Branch) else (node,)
    return (replace(loop, body=replace(loop.body, body=tuple(body))),) if body else ()


def _twin(loop: Loop, names: Names) -> Loop:
    """A copy whose index, arrays and keys are its own."""
    index = symbol(names.fresh(loop.index.name))
    table = {array.name: names.fresh(array.name) for array in loop.body.arrays}

    def copied(node: Node) -> Node:
        node = rename_arrays(node, table)
        return node if isinstance(node, Block) else replace(node, key=f"{node.key}-")

    body = map_symbols(rewrite_block(loop.body, copied), substitute({loop.index: index}))
    assert isinstance(body, Block)
    arrays = tuple(replace(array, name=table[array.name]) for array in loop.body.arrays)
    return replace(loop, index=index, body=replace(body, arrays=arrays), key=f"{loop.key}-")
