"""Sums whose order is free, in an innermost loop: 32 partial sums, so that GCC vectorises without reordering anything else.

    for lane in range(32): s_part[lane] = 0.0
    for i_first in range(start, start + whole, 32):
        for lane in range(32):
            i = i_first + lane
            s_part[lane] += x[i]
    for i in range(start + whole, stop): s += x[i]
    ... and the partial sums are added to s in pairs.

The loop over the lanes is an ordinary loop over independent cells. Maxima and minima go the same way. Partial sums of float32 are doubles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dfad.ir.dtype import F64, Dtype
from dfad.ir.nodes import Apply, Array, Block, Branch, Check, Exchange, Library, Loop, Node, Read, Tasklet
from dfad.ir.walk import reads, walk

LANES = 32
_EXTREMES = ("maximum", "minimum")


@dataclass(frozen=True, slots=True)
class Partial:
    """A scalar that an innermost loop only accumulates into: ``operation`` is ``add``, ``maximum`` or ``minimum``."""

    array: Array
    operation: str

    @property
    def dtype(self) -> Dtype:
        """The dtype of the partial results."""
        return F64 if self.operation == "add" else self.array.dtype


def partials(loop: Loop, arrays: Mapping[str, Array]) -> tuple[Partial, ...]:
    """The scalars that can be accumulated in parts, in order of the text; none where that would not pay or not be sound."""
    trips = loop.stop - loop.start
    if abs(loop.step) != 1 or (trips.is_Integer and abs(trips) < 2 * LANES):
        return ()
    inside = list(walk(loop.body))
    if any(isinstance(node, Loop | Library | Check | Exchange) for node in inside):
        return ()
    declared = {array.name: array for node in inside if isinstance(node, Block) for array in node.arrays}
    if any(array.rank > 0 for array in declared.values()):
        return ()
    uses = _uses(inside)
    return tuple(
        Partial(arrays[name], kinds[0])
        for name, kinds in uses.items()
        if kinds[0] and len(set(kinds)) == 1 and arrays[name].rank == 0 and arrays[name].dtype.is_float and name not in declared
    )


def _uses(nodes: list[Node]) -> dict[str, list[str]]:
    """For each array the operations that accumulate into it; "" for any other use."""
    found: dict[str, list[str]] = {}
    for node in nodes:
        for name, kind in _uses_of(node):
            found.setdefault(name, []).append(kind)
    return found


def _uses_of(node: Node) -> Iterator[tuple[str, str]]:
    kind = accumulated(node) if isinstance(node, Tasklet) else ""
    read = [memlet.array for memlet in reads(node)] if isinstance(node, Tasklet | Branch) else []
    if isinstance(node, Tasklet):
        yield node.write.array, kind
        if kind in _EXTREMES:
            read.remove(node.write.array)
    yield from ((name, "") for name in read)


def accumulated(tasklet: Tasklet) -> str:
    """The operation by which a tasklet accumulates in any order; "" when it does not."""
    if not tasklet.reassociable:
        return ""
    if tasklet.accumulate:
        return "add"
    match tasklet.value:
        case Apply(operation=operation, operands=(Read(memlet=first), _)) if operation in _EXTREMES and first == tasklet.write:
            return operation
        case _:
            return ""
