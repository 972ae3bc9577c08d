"""Where the text allocates and releases the arrays of Blocks: as ``ir/lifetimes.py`` says, for each top-level step in the kernel.

Ragged arrays are allocated and released by their Block at each entry. What is declared inside a parallel loop belongs to each thread:
the function that runs one thread's part allocates it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dfad.ir.lifetimes import schedule
from dfad.ir.nodes import Array, Block, Loop, Node, Program, Repetition, Role, Tasklet
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
    """What is allocated before a step and released after it; what a Block allocates at each entry; what a thread allocates for its part."""

    before: dict[Node, tuple[Array, ...]] = field(default_factory=dict)
    after: dict[Node, tuple[Array, ...]] = field(default_factory=dict)
    entry: dict[Block, tuple[Array, ...]] = field(default_factory=dict)
    thread: dict[Loop, tuple[Array, ...]] = field(default_factory=dict)


def place(program: Program, parallel: Iterable[Loop]) -> Events:
    """Where memory is allocated and released, given the loops that run in parallel."""
    events = Events()
    private: set[str] = set()
    for loop in parallel:
        own = list(_arrays(loop))
        ragged = {array.name for array in own if _is_ragged(array, loop)}
        events.thread[loop] = tuple(array for array in own if array.name not in ragged)
        _at_entry(loop, ragged, events)
        private |= {array.name for array in own}
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


def _arrays(node: Node) -> Iterator[Array]:
    """The arrays of rank above 0 declared inside a node."""
    for part in walk(node):
        if isinstance(part, Block):
            yield from (array for array in part.arrays if array.rank > 0)


def _is_ragged(array: Array, loop: Loop) -> bool:
    """Whether the loop binds a symbol of the shape, as in lifetimes.py."""
    bound = {part.index.name for part in walk(loop) if isinstance(part, Repetition)}
    bound |= {part.write.array for part in walk(loop) if isinstance(part, Tasklet)}
    return any(symbol.name in bound for extent in array.shape for symbol in extent.free_symbols)


def allocated_inside(loop: Repetition, events: Events) -> tuple[Array, ...]:
    """The arrays that the text of the loop itself allocates."""
    blocks = (events.entry.get(part, ()) for part in walk(loop) if isinstance(part, Block))
    return tuple(array for arrays in (events.thread.get(loop, ()) if isinstance(loop, Loop) else (), *blocks) for array in arrays)
