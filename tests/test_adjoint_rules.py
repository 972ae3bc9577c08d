"""Partial derivatives of adjoint/rules.py, by operand and by result, against the complex step; conventions at ties and edges."""

import math

import numpy as np
import pytest

from dfad.adjoint.rules import BY_OPERAND, BY_RESULT
from dfad.frontend.lower import lower
from dfad.ir.operations import OPERATIONS, TOLD_BY_RESULT
from dfad.ir.walk import expressions, walk, walk_expression
from dfad.run.call import classify
from dfad.source import read_source
from tests.adjoint_paths import interpreted_gradients, reference_gradients, subject
from tests.generated.writer import compiled
from tests.references import relative_error

TOLERANCE = 1e-13

# operation -> how a kernel writes it, and points of its domain away from kinks
UNARY = {
    "neg": ("-a", (0.7, -1.3)),
    "abs": ("np.abs(a)", (0.7, -1.3)),
    "sign": ("np.sign(a)", (0.7, -1.3)),
    "floor": ("np.floor(a)", (0.7, -1.3)),
    "ceil": ("np.ceil(a)", (0.7, -1.3)),
    "rint": ("np.rint(a)", (0.7, -1.3)),
    "trunc": ("np.trunc(a)", (0.7, -1.3)),
    "sqrt": ("np.sqrt(a)", (0.7, 1e-12, 1e12)),
    "cbrt": ("np.cbrt(a)", (0.7, 1e-9, 27.0)),
    "exp": ("np.exp(a)", (0.7, -1.3, -30.0)),
    "exp2": ("np.exp2(a)", (0.7, -1.3, -30.0)),
    "expm1": ("np.expm1(a)", (0.7, -1.3, 1e-9)),
    "log": ("np.log(a)", (0.7, 1e-12, 3.0)),
    "log1p": ("np.log1p(a)", (0.7, 1e-12, -0.6)),
    "log2": ("np.log2(a)", (0.7, 9.0)),
    "log10": ("np.log10(a)", (0.7, 9.0)),
    "sin": ("np.sin(a)", (0.7, -1.3, 20.0)),
    "cos": ("np.cos(a)", (0.7, -1.3, 20.0)),
    "tan": ("np.tan(a)", (0.7, -1.3, 1.5)),
    "arcsin": ("np.arcsin(a)", (0.7, -0.3, 0.999)),
    "arccos": ("np.arccos(a)", (0.7, -0.3, -0.999)),
    "arctan": ("np.arctan(a)", (0.7, -1.3, 40.0)),
    "sinh": ("np.sinh(a)", (0.7, -1.3)),
    "cosh": ("np.cosh(a)", (0.7, -1.3)),
    "tanh": ("np.tanh(a)", (0.7, -1.3, 8.0, -17.0)),
    "arcsinh": ("np.arcsinh(a)", (0.7, -1.3, 40.0)),
    "arccosh": ("np.arccosh(a)", (1.7, 1.0001, 40.0)),
    "arctanh": ("np.arctanh(a)", (0.7, -0.3, 0.999)),
    "erf": ("math.erf(a)", (0.7, -1.3, 5.0)),
    "erfc": ("math.erfc(a)", (0.7, -1.3, 5.0)),
    "gamma": ("math.gamma(a)", (0.7, -1.3, 5.0, 11.5)),
    "lgamma": ("math.lgamma(a)", (0.7, -1.3, 5.0, 1e-9, 200.0)),
}
BINARY = {
    "add": ("a + b", ((0.7, -1.3),)),
    "sub": ("a - b", ((0.7, -1.3),)),
    "mul": ("a * b", ((0.7, -1.3), (0.0, 2.0))),
    "div": ("a / b", ((0.7, -1.3), (0.0, 2.0))),
    "mod": ("a % b", ((7.3, 2.0), (-7.3, 2.0), (7.3, -2.0))),
    "floordiv": ("a // b", ((7.3, 2.0), (-7.3, 2.0))),
    "pow": ("a ** b", ((0.7, -1.3), (2.0, 3.0), (0.3, 0.5))),
    "arctan2": ("np.arctan2(a, b)", ((0.7, -1.3), (-0.2, 0.4))),
    "hypot": ("np.hypot(a, b)", ((0.7, -1.3), (3.0, 4.0))),
    "fmod": ("math.fmod(a, b)", ((7.3, 2.0), (-7.3, 2.0), (7.3, -2.0), (1.0, 0.1))),
    "copysign": ("np.copysign(a, b)", ((0.7, -1.3), (-0.7, -1.3), (-0.7, 1.3), (0.7, -0.0))),
    "nextafter": ("math.nextafter(a, b)", ((0.7, -1.3),)),
    "maximum": ("np.maximum(a, b)", ((0.7, -1.3), (-1.3, 0.7))),
    "minimum": ("np.minimum(a, b)", ((0.7, -1.3), (-1.3, 0.7))),
    "python_max": ("max(a, b)", ((0.7, -1.3), (-1.3, 0.7))),
    "python_min": ("min(a, b)", ((0.7, -1.3), (-1.3, 0.7))),
}
WRITTEN = {**UNARY, **BINARY}


def points(operation):
    """The points as pairs; a unary operation is tried with an idle second argument."""
    return [point if isinstance(point, tuple) else (point, 0.5) for point in WRITTEN[operation][1]]


def kernel(text):
    """The kernel that returns the expression: the outermost operation of its statement, so that partials by result are used."""
    return compiled(f"def kernel(a, b):\n    y = {text}\n    return y\n")


def inner_kernel(text):
    """The same inside another operation, which takes partials by operand."""
    return compiled(f"def kernel(a, b):\n    y = 2.0 * ({text}) + 0.0\n    return y\n")


def test_every_operation_with_a_float_result_has_its_partials():
    differentiable = {name for name, operation in OPERATIONS.items() if operation.kind == "arithmetic"}
    differentiable -= {"digamma"}  # stands in the partials of others only
    assert BY_OPERAND.keys() == differentiable
    assert WRITTEN.keys() == differentiable
    assert all(len(BY_OPERAND[name]) == OPERATIONS[name].arity for name in BY_OPERAND)
    assert all(len(BY_RESULT[name]) == OPERATIONS[name].arity for name in BY_RESULT)
    assert BY_RESULT.keys() == TOLD_BY_RESULT


@pytest.mark.parametrize("operation", WRITTEN)
def test_the_kernel_holds_the_operation(operation):
    function = kernel(WRITTEN[operation][0])
    program = lower(read_source(function), {"a": classify(0.5), "b": classify(0.5)}).program
    parts = (part for node in walk(program.body) for value in expressions(node) for part in walk_expression(value))
    assert operation in {getattr(part, "operation", None) for part in parts}


@pytest.mark.parametrize("build", [kernel, inner_kernel], ids=["outermost", "inside"])
@pytest.mark.parametrize("operation", WRITTEN)
def test_partials_agree_with_the_complex_step(operation, build):
    function = build(WRITTEN[operation][0])
    for point in points(operation):
        case = subject(function, point)
        assert relative_error(interpreted_gradients(case, None, False), reference_gradients(case, None)) <= TOLERANCE, point


# ---------------------------------------------------------------- conventions at ties and edges


def gradient(text, *arguments):
    """The gradient of a kernel `return <text>` over arguments a, b."""
    values = tuple(map(np.float64, (*arguments, 0.5)[:2]))  # NumPy's floats divide by zero
    found = interpreted_gradients(subject(compiled(f"def kernel(a, b):\n    return {text}\n"), values), None, False)
    return tuple(float(value) for value in found)[: len(arguments)]


CONVENTIONS = [
    ("np.maximum at a tie: half each", "np.maximum(a, b)", (2.0, 2.0), (0.5, 0.5)),
    ("np.minimum at a tie: half each", "np.minimum(a, b)", (2.0, 2.0), (0.5, 0.5)),
    ("max at a tie: the first, as Python returns it", "max(a, b)", (2.0, 2.0), (1.0, 0.0)),
    ("min at a tie: the first, as Python returns it", "min(a, b)", (2.0, 2.0), (1.0, 0.0)),
    ("abs at 0", "abs(a)", (0.0,), (0.0,)),
    ("np.abs at 0", "np.abs(a)", (0.0,), (0.0,)),
    ("x % y by y: the executed quotient", "a % b", (1.0, 0.1), (1.0, -9.0)),
    ("sqrt at 0 with an adjoint", "np.sqrt(a)", (0.0,), (math.inf,)),
    ("sqrt at 0 without one", "0.0 * np.sqrt(a)", (0.0,), (0.0,)),
    ("log at 0 without an adjoint", "0.0 * np.log(a + b)", (0.0, 0.0), (0.0, 0.0)),
    ("hypot at (0, 0) without an adjoint", "0.0 * np.hypot(a, b)", (0.0, 0.0), (0.0, 0.0)),
    ("arctan2 at (0, 0) without an adjoint", "0.0 * np.arctan2(a, b)", (0.0, 0.0), (0.0, 0.0)),
    ("arccos at 1 without an adjoint", "0.0 * np.arccos(a)", (1.0,), (0.0,)),
    ("arcsin at -1 without an adjoint", "0.0 * np.arcsin(a)", (-1.0,), (0.0,)),
    ("arcsin at 1 with an adjoint", "np.arcsin(a)", (1.0,), (math.inf,)),
    ("x**y by x at y = 0", "a ** b", (0.0, 0.0), (0.0, 0.0)),
    ("x**y by y at x = 0, y > 0", "a ** b", (0.0, 2.0), (0.0, 0.0)),
    ("x**2 at 0", "a ** 2", (0.0,), (0.0,)),
    ("x**3 at 0", "a ** 3", (0.0,), (0.0,)),
    ("x**1 at 0", "a ** 1", (0.0,), (1.0,)),
    ("x**0 at 0", "a ** 0", (0.0,), (0.0,)),
    ("x**3 of a negative number", "a ** 3", (-2.0,), (12.0,)),
    ("y = c*x differentiated at c = 0", "a * b * b", (0.0, 3.0), (9.0, 0.0)),
    ("sign, floor, //", "np.sign(a) + np.floor(a) + a // b", (2.5, 2.0), (0.0, 0.0)),
    ("a conditional expression: the side that is taken", "a if a < 1.0 else np.sqrt(a)", (0.0,), (1.0,)),
    ("np.where: the side not taken contributes nothing", "np.where(a < 1.0, a, np.sqrt(a))", (0.0,), (1.0,)),
    ("np.where: not even infinity", "np.where(a > 0.0, 0.0, a * (1.0 / (b - 0.5)))", (1.0,), (0.0,)),
    ("np.where: nor NaN", "np.where(a > 0.0, a, np.log(-a - 2.0))", (1.0,), (1.0,)),
    ("division by zero follows NumPy", "a / b", (1.0, 0.0), (math.inf, -math.inf)),
    ("a guard of a branch has no derivative", "1.0 if a > b else 2.0", (1.0, 0.5), (0.0, 0.0)),
]


@pytest.mark.parametrize(("text", "at", "expected"), [case[1:] for case in CONVENTIONS], ids=[case[0] for case in CONVENTIONS])
def test_conventions_at_ties_and_edges(text, at, expected):
    with np.errstate(all="ignore"):
        assert gradient(text, *at) == expected


def test_np_clip_at_a_bound_gives_half():
    clip = compiled("def kernel(a):\n    return np.sum(np.clip(a, 0.0, 1.0))\n")
    case = subject(clip, (np.array([-1.0, 0.0, 0.5, 1.0, 2.0]),))
    assert interpreted_gradients(case, None)[0].tolist() == [0.0, 0.5, 1.0, 0.5, 0.0]


def test_np_max_shares_evenly_among_the_winners():
    largest = compiled("def kernel(a):\n    return np.max(a)\n")
    case = subject(largest, (np.array([3.0, 1.0, 3.0, 3.0, 2.0]),))
    assert interpreted_gradients(case, None)[0].tolist() == [1 / 3, 0.0, 1 / 3, 1 / 3, 0.0]


def test_a_running_maximum_follows_the_path():
    text = "def kernel(a):\n    m = a[0]\n    for i in range(1, len(a)):\n        if a[i] > m:\n            m = a[i]\n    return m\n"
    case = subject(compiled(text), (np.array([3.0, 1.0, 3.0]),))
    assert interpreted_gradients(case, None)[0].tolist() == [1.0, 0.0, 0.0]


def test_nan_in_one_cell_stays_away_from_the_others():
    text = "def kernel(a):\n    s = 0.0\n    for i in range(len(a)):\n        s += np.sin(a[i]) * a[i]\n    return s\n"
    case = subject(compiled(text), (np.array([0.5, np.nan, 0.25]),))
    (found,) = interpreted_gradients(case, None)
    assert np.isnan(found).tolist() == [False, True, False]


PRODUCTS = [([2.0, 2.0, 2.0], [4.0, 4.0, 4.0]), ([2.0, 0.0, 3.0], [0.0, 6.0, 0.0]), ([0.0, 0.0, 3.0], [0.0, 0.0, 0.0])]


@pytest.mark.parametrize(("values", "expected"), PRODUCTS)
def test_a_product_loop_is_exact_with_zeros(values, expected):
    text = "def kernel(a):\n    p = 1.0\n    for i in range(len(a)):\n        p *= a[i]\n    return p\n"
    case = subject(compiled(text), (np.array(values),))
    assert interpreted_gradients(case, None)[0].tolist() == expected
