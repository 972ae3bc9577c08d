"""Programs written at random: the interpreter agrees with NumPy on values, updated arguments and index errors."""

import copy
from collections import Counter

import numpy as np
import pytest

from dfad.errors import KernelIndexError, UnsupportedSyntax
from tests.gallery.refused import define
from tests.random_programs import features, random_program
from tests.test_values import interpreted

QUICK, LONG, CHUNK = 300, 20000, 50


def arguments(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, 3, 5]))
    numbers = (float(rng.uniform(0.5, 1.0)), int(rng.integers(-2, 4)), n)
    return (rng.uniform(-1, 1, n), rng.uniform(-1, 1, n), rng.uniform(-1, 1, (n, n)), *numbers, rng.integers(-n, n, n))


def attempt(function, given):
    """The results and the arrays afterwards, or the IndexError."""
    try:
        results = function(*given)
    except IndexError as error:
        return error
    return [np.asarray(value, dtype=float) for value in (*results, *given[:3])]


def compare(seed):
    """Run one program in NumPy and in the interpreter; says what happened."""
    text = random_program(seed)
    function = define(text, f"random program {seed}")
    theirs = arguments(seed)
    ours = copy.deepcopy(theirs)
    with np.errstate(all="ignore"):
        expected = attempt(function, theirs)
        try:
            actual = attempt(lambda *given: interpreted(function, given), ours)
        except UnsupportedSyntax as refusal:
            return "refused" if "ambiguous" in refusal.message else pytest.fail(f"{refusal}\n{text}")
    if isinstance(expected, IndexError):
        assert isinstance(actual, KernelIndexError), text
        return "index error"
    assert not isinstance(actual, IndexError), f"{actual}\n{text}"
    for mine, numpys in zip(actual, expected, strict=True):
        np.testing.assert_allclose(mine, numpys, rtol=1e-11, atol=1e-11, err_msg=text)
    return "same"


def run(seeds):
    outcomes = Counter(compare(seed) for seed in seeds)
    shares = sum((features(random_program(seed)) for seed in seeds), Counter())
    assert outcomes["same"] > len(seeds) // 3
    return outcomes, shares


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("first", range(0, QUICK, CHUNK))
def test_random_programs(first):
    outcomes, _ = run(range(first, first + CHUNK))
    assert outcomes.total() == CHUNK


def test_every_feature_is_in_a_tenth_of_the_programs():
    shares = sum((features(random_program(seed)) for seed in range(QUICK)), Counter())
    rare = {name: count for name, count in shares.items() if count < QUICK // 10}
    assert not rare
    assert len(shares) == 10


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_many_random_programs():
    outcomes, shares = run(range(10**6, 10**6 + LONG))
    print(dict(outcomes), {name: f"{count / LONG:.0%}" for name, count in shares.items()})
    assert outcomes["same"] > LONG // 3
