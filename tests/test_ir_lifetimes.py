"""When arrays are allocated and released; the dataflow view; exact integers."""

from fractions import Fraction

import pytest
import sympy

from dfad.errors import CompilerBug
from dfad.ir.dataflow import dataflow
from dfad.ir.integer import evaluate_integer
from dfad.ir.lifetimes import bytes_of, lifetimes, schedule
from dfad.ir.memlet import symbol
from dfad.ir.verify import verify
from tests.ir_text import build
from tests.test_ir_show import SEIDEL

STRAIGHT = """
def straight(a: f8[N]):
    out: f8[N] = result
    b: f8[N]
    unused: f8[N]
    s: f8
    for i in range(0, N):
        b[i] = a[i]
    with block:
        c: f4[N, 2]
        for j in range(0, N):
            c[j, 0] = f4(b[j])
        s = f8(c[0, 0])
    for k in range(0, N):
        d: f8[3]
        e: f8[k]
        d[0] = s
        out[k] = d[0]
    return out
"""


def spans(text):
    return {life.array.name: (life.first, life.last) for life in lifetimes(verify(build(text)))}


def test_arrays_live_from_first_to_last_use():
    assert spans(STRAIGHT) == {"b": (0, 1), "c": (1, 2), "d": (3, 3)}


def test_steps_allocate_and_release():
    steps = schedule(verify(build(STRAIGHT)))
    assert [[array.name for array in step.allocate] for step in steps] == [["b"], ["c"], [], ["d"]]
    assert [[array.name for array in step.release] for step in steps] == [[], ["b"], ["c"], ["d"]]
    assert [[array.name for array in step.ragged] for step in steps] == [[], [], [], ["e"]]
    assert bytes_of(steps[1].allocate[0]) == 8 * symbol("N")


def test_exchanged_arrays_live_together():
    text = """
    def f(a: f8[N]):
        b: f8[N]
        c: f8[N]
        d: f8[N]
        b[0] = 1.0
        for t in range(0, N):
            b, c = c, b
        d[0] = b[0]
        a[0] = d[0]
    """
    assert spans(text) == {"b": (0, 2), "c": (0, 2), "d": (2, 3)}


def test_a_buffer_that_may_be_a_result_lives_to_the_end():
    text = """
    def f(u: f8[N]):
        v: f8[N]
        w: f8[N]
        v[0] = 1.0
        u, v = v, u
        w[0] = 1.0
        w[0] = 1.0
        {}
    """
    assert spans(text.format("return u")) == {"v": (0, 3), "w": (2, 3)}
    assert spans(text.format("pass")) == {"v": (0, 1), "w": (2, 3)}


def test_dataflow_is_plain_data():
    graph = dataflow(build(SEIDEL))
    kinds = {node["id"]: (node["kind"], node["parent"]) for node in graph["nodes"]}
    assert kinds["L3"] == ("loop", None)
    assert kinds["L6"] == ("tasklet", "L5")
    assert kinds["/A.0"] == ("access", None)
    assert {"source": "/A.0", "target": "L3", "memlet": "A"} in graph["edges"]
    assert {"source": "L3", "target": "/A.1", "memlet": "A"} in graph["edges"]
    assert {"source": "L5/A.0", "target": "L6", "memlet": "A[i - 1, j]"} in graph["edges"]
    assert {"source": "/A.1", "target": "L8", "memlet": "A"} in graph["edges"]
    assert all(edge[end] in kinds for edge in graph["edges"] for end in ("source", "target"))
    assert len(kinds) == len(graph["nodes"])


N, M = symbol("N"), symbol("M")
VALUES = {
    N * (N - 1) / 2: 10,
    sympy.floor((N + 1) / 2) - sympy.floor(-N / 2): 6,
    sympy.Mod(-N, M) + sympy.Min(N, M) * sympy.Max(N, M): 11,
    sympy.ceiling(N / M) ** 2: 9,
    sympy.floor(sympy.Rational(7, 2) * M): 7,
}


@pytest.mark.parametrize("expression", VALUES)
def test_integers_are_exact(expression):
    assert evaluate_integer(expression, {"N": 5, "M": 2}) == VALUES[expression]


def test_a_fraction_is_no_integer():
    with pytest.raises(CompilerBug, match=f"N/2 is {Fraction(5, 2)}, which is no integer"):
        evaluate_integer(N / 2, {"N": 5})
