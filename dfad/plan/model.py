"""The rows of the planner's integer program (the formulas stand in ilp.py), free of any solver.

In: a Problem. Out: a count of unknowns, the binary ones first, rows ``sum of terms <= limit``, and the seconds of each unknown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dfad.plan.problem import Decision, Problem, Work

Terms: TypeAlias = list[tuple[int, float]]
Row: TypeAlias = tuple[Terms, float]


@dataclass(frozen=True, slots=True)
class Moment:
    """A phase that may happen: producer ``part`` of ``made`` before reverse step ``step``, or the step itself (``made`` None)."""

    step: int
    made: str | None
    part: int
    work: Work


class Model:
    """The unknowns and rows.

    Attributes
    ----------
    binaries, count : int
        How many unknowns are binary (the first ones), and how many there are.
    rows : list of Row
        Everything but memory.
    seconds : dict
        The cost of each unknown that has one.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.count = 0
        self.rows: list[Row] = []
        self.seconds: dict[int, float] = {}
        self.relevant = _ancestors(problem, {name for step in problem.reverse for name in step.work.reads})
        self.chosen: dict[tuple[str, Decision], int] = {}
        self._choices()
        self.binaries = self.count
        self.moments = list(_moments(problem))
        self.begin: dict[tuple[str, int], int] = {}
        self.uses: dict[tuple[str, int], int] = {}
        self.fusing: dict[tuple[str, int], int] = {}
        self.holds: dict[tuple[str, int], int] = {}
        for position, moment in enumerate(self.moments):
            self._moment(position, moment)
        self._beginnings()
        self._holdings()

    def decisions(self, values: Sequence[float]) -> dict[str, Decision]:
        """The decisions that the binary unknowns stand for."""
        return {name: decision for (name, decision), unknown in self.chosen.items() if values[unknown] > 0.5}

    # ------------------------------------------------------------ unknowns and rows

    def _new(self, seconds: float = 0.0) -> int:
        self.count += 1
        if seconds:
            self.seconds[self.count - 1] = seconds
        return self.count - 1

    def _at_most(self, terms: Terms, limit: float) -> None:
        self.rows.append((terms, limit))

    def _choices(self) -> None:
        """Each value is had in one way at most, and in one where a step reads it."""
        direct = {name for step in self.problem.reverse for name in step.work.reads}
        for value in self.problem.values:
            if value.name not in self.relevant:
                continue
            for decision in value.options:
                self.chosen[value.name, decision] = self._new(value.seconds if decision is Decision.RECOMPUTED else 0.0)
            ways = [self.chosen[value.name, decision] for decision in value.options]
            self._at_most([(way, 1.0) for way in ways], 1.0)
            if value.name in direct:
                self._at_most([(way, -1.0) for way in ways], -1.0)

    def _active(self, moment: Moment) -> tuple[Terms, float]:
        """Whether the moment happens, as terms and a constant."""
        if moment.made is None:
            return [], 1.0
        key = (moment.made, moment.step)
        if key not in self.begin:
            self.begin[key] = self._new()
        return [(self.begin[key], 1.0)], 0.0

    def _moment(self, position: int, moment: Moment) -> None:
        """uses and fusing at one moment: readers before what they read, so that a row names unknowns that are there."""
        active, constant = self._active(moment)
        readers: dict[str, list[int]] = defaultdict(list)
        for name in _closure(self.problem, moment.work):
            use = self.uses[name, position] = self._new()
            if name in moment.work.reads:
                self._at_most([(use, 1.0), *_negated(active)], constant)
                self._at_most([(use, -1.0), *active], -constant)
            else:
                self._at_most([(use, 1.0), *((reader, -1.0) for reader in readers[name])], 0.0)
                for reader in readers[name]:
                    self._at_most([(reader, 1.0), (use, -1.0)], 0.0)
            if (name, Decision.FUSED) in self.chosen:
                fused = self._fuse(name, position, use)
                if name in moment.work.whole:
                    self._at_most([(self.chosen[name, Decision.FUSED], 1.0), *active], 1.0 - constant)
                for read in _operands(self.problem, name):
                    readers[read].append(fused)

    def _fuse(self, name: str, position: int, use: int) -> int:
        """fusing = fuse AND uses."""
        fuse = self.chosen[name, Decision.FUSED]
        fused = self.fusing[name, position] = self._new(self.problem.by_name[name].fused_seconds or 0.0)
        self._at_most([(fuse, 1.0), (use, 1.0), (fused, -1.0)], 1.0)
        self._at_most([(fused, 1.0), (fuse, -1.0)], 0.0)
        self._at_most([(fused, 1.0), (use, -1.0)], 0.0)
        return fused

    def _beginnings(self) -> None:
        """A value is made at most once, if it is to be recomputed, and before a step whose phases use it."""
        begins: dict[str, list[int]] = defaultdict(list)
        for (name, step), begin in self.begin.items():
            begins[name].append(begin)
            behind = [self.uses[name, at] for at, moment in enumerate(self.moments) if moment.step == step and (name, at) in self.uses]
            self._at_most([(begin, 1.0), *((use, -1.0) for use in behind)], 0.0)
        for name, unknowns in begins.items():
            self._at_most([*((begin, 1.0) for begin in unknowns), (self.chosen[name, Decision.RECOMPUTED], -1.0)], 0.0)

    def _holdings(self) -> None:
        """A value is in memory while it is made and used, from one beginning on."""
        for name in self.relevant:
            before: Terms = [(self.chosen[name, Decision.KEPT], 1.0)]
            for at, moment in enumerate(self.moments):
                is_made = moment.made == name
                if not is_made and (name, at) not in self.uses:
                    continue
                held = self.holds[name, at] = self._new()
                begin = [(self.begin[name, moment.step], 1.0)] if is_made else []
                self._at_most([(held, 1.0), *_negated(before), *(_negated(begin) if moment.part == 0 else [])], 0.0)
                self._at_most([*begin, (held, -1.0)], 0.0)
                if (name, at) in self.uses:
                    fused = [(self.fusing[name, at], -1.0)] if (name, at) in self.fusing else []
                    self._at_most([(self.uses[name, at], 1.0), *fused, (held, -1.0)], 0.0)
                before = [(held, 1.0)]

    # ------------------------------------------------------------ memory

    def memory_rows(self, unit: int, peak: int) -> Iterator[Row]:
        """For each forward step and each moment: units held <= the unknown ``peak``."""
        units = {value.name: float(-(-value.bytes // unit)) for value in self.problem.values}
        for position, held in enumerate(self.problem.forward):
            kept = [
                (self.chosen[name, Decision.KEPT], units[name])
                for name in self.relevant
                if self.problem.by_name[name].last_forward < position
            ]
            yield [*kept, (peak, -1.0)], -float(-(-held // unit))
        held_next: dict[str, Terms] = {}
        rows: list[Row] = []
        for at in range(len(self.moments) - 1, -1, -1):
            moment = self.moments[at]
            held_now = held_next | {name: [(self.holds[name, at], 1.0)] for name in self._concerned(at)}
            terms = [(unknown, sign * units[name]) for name, parts in held_now.items() for unknown, sign in parts]
            extra, base = self._held(moment, unit)
            rows.append(([*terms, *extra, (peak, -1.0)], -base))
            held_next = held_now
            if moment.made is not None and moment.part == 0:
                begin = self.begin[moment.made, moment.step]
                held_next = {**held_now, moment.made: [*held_now[moment.made], (begin, -1.0)]}
        yield from reversed(rows)

    def _concerned(self, at: int) -> list[str]:
        made = self.moments[at].made
        names = {made} if made is not None else set()
        return sorted(names | {name for name in _closure(self.problem, self.moments[at].work) if (name, at) in self.holds})

    def _held(self, moment: Moment, unit: int) -> tuple[Terms, float]:
        step = self.problem.reverse[moment.step]
        if moment.made is None:
            return [], float(-(-step.work.held // unit))
        extra = float(-(-moment.work.held // unit))
        return [(self.begin[moment.made, moment.step], extra)] if extra else [], float(-(-step.before // unit))


def _moments(problem: Problem) -> Iterator[Moment]:
    """Every phase that some decisions bring about: a value may be made until the first step that reads it itself."""
    is_over: set[str] = set()
    for position, step in enumerate(problem.reverse):
        needed = _ancestors(problem, set(step.work.reads))
        for value in problem.values:
            if value.name in needed and value.name not in is_over:
                for part, producer in enumerate(value.producers if Decision.RECOMPUTED in value.options else ()):
                    yield Moment(position, value.name, part, producer)
        is_over.update(step.work.reads)
        yield Moment(position, None, 0, step.work)


def _operands(problem: Problem, name: str) -> list[str]:
    return list(dict.fromkeys(read for producer in problem.by_name[name].producers for read in producer.reads))


def _ancestors(problem: Problem, names: set[str]) -> list[str]:
    """The values that those names need in some way of having them, themselves included, in the order of production."""
    found: set[str] = set()
    open_names = list(names)
    while open_names:
        name = open_names.pop()
        if name not in found:
            found.add(name)
            open_names += _operands(problem, name)
    return sorted(found, key=problem.order.__getitem__)


def _closure(problem: Problem, work: Work) -> list[str]:
    """What the work can come to read through fused values, readers first: the reverse of the order of production."""
    found: set[str] = set()
    open_names = list(work.reads)
    while open_names:
        name = open_names.pop()
        if name not in found:
            found.add(name)
            is_fusable = Decision.FUSED in problem.by_name[name].options
            open_names += _operands(problem, name) if is_fusable else []
    return sorted(found, key=problem.order.__getitem__, reverse=True)


def _negated(terms: Terms) -> Terms:
    return [(unknown, -value) for unknown, value in terms]
