"""Arrays that a sweep fills before it reads them: what was in them before is nobody's, so nothing carries them there.

Definition. A node *fills* an array when it is a nest of loops over all its cells, whose innermost body first writes the cell of the
indices, under no condition, and touches no other cell. A sequence of nodes is not *exposed* to an array when the first of them that touches
it fills it, or holds sequences that are not exposed; a loop may make no trip and a branch has two sides, so the sequence behind them must
not be exposed either.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Array, Block, Branch, Loop, Node, Tasklet
from dfad.ir.walk import exchanged, reads, walk, writes


class Content(Enum):
    """What some nodes do with what is in an array before they run."""

    LEFT = "do not look at it"
    GONE = "fill the array before they look at it"
    SEEN = "may read it"


def filled_first(sweep: Block, arrays: Sequence[Array]) -> frozenset[str]:
    """The arrays, of rank above 0, of which the sweep reads nothing that was there before."""
    moved = exchanged(sweep)
    fixed = (array for array in arrays if array.rank and not array.grows and array.name not in moved)
    return frozenset(array.name for array in fixed if _in_all(sweep.body, array) is not Content.SEEN)


def _in_all(nodes: Sequence[Node], array: Array) -> Content:
    for node in nodes:
        found = _in(node, array)
        if found is not Content.LEFT:
            return found
    return Content.LEFT


def _in(node: Node, array: Array) -> Content:
    if not any(_touches(inner, array) for inner in walk(node)):
        return Content.LEFT
    match node:
        case Block():
            return _in_all(node.body, array)
        case Branch() if _touches(node, array):  # its condition reads it
            return Content.SEEN
        case Loop() if _fills(node, array, ()):
            return Content.GONE
        case Loop():
            return Content.SEEN if _in(node.body, array) is Content.SEEN else Content.LEFT
        case Branch():
            sides = {_in(node.then, array), _in(node.orelse, array)}
            return Content.SEEN if Content.SEEN in sides else Content.LEFT if Content.LEFT in sides else Content.GONE
        case _:
            return Content.SEEN


def _touches(node: Node, array: Array) -> bool:
    return any(memlet.array == array.name for memlet in (*reads(node), *writes(node)))


def _fills(loop: Loop, array: Array, around: tuple[Loop, ...]) -> bool:
    """Whether the nest, of which the loops around it are a part, fills the array."""
    loops = (*around, loop)
    inside = [node for node in _flat(loop.body) if any(_touches(inner, array) for inner in walk(node))]
    if len(inside) == 1 and isinstance(inside[0], Loop):
        return _fills(inside[0], array, loops)
    cell = Memlet(array.name, tuple(one.index for one in loops))
    if len(loops) != array.rank or not all(_covers(one, extent) for one, extent in zip(loops, array.shape, strict=True)):
        return False
    first = inside[0]
    if not isinstance(first, Tasklet) or first.write != cell or first.accumulate or cell in reads(first):
        return False
    touched = (memlet for node in inside for part in walk(node) for memlet in (*reads(part), *writes(part)))
    return all(memlet == cell for memlet in touched if memlet.array == array.name)


def _flat(block: Block) -> list[Node]:
    """The nodes of a Block and of plain Blocks in it, in order."""
    return [inner for node in block.body for inner in (_flat(node) if isinstance(node, Block) else (node,))]


def _covers(loop: Loop, extent: object) -> bool:
    """Whether the index takes each value from 0 to below the extent."""
    first, last = (loop.start, loop.stop - 1) if loop.step == 1 else (loop.stop + 1, loop.start)
    return abs(loop.step) == 1 and first == 0 and last + 1 == extent
