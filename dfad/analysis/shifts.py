"""Perfect nests whose subscripts are indices plus constants, and how far apart their accesses lie.

A *shift* is the vector of constants by which a memlet's subscripts differ from the indices of the nest. Two accesses of one array *meet*
when the subscripts that hold no index are equal; then the gap between their shifts says which instances name the same cell:

1. instance x of the one and instance x + gap of the other do, and no other two;
2. the second of these runs later than the first where the gap, in the directions of the loops, is lexicographically positive;
3. so a read has *flow* from a write when its gap is positive, or 0 and the read stands behind the write.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import sympy

from dfad.errors import CompilerBug
from dfad.ir.memlet import Memlet, symbol
from dfad.ir.nodes import Array, Block, Branch, Expression, Loop, Node, Tasklet
from dfad.ir.walk import Change, expression_symbols, reads

Vector = tuple[int, ...]


class Unmet(Enum):
    """What is said of two accesses that have no gap."""

    NEVER = "they provably name no common cell"
    UNKNOWN = "nothing is proven"


Gap = Vector | Unmet


@dataclass(frozen=True, slots=True)
class Nest:
    """Loops that hold nothing but each other, outermost first, and the statements of the innermost."""

    loops: tuple[Loop, ...]
    body: Block

    @property
    def indices(self) -> tuple[sympy.Symbol, ...]:
        """The loop indices, outermost first."""
        return tuple(loop.index for loop in self.loops)

    @property
    def own(self) -> frozenset[sympy.Symbol]:
        """The integer scalars of the innermost body: they change from instance to instance, so no subscript that names one is a shift."""
        return frozenset(symbol(array.name) for array in self.body.arrays if array.rank == 0 and array.dtype.kind == "i")

    def order(self, gap: Vector) -> int:
        """When the instance at that gap runs: 1 later, 0 it is the same, -1 earlier (clause 2)."""
        return sign(tuple(loop.step * part for loop, part in zip(self.loops, gap, strict=True)))


@dataclass(frozen=True, slots=True)
class Access:
    """A memlet in a nest.

    Attributes
    ----------
    array : str
    shift : tuple of int or None
        For each loop the constant that its index is shifted by; None for a loop that no subscript holds.
    place : tuple of int, or None
        For each subscript the position of the loop whose index it holds, -1 where it holds none. None altogether, with all else empty,
        where a subscript is anything but one index plus a constant, names a scalar of the body, or two hold the same index.
    rest : tuple of sympy.Expr
        The subscripts that hold no index.
    """

    array: str
    shift: tuple[int | None, ...] = ()
    place: tuple[int, ...] | None = None
    rest: tuple[sympy.Expr, ...] = ()

    @property
    def is_injective(self) -> bool:
        """Whether different instances name different cells."""
        return self.place is not None and None not in self.shift


@dataclass(frozen=True, slots=True)
class Guarded:
    """A Tasklet and the condition that it stands under, the same for all instances; None for no condition."""

    tasklet: Tasklet
    guard: Expression | None = None


def perfect_nest(loop: Loop) -> Nest:
    """The longest chain of loops from this one down in which each holds only the next."""
    loops = [loop]
    while not loops[-1].body.arrays:
        match loops[-1].body.body:
            case (Loop() as inner,):
                loops.append(inner)
            case _:
                break
    return Nest(tuple(loops), loops[-1].body)


def bounds(loop: Loop) -> tuple[sympy.Expr, sympy.Expr]:
    """The smallest index of a loop with step 1 or -1, and one past the largest."""
    return (loop.start, loop.stop) if loop.step > 0 else (loop.stop + 1, loop.start + 1)


def is_rectangular(nest: Nest) -> bool:
    """Whether every bound is the same for all instances, and every step is 1 or -1."""
    indices = set(nest.indices)
    return all(abs(loop.step) == 1 and not (loop.start.free_symbols | loop.stop.free_symbols) & indices for loop in nest.loops)


def guarded(node: Node, nest: Nest) -> Guarded | None:
    """The node where it is a Tasklet, or one alone under a condition that reads nothing and that no index of the nest decides."""
    match node:
        case Tasklet():
            return Guarded(node)
        case Branch(guard=guard, then=Block(arrays=(), body=(Tasklet() as inner,)), orelse=Block(body=())):
            return None if reads(node) or expression_symbols(guard) & set(nest.indices) else Guarded(inner, guard)
        case _:
            return None


def access_of(memlet: Memlet, nest: Nest) -> Access:
    """The memlet as a shift."""
    shift: list[int | None] = [None] * len(nest.loops)
    place: list[int] = []
    rest: list[sympy.Expr] = []
    for index in memlet.subset:
        if not isinstance(index, sympy.Expr) or index.free_symbols & nest.own:
            return Access(memlet.array)
        held = [k for k, name in enumerate(nest.indices) if index.has(name)]
        if not held:
            place.append(-1)
            rest.append(index)
            continue
        constant = index - nest.indices[held[0]]
        if len(held) > 1 or shift[held[0]] is not None or not constant.is_Integer:
            return Access(memlet.array)
        shift[held[0]] = int(constant)
        place.append(held[0])
    return Access(memlet.array, tuple(shift), tuple(place), tuple(rest))


def gap_between(first: Access, second: Access) -> Gap:
    """The gap from instance x of ``first`` to the one of ``second`` that names the same cell (clause 1), for all x."""
    if first.array != second.array:
        return Unmet.NEVER
    if first.place is None or first.place != second.place:
        return Unmet.UNKNOWN
    differences = [a - b for a, b in zip(first.rest, second.rest, strict=True)]
    if any(difference.is_Integer and difference != 0 for difference in differences):
        return Unmet.NEVER
    if any(difference != 0 for difference in differences) or not (first.is_injective and second.is_injective):
        return Unmet.UNKNOWN
    return tuple((a or 0) - (b or 0) for a, b in zip(first.shift, second.shift, strict=True))


def may_flow(write: Access, read: Access, nest: Nest, is_behind: bool) -> bool:
    """Whether some instance may read what an instance of the nest wrote (clause 3).

    Parameters
    ----------
    write, read : Access
        In that nest, whose steps are 1 or -1.
    is_behind : bool
        Whether the read stands behind the write, so that it sees the write of its own instance.
    """
    match gap_between(write, read):
        case Unmet() as unmet:
            return unmet is Unmet.UNKNOWN
        case tuple() as gap:
            order = nest.order(gap)
            return order > 0 or (order == 0 and is_behind)
        case other:
            raise CompilerBug(f"no such gap: {other!r}")


def is_in_one_instance(first: Access, second: Access) -> bool:
    """Whether every cell that both name is named by one instance, with both: no two different instances meet."""
    gap = gap_between(first, second)
    return gap is Unmet.NEVER if isinstance(gap, Unmet) else not any(gap)


def covers(node: Node, tasklet: Tasklet, array: Array, same: Change) -> bool:
    """Whether the node, a Tasklet or a perfect nest round it, writes each cell of the array exactly once; ``same``: extents.py."""
    nest = perfect_nest(node) if isinstance(node, Loop) else Nest((), Block((), ()))
    access = access_of(tasklet.write, nest)
    if access.place is None or len(nest.loops) > array.rank or any(shift != 0 for shift in access.shift):
        return False
    for dimension, extent in enumerate(array.shape):
        held = access.place[dimension]
        if held < 0:
            if extent != 1:
                return False
            continue
        loop = nest.loops[held]
        low, high = bounds(loop)
        if abs(loop.step) != 1 or (same(low), same(high)) != (0, same(extent)):
            return False
    return True


def sign(vector: Vector) -> int:
    """The lexicographic sign of a vector: 1, 0 or -1."""
    for part in vector:
        if part:
            return 1 if part > 0 else -1
    return 0
