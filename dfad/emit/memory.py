"""Where the text allocates and releases the arrays of Blocks: as ``ir/lifetimes.py`` says, for each top-level step in the kernel.

Ragged arrays are allocated and released by their Block at each entry. What is declared inside a parallel loop belongs to each part of it:
whoever calls the parts allocates it for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from dfad.errors import CompilerBug
from dfad.ir.lifetimes import inner_arrays, is_ragged, schedule
from dfad.ir.nodes import Array, Block, Loop, Node, Program, Repetition, Role
from dfad.ir.walk import walk

CLASSES = {
    Role.TAPE: 0,
    Role.LOCAL: 2,
    Role.COPY: 3,
    Role.ADJOINT: 4,
    Role.RESULT: 5,
}
"""Role -> class of memory, as in dfad.h."""


@dataclass(frozen=True, slots=True)
class Events:
    """What is allocated before a step and released after it; what a Block allocates at each entry; what each part of a loop has."""

    before: dict[Node, tuple[Array, ...]] = field(default_factory=dict)
    after: dict[Node, tuple[Array, ...]] = field(default_factory=dict)
    entry: dict[Block, tuple[Array, ...]] = field(default_factory=dict)
    parts: dict[Repetition, tuple[Array, ...]] = field(default_factory=dict)


def place(program: Program, parallel: Iterable[Loop]) -> Events:
    """Where memory is allocated and released, given the loops that run in parallel."""
    events = Events()
    private: set[str] = set()
    for loop in parallel:
        events.parts[loop] = tuple(inner_arrays(loop))
        if any(is_ragged(array, loop) for array in events.parts[loop]):
            raise CompilerBug(f"an array inside the parallel loop of line {loop.where.line} has a shape that follows its index")
        private |= {array.name for array in events.parts[loop]}
    for step in schedule(program):
        events.before[step.node] = tuple(array for array in step.allocate if array.name not in private)
        events.after[step.node] = tuple(array for array in step.release if array.name not in private)
        _at_entry(step.node, {array.name for array in step.ragged} - private, events)
    return events


def _at_entry(node: Node, names: set[str], events: Events) -> None:
    for block in (part for part in walk(node) if isinstance(part, Block)):
        own = tuple(array for array in block.arrays if array.name in names)
        if own:
            events.entry[block] = own


def allocated_inside(loop: Repetition, events: Events) -> tuple[Array, ...]:
    """The arrays that the text of the loop itself allocates: not those that it has for each of its parts."""
    inside = set(walk(loop))
    blocks = (arrays for block, arrays in events.entry.items() if block in inside)
    parts = (arrays for inner, arrays in events.parts.items() if inner is not loop and inner in inside)
    return tuple(array for arrays in (*parts, *blocks) for array in arrays)
