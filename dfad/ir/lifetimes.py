"""When the arrays of a Program are allocated and released: one answer for emission, for the interpreter and for the planner.

Definitions.

1. The *steps* of a Program are the nodes of its body, with nested plain Blocks opened: loops, branches and leaves in order.
2. An array is *used* at a step when the step, or a node below it, reads, writes or exchanges it.
3. An array of rank > 0 that a plain Block declares lives from its first to its last used step. One that is never used is not allocated.
4. An array of rank > 0 declared inside a step lives at that step alone: allocated once, whatever the loops around it, when the step
   binds none of the symbols of its shape; else it is *ragged*: allocated and released by each entry of its Block.
5. Arrays that are exchanged with each other live together: from the first to the last use of any of them; when one of them is a
   parameter and a result of the Program, to the end.
6. Parameters are the caller's: never allocated here. Rank-0 arrays take no memory that counts.

So the bytes held at step k are those allocated at steps up to k and not released before k.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import sympy

from dfad.ir.nodes import Array, Block, Exchange, Node, Program, Repetition, Stage, Statement, Tasklet
from dfad.ir.walk import REMEMBERED, all_arrays, reads, walk, writes


@dataclass(frozen=True, slots=True)
class Step:
    """A top-level node, the arrays allocated just before it and those released just after it, in the order of their declaration.

    ``ragged``: arrays inside it that are allocated at each entry of their Block.
    """

    node: Statement
    allocate: tuple[Array, ...] = ()
    release: tuple[Array, ...] = ()
    ragged: tuple[Array, ...] = ()


@dataclass(frozen=True, slots=True)
class Lifetime:
    """An array and the positions of the first and the last step at which its bytes are held."""

    array: Array
    first: int
    last: int


def bytes_of(array: Array) -> sympy.Expr:
    """The size of an array at its allocation, in bytes; an extent below 0 counts as 0. An array that grows begins with none."""
    return sympy.Integer(0) if array.grows else _product(array.shape, array)


def bytes_of_row(array: Array) -> sympy.Expr:
    """The size of one row of an array that grows, in bytes."""
    return _product(array.shape[1:], array)


def _product(shape: tuple[sympy.Expr, ...], array: Array) -> sympy.Expr:
    extents = (extent if extent.is_Symbol or extent.is_nonnegative else sympy.Max(0, extent) for extent in shape)
    return sympy.Mul(*extents, array.dtype.bytes)


def top_level(block: Block) -> Iterator[Statement]:
    """The steps of a Block (definition 1)."""
    for node in block.body:
        if isinstance(node, Block):
            yield from top_level(node)
        else:
            yield node


def top_arrays(block: Block) -> Iterator[Array]:
    """The arrays that the Block and the plain Blocks directly inside it declare."""
    yield from block.arrays
    for node in block.body:
        if isinstance(node, Block):
            yield from top_arrays(node)


def used_names(step: Node) -> set[str]:
    """The arrays that a node, or one below it, reads, writes or exchanges (definition 2), integer scalars excepted."""
    found: set[str] = set()
    for node in walk(step):
        found.update(memlet.array for memlet in (*reads(node), *writes(node)))
        if isinstance(node, Exchange):
            found.update((node.first, node.second))
    return found


def lifetimes(program: Program) -> tuple[Lifetime, ...]:
    """The lifetimes of all arrays that are allocated for more than one entry of their Block (definitions 3 to 6)."""
    steps = list(top_level(program.body))
    uses = [used_names(step) for step in steps]
    groups = _exchange_groups(program)
    kept = set(program.results)
    found = []
    for array in top_arrays(program.body):
        names = groups(array.name)
        positions = [position for position, used in enumerate(uses) if used & names]
        if array.rank and positions:
            found.append(Lifetime(array, positions[0], len(steps) - 1 if names & kept else positions[-1]))
    for position, step in enumerate(steps):
        found += [Lifetime(array, position, position) for array in inner_arrays(step) if not is_ragged(array, binder(program, step))]
    return tuple(found)


def schedule(program: Program) -> tuple[Step, ...]:
    """The steps of a Program with what is allocated before and released after each."""
    lives = lifetimes(program)
    return tuple(
        Step(
            step,
            tuple(life.array for life in lives if life.first == position),
            tuple(life.array for life in lives if life.last == position),
            tuple(array for array in inner_arrays(step) if is_ragged(array, binder(program, step))),
        )
        for position, step in enumerate(top_level(program.body))
    )


def inner_arrays(step: Node) -> Iterator[Array]:
    """The arrays of rank > 0 that are declared inside a step."""
    for node in walk(step):
        if isinstance(node, Block):
            yield from (array for array in node.arrays if array.rank)


def binder(program: Program, step: Statement) -> Node:
    """What binds the symbols of shapes inside a step: the step, but in an ADJOINT Program the forward sweep too."""
    return program.body if program.stage is Stage.ADJOINT else step


def is_ragged(array: Array, step: Node) -> bool:
    """Whether the step binds a symbol of the shape of an array inside it: a loop index, or an integer scalar that it writes."""
    return any(part.name in _bound_in(step) for extent in array.shape for part in extent.free_symbols)


@lru_cache(REMEMBERED)
def _bound_in(step: Node) -> frozenset[str]:
    """The names that a step binds: indices, and what it writes."""
    inside = list(walk(step))
    indices = {node.index.name for node in inside if isinstance(node, Repetition)}
    return frozenset(indices | {node.write.array for node in inside if isinstance(node, Tasklet)})


def _exchange_groups(program: Program) -> Callable[[str], frozenset[str]]:
    """From an array's name to all that it is exchanged with, directly or through others, itself included."""
    group = {name: frozenset({name}) for name in all_arrays(program)}
    for node in walk(program.body):
        if isinstance(node, Exchange):
            joined = group[node.first] | group[node.second]
            group.update((name, joined) for name in joined)
    return group.__getitem__
