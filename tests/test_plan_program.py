"""Every plan of random kernels, executed by the interpreter with a counting allocator, against the integer program's."""

import numpy as np
import pytest

from dfad.errors import BudgetTooSmall
from dfad.ir.verify import verify
from dfad.plan.audit import audit
from dfad.plan.costs import Costs
from dfad.plan.planner import Planner
from dfad.plan.problem import simulate
from dfad.plan.realize import realize
from tests.planner_kernels import gradient, kernel, random_text, run
from tests.planner_problems import every_plan

SHAPE = (2, 3)
SIZES = {"x_0": 2, "x_1": 3}


def check_every_plan(text: str) -> int:
    program = gradient(kernel(text))
    x = np.random.default_rng(3).standard_normal(SHAPE)
    planner = Planner(program, SIZES, Costs())
    expected, kept_peak = run(program, {"x": x})
    executed = []
    for decisions, outcome in every_plan(planner.problem):
        realized = audit(planner.sweeps.program, verify(realize(planner.sweeps, planner.problem, decisions)))
        found, peak = run(realized, {"x": x})
        np.testing.assert_array_equal(found, expected, err_msg=f"{decisions}\n{text}")
        assert peak == outcome.peak, (decisions, text)
        executed.append((peak, outcome.seconds))
    assert kept_peak == simulate(planner.problem, {}).peak
    least = min(peak for peak, _ in executed)
    assert planner.least == least
    with pytest.raises(BudgetTooSmall) as caught:
        planner.plan(least - 1)
    assert caught.value.least == least
    for budget in sorted({peak for peak, _ in executed}):
        best = min(seconds for peak, seconds in executed if peak <= budget)
        made = planner.plan(budget)
        assert made.seconds == pytest.approx(planner.problem.seconds + best, rel=1e-12)
        assert run(planner.program(budget), {"x": x})[1] == made.peak <= budget
    return len(executed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50))
def test_the_best_of_all_executed_plans(seed):
    assert check_every_plan(random_text(seed, 2 + seed % 4)) >= 1
