"""Which buffer a name stands for, where arrays are exchanged.

Arrays that an Exchange connects form a group of p names and p buffers; at entry name k stands for buffer k. When all exchanges of a
group stand unconditionally in the body of one loop that runs once (or before and after it), the names after k trips are the k-th power of
the permutation of one trip, so the buffer of a name is a function of (k mod order). Elsewhere the buffer is unknown: any of the group.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dfad.analysis.sets import Space
from dfad.analysis.statements import Statement
from dfad.ir.nodes import Exchange, Repetition, While

Permutation = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """An Exchange: its number in the text, the loops around it and theirs, and the two names."""

    number: int
    loops: tuple[Repetition, ...]
    loop_numbers: tuple[int, ...]
    conditional: bool
    first: str
    second: str


class Buffers:
    """The groups of exchanged arrays among the statements of a sweep."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        places = [
            _Place(one.order[-1], one.loops, one.order[:-1], bool(one.guards), one.node.first, one.node.second)
            for one in statements
            if isinstance(one.node, Exchange)
        ]
        self._groups = _groups(places)
        self._places = {name: [p for p in places if p.first in group] for group in self._groups for name in group}
        self._group_of = {name: group for group in self._groups for name in group}

    def group(self, array: str) -> str:
        """The name of the array's group: the array itself where it is never exchanged."""
        return "_".join(self._group_of[array]) if array in self._group_of else array

    def members(self, array: str) -> tuple[str, ...]:
        """All arrays that may share buffers with this one."""
        return self._group_of.get(array, (array,))

    def condition(self, array: str, loops: tuple[Repetition, ...], order: tuple[int, ...], space: Space) -> tuple[str, bool]:
        """What is known of the buffer ``b`` that the name stands for at a statement, and whether it is exact."""
        if array not in self._group_of:
            return "b = 0", True
        group, places = self._group_of[array], self._places[array]
        around = {place.loop_numbers for place in places if place.loops}
        if any(place.conditional or len(place.loops) > 1 for place in places) or len(around) > 1:
            return f"0 <= b < {len(group)}", False
        if not around:
            return f"b = {_prefix(places, order[0], group)[group.index(array)]}", True
        return self._in_one_loop(array, loops, order, space)

    def _in_one_loop(self, array: str, loops: tuple[Repetition, ...], order: tuple[int, ...], space: Space) -> tuple[str, bool]:
        group, places = self._group_of[array], self._places[array]
        inside = [place for place in places if place.loops]
        loop, number = inside[0].loops[0], inside[0].loop_numbers[0]
        start, stop = ("0", None) if isinstance(loop, While) else (space.text(loop.start), space.text(loop.stop))
        before = _prefix([p for p in places if not p.loops and p.number < number], order[0], group)
        if order[0] < number:
            return f"b = {before[group.index(array)]}", True
        if start is None or (stop is None and order[0] != number):
            return f"0 <= b < {len(group)}", False
        step = 1 if isinstance(loop, While) else loop.step
        trip = _prefix(inside, None, group)
        if order[0] == number:
            count = f"({loop.index.name}_ - {start})" if step > 0 else f"({start} - {loop.index.name}_)"
            here = _prefix(inside, order[1], group)
            return _power_text(count, abs(step), before, trip, here, group.index(array)), True
        after = _prefix([p for p in places if not p.loops and p.number > number], order[0], group)
        span = f"({stop} - {start})" if step > 0 else f"({start} - {stop})"
        size = abs(step)
        count = f"(max(0, {span} + {size - 1}))"
        return _power_text(count, size, before, trip, after, group.index(array)), True


def _groups(places: list[_Place]) -> list[tuple[str, ...]]:
    groups: list[set[str]] = []
    for place in places:
        pair = {place.first, place.second}
        joined = [group for group in groups if group & pair]
        groups = [group for group in groups if not group & pair] + [pair.union(*joined)]
    return [tuple(sorted(group)) for group in groups]


def _prefix(places: list[_Place], until: int | None, group: tuple[str, ...]) -> Permutation:
    """Name -> buffer after the exchanges with a number below ``until`` (all of them for None), from the identity."""
    state = list(range(len(group)))
    for place in sorted(places, key=lambda p: p.number):
        if until is None or place.number < until:
            a, b = group.index(place.first), group.index(place.second)
            state[a], state[b] = state[b], state[a]
    return tuple(state)


def _compose(outer: Permutation, inner: Permutation) -> Permutation:
    """Name -> buffer when ``inner`` (name -> slot) is done on names that ``outer`` (slot -> buffer) has already arranged."""
    return tuple(outer[slot] for slot in inner)


def _power_text(count: str, step: int, before: Permutation, trip: Permutation, here: Permutation, position: int) -> str:
    """``b`` as a case distinction over the residues of floor(count / step)."""
    powers = [before]
    while True:
        following = _compose(powers[-1], trip)
        if following == before:
            break
        powers.append(following)
    trips = count if step == 1 else f"floor({count}/{step})"
    cases = [f"({trips} mod {len(powers)} = {residue} and b = {_compose(power, here)[position]})" for residue, power in enumerate(powers)]
    return "(" + " or ".join(cases) + ")"
