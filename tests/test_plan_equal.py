"""What scalars that loops carry are known to equal, and that they are not recorded where that is enough."""

import numpy as np
import pytest

from dfad.analysis.equalities import equalities
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Role, Tasklet
from dfad.ir.walk import all_arrays, walk
from tests.adjoint_paths import planned, subject
from tests.gallery import GALLERY


def from_zero(a):
    x = 0.0
    f = 0.0
    s = 0.0
    for i in range(len(a)):
        s += f * f * a[i]
        x = x + a[i]
        f = x + 0.0
    return s + f


def from_minus_zero(a):
    x = 0.0
    f = -0.0
    s = 0.0
    for i in range(len(a)):
        s += f * f * a[i]
        x = x + a[i]
        f = x + 0.0
    return s + f


def knows_f(kernel):
    """Whether f is known at the first statement of the loop."""
    body = subject(kernel, (np.ones(3),)).primal.body
    facts = equalities(body)
    (added,) = (node for node in walk(body) if isinstance(node, Tasklet) and node.accumulate)
    return Memlet("f") in facts[added.key]


def test_zeros_of_different_sign_are_not_the_same():
    assert knows_f(from_zero)
    assert not knows_f(from_minus_zero)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("carried_residual", {"x"}),
        ("carried_residual_after", {"x"}),
        ("carried_differs_at_entry", {"x", "f"}),
        ("carried_changes_in_between", {"x", "f"}),
        ("carried_on_both_sides", {"x"}),
    ],
)
def test_what_equals_an_expression_of_recorded_values_is_not_recorded(name, kept):
    entry = GALLERY[name]
    case = subject(entry.function, entry.make(5, np.random.default_rng(5)))
    program = planned(case, case.kinds[0], case.active, passes=False)
    tapes = [array.name for array in all_arrays(program).values() if array.role is Role.TAPE and array.dtype.is_float]
    assert {name.split("_tape")[0] for name in tapes} == kept
