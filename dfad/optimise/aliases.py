"""Copies that nobody needs: an array filled once from an argument, and never changed, is that argument.

In: a PLANNED Program, tidy. Out: the same without such arrays; their reads read the argument. What stays true: every value. What it does
not do: parameters, exchanged arrays, and copies of arrays that the Program writes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from dfad.analysis.extents import equal_extents
from dfad.analysis.shifts import covers, perfect_nest
from dfad.ir.nodes import Array, Block, Loop, Node, Program, Read, Tasklet
from dfad.ir.walk import Change, all_arrays, exchanged, rename_arrays, rewrite_block, walk, writes


def remove_copies(program: Program) -> Program:
    """The Program without needless copies of arguments."""
    arrays = all_arrays(program)
    counts = Counter(memlet.array for node in walk(program.body) for memlet in writes(node))
    pinned = exchanged(program.body) | {array.name for array in program.parameters}
    same = equal_extents(program)
    names: dict[str, str] = {}
    dropped: list[Node] = []
    for node in walk(program.body):
        found = _copy(node, arrays, same)
        if found is not None and counts[found[0]] == 1 and found[0] not in pinned and found[1] not in counts:
            names[found[0]] = found[1]
            dropped.append(node)
    return _without(program, names, dropped) if names else program


def _copy(node: Node, arrays: dict[str, Array], same: Change) -> tuple[str, str] | None:
    """(copy, original) of a nest that copies a whole array; outermost loops only."""
    if not isinstance(node, Loop):
        return None
    body = perfect_nest(node).body.body
    match body:
        case (Tasklet(accumulate=False, value=Read(memlet=source)) as tasklet,):
            target, original = arrays[tasklet.write.array], arrays[source.array]
            is_copy = source.subset == tasklet.write.subset and target.dtype == original.dtype
            is_copy = is_copy and tuple(map(same, target.shape)) == tuple(map(same, original.shape))
            return (target.name, original.name) if is_copy and covers(node, tasklet, target, same) else None
        case _:
            return None


def _without(program: Program, names: dict[str, str], dropped: list[Node]) -> Program:
    keys = {node.key for node in dropped if isinstance(node, Loop)}

    def change(node: Node) -> Node | tuple[Node, ...]:
        if isinstance(node, Loop) and node.key in keys:
            return ()
        node = rename_arrays(node, names)
        if isinstance(node, Block):
            return replace(node, arrays=tuple(array for array in node.arrays if array.name not in names))
        return node

    return replace(program, body=rewrite_block(program.body, change))
