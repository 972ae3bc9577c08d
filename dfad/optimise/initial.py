"""The first contribution to a cell is an assignment: no array is filled with 0 only to be added to.

In: a PLANNED Program, tidy. Out: the same in which an array that is filled with 0 and whose next use adds once to every cell is assigned
there instead. What stays true: every value (but that 0 + -0.0 is 0.0). What it does not do: uses that reach some cells only, or some twice.
"""

from __future__ import annotations

from dataclasses import replace

from dfad.analysis.extents import equal_extents
from dfad.analysis.shifts import covers, perfect_nest
from dfad.ir.lifetimes import used_names
from dfad.ir.nodes import Array, Block, Constant, Library, Loop, Node, Program, Tasklet
from dfad.ir.walk import Change, all_arrays, map_reverse, reads, rewrite_block


def assign_first(program: Program) -> Program:
    """The Program without fills that the next use makes unnecessary."""
    arrays, same = all_arrays(program), equal_extents(program)

    def change(node: Node) -> Node:
        return _in_block(node, arrays, same) if isinstance(node, Block) else node

    return map_reverse(program, lambda sweep: rewrite_block(sweep, change))


def _in_block(block: Block, arrays: dict[str, Array], same: Change) -> Block:
    body: list[Node] = list(block.body)
    for node in block.body:
        name = _filled(node, arrays, same)
        if name is None:
            continue
        place = next(k for k, other in enumerate(body) if other is node)
        following = next((k for k in range(place + 1, len(body)) if name in used_names(body[k])), None)
        assigned = None if following is None else _assigned(body[following], arrays[name], same)
        if following is not None and assigned is not None:
            body[following] = assigned
            del body[place]
    return block if len(body) == len(block.body) else replace(block, body=tuple(body))


def _filled(node: Node, arrays: dict[str, Array], same: Change) -> str | None:
    """The array that the node sets to 0 as a whole; None where it does anything else."""
    tasklet = _only_tasklet(node)
    if tasklet is None or tasklet.accumulate or not isinstance(tasklet.value, Constant) or tasklet.value.value != 0:
        return None
    return tasklet.write.array if covers(node, tasklet, arrays[tasklet.write.array], same) else None


def _only_tasklet(node: Node) -> Tasklet | None:
    if isinstance(node, Tasklet):
        return node
    if not isinstance(node, Loop):
        return None
    inner = perfect_nest(node).body.body
    return inner[0] if len(inner) == 1 and isinstance(inner[0], Tasklet) else None


def _assigned(node: Node, array: Array, same: Change) -> Node | None:
    """The node with its one addition to the array turned into an assignment; None where it is not one addition to each cell."""
    if isinstance(node, Tasklet):
        is_plain = node.accumulate and node.write.array == array.name and all(memlet.array != array.name for memlet in reads(node))
        return _plain(node) if is_plain and covers(node, node, array, same) else None
    if isinstance(node, Library):
        return replace(node, accumulate=False) if node.accumulate and _is_whole(node, array, same) else None
    if not isinstance(node, Loop):
        return None
    body = perfect_nest(node).body
    users = [inner for inner in body.body if array.name in used_names(inner)]
    if len(users) != 1 or not isinstance(users[0], Tasklet):
        return None
    tasklet = users[0]
    if not tasklet.accumulate or any(memlet.array == array.name for memlet in reads(tasklet)) or not covers(node, tasklet, array, same):
        return None
    return _replaced(node, tasklet)


def _is_whole(node: Library, array: Array, same: Change) -> bool:
    """Whether the operation writes the whole array and reads none of it."""
    ranges = node.write.ranges
    whole = node.write.array == array.name and len(ranges) == array.rank
    exact = all(part.step == 1 and part.start == 0 and same(part.stop) == same(e) for part, e in zip(ranges, array.shape, strict=False))
    return whole and exact and all(memlet.array != array.name for memlet in node.reads)


def _plain(node: Tasklet) -> Tasklet:
    return replace(node, accumulate=False, reassociable=False)


def _replaced(loop: Loop, tasklet: Tasklet) -> Loop:
    body = tuple(
        _plain(tasklet) if node is tasklet else _replaced(node, tasklet) if isinstance(node, Loop) else node for node in loop.body.body
    )
    return replace(loop, body=replace(loop.body, body=body))
