"""What a call tells that does not fit: the text, the place and what to write instead."""

import numpy as np
import pytest

import dfad
from dfad import KernelTypeError


@dfad.kernel
def smooth(A, steps):
    """Average neighbours, in place."""
    for _t in range(steps):
        for i in range(1, A.shape[0] - 1):
            for j in range(1, A.shape[1] - 1):
                A[i, j] = (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]) / 4.0
    return np.sum(A)


GRID = np.ones((4, 4))


@pytest.mark.parametrize("option", ["wrt", "memory", "tape_dtype", "snapshots", "threads", "fastmath", "cache"])
@pytest.mark.parametrize("call", [smooth, smooth.grad, smooth.value_and_grad, dfad.grad(smooth)])
def test_an_option_in_a_call_is_sent_to_the_transform(call, option):
    with pytest.raises(KernelTypeError) as caught:
        call(GRID, 2, **{option: "A"})
    assert str(caught.value).splitlines() == [
        f"smooth(A, steps): got an unexpected keyword argument '{option}'",
        f"  hint: options go to the transform: dfad.grad(smooth, {option}=...)",
    ]


@pytest.mark.parametrize(
    ("keyword", "hint"), [("step", "did you mean steps?"), ("tolerance", "its parameters are A, steps")]
)
def test_an_unknown_keyword_is_named_before_the_parameter_that_is_missing(keyword, hint):
    with pytest.raises(KernelTypeError) as caught:
        smooth.grad(GRID, **{keyword: 3})
    assert caught.value.message == f"smooth(A, steps): got an unexpected keyword argument '{keyword}'"
    assert caught.value.hint == hint


def test_a_missing_argument_is_named():
    with pytest.raises(KernelTypeError, match=r"^smooth\(A, steps\): missing a required argument: 'steps'$"):
        smooth.grad(GRID)


# ---------------------------------------------------------------- types


def product(x, y, n=3):
    s = 0.0
    for i in range(n):
        s += x[i] * np.sum(x + y)
    return s


def assert_at(error, underlined):
    assert error.filename == __file__
    assert error.text[error.column : error.end_column].strip() == underlined


@pytest.mark.parametrize(
    ("first", "hint"),
    [
        (np.ones((4, 4), dtype=int), "pass A.astype(float)"),
        ("grid.txt", "pass an array of float64 or float32, or a float"),
        (None, "pass an array of float64 or float32, or a float"),
    ],
)
def test_without_a_floating_point_argument_the_hint_says_what_to_pass(first, hint):
    with pytest.raises(KernelTypeError) as caught:
        smooth.grad(first, 2)
    assert (caught.value.message, caught.value.hint) == ("no argument of smooth is of floating-point type", hint)
    assert_at(caught.value, "def smooth(A, steps):")


@pytest.mark.parametrize(("wrt", "hint"), [("steps", "pass float(steps)"), ("A", "pass A.astype(float)")])
def test_wrt_of_integers_says_what_to_pass(wrt, hint):
    with pytest.raises(KernelTypeError) as caught:
        dfad.grad(smooth, wrt=wrt)(np.ones((4, 4), dtype=int), 2)
    assert caught.value.hint == hint
    assert_at(caught.value, wrt)


def test_a_complex_array_is_not_sent_to_a_conversion_that_loses_half_of_it():
    with pytest.raises(KernelTypeError) as caught:
        smooth(GRID * 1j, 2)
    assert caught.value.message == "argument A is an array of complex128"
    assert caught.value.hint == "complex numbers are not supported yet: pass A.real and A.imag"
    assert_at(caught.value, "A")


# ---------------------------------------------------------------- shapes and indices


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.ones(3), np.ones(4)), "the shapes do not fit in x + y: extents 3 and 4"),
        ((np.ones(3), np.ones(3), 5), "index 3 is out of bounds for axis 0 of x, which has extent 3"),
    ],
)
def test_a_check_names_the_operation_or_the_array_and_its_axis(arguments, message):
    with pytest.raises(dfad.KernelIndexError) as caught:
        dfad.kernel(product)(*arguments)
    assert caught.value.message == message
    assert_at(caught.value, "s += x[i] * np.sum(x + y)")


@pytest.mark.slow
def test_a_histogram_wants_a_weight_for_each_number():
    def weighed(x, w):
        return np.histogram(x, 3, weights=w)[0]

    with pytest.raises(dfad.KernelIndexError) as caught:
        dfad.kernel(weighed)(np.arange(4.0), np.ones(3))
    assert caught.value.message == "np.histogram of 4 numbers with 3 weights"
    assert_at(caught.value, "return np.histogram(x, 3, weights=w)[0]")


def test_a_number_that_is_a_truth_value_bounds_a_range():
    def once(x):
        for _i in range(True):
            x[0] = 2.0

    x = np.zeros(2)
    dfad.kernel(once)(x)
    assert x[0] == 2.0


# ---------------------------------------------------------------- what plans and kernels tell


def texture(z):
    a = np.tanh(z[:, 1:] - z[:, :-1])
    b = np.exp(a[1:, :] * a[:-1, :])
    return np.sum(b * b)


def test_a_plan_is_shown_as_a_table():
    z = np.ones((30, 40))
    plan = dfad.kernel(texture).plan(z)
    first = texture.__code__.co_firstlineno
    lines = repr(plan).splitlines()
    assert lines[0] == f"plan within any budget: {plan.seconds:.3g} s predicted"
    assert lines[1].startswith(f"peak {plan.peak} bytes (")
    assert lines[2] == f"least budget {plan.least} bytes, practical from {plan.practical} bytes on"
    assert lines[3].split() == ["value", "bytes", "decision", "seconds", "line", "why"]
    assert lines[4].split()[:5] == ["a", "9360", "kept", "0", str(first + 1)]
    assert "the gradient of line" in lines[4]


def test_a_plan_without_a_record_says_so():
    plan = smooth.plan(GRID, 2)
    assert str(plan).endswith("nothing is recorded: all that the reverse sweep reads is still in place, or computed again")


def test_a_tradeoff_is_shown_as_a_table():
    plans = dfad.kernel(texture).tradeoff(np.ones((30, 40)))
    lines = repr(plans).splitlines()
    assert lines[0].split("  ")[0] == "budget (bytes)"
    assert [int(line.split()[0]) for line in lines[1:]] == [plan.budget for plan in plans]
    assert len(plans) > 1
    assert lines[-1].split()[-1] == "a" or "a, b" in lines[-1]


@pytest.mark.slow
def test_what_was_compiled_is_told_with_its_types():
    lines = repr(dfad.grad(smooth).for_args(np.ones((4, 1)), 2)).splitlines()
    assert lines[0] == "grad of smooth, compiled for A: float64[:, 1], steps: int"
    assert lines[1].startswith("code: ")
    assert lines[2] == "ask .source(form), .timings, .memory, .dataflow()"


def test_help_begins_with_what_to_type():
    assert dfad.__doc__.index("smooth.grad(A, 20)") < dfad.__doc__.index("The house")
    for name in (".grad", ".plan", ".memory", ".source"):
        assert name in type(smooth).__doc__


@pytest.mark.slow
def test_a_kernel_tells_which_transform_it_ran_last():
    fresh = dfad.kernel(smooth)
    fresh.grad(GRID, 2)
    assert fresh.transform == "grad"
    fresh(GRID.copy(), 2)
    assert fresh.transform == "primal"
