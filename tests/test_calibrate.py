"""What the machine takes: measured once, kept, handed to the planner; and how well it predicts."""

import subprocess
import sys
import time
from itertools import pairwise

import numpy as np
import pytest

import dfad
from dfad.pipeline import budget
from dfad.plan.costs import Costs
from dfad.run import calibrate
from tests.test_plan_measured import chain


@pytest.fixture
def forgotten(monkeypatch):
    monkeypatch.setattr(calibrate, "KNOWN", {})


@pytest.mark.slow
def test_costs_are_positive_and_kept_for_the_next_process(forgotten, monkeypatch):
    found = calibrate.measured()
    assert found is not None
    sizes = [size for size, _ in found.streams]
    assert all(a < b for a, b in pairwise(sizes))
    times = [seconds for _, seconds in found.streams] + list(found.functions.values())
    assert min(*times, found.simple, found.latency, found.call, found.product) > 0.0
    assert found.simple < found.functions["tanh"] < found.call * 10
    calibrate.KNOWN.clear()
    monkeypatch.setattr(calibrate, "_measure", lambda: pytest.fail("measured again"))
    assert calibrate.measured() == found
    assert budget.machine_costs() == Costs(**vars(found))


def test_the_usual_costs_hold_where_none_can_be_measured(forgotten, monkeypatch):
    monkeypatch.setattr(calibrate.cache, "disk", calibrate.cache.temporary)
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setattr(calibrate, "_program", lambda sections: pytest.fail("measured"))
    monkeypatch.setattr(calibrate, "_measure", _failing(dfad.CompilerMissing("none")))
    assert calibrate.measured() is None
    assert budget.machine_costs() == Costs()


def _failing(error):
    def fail():
        raise error

    return fail


@pytest.mark.slow
def test_only_budgets_and_plans_pay(forgotten, monkeypatch):
    seen = []
    monkeypatch.setattr(budget, "measured", lambda: seen.append("measured"))
    f = dfad.kernel(small)
    x = np.linspace(0.0, 1.0, 5)
    f(x)
    f.value_and_grad(x)
    dfad.vjp(f, x)
    assert seen == []
    dfad.grad(f, memory="1 MB")(x)
    assert seen == ["measured"]


def test_importing_measures_nothing():
    code = "import dfad, sys; assert 'dfad.run.calibrate' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def small(x):
    y = np.exp(x)
    return np.sum(y * y)


# ---------------------------------------------------------------- predictions


def product(a, b):
    c = a @ b
    return np.sum(c * c)


def sweeps(a, steps):
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i, j + 1] + a[i + 1, j]) / 5.0
    return np.sum(a * a)


def diffusion(u, steps):
    for _ in range(steps):
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
    return np.sum(u * u)


def activation(x):
    y = np.tanh(x) * np.exp(-x * x)
    s = np.sum(y, axis=1)
    z = y / (1.0 + s[:, None] ** 2)
    return np.sum(z * np.sin(z))


def example(name):
    values = np.random.default_rng(1).standard_normal((600, 600))
    return {
        "chain": (chain, (np.random.default_rng(0).standard_normal((1000, 1000)),)),
        "product": (product, (values, values.copy())),
        "sweeps": (sweeps, (values, 10)),
        "diffusion": (diffusion, (values, 20)),
        "activation": (activation, (values,)),
    }[name]


@pytest.mark.long
@pytest.mark.production
@pytest.mark.parametrize("name", ["chain", "product", "sweeps", "diffusion", "activation"])
def test_predicted_seconds_are_within_half_of_the_measured_ones(name):
    """Seconds of the thread, so that what else the machine does counts less."""
    function, arguments = example(name)
    f = dfad.kernel(function, threads=1)
    f.grad(*arguments)
    taken = []
    for _ in range(15):
        start = time.thread_time()
        f.grad(*arguments)
        taken.append(time.thread_time() - start)
    found, predicted = float(np.median(taken)), f.plan(*arguments).seconds
    print(f"\n{name}: predicted {predicted * 1e3:.2f} ms, measured {found * 1e3:.2f} ms, ratio {predicted / found:.2f}")
    assert 1 / 1.5 <= predicted / found <= 1.5
