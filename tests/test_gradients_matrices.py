"""Gradients of kernels of small matrices (random_matrices.py), against the complex step."""

import numpy as np
import pytest

import dfad
from dfad.errors import KernelTypeError, UnsupportedSyntax
from tests.adjoint_paths import interpreted_gradients, reference_gradients, subject, written
from tests.random_matrices import random_matrices
from tests.references import relative_error

QUICK, LONG, COMPILED, CHUNK = 40, 3000, 300, 20
TOLERANCE = 1e-9
MOST_REFUSED = 0.05  # of all; names that mean one array or another
LARGEST = 1e6


def arguments(seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, (2, 2)), rng.uniform(-1, 1, (2, 2)), rng.uniform(-1, 1, 2), int(rng.integers(0, 4))


def try_matrices(seed, compiled=False):
    """One kernel's gradients: what came of it."""
    try:
        case = subject(written(random_matrices(seed), f"gradients of matrices {seed}"), arguments(seed))
    except (UnsupportedSyntax, KernelTypeError):
        return "refused"
    expected = reference_gradients(case, None)
    if not all(np.all(np.abs(one) < LARGEST) for one in expected):
        return "wild"
    if compiled:
        found = dfad.grad(case.function, wrt=case.active, cache=False)(*case.arguments.values())
    else:
        found = interpreted_gradients(case, None, bool(seed % 2))
    error = relative_error(found, expected)
    assert error <= TOLERANCE, f"seed {seed}: {error}\n{random_matrices(seed)}"
    return "right"


def run(seeds, compiled=False):
    outcomes = [try_matrices(seed, compiled) for seed in seeds]
    counts = {outcome: outcomes.count(outcome) for outcome in ("right", "refused", "wild")}
    print(counts)
    assert counts["refused"] <= max(3, MOST_REFUSED * len(seeds))
    assert counts["right"] >= len(seeds) // 2


@pytest.mark.parametrize("first", range(0, QUICK, CHUNK))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_gradients_of_random_matrices(first):
    with np.errstate(all="ignore"):
        run(range(first, first + CHUNK))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_some_gradients_of_random_matrices_compiled():
    run(range(10**6, 10**6 + 8), compiled=True)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_many_gradients_of_random_matrices():
    run(range(2 * 10**6, 2 * 10**6 + LONG))
    run(range(3 * 10**6, 3 * 10**6 + COMPILED), compiled=True)
