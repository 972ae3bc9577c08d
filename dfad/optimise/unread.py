"""Writes in a perfect nest that no later instance reads.

In: a loop. Out: the loop without each assignment in the innermost body whose array is not live after the nest and whose cell no later
statement or instance reads. Where distances are unknown the assignment stays.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from dfad.analysis.shifts import Nest, access_of, is_rectangular, may_flow, perfect_nest
from dfad.ir.nodes import Block, Loop, Node, Tasklet
from dfad.ir.walk import reads, writes


def without_unread(loop: Loop, live: Set[str]) -> Loop:
    """The loop without its unread assignments; the same object when there are none.

    Parameters
    ----------
    loop : Loop
    live : set of str
        The arrays that are read after the loop.
    """
    nest = perfect_nest(loop)
    if not is_rectangular(nest) or not all(isinstance(node, Tasklet) for node in nest.body.body):
        return loop
    body: list[Node] = list(nest.body.body)
    for position in reversed(range(len(body))):
        node = body[position]
        assert isinstance(node, Tasklet)
        if node.write.array not in live and node.write.subset and _is_unread(node, position, body, nest):
            del body[position]
    return loop if len(body) == len(nest.body.body) else _with_body(nest.loops, replace(nest.body, body=tuple(body)))


def _is_unread(node: Tasklet, position: int, body: list[Node], nest: Nest) -> bool:
    """Whether no later instance, and no statement behind it in its own, reads the cell or adds to it."""
    written = access_of(node.write, nest)
    for number, other in enumerate(body):
        adds_to = writes(other) if isinstance(other, Tasklet) and other.accumulate and other is not node else ()
        memlets = (memlet for memlet in (*reads(other), *adds_to) if memlet.array == node.write.array)
        if any(may_flow(written, access_of(memlet, nest), nest, number > position) for memlet in memlets):
            return False
    return not node.accumulate or written.is_injective


def _with_body(loops: tuple[Loop, ...], body: Block) -> Loop:
    outer, *inner = loops
    return replace(outer, body=body if not inner else replace(outer.body, body=(_with_body(tuple(inner), body),)))
