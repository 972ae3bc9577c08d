"""The second look at the default plan: a twin that is read before its fill is found, and one whose fill comes in time is not."""

import pytest

from dfad.errors import CompilerBug
from dfad.ir.nodes import Stage
from dfad.plan.demands import sweeps
from dfad.plan.filled import check_filled
from tests.ir_text import build

SWEEPS = """
def f(x: f8[N], x_bar: f8[N], x_tape: f8[M], last: f8, T: int, K: int):
    with block:
        pass
    with block:
        for i in range(T, -1, -1):
            with block:
                z: f8
                {before}
                for j in range(K, -1, -1):
                    if {guard}:
                        x_bar[i] = x_bar[i] + z
                    z = x_tape[j]
"""


def second_look(before, guard):
    program = build(SWEEPS.format(before=before, guard=guard), Stage.PLANNED)
    forward, reverse = sweeps(program)
    assert check_filled(forward, reverse, {"z"}, {"N", "M", "T", "K"}) is reverse


@pytest.mark.parametrize(
    ("before", "guard"),
    [
        ("z = last", "x[i] > 0.0"),
        ("pass", "j < K"),
        ("pass", "j < K and x[i] > 0.0"),
        ("pass", "i > T"),
        ("pass", "j < K and i < T or i > T"),
    ],
)
def test_a_fill_in_time(before, guard):
    second_look(before, guard)


@pytest.mark.parametrize(
    ("before", "guard"),
    [
        ("pass", "x[i] > 0.0"),
        ("pass", "j < i"),
        ("pass", "i < T"),
        ("pass", "j < K or i < T"),
        ("pass", "j < K or x[i] > 0.0"),
    ],
)
def test_a_read_before_it(before, guard):
    with pytest.raises(CompilerBug, match="z is read before it is filled"):
        second_look(before, guard)
