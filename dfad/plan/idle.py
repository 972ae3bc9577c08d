"""Regions that have nothing to undo: whether they ran, and how often, is nobody's demand.

A region of the forward sweep is *idle* when its reverse holds no leaf, when nothing inside it records for a demand elsewhere, and when it
exchanges no arrays, since an exchange may have to be undone (record.py). The reverse of an idle region is an empty Block.
"""

from __future__ import annotations

from collections.abc import Iterator

from dfad.ir.nodes import Block, Branch, Exchange, Library, Loop, Node, Tasklet, While
from dfad.ir.walk import rewrite_block, walk
from dfad.plan.demands import Demands


def idle_regions(forward: Block, reverse: Block, demands: Demands | None) -> frozenset[str]:
    """The keys of the idle regions of the forward sweep; without demands, of those that are idle when nothing inside records."""
    busy = {_original(node.key) for node in _regions(reverse) if _holds_a_leaf(node)}
    records = set() if demands is None else {demands.versions.statements[key].node for key in demands.records}
    return frozenset(node.key for node in _regions(forward) if node.key not in busy and not _must_be_undone(node, records))


def without_idle(reverse: Block, idle: frozenset[str]) -> Block:
    """The reverse sweep with an empty Block in place of each idle region's reverse."""

    def empty(node: Node) -> Node:
        return Block((), ()) if isinstance(node, Loop | Branch) and _original(node.key) in idle else node

    return rewrite_block(reverse, empty)


def _original(key: str) -> str:
    return key.removeprefix("~")


def _regions(block: Block) -> Iterator[Loop | While | Branch]:
    return (node for node in walk(block) if isinstance(node, Loop | While | Branch))


def _holds_a_leaf(node: Node) -> bool:
    return any(isinstance(inner, Tasklet | Library | Exchange) for inner in walk(node))


def _must_be_undone(node: Node, records: set[Node]) -> bool:
    return any(isinstance(inner, Exchange) or inner in records for inner in walk(node))
