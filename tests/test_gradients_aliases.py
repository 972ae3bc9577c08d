"""Gradients of kernels that bind names to views and to each other (random_aliases.py), against the complex step."""

import numpy as np
import pytest

import dfad
from dfad.errors import KernelTypeError, UnsupportedSyntax
from tests.adjoint_paths import interpreted_gradients, reference_gradients, subject, written
from tests.random_aliases import random_aliases
from tests.references import relative_error
from tests.test_frontend_aliases import MOST_REFUSED, arguments

QUICK, LONG, CHUNK = 200, 10000, 100
TOLERANCE = 1e-9


def check(seeds):
    refused = 0
    for seed in seeds:
        try:
            case = subject(written(random_aliases(seed), f"gradients of aliases {seed}"), arguments(seed))
        except (UnsupportedSyntax, KernelTypeError):
            refused += 1
            continue
        for of in case.kinds:
            error = relative_error(interpreted_gradients(case, of, bool(seed % 2)), reference_gradients(case, of))
            assert error <= TOLERANCE, f"seed {seed}, of {of}: {error}\n{random_aliases(seed)}"
    print(f"{refused} of {len(seeds)} refused")
    assert refused <= max(3, MOST_REFUSED * len(seeds))


@pytest.mark.parametrize("first", range(0, QUICK, CHUNK))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_gradients_of_random_aliases(first):
    with np.errstate(all="ignore"):
        check(range(first, first + CHUNK))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_many_gradients_of_random_aliases():
    check(range(10**6, 10**6 + LONG))


def exchanged_then_turned(A, k):
    u = A[0]
    w = u
    v = u[::-1]
    if k > 1:
        for _i in range(k):
            w, v = v, w
    w = v[::-1]
    return u[0] * w[-1] + u[0] + 3.0 * v[0] + 0.7 * w[0]


@pytest.mark.parametrize("trips", range(5))
def test_views_exchanged_in_a_branch_and_turned_after_it(trips):
    A = np.array([[-0.02, -0.56], [0.5, -0.4]])
    assert dfad.kernel(exchanged_then_turned)(A, trips) == exchanged_then_turned(A, trips)
    case = subject(exchanged_then_turned, (A, trips))
    assert relative_error(interpreted_gradients(case, None, False), reference_gradients(case, None)) <= TOLERANCE
