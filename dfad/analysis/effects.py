"""What a node touches, by array, and whether two nodes may change places.

Two nodes *conflict* when running them in the other order could show: they touch one array, and not both only read it, or only add to it
in any order; a Check stands in the way of what it guards, of another Check, and of writes that a caller sees when it fails. Who touches an
array reads the integer scalars that its shape names: they are known before the first step that uses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from dfad.ir.nodes import Array, Block, Check, Node, Tasklet
from dfad.ir.walk import exchanged, reads, shape_symbols, symbol_names, walk, writes


@dataclass(frozen=True, slots=True)
class Effects:
    """Arrays and symbols that a node reads, arrays that it writes, and those of them that it only adds to, in any order.

    ``checks``: it may end the call. ``shows``: it writes what the caller sees although the call fails.
    """

    reads: frozenset[str]
    writes: frozenset[str]
    adds: frozenset[str]
    checks: bool
    shows: bool

    @property
    def touches(self) -> frozenset[str]:
        """All names."""
        return self.reads | self.writes


def sizes_of(arrays: Mapping[str, Array]) -> dict[str, frozenset[str]]:
    """Array -> the integer scalars that its shape names, where there are some."""
    named = {name: frozenset(item.name for item in shape_symbols(array)) & arrays.keys() for name, array in arrays.items()}
    return {name: scalars for name, scalars in named.items() if scalars}


def effects_of(node: Node, visible: Set[str], sizes: Mapping[str, frozenset[str]]) -> Effects:
    """The effects of a node with those below it; ``visible``: the arrays of the caller; ``sizes``: as `sizes_of` gives them."""
    nodes = list(walk(node))
    moved = exchanged(node)
    read = {name for part in nodes for name in (*symbol_names(part), *(memlet.array for memlet in reads(part)))} | moved
    read |= {item.name for part in nodes if isinstance(part, Block) for one in part.arrays for e in one.shape for item in e.free_symbols}
    written = {memlet.array for part in nodes for memlet in writes(part)} | moved
    read |= {scalar for name in (read | written) & sizes.keys() for scalar in sizes[name]}
    plain = {memlet.array for part in nodes if not is_free_sum(part) for memlet in writes(part)}
    return Effects(
        frozenset(read),
        frozenset(written),
        frozenset(written - plain - read),
        any(isinstance(part, Check) for part in nodes),
        bool(written & visible),
    )


def is_free_sum(node: Node) -> bool:
    """Whether the node adds to a cell in any order."""
    return isinstance(node, Tasklet) and node.accumulate and node.reassociable


def conflict(first: Effects, second: Effects) -> bool:
    """Whether the second, which stands behind the first, must stay there."""
    if first.checks or (second.checks and first.shows):
        return True
    common = (first.writes & second.touches) | (second.writes & first.touches)
    return bool(common - (first.adds & second.adds))
