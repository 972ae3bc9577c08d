"""Generated stencils: gradients against the complex step, gathered and as differentiated, on domains wide and narrow."""

import random
from collections import Counter

import numpy as np
import pytest

from tests.adjoint_paths import planned, run_gradient, subject
from tests.generated.stencils import stencil_kernel
from tests.generated.test_generated import check_gradient, is_tame


def try_stencils(seeds) -> Counter:
    seen: Counter = Counter()
    for seed in seeds:
        rng = random.Random(seed)
        kernel, n, m, steps = stencil_kernel(rng), rng.randint(1, 8), rng.randint(1, 8), rng.randint(0, 3)
        uniform = np.random.default_rng(seed).uniform
        vectors, matrices = uniform(-1, 1, (2, n)), uniform(-1, 1, (2, n, m))
        case = subject(kernel.function, (*vectors, *matrices, float(uniform(0.2, 0.6)), steps))
        if not is_tame(case):
            continue
        try:
            for passes in (False, True):
                check_gradient(case, None, run_gradient(case, planned(case, None, case.active, passes), None, case.active))
        except Exception as error:
            error.add_note(f"seed {seed}, n = {n}, m = {m}, steps = {steps}\n{kernel.text}")
            raise
        seen.update({*kernel.features, "kernels"})
    return seen


def test_a_few_generated_stencils():
    assert try_stencils(range(20))["kernels"] >= 15


@pytest.mark.slow
def test_generated_stencils():
    seen = try_stencils(range(100, 200))
    rare = [name for name in ("in place", "out of place", "downwards", "step", "exchange", "product", "sine") if seen[name] < 10]
    assert not rare, f"{rare} in {seen}"


@pytest.mark.long
def test_many_generated_stencils():
    assert try_stencils(range(1000, 3000))["kernels"] >= 1500
