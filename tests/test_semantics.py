"""Lines of docs/semantics.md that no other file holds to: edges of domains, products with zeros, masks, repeated indices, IEEE scalars."""

import math

import numpy as np
import pytest

import dfad
from dfad.ir.evaluate import evaluate
from tests.adjoint_paths import interpreted_gradients, reference_gradients, subject
from tests.generated.writer import compiled
from tests.references import relative_error

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def kernel(body, parameters="a"):
    return compiled(f"def kernel({parameters}):\n{body}")


def gradients(function, *arguments):
    """By every floating-point argument, the same with and without passes."""
    case = subject(function, arguments)
    with np.errstate(all="ignore"):
        plain, rewritten = (interpreted_gradients(case, None, passes) for passes in (False, True))
    for one, other in zip(plain, rewritten, strict=True):
        np.testing.assert_array_equal(one, other)
    return tuple(found.tolist() for found in plain)


ZEROS, SAME = np.zeros(2), np.full(3, 2.0)
NAN, INF = math.nan, math.inf

EDGES = [
    # an incoming adjoint of 0 contributes 0
    ("    return 0.0 * np.std(a)\n", SAME, [0.0, 0.0, 0.0]),
    ("    return np.sum(0.0 * a ** 0.5)\n", ZEROS, [0.0, 0.0]),
    ("    return np.sum(0.0 * a ** -1.0)\n", ZEROS, [0.0, 0.0]),
    ("    return np.sum(0.0 * np.cbrt(a))\n", ZEROS, [0.0, 0.0]),
    ("    return np.sum(0.0 * np.log(a))\n", ZEROS, [0.0, 0.0]),
    # any other gives what the formula gives
    ("    return np.std(a)\n", SAME, [NAN, NAN, NAN]),
    ("    return np.sum(a ** 0.5)\n", ZEROS, [INF, INF]),
    ("    return np.sum(np.log(a))\n", ZEROS, [INF, INF]),
    ("    return np.sum(np.hypot(a, a))\n", ZEROS, [NAN, NAN]),
    ("    return np.sum(np.arctan2(a, a))\n", ZEROS, [NAN, NAN]),
    ("    return np.sum(np.arccos(a))\n", np.ones(2), [-INF, -INF]),
    # x**n
    ("    return np.sum(a ** 0)\n", np.array([0.0, 2.0]), [0.0, 0.0]),
    ("    return np.sum(a ** 1)\n", np.array([0.0, 2.0]), [1.0, 1.0]),
    ("    return np.sum(a ** -1)\n", np.array([0.5, 2.0]), [-4.0, -0.25]),
    ("    return np.sum(np.power(a, 2.0))\n", np.array([0.0, -3.0]), [0.0, -6.0]),
    # ties
    ("    return np.min(a)\n", np.array([1.0, 3.0, 1.0]), [0.5, 0.0, 0.5]),
    ("    return np.sum(np.max(a, axis=1))\n", np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 1.0]]), [[0.0, 0.5, 0.5], [0.5, 0.5, 0.0]]),
    # products
    ("    return np.prod(a)\n", np.array([2.0, 3.0, 4.0]), [12.0, 8.0, 6.0]),
    ("    return np.prod(a)\n", np.array([2.0, 0.0, 3.0]), [0.0, 6.0, 0.0]),
    ("    return np.prod(a)\n", np.array([0.0, 0.0, 3.0]), [0.0, 0.0, 0.0]),
    ("    return np.sum(np.prod(a, axis=0))\n", np.array([[2.0, 0.0], [0.0, 0.0], [3.0, 4.0]]), [[0.0, 0.0], [6.0, 0.0], [0.0, 0.0]]),
    ("    return a.prod()\n", np.zeros(0), []),
    # the side that is not taken, by np.where and by a mask
    ("    return np.sum(np.where(a > 0.0, 0.0, a * np.inf))\n", np.array([1.0, 2.0]), [0.0, 0.0]),
    ("    m = a > 0\n    a[m] = np.sqrt(a[m])\n    return np.sum(a)\n", np.array([-1.0, 0.0, NAN, 4.0]), [1.0, 1.0, 1.0, 0.25]),
    ("    m = a > 0\n    y = 0.0 * a\n    y[m] = np.log(a[m])\n    return np.sum(y)\n", np.array([-1.0, 0.0, 4.0]), [0.0, 0.0, 0.25]),
    # jumps
    ("    return np.sum(np.ceil(a) + np.rint(a) + np.trunc(a) + (a > 0.5) * 2.0)\n", np.array([0.5, 1.7]), [0.0, 0.0]),
    ("    s = 0.0\n    for v in a:\n        s += 3.0 if v > 1.0 else v\n    return s\n", np.array([0.5, 1.0, 2.0]), [1.0, 1.0, 0.0]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "at", "expected"), EDGES, ids=[" ".join(body.split()) for body, *_ in EDGES])
def test_edges_ties_and_jumps(body, at, expected):
    np.testing.assert_array_equal(gradients(kernel(body), at)[0], expected)


def test_across_statements_an_infinite_partial_is_ieee():
    """0 * inf inside one expression of a where is 0; once it is a statement of its own it is NaN."""
    inside = kernel("    return np.where(a > 0, 0.0, a * b)\n", "a, b")
    across = kernel("    y = a * b\n    return np.where(a > 0, 0.0, y)\n", "a, b")
    assert gradients(inside, 1.0, INF) == (0.0, 0.0)
    np.testing.assert_array_equal(gradients(across, 1.0, INF), (NAN, 0.0))


REPEATED = [
    ("x[k] += v", [6.0, 2.0, 12.0], [0.0, 6.0, 12.0]),  # buffered: the last of the two counts
    ("x[k] = v", [0.0, 2.0, 0.0], [0.0, 4.0, 10.0]),  # the last wins, and it alone gets the adjoint
    ("np.add.at(x, k, v)", [8.0, 2.0, 12.0], [8.0, 8.0, 12.0]),  # every one counts
]


@pytest.mark.parametrize(("statement", "x_bar", "v_bar"), REPEATED)
def test_repeated_indices(statement, x_bar, v_bar):
    function = kernel(f"    {statement}\n    return np.sum(x * x)\n", "x, v, k")
    assert gradients(function, np.ones(3), np.array([1.0, 2.0, 5.0]), np.array([0, 0, 2])) == (x_bar, v_bar)


def test_repeated_indices_of_a_gather_add_up():
    function = kernel("    return np.sum(x[k] * v)\n", "x, v, k")
    assert gradients(function, np.ones(3), np.array([1.0, 2.0, 5.0]), np.array([0, 0, -1]))[0] == [3.0, 0.0, 5.0]


@pytest.mark.parametrize(
    ("text", "at", "value"),
    [("math.log(a)", 0.0, -INF), ("(a - 8.0) ** 0.5", 0.0, NAN), ("1.0 / a", 0.0, INF), ("math.sqrt(a)", -1.0, NAN)],
)
def test_numbers_follow_ieee_where_python_raises(text, at, value):
    with np.errstate(all="ignore"):
        (found,) = evaluate(subject(kernel(f"    return {text}\n"), (at,)).primal, {"a": at}).values()
    np.testing.assert_array_equal(found, value)


def test_integers_wrap_and_floor():
    function = kernel("    k[0] = k[0] + 1\n    k[1] = k[1] // 2\n    k[2] = k[2] % 3\n    return k[0] * 2\n", "k")
    ours, theirs = (np.array([2**63 - 1, -7, -7]) for _ in range(2))
    with np.errstate(all="ignore"):
        expected = function(theirs)
        (found,) = evaluate(subject(function, (ours,)).primal, {"k": ours}).values()
    assert ours.tolist() == theirs.tolist() == [-(2**63), -4, 2]
    assert int(found) == int(expected)


def test_each_gradient_has_the_type_of_its_argument():
    function = kernel("    x *= 2.0\n    y += x\n    return np.sum(x) * np.sum(y * y)\n", "x, y")
    case = subject(function, (np.linspace(0.5, 1.0, 4, dtype=np.float32), np.linspace(0.1, 0.7, 4)))
    found = interpreted_gradients(case, None)
    assert [one.dtype for one in found] == [np.float32, np.float64]
    assert relative_error(found, reference_gradients(case, None)) <= 2e-7


def test_single_precision_sums_as_accurately_as_numpy():
    x = np.full(1 << 16, 0.1, np.float32)
    (found,) = evaluate(subject(kernel("    return np.sum(a)\n"), (x,)).primal, {"a": x}).values()
    exact = math.fsum(x.tolist())
    assert abs(float(found) - exact) <= abs(float(np.sum(x)) - exact)


@pytest.mark.slow
def test_the_same_array_twice_gives_each_parameter_its_own_gradient():
    function = kernel("    return np.sum(a * a * b)\n", "a, b")
    x = np.array([1.0, 2.0, 3.0])
    by_a, by_b = dfad.grad(function, wrt=("a", "b"))(x, x)
    assert by_a.tolist() == (2.0 * x * x).tolist()
    assert by_b.tolist() == (x * x).tolist()
