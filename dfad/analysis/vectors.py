"""Which innermost loops the C compiler runs in vectors.

It does where the body is statements without conditions on branches, no operation lacks a vector form, and no trip reads what another
wrote; sums and extrema of free order count as vectors, since emit gives each lane its own.
"""

from __future__ import annotations

from collections.abc import Set

from dfad.analysis.joining import gap_of, varying_in
from dfad.analysis.shifts import Unmet
from dfad.ir.nodes import Apply, Loop, Repetition, Tasklet
from dfad.ir.operations import COSTLY
from dfad.ir.walk import reads, walk, walk_expression

HARDLY_COSTLY = frozenset({"div", "sqrt"})
"""Operations of one instruction: a row of other work hides a single one."""


def is_innermost(loop: Loop) -> bool:
    """Whether no loop is inside."""
    return not any(isinstance(node, Repetition) for node in walk(loop.body))


def is_light(loop: Loop) -> bool:
    """Whether the body calls no function: it may run once per row without vectors."""
    parts = (part for node in walk(loop.body) if isinstance(node, Tasklet) for part in walk_expression(node.value))
    return not any(isinstance(part, Apply) and part.operation in COSTLY - HARDLY_COSTLY for part in parts)


def runs_in_vectors(loop: Loop, slow: Set[str]) -> bool:
    """Whether an innermost loop runs in vectors; ``slow``: the operations without a vector form."""
    body = loop.body.body
    if not all(isinstance(node, Tasklet) for node in body):
        return False
    tasklets = [node for node in body if isinstance(node, Tasklet)]
    parts = (part for node in tasklets for part in walk_expression(node.value))
    if any(isinstance(part, Apply) and part.operation in slow for part in parts):
        return False
    return not any(_carries(node, tasklets, loop) for node in tasklets)


def _carries(writer: Tasklet, tasklets: list[Tasklet], loop: Loop) -> bool:
    """Whether another trip reads, or adds in order to, what this statement writes."""
    if writer.write.array in {array.name for array in loop.body.arrays} or _is_sum(writer, loop):
        return False
    varying = varying_in(loop)
    others = [memlet for node in tasklets for memlet in (*reads(node), node.write) if memlet.array == writer.write.array]
    return any(gap_of(writer.write, memlet, loop.index, varying) not in (0, Unmet.NEVER) for memlet in others)


def _is_sum(node: Tasklet, loop: Loop) -> bool:
    """Whether all trips add to one cell, or take its extremum, in any order."""
    return node.reassociable and not {loop.index, *varying_in(loop)} & set(node.write.symbols())
