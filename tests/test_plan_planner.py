"""The planner on Programs: which arrays are values, what is put into effect, what is reported."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from dfad.errors import BudgetTooSmall, CompilerBug, KernelTypeError
from dfad.ir.dtype import F64
from dfad.ir.evaluate import evaluate
from dfad.ir.lifetimes import top_level
from dfad.ir.nodes import Stage
from dfad.ir.show import show
from dfad.ir.signature import ArrayType, IntegerType
from dfad.ir.verify import verify
from dfad.plan.audit import audit
from dfad.plan.costs import Costs, seconds_of
from dfad.plan.footprint import footprint
from dfad.plan.planner import Planner, plan
from dfad.plan.postpone import postpone
from dfad.plan.problem import Decision, simulate
from dfad.plan.question import problem_of
from dfad.plan.realize import original_key, realize
from dfad.plan.values import sweeps_of
from tests.ir_text import build
from tests.planner_kernels import gradient, kernel, run
from tests.planner_problems import every_plan

PRODUCT = """
def f(A: f8[N, N], x: f8[N], x_bar: f8[N], n: int):
    y: f8[N]
    z: f8[N]
    w: f8[N]
    u: f8[N]
    y_bar: f8[N] = adjoint
    with block:
        y[:] = matmul(A[:, :], x[:])
        for i in range(0, N):
            t: f8
            t = sin(y[i])
            z[i] = t*y[i]
        for i2 in range(0, N):
            w[i2] = z[N - 1 - i2] if z[i2] > 0.0 else y[i2]
        for i3 in range(0, N):
            u[i3] = w[i3]
        for i4 in range(0, N):
            u[i4] = 2.0*u[i4] + w[i4]
    with block:
        for k in range(0, N):
            x_bar[k] = u[k]*w[k]
        y_bar[:] = matmul(A[:, :], z[:])
        for k2 in range(0, N):
            x_bar[k2] += y_bar[k2]*y[k2]*w[k2]
"""


def arguments(n=4):
    rng = np.random.default_rng(5)
    return {"A": rng.standard_normal((n, n)), "x": rng.standard_normal(n), "x_bar": np.zeros(n), "n": n}


def result_and_peak(program, n=4):
    given = arguments(n)
    held = peak = 0

    def count(array, size):
        nonlocal held, peak
        held, peak = held + size, max(peak, held + size)

    evaluate(program, given, count)
    return given["x_bar"], peak


def test_products_inner_scalars_and_several_producers():
    program = verify(build(PRODUCT, Stage.PLANNED))
    sweeps = sweeps_of(program)
    problem = problem_of(sweeps, {"N": 4}, Costs())
    options = {value.name: {option.value for option in value.options} for value in problem.values}
    assert options == {
        "y": {"kept", "recomputed"},
        "z": {"kept", "recomputed"},
        "w": {"kept", "recomputed", "fused"},
        "u": {"kept", "recomputed"},
    }
    assert [len(value.producers) for value in problem.values] == [1, 1, 1, 2]
    expected, _ = result_and_peak(program)
    count = 0
    for decisions, outcome in every_plan(problem):
        found, peak = result_and_peak(verify(realize(sweeps, problem, decisions)))
        np.testing.assert_array_equal(found, expected)
        assert peak == outcome.peak
        count += 1
    assert count == 2 * 2 * 3 * 2


def test_the_realized_program_reads_well(golden):
    program = verify(build(PRODUCT, Stage.PLANNED))
    sweeps = sweeps_of(program)
    decisions = {"y": Decision.KEPT, "z": Decision.RECOMPUTED, "w": Decision.FUSED, "u": Decision.RECOMPUTED}
    golden("plan_realize_product.txt", show(verify(realize(sweeps, problem_of(sweeps, {"N": 4}, Costs()), decisions))))


def names_of(text):
    return {name: len(one.producers) for name, one in sweeps_of(verify(build(text, Stage.PLANNED))).candidates.items()}


def test_what_is_no_value():
    """Exchanged, restored in the reverse sweep, or written there: held as the Program says."""
    text = """
    def f(x: f8[N], x_bar: f8[N]):
        a: f8[N]
        b: f8[N]
        c: f8[N]
        d: f8[N]
        with block:
            a[0] = 1.0
            b[0] = 2.0
            a, b = b, a
            c[0] = x[0]
            d[0] = x[0]
        with block:
            c[0] = 3.0
            x_bar[0] = a[0]*b[0]*c[0]*d[0]
    """
    assert names_of(text) == {"d": 1}


def test_what_can_only_be_kept():
    """A producer that reads what it writes to another value, or what changes later."""
    text = """
    def f(x: f8[N], x_bar: f8[N]):
        a: f8[N]
        b: f8[N]
        c: f8[N]
        d: f8[N]
        s: f8
        with block:
            for i in range(0, N):
                a[i] = x[i]
                b[i] = a[i]
            s = 1.0
            for j in range(0, N):
                c[j] = s*x[j]
            s = 2.0
            d[0] = x_bar[0]
        with block:
            x_bar[0] = a[0]*b[0]*c[0]*d[0]
    """
    assert names_of(text) == {"a": 1, "b": 0, "c": 0, "d": 0}


def test_a_nest_of_two_values_is_copied_for_each():
    text = """
    def f(x: f8[N], x_bar: f8[N]):
        a: f8[N]
        b: f8[N]
        s: f8
        with block:
            s = 0.0
            for i in range(0, N):
                t: f8
                t = sin(x[i])
                a[i] = t*x[i]
                b[N - 1 - i] = exp(t)
                s += t
        with block:
            for k in range(0, N):
                x_bar[k] = a[k]*b[k]*s
    """
    sweeps = sweeps_of(verify(build(text, Stage.PLANNED)))
    problem = problem_of(sweeps, {"N": 3}, Costs())
    decisions = {"a": Decision.RECOMPUTED, "b": Decision.RECOMPUTED}
    program = verify(realize(sweeps, problem, decisions))
    lines = [line.split("#")[0].strip() for line in show(program).splitlines()]
    assert lines[-10:] == [
        "for i in range(0, N):", "t_again: float64", "t_again = sin(x[i])", "a_again[i] = t_again*x[i]",
        "for i in range(0, N):", "t_again_2: float64", "t_again_2 = sin(x[i])", "b_again[N - i - 1] = exp(t_again_2)",
        "for k in range(0, N):", "x_bar[k] = a_again[k]*b_again[k]*s",
    ]  # fmt: skip
    found = []
    for given in (sweeps.program, program):
        x_bar = np.zeros(3)
        evaluate(given, {"x": np.array([0.1, 0.2, 0.3]), "x_bar": x_bar})
        found.append(x_bar.tolist())
    assert found[0] == found[1]


def test_a_large_definition_is_not_fused():
    lines = [f"        for i{k} in range(0, N):\n            v{k}[i{k}] = v{k - 1}[i{k}]*sin(v{k - 1}[i{k}])" for k in range(1, 9)]
    arrays = "".join(f"    v{k}: f8[N]\n" for k in range(9))
    text = (
        f"def f(x: f8[N], x_bar: f8[N]):\n{arrays}    with block:\n"
        + "        for i in range(0, N):\n            v0[i] = x[i]\n"
        + "\n".join(lines)
        + "\n    with block:\n        for k in range(0, N):\n            x_bar[k] = v8[k]\n"
    )
    sweeps = sweeps_of(verify(build(text, Stage.PLANNED)))
    fusable = [name for name, one in sweeps.candidates.items() if one.definition is not None]
    assert 3 <= len(fusable) < 9
    problem = problem_of(sweeps, {"N": 3}, Costs())
    decisions = {name: Decision.FUSED if name in fusable else Decision.RECOMPUTED for name in sweeps.candidates}
    assert len(show(realize(sweeps, problem, decisions))) < 6000


def test_initialisations_wait_for_their_array():
    text = """
    def f(x: f8[N], x_bar: f8[N]):
        a_bar: f8[N] = adjoint
        s_bar: f8 = adjoint
        k: i8
        with block:
            pass
        with block:
            for i in range(0, N):
                a_bar[i] = 0.0
            s_bar = 1.0
            k = 1
            for i2 in range(0, N):
                x_bar[i2] = 0.0
            x_bar[k] += s_bar
            for i3 in range(0, N):
                a_bar[i3] += x_bar[i3]
    """
    steps = [step.where.line for step in top_level(verify(postpone(verify(build(text, Stage.PLANNED)))).body)]
    assert steps == [11, 10, 12, 14, 8, 15]


KERNEL = """
def f(x):
    a = np.sin(x)
    s = np.sum(a, axis=1)
    b = np.exp(a) * s[:, None]
    c = np.zeros_like(b)
    c[:, 1:] = np.tanh(b[:, :-1])
    d = c * c
    t = np.sum(d, axis=1)
    e = d * t[:, None]
    return np.sum(e * e)
"""


@pytest.fixture(scope="module")
def planner():
    return Planner(gradient(kernel(KERNEL)), {"x_0": 200, "x_1": 100}, Costs())


def test_unlimited_keeps_the_program(planner):
    made, program = plan(planner.sweeps.program, None, {"x_0": 200, "x_1": 100})
    assert program is planner.sweeps.program
    assert {entry.decision for entry in made.entries} == {"kept"}
    assert made.peak == sum(made.bytes.values())
    assert made.budget is None


def test_tradeoff_goes_down_in_bytes_and_up_in_seconds(planner):
    points = planner.tradeoff()
    assert len(points) >= 4
    assert all(a.peak > b.peak and a.seconds < b.seconds for a, b in pairwise(points))
    assert points[-1].peak == planner.least
    x = np.random.default_rng(0).standard_normal((4, 3))
    expected, _ = run(planner.sweeps.program, {"x": x})
    for point in points:
        assert point.peak == sum(point.bytes.values()) == point.budget
        assert planner.plan(point.peak).seconds == point.seconds
        assert planner.plan(point.peak - 1 if point is points[0] else point.peak + 1).seconds >= point.seconds
        np.testing.assert_array_equal(run(planner.program(point.peak), {"x": x})[0], expected)


def test_a_budget_below_the_least_names_it(planner):
    with pytest.raises(BudgetTooSmall, match=f"the least budget is {planner.least} bytes") as caught:
        planner.plan(planner.least - 1)
    assert caught.value.least == planner.least
    assert caught.value.practical >= planner.least
    assert planner.plan(planner.least, with_least=True).least == planner.least


def test_beyond_many_choices_the_search_answers_alone(planner, monkeypatch):
    monkeypatch.setattr("dfad.plan.planner.MOST_CHOICES", 0)
    monkeypatch.setattr("dfad.plan.planner.Solver", lambda problem: pytest.fail("the solver was asked"))
    alone = Planner(planner.sweeps.program, {"x_0": 200, "x_1": 100}, Costs())
    points = alone.tradeoff()
    assert all(a.peak > b.peak and a.seconds < b.seconds for a, b in pairwise(points))
    assert points[-1].peak >= planner.least
    assert alone.plan(points[-1].peak).peak <= points[-1].peak
    fresh = Planner(planner.sweeps.program, {"x_0": 200, "x_1": 100}, Costs())
    assert fresh.plan(fresh.least).peak <= fresh.least


def test_entries_say_why(planner):
    entries = {entry.value: entry for entry in planner.plan(planner.least).entries}
    assert all(entry.why for entry in entries.values())
    assert any(entry.decision != "kept" and entry.seconds > 0.0 for entry in entries.values())
    assert all(entry.bytes > 0 and entry.line >= 3 for entry in entries.values())


def test_a_program_without_choice_has_one_plan():
    program = verify(build("def f(x: f8[N]):\n    a: f8[N]\n    for i in range(0, N):\n        a[i] = x[i]\n        x[i] = a[i]"))
    planner = Planner(program, {"N": 5}, Costs())
    assert planner.least == 40
    assert len(planner.tradeoff()) == 1
    with pytest.raises(BudgetTooSmall):
        planner.plan(39)


def test_loops_count_their_largest_inner_array():
    text = """
    def f(x: f8[N]):
        for i in range(0, N):
            e: f8[i + 1]
            g: f8[2*N - i]
            e[0] = x[i]
            g[0] = e[0]
    """
    held, before = footprint(verify(build(text)), {"N": 5})
    assert held == [8 * 5 + 8 * 10]
    assert before == [0]


def test_a_size_that_only_the_call_knows():
    text = """
    def f(x: f8[N], idx: i8[M]):
        k: i8
        k = idx[0]
        with block:
            a: f8[k]
            a[0] = x[0]
    """
    with pytest.raises(KernelTypeError, match="the size of a depends on k"):
        Planner(verify(build(text)), {"N": 5, "M": 1}, Costs())


def test_sizes_that_follow_from_the_arguments():
    text = "def f(x: f8[N]):\n    k: i8\n    k = integer(floor(N/2))\n    with block:\n        a: f8[k]\n        a[0] = x[0]"
    assert Planner(verify(build(text)), {"N": 5}, Costs()).least == 16


COSTS = Costs(((1, 1.0),), simple=100.0, functions={"sin": 1000.0, "exp": 500.0}, latency=1e5, call=1e7, entry=0.5, product=1.0)


def seconds(text, sizes, costs=COSTS):
    program = build(text)
    arrays = {array.name: array for array in (*program.parameters, *program.body.arrays)}
    return seconds_of(program.body, arrays, sizes, costs)


@pytest.mark.parametrize(
    ("statement", "trip"),
    [
        ("y[i] = 1.0", 0.0),                                                # the index is not j: nothing moves
        ("y[j] = x[j]", 16.0),
        ("y[j] = x[j] + x[j]", 100.0),                                      # memory and arithmetic overlap
        ("y[j] = sin(x[j]) + sin(x[j])", 1100.0),                           # equal parts are computed once
        ("y[j] = sin(x[i])*x[j]", 100.0),                                   # what j does not change stays outside
        ("y[j] = cos(x[j])", 1000.0),                                       # an unknown function is like the slowest
        ("A[j, i] = x[j]", 64.0 + 8.0),                                     # a line for every element of a column
        ("y[j + 1] = sin(x[j])*y[j]", 1e7),                                 # a recurrence: calls, and it waits
        ("y[j + 1] = x[j] + x[j]*y[j]", 2e5),
    ],
)
def test_a_trip_of_a_loop_costs(statement, trip):
    text = f"def f(x: f8[N], y: f8[N], A: f8[N, N]):\n    for i in range(0, N):\n        for j in range(0, i):\n            {statement}"
    expected = 10 * (0.5 + 5 * trip)
    found = seconds(text, {"N": 10})
    assert expected <= found <= 1.01 * expected


def test_products_cost_their_multiplications_or_their_bytes():
    text = "def f(A: f8[N, K], B: f8[K, M], C: f8[N, M]):\n    C[:, :] = matmul(A[:, :], B[:, :])"
    assert seconds(text, {"N": 2, "K": 3, "M": 5}) == pytest.approx(8 * 31.0, rel=1e-12)
    assert seconds(text, {"N": 20, "K": 30, "M": 50}) == pytest.approx(3e4, rel=1e-12)


def test_large_arrays_move_at_the_speed_of_memory():
    costs = Costs(streams=((1000, 1.0), (4000, 3.0)))
    assert [costs.byte(size) for size in (10, 1000, 2000, 4000, 10**9)] == pytest.approx([1.0, 1.0, 2.0, 3.0, 3.0])


TIME_LOOP = """
def f(A, T):
    for t in range(T):
        for i in range(1, A.shape[0]):
            A[i] = A[i]*np.sin(A[i-1])
    return np.sum(A)
"""


def test_a_time_loop_is_held_as_it_is():
    program = gradient(kernel(TIME_LOOP), A=ArrayType(F64, (False,)), T=IntegerType())
    planner = Planner(program, {"A_0": 6, "T": 3}, Costs())
    assert len(planner.tradeoff()) == 1
    everything = simulate(planner.problem, {}).peak
    with pytest.raises(BudgetTooSmall) as caught:
        planner.plan(everything - 1)
    assert caught.value.least == everything


HALVES = """
def f(x, n):
    h = np.sin(x[n:])
    g = np.exp(h) * h
    return np.sum(g * g)
"""


@pytest.mark.parametrize("n", [-2, 1])
def test_sizes_that_a_scalar_of_the_kernel_holds(n):
    """An extent that is computed from arguments: the arrays stand in Blocks behind the scalar's definition, in both sweeps."""
    program = gradient(kernel(HALVES), x=ArrayType(F64, (False,)), n=IntegerType())
    planner = Planner(program, {"x_0": 6, "n": n}, Costs())
    x = np.random.default_rng(1).standard_normal(6)
    expected, peak = run(program, {"x": x, "n": np.int64(n)})
    assert peak == simulate(planner.problem, {}).peak
    for decisions, outcome in every_plan(planner.problem):
        found, peak = run(verify(realize(planner.sweeps, planner.problem, decisions)), {"x": x, "n": np.int64(n)})
        np.testing.assert_array_equal(found, expected)
        assert peak == outcome.peak


STALE = """
def f(x: f8[N], x_bar: f8[N]):
    a: f8[N]
    b: f8[N]
    a_again: f8[N]
    with block:
        for i in range(0, N):
            a[i] = x[i]
        for j in range(0, N):
            b[j] = 2.0*a[j]
    with block:
        {}
"""


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("x_bar[0] = a[0]", "x_bar[0] = a_again[0]", "reads a_again"),
        ("x_bar[0] = a[0]", "x_bar[0] = 0.0\n        x_bar[1] = x_bar[0]", "reads x_bar"),
        ("x_bar[0] = b[0]", "x_bar[0] = 2.0*a[0]", None),
    ],
)
def test_the_audit_sees_another_version(before, after, message):
    first, second = (verify(build(STALE.format(text), Stage.PLANNED)) for text in (before, after))
    if message is None:
        assert audit(first, second) is second
        return
    with pytest.raises(CompilerBug, match=message):
        audit(first, second)


def test_the_audit_sees_a_copy_that_comes_too_late():
    program = gradient(kernel(KERNEL))
    sweeps = sweeps_of(program)
    problem = problem_of(sweeps, {"x_0": 4, "x_1": 3}, Costs())
    realized = realize(sweeps, problem, {"d": Decision.RECOMPUTED})
    forward, reverse = realized.body.body
    copies = [step for step in reverse.body if original_key(step.key) != step.key]
    others = [step for step in reverse.body if original_key(step.key) == step.key]
    moved = replace(realized, body=replace(realized.body, body=(forward, replace(reverse, body=(*others, *copies)))))
    assert audit(program, realized) is realized
    with pytest.raises(CompilerBug, match="reads d as"):
        audit(program, verify(moved))
