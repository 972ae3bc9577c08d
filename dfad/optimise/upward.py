"""Loops whose order is free run upwards: the vectoriser reads and writes rows forwards best.

In: a PLANNED Program, tidy. Out: the same with each downward perfect nest of independent instances turned round. Instances are independent
when no cell that one writes is read or written by another, cells that all of them accumulate into in any order excepted. What stays true:
every value, up to the order of such sums.
"""

from __future__ import annotations

from dataclasses import replace

from dfad.analysis.shifts import Nest, access_of, bounds, is_in_one_instance
from dfad.ir.nodes import Loop, Node, Program, Tasklet
from dfad.ir.walk import reads, rewrite_block


def run_upwards(program: Program) -> Program:
    """The Program with free downward loops turned round."""
    body = rewrite_block(program.body, _turned)
    return program if body is program.body else replace(program, body=body)


def _turned(node: Node) -> Node:
    """A downward loop turns when the instances of the nest from it down are independent, whatever its inner loops do."""
    if not isinstance(node, Loop) or node.step != -1:
        return node
    nest = _nest_below(node)
    if nest is None or not _is_free(nest):
        return node
    start, stop = bounds(node)
    return replace(node, start=start, stop=stop, step=1)


def _nest_below(loop: Loop) -> Nest | None:
    """The loop with those perfectly inside it, when they end in Tasklets only."""
    loops, body = [loop], loop.body
    while len(body.body) == 1 and isinstance(body.body[0], Loop):
        loops.append(body.body[0])
        body = body.body[0].body
    return Nest(tuple(loops), body) if all(isinstance(node, Tasklet) for node in body.body) else None


def _is_free(nest: Nest) -> bool:
    """Whether the instances of the nest are independent."""
    own = {array.name for array in nest.body.arrays}
    tasklets = [node for node in nest.body.body if isinstance(node, Tasklet)]
    for writer in (node for node in tasklets if node.write.array not in own):
        write = access_of(writer.write, nest)
        for other in tasklets:
            shared = reads(other) if _may_share(writer, other) else (*reads(other), other.write)
            if not all(is_in_one_instance(write, access_of(memlet, nest)) for memlet in shared):
                return False
    return True


def _may_share(first: Tasklet, second: Tasklet) -> bool:
    """Whether the two may write one cell in either order: both add to it, in any order."""
    return first.accumulate and second.accumulate and first.reassociable and second.reassociable
