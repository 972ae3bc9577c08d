"""A second look at a plan put into effect: every read sees the version that it saw before.

In: a PLANNED Program and what realize.py made of it. Out: the latter, or CompilerBug. It knows no values and no decisions. The *version* of
an array at a step is the row of steps that have written it so far. A copy of a step counts as that step, and what it writes, a buffer, as
the array that the step writes. Then

1. a step or copy that reads an array read it before: in the same version;
2. where it did not (its read took the place of a fused one), the array is an argument that nobody writes, or settled in the forward sweep,
   and has its last version.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dfad.errors import CompilerBug
from dfad.ir.lifetimes import top_level
from dfad.ir.nodes import Block, Library, Node, Program, Role, Statement, Tasklet
from dfad.ir.show import show
from dfad.ir.walk import reads, walk, writes
from dfad.plan.realize import original_key

Version = tuple[str, ...]


def audit(before: Program, after: Program) -> Program:
    """Check that ``after`` reads what ``before`` read, and return it.

    Raises
    ------
    CompilerBug
        With the read that sees another version.
    """
    steps = list(top_level(before.body))
    seen = {(key, array): version for key, array, version in _versions(steps, {})}
    settled = _settled(before)
    buffers = _buffers(steps, list(top_level(after.body)))
    for key, array, version in _versions(list(top_level(after.body)), buffers):
        expected = seen.get((key, array), settled.get(array))
        if version != expected:
            raise CompilerBug(f"the step {key} reads {array} as left by {version} and not by {expected}", show(after))
    return after


def _versions(steps: Sequence[Statement], buffers: dict[str, str]) -> Iterator[tuple[str, str, Version]]:
    """The key of each step, each array that it reads, under its original name, and the version that it sees."""
    written: dict[str, list[str]] = {}
    for step in steps:
        key = original_key(step.key)
        for name in sorted(_read(step)):
            yield key, buffers.get(name, name), tuple(written.get(name, ()))
        for name in sorted(_written(step)):
            written.setdefault(name, []).append(key)


def _settled(program: Program) -> dict[str, Version]:
    """The writers of each array in the forward sweep, where nothing else writes it; none for arguments."""
    forward = program.body.body[0]
    count = len(list(top_level(forward))) if isinstance(forward, Block) else 0
    written: dict[str, list[str]] = {array.name: [] for array in program.parameters if array.role is Role.ARGUMENT}
    late: set[str] = set()
    for position, step in enumerate(top_level(program.body)):
        for name in _written(step):
            written.setdefault(name, []).append(original_key(step.key))
            late |= {name} if position >= count else set()
    return {name: tuple(keys) for name, keys in written.items() if name not in late}


def _buffers(before: Sequence[Statement], after: Sequence[Statement]) -> dict[str, str]:
    """Buffer -> the array that the copied leaf writes."""
    targets = {leaf.key: leaf.write.array for leaf in _leaves(before)}
    found = {leaf.write.array: targets.get(original_key(leaf.key), leaf.write.array) for leaf in _leaves(after)}
    return {buffer: array for buffer, array in found.items() if buffer != array}


def _leaves(steps: Sequence[Statement]) -> Iterator[Tasklet | Library]:
    for step in steps:
        yield from (node for node in walk(step) if isinstance(node, Tasklet | Library))


def _read(step: Node) -> set[str]:
    """The arrays that a step reads, but those of its own Blocks, which no other step sees."""
    inside = list(walk(step))
    own = {array.name for node in inside if isinstance(node, Block) for array in node.arrays}
    return {memlet.array for node in inside for memlet in reads(node)} - own


def _written(step: Node) -> set[str]:
    return {memlet.array for node in walk(step) for memlet in writes(node)}
