"""What people write runs as written: every program of tests/language compiled, against NumPy and the complex step."""

import copy

import numpy as np
import pytest

import dfad
from tests.adjoint_paths import subject
from tests.language import PROGRAMS
from tests.references import run_numpy
from tests.test_gradients_gallery import check_compiled
from tests.test_values import assert_same

SIZES = (0, 1, 2, 5, 8)

PENDING: set[str] = set()
"""Refused until the language is whole."""

REFUSED = pytest.mark.xfail(raises=dfad.DfadError, strict=False)

NAMES = [pytest.param(name, marks=[REFUSED] if name in PENDING else []) for name in sorted(PROGRAMS)]

pytestmark = pytest.mark.slow


def as_returned(value):
    """Numbers come back as Python's."""
    if isinstance(value, tuple):
        return tuple(as_returned(item) for item in value)
    return value.item() if isinstance(value, np.generic) else value


def sizes(name):
    return sorted({max(PROGRAMS[name].least, size) for size in SIZES})


@pytest.mark.parametrize("name", NAMES)
def test_a_program_gives_what_numpy_gives(name):
    entry = PROGRAMS[name]
    kernel = dfad.kernel(entry.function)
    for size in sizes(name):
        ours = entry.make(size, np.random.default_rng(size))
        theirs = copy.deepcopy(ours)
        with np.errstate(all="ignore"):
            expected = entry.function(*theirs)
        assert_same(kernel(*ours), as_returned(expected), entry.bits, f"{name} at {size}")
        for position, (mine, numpys) in enumerate(zip(ours, theirs, strict=True)):
            assert_same(mine, numpys, entry.bits, f"{name} at {size}: argument {position}")


@pytest.mark.parametrize("name", NAMES)
def test_a_program_has_its_gradient(name):
    entry = PROGRAMS[name]
    for size in sizes(name)[-2:]:
        case = subject(entry.function, entry.make(size, np.random.default_rng(size)))
        assert case.active or not case.kinds, f"{name} has nothing to differentiate"
        for of in case.kinds:
            if of is not None or len(case.results) == len(run_numpy(case.function, case.arguments)):  # a vjp is of floats
                check_compiled(case, of)
