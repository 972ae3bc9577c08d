"""What is recorded of values that are only compared, and that the byte tells what the numbers would have told."""

import numpy as np
import pytest

from dfad.ir.nodes import Role
from dfad.ir.walk import all_arrays
from tests.adjoint_paths import interpreted_gradients, planned, reference_gradients, subject
from tests.gallery import GALLERY


def tapes_of(function, arguments):
    """Name -> dtype of every tape."""
    case = subject(function, arguments)
    program = planned(case, case.kinds[0], case.active, passes=False)
    return {name: array.dtype.name for name, array in all_arrays(program).items() if array.role is Role.TAPE}


def of_gallery(name):
    return tapes_of(GALLERY[name].function, GALLERY[name].make(5, np.random.default_rng(5)))


@pytest.mark.parametrize(
    ("name", "tapes"),
    [
        ("side_of_a_rectifier", ["int8"]),
        ("side_of_shortest_paths", ["bool"]),
        ("side_of_an_absolute_value", ["int8"]),
        ("side_of_a_range", ["int8", "int8"]),
        ("side_of_a_choice", ["bool", "bool"]),
        ("side_of_scalars", ["bool", "bool"]),
        ("side_of_what_is_read_as_well", ["float64"]),
        ("side_of_neighbours", ["int8", "int8"]),
        ("side_of_chosen_elements", ["int8"]),
        ("side_of_a_product", ["float64", "int8"]),
        ("side_in_a_helper", ["int8"]),
        ("side_of_short_numbers", ["int8"]),
        ("program_floyd_warshall", ["int8"]),
    ],
)
def test_of_what_is_only_compared_a_byte_is_recorded(name, tapes):
    assert sorted(of_gallery(name).values()) == sorted(tapes)


# ---------------------------------------------------------------- the same gradient as where nothing is overwritten


def largest_in_place(x, y):
    x[:] = np.maximum(x, y)


def largest(x, y):
    return np.maximum(x, y)


def smallest_in_place(x, y):
    x[:] = np.minimum(y, x)


def smallest(x, y):
    return np.minimum(y, x)


def size_in_place(x, y):
    x[:] = np.abs(x - y) + np.abs(x)


def size(x, y):
    return np.abs(x - y) + np.abs(x)


def chosen_in_place(x, y):
    x[:] = np.where(x <= y, np.maximum(y, x) + x, np.where(x != y, 2.0 * x, 3.0 * y)) + np.where(y <= x, y, 5.0 * x)


def chosen(x, y):
    return np.where(x <= y, np.maximum(y, x) + x, np.where(x != y, 2.0 * x, 3.0 * y)) + np.where(y <= x, y, 5.0 * x)


def ordered_in_place(x, y):
    x[:] = np.where(x < y, x, 2.0 * y) + np.where(y >= x, 3.0 * x, y) + np.where(x == y, 5.0 * x, 7.0 * y) + np.where(x > y, y, 9.0 * x)


def ordered(x, y):
    return np.where(x < y, x, 2.0 * y) + np.where(y >= x, 3.0 * x, y) + np.where(x == y, 5.0 * x, 7.0 * y) + np.where(x > y, y, 9.0 * x)


def finite_in_place(x, y):
    x[:] = np.where(np.isnan(x), y, x * 2.0) + np.where(np.isinf(x) | (x > y), y * 3.0, x)


def finite(x, y):
    return np.where(np.isnan(x), y, x * 2.0) + np.where(np.isinf(x) | (x > y), y * 3.0, x)


SPECIAL = [-np.inf, -1.5, -1.0, -0.0, 0.0, 1.0, 2.0, np.inf, np.nan]
PAIRS = [
    (largest_in_place, largest), (smallest_in_place, smallest), (size_in_place, size), (chosen_in_place, chosen),
    (ordered_in_place, ordered), (finite_in_place, finite),
]  # fmt: skip


def with_trips(function):
    """The function in a loop that writes x first: what it overwrites is not the argument's value at entry."""

    def looped(x, y):
        for _t in range(1):
            x *= 1.0
            function(x, y)

    return looped


@pytest.mark.parametrize(("in_place", "apart"), PAIRS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_ties_zeros_infinities_and_nan_have_the_derivative_of_values_that_stay(in_place, apart):
    x, y = (np.array(side).ravel() for side in np.meshgrid(SPECIAL, SPECIAL))
    one, other = subject(with_trips(in_place), [x.copy(), y.copy()]), subject(apart, [x.copy(), y.copy()])
    assert {"int8", "bool"} & set(tapes_of(with_trips(in_place), [x.copy(), y.copy()]).values())
    expected = interpreted_gradients(other, None)
    for passes in (False, True):
        found = interpreted_gradients(one, ("x",), passes)
        for left, right in zip(found, expected, strict=True):
            np.testing.assert_array_equal(left, right)
    assert any(np.any(gradient != 0.0) for gradient in expected)


def test_half_goes_to_each_side_of_a_tie():
    x, y = np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])
    case = subject(with_trips(largest_in_place), [x, y])
    bars = interpreted_gradients(case, ("x",))
    scale = bars[0] + bars[1]
    np.testing.assert_array_equal(bars[0] / scale, [0.5, 0.0, 1.0])


def test_the_references_agree_away_from_ties():
    case = subject(with_trips(chosen_in_place), [np.array([0.3, 1.0, -2.0]), np.array([0.5, 0.2, -2.5])])
    for found, expected in zip(interpreted_gradients(case, ("x",)), reference_gradients(case, ("x",)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0.0)
