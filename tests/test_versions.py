"""What is recorded: the exact tapes of known kernels, and sets of integers against Python's."""

import math
import random
from itertools import pairwise

import islpy as isl
import numpy as np
import pytest
import sympy

from dfad import suite
from dfad.analysis import sets
from dfad.analysis.sets import Space, within_limit
from dfad.ir.integer import compile_integer
from dfad.ir.memlet import symbol
from dfad.ir.nodes import Role
from dfad.ir.walk import all_arrays
from tests.adjoint_paths import interpreted_gradients, planned, reference_gradients, run_gradient, subject
from tests.gallery import GALLERY
from tests.references import relative_error
from tests.test_suite import TINY

TOLERANCE = 1e-11


def tapes(function, arguments, of=None):
    """Name -> shape of every tape of the gradient at these arguments."""
    case = subject(function, arguments)
    program = planned(case, case.kinds[0] if of is None else of, case.active, passes=False)
    values = {bound.symbol.name: _value(bound, case.arguments) for bound in program.symbols}
    found = {name: array for name, array in all_arrays(program).items() if array.role is Role.TAPE}
    return {name: tuple(max(0, compile_integer(extent)(values)) for extent in array.shape) for name, array in found.items()}


def _value(bound, arguments):
    named = arguments[getattr(bound, "array", None) or bound.parameter]
    return named.shape[bound.dimension] if hasattr(bound, "dimension") else int(named)


def cells(function, arguments, of=None):
    """How many values are recorded."""
    return sum(math.prod(shape) for shape in tapes(function, arguments, of).values())


def check(function, arguments):
    """The gradient, with passes and without."""
    case = subject(function, arguments)
    for of in case.kinds:
        expected = reference_gradients(case, of)
        for passes in (False, True):
            assert relative_error(interpreted_gradients(case, of, passes), expected) <= TOLERANCE, (of, passes)


# ---------------------------------------------------------------- linear sweeps and factorizations record nothing


@pytest.mark.parametrize("name", ["seidel_2d", "jacobi_1d", "jacobi_2d", "heat_3d", "cholesky", "gemm"])
def test_no_tape(name):
    benchmark = suite.kernels()[name]
    arguments = benchmark.initialize(TINY[name][0])
    assert tapes(benchmark.function, tuple(arguments.values()), benchmark.of and (benchmark.of,)) == {}


def fdtd(ex, ey, hz, steps):
    for _t in range(steps):
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return np.sum(hz * 0.5)


def test_fdtd_has_no_tape():
    arguments = (*np.random.default_rng(0).uniform(-1, 1, (3, 4, 5)), 3)
    assert tapes(fdtd, arguments) == {}
    check(fdtd, arguments)


def sweeps(A, T):
    for _t in range(T):
        for i in range(1, A.shape[0]):
            for j in range(1, A.shape[1]):
                A[i, j] = 0.5 * A[i, j] + 0.25 * math.sin(A[i - 1, j] * A[i, j - 1])
    return np.sum(A)


@pytest.mark.parametrize(("T", "n"), [(1, 4), (2, 4), (5, 7)])
def test_non_linear_sweeps_record_from_the_second_on(T, n):
    arguments = (np.random.default_rng(0).uniform(0.5, 1.5, (n, n)), T)
    assert list(tapes(sweeps, arguments).values()) == [(T - 1, n - 1, n - 1)]


# ---------------------------------------------------------------- what one statement records


def squares(A):
    for i in range(len(A)):
        A[i] = A[i] * A[i]


def squares_from_above(A):
    for i in range(len(A) - 1):
        A[i] = A[i + 1] * A[i + 1]


def squares_from_below(A):
    for i in range(1, len(A)):
        A[i] = A[i - 1] * A[i - 1]


def twice(A):
    A[0] = A[0] * A[0]
    A[0] = A[0] * A[0]


def exponentials(A, T):
    for _t in range(T):
        for i in range(len(A)):
            A[i] = math.exp(A[i])


def read_once_then_overwritten(a, b):
    for i in range(len(a)):
        b[i] = a[i] * a[i]
    for _t in range(3):
        for i in range(len(a)):
            a[i] = 2.0 * a[i]


def maybe_overwritten(a, b):
    s = b[0] ** 2
    if a[0] > 0.0:
        b[0] = 1.0
    b[0] = 2.0
    return s


COUNTS = [
    # the kernel, its arguments, the number of values recorded
    (squares, (np.arange(1.0, 6.0),), 0, "the entry values are still the caller's"),
    (squares_from_above, (np.arange(1.0, 6.0),), 0, "the value at entry again"),
    (squares_from_below, (np.full(5, 0.5),), 0, "nothing is overwritten after it was read"),
    (twice, (np.array([0.5]),), 0, "the middle value is made of the argument again"),
    (read_once_then_overwritten, (np.ones(4), np.ones(4)), 0, "entry values, whatever happens afterwards"),
]


@pytest.mark.parametrize(("function", "arguments", "count"), [case[:3] for case in COUNTS], ids=[case[0].__name__ for case in COUNTS])
def test_how_much_is_recorded(function, arguments, count):
    assert cells(function, arguments) == count
    check(function, arguments)


def test_a_result_is_recorded_once_where_it_is_overwritten():
    arguments = (np.full(3, -1.0), 4)
    assert cells(exponentials, arguments) <= 3 * 3  # exp by its result: the last is still there
    check(exponentials, arguments)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_first_overwrite_in_the_text_may_not_run(sign):
    check(maybe_overwritten, (np.array([sign]), np.array([3.0])))


# ---------------------------------------------------------------- loops of every step, domains of every shape


def step_two(x, y):
    for _t in range(3):
        for i in range(0, len(x), 2):
            x[i] = math.sin(x[i]) * y[i // 2]


def step_three_down(x, y):
    for _t in range(3):
        for i in range(len(x) - 1, 0, -3):
            x[i] = x[i] * x[i - 1] + y[0]


def step_down(x, y):
    for _t in range(3):
        for i in range(len(x) - 2, -1, -1):
            x[i] = x[i] * x[i + 1] + y[0]


def step_two_down(x, y):
    for t in range(4, 0, -2):
        for i in range(len(x) - 1, -1, -2):
            x[i] = x[i] * y[t] + math.cos(x[i])


def triangle(x, y):
    for i in range(len(x)):
        for j in range(i):
            x[i] = x[i] * x[j] + y[i - j]


def triangle_down(x, y):
    for i in range(len(x) - 1, -1, -1):
        for j in range(i, len(x)):
            x[j] = x[j] * 0.5 + math.sin(x[i] * y[j])


def last_trip_overwrites(x, y):
    n = len(x)
    for i in range(n):
        y[i] = x[i] * x[n - 1 - i]
        x[i] = y[i] * y[i]


def scalar_carried(x, y):
    s = 1.0
    for i in range(len(x)):
        s = s * x[i] + math.sin(s)
        y[i] = s * s


def scalar_restarts(x, y):
    for i in range(len(x)):
        s = 1.0
        for j in range(len(y)):
            s = s * x[j] + math.sin(s * y[i])
        x[i] = s


def scalar_recomputed(x, y):
    for i in range(len(x)):
        t = x[i] * y[i]
        u = math.sin(t)
        y[i] = u * t
        x[i] = u * u


def array_in_a_trip(x, y):
    for i in range(len(x)):
        w = np.sin(x) * y[i]
        for j in range(1, len(x)):
            w[j] = w[j] * w[j - 1] + 0.5
        y[i] = np.sum(w * w)


def arrays_exchanged_in_a_trip(x, y):
    for i in range(len(x)):
        v = np.sin(x)
        w = np.cos(y)
        for _q in range(3):
            v[:] = np.sin(w) * v
            v, w = w, v
        x[i] = np.sum(v * w)


def exchanged_three_times(x, y):
    z = x * y
    for _t in range(5):
        x[:] = np.sin(y) * z
        x, y, z = y, z, x
    return np.sum(x * x) + np.sum(y * z)


def exchanged_on_even_trips(x, y):
    for t in range(5):
        x[:] = np.sin(y) * x
        if t % 2 == 0:
            x, y = y, x


def guard_on_changed_data(x, y):
    for _t in range(3):
        for i in range(len(x)):
            if x[i] > 0.9:
                x[i] = x[i] * y[i]
            elif x[i] < 0.3:
                y[i] = y[i] * x[i] + 1.0
            x[i] += 0.4


def index_from_changed_data(x, y):
    k = 0
    for i in range(len(x)):
        k = (2 * k + i + 1) % len(x)
        x[k] = x[k] * y[i]
        y[i] = x[k] + y[k]


def maximum_kept(x, y):
    m = x[0]
    for i in range(len(x)):
        if x[i] > m:
            m = x[i]
        y[i] = m * y[i]
        x[i] = y[i] * 0.5


LOOPS = (
    step_two,
    step_three_down,
    step_down,
    step_two_down,
    triangle,
    triangle_down,
    last_trip_overwrites,
    scalar_carried,
    scalar_restarts,
    scalar_recomputed,
    array_in_a_trip,
    arrays_exchanged_in_a_trip,
    exchanged_three_times,
    exchanged_on_even_trips,
    guard_on_changed_data,
    index_from_changed_data,
    maximum_kept,
)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("function", LOOPS, ids=[function.__name__ for function in LOOPS])
def test_loops_scalars_exchanges(function, n):
    rng = np.random.default_rng(n)
    check(function, (rng.uniform(0.2, 1.2, n), rng.uniform(0.2, 1.2, 5 if function is step_two_down else n)))


# ---------------------------------------------------------------- the ends of Blocks record for each array apart


def stored_beside_a_carried_scalar(y, B, steps):
    s = 0.3
    if B[0] > 5.0:
        s = 1.0
    else:
        t = 0.0
        v = B[0]
        s += math.sin(v) * v
        for _i in range(2, steps, 2):
            y[0] += math.cos(t + v)
            t = 0.5
            B[0] = 0.5
    return s


def guard_from_a_choice(y, B):
    s = 0.3
    for i in range(2):
        s += math.sin(y[i] if B[i] > 0.3 or y[(i + 1) % 2] < -0.27 else s)
    return s


@pytest.mark.parametrize("steps", [0, 1, 3, 6])
def test_scalars_of_one_block_are_stored_apart(steps):
    check(stored_beside_a_carried_scalar, (np.array([0.3]), np.array([0.4]), steps))
    check(guard_from_a_choice, (np.array([0.3, 0.5]), np.array([0.9, 0.1])))


# ---------------------------------------------------------------- products and extrema see whole operands


def product_overwrites_its_operand(x, A):
    x[:] = A @ x


def product_of_rows_of_one_matrix(A):
    s = A[0] @ A[1]
    A[0, 1] = s
    A[1, 0] = 0.5
    return s + A[0] @ A[0]


def products_in_a_loop(A, B):
    for _t in range(3):
        B[:] = A @ B
        B += A * B
        A[:] = 0.3 * (B @ A)
    return np.sum(B)


def maximum_in_a_loop(x, T):
    m = np.max(x)
    s = 0.0
    for _t in range(T):
        s += m * m
        x[:] = np.sin(x * m)
        m = np.max(x)
    return s


@pytest.mark.parametrize("n", [1, 2, 3])
def test_library_operations_see_what_they_saw(n):
    rng = np.random.default_rng(n)
    check(product_overwrites_its_operand, (rng.uniform(-1, 1, n), rng.uniform(-1, 1, (n, n))))
    check(product_of_rows_of_one_matrix, (rng.uniform(-1, 1, (n + 1, n + 1)),))
    check(products_in_a_loop, (rng.uniform(-1, 1, (n, n)), rng.uniform(-1, 1, (n, n))))
    check(maximum_in_a_loop, (rng.uniform(-1, 1, n), 3))


# ---------------------------------------------------------------- narrow domains


@pytest.mark.parametrize("n", range(7))
@pytest.mark.parametrize("name", ["loop_reads_neighbours", "slice_stencil", "slice_both_neighbours", "slice_add_shifted"])
def test_gathers_on_domains_narrower_than_the_stencil(name, n):
    case = subject(GALLERY[name].function, GALLERY[name].make(n, np.random.default_rng(n)))
    of = case.kinds[0]
    plain, gathered = (run_gradient(case, planned(case, of, case.active, passes), of, case.active) for passes in (False, True))
    assert relative_error(gathered, plain) <= 1e-14


# ---------------------------------------------------------------- integers as isl reads them


def test_symbolic_integers_mean_the_same_to_isl():
    rng = random.Random(3)
    n, i, j = map(symbol, "nij")
    space, tried = Space({"n"}), 0
    for _ in range(400):
        expression = random_integer(rng, (n, i, j), 3)
        text = space.text(expression)
        if text is None:
            continue
        tried += 1
        values = {str(name): rng.randint(-5, 5) for name in (n, i, j)}
        expected = compile_integer(expression)(values)
        point = f"n_ = {values['n']} and i_ = {values['i']} and j_ = {values['j']} and v_ = {expected}"
        assert not isl.Set(f"{space.header()}{{ [i_, j_, v_] : v_ = {text} and {point} }}").is_empty(), (expression, text, values)
    assert tried > 350


def random_integer(rng, leaves, depth):
    """A symbolic integer of the kinds that subsets and bounds hold."""
    if depth == 0:
        return rng.choice([*leaves, sympy.Integer(rng.randint(-4, 4))])
    a, b = random_integer(rng, leaves, depth - 1), random_integer(rng, leaves, depth - 1)
    forms = [
        a + b,
        a - b,
        rng.randint(-3, 3) * a,
        sympy.floor(a / rng.randint(2, 4)),
        sympy.Mod(a, rng.randint(2, 4)),
        sympy.Min(a, b),
        sympy.Max(a, b),
    ]
    return rng.choice(forms)


# ---------------------------------------------------------------- local arrays computed again


def diffusion(T, c, steps):
    for _ in range(steps):
        kappa = c * (1.0 + T)
        flux = (kappa[1:] + kappa[:-1]) * (T[1:] - T[:-1])
        T[1:-1] += 0.1 * (flux[1:] - flux[:-1])


def stages(y, total, steps):
    for _ in range(steps):
        first = y * y
        middle = y + 0.1 * first
        second = middle * middle
        total += second
        y += 0.1 * (first + second)


def gone(y, steps):
    """`z` cannot be computed again: y is overwritten before its last use."""
    for _ in range(steps):
        z = np.sin(y)
        y[:] = 0.5 * y
        y += z * z * y


def test_arrays_of_a_step_are_computed_again_from_what_is_recorded():
    n, steps = 7, 5
    arguments = (np.linspace(0.5, 1.5, n), np.linspace(1.0, 2.0, n), steps)
    assert cells(diffusion, arguments) == steps * (n - 2)
    check(diffusion, arguments)


def test_stages_of_a_step_are_computed_again_one_from_the_other():
    arguments = (np.linspace(0.5, 1.5, 6), np.zeros(6), 4)
    assert cells(stages, arguments) == 4 * 6
    check(stages, arguments)


def test_what_cannot_be_computed_again_is_stored():
    arguments = (np.linspace(0.5, 1.5, 6), 4)
    assert cells(gone, arguments) == 3 * 4 * 6
    check(gone, arguments)


# ---------------------------------------------------------------- triangles, copies, extents that are compared


def triangle(x):
    for i in range(len(x)):
        for j in range(i):
            x[j] = x[j] * x[j]


def flow(u, v, steps):
    for _ in range(steps):
        un = u.copy()
        vn = v.copy()
        b = (u[1:] - u[:-1]) ** 2 + (v[1:] - v[:-1]) ** 2
        u[1:] = un[1:] * vn[1:] + 0.1 * b
        v[1:] = vn[1:] * un[:-1] + 0.1 * b


def test_a_triangle_of_values_has_no_other_half():
    assert cells(triangle, (np.linspace(0.5, 0.9, 5),)) == 5 * 4 // 2
    check(triangle, (np.linspace(0.5, 0.9, 5),))


def test_a_copy_is_recorded_in_place_of_what_it_copies():
    n, steps = 6, 4
    arguments = (np.linspace(0.5, 1.5, n), np.linspace(1.0, 0.8, n), steps)
    assert cells(flow, arguments) == 2 * n * steps
    check(flow, arguments)


# ---------------------------------------------------------------- nothing to undo, arrays of outer Blocks, values at entry


def tapes_of(name, n):
    return tapes(GALLERY[name].function, GALLERY[name].make(n, np.random.default_rng(n)))


def test_a_mask_is_made_again_and_only_the_sums_under_it_are_kept():
    assert list(tapes_of("idle_count_under_a_mask", 5).values()) == [(3,), (3,)]


def test_values_at_entry_are_not_recorded():
    assert tapes_of("again_from_the_entry", 5) == {}
    assert tapes_of("again_not_from_the_entry", 5) == {"x_tape": (5,)}


def test_a_branch_that_holds_no_derivative_is_asked_for_what_it_overwrote_only():
    assert tapes_of("idle_branch_overwrites", 5) == {"d_tape": (3, 5), "taken_tape": (3, 5)}


# ---------------------------------------------------------------- arrays that are changed in place


def test_what_is_overwritten_under_a_mask_is_made_again():
    assert tapes_of("renewed_under_a_mask", 5) == {"x_tape": (3, 5)}
    assert tapes_of("renewed_before_a_product", 5) == {}
    assert tapes_of("renewed_by_broadcast", 5) == {}


def test_the_sides_of_a_branch_do_not_overwrite_each_other():
    assert tapes_of("renewed_by_sides", 5) == {"x_tape": (2, 5)}


def test_questions_that_are_too_hard_get_the_other_answer_and_shorten_the_next(monkeypatch):
    """Each question here goes on for ever."""
    evens = isl.Set("[n] -> { [i] : exists a : i = 2a and 0 <= i < n }")
    limits = []

    def endless():
        while not evens.subtract(evens.intersect(evens)).is_equal(evens):
            pass

    def noted(ask, otherwise, operations):
        limits.append(operations)
        return within_limit(ask, otherwise, operations)

    monkeypatch.setattr(sets, "within_limit", noted)
    patience = sets.Patience()
    for _ in range(16):
        assert patience.ask(endless, otherwise="no answer") == "no answer"
    assert limits[0] == sets.OPERATION_LIMIT
    assert limits[-1] < limits[0] / 7
    assert all(later < earlier for earlier, later in pairwise(limits))
    assert limits[-1] >= sets.LEAST_LIMIT
    assert patience.ask(evens.is_empty, otherwise=None) is False


@pytest.mark.parametrize("first", ["max((0), n_) = 2*m_", "min(n_, 3*m_) = m_", "n_ = m_"])
def test_simplified_constraints_mean_the_same(first):
    space = Space({"m", "n"})
    constraints = (first, "(n_ + -1*max((0), (-1*m_ + min(n_, 2*m_)))) = (0)", "0 <= m_")
    whole, simple = (isl.Set(f"{space.header()}{{ : {text} }}") for text in (" and ".join(constraints), space.simplified(constraints)))
    assert whole.is_equal(simple)
    assert simple.n_basic_set() == 1
