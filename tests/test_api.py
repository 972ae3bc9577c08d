"""What a user can do with kernels, gradients and pullbacks, and ask of them."""

import copy
import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest

import dfad

pytestmark = pytest.mark.slow
WEIGHT = 0.5


@dfad.kernel
def march(A, c, steps=3):
    """Mix neighbours, in place."""
    for _ in range(steps):
        for i in range(1, A.shape[0]):
            A[i] = A[i] * A[i - 1] * c + WEIGHT * A[i]


def energy(x, y, scale, power=2):
    s = 0.0
    for i in range(x.shape[0]):
        s += scale * x[i] * x[i] * y[i] ** power
    return s


def both(A, B):
    for i in range(A.shape[0]):
        A[i] = A[i] * B[i]
        B[i] = 3.0 * B[i]


def split(x):
    s = 0.0
    y = np.zeros(x.shape[0] - 1)
    for i in range(x.shape[0] - 1):
        y[i] = x[i] * x[i + 1]
        s += x[i] ** 2
    return s, y


X, Y = np.array([1.0, 2.0, -3.0]), np.array([2.0, -1.0, 0.5])


def gradients(scale=2.0):
    return 2 * scale * X * Y**2, 2 * scale * X**2 * Y, np.float64(np.sum(X**2 * Y**2))


# ---------------------------------------------------------------- kernels


def test_a_kernel_looks_like_its_function():
    assert march.__name__ == "march"
    assert march.__doc__ == "Mix neighbours, in place."
    assert march.__module__ == __name__
    assert str(inspect.signature(march)) == "(A, c, steps=3)"
    assert inspect.unwrap(march) is march.__wrapped__
    assert "def march" in inspect.getsource(march)
    assert repr(march) == "<dfad kernel march(A, c, steps=3)>"
    assert repr(dfad.grad(march)) == "<dfad grad of march(A, c, steps=3)>"


def test_the_decorator_takes_options_or_none():
    plain = dfad.kernel(energy)
    assert dfad.kernel()(energy).options == plain.options
    assert dfad.kernel(wrt="y")(energy).options.wrt == "y"
    assert dfad.kernel(dfad.kernel(energy, wrt="y"), fastmath=True).options.wrt == "y"
    with pytest.raises(dfad.KernelTypeError, match="color is not an option"):
        dfad.kernel(energy, color="red")


def test_refused_syntax_is_told_at_the_definition():
    def wrong(A):
        with open("file") as file:
            A[0] = 1.0
        yield file

    with pytest.raises(dfad.UnsupportedSyntax) as caught:
        dfad.kernel(wrong)
    assert len(caught.value.problems) >= 2
    assert caught.value.problems[0].text.strip() == 'with open("file") as file:'


def test_arguments_by_keyword_take_the_quick_way_and_bind_as_in_python(monkeypatch):
    def scaled(a, b, c=2.0, d=3.0):
        return np.sum(a) * b + 10.0 * c + 100.0 * d

    kernel, gradient, x = dfad.kernel(scaled), dfad.grad(scaled), np.ones(3)
    assert (kernel(x, 1.0), gradient(x, 1.0).tolist()) == (323.0, [1.0] * 3)
    for caller in (kernel._primal, gradient.caller):
        monkeypatch.setattr(caller, "call_carefully", lambda args, kwargs: pytest.fail("the launcher knows these types"))
    assert kernel(b=2.0, a=x) == kernel(x, b=2.0) == 326.0
    assert kernel(x, 1.0, d=4.0, c=0.0) == 403.0
    assert gradient(b=3.0, a=x).tolist() == [3.0] * 3
    monkeypatch.undo()
    assert kernel(x, 1.0, d=1.0) == 123.0
    for args, kwargs in (((x, 1.0), {"a": x}), ((x, 1.0, 2.0, 3.0), {"c": 1.0}), ((x,), {"c": 1.0}), ((x, 1.0), {"e": 1.0})):
        with pytest.raises(dfad.KernelTypeError):
            kernel(*args, **kwargs)


def test_a_kernel_calls_another():
    @dfad.kernel
    def outer(x, y):
        return energy_kernel(x, y, 2.0) * 3.0

    assert outer(X, Y) == pytest.approx(3.0 * energy(X, Y, 2.0), rel=1e-15)


energy_kernel = dfad.kernel(energy)


# ---------------------------------------------------------------- gradients


def test_the_default_is_the_first_floating_point_array():
    assert np.allclose(dfad.grad(energy)(X, Y, 2.0), gradients()[0], rtol=1e-14, atol=0)

    def scalar(n, a, b):
        s = a
        for _ in range(n):
            s = s * b
        return s

    assert dfad.grad(scalar)(3, 2.0, 5.0) == 125.0


@pytest.mark.parametrize(("wrt", "chosen"), [("y", 1), (1, 1), (-2, 2), (("scale", 0), (2, 0)), (["x"], (0,))])
def test_wrt_is_a_name_a_position_or_a_sequence(wrt, chosen):
    found, expected = dfad.grad(energy, wrt=wrt)(X, Y, 2.0), gradients()
    if isinstance(chosen, tuple):
        assert isinstance(found, tuple)
        assert len(found) == len(chosen)
        for one, number in zip(found, chosen, strict=True):
            assert np.allclose(one, expected[number], rtol=1e-14, atol=0)
    else:
        assert np.allclose(found, expected[chosen], rtol=1e-14, atol=0)


def test_value_and_gradient_come_together_and_repeat_by_bits():
    both_at_once = dfad.value_and_grad(energy, wrt=("x", "scale"))
    value, (x_bar, scale_bar) = both_at_once(X, Y, 2.0)
    assert value == energy(X, Y, 2.0)
    again = both_at_once(X, Y, 2.0)
    assert again[0] == value
    assert np.array_equal(again[1][0], x_bar)
    assert again[1][1] == scale_bar
    other = both_at_once(X[:2], Y[:2], 3.0)
    assert np.allclose(other[1][0], gradients(3.0)[0][:2], rtol=1e-14, atol=0)


def test_a_gradient_changes_nothing_of_the_callers():
    def updated(A):
        for i in range(1, A.shape[0]):
            A[i] = A[i] * A[i - 1]
        return A[A.shape[0] - 1]

    A = np.array([2.0, 3.0, 5.0])
    A.flags.writeable = False
    assert np.array_equal(dfad.grad(updated)(A), [15.0, 10.0, 6.0])
    assert np.array_equal(A, [2.0, 3.0, 5.0])


def test_options_of_the_transform_add_to_those_of_the_kernel():
    weighted = dfad.kernel(energy, wrt="y")
    assert np.allclose(weighted.grad(X, Y, 2.0), gradients()[1], rtol=1e-14, atol=0)
    assert np.allclose(dfad.grad(weighted, wrt="scale")(X, Y, 2.0), gradients()[2], rtol=1e-14, atol=0)
    assert dfad.grad(weighted, fastmath=True)._options.wrt == "y"


# ---------------------------------------------------------------- vjp


def numpy_march(A, c, steps=3):
    B = A.copy()
    march.__wrapped__(B, c, steps)
    return B


def test_a_pullback_owns_what_it_reads():
    A, w = np.array([0.5, -1.0, 2.0, 1.5]), np.array([1.0, -2.0, 0.5, 3.0])
    out, pullback = dfad.vjp(march, A, 0.7)
    assert np.array_equal(out, numpy_march(A, 0.7))
    assert np.array_equal(A, [0.5, -1.0, 2.0, 1.5])
    first = pullback(w)
    start, h = A.copy(), 1e-6
    A[:], out[:] = 0.0, 0.0
    for _ in range(2):
        assert np.array_equal(pullback(w), first)
    d = np.array([1.0, 0.3, -0.7, 0.2])
    difference = (w @ numpy_march(start + h * d, 0.7) - w @ numpy_march(start - h * d, 0.7)) / (2 * h)
    assert first @ d == pytest.approx(difference, rel=1e-8)
    assert np.array_equal(pullback(2.0 * w), 2.0 * first)
    assert pullback.memory["peak"] >= pullback.memory["tape"] > 0


def test_of_names_arguments_in_the_order_of_the_cotangents():
    A, B = np.array([2.0, 3.0]), np.array([5.0, 7.0])
    outs, pullback = dfad.vjp(both, A, B, of=("B", "A"), wrt=("A", "B"))
    assert np.array_equal(outs, ([15.0, 21.0], [10.0, 21.0]))
    one, zero = np.ones(2), np.zeros(2)
    assert np.array_equal(pullback((zero, one)), ([5.0, 7.0], [2.0, 3.0]))
    assert np.array_equal(pullback((one, zero)), ([0.0, 0.0], [3.0, 3.0]))
    out, pullback = dfad.vjp(both, A, B, of="A")
    assert np.array_equal(out, [10.0, 21.0])
    assert np.array_equal(pullback(one), [5.0, 7.0])
    outs, _ = dfad.vjp(both, A, B)
    assert np.array_equal(outs, ([10.0, 21.0], [15.0, 21.0]))


def test_results_are_what_a_vjp_is_of_where_there_are_some():
    x = np.array([1.0, 2.0, 4.0])
    (s, y), pullback = dfad.vjp(split, x)
    assert (s, y.tolist()) == (5.0, [2.0, 8.0])
    assert np.array_equal(pullback((1.0, np.zeros(2))), [2.0, 4.0, 0.0])
    assert np.array_equal(pullback((0.0, np.array([1.0, 10.0]))), [2.0, 41.0, 20.0])
    value, pullback = dfad.vjp(energy, X, Y, 2.0, wrt="scale")
    assert value == energy(X, Y, 2.0)
    assert pullback(3.0) == 3.0 * gradients()[2]


def test_a_cotangent_that_does_not_fit_is_refused():
    _, pullback = dfad.vjp(march, np.ones(3), 0.5)
    for cotangent in (np.ones(4), np.ones((3, 1)), 1.0, np.ones(3) * 1j, (np.ones(3), np.ones(3))):
        with pytest.raises(dfad.KernelTypeError, match="cotangent"):
            pullback(cotangent)
    _, pullback = dfad.vjp(split, np.ones(3))
    with pytest.raises(dfad.KernelTypeError, match="is a tuple of 2, one array or number for each output"):
        pullback(1.0)


def test_a_vjp_of_nothing_is_refused():
    def silent(x):
        y = x[0]
        y = y + 1.0

    with pytest.raises(dfad.KernelTypeError, match="no result and no argument"):
        dfad.vjp(silent, np.ones(3))
    with pytest.raises(dfad.KernelTypeError) as caught:
        dfad.vjp(march, np.ones(3), 0.5, of="steps")
    assert "updates in place: A" in caught.value.hint


# ---------------------------------------------------------------- asking


def test_before_the_first_call_only_for_args_answers():
    fresh = dfad.kernel(energy)
    with pytest.raises(dfad.KernelTypeError, match="not been called yet"):
        fresh.source("ir")
    with pytest.raises(dfad.KernelTypeError, match="no form 'fortran'"):
        fresh.source("fortran")
    assert "energy" in fresh.for_args(X, Y, 2.0).source("ir")


def test_every_stage_has_a_text():
    fresh = dfad.kernel(energy)
    fresh(X, Y, 2.0)
    assert fresh.source("python").startswith("def energy(x, y, scale, power=2):")
    assert "s += " in fresh.source("ir")
    assert "cdef int64_t kernel(" in fresh.source("cython")
    assert "generated_kernel" in fresh.source("c")
    assert "x_bar" not in fresh.source("cython")
    assert "x_bar" in fresh.source("adjoint")
    fresh.grad(X, Y, 2.0)
    assert "x_bar" in fresh.source("cython")
    assert fresh.for_args(X, Y, 2.0).source("cython") != fresh.source("cython")
    assert "y_bar" in dfad.grad(fresh, wrt="y").for_args(X, Y, 2.0).source("adjoint")


def test_timings_name_every_step():
    fresh = dfad.kernel(energy, fastmath=True, cache=False)
    fresh.grad(X, Y, 2.0, power=3)
    steps = ("parse", "lower", "analyse", "adjoint", "plan", "optimise", "emit", "cython", "compiler", "load")
    assert tuple(fresh.timings)[:10] == steps
    assert fresh.timings["total"] == pytest.approx(sum(fresh.timings[step] for step in steps), rel=1e-12)
    assert fresh.timings["cache"] == "built"


def test_memory_counts_every_byte_once():
    fresh = dfad.kernel(march.__wrapped__)
    fresh(np.ones(5), 0.5)
    assert set(fresh.memory) == {"tape", "snapshots", "temporaries", "copies", "adjoints", "results", "peak"}
    assert fresh.memory["peak"] == 0
    gradient = dfad.grad(energy)
    gradient(X, Y, 2.0)
    assert gradient.memory["results"] == X.nbytes
    gradient(np.repeat(X, 2)[::2], Y, 2.0)
    assert gradient.memory["copies"] == X.nbytes
    assert gradient.memory["peak"] >= 2 * X.nbytes


def test_the_dataflow_graph_is_plain_data():
    fresh = dfad.kernel(energy)
    fresh(X, Y, 2.0)
    graph = fresh.dataflow()
    assert set(graph) >= {"nodes", "edges"}
    assert graph["nodes"]


# ---------------------------------------------------------------- travelling


def test_a_kernel_of_a_module_pickles_by_name():
    sys.modules.setdefault(__name__, sys.modules[march.__module__])
    assert pickle.loads(pickle.dumps(march)) is march
    assert copy.deepcopy(march).__wrapped__ is march.__wrapped__


def test_a_kernel_from_inside_a_function_pickles_by_its_text():
    factor, table = 3.0, np.array([1.0, 10.0])

    def square(x):
        return x * x

    @dfad.kernel(fastmath=True)
    def inner(x, n=2):
        s = 0.0
        for i in range(n):
            s += factor * square(x[i]) * table[i] + np.sin(0.0)
        return s

    found = pickle.loads(pickle.dumps(inner))
    assert found is not inner
    assert found.options.fastmath
    x = np.array([1.0, 2.0])
    assert found(x) == inner(x) == 123.0
    assert np.array_equal(found.grad(x), [6.0, 120.0])
    gradient = pickle.loads(pickle.dumps(dfad.grad(inner, wrt="x")))
    assert np.array_equal(gradient(x), [6.0, 120.0])


def test_another_process_runs_a_pickled_kernel(tmp_path):
    scope = {"rate": 2.0}
    text = "def decay(x):\n    return rate * x[0] ** 2\n"
    import linecache

    linecache.cache["<decay>"] = (len(text), None, text.splitlines(keepends=True), "<decay>")
    exec(compile(text, "<decay>", "exec"), scope)
    (tmp_path / "kernel").write_bytes(pickle.dumps(dfad.kernel(scope["decay"])))
    program = f"import pickle, numpy; print(pickle.load(open({str(tmp_path / 'kernel')!r}, 'rb')).grad(numpy.array([3.0]))[0])"
    found = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "12.0"


# ---------------------------------------------------------------- budgets


def chain(x):
    a = np.sin(x)
    b = np.exp(a) * np.sum(a)
    c = np.cos(b) * np.sum(b)
    return np.sum(np.sin(c) * c)


def test_every_budget_of_the_tradeoff_gives_the_same_gradient_within_it():
    x = np.linspace(-0.1, 0.1, 1000)
    gradient = dfad.grad(chain)
    expected = gradient(x)
    plans = gradient.tradeoff(x)
    assert len(plans) > 1
    for plan in plans:
        budgeted = dfad.grad(chain, memory=plan.budget)
        for _ in range(2):
            assert np.allclose(budgeted(x), expected, rtol=0, atol=1e-13 * np.max(np.abs(expected)))
            assert budgeted.memory["peak"] <= plan.budget
        assert budgeted.plan(x).peak == budgeted.memory["peak"]


def test_other_sizes_are_planned_anew():
    x = np.linspace(-0.1, 0.1, 1000)
    budgeted = dfad.grad(chain, memory=dfad.grad(chain).plan(x).least)
    free = dfad.grad(chain)
    for n in (1000, 500, 1000, 2):
        assert np.allclose(budgeted(x[:n]), free(x[:n]), rtol=1e-12, atol=0)
        assert budgeted.memory["peak"] <= budgeted._options.budget
    with pytest.raises(dfad.BudgetTooSmall):
        budgeted(np.linspace(-0.1, 0.1, 1001))


def test_a_budget_below_the_least_names_it():
    x = np.linspace(-0.1, 0.1, 1000)
    least = dfad.grad(chain).plan(x).least
    with pytest.raises(dfad.BudgetTooSmall) as caught:
        dfad.kernel(chain, memory=least - 1).grad(x)
    assert caught.value.least == least


def test_versions_name_the_compiler_and_the_cache(capsys):
    dfad.show_versions()
    shown = capsys.readouterr().out
    for name in ("dfad", "numpy", "sympy", "compiler", "flags", "processor", "cache"):
        assert any(line.startswith(name) for line in shown.splitlines())


# ---------------------------------------------------------------- hidden arguments

BOARD = np.zeros(3)
RATE = 2.0


def helper(x, power=2, doubled=False):
    return 2.0 * x**power if doubled else x**power


@dfad.kernel
def add_to_board(A):
    for i in range(A.shape[0]):
        BOARD[i] += RATE * A[i]


def test_a_global_array_is_updated_in_place_and_watched_for_overlap():
    BOARD[:] = 1.0
    add_to_board(np.arange(3.0))
    assert np.array_equal(BOARD, [1.0, 3.0, 5.0])
    with pytest.raises(dfad.KernelTypeError, match="A and BOARD overlap"):
        add_to_board(BOARD)
    out, pullback = dfad.vjp(add_to_board, np.ones(3), of="BOARD")
    assert np.array_equal(out, [3.0, 5.0, 7.0])
    assert np.array_equal(pullback(np.arange(3.0)), [0.0, 2.0, 4.0])
    assert np.array_equal(BOARD, [1.0, 3.0, 5.0])


def test_closures_and_defaults_of_helpers_are_read():
    scale, table = 2.0, np.ones(2)

    def raised(x):
        return helper(x) + helper(x, doubled=True) + helper(x, 1) * scale * table[0]

    kernel = dfad.kernel(raised)
    assert kernel(3.0) == raised(3.0) == 33.0
    scale, table = 1.0, np.full(2, 5.0)
    assert kernel(3.0) == raised(3.0) == 42.0
    assert len(kernel._primal.specialisations) == 1
    assert dfad.grad(raised)(3.0) == 23.0


def test_names_of_different_functions_are_told_apart():
    def make(factor):
        def inner(x):
            return factor * x

        def change(value):
            nonlocal factor
            factor = value

        return inner, change

    shared = 2.5
    first, change_first = make(shared)
    second, change_second = make(shared)
    kernel = dfad.kernel(lambda_free(first, second))
    assert kernel(1.0) == 252.5
    change_second(1.0)
    assert kernel(1.0) == 102.5
    change_first(1.0)
    assert kernel(1.0) == 101.0


def lambda_free(first, second):
    def outer(x):
        return first(x) + 100.0 * second(x)

    return outer


def test_flags_and_texts_are_compiled_in():
    def mode(x, squared=False, sign="plus"):
        if squared:
            x = x * x
        return -x if sign == "minus" else x

    kernel = dfad.kernel(mode)
    assert [kernel(3.0), kernel(3.0, True), kernel(3.0, np.True_, "minus"), kernel(3.0, sign="minus")] == [3.0, 9.0, -9.0, -3.0]


def test_what_a_kernel_returns_is_what_python_would_return():
    def several(A, B):
        A[0] = 1.0
        return A, B[0], 3, B[0] > 1.0, B * 2.0

    kernel = dfad.kernel(several)
    A, B = np.zeros(4)[::2], np.array([4.0, 5.0])
    found = kernel(A, B)
    assert found[0] is A
    assert found[1:4] == (4.0, 3, True)
    assert [type(one) for one in found[1:4]] == [float, int, bool]
    assert np.array_equal(found[4], [8.0, 10.0])
    assert A[0] == 1.0
