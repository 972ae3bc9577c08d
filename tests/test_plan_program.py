"""Every plan of random kernels, executed by the interpreter with a counting allocator, against the integer program's."""

import numpy as np
import pytest

from dfad.errors import BudgetTooSmall
from dfad.ir.nodes import Stage
from dfad.ir.verify import verify
from dfad.ir.walk import all_arrays
from dfad.plan.audit import audit
from dfad.plan.classes import with_tape
from dfad.plan.costs import Costs
from dfad.plan.planner import Planner
from dfad.plan.problem import simulate
from dfad.plan.realize import realize
from tests.ir_text import build
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


KEPT = """
def f(x: f8[N], x_bar: f8[N]):
    a: f8[N]
    b: f8[N]
    c: f8[N]
    d: f8[N] = copy
    with block:
        for i in range(0, N):
            a[i] = x[i]
            b[i] = 2.0*a[i]
            d[i] = b[i]
    with block:
        for j in range(0, N):
            c[j] = b[j]*d[j]
        for k in range(0, N):
            x_bar[k] = c[k]
"""


def test_what_the_reverse_sweep_reads_of_the_forward_sweep_is_tape():
    program = verify(build(KEPT, Stage.PLANNED))
    roles = {array.name: array.role.value for array in all_arrays(with_tape(program)).values()}
    assert {name: roles[name] for name in "abcd"} == {"a": "local", "b": "tape", "c": "local", "d": "copy"}
    assert with_tape(with_tape(program)).body.arrays == with_tape(program).body.arrays
    recomputed = verify(build(KEPT.replace("b[j]*d[j]", "d[j]*d[j]").replace("b: f8[N]", "b: f8[N] = tape"), Stage.PLANNED))
    assert all_arrays(with_tape(recomputed))["b"].role.value == "local"
