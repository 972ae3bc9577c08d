"""Innermost loops of statements, and what flows through them from one trip to the next.

A read has *flow* when a trip before it, or an earlier statement of the same trip, may have written the cell (shifts.py, clause 3).
"""

from __future__ import annotations

from dataclasses import dataclass

from dfad.analysis.shifts import Nest, Unmet, access_of, gap_between, guarded, may_flow
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Loop, Node, Tasklet
from dfad.ir.walk import reads


@dataclass(frozen=True, slots=True)
class Recurrence:
    """An innermost loop with unit step whose body holds Tasklets, and Tasklets under conditions that its index does not decide.

    ``own``: the scalars of its body.
    """

    loop: Loop
    tasklets: tuple[Tasklet, ...]
    own: frozenset[str]

    @property
    def nest(self) -> Nest:
        """The loop as a nest of one."""
        return Nest((self.loop,), self.loop.body)

    def trips(self, write: Memlet, other: Memlet) -> int | Unmet:
        """How many trips after the write the other memlet names the same cell."""
        gap = gap_between(access_of(write, self.nest), access_of(other, self.nest))
        return gap if isinstance(gap, Unmet) else gap[0] * self.loop.step

    def has_flow(self, read: Memlet, position: int) -> bool:
        """Whether the read, in statement ``position``, may see a value that the loop wrote."""
        access = access_of(read, self.nest)
        writes = ((number, access_of(node.write, self.nest)) for number, node in enumerate(self.tasklets))
        return any(may_flow(write, access, self.nest, number < position) for number, write in writes)

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
    if not isinstance(node, Loop) or abs(node.step) != 1 or any(array.rank for array in node.body.arrays):
        return None
    found = [guarded(inner, Nest((node,), node.body)) for inner in node.body.body]
    tasklets = tuple(one.tasklet for one in found if one is not None)
    return Recurrence(node, tasklets, frozenset(array.name for array in node.body.arrays)) if len(tasklets) == len(found) else None
