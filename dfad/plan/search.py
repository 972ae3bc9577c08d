"""Decisions by search, for questions too large to be answered exactly.

In: a Problem and a budget. Out: decisions that fit it, or None where the search finds none. The start patterns keep every k-th value in the
order of production and have the others recomputed or fused; from each, single decisions are changed as long as that takes away bytes
above the budget, summed over all steps and phases, and then as long as it takes away seconds. What it does not do: prove anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from dfad.plan.problem import Decision, Problem, Value, is_possible, simulate

Score: TypeAlias = tuple[int, float]

PATTERNS = (1, 2, 3, 4, 6, 9, 13, 19)
MOST_ROUNDS, FEW_ROUNDS = 12, 2
MOST_STARTS = 3

MANY = 60
"""Of more values a search begins from one pattern, and the least peak is looked for in larger steps: its time grows with their square."""
FINE, COARSE = 0.0, 0.01
"""What is left of a peak to be looked for below it, as parts of it."""


def search(problem: Problem, budget: int, starts: tuple[Mapping[str, Decision], ...] = ()) -> dict[str, Decision] | None:
    """The best decisions that the search finds within a budget in bytes; ``starts``: decisions to begin with besides the patterns."""
    tried = sorted(((_score(problem, budget, start), start) for start in (*starts, *_patterns(problem))), key=lambda pair: pair[0])
    found = [_descended(problem, budget, dict(start)) for _, start in tried[: MOST_STARTS if len(problem.values) <= MANY else 1]]
    score, decisions = min(found, key=lambda pair: pair[0])
    return decisions if score[0] == 0 else None


def smallest_found(problem: Problem, within: float | None = None) -> dict[str, Decision]:
    """Decisions of a small peak that add at most ``within`` seconds: each found by a search below the peak of the one before, 1 % below it
    where there are many values."""
    most = float("inf") if within is None else within
    outcomes = [(simulate(problem, decisions), decisions) for decisions in _patterns(problem)]
    best, peak = min(((decisions, outcome.peak) for outcome, decisions in outcomes if outcome.seconds <= most), key=lambda pair: pair[1])
    step = FINE if len(problem.values) <= MANY else COARSE
    while True:
        score, smaller = _descended(problem, peak - 1 - int(step * peak), dict(best))
        if score[0] > 0 or score[1] > most:
            return best
        best, peak = smaller, simulate(problem, smaller).peak


def _patterns(problem: Problem) -> Iterator[dict[str, Decision]]:
    """Every k-th value kept; k = 1: all."""
    for stride in PATTERNS:
        for last in (Decision.RECOMPUTED, Decision.FUSED):
            decisions = {value.name: Decision.KEPT if at % stride == 0 else _way(value, last) for at, value in enumerate(problem.values)}
            if is_possible(problem, decisions):
                yield decisions


def _way(value: Value, wish: Decision) -> Decision:
    return wish if wish in value.options else value.options[min(1, len(value.options) - 1)]


def _descended(problem: Problem, budget: int, decisions: dict[str, Decision]) -> tuple[Score, dict[str, Decision]]:
    """Change one decision at a time while that improves the score."""
    best = _score(problem, budget, decisions)
    for _ in range(MOST_ROUNDS if len(problem.values) <= MANY else FEW_ROUNDS):
        before = best
        for value in problem.values:
            for option in value.options:
                changed = {**decisions, value.name: option}
                if option is not decisions.get(value.name) and is_possible(problem, changed):
                    score = _score(problem, budget, changed)
                    if score < best:
                        best, decisions = score, changed
        if best == before:
            break
    return best, decisions


def _score(problem: Problem, budget: int, decisions: Mapping[str, Decision]) -> Score:
    outcome = simulate(problem, decisions)
    return sum(max(0, held - budget) for held in (*outcome.forward, *outcome.reverse)), outcome.seconds
