"""Types: every operation on every pair of element types gives NumPy 2's type and value, or is refused where dfad has not that type."""

import itertools

import numpy as np
import pytest

from dfad.errors import KernelTypeError
from tests.gallery.refused import define
from tests.test_values import interpreted

DTYPES = ("float64", "float32", "int64", "int32", "bool")

PAIRS = (
    "a + b", "a - b", "a * b", "a / b", "a // b", "a % b", "np.maximum(a, b)", "a < b", "a == b", "np.where(a > b, a, b)", "a @ b",
    "a[0] + b[0]", "a[0] / b[1]", "a[1] < b[1]", "np.logical_and(a, b)", "np.outer(a, b)", "np.hypot(a, b)", "np.zeros_like(a) + b",
    "np.concatenate((a, b))",
)  # fmt: skip

SINGLES = (
    "a + 2", "a * 2.5", "2 - a", "a / 2", "a // 2", "a % 3", "a ** 2", "a ** 0.5", "-a", "abs(a)", "np.sqrt(np.abs(a))", "np.exp(a)",
    "np.floor(a)", "np.sign(a)", "np.rint(a)", "np.sum(a)", "np.mean(a)", "np.prod(a)", "np.max(a)", "np.var(a)", "np.cumsum(a)",
    "np.argmax(a)", "np.clip(a, 0, 1)", "a[0] * 2.5", "a[0] // 2", "a[0] % 3", "a[0] ** 2", "float(a[0])", "int(a[0])", "abs(a[0])",
    "-a[0]", "a.astype(np.float32)", "np.all(a)", "a > 1", "1.0 / (a + 10)", "np.isnan(a)", "np.float32(a[0]) * 2", "a[a > 0].sum()",
    "a[0] or 1", "a * np.sqrt(2.0)", "a * np.exp(2)", "a + np.abs(3)", "a * np.maximum(2, 3)", "a * np.clip(2.5, 0, 1)",
    "a + np.floor(2.5)", "a * np.where(a[0] > 0, 1.5, 2.5)", "a * np.square(3)", "a * np.size(a)", "a * len(a)",
    "a * abs(-3)", "a * float(np.sqrt(2.0))",
)  # fmt: skip

WIDENED = {
    # expression: what dfad computes in a wider type than NumPy, whose int8 and float16 it has not, or Python, which keeps an operand's type
    "a ** 2": {"bool"}, "np.sqrt(np.abs(a))": {"bool"}, "np.exp(a)": {"bool"}, "np.rint(a)": {"bool"}, "np.hypot(a, b)": {"bool bool"},
    "a[0] or 1": {"bool", "float64", "float32", "int32", "int64"},
}  # fmt: skip


def data(dtype, rng):
    if dtype == "bool":
        return rng.integers(0, 2, 5).astype(bool)
    return rng.integers(-4, 5, 5).astype(dtype) if dtype.startswith("i") else rng.uniform(-2, 2, 5).astype(dtype)


def check(expression, arguments, is_widened):
    """NumPy's value and type, or a refusal where NumPy has none or one that dfad has not."""
    function = define(f"def f({', '.join('ab'[: len(arguments)])}):\n    return {expression}\n", f"types of {expression}")
    with np.errstate(all="ignore"):
        try:
            expected = np.asarray(function(*arguments))
        except TypeError:
            expected = None
        try:
            actual = np.asarray(interpreted(function, tuple(argument.copy() for argument in arguments)))
        except KernelTypeError:
            assert expected is None or expected.dtype.name not in DTYPES
            return
    assert expected is not None
    assert is_widened or actual.dtype == expected.dtype
    np.testing.assert_allclose(actual.astype(float), expected.astype(float), rtol=1e-3 if is_widened else 1e-6)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("expression", PAIRS)
def test_types_of_pairs(expression):
    rng = np.random.default_rng(0)
    for first, second in itertools.product(DTYPES, DTYPES):
        check(expression, (data(first, rng), data(second, rng)), f"{first} {second}" in WIDENED.get(expression, ()))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("expression", SINGLES)
def test_types_of_one_array(expression):
    rng = np.random.default_rng(0)
    for dtype in DTYPES:
        check(expression, (data(dtype, rng),), dtype in WIDENED.get(expression, ()))
