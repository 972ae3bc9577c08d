"""The integer program against every plan of the model."""

import random
from time import process_time

import pytest

from dfad.plan.ilp import Solver
from dfad.plan.problem import Problem, ReverseStep, Value, Work, simulate
from dfad.plan.search import search, smallest_found
from tests.planner_problems import every_plan, random_problem


def check_against_every_plan(problem: Problem) -> None:
    outcomes = [outcome for _, outcome in every_plan(problem)]
    solver = Solver(problem)
    least = min(outcome.peak for outcome in outcomes)
    assert simulate(problem, solver.smallest()).peak == least
    assert solver.fastest(least - 1) is None
    for budget in sorted({outcome.peak for outcome in outcomes}):
        best = min(outcome.seconds for outcome in outcomes if outcome.peak <= budget)
        decisions = solver.fastest(budget)
        assert decisions is not None, budget
        outcome = simulate(problem, decisions)
        assert outcome.peak <= budget
        assert outcome.seconds == pytest.approx(best, rel=1e-9, abs=1e-12)
        assert solver.smallest(below=least) is None
        smallest = simulate(problem, solver.smallest(within=best))
        assert smallest.seconds <= best * (1 + 1e-9) + 1e-12
        assert smallest.peak == min(outcome.peak for outcome in outcomes if outcome.seconds <= best + 1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_small_graphs(seed):
    check_against_every_plan(random_problem(seed, 2 + seed % 4))


@pytest.mark.parametrize("seed", range(40, 52))
def test_the_search_stays_within_what_is_possible(seed):
    problem = random_problem(seed, 5)
    outcomes = [outcome for _, outcome in every_plan(problem)]
    least = min(outcome.peak for outcome in outcomes)
    found = simulate(problem, smallest_found(problem))
    assert found.peak >= least
    assert search(problem, least - 1) is None
    for budget in (found.peak, max(outcome.peak for outcome in outcomes)):
        decisions = search(problem, budget)
        assert decisions is not None
        assert simulate(problem, decisions).peak <= budget
        assert simulate(problem, decisions).seconds >= min(outcome.seconds for outcome in outcomes if outcome.peak <= budget)


def test_a_large_question_is_answered_in_time():
    """A chain of thirty values: above ten choices the solver's time is limited and a search stands beside it."""
    names = [f"x{position}" for position in range(30)]
    values = tuple(
        Value(name, 80, position + 1, (Work((names[position - 1],) if position else ()),), 1.0) for position, name in enumerate(names)
    )
    reverse = tuple(ReverseStep(Work((name,), frozenset(), 160), 80) for name in reversed(names))
    problem = Problem(values, (80,) * 31, reverse, 60.0)
    solver = Solver(problem)
    assert solver.is_large
    small = simulate(problem, smallest_found(problem))
    assert small.peak <= 12 * 80
    decisions = search(problem, 16 * 80)
    assert decisions is not None
    assert simulate(problem, decisions).peak <= 16 * 80
    assert simulate(problem, decisions).seconds <= 40.0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 112))
def test_larger_graphs(seed):
    check_against_every_plan(random_problem(seed, 6 + seed % 3))


@pytest.mark.parametrize(("count", "seconds", "parts"), [(100, 3.0, 0.35), (300, 10.0, 0.25)])
def test_a_long_chain_is_planned_in_time(count, seconds, parts):
    """By the search alone, whose time grows with the square of the number of values."""
    chance = random.Random(count)
    names = [f"x{position}" for position in range(count)]
    values = tuple(
        Value(name, 80, position + 1, (Work((names[position - 1],) if position else ()),), chance.choice([0.5, 1.0, 2.0]))
        for position, name in enumerate(names)
    )
    reverse = tuple(ReverseStep(Work((name,), frozenset(), 160), 80) for name in reversed(names))
    problem = Problem(values, (80,) * (count + 1), reverse, 2.0 * count)
    budget = int(parts * simulate(problem, {}).peak)
    start = process_time()
    decisions = search(problem, budget)
    assert process_time() - start < seconds
    assert decisions is not None
    outcome = simulate(problem, decisions)
    assert outcome.peak <= budget
    assert outcome.seconds <= sum(value.seconds for value in values), "nothing is made twice"
