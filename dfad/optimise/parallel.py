"""Loops that threads may share are marked, each with what the threads need to know.

In: a LOWERED Program. Out: the same, with a `Parallel` at every loop that (1) has independent trips (analysis/independence.py), (2) stands
in no other such loop, and (3) may have enough to do: it holds another loop, or stands in at most one, and is not known to be short. What
stays true: every value; a sum over the trips is one of partial sums, in an order that the number of threads alone decides.

What it does not do: loops with a Check in a Program that writes to the caller's arrays, since threads would have gone on behind the trip
that fails; arrays whose shape follows the index; and, with `arrays=False`, loops that need arrays for each thread, which a memory
budget does not foresee.
"""

from __future__ import annotations

from dataclasses import replace

from dfad.analysis.independence import Independent, independent_trips
from dfad.analysis.work import is_even, work_of
from dfad.ir.lifetimes import is_ragged
from dfad.ir.nodes import Block, Branch, Check, Exchange, Loop, Node, Parallel, Program, Repetition, Role, While
from dfad.ir.walk import changed_arrays, walk

SHORT = 16
"""A loop that is known to have fewer trips is left for the loops in it."""


def mark_parallel(program: Program, *, arrays: bool = True) -> Program:
    """The Program with its parallel loops marked; the same object when there are none.

    Parameters
    ----------
    program : Program
    arrays : bool
        Whether a thread may have arrays of its own.
    """
    touched = changed_arrays(program.body)
    checks = not any(array.role is Role.ARGUMENT and array.name in touched for array in program.parameters)
    body = _Marking(arrays, checks).block(program.body, 0)
    return program if body is program.body else replace(program, body=body)


class _Marking:
    """One walk from the outside in; ``depth`` counts the loops around."""

    def __init__(self, arrays: bool, checks: bool) -> None:
        self.arrays = arrays
        self.checks = checks

    def block(self, block: Block, depth: int) -> Block:
        """The Block with its parallel loops marked."""
        body = tuple(self._node(node, depth) for node in block.body)
        return block if all(new is old for new, old in zip(body, block.body, strict=True)) else replace(block, body=body)

    def _node(self, node: Node, depth: int) -> Node:
        match node:
            case Block():
                return self.block(node, depth)
            case Branch():
                then, orelse = self.block(node.then, depth), self.block(node.orelse, depth)
                return node if then is node.then and orelse is node.orelse else replace(node, then=then, orelse=orelse)
            case Loop() | While():
                parallel = self._parallel(node, depth) if isinstance(node, Loop) else None
                if isinstance(node, Loop) and parallel is not None:
                    return replace(node, parallel=parallel)
                body = self.block(node.body, depth + 1)
                return node if body is node.body else replace(node, body=body)
            case _:
                return node

    def _parallel(self, loop: Loop, depth: int) -> Parallel | None:
        if not _may_be_long(loop, depth):
            return None
        if not self.checks and any(isinstance(node, Check) for node in walk(loop.body)):
            return None
        found = independent_trips(loop)
        return None if found is None or not self._has_room(loop, found) else Parallel(work_of(loop), found.sums, is_even(loop))

    def _has_room(self, loop: Loop, found: Independent) -> bool:
        return not found.private or (self.arrays and not any(is_ragged(array, loop) for array in found.private))


def _may_be_long(loop: Loop, depth: int) -> bool:
    """Whether the loop may have enough to do for several threads."""
    inside = list(walk(loop.body))
    if any(isinstance(node, Exchange) for node in inside):
        return False
    trips = (loop.stop - loop.start) / loop.step
    if trips.is_number and trips < SHORT:
        return False
    return depth <= 1 or any(isinstance(node, Repetition) for node in inside)
