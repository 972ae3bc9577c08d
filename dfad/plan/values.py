"""Which arrays of a gradient Program are values of the planner (problem.py).

In: a PLANNED Program whose body is the forward and the reverse sweep. Out: its `Sweeps`.

Definitions. A *value* is an array of rank > 0, no parameter, that only the forward sweep writes and that no exchange renames: from its last
producer on it is settled. A value can be *recomputed* when each of its producers, the steps that write it,

1. does without what it writes to other arrays of the outer Block: reads none of these, so that a copy can leave them out;
2. contains no exchange and no array of a size that only the step knows, and reads arrays only that nothing writes after the producer, so
   that a copy in the reverse sweep sees the same;
3. names no symbol but those of the call, indices bound inside, and integer scalars.

It can be *fused* when moreover one nest over all of its cells, each in its place, defines it by one expression of other arrays, which
stays small when its operands are fused too.
Everything else (arrays that the reverse sweep restores, state of time loops, tapes, adjoints) is held as the Program says.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace

import sympy

from dfad.ir.lifetimes import inner_arrays, is_ragged, top_arrays, top_level
from dfad.ir.nodes import Apply, Array, Block, Exchange, Expression, Library, Loop, Node, Program, Read, Statement, Tasklet
from dfad.ir.walk import reads, rewrite, walk, walk_expression, writes

MOST_FUSED = 100
"""The most parts of an expression that takes the place of a read, with all that is fused into it."""


@dataclass(frozen=True, slots=True)
class Definition:
    """``array[indices] = value`` for every cell; ``indices`` are symbols, one for each dimension."""

    indices: tuple[sympy.Symbol, ...]
    value: Expression


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value: its array, its producers (none when it can only be kept) and, when it can be fused, its definition.

    A producer is a step of the forward sweep without what it writes to other arrays. ``last_write``: the position of the last one.
    """

    array: Array
    producers: tuple[Statement, ...]
    definition: Definition | None
    last_write: int


@dataclass(frozen=True)
class Sweeps:
    """A gradient Program as the planner sees it: all steps, how many of them are forward, and the values in the order of production."""

    program: Program
    steps: tuple[Statement, ...]
    count_forward: int
    candidates: dict[str, Candidate]


def sweeps_of(program: Program) -> Sweeps:
    """Find the values of a Program; one without a reverse sweep has none."""
    steps = tuple(top_level(program.body))
    blocks = program.body.body
    if len(blocks) != 2 or not all(isinstance(block, Block) for block in blocks):
        return Sweeps(program, steps, len(steps), {})
    forward = blocks[0]
    assert isinstance(forward, Block)
    count = sum(1 for _ in top_level(forward))
    found = _Finder(program, steps, count).candidates()
    in_order = {one.array.name: one for one in sorted(found, key=lambda one: one.last_write)}
    return Sweeps(program, steps, count, _without_large(in_order))


def _without_large(candidates: dict[str, Candidate]) -> dict[str, Candidate]:
    """The candidates, those without their definition whose expression would grow too large when all operands are fused."""
    sizes: dict[str, int] = {}
    found: dict[str, Candidate] = {}
    for name, one in candidates.items():
        parts = [] if one.definition is None else list(walk_expression(one.definition.value))
        size = sum(sizes.get(part.memlet.array, 1) if isinstance(part, Read) else 1 for part in parts)
        sizes[name] = size if 0 < size <= MOST_FUSED else 1
        found[name] = one if size <= MOST_FUSED else replace(one, definition=None)
    return found


class _Finder:
    """Who reads and writes what, by position."""

    def __init__(self, program: Program, steps: tuple[Statement, ...], count_forward: int) -> None:
        self.program, self.steps, self.count_forward = program, steps, count_forward
        self.outer = {array.name: array for array in (*program.parameters, *top_arrays(program.body))}
        self.writers: dict[str, list[int]] = defaultdict(list)
        self.exchanged: set[str] = set()
        for position, step in enumerate(steps):
            for name in dict.fromkeys(memlet.array for node in walk(step) for memlet in writes(node)):
                self.writers[name].append(position)
            for node in walk(step):
                if isinstance(node, Exchange):
                    self.exchanged |= {node.first, node.second}

    def candidates(self) -> Iterator[Candidate]:
        for array in top_arrays(self.program.body):
            writers = self.writers[array.name]
            if array.rank and writers and writers[-1] < self.count_forward and array.name not in self.exchanged:
                producers = [self.producer(position, array.name) for position in writers]
                kept = tuple(step for step in producers if step is not None)
                found = kept if len(kept) == len(producers) else ()
                definition = _definition(found[0], array) if len(found) == 1 else None
                yield Candidate(array, found, definition, writers[-1])

    def producer(self, position: int, name: str) -> Statement | None:
        """The step as it may run again anywhere behind for this array; None where it may not (conditions 1 to 3)."""
        step = self.steps[position]
        others = {memlet.array for node in walk(step) for memlet in writes(node)} & self.outer.keys() - {name}
        alone = _without_writes(step, others)
        nodes = list(walk(alone))
        read = {memlet.array for node in nodes for memlet in reads(node)} - {name}
        settled = not read & others and all(self.is_settled(other, position) for other in read)
        ragged = any(is_ragged(array, step) for array in inner_arrays(step))
        return alone if settled and not ragged and not any(isinstance(node, Exchange) for node in nodes) else None

    def is_settled(self, name: str, position: int) -> bool:
        return name not in self.exchanged and all(writer <= position for writer in self.writers[name])


def _without_writes(step: Statement, names: Set[str]) -> Statement:
    """The step without the leaves that write those arrays, and without loops left empty."""

    def at(node: Node) -> Node | tuple[Node, ...]:
        match node:
            case Tasklet() | Library() if node.write.array in names:
                return ()
            case Loop() if not node.body.body:
                return ()
            case _:
                return node

    changed = rewrite(Block((), (step,)), at) if names else Block((), (step,))
    assert isinstance(changed, Block)
    (alone,) = changed.body
    assert not isinstance(alone, Block)
    return alone


def _definition(step: Statement, array: Array) -> Definition | None:
    """The one expression of every cell, where the step is such a nest."""
    loops = list(loops_around(step))
    body = loops[-1].body if loops else Block((), ())
    if len(loops) != array.rank or any(loop.body.arrays for loop in loops) or len(body.body) != 1:
        return None
    leaf = body.body[0]
    extents = {loop.index: loop.stop for loop in loops if loop.start == 0 and loop.step == 1}
    if not isinstance(leaf, Tasklet) or leaf.accumulate or set(leaf.write.subset) != set(extents) or len(extents) != array.rank:
        return None
    covers = all(extents[index] == extent for index, extent in zip(leaf.write.subset, array.shape, strict=True))
    if not covers or any(read.array == array.name for read in reads(leaf)):
        return None
    value = leaf.value if leaf.value.dtype == array.dtype else Apply("cast", (leaf.value,), array.dtype)
    return Definition(tuple(index for index in leaf.write.subset if isinstance(index, sympy.Symbol)), value)


def loops_around(node: Node) -> Iterator[Loop]:
    """The loops of a perfect nest, outermost first."""
    while isinstance(node, Loop):
        yield node
        if len(node.body.body) != 1:
            return
        node = node.body.body[0]
