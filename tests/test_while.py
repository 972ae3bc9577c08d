"""While in every room but the frontend: meaning, rules, listing, graph, facts, rewrites, text, and its adjoint."""

import numpy as np
import pytest

from dfad.adjoint.reverse import Request, differentiate
from dfad.analysis.statements import statements
from dfad.analysis.versions import Versions, Want
from dfad.errors import CompilerBug
from dfad.ir.dataflow import dataflow
from dfad.ir.evaluate import evaluate
from dfad.ir.lifetimes import schedule
from dfad.ir.memlet import Memlet, symbol
from dfad.ir.show import show
from dfad.ir.verify import verify
from dfad.optimise.after import optimise_after
from dfad.optimise.before import optimise_before
from dfad.optimise.dead import remove_dead
from dfad.optimise.last import optimise_last
from dfad.plan.record import record
from tests.emitted_kernels import Launcher
from tests.ir_text import build

HALVE = """
def halve(a: f8[N], tol: f8):
    err: f8
    trips: f8 = result
    trips = 0.0
    err = a[0]
    while (err > tol, k):
        for i in range(0, N):
            a[i] = a[i]*0.5 + integer(k)
        err = err*0.5
        trips += 1.0
    return trips
"""

NESTED = """
def nested(a: f8[N]):
    total: f8 = result
    total = 0.0
    for i in range(0, N):
        x: f8
        x = a[i]
        while (x > 1.0, k):
            row: f8[k + 1]
            row[k] = x
            x = row[k]*0.5
            total += x
    return total
"""

PLAIN = """
def plain(a: f8[N], tol: f8):
    while (a[0] > tol, k):
        a[0] = a[0]*a[0]
"""


def halve(a, tol):
    trips, err = 0, a[0]
    while err > tol:
        a[:] = a * 0.5 + trips
        err *= 0.5
        trips += 1
    return float(trips)


def nested(a):
    total = 0.0
    for x in a:
        while x > 1.0:
            x *= 0.5
            total += x
    return total


@pytest.mark.parametrize("first", [0.5, 1.0, 7.0, 1000.0])
def test_trips_for_as_long_as_the_guard_holds(first):
    a = np.array([first, 3.0, -1.0])
    b = a.copy()
    assert evaluate(verify(build(HALVE)), {"a": a, "tol": 1.0})["trips"] == halve(b, 1.0)
    np.testing.assert_array_equal(a, b, strict=True)
    assert evaluate(verify(build(NESTED)), {"a": b})["total"] == nested(b)


def test_compiled_as_evaluated():
    for text, compared in ((HALVE, halve), (NESTED, nested)):
        launcher = Launcher(lowered(text), flags=("-O1",))
        for first in (0.5, 9.0, 1e6):
            a = np.array([first, 3.0, -1.0])
            b = a.copy()
            more = {"tol": 1.0} if compared is halve else {}
            found = launcher(a=a, **more)
            assert found.status == 0
            assert next(iter(found.results.values())) == compared(b, *more.values())
            np.testing.assert_array_equal(a, b, strict=True)
            assert found.left == 0


def lowered(text):
    return verify(optimise_last(verify(optimise_after(verify(optimise_before(verify(build(text))))))))


def test_text():
    pyx = Launcher(lowered(HALVE), flags=("-O1",)).emitted.pyx
    assert "while err > tol:  # line 6" in pyx
    assert "k += 1" in pyx
    assert "k += 1" not in Launcher(lowered(PLAIN), flags=("-O1",)).emitted.pyx


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(a: f8[N]):\n    while (a[k] > 0.0, k):\n        a[0] = 1.0", "the symbol k in k is not bound there"),
        ("def f(a: f8[N]):\n    while (a[0], k):\n        a[0] = 1.0", "the guard of L2 is float64, not bool"),
        ("def f(a: f8[N]):\n    with block:\n        b: f8\n    while (b > 0.0, k):\n        a[0] = 1.0", "b is not in scope"),
        ("def f(a: f8[N]):\n    for k in range(0, N):\n        while (a[k] > 0.0, k):\n            a[k] = 1.0", "k is declared twice"),
    ],
)
def test_broken(text, message):
    with pytest.raises(CompilerBug) as caught:
        verify(build(text))
    assert message in str(caught.value)


def test_listing():
    lines = [line.split("#")[0].rstrip() for line in show(build(PLAIN)).splitlines()]
    assert lines[4:] == ["    while a[0] > tol, counting k:", "        a[0] = a[0]*a[0]"]


def test_ragged_arrays_follow_the_trip():
    (step,) = [step for step in schedule(build(NESTED)) if step.ragged]
    assert [array.name for array in step.ragged] == ["row"]


def test_graph():
    graph = dataflow(build(PLAIN))
    assert [(node["kind"], node["label"]) for node in graph["nodes"] if node["kind"] == "while"] == [("while", "while a[0] > tol")]
    assert {edge["memlet"] for edge in graph["edges"] if edge["target"] == "L2"} == {"a", "tol"}


def test_nothing_bounds_the_trips_of_which_none_is_certain():
    found = {one.key: one for one in statements(build(PLAIN).body)}
    assert {"L2", "L3", "end:L2", "end:"} == found.keys()
    versions = Versions(build(PLAIN).body, {"N"})
    domain, exact = versions.domain(versions.statements["L3"])
    assert not exact
    assert not domain.is_bounded()
    first = Want(Memlet("a", (symbol("k") * 0,)), "L3")
    assert versions.records([first])["L3"].is_equal(domain)


def test_dead_code_keeps_what_the_guard_reads():
    text = """
    def f(a: f8[N]):
        x: f8
        y: f8
        s: f8 = result
        x = 1.0
        y = 2.0
        s = 1.0
        while (x < 10.0, k):
            y = y + x
            x = x*2.0
            s = s + 1.0
        return s
    """
    listing = show(remove_dead(verify(build(text))))
    assert "x = x*2.0" in listing
    assert "y = y + x" not in listing
    assert "y: float64" not in listing


def test_an_endless_loop_is_never_removed():
    text = "def f(a: f8[N]):\n    s: f8 = result\n    x: f8\n    s = 1.0\n    while (s > 0.0, k):\n        x = 2.0\n    return s"
    assert "while s > 0.0" in show(optimise_after(verify(build(text))))
    assert "while s > 0.0" in show(remove_dead(verify(build(text))))


def test_its_reverse_is_a_loop_over_the_counted_trips():
    adjoint = verify(differentiate(optimise_before(verify(build(NESTED))), Request(("a",), ("total",), unit_seed=True)))
    listing = show(adjoint)
    assert "k_trips = int64(int32(k_last))" in listing
    assert "for k in range(k_trips - 1, -1, -1):" in listing
    a = np.array([7.0, 0.5, 3.1, 1.0])
    expected = [0.5 + 0.25 + 0.125, 0.0, 0.5 + 0.25, 0.0]
    for program in (adjoint, verify(record(adjoint))):
        np.testing.assert_array_equal(evaluate(program, {"a": a})["a_bar"], expected)

