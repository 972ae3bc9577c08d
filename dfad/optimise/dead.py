"""Dead code: statements whose result nobody reads.

In: a PLANNED Program. Out: the same without the writes to arrays that are not read afterwards, and without the arrays that are left
unused. Liveness is by array: an array is live at a point when a later statement may read it or it is a result; a plain write to a scalar
ends its life. What stays true: the results. The cells of an array are told apart in perfect
nests only (unread.py).
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from dfad.errors import CompilerBug
from dfad.ir.lifetimes import used_names
from dfad.ir.nodes import Block, Branch, Check, Exchange, Library, Loop, Node, Program, Repetition, Tasklet, While
from dfad.ir.walk import all_arrays, reads, rewrite_block, symbol_names, walk
from dfad.optimise.unread import without_unread


def remove_dead(program: Program) -> Program:
    """The Program without dead statements."""
    shapes = {item.name for array in all_arrays(program).values() for extent in array.shape for item in extent.free_symbols}
    live = {*program.results, *shapes, *(extent for _, extents in program.extents for extent in extents)}
    body = replace(program.body, body=_sweeps(program.body, live))
    used = shapes | used_names(body) | {name for node in walk(body) for name in symbol_names(node)}
    return replace(program, body=rewrite_block(body, lambda node: _trimmed(node, used) if isinstance(node, Block) else node))


def _trimmed(block: Block, used: Set[str]) -> Block:
    """The Block without the arrays that nothing uses."""
    kept = tuple(array for array in block.arrays if array.name in used)
    return block if len(kept) == len(block.arrays) else replace(block, arrays=kept)


def _sweeps(body: Block, live: set[str]) -> tuple[Node, ...]:
    """The outermost statements; a sweep stays even when it has nothing left to do."""
    kept: list[Node] = []
    for node in reversed(body.body):
        found = _block(node, live) if isinstance(node, Block) else _node(node, live)
        kept += [] if found is None else [found]
    return tuple(reversed(kept))


def _block(block: Block, live: set[str]) -> Block:
    """The Block without dead statements; ``live`` is what is live after it, and becomes what is live before it."""
    body: list[Node] = []
    for node in reversed(block.body):
        kept = _node(node, live)
        if kept is not None:
            body.append(kept)
    return replace(block, body=tuple(reversed(body)))


def _node(node: Node, live: set[str]) -> Node | None:
    match node:
        case Block():
            inner = _block(node, live)
            return inner if inner.body else None
        case Loop():
            return _loop(node, live)
        case While():
            live |= _reads(node)
            return replace(node, body=_repeated(node, live))
        case Branch():
            return _branch(node, live)
        case Tasklet() | Library():
            return _write(node, live)
        case Exchange():
            return _exchange(node, live)
        case Check():
            live |= _reads(node)
            return node
        case _:
            raise CompilerBug(f"no such node: {node!r}")


def _write(node: Tasklet | Library, live: set[str]) -> Node | None:
    if node.write.array not in live:
        return None
    if isinstance(node, Tasklet) and not node.write.subset and not node.accumulate:
        live.discard(node.write.array)
    live |= _reads(node)
    return node


def _exchange(node: Exchange, live: set[str]) -> Node | None:
    if node.first not in live and node.second not in live:
        return None
    live |= {node.first, node.second}
    return node


def _loop(node: Loop, live: set[str]) -> Node | None:
    """The loop without dead statements; None where nothing is left."""
    node = without_unread(node, live)
    body = _repeated(node, live)
    if not body.body:
        return None
    live |= _reads(node)
    return replace(node, body=body)


def _repeated(node: Repetition, live: set[str]) -> Block:
    """The body without dead statements, to a fixed point: what it reads is live after the trip before it."""
    while True:
        before = set(live)
        body = _block(node.body, live)
        live |= before
        if live == before:
            return body


def _branch(node: Branch, live: set[str]) -> Node | None:
    other = set(live)
    then, orelse = _block(node.then, live), _block(node.orelse, other)
    live |= other
    if not then.body and not orelse.body:
        return None
    live |= _reads(node)
    return replace(node, then=then, orelse=orelse)


def _reads(node: Node) -> set[str]:
    """The arrays that the node itself reads, integer scalars named by its symbols included."""
    return {memlet.array for memlet in reads(node)} | symbol_names(node)
