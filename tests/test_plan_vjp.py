"""A budget of a vjp: it holds for the forward sweep, for what is kept, and for the pullback."""

import gc
import resource
from pathlib import Path

import numpy as np
import pytest

import dfad
from tests.references import relative_error

pytestmark = pytest.mark.slow


def field(x):
    a1 = np.sin(x)
    a2 = np.zeros_like(a1)
    a2[:, 1:] = a1[:, :-1] * np.cos(a1[:, 1:])
    s2 = np.sum(a2, axis=1) / 1000.0
    a3 = np.tanh(a2) * s2[:, None]
    a4 = np.zeros_like(a3)
    a4[:, 1:] = a3[:, :-1] + a3[:, 1:]
    a5 = np.exp(-a4 * a4)
    s5 = np.sum(a5, axis=1) / 1000.0
    return a5 * a5 * s5[:, None]


def updated(x, c):
    y = np.exp(0.1 * x)
    z = np.zeros_like(y)
    z[1:] = y[:-1] * np.sin(y[1:])
    s = np.sum(z, axis=0)
    w = np.cos(z * s)
    x[:] = x * w + c * np.flip(w)


def example(name):
    x = np.random.default_rng(3).standard_normal((30, 20))
    return {"field": (field, (x,)), "updated": (updated, (x, 0.7))}[name]


@pytest.mark.parametrize("name", ["field", "updated"])
def test_every_budget_down_to_the_least_holds_as_measured(name):
    function, arguments = example(name)
    f = dfad.kernel(function)
    out, pullback = dfad.vjp(f, *arguments)
    w = np.random.default_rng(4).standard_normal(out.shape)
    expected, budget, least, held = pullback(w), 10**9, 0, []
    while not least:
        try:
            found, pullback = dfad.vjp(f, *arguments, memory=budget)
        except dfad.BudgetTooSmall as error:
            least = error.least
            continue
        np.testing.assert_array_equal(found, out)
        before = f.memory["peak"]
        for _ in range(2):
            assert relative_error((pullback(w),), (expected,)) <= 1e-13
            held.append(max(before, pullback.memory["peak"]))
            assert held[-1] <= budget
            assert f.memory["peak"] == held[-1]
        budget = held[-1] - 1
    assert held[-1] == least == min(held)
    assert len(set(held)) >= (3 if name == "field" else 1)


def test_a_budget_too_small_names_the_least_and_the_kernel():
    with pytest.raises(dfad.BudgetTooSmall, match="no plan fits 1000 bytes") as caught:
        dfad.vjp(dfad.kernel(field), np.ones((30, 20)), memory=1000)
    assert 1000 < caught.value.least <= caught.value.practical
    assert caught.value.line == field.__code__.co_firstlineno


def test_what_is_kept_is_tape_and_entry_values_are_copies():
    x = np.random.default_rng(3).standard_normal((30, 20))
    f = dfad.kernel(field)
    out, pullback = dfad.vjp(f, x)
    pullback(out)
    assert pullback.memory["copies"] == x.nbytes, "the entry value of x; the cotangent is read where it is"
    pullback(list(out))
    assert pullback.memory["copies"] == x.nbytes + out.nbytes, "and the cotangent, which was no array"
    assert pullback.memory["tape"] == 2 * x.shape[0] * 8, "the sums of the rows; all else is made again"
    ahead = f.memory
    assert ahead["tape"] == pullback.memory["tape"]
    assert ahead["peak"] >= pullback.memory["peak"]
    del pullback
    gc.collect()
    assert f.memory["adjoints"] == 0, "the pullback is gone, and its adjoints with it"


def resident():
    """The bytes of this process that are in memory."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize()


def squares(x):
    for _t in range(4):
        for i in range(x.shape[0]):
            x[i] = np.sin(x[i]) * x[i]
    return np.sum(x)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="what is in memory is read from /proc")
def test_a_call_with_a_budget_gives_back_what_waits():
    f = dfad.kernel(squares)
    x = np.linspace(0.5, 1.5, 4_000_000)
    _, pullback = dfad.vjp(f, x)
    pullback(1.0)
    kept = f.memory["tape"]
    assert kept >= x.nbytes
    small = np.linspace(0.5, 1.5, 10)
    dfad.vjp(f, small, memory=10**6)
    del pullback
    waiting = resident()
    dfad.vjp(f, small, memory=10**6)
    assert waiting - resident() >= 0.9 * kept
