"""The rewrites one by one: what each makes of small Programs (golden listings), that the meaning stays, and what each leaves alone."""

import numpy as np
import pytest

from dfad.ir.evaluate import evaluate
from dfad.ir.nodes import Role, Stage
from dfad.ir.show import show
from dfad.ir.verify import verify
from dfad.ir.walk import all_arrays
from dfad.optimise.aliases import remove_copies
from dfad.optimise.carry import carry_values
from dfad.optimise.dead import remove_dead
from dfad.optimise.distribute import distribute
from dfad.optimise.ends import end_loops
from dfad.optimise.gather import gather
from dfad.optimise.guards import name_guards
from dfad.optimise.initial import assign_first
from dfad.optimise.number import number_values
from dfad.optimise.renew import renew_arrays
from dfad.optimise.stages import name_stages
from dfad.optimise.substitute import substitute_once
from dfad.optimise.tidy import tidy
from dfad.optimise.unswitch import unswitch
from dfad.optimise.upward import run_upwards
from tests.ir_text import build

PASSES = {
    "assign_first": assign_first, "carry": carry_values, "distribute": distribute, "end_loops": end_loops, "gather": gather,
    "guards": name_guards, "number": number_values,
    "remove_copies": remove_copies, "remove_dead": remove_dead, "renew": renew_arrays, "stages": name_stages,
    "substitute": substitute_once,
    "tidy": tidy, "unswitch": unswitch,
    "upward": run_upwards,
}  # fmt: skip

REORDERS = {"gather", "distribute", "upward"}
"""Rewrites that may change the order of a free sum, or of the factors of a product; all others keep every bit."""

SIZES = (1, 2, 3, 9)


def gradient(arguments: str, reverse: str, forward: str = "pass", results: str = "x_bar: f8[N] = result") -> str:
    """A PLANNED Program: what it declares as results, a forward and a reverse sweep."""
    names = ", ".join(line.split(":")[0] for line in results.split("; "))
    lines = ["def f(" + arguments + "):", *results.split("; ")]
    for sweep in (forward, reverse):
        lines += ["with block:", *(f"    {line}" for line in sweep.strip("\n").splitlines())]
    return "\n    ".join([*lines, f"return {names}"])


ZERO = """
for z in range(0, N):
    x_bar[z] = 0.0
"""

CASES = {
    "gather_two_neighbours": gradient("y_bar: f8[N]", ZERO + """
for i in range(N - 2, 0, -1):
    x_bar[i - 1] += 0.5*y_bar[i]
    x_bar[i + 1] += 0.5*y_bar[i]
"""),
    "gather_plane": gradient("y_bar: f8[N, N]", """
for i in range(N - 2, 0, -1):
    for j in range(N - 2, 0, -1):
        s: f8
        s = y_bar[i, j]
        x_bar[i - 1, j] += s
        x_bar[i, j + 1] += s
""", results="x_bar: f8[N, N] = result", forward="""
for z in range(0, N):
    for w in range(0, N):
        x_bar[z, w] = 0.0
"""),
    "gather_costly": gradient("y_bar: f8[N], a: f8[N]", ZERO + """
for i in range(N - 2, 0, -1):
    x_bar[i - 1] += y_bar[i]*cos(a[i])
    x_bar[i + 1] += y_bar[i]*cos(a[i])
"""),
    "assign_first_nest": gradient("y: f8[N]", ZERO + """
for i in range(N - 1, -1, -1):
    x_bar[i] += y[i]*y[i]
"""),
    "assign_first_scalar": gradient("y: f8[N]", """
c_bar = 0.0
c_bar += y[0]*2.0
x_bar = c_bar
""", results="x_bar: f8 = result; c_bar: f8 = result"),
    "assign_first_product": gradient("a: f8[N, N], b: f8[N]", ZERO + """
x_bar[:] += matmul(a[:, :], b[:])
"""),
    "remove_copies_of_argument": gradient("A: f8[N]", """
for i in range(0, N):
    x_bar[i] = kept[i]*kept[i]
""", forward="""
kept: f8[N] = copy
for k in range(0, N):
    kept[k] = A[k]
""").replace("    with block:\n        kept: f8[N] = copy\n", "    kept: f8[N] = copy\n    with block:\n"),
    "remove_dead_array": gradient("y: f8[N]", """
t: f8[N]
for i in range(0, N):
    t[i] = y[i]*3.0
for j in range(0, N):
    x_bar[j] = y[j]
"""),
    "remove_dead_cells": gradient("y: f8[N]", """
for i in range(N - 1, -1, -1):
    s: f8
    s = y[i]
    work[i] = s*2.0
    x_bar[i] = s
    work[i] = 0.0
""").replace("    with block:\n        pass\n", "    work: f8[N]\n    with block:\n        pass\n"),
    "tidy_empty_regions": gradient("y: f8[N]", """
with block:
    t: f8
    t = y[0]
    for i in range(0, N):
        if t > 0.5:
            pass
    with block:
        for j in range(0, N):
            x_bar[j] = t
"""),
    "upward_free": gradient("y: f8[N]", """
for i in range(N - 1, -1, -1):
    s: f8
    s = y[i]
    x_bar[i] = s*s
"""),
    "upward_sum": gradient("y: f8[N]", """
c_bar = 0.0
for i in range(N - 1, -1, -1):
    c_bar += y[i]
x_bar = c_bar
""", results="x_bar: f8 = result; c_bar: f8 = result"),
    "distribute_neighbour": gradient("y_bar: f8[N], a: f8[N]", """
for z in range(0, N):
    x_bar[z] = y_bar[z]
for i in range(N - 1, 0, -1):
    x_bar[i - 1] += x_bar[i]*(0.25*cos(a[i]))
"""),
    "distribute_scalar": gradient("y_bar: f8[N], a: f8[N]", """
for z in range(0, N):
    x_bar[z] = y_bar[z]
for i in range(1, N):
    e: f8
    e = exp(a[i])
    x_bar[i] = x_bar[i - 1]*e + y_bar[i]
"""),
    "carry_running_sum": """
def f(x: f8[N]):
    for i in range(1, N):
        x[i] = x[i - 1]*0.5 + x[i]
""",
    "carry_downward": """
def f(x: f8[N], y: f8[N]):
    for i in range(N - 2, -1, -1):
        x[i] += x[i + 1]*y[i]
        y[i] = x[i] + 1.0
""",
    "unswitch_two_sides": """
def f(x: f8[N], y: f8[N], T: int):
    for t in range(0, T):
        for i in range(0, N):
            s: f8
            s = x[i]*2.0
            if t > 0:
                y[i] = s
            x[i] = s + y[i]
""",
    "number_sums": """
def f(x: f8[N], y: f8[N], z: f8 = result):
    s: f8
    t: f8
    s = 0.0
    for i in range(0, N):
        a: f8
        a = x[i]*y[i]
        s += a*a
    z = s + 1.0
    t = 0.0
    for k in range(0, N):
        b: f8
        b = x[k]*y[k]
        t += b*b
    for j in range(0, N):
        y[j] = t*s
    return z
""",
    "number_kept_axis": """
def f(x: f8[N, N], y: f8[N]):
    s: f8[N]
    t: f8[1, N]
    for i in range(0, N):
        s[i] = exp(x[0, i])
    for k in range(0, N):
        t[0, k] = exp(x[0, k])
    for j in range(0, N):
        y[j] = t[0, j]*s[N - 1 - j]
    for j2 in range(0, N):
        y[j2] += s[j2]*t[0, N - 1 - j2]
""",
    "number_equal_by_equal": """
def f(x: f8[N], y: f8[N]):
    a: f8[N]
    b: f8[N]
    c: f8[N]
    d: f8[N]
    for i in range(0, N):
        a[i] = exp(x[i])
    for i2 in range(0, N):
        b[i2] = exp(x[i2])
    for i3 in range(0, N):
        c[i3] = a[i3]*a[N - 1 - i3]
    for i4 in range(0, N):
        d[i4] = b[i4]*b[N - 1 - i4]
    for j in range(0, N):
        y[j] = c[j]*d[N - 1 - j]
""",
    "stages_of_a_cell": """
def f(x: f8[N], y: f8[N]):
    for i in range(1, N):
        x[i] = x[i - 1]*y[i]
        x[i] = sin(x[i])*x[i - 1]
        y[i] = x[i]
        x[i] = x[i]*y[i]
""",
    "stages_of_sums": """
def f(x: f8[N], y: f8[N]):
    for i in range(0, N):
        x[i] += y[i]
        x[i] += 0.5
        x[i] = x[i]*y[i]
""",
    "stages_around_a_loop": """
def f(x: f8[N], y: f8[N]):
    for i in range(0, N):
        x[i] = x[i]*2.0
        for j in range(0, N):
            y[j] = y[j]*x[i]
        x[i] = x[i] + y[0]
""",
    "renew_under_condition": """
def f(x: f8[N], y: f8[N]):
    a: f8[N]
    for i in range(0, N):
        a[i] = x[i]*2.0
    for j in range(0, N):
        if a[j] > 1.5:
            a[j] = 1.0/a[j]
    for k in range(0, N):
        y[k] += a[k]
""",
    "renew_twice": """
def f(x: f8[N, N], y: f8[N, N]):
    a: f8[N, N]
    for i in range(0, N):
        for j in range(0, N):
            a[i, j] = sin(x[i, j])
    for k in range(0, N):
        for l in range(0, N):
            a[k, l] += a[k, l]*a[k, l]
            a[k, l] = a[k, l]*y[k, l]
    for m in range(0, N):
        for n in range(N - 1, -1, -1):
            if a[n, m] > 0.5:
                y[n, m] = a[n, m]
            else:
                a[n, m] = sqrt(a[n, m])
            y[n, m] += a[n, m]
""",
    "renew_what_was_read": """
def f(x: f8[N], y: f8[N]):
    a: f8[N]
    for i in range(0, N):
        a[i] = x[i]*2.0
    for j in range(0, N):
        y[j] = sin(a[j])
    for k in range(0, N):
        a[k] += 1.0
    for l in range(0, N):
        y[l] += a[l]
""",
    "renew_what_it_gave": """
def f(x: f8[N], y: f8[N]):
    a: f8[N]
    for i in range(0, N):
        a[i] = sqrt(x[i])
    for j in range(0, N):
        if a[j] <= 1.0:
            a[j] = 1.0
    for k in range(0, N):
        y[k] += a[k]
""",
    "substitute_chain": """
def f(x: f8[N], y: f8[N]):
    a: f8[N]
    b: f8[N]
    for i in range(0, N):
        a[i] = x[i]*2.0
    for j in range(0, N):
        b[j] = a[j] + 1.0
    for k in range(1, N):
        y[k] = b[k - 1]*y[k]
""",
    "substitute_plane": """
def f(x: f8[N, N], y: f8[N, N]):
    a: f8[N, N]
    for i in range(0, N):
        for j in range(0, N):
            a[i, j] = sin(x[i, j])
    for k in range(0, N):
        for l in range(0, N):
            y[l, k] = a[k, l]
""",
    "end_loops_sum": """
def f(x: f8[N], y: f8[N]):
    left: b1
    left = False
    for i in range(0, N):
        if not left:
            y[0] += x[i]
            left = x[i] > 0.9
""",
    "end_loops_backwards": """
def f(x: f8[N], y: f8[N]):
    left: b1
    left = False
    for i in range(N - 1, -1, -2):
        if not left:
            y[i] = x[i]*x[i]
            left = y[i] > 0.9
""",
    "end_loops_nest": """
def f(x: f8[N], y: f8[N]):
    for i in range(0, N):
        left: b1
        left = False
        for t in range(1, 9):
            if not left:
                for j in range(0, N):
                    y[j] = y[j]*x[i]
                left = y[0] < 0.1
""",
    "guards_named": """
def f(x: f8[N], y: f8[N]):
    for i in range(0, N):
        if x[i] > 0.75:
            x[i] = x[i]*y[i]
        if y[i] > 0.75:
            x[i] = 0.0
""",
}  # fmt: skip

LEFT_ALONE = {
    "end_loops_scalars_in_a_loop": """
def f(x: f8[N], y: f8[N]):
    for i in range(0, N):
        left: b1
        left = False
        for t in range(0, 9):
            if not left:
                y[i] = y[i]*x[i]
                left = y[i] < 0.1
""",
    "end_loops_set_again": """
def f(x: f8[N], y: f8[N]):
    left: b1
    left = False
    for i in range(0, N):
        if not left:
            left = x[i] > 0.9
        left = x[i] > 1.2
""",
    "end_loops_by_index": """
def f(x: f8[N], y: f8[N]):
    left: b1
    left = False
    for i in range(0, N):
        if not left and i > 1:
            left = x[i] > 0.9
            y[i] = x[i]
""",
    "gather_recurrence": gradient("y: f8[N]", """
for i in range(N - 1, 0, -1):
    y[i - 1] += y[i]
""", results="x_bar: f8 = result"),
    "gather_restored_source": gradient("y: f8[N], tape: f8[N]", """
for i in range(N - 2, 0, -1):
    y[i] = tape[i]
    x_bar[i - 1] += y[i]
    x_bar[i + 1] += y[i]
"""),
    "assign_first_some_cells": gradient("y: f8[N]", ZERO + """
for i in range(1, N):
    x_bar[i] += y[i]
"""),
    "assign_first_read_before": gradient("y: f8[N]", ZERO + """
y[0] = x_bar[0]
for i in range(0, N):
    x_bar[i] += y[i]
"""),
    "remove_copies_of_changed_argument": gradient("A: f8[N]", """
for i in range(0, N):
    x_bar[i] = kept[i]*A[i]
""", forward="""
kept: f8[N] = copy
for k in range(0, N):
    kept[k] = A[k]
A[0] = 2.0
""").replace("    with block:\n        kept: f8[N] = copy\n", "    kept: f8[N] = copy\n    with block:\n"),
    "upward_recurrence": gradient("y: f8[N]", """
for i in range(N - 2, -1, -1):
    y[i] = y[i + 1]*0.5
""", results="x_bar: f8 = result"),
    "distribute_cheap": gradient("y: f8[N], a: f8[N]", """
for i in range(1, N):
    y[i] = y[i - 1]*(a[i] + 1.0)
""", results="x_bar: f8 = result"),
    "carry_written_between": """
def f(x: f8[N]):
    for i in range(1, N):
        x[i] = x[i - 1]*0.5
        x[N - 1 - i] = 1.0
""",
    "carry_cell_that_may_not_exist": """
def f(x: f8[N], y: f8[N]):
    for i in range(0, N):
        y[i] = x[i - 1] if i > 0 else 0.5
        x[i] = y[i]*2.0
""",
    "unswitch_condition_on_index": """
def f(x: f8[N]):
    for i in range(0, N):
        if i > 2:
            x[i] = 0.0
""",
    "number_operand_changed": """
def f(x: f8[N], y: f8[N]):
    a: f8[N]
    b: f8[N]
    for i in range(0, N):
        a[i] = x[i]*2.0
    x[0] = 5.0
    for k in range(0, N):
        b[k] = x[k]*2.0
    for j in range(0, N):
        y[j] = a[j]*b[j]
""",
    "number_changed_later": """
def f(x: f8[N], y: f8[N]):
    a: f8[N]
    b: f8[N]
    for i in range(0, N):
        a[i] = x[i]*2.0
    for k in range(0, N):
        b[k] = x[k]*2.0
    for j in range(0, N):
        y[j] = a[j]*b[j]
    if N > 1:
        a[0] = y[1]
        y[0] = a[0] + b[0]
""",
    "number_backwards": """
def f(x: f8[N], y: f8[N]):
    a: f8
    b: f8
    a = 1.0
    for i in range(0, N):
        a = a*x[i] + 1.0
    b = 1.0
    for k in range(N - 1, -1, -1):
        b = b*x[k] + 1.0
    for j in range(0, N):
        y[j] = a*b
""",
    "number_read_before_complete": """
def f(x: f8[N], y: f8[N]):
    a: f8
    b: f8
    a = 1.0
    a += x[0]
    b = 1.0
    y[0] = b
    b += x[0]
    for j in range(1, N):
        y[j] = a*b
""",
    "number_of_two_dtypes": """
def f(x: f8[N], y: f8[N]):
    a: f8[N]
    b: f4[N]
    for i in range(0, N):
        a[i] = x[i]*2.0
    for k in range(0, N):
        b[k] = x[k]*2.0
    for j in range(0, N):
        y[j] = a[j]*b[N - 1 - j]
""",
    "stages_read_by_another_name": """
def f(x: f8[N], y: f8[N]):
    for i in range(0, N):
        x[i] = x[i]*y[i]
        y[i] = x[N - 1 - i]
        x[i] = sin(x[i])
""",
    "stages_linear": """
def f(x: f8[N], y: f8[N]):
    for i in range(0, N):
        x[i] = x[i]*y[i]
        x[i] = 0.5*x[i] + y[i]
""",
    "stages_in_a_branch": """
def f(x: f8[N], y: f8[N]):
    for i in range(0, N):
        x[i] = x[i]*y[i]
        if x[i] > 0.5:
            x[i] = sin(x[i])
        y[i] = x[i]
""",
    "renew_linear": """
def f(x: f8[N], y: f8[N]):
    a: f8[N]
    for i in range(0, N):
        a[i] = x[i]*2.0
    for j in range(0, N):
        if x[j] > 1.0:
            a[j] = a[j]/4.0 + 1.0
    for k in range(0, N):
        y[k] = a[k]
""",
    "renew_part": """
def f(x: f8[N], y: f8[N]):
    a: f8[N]
    for i in range(0, N):
        a[i] = x[i]*2.0
    for j in range(1, N):
        a[j] = a[j]*a[j]
    for k in range(0, N):
        y[k] = a[k]
""",
    "renew_neighbour": """
def f(x: f8[N], y: f8[N]):
    a: f8[N]
    for i in range(0, N):
        a[i] = x[i]*2.0
    for j in range(0, N):
        a[j] = a[j]*a[N - 1 - j]
    for k in range(0, N):
        y[k] = a[k]
""",
    "renew_from_trip_to_trip": """
def f(x: f8[N], T: int):
    a: f8[N]
    for i in range(0, N):
        a[i] = x[i]*2.0
    for t in range(0, T):
        for j in range(0, N):
            a[j] = a[j]*a[j]
    for k in range(0, N):
        x[k] = a[k]
""",
    "renew_argument": """
def f(x: f8[N]):
    for i in range(0, N):
        x[i] = x[i]*2.0
    for j in range(0, N):
        x[j] = x[j]*x[j]
""",
    "renew_in_steps": """
def f(x: f8[N], T: int):
    a: f8[N]
    for i in range(0, N):
        a[i] = x[i]*2.0
    for j in range(0, N):
        for t in range(0, T):
            a[j] = a[j]*a[j]
    for k in range(0, N):
        x[k] = a[k]
""",
    "substitute_argument_changed": """
def f(x: f8[N], y: f8[N]):
    a: f8[N]
    for i in range(0, N):
        a[i] = x[i]*2.0
    x[0] = 5.0
    for j in range(0, N):
        y[j] = a[j]
""",
    "substitute_read_in_every_trip": """
def f(x: f8[N], y: f8[N, N]):
    a: f8[N]
    for i in range(0, N):
        a[i] = exp(x[i])
    for j in range(0, N):
        for k in range(0, N):
            y[j, k] = a[k]
""",
    "guards_on_symbols": """
def f(x: f8[N], T: int):
    for i in range(0, N):
        if i < T:
            x[i] = 0.0
""",
}  # fmt: skip


def case(name: str, text: str):
    """The Program and the rewrite of a case: the pass is the longest name of PASSES that begins the case's."""
    chosen = max((one for one in PASSES if name.startswith(one)), key=len)
    program = build(text, Stage.PLANNED if "with block" in text else Stage.PRIMAL)
    return verify(program), PASSES[chosen], chosen in REORDERS


def values(program, size: int) -> dict[str, object]:
    random = np.random.default_rng(size)
    arrays = {array.name: array for array in program.parameters if array.role is Role.ARGUMENT}
    given: dict[str, object] = {"T": size - 1}
    for name, array in arrays.items():
        given[name] = random.uniform(0.5, 1.5, (size,) * array.rank)
    return given


def outcome(program, size: int) -> list[np.ndarray]:
    """Results, then arguments as the Program leaves them."""
    given = values(program, size)
    wanted = {bound.parameter for bound in program.symbols if hasattr(bound, "parameter")} | set(all_arrays(program))
    given = {name: value for name, value in given.items() if name in wanted}
    results = evaluate(program, given)
    return [np.asarray(value) for value in (*results.values(), *given.values())]


@pytest.mark.parametrize("name", CASES)
def test_listing(name, golden):
    program, rewrite, _ = case(name, CASES[name])
    golden(f"optimise_{name}.txt", show(verify(rewrite(program))) + "\n")


@pytest.mark.parametrize("name", [*CASES, *LEFT_ALONE])
def test_meaning_stays(name):
    program, rewrite, reorders = case(name, {**CASES, **LEFT_ALONE}[name])
    for size in SIZES:
        before, after = outcome(program, size), outcome(verify(rewrite(program)), size)
        for one, other in zip(before, after, strict=True):
            if reorders:
                np.testing.assert_allclose(other, one, rtol=1e-14, atol=0.0)
            else:
                np.testing.assert_array_equal(other, one)


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_what_would_change_the_meaning_is_left_alone(name):
    program, rewrite, _ = case(name, LEFT_ALONE[name])
    assert show(rewrite(program)) == show(program)
