"""Programs written at random: values, updated arguments and index errors are NumPy's, in the interpreter before and after every rewrite,
and compiled."""

import copy
from collections import Counter

import numpy as np
import pytest

import dfad
from dfad.errors import KernelIndexError, UnsupportedSyntax
from dfad.ir.evaluate import evaluate
from dfad.ir.nodes import IntegerSymbol
from tests.gallery.refused import define
from tests.random_programs import features, is_exact, random_program
from tests.rewrites import rewritten
from tests.test_values import lowered

QUICK, LONG, LONG_COMPILED, CHUNK = 300, 20000, 2000, 50
REFUSED = ("ambiguous",)
ROUNDED = 1e-11  # |a - b|, also relative, where sums or products of matrices take part


def arguments(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, 3, 5]))
    numbers = (float(rng.uniform(0.5, 1.0)), int(rng.integers(-2, 4)), n)
    arrays = (rng.uniform(-1, 1, n), rng.uniform(-1, 1, n), rng.uniform(-1, 1, (n, n)))
    typed = (rng.uniform(-1, 1, n).astype(np.float32), rng.integers(-5, 6, n), rng.uniform(-1, 1, n) > 0)
    return (*arrays, *numbers, rng.integers(-n, n, n), *typed)


def attempt(call, given):
    """The results and the arrays afterwards, or the IndexError."""
    try:
        results = call(*given)
    except IndexError as error:
        return error
    return [np.asarray(value) for value in (*results, *(one for one in given if isinstance(one, np.ndarray)))]


def interpretations(function, given):
    """How to run the Program as lowered and after each rewrite, by name."""
    found, names = lowered(function, given)
    known = {array.name for array in found.program.parameters}
    known |= {bound.parameter for bound in found.program.symbols if isinstance(bound, IntegerSymbol)}
    hidden = [(one.name, one.get()) for one in found.hidden]
    for rewrite, program in (("lower", found.program), *rewritten(found.program)):
        yield (
            rewrite,
            lambda *values, program=program: tuple(
                evaluate(program, {name: value for name, value in (*zip(names, values, strict=True), *hidden) if name in known}).values()
            ),
        )


def compare(actual, expected, bits, what):
    """NumPy's outcome against ours."""
    if isinstance(expected, IndexError):
        assert isinstance(actual, KernelIndexError), what
        return
    assert not isinstance(actual, IndexError), f"{actual}\n{what}"
    for mine, numpys in zip(actual, expected, strict=True):
        if bits:
            np.testing.assert_array_equal(mine, numpys, err_msg=what)
        else:
            bound = 1e-5 if numpys.dtype == np.float32 else ROUNDED
            np.testing.assert_allclose(mine.astype(float), numpys.astype(float), rtol=bound, atol=bound, err_msg=what)


def try_program(seed, compiled=False):
    """Run one program in NumPy and by the compiler; says what happened."""
    text, given = random_program(seed), arguments(seed)
    function = define(text, f"random program {seed}")
    with np.errstate(all="ignore"):
        expected = attempt(function, copy.deepcopy(given))
        try:
            runs = [("compiled", dfad.kernel(function, cache=False))] if compiled else interpretations(function, given)
            for name, call in runs:
                bits = is_exact(text) and name != "share_backwards"
                compare(attempt(call, copy.deepcopy(given)), expected, bits, f"seed {seed}, {name}\n{text}")
        except UnsupportedSyntax as refusal:
            return "refused" if any(reason in refusal.message for reason in REFUSED) else pytest.fail(f"{refusal}\n{text}")
    return "index error" if isinstance(expected, IndexError) else "same"


def run(seeds, compiled=False):
    """Try them all, and report; the shares are of the programs that ran to the end."""
    outcomes, shares = Counter(), Counter()
    for seed in seeds:
        outcome = try_program(seed, compiled)
        outcomes[outcome] += 1
        if outcome == "same":
            shares += features(random_program(seed))
    total = outcomes["same"]
    print(dict(outcomes), {name: f"{count / total:.0%}" for name, count in shares.items()})
    assert total > len(seeds) // 3
    assert outcomes["refused"] <= max(1, len(seeds) // 100)
    return outcomes, shares


def assert_no_feature_is_rare(total, shares):
    rare = {name: count for name, count in shares.items() if count < total / 10}
    assert not rare, f"in fewer than a tenth of {total} programs: {rare}"
    assert len(shares) == 23


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("first", range(0, QUICK, CHUNK))
def test_random_programs(first):
    outcomes, _ = run(range(first, first + CHUNK))
    assert outcomes.total() == CHUNK


def test_every_feature_is_in_a_tenth_of_the_programs():
    assert_no_feature_is_rare(QUICK, sum((features(random_program(seed)) for seed in range(QUICK)), Counter()))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_some_random_programs_compiled():
    assert run(range(2 * 10**6, 2 * 10**6 + 12), compiled=True)[0].total() == 12


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_many_random_programs():
    outcomes, shares = run(range(10**6, 10**6 + LONG))
    assert_no_feature_is_rare(outcomes["same"], shares)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_many_random_programs_compiled():
    outcomes, shares = run(range(2 * 10**6, 2 * 10**6 + LONG_COMPILED), compiled=True)
    assert_no_feature_is_rare(outcomes["same"], shares)
