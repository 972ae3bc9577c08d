"""Gradients whose values are known beforehand: programs that broke other systems, and the examples by which a tool is judged first."""

import copy

import numpy as np
import pytest

import dfad
from dfad.ir.evaluate import evaluate
from tests.adjoint_paths import interpreted_gradients, reference_gradients, subject
from tests.gallery import GALLERY
from tests.gallery.reports import ANSWERS
from tests.references import gradient_error, relative_error
from tests.test_versions import cells

SHORT_NAMES = sorted(ANSWERS)
DIGITS = 1e-6  # the known values have so many


@pytest.mark.parametrize("name", SHORT_NAMES)
def test_known_values_and_gradients(name):
    arguments, value, expected = ANSWERS[name]
    case = subject(GALLERY[name].function, arguments)
    if value is not None:
        (found,) = evaluate(case.primal, {key: np.copy(given) for key, given in case.arguments.items()}).values()
        assert abs(float(found) - value) <= DIGITS * max(1.0, abs(value))
    for passes in (False, True):
        found = interpreted_gradients(case, None, passes)[0]
        assert relative_error(found, expected) <= DIGITS, passes


def test_a_mixture_of_a_hundred_trips_is_exact():
    case = subject(GALLERY["report_mixture"].function, (1.0,))
    assert float(interpreted_gradients(case, None)[0]) == 2.0**50


@pytest.mark.parametrize("n", [1, 3, 0])
def test_an_accumulator_used_non_linearly(n):
    x, init = np.arange(1.0, n + 1.0), 2.0
    total = init + np.sum(x)
    reciprocal = subject(GALLERY["report_accumulator_used"].function, (x, init))
    both = subject(GALLERY["short_accumulator_nonlinear"].function, (x, init))
    assert relative_error(interpreted_gradients(reciprocal, None), (np.full(n, -1.0 / total**2), -1.0 / total**2)) <= 1e-15
    slope = -1.0 / total**2 + 2.0 * total
    assert relative_error(interpreted_gradients(both, None), (np.full(n, slope), slope)) <= 1e-15


def test_an_overwritten_input_passes_its_gradient_on_and_the_constant_gets_none():
    case = subject(GALLERY["report_overwritten_slice"].function, (np.array([1.0, 2.0, 3.0]), 5.0))
    a_bar, c_bar = interpreted_gradients(case, None)
    assert a_bar.tolist() == [2.0, 4.0, 6.0]
    assert float(c_bar) == 0.0


@pytest.mark.parametrize("name", ["report_linear_chain", "report_running_sum", "report_smoother", "report_assigned_elements"])
def test_linear_loops_record_nothing(name):
    entry = GALLERY[name]
    assert cells(entry.function, entry.make(5, np.random.default_rng(0))) == 0


def test_a_linear_chain_sends_ones_to_its_head():
    P = np.random.default_rng(0).uniform(0, 1, (6, 2, 2))
    (found,) = interpreted_gradients(subject(GALLERY["report_linear_chain"].function, (P,)), None)
    assert found.tolist() == [[[1.0, 1.0], [1.0, 1.0]]] + [[[0.0, 0.0], [0.0, 0.0]]] * 5


def test_a_ragged_range_is_reversed_through_its_own_elements():
    x = np.arange(1.0, 12.0)
    (found,) = interpreted_gradients(subject(GALLERY["report_ragged_range"].function, (x,)), None)
    assert found.tolist() == [2.0 * x[i] if i in (0, 3, 6, 9) else 1.0 for i in range(11)]


@pytest.mark.parametrize("n", [3, 4, 5])
def test_domains_as_narrow_as_the_stencil(n):
    """Upwind differences of positive and negative speeds, away from the kink."""
    u = np.array([0.7, -0.4, 0.9, -1.1, 0.5])[:n]
    case = subject(GALLERY["report_narrow_stencil"].function, (u, 3))
    expected = reference_gradients(case, None)
    for passes in (False, True):
        assert relative_error(interpreted_gradients(case, None, passes), expected) <= 1e-13


def test_a_gradient_reaches_only_the_matrices_that_were_chosen():
    rng = np.random.default_rng(2)
    W, y, g = rng.uniform(0, 1, (4, 2, 2)), rng.uniform(0, 1, 2), np.array([2, 0, 2])
    found, _ = interpreted_gradients(subject(GALLERY["report_experts"].function, (W, y, g)), None)
    assert [bool(np.any(one)) for one in found] == [True, False, True, False]


# ---------------------------------------------------------------- compiled


@pytest.mark.slow
def test_rows_of_a_jacobian_by_one_pullback():
    b = np.array([1.0, 2.0, 2.0])
    out, pullback = dfad.vjp(GALLERY["report_assigned_elements"].function, b)
    assert out.tolist() == [1.0, 4.0]
    assert [pullback(row).tolist() for row in np.eye(2)] == [[2.0, 0.0, 0.0], [2.0, 1.0, 1.0]]


@pytest.mark.slow
def test_gradient_descent_finds_the_line():
    x = np.linspace(-1, 1, 100)
    y, w, b = 2.0 * x - 1.0, 0.0, 0.0
    gradient = dfad.grad(GALLERY["report_linear_regression"].function, wrt=("w", "b"))
    for _ in range(1000):
        w_bar, b_bar = gradient(w, b, x, y)
        w, b = w - 0.1 * w_bar, b - 0.1 * b_bar
    assert abs(w - 2.0) <= 1e-6
    assert abs(b + 1.0) <= 1e-6


@pytest.mark.slow
def test_a_smoother_called_from_a_second_function():
    smoother = GALLERY["report_smoother"].function
    small = np.random.default_rng(1).uniform(0, 1, (9, 9))
    assert gradient_error(smoother, (small, 5), dfad.grad(smoother)(small, 5), wrt="A") <= 1e-12
    assert dfad.grad(smoother)(np.ones((100, 100)), 50).shape == (100, 100)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["short_exchanged_names", "short_guard_on_changed_data", "short_address_changed", "report_four_sweeps"])
def test_a_pullback_owns_what_it_reads(name):
    entry = GALLERY[name]
    arguments = entry.make(5, np.random.default_rng(0))
    kept = copy.deepcopy(arguments)
    out, pullback = dfad.vjp(entry.function, *arguments)
    arguments[0][...] -= 0.1
    first, second, doubled = pullback(1.0), pullback(1.0), pullback(2.0)
    assert np.array_equal(first, second)
    assert relative_error(doubled, 2.0 * first) <= 1e-15
    name_of_first = entry.function.__code__.co_varnames[0]
    assert gradient_error(entry.function, kept, first, wrt=name_of_first) <= 1e-11
    assert isinstance(out, float)


@pytest.mark.slow
def test_an_integer_argument_has_no_gradient():
    with pytest.raises(dfad.KernelTypeError, match="no argument of report_logsumexp is of floating-point type"):
        dfad.grad(GALLERY["report_logsumexp"].function)(np.array([1, 2, 3, 4]))
