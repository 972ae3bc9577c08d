"""Budgets as measured: compiled gradients under every plan of the trade-off hold what was predicted, and give the same gradient."""

import random

import numpy as np
import pytest

import dfad
from dfad.plan.choice import Choice
from dfad.plan.costs import Costs
from dfad.plan.planner import Planner
from tests.planner_kernels import gradient, kernel, random_text
from tests.planner_problems import every_plan

SIDE = 1000
SHAPE = (7, 5)


def chain(x):
    """Eight large arrays, each step an elementwise function followed by a row sum or a shift."""
    a1 = np.sin(x)
    a2 = np.zeros_like(a1)
    a2[:, 1:] = a1[:, :-1] * np.cos(a1[:, 1:])
    s2 = np.sum(a2, axis=1) / 1000.0
    a3 = np.tanh(a2) * s2[:, None]
    a4 = np.zeros_like(a3)
    a4[:, 1:] = a3[:, :-1] + a3[:, 1:]
    a5 = np.exp(-a4 * a4)
    s5 = np.sum(a5, axis=1) / 1000.0
    a6 = a5 * a5 * s5[:, None]
    a7 = np.zeros_like(a6)
    a7[1:] = np.sin(a6[:-1])
    s7 = np.sum(a7 * a7, axis=1) / 1000.0
    a8 = np.sqrt(1.0 + a7 * a7) * s7[:, None]
    return np.sum(a8 * a8)


@pytest.mark.slow
def test_a_chain_at_every_budget_of_its_tradeoff():
    f = dfad.kernel(chain)
    x = np.random.default_rng(0).standard_normal((SIDE, SIDE))
    expected = f.grad(x)
    plans = f.tradeoff(x)
    assert len(plans) >= 4
    assert plans[0].peak - plans[-1].peak >= 2 * x.nbytes
    for plan in plans:
        g = dfad.grad(f, memory=plan.peak)
        found = g(x)
        assert np.abs(found - expected).max() <= 1e-13 * np.abs(expected).max()
        assert g.memory["peak"] == plan.peak == g.plan(x).peak
    least = plans[-1].peak
    assert f.plan(x).least == least
    with pytest.raises(dfad.BudgetTooSmall) as caught:
        dfad.grad(f, memory=least - 1)(x)
    assert caught.value.least == least
    assert dfad.grad(f, memory=least)(x).shape == x.shape


@pytest.mark.long
@pytest.mark.parametrize("seed", range(50))
def test_ten_plans_of_random_kernels_compiled(seed, monkeypatch):
    function = kernel(random_text(seed, 2 + seed % 4))
    planner = Planner(gradient(function), {"x_0": SHAPE[0], "x_1": SHAPE[1]}, Costs())
    x = np.random.default_rng(seed).standard_normal(SHAPE)
    expected = dfad.grad(dfad.kernel(function), cache=False)(x)
    widest = max(outcome.peak for _, outcome in every_plan(planner.problem))
    plans = list(every_plan(planner.problem))
    chosen = random.Random(seed).sample(plans, min(10, len(plans)))
    monkeypatch.setattr(Choice, "_chosen", lambda self, budget: self.planners[1])
    for decisions, outcome in chosen:
        monkeypatch.setattr(Planner, "_fastest", lambda self, budget, decisions=decisions: decisions)
        g = dfad.grad(dfad.kernel(function), memory=outcome.peak, cache=False)
        found = g(x)
        assert np.abs(found - expected).max() <= 1e-13 * max(1e-300, np.abs(expected).max())
        assert g.memory["peak"] == outcome.peak <= widest
        dfad.clear_cache()


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(0, 5), (3, 0), (1, 1), (5, 2)])
def test_small_and_empty_arrays_hold_what_is_predicted(shape):
    """Blocks of one capacity and different sizes share the pool: what a block grows by counts too."""
    f = dfad.kernel(chain)
    x = np.ones(shape)
    for plan in f.tradeoff(x):
        g = dfad.grad(f, memory=plan.peak)
        assert g(x).shape == shape
        assert g.memory["peak"] == plan.peak


def neighbours(a, c):
    b = np.zeros_like(a)
    b[1:-1, 1:-1] = np.sin(a[1:-1, 1:-1] * a[:-2, 1:-1]) + np.exp(-a[1:-1, 2:] * c)
    return np.sum(b * b)


@pytest.mark.slow
def test_a_tight_budget_does_without_arrays_for_contributions():
    """Costly contributions of a stencil are stored for the neighbours to gather, where there is room for that."""
    f = dfad.kernel(neighbours)
    a = np.random.default_rng(2).standard_normal((40, 40))
    expected = f.grad(a, 0.3)
    plans = f.tradeoff(a, 0.3)
    assert plans[0].peak - plans[-1].peak >= 1.5 * a.nbytes
    assert plans[0].seconds < plans[-1].seconds
    for plan in plans:
        g = dfad.grad(f, memory=plan.peak)
        assert np.abs(g(a, 0.3) - expected).max() <= 1e-13 * np.abs(expected).max()
        assert g.memory["peak"] == plan.peak
    assert f.plan(a, 0.3).least == plans[-1].peak
    with pytest.raises(dfad.BudgetTooSmall) as caught:
        dfad.grad(f, memory=plans[-1].peak - 1)(a, 0.3)
    assert caught.value.least == plans[-1].peak


def layouts():
    """Arrays of one shape that calls copy: strided, in columns, backwards."""
    x = np.random.default_rng(3).standard_normal((80, 60))
    wide = np.zeros((160, 60))
    wide[::2] = x
    return {"strided": wide[::2], "columns": np.asfortranarray(x), "backwards": x[::-1].copy()[::-1]}


def steps(x, w):
    a = np.sin(x) * w
    b = np.exp(-a * a)
    c = np.tanh(b + x)
    return np.sum(c * c * b)


@pytest.mark.parametrize("layout", layouts())
@pytest.mark.parametrize("transform", [dfad.grad, dfad.value_and_grad])
def test_what_is_copied_of_arguments_counts(layout, transform):
    x = layouts()[layout]
    w = x * 0.5 + 1.0
    expected = transform(steps)(x, w)
    copied = sum(0 if one.flags.c_contiguous else one.nbytes for one in (x, w))
    assert copied >= x.nbytes
    usual = transform(dfad.kernel(steps, memory=10**9)).tradeoff(x.copy(), w.copy())
    plans = transform(dfad.kernel(steps, memory=10**9)).tradeoff(x, w)
    extra = copied - sum(0 if one.copy().flags.c_contiguous else one.nbytes for one in (x, w))
    assert [plan.peak for plan in plans] == [plan.peak + extra for plan in usual]
    for plan in plans:
        g = transform(steps, memory=plan.peak)
        for _ in range(2):
            for found, wanted in zip(g(x, w), expected, strict=True):
                np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-13)
            assert g.memory["peak"] == plan.peak
            assert g.memory["copies"] >= copied
    with pytest.raises(dfad.BudgetTooSmall) as told:
        transform(steps, memory=plans[-1].peak - 1)(x, w)
    assert told.value.least == plans[-1].peak
    with pytest.raises(dfad.BudgetTooSmall) as told:
        transform(steps, memory=1000)(x, w)
    assert told.value.least == plans[-1].peak
    assert transform(steps, memory=plans[-1].peak).plan(x, w).least == plans[-1].peak
    assert transform(steps).plan(x, w).least == plans[-1].peak


@pytest.mark.parametrize("layout", layouts())
def test_what_is_copied_for_a_vjp_counts(layout):
    x = layouts()[layout]
    w = np.ascontiguousarray(x * 0.5 + 1.0)
    expected = dfad.vjp(steps, x, w)[1](1.0)
    with pytest.raises(dfad.BudgetTooSmall) as told:
        dfad.vjp(steps, x, w, memory=1000)
    for budget in range(told.value.least, 2 * told.value.least, told.value.least // 4):
        f = dfad.kernel(steps)
        _, pullback = dfad.vjp(f, x, w, memory=budget)
        assert f.memory["peak"] <= budget
        np.testing.assert_allclose(pullback(1.0), expected, rtol=1e-12, atol=1e-13)
        assert f.memory["peak"] <= budget
        assert pullback.memory["peak"] <= budget
    with pytest.raises(dfad.BudgetTooSmall):
        dfad.vjp(steps, x, w, memory=told.value.least - 1)
