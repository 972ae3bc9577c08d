"""The integer program against every plan of the model."""

import pytest

from dfad.plan.ilp import Solver
from dfad.plan.problem import Problem, simulate
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
        smallest = simulate(problem, solver.smallest(within=best))
        assert smallest.seconds <= best * (1 + 1e-9) + 1e-12
        assert smallest.peak == min(outcome.peak for outcome in outcomes if outcome.seconds <= best + 1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_small_graphs(seed):
    check_against_every_plan(random_problem(seed, 2 + seed % 4))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 112))
def test_larger_graphs(seed):
    check_against_every_plan(random_problem(seed, 6 + seed % 3))
