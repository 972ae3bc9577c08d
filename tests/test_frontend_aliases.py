"""Kernels that bind names to views and to each other: which array a write reaches is NumPy's, or the kernel is refused."""

import copy
from collections import Counter

import numpy as np
import pytest

import dfad
from dfad.errors import KernelTypeError, UnsupportedSyntax
from tests.gallery.refused import define
from tests.random_aliases import random_aliases, random_exchanges
from tests.test_frontend_random import attempt, compare, interpretations

QUICK, LONG, CHUNK = 300, 20000, 100
MOST_REFUSED = 0.03  # of all; what one array would have to stand for on one path and another on the other


def arguments(seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, 2), rng.uniform(-1, 1, 2), rng.uniform(-1, 1, (2, 2)), int(rng.integers(0, 4))


def vectors(seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(1, 5, 3), rng.uniform(1, 5, 3), int(rng.integers(3, 7))


def try_aliases(seed, compiled=False, write=random_aliases, make=arguments):
    """Run one kernel in NumPy, and as lowered or compiled."""
    text, given = write(seed), make(seed)
    function = define(text, f"aliases {seed}")
    expected = attempt(function, copy.deepcopy(given))
    try:
        run = dfad.kernel(function, cache=False) if compiled else next(iter(interpretations(function, given)))[1]
        compare(attempt(run, copy.deepcopy(given)), expected, True, f"seed {seed}\n{text}")
    except (UnsupportedSyntax, KernelTypeError):
        return "refused"
    return "same"


def run(seeds, compiled=False, **kind):
    outcomes = Counter(try_aliases(seed, compiled, **kind) for seed in seeds)
    print(dict(outcomes))
    assert outcomes["refused"] <= max(3, MOST_REFUSED * len(seeds))


@pytest.mark.parametrize("first", range(0, QUICK, CHUNK))
def test_random_aliases(first):
    run(range(first, first + CHUNK))


@pytest.mark.parametrize("first", range(0, QUICK, CHUNK))
def test_random_exchanges(first):
    run(range(first, first + CHUNK), write=random_exchanges, make=vectors)


@pytest.mark.slow
def test_some_random_aliases_compiled():
    run(range(10**6, 10**6 + 12), compiled=True)
    run(range(10**6, 10**6 + 12), compiled=True, write=random_exchanges, make=vectors)


@pytest.mark.long
def test_many_random_aliases():
    run(range(2 * 10**6, 2 * 10**6 + LONG))
    run(range(2 * 10**6, 2 * 10**6 + LONG), write=random_exchanges, make=vectors)
