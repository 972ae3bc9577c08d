"""Writes in a perfect nest that no later instance reads.

In: a loop. Out: the loop without each assignment in the innermost body whose array is not live after the nest and whose cell no later
statement or instance reads. Where distances are unknown the assignment stays.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from dfad.analysis.shifts import Nest, access_of, distance, is_rectangular, order, perfect_nest
from dfad.ir.nodes import Block, Loop, Node, Tasklet
from dfad.ir.walk import reads


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
    signs = tuple(loop.step for loop in nest.loops)
    written = access_of(node.write, nest)
    for number, other in enumerate(body):
        assert isinstance(other, Tasklet)
        memlets = [*reads(other), *([other.write] if other.accumulate and other is not node else [])]
        for memlet in memlets:
            if memlet.array != node.write.array:
                continue
            access = access_of(memlet, nest)
            gap = "unknown" if written is None or access is None else distance(written, access)
            if gap == "unknown":
                return False
            if not isinstance(gap, str):
                sign = order(tuple(s * v for s, v in zip(signs, gap, strict=True)))
                if sign > 0 or (sign == 0 and number > position):
                    return False
    return not node.accumulate or _has_distinct_cells(node, nest)


def _has_distinct_cells(node: Tasklet, nest: Nest) -> bool:
    access = access_of(node.write, nest)
    return access is not None and None not in access.shift


def _with_body(loops: tuple[Loop, ...], body: Block) -> Loop:
    outer, *inner = loops
    return replace(outer, body=body if not inner else replace(outer.body, body=(_with_body(tuple(inner), body),)))
