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


def covariances(x, y):
    return np.cov(x, y), np.cov(x), np.cov(x, y, bias=True)


def test_a_covariance_of_two_vectors_is_numpys():
    """NumPy's is no function of complex numbers that a complex step may differentiate."""
    x, y = np.random.default_rng(0).standard_normal((2, 7))
    for mine, numpys in zip(dfad.kernel(covariances)(x, y), covariances(x, y), strict=True):
        np.testing.assert_allclose(mine, numpys, rtol=1e-14)


def powers_of_integers(x):
    y = x * (-1) ** 3
    for k in range(3):
        y = y + x * 2**k * 10**-3
    return y, x * 10**-2, x * pow(10, 2), x * pow(10, -1)


def in_thousandths(x):
    return x * 10**-3


def norms_by_order(x, A):
    one, most, two = np.linalg.norm(x, 1), np.linalg.norm(x, np.inf), np.linalg.norm(x, ord=2)
    return one, most, two, np.linalg.norm(A, "fro"), np.linalg.norm(A, axis=0), np.linalg.norm(A, None, 1)


def test_powers_of_integers_and_norms_are_those_of_python_and_numpy():
    x, A = np.linspace(-1.0, 2.0, 4), np.arange(6.0).reshape(2, 3)
    for function, arguments in ((powers_of_integers, (x,)), (norms_by_order, (x, A))):
        for mine, theirs in zip(dfad.kernel(function)(*arguments), function(*arguments), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-15)
    assert dfad.grad(in_thousandths)(2.0) == 0.001


def written_through_einsum(A):
    d = np.einsum("ij->ji", A)
    d[0, 1] = 9.0
    return np.sum(A)


def test_a_transpose_by_einsum_is_a_view():
    A, B = np.ones((2, 2, 2))
    assert dfad.kernel(written_through_einsum)(A) == written_through_einsum(B) == 12.0
    np.testing.assert_array_equal(A, B)
    np.testing.assert_array_equal(dfad.grad(written_through_einsum)(B), [[1.0, 1.0], [0.0, 1.0]])


def of_a_diagonal(A):
    d = np.einsum("ii->i", A)
    A[0, 0] = 9.0
    return np.sum(d)


def test_a_diagonal_by_einsum_is_no_view_and_says_so():
    with pytest.raises(dfad.UnsupportedSyntax, match="ambiguous"):
        dfad.kernel(of_a_diagonal)(np.ones((2, 2)))


def power_of_a_number(x, n):
    return x * 2**n


def test_an_integer_to_a_negative_power_is_no_integer():
    kernel = dfad.kernel(power_of_a_number)
    assert kernel(1.5, 3) == 12.0
    with pytest.raises(dfad.KernelIndexError, match="an integer to the power -3 is no integer"):
        kernel(1.5, -3)
