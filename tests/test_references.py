"""The references themselves, on functions whose derivatives are known, and each against another."""

import math

import numpy as np
import pytest

from tests.references import (
    complex_step,
    complex_step_gradient,
    dot_product_error,
    gradient_error,
    jax_gradient,
    random_directions,
    relative_error,
    richardson,
    run_numpy,
    weights,
)

EXACT = 1e-14
x = np.array([0.3, -0.7, 1.9, 0.05])

# Elementwise functions with their derivatives: (function, derivative, points)
ELEMENTWISE = {
    "log1p": (np.log1p, lambda t: 1 / (1 + t), [1e-12, 0.5]),
    "expm1": (np.expm1, np.exp, [1e-12, -0.5]),
    "power": (lambda t: t**7, lambda t: 7 * t**6, [-2.0, 0.5]),
    "power large": (lambda t: t**201, lambda t: 201 * t**200, [-1.01, 1.01]),
    "power real": (lambda t: t**2.5, lambda t: 2.5 * t**1.5, [0.5, 3.0]),
    "exponent": (lambda t: 3.0**t, lambda t: 3.0**t * np.log(3.0), [-1.0, 2.0]),
    "abs": (lambda t: abs(t), np.sign, [-2.0, 0.0, 3.0]),
    "sqrt": (np.sqrt, lambda t: 0.5 / np.sqrt(t), [1e-8, 4.0]),
    "cbrt": (np.cbrt, lambda t: 1 / (3 * np.cbrt(t) ** 2), [-8.0, 0.1]),
    "tanh": (np.tanh, lambda t: 1 / np.cosh(t) ** 2, [-5.0, 0.1]),
    "arcsin": (np.arcsin, lambda t: 1 / np.sqrt(1 - t * t), [-0.9, 0.1]),
    "hypot": (lambda t: np.hypot(t, 2.0), lambda t: t / np.hypot(t, 2.0), [-0.9, 3.0]),
    "arctan2": (lambda t: np.arctan2(t, -2.0), lambda t: -2 / (t * t + 4), [-0.9, 3.0]),
    "remainder": (lambda t: 7.0 % t, lambda t: -np.floor(7.0 / t), [2.5, -2.5]),
    "floor": (lambda t: t * np.floor(t), np.floor, [-1.5, 2.5]),
    "logaddexp": (lambda t: np.logaddexp(t, 1.0), lambda t: np.exp(t) / (np.exp(t) + np.e), [-1.0, 2.0]),
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise_functions_have_their_derivatives(name):
    function, derivative, points = ELEMENTWISE[name]
    points = np.array(points)

    def kernel(t):
        return function(t)

    (found,) = complex_step(kernel, {"t": points}, {"t": np.ones_like(points)})
    assert relative_error(found, derivative(points)) <= EXACT


def test_values_are_numpys_bits():
    def kernel(t, y):
        total = np.zeros(3)
        for i in range(3):
            total[i] = np.log1p(t[i] * 1e-9) / y + math.exp(t[i]) % 0.7
        return np.sum(np.where(total > 0.1, total, -total))

    from tests.stepped_world import run
    from tests.stepping import primal

    arguments = {"t": x[:3], "y": 1.7}
    stepped, _ = run(kernel, arguments, {"t": np.ones(3), "y": 1.0})
    assert primal(stepped) == run_numpy(kernel, arguments)[0]


def scaled(v):
    return np.tanh(v) * OFFSET[1]


OFFSET = np.array([2.0, 3.0])


def test_creation_helpers_globals_and_float_keep_the_derivative():
    def kernel(t, n):
        y, z, filled = np.zeros(n), np.empty_like(t), np.full(n, t[0], dtype=np.float64)
        for i in range(n):
            s = t[i]
            kept = s
            s += 1.0
            y[i] = scaled(kept) * s + float(kept) + math.atan(kept) + np.array([1.0, kept]).sum()
        z[:] = y.astype(np.float32) + filled
        return z

    expected = np.diag(3 * (x + 1) / np.cosh(x) ** 2 + 3 * np.tanh(x) + 1 + 1 / (1 + x * x) + 1)
    expected[:, 0] += 1.0
    assert relative_error(complex_step_gradient(kernel, (x, 4), wrt="t"), expected.T @ weights(4)) <= EXACT


def test_branches_follow_real_parts_and_ties_are_shared():
    def kernel(t):
        return np.maximum(t, 1.0) + np.minimum(t, 1.0) * 2 + np.clip(t, 1.0, 3.0) * 4 + np.max(t) * 8 + max(1.0, t[0]) * 16

    t = np.array([1.0, 1.0])
    jacobian = np.array([[0.5 + 1.0 + 2.0 + 4.0, 4.0], [4.0, 0.5 + 1.0 + 2.0 + 4.0]])
    w = weights(2)
    assert relative_error(complex_step_gradient(kernel, (t,), wrt="t"), jacobian.T @ w) <= EXACT


def test_reductions_views_and_scatter():
    def kernel(A, index):
        flat = A.reshape(-1)
        flat[0] = flat[1] * flat[2]
        np.add.at(A[1], index, A[0, :2])
        return np.std(A), A.mean(axis=0), np.prod(A, axis=1), A.T @ A, np.sort(A[1])[0], np.argmax(A) * A[0, 0]

    A = np.array([[0.3, -1.2, 0.8], [1.4, 0.1, -0.6]])
    found = complex_step_gradient(kernel, (A, np.array([0, 0])), wrt="A")
    for direction in random_directions({"A": A}, ("A",)):
        along = richardson(kernel, (A, np.array([0, 0])), direction)
        assert relative_error(np.sum(found * direction["A"]), along) <= 1e-9


def test_what_has_no_rule_is_refused():
    with pytest.raises(NotImplementedError, match="unique"):
        complex_step(lambda t: np.unique(t), {"t": x}, {"t": x})
    with pytest.raises(NotImplementedError, match="spacing"):
        complex_step(lambda t: np.spacing(t), {"t": x}, {"t": x})


def test_arguments_are_never_changed_and_updates_are_outputs():
    def kernel(A, B, scale=2.0):
        B[:] = A * A * scale
        A[0] = 0.0

    A, B = x.copy(), np.zeros(4)
    assert relative_error(complex_step_gradient(kernel, (A, B), wrt="A", of="B"), 4 * A * weights(4)) <= EXACT
    both = complex_step_gradient(kernel, (A, B), wrt=("A", "scale"), of=("A", "B"))
    w = weights(4)
    assert relative_error(both, (4 * A * w + np.where(np.arange(4) > 0, w, 0.0), np.sum(A * A * w))) <= EXACT
    assert np.array_equal(A, x)
    assert not B.any()
    with pytest.raises(AssertionError, match="of="):
        complex_step(kernel, (A, B), {"A": x})


def test_relative_error_states_what_it_says():
    assert relative_error(np.zeros(3), np.zeros(3)) == 0.0
    assert relative_error(np.zeros(0), np.zeros(0)) == 0.0
    assert relative_error([1.0, 2.2], [1.0, 2.0]) == pytest.approx(0.1)
    assert relative_error([1.0], [0.0]) == float("inf")
    assert np.isnan(relative_error([np.nan, 1.0], [np.nan, 1.0]))
    assert np.isnan(relative_error((np.ones(2), np.array([np.nan])), (np.ones(2), np.ones(1))))
    with pytest.raises(AssertionError, match="shape"):
        relative_error(np.ones(2), np.ones(3))


def test_a_wrong_gradient_is_seen_in_full_and_along_directions():
    def kernel(t):
        return np.sin(t) * t

    for n in (10, 300):
        t = np.linspace(0.1, 2.0, n)
        right = (np.cos(t) * t + np.sin(t)) * weights(n)
        wrong = right.copy()
        wrong[n // 2] *= 1.001
        assert gradient_error(kernel, (t,), right, wrt="t") <= EXACT
        assert gradient_error(kernel, (t,), wrong, wrt="t") > 1e-6


def test_dot_product_tells_a_transpose_from_another_matrix():
    M = np.arange(12.0).reshape(3, 4)
    assert dot_product_error(lambda v: M @ v, lambda w: M.T @ w, (4,), (3,)) <= EXACT
    assert dot_product_error(lambda v: M @ v, lambda w: M.T @ w + 1e-6, (4,), (3,)) > 1e-9


def test_richardson_and_jax_agree_with_the_complex_step():
    def kernel(t, steps):
        for _ in range(steps):
            t = np.sin(t) * np.sum(t) + t
        return t

    def port(t, steps):
        import jax.numpy as jnp

        for _ in range(steps):
            t = jnp.sin(t) * jnp.sum(t) + t
        return t

    arguments = {"t": x, "steps": 3}
    gradient = complex_step_gradient(kernel, arguments, wrt="t")
    assert relative_error(jax_gradient(port, arguments, wrt="t"), gradient) <= 1e-13
    for direction in random_directions({"t": x}, ("t",)):
        assert richardson(kernel, arguments, direction) == pytest.approx(np.sum(gradient * direction["t"]), rel=1e-9)


def sigmoid(t):
    return 1.0 / (1.0 + np.exp(-t))


def chained(t):
    f = np.zeros(10)
    f[0] = 1.0
    for i in range(1, 10):
        f[i] = f[i - 1] * t
        f[i] = sigmoid(f[i])
    return np.sum(f)


def divided(a):
    total = 0.0
    for i in range(2):
        total += 1.0 / (i + 1 + a * a)
    return total


def stepping_sum(lower, upper):
    total = 0.0
    while lower < upper:
        total += lower**2 * 0.25
        lower += 0.25
    return total


# Programs that other systems got wrong, with answers worked out by hand.
KNOWN = [
    (chained, {"t": 1.0}, 7.02404078, 1.74510849, 1e-8),
    (divided, {"a": 2.0}, 1 / 5 + 1 / 6, -4 / 25 - 4 / 36, 1e-15),
    (stepping_sum, {"lower": 0.0, "upper": 1.0}, 0.21875, 0.5 * (0 + 0.25 + 0.5 + 0.75), 1e-15),
]


@pytest.mark.parametrize(("function", "arguments", "value", "derivative", "tolerance"), KNOWN)
def test_programs_with_known_answers(function, arguments, value, derivative, tolerance):
    name = next(iter(arguments))
    assert relative_error(run_numpy(function, arguments)[0], value) <= tolerance
    assert relative_error(complex_step(function, arguments, {name: 1.0})[0], derivative) <= tolerance


B = np.array([[0.31, -1.2, 0.83], [1.44, 0.17, -0.62]])

# One use of each array function of the accepted language, on a 2 x 3 array.
LANGUAGE = {
    "shape": lambda A: A.reshape(3, 2) @ A.T.reshape(2, 3) + np.ravel(A)[0] + A.flatten()[1] + A.transpose()[2, 1],
    "join": lambda A: np.concatenate([A, A * A]) + np.vstack((A, A)) + np.stack([A[0], A[1], A[0], A[1]]) + np.hstack([A, A])[0, 3],
    "flip": lambda A: np.flip(A) * np.roll(A, 1, axis=1) + np.flip(A, axis=0),
    "reduce": lambda A: np.sum(A * A, axis=0) + np.prod(A, axis=0) + np.mean(A**2, axis=0) + np.var(A) + np.std(A, axis=0, ddof=1),
    "extreme": lambda A: A.max(axis=1) * np.min(A, axis=1) + A[np.argmax(A[:, 0])][1] + np.argmin(A) * A[0, 0],
    "scan": lambda A: np.cumsum(A * A, axis=1) + np.cumprod(A, axis=0),
    "product": lambda A: A @ A.T @ A + np.dot(A, A.T)[0, 1] + np.outer(A[:, 0], A[1]) + np.einsum("ij,kj->ik", A, A)[1, 0],
    "choose": lambda A: np.where(A > 0, A * A, np.exp(A)) + np.maximum(A, 0.1) + np.minimum(A, A[0, 0]) + np.clip(A, -0.5, 0.5),
    "mask": lambda A: A[A > 0] ** 3,
    "gather": lambda A: A[np.array([0, 1, 0])] * A[1, np.array([2, 0, 1])] + A[:, ::-1][::-1][0, -1],
    "newaxis": lambda A: A[:, None, :] * A[None, :, :] + A[..., 0, None],
    "create": lambda A: np.full_like(A, A[0, 1]) + np.eye(2, 3) * A + np.arange(3.0) * A + np.linspace(0.0, 1.0, 3) * A + np.ones_like(A),
    "angle": lambda A: np.arctan2(A, 0.4) + np.hypot(A, A[::-1]) + np.power(np.abs(A), A[0]) + np.arcsinh(A) + np.sign(A) * A,
    "divide": lambda A: A / (2.0 + A) + A % 0.37 + A // 0.37 + np.floor(A) * A + np.ceil(A) + np.reciprocal(A),
    "linalg": lambda A: np.linalg.solve(A @ A.T + np.eye(2), A) + np.linalg.inv(A @ A.T)[0, 0] + np.linalg.det(A @ A.T),
}


@pytest.mark.parametrize("name", LANGUAGE)
def test_the_languages_array_functions_against_differences(name):
    gradient = complex_step_gradient(LANGUAGE[name], (B,), wrt="A")
    assert np.any(gradient)
    for direction in random_directions({"A": B}, ("A",)):
        along = richardson(LANGUAGE[name], (B,), direction, step=3e-3)
        assert relative_error(np.sum(gradient * direction["A"]), along) <= 1e-8


def accumulated(A, steps):
    total, best, old = 0.0, -np.inf, A.copy()
    new = np.zeros_like(A)
    for t in range(steps):
        for row in old:
            total += np.sum(row) * row[t]
            best = max(best, abs(row[0]))
        new[1:] = old[:-1]
        new[0, :] = math.sqrt(abs(total) + 1.0) * old[1]
        old, new = new, old
        if total > 1e9 or not np.isfinite(total):
            break
    return total + best + old.sum() + round(0.6) + int(A[0, 0] > 0)


def test_loops_swaps_and_scalars_against_differences():
    gradient = complex_step_gradient(accumulated, (B, 3), wrt="A")
    for direction in random_directions({"A": B}, ("A",)):
        assert relative_error(np.sum(gradient * direction["A"]), richardson(accumulated, (B, 3), direction, step=3e-3)) <= 1e-8
