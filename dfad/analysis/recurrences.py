"""Innermost loops of statements, and what flows through them from one trip to the next.

A read has *flow* when some trip before it, or an earlier statement of the same trip, may have written the cell. Distances are those of
shifts.py; where they are unknown there may be flow.
"""

from __future__ import annotations

from dataclasses import dataclass

from dfad.analysis.shifts import Nest, Vector, access_of, distance
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Block, Branch, Expression, Integer, Loop, Node, Read, Tasklet
from dfad.ir.walk import reads, walk_expression


@dataclass(frozen=True, slots=True)
class Recurrence:
    """An innermost loop with unit step whose body holds Tasklets, and Tasklets under conditions that its index does not decide."""

    loop: Loop
    tasklets: tuple[Tasklet, ...]
    own: frozenset[str]

    def gap(self, write: Memlet, read: Memlet) -> Vector | str:
        """How many trips (in index steps) after the write the same cell is read; ``"never"`` or ``"unknown"``."""
        nest = Nest((self.loop,), self.loop.body)
        first, second = access_of(write, nest), access_of(read, nest)
        if write.array != read.array:
            return "never"
        return "unknown" if first is None or second is None else distance(first, second)

    def has_flow(self, read: Memlet, position: int) -> bool:
        """Whether the read, in statement ``position``, may see a value that the loop wrote."""
        for number, node in enumerate(self.tasklets):
            gap = self.gap(node.write, read)
            if gap == "unknown":
                return True
            if not isinstance(gap, str):
                trips = gap[0] * self.loop.step
                if trips > 0 or (trips == 0 and number < position):
                    return True
        return False

    @property
    def carries(self) -> bool:
        """Whether any array read has flow: the trips depend on each other."""
        return any(
            self.has_flow(memlet, position)
            for position, node in enumerate(self.tasklets)
            for memlet in reads(node)
            if memlet.array not in self.own
        )


def recurrence_of(node: Node) -> Recurrence | None:
    """The loop as a recurrence; None where it holds anything else."""
    if not isinstance(node, Loop) or abs(node.step) != 1:
        return None
    own = frozenset(array.name for array in node.body.arrays)
    if any(array.rank for array in node.body.arrays):
        return None
    found = [_tasklet(inner, node) for inner in node.body.body]
    plain = tuple(inner for inner in found if inner is not None)
    return Recurrence(node, plain, own) if len(plain) == len(found) else None


def _tasklet(node: Node, loop: Loop) -> Tasklet | None:
    match node:
        case Tasklet():
            return node
        case Branch(guard=guard, then=Block(arrays=(), body=(Tasklet() as inner,)), orelse=Block(body=())):
            return inner if not reads(node) and loop.index not in _symbols(guard) else None
        case _:
            return None


def _symbols(guard: Expression) -> set[object]:
    return {item for part in walk_expression(guard) if isinstance(part, Integer) for item in part.value.free_symbols}


def is_read_of(part: Expression, memlet: Memlet) -> bool:
    """Whether the expression is a read of that very element."""
    return isinstance(part, Read) and part.memlet == memlet
