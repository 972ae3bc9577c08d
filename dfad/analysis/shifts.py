"""Perfect nests whose subscripts are indices plus constants, and how far apart their accesses lie.

A *shift* is the vector of constants by which a memlet's subscripts differ from the indices of the nest. Two accesses of one array *meet*
when the subscripts that hold no index are equal; then the distance of their shifts says which instances name the same cell.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Block, Loop, Node

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Nest:
    """Loops that hold nothing but each other, outermost first, and the statements of the innermost."""

    loops: tuple[Loop, ...]
    body: Block

    @property
    def indices(self) -> tuple[sympy.Symbol, ...]:
        """The loop indices, outermost first."""
        return tuple(loop.index for loop in self.loops)

    def without_outermost(self) -> Nest:
        """The nest inside the outermost loop."""
        return Nest(self.loops[1:], self.body)


@dataclass(frozen=True, slots=True)
class Access:
    """A memlet in a nest: ``shift`` for each loop (None for a loop that no subscript holds), and what is left of the subscripts."""

    array: str
    shift: tuple[int | None, ...]
    place: tuple[int, ...]
    rest: tuple[sympy.Expr, ...]


def perfect_nest(loop: Loop) -> Nest:
    """The longest chain of loops from this one down in which each holds only the next."""
    loops = [loop]
    node: Node = loop
    while isinstance(node, Loop) and len(node.body.body) == 1 and isinstance(node.body.body[0], Loop) and not node.body.arrays:
        node = node.body.body[0]
        assert isinstance(node, Loop)
        loops.append(node)
    return Nest(tuple(loops), loops[-1].body)


def is_rectangular(nest: Nest) -> bool:
    """Whether every bound is the same for all instances, and every step is 1 or -1."""
    indices = set(nest.indices)
    return all(abs(loop.step) == 1 and not (loop.start.free_symbols | loop.stop.free_symbols) & indices for loop in nest.loops)


def access_of(memlet: Memlet, nest: Nest) -> Access | None:
    """The memlet as a shift; None where a subscript is not one index plus a constant, or two hold the same index."""
    shift: list[int | None] = [None] * len(nest.loops)
    place: list[int] = []
    rest: list[sympy.Expr] = []
    for index in memlet.subset:
        if not isinstance(index, sympy.Expr):
            return None
        held = [k for k, name in enumerate(nest.indices) if index.has(name)]
        if not held:
            place.append(-1)
            rest.append(index)
            continue
        distance = index - nest.indices[held[0]]
        if len(held) > 1 or shift[held[0]] is not None or not distance.is_Integer:
            return None
        shift[held[0]] = int(distance)
        place.append(held[0])
    return Access(memlet.array, tuple(shift), tuple(place), tuple(rest))


def distance(first: Access, second: Access) -> Vector | str:
    """The instance distance at which both name one cell: instance x of ``first`` and instance x + distance of ``second``.

    ``"never"`` where they provably name no common cell, ``"unknown"`` where neither is proven.
    """
    if first.array != second.array:
        return "never"
    if first.place != second.place:
        return "unknown"
    gaps = [a - b for a, b in zip(first.rest, second.rest, strict=True)]
    if any(gap.is_Integer and gap != 0 for gap in gaps):
        return "never"
    if any(gap != 0 for gap in gaps):
        return "unknown"
    if None in first.shift or None in second.shift:
        return "unknown"
    return tuple((a or 0) - (b or 0) for a, b in zip(first.shift, second.shift, strict=True))


def order(vector: Vector) -> int:
    """The lexicographic sign of a vector: 1, 0 or -1."""
    for part in vector:
        if part:
            return 1 if part > 0 else -1
    return 0
