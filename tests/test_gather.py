"""Adjoint stencils in gather form: when it is done, and that it is right where it is tempting and where it is illegal."""

import numpy as np
import pytest

from dfad.ir.nodes import Loop, Tasklet
from dfad.ir.walk import walk
from tests.adjoint_paths import interpreted_gradients, planned, reference_gradients, subject
from tests.references import relative_error

TOLERANCE = 1e-12


def three_points(A, B):
    for i in range(1, A.shape[0] - 1):
        B[i] = (A[i - 1] + A[i] + A[i + 1]) / 3.0


def five_points(A, B):
    for i in range(1, A.shape[0] - 1):
        for j in range(1, A.shape[1] - 1):
            B[i, j] = 0.2 * (A[i, j] + A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1])


def far_neighbours(A, B):
    for i in range(3, A.shape[0] - 2):
        B[i] += 0.5 * A[i - 3] - A[i + 2]


def backwards(A, B):
    for i in range(A.shape[0] - 2, 0, -1):
        B[i] = A[i - 1] - 2.0 * A[i] + A[i + 1]


def one_sided(A, B):
    for i in range(A.shape[0] - 2):
        B[i + 1] = A[i] + A[i + 2]


def with_coefficients(A, B):
    for i in range(1, A.shape[0] - 1):
        B[i] = B[i] * (A[i - 1] + A[i + 1])


def two_targets(A, B):
    for i in range(1, A.shape[0] - 1):
        B[i] = A[i - 1] + A[i + 1]
        B[i - 1] += 0.5 * A[i]


def in_place(A, B):
    for i in range(1, A.shape[0] - 1):
        A[i] = 0.25 * A[i - 1] + 0.5 * A[i] + 0.25 * A[i + 1] + B[i]


def in_place_products(A, B):
    for _t in range(3):
        for i in range(1, A.shape[0] - 1):
            A[i] = A[i] * A[i + 1] + A[i - 1] * B[i]


def squares_spread(A, B):
    for _t in range(3):
        for i in range(1, A.shape[0] - 1):
            B[i] = A[i - 1] * A[i] + A[i + 1]
        for i in range(1, A.shape[0] - 1):
            A[i] = B[i - 1] * B[i + 1]


def under_an_index_condition(A, B):
    for t in range(3):
        for i in range(1, A.shape[0] - 1):
            if t > 0:
                B[i] = A[i - 1] + A[i + 1]
        A[:] = B * 0.5


def through_a_scalar(A, B):
    for i in range(1, A.shape[0] - 1):
        w = A[i - 1] + A[i + 1]
        B[i] = w * w


def every_second(A, B):
    for i in range(1, A.shape[0] - 1, 2):
        B[i] = A[i - 1] + A[i + 1]


def mirrored(A, B):
    n = A.shape[0]
    for i in range(n - 1):
        B[i] = A[n - 1 - i] + A[n - 2 - i]


def exchanged(A, B):
    for _t in range(4):
        for i in range(1, A.shape[0] - 1):
            B[i] = (A[i - 1] + A[i] + A[i + 1]) / 3.0
        A, B = B, A


ONE = (
    three_points,
    far_neighbours,
    backwards,
    one_sided,
    with_coefficients,
    two_targets,
    in_place,
    in_place_products,
    squares_spread,
    under_an_index_condition,
    through_a_scalar,
    every_second,
    mirrored,
    exchanged,
)
KERNELS = [(function, (n,)) for function in ONE for n in range(8)] + [(five_points, (n, m)) for n in range(1, 6) for m in range(1, 6)]


@pytest.mark.parametrize(("function", "shape"), KERNELS, ids=[f"{function.__name__}-{shape}" for function, shape in KERNELS])
def test_gathered_gradients(function, shape):
    case = subject(function, tuple(np.random.default_rng(sum(shape)).uniform(-1, 1, (2, *shape))))
    of = case.kinds[0]
    expected = reference_gradients(case, of)
    for passes in (False, True):
        assert relative_error(interpreted_gradients(case, of, passes), expected) <= TOLERANCE, passes


@pytest.mark.parametrize(("function", "shape"), [(three_points, (9,)), (five_points, (9, 8)), (far_neighbours, (9,)), (exchanged, (9,))])
def test_a_stencil_becomes_one_sum(function, shape):
    """The core adds what all neighbours send to a cell in one statement."""
    case = subject(function, tuple(np.random.default_rng(0).uniform(-1, 1, (2, *shape))))
    scattered, gathered = (planned(case, case.kinds[0], case.active, passes) for passes in (False, True))
    assert longest(scattered) == 1
    assert longest(gathered) == {three_points: 3, five_points: 5, far_neighbours: 2, exchanged: 3}[function]


def statements(program):
    _, reverse = program.body.body
    return [node for loop in walk(reverse) if isinstance(loop, Loop) for node in walk(loop) if isinstance(node, Tasklet)]


def longest(program):
    """The most reads of one statement in a loop."""
    return max(str(node.value).count("Read(") for node in statements(program))
