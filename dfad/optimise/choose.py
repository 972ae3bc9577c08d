"""A sum under a condition becomes a sum of choices, which runs in vectors.

In: any Program. Out: the same in which, in an innermost loop, a Branch without an other side whose statements only add, in any order or to
integers, is those statements with a choice for what they add, in any order:

    if taken: s += x[i]     ->     s += x[i] if taken else 0.0

What stays true: every value (but that -0.0 + 0.0 is 0.0). What it does not do: cells of arrays that only the Branch touches, since they
need not exist where the condition does not hold; sums in the order of the source; guards that cost more than a comparison.
"""

from __future__ import annotations

from dataclasses import replace

from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Apply, Block, Branch, Constant, Loop, Node, Program, Repetition, Select, Tasklet
from dfad.ir.operations import COSTLY
from dfad.ir.walk import all_arrays, reads, rewrite_block, walk, walk_expression, writes


def choose_sums(program: Program) -> Program:
    """The Program with choices in place of conditions on sums; the same object when there are none."""
    integers = {name for name, array in all_arrays(program).items() if array.dtype.kind == "i"}

    def change(node: Node) -> Node:
        if not isinstance(node, Loop) or any(isinstance(part, Repetition) for part in walk(node.body)):
            return node
        return replace(node, body=_flat(node.body, integers)) if any(isinstance(part, Branch) for part in node.body.body) else node

    body = rewrite_block(program.body, change)
    return program if body is program.body else replace(program, body=body)


def _flat(block: Block, integers: set[str]) -> Block:
    certain = {memlet for node in block.body if isinstance(node, Tasklet) for memlet in writes(node)}
    body: list[Node] = []
    for node in block.body:
        body += _choices(node) if isinstance(node, Branch) and _is_sum(node, integers, certain) else [node]
    return replace(block, body=tuple(body))


def _is_sum(branch: Branch, integers: set[str], certain: set[Memlet]) -> bool:
    """Whether the Branch only adds, to cells that exist whatever the condition, and reads none of them."""
    inside = branch.then.body
    if branch.orelse.body or branch.then.arrays or any(part.operation in COSTLY for part in _operations(branch)):
        return False
    targets = {memlet.array for node in inside for memlet in writes(node)}
    touched = {memlet.array for node in (branch, *inside) for memlet in reads(node)}
    return not targets & touched and all(
        isinstance(node, Tasklet)
        and node.accumulate
        and (node.reassociable or node.write.array in integers)
        and (not node.write.subset or node.write in certain)
        for node in inside
    )


def _operations(branch: Branch) -> list[Apply]:
    """What would be computed whatever the condition."""
    values = [node.value for node in branch.then.body if isinstance(node, Tasklet)]
    return [part for value in (branch.guard, *values) for part in walk_expression(value) if isinstance(part, Apply)]


def _choices(branch: Branch) -> list[Node]:
    found: list[Node] = []
    for node in branch.then.body:
        assert isinstance(node, Tasklet)
        value, dtype = node.value, node.value.dtype
        nothing = Constant(0.0 if dtype.is_float else 0, dtype)
        found.append(replace(node, value=Select(branch.guard, value, nothing, dtype), reassociable=True))
    return found
