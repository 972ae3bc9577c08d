"""Generated time steps full of local arrays: what the reverse sweep computes again, stores or records is right, by the complex step."""

import random
from collections import Counter

import numpy as np
import pytest

from dfad.plan import locals as plan_locals
from tests.adjoint_paths import planned, run_gradient, subject
from tests.generated.test_generated import check_gradient, check_values, is_tame
from tests.planner_kernels import kernel as function_of

STATE = ("a", "b", "c")


def value(rng, names, depth=0):
    """A random expression of arrays."""
    kind = rng.random()
    if depth > 1 or kind < 0.35:
        return rng.choice(names)
    first, second = value(rng, names, depth + 1), value(rng, names, depth + 1)
    forms = (f"np.sin({first})", f"({first} * {second})", f"({first} + 0.3 * {second})", f"np.exp(-{first} * 0.1)", f"({first} - 0.5)")
    return rng.choice(forms)


def statement(rng, known, new):
    """The lines of one statement of a step, and the local array that it makes, if any."""
    state, other, any_array = rng.choice(STATE), rng.choice(STATE), rng.choice(known)
    match rng.choice(("local", "local", "local", "update", "shift", "part", "cells", "exchange", "branch")):
        case "local":
            return [f"{new} = 0.5 * {value(rng, known)} + 0.1 * {state}"], new
        case "update":
            return [f"{state} += 0.1 * {value(rng, known)}"], None
        case "shift":
            return [f"{state}[1:] = 0.5 * {state}[:-1] + 0.2 * {any_array}[1:] * {other}[:-1]"], None
        case "part":
            return [f"{any_array}[::2] *= 0.7"], None
        case "cells":
            lines = ["for i in range(a.shape[0]):", f"    y = np.sin({any_array}[i]) * {other}[i]"]
            return [*lines, "    if y > 0.1:", f"        {state}[i] = 0.5 * y + 0.2 * {state}[i] * y"], None
        case "exchange":
            return ["a, b = b, a"], None
        case _:
            return ["if a[1] > 0.4:", f"    {new} = {any_array} * {other}", f"    {state} += 0.1 * {new} * {new} * {other}"], None


def step_text(rng):
    lines, known = [], list(STATE)
    for number in range(rng.randint(4, 9)):
        more, name = statement(rng, known, f"x{number}")
        lines += [f"        {line}" for line in more]
        known += [name] if name else []
    return "\n".join(["def f(a, b, c, steps):", "    for t in range(steps):", *lines, "    return np.sum(a * b) + np.sum(c * c)", ""])


@pytest.fixture
def settled(monkeypatch):
    """How many locals come back in which way."""
    seen: Counter = Counter()
    replays, stored = plan_locals._replays, plan_locals._stored

    def counted_replays(level, choice, number):
        found = replays(level, choice, number)
        seen["again"] += sum(len(nodes) for _, nodes in found)
        return found

    def counted_stored(needed, choice, demands):
        found = stored(needed, choice, demands)
        seen["stored"] += len(found)
        return found

    monkeypatch.setattr(plan_locals, "_replays", counted_replays)
    monkeypatch.setattr(plan_locals, "_stored", counted_stored)
    return seen


def check(seed):
    rng, values = random.Random(seed), np.random.default_rng(seed)
    text = step_text(rng)
    n, steps = rng.randint(2, 5), rng.randint(0, 3)
    case = subject(function_of(text), (*(values.uniform(0.2, 1.0, n) for _ in STATE), steps))
    if not is_tame(case):
        return
    check_values(case)
    for of in case.kinds:
        for passes in (False, True):
            program = planned(case, of, case.active, passes)
            check_gradient(case, of, run_gradient(case, program, of, case.active))


@pytest.mark.slow
def test_generated_steps(settled):
    for seed in range(20):
        check(seed)
    assert min(settled["again"], settled["stored"]) >= 10, settled


@pytest.mark.long
def test_many_generated_steps(settled):
    for seed in range(1000, 1400):
        check(seed)
    print(dict(settled))
