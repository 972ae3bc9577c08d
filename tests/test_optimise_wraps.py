"""Indices that wrap round get plain ones where they do not: any extent, any distance, the values and gradients of NumPy."""

import numpy as np
import pytest

from dfad.ir.evaluate import evaluate
from dfad.ir.nodes import Loop
from dfad.ir.verify import verify
from dfad.ir.walk import walk
from dfad.optimise.wraps import unwrap
from tests.adjoint_paths import interpreted_gradients, reference_gradients, subject
from tests.references import relative_error


def rolled(a):
    b = np.roll(a, 1, axis=0) + 2.0 * np.roll(a, -2, axis=1) - np.roll(a, 1, axis=1)
    for _ in range(2):
        c = np.roll(b, -1, axis=0) * np.roll(b, 1, axis=1)
        b += 0.1 * c
    return b


def shifted_in_place(a):
    n = a.shape[0]
    for i in range(n):
        a[i] = 0.5 * a[(i + 1) % n]


def loops(program):
    return sum(isinstance(node, Loop) for node in walk(program.body))


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (1, 4), (2, 3), (3, 2), (5, 6)])
def test_values_and_gradients_are_those_of_the_function(shape):
    a = np.arange(shape[0] * shape[1], dtype=float).reshape(shape) + 1.0
    case = subject(rolled, (a,))
    lowered = case.lowered.program
    changed = verify(unwrap(lowered))
    assert loops(changed) > loops(lowered) or 1 in shape
    (value,) = evaluate(changed, {"a": a.copy()}).values()
    assert np.array_equal(value, rolled(a.copy()))
    assert relative_error(interpreted_gradients(case, None), reference_gradients(case, None)) <= 1e-12


def test_iterations_that_read_what_others_write_stay_together():
    program = subject(shifted_in_place, (np.arange(5.0),)).lowered.program
    assert unwrap(program) is program
