"""Local values computed again: the statements of a node that compute them, and nothing else.

A *local* is an array of an inner Block (a loop body, a side of a branch), a scalar among them. Its *producers* are the nodes of that Block
with statements that write it. A replay of a node for some locals keeps the Tasklets that write them, and what these read of arrays
declared inside the node; regions stay round what is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace

from dfad.ir.memlet import Memlet, symbol
from dfad.ir.names import Names
from dfad.ir.nodes import Block, Branch, Check, Exchange, Expression, Library, Loop, Node, Read, Tasklet, While
from dfad.ir.walk import children, map_node_expressions, map_symbols, reads, rename_arrays, rewrite, substitute, symbol_names, walk, writes
from dfad.plan.demands import at_entry


@dataclass(frozen=True, slots=True)
class Replay:
    """What computes some locals again.

    Attributes
    ----------
    node : Node
        A node of the Block with all but the needed statements removed; its keys and names are those of the forward sweep.
    inner : frozenset of str
        The arrays declared inside, which it needs.
    operands : tuple of (str, Memlet)
        What it reads of other arrays, each with the key of the reader.
    symbols : frozenset of str
        What its bounds and subsets name, but for its own indices.
    """

    node: Node
    inner: frozenset[str]
    operands: tuple[tuple[str, Memlet], ...]
    symbols: frozenset[str]


def replay_of(node: Node, names: frozenset[str]) -> Replay:
    """The part of a node of a Block that writes the named locals."""
    kept = _with_inner(node, names)
    part = rewrite(node, lambda inner: _without(inner, kept))
    inside = kept - names
    found = [(reader.key, memlet) for reader in _readers(part) for memlet in reads(reader) if memlet.array not in kept]
    indices = {inner.index.name for inner in walk(part) if isinstance(inner, Loop | While)}
    symbols = frozenset(name for inner in walk(part) for name in symbol_names(inner)) - indices
    return Replay(part, inside, tuple(dict.fromkeys(found)), symbols)


def is_cheap(node: Node, names: frozenset[str]) -> bool:
    """Whether the replay does a bounded number of operations for each element: no products of matrices, no sums over a loop."""
    kept = _with_inner(node, names)
    if any(isinstance(inner, Library) and inner.write.array in kept for inner in walk(node)):
        return False
    replay = replay_of(node, names)
    return all(_is_cheap_below(replay.node, names))


def _is_cheap_below(node: Node, names: frozenset[str]) -> Iterator[bool]:
    """For each loop and statement: a loop must have an index of its own in every write of a named local below it."""
    match node:
        case While():
            yield False
        case Loop():
            targets = [memlet for below in walk(node) for memlet in writes(below) if memlet.array in names]
            yield bool(targets)
            yield all(node.index in memlet.symbols() for memlet in targets)
            yield from _is_cheap_below(node.body, names)
        case _:
            for child in children(node):
                yield from _is_cheap_below(child, names)


def with_entries(replay: Replay, entries: Set[tuple[str, Memlet]]) -> Replay:
    """The replay with the values at entry in place of what these operands, by key of the reader, are in the working copy."""

    def change(node: Node) -> Node:
        def leaf(part: Expression) -> Expression:
            if isinstance(part, Read) and isinstance(node, Tasklet | Branch) and (node.key, part.memlet) in entries:
                return replace(part, memlet=at_entry(part.memlet))
            return part

        return map_node_expressions(node, leaf)

    return replace(replay, node=rewrite(replay.node, change))


def renamed(replay: Replay, names: Names, mark: str) -> Node:
    """The node of a replay as a part of the reverse sweep: fresh names for what it declares, marked keys."""
    table = {name: names.fresh(f"{name}_again") for name in sorted(replay.inner)}

    def change(node: Node) -> Node:
        node = rename_arrays(node, table)
        if isinstance(node, Block):
            return replace(node, arrays=tuple(replace(array, name=table.get(array.name, array.name)) for array in node.arrays))
        return replace(node, key=f"~{node.key}{mark}")

    found = rewrite(replay.node, change)
    return map_symbols(found, substitute({symbol(old): symbol(new) for old, new in table.items()})) if table else found


def _with_inner(node: Node, names: frozenset[str]) -> frozenset[str]:
    """The named locals and the arrays declared inside the node that their statements need."""
    declared = {array.name for inner in walk(node) if isinstance(inner, Block) for array in inner.arrays}
    kept = names
    while True:
        needed = {name for inner in _around(node, kept) for name in (*(memlet.array for memlet in reads(inner)), *symbol_names(inner))}
        grown = kept | (needed & declared)
        if grown == kept:
            return kept
        kept = grown


def _around(node: Node, kept: frozenset[str]) -> Iterator[Node]:
    """The statements below that write one of the arrays, and the regions round them."""
    if any(memlet.array in kept for inner in walk(node) for memlet in writes(inner)):
        yield node
        for child in children(node):
            yield from _around(child, kept)


def _readers(part: Node) -> Iterator[Tasklet | Branch | While]:
    return (inner for inner in walk(part) if isinstance(inner, Tasklet | Branch | While))


def _without(node: Node, kept: frozenset[str]) -> Node | tuple[Node, ...]:
    match node:
        case Tasklet():
            return node if node.write.array in kept else ()
        case Library() | Exchange() | Check():
            return ()
        case Block():
            return replace(node, arrays=tuple(array for array in node.arrays if array.name in kept))
        case Loop():
            return node if _does_something(node.body) else ()
        case Branch():
            return node if _does_something(node.then) or _does_something(node.orelse) else ()
        case _:
            return node


def _does_something(block: Block) -> bool:
    """Whether there is more in it than Blocks in which nothing is left."""
    return any(not isinstance(node, Block) or _does_something(node) for node in block.body)
