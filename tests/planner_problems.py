"""Random planning problems, and every plan of one."""

import random
from collections.abc import Iterator
from itertools import product

from dfad.plan.problem import Decision, Outcome, Problem, ReverseStep, Value, Work, is_possible, simulate


def random_problem(seed: int, count: int, unit: int = 8) -> Problem:
    """A graph of ``count`` values, each made from up to two earlier ones, read by reverse steps in about the opposite order."""
    chance = random.Random(seed)
    names = [f"v{position}" for position in range(count)]
    values = []
    for position, name in enumerate(names):
        reads = tuple(sorted(chance.sample(names[:position], min(position, chance.choice([0, 1, 1, 2])))))
        whole = frozenset(read for read in reads if chance.random() < 0.15)
        parts = chance.choice([1, 1, 1, 2])
        producers = tuple(
            Work(reads if part == 0 else reads[:1], whole & set(reads[:1] if part else reads), unit * chance.choice([0, 0, 3]))
            for part in range(parts)
        )
        cost = chance.choice([0.5, 1.0, 1.0, 2.0, 5.0])
        fused = cost * chance.choice([0.5, 1.0, 1.5]) if parts == 1 and chance.random() < 0.5 else None
        kept_only = chance.random() < 0.1
        last = chance.randint(position, count)
        values.append(Value(name, unit * chance.randint(1, 9), last, () if kept_only else producers, cost, None if kept_only else fused))
    reverse = []
    for position in reversed(range(count)):
        reads = {name for name in names[max(0, position - 2) : position + 1] if chance.random() < 0.6}
        whole = frozenset(read for read in sorted(reads) if chance.random() < 0.15)
        before = unit * chance.randint(1, 6)
        reverse.append(ReverseStep(Work(tuple(sorted(reads)), whole, before + unit * chance.randint(0, 4)), before))
    forward = tuple(unit * chance.randint(1, 8) for _ in range(count + 1))
    return Problem(tuple(values), forward, tuple(reverse), 10.0)


def every_plan(problem: Problem) -> Iterator[tuple[dict[str, Decision], Outcome]]:
    for choice in product(*(value.options for value in problem.values)):
        decisions = {value.name: decision for value, decision in zip(problem.values, choice, strict=True)}
        if is_possible(problem, decisions):
            yield decisions, simulate(problem, decisions)
