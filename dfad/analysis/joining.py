"""Whether two loops over one range may run as one: ``for i: A; for i: B`` as ``for i: A; B``.

Definitions. Instance x of a loop is its body at index x. A subscript *follows* the index when it is ``a*i + c`` with an integer a other
than 0 and a c that no instance changes. Two accesses, of A in instance y and of B in instance x, that both follow the index by the same a
in some dimension name the same cell only where y - x is their *gap*, the difference of their c over a. As one loop, instance x of B runs
before instance y of A wherever y comes behind x. So

1. the loops may join when each pair of accesses to one array, one of them a write, has a gap of 0 or against the direction of the loop,
   or provably never meets, or both only add in any order;
2. joined, they carry nothing from trip to trip that they did not carry before when each such gap is 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import sympy

from dfad.analysis.effects import is_free_sum
from dfad.analysis.shifts import Unmet
from dfad.ir.memlet import Memlet, symbol
from dfad.ir.nodes import Block, Exchange, Loop, Repetition
from dfad.ir.walk import REMEMBERED, Change, reads, substitute, symbol_names, walk, writes


@dataclass(frozen=True, slots=True)
class Touch:
    """One access of a loop's body."""

    memlet: Memlet
    is_write: bool
    adds: bool


@dataclass(frozen=True, slots=True)
class Join:
    """How two loops touch the same arrays: ``shifted``, some gap is not 0; ``shared``, the arrays with a gap."""

    shifted: bool
    shared: frozenset[str]


def have_one_range(first: Loop, second: Loop, same: Change) -> bool:
    """Whether the loops make the same trips."""
    return first.step == second.step and _range(first, same) == _range(second, same)


def _range(loop: Loop, same: Change) -> tuple[sympy.Expr, sympy.Expr]:
    """Start and stop, extents in one form; an end below 0 is as good as 0 for a loop that begins there."""
    start, stop = same(loop.start), same(loop.stop)
    if start == 0 and loop.step > 0 and isinstance(stop, sympy.Max):
        rest = [part for part in stop.args if part != 0]
        stop = rest[0] if len(rest) == 1 else stop
    return start, stop


def join_of(first: Loop, second: Loop) -> Join | None:
    """How the loops, which make the same trips, join (clause 1); None where they may not."""
    if any(isinstance(node, Exchange) for loop in (first, second) for node in walk(loop)):
        return None
    index = first.index
    varying = varying_in(first) | varying_in(second)
    there = list(_touches(first, substitute({})))
    here = list(_touches(second, substitute({second.index: index})))
    by_array: dict[str, list[Touch]] = {}
    for touch in there:
        by_array.setdefault(touch.memlet.array, []).append(touch)
    if _names_scalars(first, second) or _names_scalars(second, first):
        return None
    shifted, shared = False, set[str]()
    for touch in here:
        for other in by_array.get(touch.memlet.array, ()):
            gap = gap_of(other.memlet, touch.memlet, index, varying)
            if isinstance(gap, int):
                shared.add(touch.memlet.array)
            if not (touch.is_write or other.is_write) or (touch.adds and other.adds) or gap is Unmet.NEVER:
                continue
            if isinstance(gap, Unmet) or first.step * gap > 0:
                return None
            shifted |= gap != 0
    return Join(shifted, frozenset(shared))


def _touches(loop: Loop, change: Change) -> Iterator[Touch]:
    found: dict[Touch, None] = {}
    for node in walk(loop.body):
        adds = is_free_sum(node)
        found.update((Touch(memlet.map_indices(change), False, False), None) for memlet in reads(node))
        found.update((Touch(memlet.map_indices(change), True, adds), None) for memlet in writes(node))
    yield from found


def _names_scalars(first: Loop, second: Loop) -> bool:
    """Whether the second loop names, in a subset or a bound, an integer scalar that the first one writes."""
    written = {memlet.array for node in walk(first.body) for memlet in writes(node) if not memlet.subset}
    return bool(written) and any(written & symbol_names(node) for node in walk(second.body))


def varying_in(loop: Loop) -> frozenset[sympy.Symbol]:
    """The symbols that change inside an instance of the loop or between instances, its index aside."""
    inside = list(walk(loop.body))
    found = {node.index for node in inside if isinstance(node, Repetition)}
    found |= {symbol(memlet.array) for node in inside for memlet in writes(node) if not memlet.subset}
    found |= {symbol(array.name) for node in inside if isinstance(node, Block) for array in node.arrays if array.rank == 0}
    return frozenset(found)


def gap_of(first: Memlet, second: Memlet, index: sympy.Symbol, varying: frozenset[sympy.Symbol]) -> int | Unmet:
    """The instance of ``first`` less the instance of ``second`` wherever both name one cell."""
    found: int | Unmet = Unmet.UNKNOWN
    for one, other in zip(first.subset, second.subset, strict=True):
        if not isinstance(one, sympy.Expr) or not isinstance(other, sympy.Expr):
            continue
        gap = _gap(one, other, index, varying)
        if gap is Unmet.NEVER or (isinstance(gap, int) and isinstance(found, int) and gap != found):
            return Unmet.NEVER
        found = gap if isinstance(gap, int) else found
    return found


def _gap(one: sympy.Expr, other: sympy.Expr, index: sympy.Symbol, varying: frozenset[sympy.Symbol]) -> int | Unmet:
    """The same for one dimension alone."""
    if (one.free_symbols | other.free_symbols) & varying:
        return Unmet.UNKNOWN
    slopes, rests = zip(_line(one, index), _line(other, index), strict=True)
    difference = sympy.expand(rests[1] - rests[0])
    if slopes[0] != slopes[1] or not difference.is_Integer or any(index in rest.free_symbols for rest in rests):
        return Unmet.UNKNOWN
    if slopes[0] == 0:
        return Unmet.UNKNOWN if difference == 0 else Unmet.NEVER
    if not slopes[0].is_Integer or difference % slopes[0] != 0:
        return Unmet.NEVER if slopes[0].is_Integer else Unmet.UNKNOWN
    return int(difference / slopes[0])


@lru_cache(REMEMBERED)
def _line(part: sympy.Expr, index: sympy.Symbol) -> tuple[sympy.Expr, sympy.Expr]:
    """The subscript as slope * index + rest."""
    slope = sympy.expand(part).coeff(index)
    return slope, sympy.expand(part - slope * index)
