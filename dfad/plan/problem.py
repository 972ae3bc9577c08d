"""The planner's question and answer as plain records, and what a set of decisions costs.

The question. A gradient program is a row of steps, forward then reverse. A *value* is an array that is settled in the forward sweep: after
its last producer nothing writes it. The reverse sweep reads some values. For each it is decided to have it

    kept         from the forward sweep until its last use,
    recomputed   by its producers once more, into a buffer that lives from its first to its last use in the reverse sweep, or
    fused        recomputed in registers at every use: its definition takes the place of each read.

A value that is neither read there nor needed to have another one needs no decision.

The rules of time. Reverse step q is preceded by the recomputations of what it is the first to use, operands first, in the order of
production: each producer is a *phase*, the step itself is one. A phase uses the values that it reads; a fused one stands for the values
that its producer reads. Bytes of a value are held from the phase that makes it (from the forward sweep, if kept) to the last phase that
uses it. The memory of a phase is that, plus what the phase holds whatever is decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import accumulate
from operator import sub
from typing import TypeAlias

from dfad.errors import CompilerBug


class Decision(Enum):
    """How the reverse sweep has a value."""

    KEPT = "kept"
    RECOMPUTED = "recomputed"
    FUSED = "fused"


Decisions: TypeAlias = Mapping[str, Decision]

NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Work:
    """What one phase does.

    Attributes
    ----------
    reads : tuple of str
        The values that it reads, in order, once each.
    whole : frozenset of str
        Those of them that must stand in memory: operands of library operations.
    held : int
        Bytes of all that is no value, while it runs.
    """

    reads: tuple[str, ...]
    whole: frozenset[str] = frozenset()
    held: int = 0


@dataclass(frozen=True, slots=True)
class Value:
    """A value.

    Attributes
    ----------
    name : str
        Its array.
    bytes : int
        Its size.
    last_forward : int
        Position of the last forward step that uses it.
    producers : tuple of Work
        What makes it again, in order; ``held`` is what it needs beside what the reverse step behind it finds. Empty: it can only be kept.
    seconds : float
        Predicted time of all producers.
    fused_seconds : float or None
        Predicted extra time of one phase that has it fused; None: it cannot be fused.
    """

    name: str
    bytes: int
    last_forward: int
    producers: tuple[Work, ...] = ()
    seconds: float = 0.0
    fused_seconds: float | None = None

    @property
    def options(self) -> tuple[Decision, ...]:
        """The decisions that are open, kept first."""
        found = [Decision.KEPT]
        found += [Decision.RECOMPUTED] if self.producers else []
        found += [Decision.FUSED] if self.fused_seconds is not None else []
        return tuple(found)


@dataclass(frozen=True, slots=True)
class ReverseStep:
    """A step of the reverse sweep; ``before``: the bytes of all that is no value, held just before the step."""

    work: Work
    before: int


@dataclass(frozen=True)
class Problem:
    """The question without the budget.

    Attributes
    ----------
    values : tuple of Value
        In the order of production: producers read earlier values only.
    forward : tuple of int
        For each forward step the bytes held whatever is decided, values within their forward life included.
    reverse : tuple of ReverseStep
        The steps of the reverse sweep.
    seconds : float
        Predicted time when everything is kept.
    """

    values: tuple[Value, ...]
    forward: tuple[int, ...]
    reverse: tuple[ReverseStep, ...]
    seconds: float = 0.0

    @cached_property
    def by_name(self) -> dict[str, Value]:
        """The values by name."""
        return {value.name: value for value in self.values}

    @cached_property
    def has_whole(self) -> bool:
        """Whether any work needs a value in memory as a whole."""
        works = (*(step.work for step in self.reverse), *(work for value in self.values for work in value.producers))
        return any(work.whole for work in works)

    @cached_property
    def order(self) -> dict[str, int]:
        """The position of each value in the order of production."""
        return {value.name: position for position, value in enumerate(self.values)}


@dataclass(frozen=True, slots=True)
class Phase:
    """A moment of the reverse sweep under given decisions.

    ``step``: position among the reverse steps; ``made`` and ``part``: the value whose producer of that number runs just before the step,
    None where the step itself runs; ``uses``: the stored values that it reads; ``fused``: the values that it has fused.
    """

    step: int
    made: str | None
    part: int
    uses: frozenset[str]
    fused: frozenset[str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What decisions come to: bytes at each forward step and at each phase, and the predicted seconds added by them."""

    forward: tuple[int, ...]
    phases: tuple[Phase, ...]
    reverse: tuple[int, ...]
    seconds: float
    stored: frozenset[str]
    """The values whose decision is carried out: those that the reverse sweep has in memory, kept or recomputed, or fused."""

    @property
    def peak(self) -> int:
        """The most bytes held at any time."""
        return max((*self.forward, *self.reverse), default=0)


def phases(problem: Problem, decisions: Decisions) -> Iterator[Phase]:
    """The reverse sweep as a row of phases."""
    made: set[str] = set()
    for position, step in enumerate(problem.reverse):
        for name in _to_make(problem, decisions, step.work.reads, made):
            for part, producer in enumerate(problem.by_name[name].producers):
                yield Phase(position, name, part, *_resolve(problem, decisions, producer))
            made.add(name)
        yield Phase(position, None, 0, *_resolve(problem, decisions, step.work))


def _resolve(problem: Problem, decisions: Decisions, work: Work) -> tuple[frozenset[str], frozenset[str]]:
    """The stored and the fused values that a piece of work uses, through fused ones."""
    if all(decisions.get(name) is not Decision.FUSED for name in work.reads):
        return frozenset(work.reads), NOTHING
    stored: set[str] = set()
    fused: set[str] = set()
    open_names = list(work.reads)
    while open_names:
        name = open_names.pop()
        if name in stored or name in fused:
            continue
        if decided(decisions, name) is Decision.FUSED:
            fused.add(name)
            open_names += [read for producer in problem.by_name[name].producers for read in producer.reads]
        else:
            stored.add(name)
    return frozenset(stored), frozenset(fused)


def is_possible(problem: Problem, decisions: Decisions) -> bool:
    """Whether every value that a phase needs in memory as a whole is there, not fused."""
    if not problem.has_whole or Decision.FUSED not in decisions.values():
        return True
    works = (_work(problem, phase) for phase in phases(problem, decisions))
    return all(decided(decisions, name) is not Decision.FUSED for work in works for name in work.whole)


def _work(problem: Problem, phase: Phase) -> Work:
    if phase.made is None:
        return problem.reverse[phase.step].work
    return problem.by_name[phase.made].producers[phase.part]


def _to_make(problem: Problem, decisions: Decisions, reads: Iterable[str], made: set[str]) -> list[str]:
    """What must be recomputed before these reads, operands included, in the order of production."""
    open_names = [name for name in reads if name not in made and decided(decisions, name) is not Decision.KEPT]
    if not open_names:
        return []
    wanted: set[str] = set()
    while open_names:
        name = open_names.pop()
        decision = decided(decisions, name)
        if decision is Decision.KEPT or name in wanted or name in made:
            continue
        if decision is Decision.RECOMPUTED:
            wanted.add(name)
        open_names += [read for producer in problem.by_name[name].producers for read in producer.reads]
    return sorted(wanted, key=problem.order.__getitem__)


def decided(decisions: Decisions, name: str) -> Decision:
    """The decision about a value; kept where none is named."""
    return decisions.get(name, Decision.KEPT)


def simulate(problem: Problem, decisions: Decisions) -> Outcome:
    """What the decisions come to, exactly, by the rules of time above; CompilerBug when they are not possible."""
    if not is_possible(problem, decisions):
        raise CompilerBug(f"a value that must stand in memory is fused: {decisions}")
    row = tuple(phases(problem, decisions))
    first = {phase.made: position for position, phase in reversed(list(enumerate(row))) if phase.made is not None}
    last: dict[str, int] = {}
    for position, phase in enumerate(row):
        last.update(dict.fromkeys(phase.uses, position))
        if phase.made is not None:
            last[phase.made] = position
    begin, end, kept = [0] * (len(row) + 1), [0] * (len(row) + 1), [0] * (len(problem.forward) + 1)
    for name, position in last.items():
        value = problem.by_name[name]
        begin[first.get(name, 0)] += value.bytes
        end[position + 1] += value.bytes
        if name not in first:
            kept[min(value.last_forward + 1, len(problem.forward))] += value.bytes
    live = accumulate(map(sub, begin, end))
    reverse = [_held(problem, phase) + count for phase, count in zip(row, live, strict=False)]
    forward = [held + count for held, count in zip(problem.forward, accumulate(kept), strict=False)]
    fused = frozenset(name for phase in row for name in phase.fused)
    seconds = sum(problem.by_name[name].seconds for name in first)
    seconds += sum(problem.by_name[name].fused_seconds or 0.0 for phase in row for name in phase.fused)
    return Outcome(tuple(forward), row, tuple(reverse), seconds, frozenset(last) | fused)


def _held(problem: Problem, phase: Phase) -> int:
    """The bytes of a phase that hang on no decision."""
    before = 0 if phase.made is None else problem.reverse[phase.step].before
    return before + _work(problem, phase).held
