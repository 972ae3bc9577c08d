"""`check_grad`: right gradients pass, wrong ones do not, and the statement that is at fault is named."""

import linecache

import numpy as np
import pytest

import dfad
from dfad import check
from dfad.adjoint import rules
from dfad.frontend.lower import lower
from dfad.ir.algebra import multiply
from dfad.pipeline.locate import locate
from dfad.run.call import classify
from dfad.source import read_source
from tests.gallery import GALLERY

pytestmark = pytest.mark.slow


def sweeps(A, c, steps):
    for _ in range(steps):
        for i in range(1, len(A) - 1):
            A[i] = 0.5 * A[i] + 0.25 * np.sin(A[i - 1] * A[i + 1]) * c
    return np.sum(A * A)


def steps_by_value(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 1.0:
            s += 3.0 * x[i]
        else:
            s += x[i] ** 2
    return s


def clipped(x):
    y = x * x
    return np.sum(np.maximum(x, 0.3)) + np.sum(y)


def halved(x):
    n = 0.0
    while x > 1.0:
        x = 0.5 * x
        n += 1.0
    return n * x


def halved_values(x):
    return np.sum(x * x / 2.0)


def nested(x):
    y = np.cos(x)
    z = np.sin(y * x)
    return np.sum(z * y)


def line_of(function, text):
    lines = enumerate(linecache.getlines(__file__), 1)
    return next(number for number, line in lines if number > function.__code__.co_firstlineno and text in line)


def test_a_right_gradient_agrees_with_differences():
    A, c = np.random.default_rng(0).uniform(0.5, 1.5, 30), 1.3
    before = A.copy()
    check = dfad.check_grad(sweeps, A, c, 3)
    assert check
    assert [one.argument for one in check.arguments] == ["A", "c"]
    assert all(one.dot_product <= 1e-8 for one in check.arguments)
    assert all(abs(one.order - 2.0) <= 0.05 for one in check.arguments)
    assert np.array_equal(A, before)
    assert "agrees with differences" in str(check)
    assert str(check).count("right") == 2


def test_single_precision_and_arguments_updated_in_place():
    check = dfad.check_grad(GALLERY["slice_shift_up"].function, np.linspace(0.5, 1.5, 12, dtype=np.float32))
    assert check, check
    assert dfad.check_grad(sweeps, np.linspace(0.5, 1.5, 12), 0.7, 2, of="A", wrt="A")


def test_a_jump_is_told_with_its_condition():
    check = dfad.check_grad(steps_by_value, np.array([0.5, 1.0, 2.0]))
    assert not check
    (one,) = check.arguments
    assert one.where.line == line_of(steps_by_value, "if x[i] > 1.0")
    assert "decided differently" in one.where.message
    assert "WRONG, or no derivative here" in str(check)
    assert f"line {one.where.line}" in str(check)


def test_a_kink_at_which_central_differences_agree_is_told():
    check = dfad.check_grad(clipped, np.array([0.1, 0.3, 2.0]))
    (one,) = check.arguments
    assert not one.is_right
    assert one.dot_product <= 1e-6
    assert one.order < 1.2
    assert one.where.line == line_of(clipped, "np.maximum")
    assert "kink" in one.where.message


def test_a_wrong_partial_is_found_at_its_statement(monkeypatch):
    """The rule of sin is broken on purpose; the check must fail, and name the line of the sine."""
    monkeypatch.setitem(rules.BY_OPERAND, "sin", (lambda c, x: multiply(c, x[0]),))
    check = dfad.check_grad(nested, np.array([0.4, 0.9, 1.4]), cache=False)
    (one,) = check.arguments
    assert not one.is_right
    assert one.where.line == line_of(nested, "np.sin(y * x)")
    assert "by the rules" in one.where.message


def products(x):
    y = np.outer(x, x)
    y[0] = y[1] @ y
    return np.max(y) * y[0, 1]


def quotients(x):
    for i in range(1, len(x)):
        x[i] = x[i - 1] / x[i]
        x[i] = np.exp(x[i])
        x[i] = np.sqrt(x[i])
    return x[-1]


def wrong_by_operand(c, x):
    return multiply(c, x[0])


def wrong_by_result(c, x, y):
    return multiply(c, multiply(y, y))


@pytest.mark.parametrize(
    ("table", "operation", "function", "text"),
    [
        ("BY_RESULT", "exp", quotients, "np.exp(x[i])"),
        ("BY_RESULT", "sqrt", quotients, "np.sqrt(x[i])"),
        ("BY_RESULT", "div", quotients, "x[i - 1] / x[i]"),
        ("BY_OPERAND", "cos", nested, "np.cos(x)"),
        ("BY_OPERAND", "mul", products, "np.outer"),
        ("BY_OPERAND", "maximum", clipped, "np.maximum"),
    ],
)
def test_each_table_of_rules_is_held_to_differences(monkeypatch, table, operation, function, text):
    """The rule of one operation is broken on purpose, by operand or by result: the place is the statement that has it."""
    broken = {"BY_RESULT": wrong_by_result, "BY_OPERAND": wrong_by_operand}[table]
    rules_now = getattr(rules, table)
    monkeypatch.setitem(rules_now, operation, (broken,) * len(rules_now[operation]))
    x = np.array([0.4, 0.9, 1.4])
    lowered = lower(read_source(function), {"x": classify(x)})
    found = locate(lowered, {"x": x}, {"x": np.array([0.3, -0.5, 0.7])}, 2.0**-15)
    assert found.where is not None
    assert found.where.line == line_of(function, text)
    assert "by the rules" in found.reason


def test_right_rules_by_operand_and_by_result_agree_with_differences():
    x = np.array([0.4, 0.9, 1.4])
    for function in (quotients, nested, products):
        lowered = lower(read_source(function), {"x": classify(x)})
        found = locate(lowered, {"x": x}, {"x": np.array([0.3, -0.5, 0.7])}, 2.0**-15)
        assert found.where is None, found.reason


@pytest.mark.parametrize("start", [5.3, 0.7])
def test_the_path_that_ran_counts(start):
    assert dfad.check_grad(halved, start)


def test_a_change_of_the_number_of_trips_is_told():
    check = dfad.check_grad(halved, 4.0)
    assert not check
    assert check.arguments[0].where.line in range(halved.__code__.co_firstlineno, halved.__code__.co_firstlineno + 6)


def roots(x):
    y = x - 0.5
    z = np.sqrt(y)
    return np.sum(z * z * y)


def test_a_value_that_is_not_a_number_is_told():
    check = dfad.check_grad(roots, np.array([0.2, 0.7, 1.5]))
    assert not check
    (one,) = check.arguments
    assert one.where.line == line_of(roots, "np.sqrt(y)")
    assert "not finite" in one.where.message


def mixed(x, k, m, flag, c, y):
    for i in range(len(k)):
        if m[i] or flag:
            x[k[i]] = x[k[i]] * c + y[i]
    return x * y


def test_integers_flags_and_results_that_are_arrays():
    x, k, m = np.linspace(0.2, 1.3, 6), np.array([0, 1, 1, 5, -1, 2]), np.array([1, 0, 1, 1, 0, 1], bool)
    check = dfad.check_grad(mixed, x, k, m, False, 1.3, x + 1.0)
    assert check, check
    assert [one.argument for one in check.arguments] == ["x", "c", "y"]


def test_an_argument_that_there_is_not_is_told():
    with pytest.raises(dfad.KernelTypeError, match="wrt='z' is no parameter of roots"):
        dfad.check_grad(roots, np.ones(3), wrt="z")
    with pytest.raises(dfad.KernelTypeError, match="wrt=1 is no parameter of roots"):
        dfad.check_grad(roots, np.ones(3), wrt=1)
    with pytest.raises(dfad.KernelTypeError, match="k is not of floating-point type"):
        dfad.check_grad(mixed, np.ones(1), np.array([0]), np.array([True]), False, 1.0, np.ones(1), wrt="k")


def test_a_kernel_without_floats_is_refused():
    with pytest.raises(dfad.KernelTypeError, match="no floating-point argument"):
        dfad.check_grad(steps_by_value, np.array([1, 2]))


def test_sizes_beyond_the_interpreter_are_told():
    def jumps(x):
        for i in range(len(x)):
            x[i] = abs(x[i] - 1.0) + x[i]
        return np.sum(x)

    x = np.ones(300_000)
    check = dfad.check_grad(jumps, x)
    assert not check
    assert "try smaller arguments" in check.arguments[0].where.message


def test_values_that_are_not_the_functions_own_are_told(monkeypatch):
    """A compiler that took halves for thirds would have a gradient that agrees with its values."""
    made = dfad.kernel(halved_values)
    x = np.linspace(0.5, 1.5, 4)
    assert dfad.check_grad(made, x)
    assert dfad.check_grad(made, x).strayed < 1e-15
    right = check.vjp

    def wrong(*args, **options):
        value, pullback = right(*args, **options)
        return 1.5 * value, lambda w: 1.5 * pullback(w)

    monkeypatch.setattr(check, "vjp", wrong)
    found = dfad.check_grad(made, x)
    assert not found
    assert all(one.is_right for one in found.arguments)
    assert "NOT THE FUNCTION'S OWN" in str(found)


TABLE = np.zeros(3)


def written_around(x):
    TABLE[0] = 2.0 * x[0]
    return TABLE[0] * x[1]


def test_a_function_that_writes_to_globals_is_not_run_by_itself():
    found = dfad.check_grad(written_around, np.array([1.0, 2.0]))
    assert found
    assert found.strayed is None
    np.testing.assert_array_equal(TABLE, 0.0)


def grows(x):
    for _ in range(12):
        x = x * x
    return np.sum(x)


def test_a_value_beyond_the_range_has_no_derivative():
    with np.errstate(all="ignore"):
        found = dfad.check_grad(grows, np.array([1.0, 1e3]))
    assert not found
    assert found.arguments[0].dot_product == np.inf
