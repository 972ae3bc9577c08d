"""The inner Blocks of the forward sweep side by side with their reverses, and when the reverse needs what is local to each.

The reverse of a Block runs through the reverses of its nodes from the last to the first. A local that is needed is there in time when it
comes back at the *place* of the last node that needs it: right before the reverse of that node, or, for a Tasklet that needs it as an
operand, in that reverse, behind the restore of what the Tasklet overwrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dfad.analysis.statements import Statement
from dfad.analysis.versions import Point
from dfad.errors import CompilerBug
from dfad.ir.nodes import Block, Branch, Loop, Node, Tasklet, While
from dfad.ir.walk import reads, walk
from dfad.plan.demands import Demands, demands_in

Place = tuple[int, bool]
"""The position of a node in its Block, and whether the place is right before the reverse of the node (True) or inside it. A greater
place comes earlier in the reverse."""


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """An inner Block.

    Attributes
    ----------
    forward, reverse : Block
        The Block and its reverse; ``reverse.body`` begins with a prelude.
    end : Statement
        The end of the Block.
    position : dict
        Key of a statement below -> the position of the node of the Block that holds it.
    first, behind : tuple of int
        For each node of the Block the number of its first statement in the body of the loop, and the next one behind it.
    """

    forward: Block
    reverse: Block
    end: Statement
    position: dict[str, int]
    first: tuple[int, ...]
    behind: tuple[int, ...]

    @property
    def names(self) -> frozenset[str]:
        """The arrays of the Block."""
        return frozenset(array.name for array in self.forward.arrays)

    @property
    def last(self) -> Place:
        """The place at the end of the Block."""
        return len(self.forward.body) - 1, True

    def point(self, place: Place) -> Point:
        """The moment of the forward sweep whose values the arrays have at the place."""
        position, before = place
        return Point(self.end.key, self.behind[position] if before else self.first[position])

    def needs(self) -> dict[str, Place]:
        """The locals of the Block that the reverses of its nodes read by demand, with the places where they must be back."""
        found: dict[str, Place] = {}
        for position, (node, mirror) in enumerate(zip(self.forward.body, reversed(self.reverse.body[1:]), strict=True)):
            for name, before in _needed_by(node, mirror):
                if name in self.names:
                    found[name] = max(found.get(name, (position, before)), (position, before))
        return found


def _needed_by(node: Node, mirror: Node) -> Iterator[tuple[str, bool]]:
    """What the reverse of a node needs, and whether before it begins."""
    for inner in walk(mirror):
        for demand in demands_in(inner):
            yield demand.memlet.array, demand.after or not isinstance(node, Tasklet)
        for memlet in reads(inner):
            yield memlet.array, not isinstance(node, Tasklet)


def levels(forward: Block, reverse: Block, demands: Demands) -> list[Level]:
    """The Blocks below the sweeps that have arrays of their own, inner ones before those round them."""
    statements = {statement.node: statement for statement in demands.versions.statements.values()}
    pairs = [pair for node, mirror in _mirrored(forward, reverse) for pair in _pairs(node, mirror)]
    return [_level(block, back, statements) for block, back in pairs if block.arrays and block.body]


def _mirrored(forward: Block, reverse: Block) -> Iterator[tuple[Node, Node]]:
    return zip(forward.body, reversed(reverse.body[1:]), strict=True)


def _pairs(node: Node, mirror: Node) -> Iterator[tuple[Block, Block]]:
    """The Blocks below a node, with their reverses."""
    match node, mirror:
        case Block(), Block():
            for inner, back in _mirrored(node, mirror):
                yield from _pairs(inner, back)
            yield node, mirror
        case Loop() | While(), Loop() | While():
            yield from _pairs(node.body, mirror.body)
        case Branch(), Branch():
            yield from _pairs(node.then, mirror.then)
            yield from _pairs(node.orelse, mirror.orelse)
        case _, Block():
            return
        case _:
            raise CompilerBug(f"the sweeps do not mirror each other at {node!r}")


def _level(block: Block, reverse: Block, statements: dict[Node, Statement]) -> Level:
    end = statements[block]
    depth = len(end.loops)
    position: dict[str, int] = {}
    first: list[int] = []
    behind: list[int] = []
    for place, node in enumerate(block.body):
        inside = [statements[inner] for inner in walk(node) if inner in statements]
        position |= dict.fromkeys((statement.key for statement in inside), place)
        first.append(min(statement.order[depth] for statement in inside))
        behind.append(max(_last(statement, depth) for statement in inside) + 1)
    return Level(block, reverse, end, position, tuple(first), tuple(behind))


def _last(statement: Statement, depth: int) -> int:
    return statement.exit if len(statement.loops) == depth else statement.order[depth]
