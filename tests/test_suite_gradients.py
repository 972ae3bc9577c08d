"""Gradients of the suite's kernels, compiled, by two references: the complex step and JAX."""

import copy

import numpy as np
import pytest

import dfad
from dfad import suite
from dfad.suite.burgers_1d import burgers_1d
from dfad.suite.cholesky import cholesky
from dfad.suite.data import wave
from dfad.suite.seidel_2d import seidel_2d
from dfad.suite.softmax import softmax
from tests.generated.writer import compiled as compiled_text
from tests.references import complex_step, gradient_error, jax_gradient, random_directions, relative_error, richardson, run_numpy, weights
from tests.test_suite import TINY

KERNELS = suite.kernels()
TOLERANCE = 1e-11  # max|g - r| / max|r|
FEWEST = {"adi": 1, "option_mc": 1}  # they divide by the number of their steps
CASES = [
    pytest.param(name, size, id=f"{name}-{which}") for name in KERNELS for which, size in zip(("small", "large"), TINY[name], strict=True)
]


@pytest.fixture(scope="module")
def compiled():
    return {name: dfad.kernel(benchmark.function, wrt=benchmark.wrt) for name, benchmark in KERNELS.items()}


def as_tuple(outputs):
    return outputs if isinstance(outputs, tuple) else (outputs,)


def seeds(out):
    """The cotangent of each output, in the form that a pullback takes them."""
    return tuple(map(seeds, out)) if isinstance(out, tuple) else weights(np.shape(out))


def other_values(arguments):
    """The same shapes and integers, other floats, still well conditioned."""
    return {
        name: value + 0.01 * (wave(*value.shape, phase=2.3) - 1.0) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value
        for name, value in arguments.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize(("name", "size"), CASES)
def test_the_compiled_kernel_computes_what_numpy_does(compiled, name, size):
    benchmark = KERNELS[name]
    arguments = benchmark.initialize(size)
    expected = run_numpy(benchmark.function, arguments, benchmark.of)
    result = compiled[name](*arguments.values())
    outputs = as_tuple(result) if benchmark.of is None else tuple(arguments[output] for output in benchmark.outputs)
    assert relative_error(outputs, expected) <= 1e-12


def difference_error(benchmark, arguments, gradient):
    """The second reference where JAX has no reverse: extrapolated differences along one direction."""
    direction = random_directions(arguments, benchmark.active)[0]
    slope = sum(np.sum(g * direction[name]) for name, g in zip(benchmark.active, as_tuple(gradient), strict=True))
    expected = richardson(benchmark.function, arguments, direction, of=benchmark.of, step=1e-3)
    return abs(slope - expected) / abs(expected)


def random_cotangent_error(benchmark, arguments, pullback):
    """The dot-product test: <w, J v> by the complex step against <J' w, v>, over the sum of what is added, for random v and w."""
    rng = np.random.default_rng(11)
    direction = random_directions(arguments, benchmark.active, seed=11)[0]
    products = complex_step(benchmark.function, arguments, direction, benchmark.of)
    w = tuple(rng.standard_normal(np.shape(product)) for product in products)
    gradient = as_tuple(pullback(w if len(w) > 1 else w[0]))
    terms = [g * direction[name] for name, g in zip(benchmark.active, gradient, strict=True)]
    difference = sum(np.sum(term) for term in terms) - sum(np.sum(a * b) for a, b in zip(w, products, strict=True))
    return abs(difference) / sum(np.sum(np.abs(term)) for term in terms)


def scribbled(arguments):
    """A pullback owns what it reads: the caller's arrays are written over."""
    for value in arguments.values():
        if isinstance(value, np.ndarray):
            value[...] = 1


@pytest.mark.slow
@pytest.mark.parametrize(("name", "size"), CASES)
def test_gradients_agree_with_the_complex_step_and_with_jax(compiled, name, size):
    benchmark = KERNELS[name]
    first = benchmark.initialize(size)
    for given in (first, other_values(first), first):
        arguments = copy.deepcopy(given)
        kept = {key: np.copy(value) for key, value in arguments.items()}
        out, pullback = dfad.vjp(compiled[name], *arguments.values(), of=benchmark.of, wrt=benchmark.wrt)
        cotangents = seeds(out)
        gradient = pullback(cotangents)
        for key, value in kept.items():
            assert np.array_equal(arguments[key], value), f"{key} was changed"
        assert relative_error(as_tuple(out), run_numpy(benchmark.function, arguments, benchmark.of)) <= 1e-13
        assert gradient_error(benchmark.function, arguments, gradient, wrt=benchmark.wrt, of=benchmark.of) <= TOLERANCE
        if benchmark.no_reverse is None:
            assert relative_error(gradient, jax_gradient(benchmark.systems["jax_best"], arguments, wrt=benchmark.wrt)) <= TOLERANCE
        else:
            assert difference_error(benchmark, arguments, gradient) <= 1e-8
        assert random_cotangent_error(benchmark, arguments, pullback) <= 1e-12
        scribbled(arguments)
        again = pullback(cotangents)
        assert all(map(np.array_equal, as_tuple(again), as_tuple(gradient))), "a second pullback gave other bits"


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_no_sweep_and_one_sweep(compiled, name):
    benchmark = KERNELS[name]
    trips = {"T", "nt", "steps"} & benchmark.sizes["S"].keys()
    for count in range(FEWEST.get(name, 0), 3) if trips else ():
        arguments = benchmark.initialize({**TINY[name][0], min(trips): count})
        out, pullback = dfad.vjp(compiled[name], *arguments.values(), of=benchmark.of, wrt=benchmark.wrt)
        gradient = pullback(seeds(out))
        assert relative_error(as_tuple(out), run_numpy(benchmark.function, arguments, benchmark.of)) <= 1e-13
        assert gradient_error(benchmark.function, arguments, gradient, wrt=benchmark.wrt, of=benchmark.of) <= TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "changed"),
    [
        pytest.param("newton_loop", {"tol": 10.0}, id="newton_loop-no_trip"),
        pytest.param("newton_loop", {"tol": 0.01}, id="newton_loop-few_trips"),
        pytest.param("newton_loop", {"a": np.zeros(0), "b": np.zeros(0)}, id="newton_loop-no_cell"),
        pytest.param("cg", {"tol": 1.0}, id="cg-no_trip"),
        pytest.param("cg", {"tol": 0.5}, id="cg-one_trip"),
    ],
)
def test_loops_that_end_at_once(compiled, name, changed):
    benchmark = KERNELS[name]
    arguments = {**benchmark.initialize(TINY[name][0]), "tol": 1e-8, **changed}
    out, pullback = dfad.vjp(compiled[name], *arguments.values(), of=benchmark.of, wrt=benchmark.wrt)
    gradient = pullback(seeds(out))
    assert relative_error(as_tuple(out), run_numpy(benchmark.function, arguments, benchmark.of)) <= 1e-13
    assert gradient_error(benchmark.function, arguments, gradient, wrt=benchmark.wrt, of=benchmark.of) <= TOLERANCE


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", [name for name, benchmark in KERNELS.items() if benchmark.no_reverse is None])
def test_gradients_at_real_sizes_agree_with_jax(compiled, name, threads):
    benchmark = KERNELS[name]
    arguments = benchmark.initialize("M")
    out, pullback = dfad.vjp(compiled[name], *arguments.values(), of=benchmark.of, wrt=benchmark.wrt, threads=threads)
    expected = jax_gradient(benchmark.systems["jax_best"], arguments, wrt=benchmark.wrt)
    assert relative_error(pullback(seeds(out)), expected) <= TOLERANCE


def weighted(benchmark, arguments):
    """The sum of the outputs times weights, as a kernel of its own that calls the benchmark's function."""
    given = ", ".join(arguments)
    found = run_numpy(benchmark.function, arguments, benchmark.of)
    w = {f"w_{k}": weights(np.shape(part)) for k, part in enumerate(found)}
    outputs = benchmark.outputs if benchmark.of else tuple(f"out_{k}" for k in range(len(found)))
    call = f"called({given})" if benchmark.of else f"{', '.join(outputs)} = called({given})"
    total = " + ".join(f"np.sum({weight} * {output})" for weight, output in zip(w, outputs, strict=True))
    loss = compiled_text(f"def kernel({given}, {', '.join(w)}):\n    {call}\n    return {total}\n")
    loss.__globals__["called"] = benchmark.function
    return loss, {**arguments, **{key: float(value) if value.shape == () else value for key, value in w.items()}}


@pytest.mark.long
@pytest.mark.parametrize("name", KERNELS)
def test_the_gradient_of_a_weighted_sum_is_the_pullback_of_the_weights(compiled, name):
    benchmark = KERNELS[name]
    arguments = benchmark.initialize(TINY[name][0])
    out, pullback = dfad.vjp(compiled[name], *arguments.values(), of=benchmark.of, wrt=benchmark.wrt)
    loss, given = weighted(benchmark, arguments)
    gradient = dfad.grad(loss, wrt=benchmark.wrt)(*given.values())
    assert relative_error(as_tuple(gradient), as_tuple(pullback(seeds(out)))) <= 1e-12


def seidel_sum(A, T):
    seidel_2d(A, T)
    return np.sum(A)


def burgers_loss(u, w, steps):
    return np.sum(w * burgers_1d(u, steps))


def softmax_loss(x, w):
    return np.sum(w * softmax(x))


def log_determinant(A):
    cholesky(A)
    total = 0.0
    for i in range(A.shape[0]):
        total += 2.0 * np.log(A[i, i])
    return total


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loss", "arguments"),
    [
        (seidel_sum, KERNELS["seidel_2d"].initialize({"T": 4, "N": 9})),
        (burgers_loss, {**KERNELS["burgers_1d"].initialize({"N": 9, "steps": 5}), "w": weights(9)}),
        (softmax_loss, {"w": weights((2, 1, 4, 4)), **KERNELS["softmax"].initialize(TINY["softmax"][0])}),
        (log_determinant, KERNELS["cholesky"].initialize({"N": 8})),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_losses_that_call_a_kernel(loss, arguments):
    wrt = "x" if loss is softmax_loss else next(iter(arguments))
    value, gradient = dfad.value_and_grad(loss, wrt=wrt)(**arguments)
    assert relative_error(value, run_numpy(loss, arguments)[0]) <= 1e-13
    assert gradient_error(loss, arguments, gradient, wrt=wrt) <= TOLERANCE
    assert np.array_equal(dfad.grad(loss, wrt=wrt)(**arguments), gradient)


@pytest.mark.slow
def test_the_gradient_of_the_log_determinant_is_the_inverse():
    A = KERNELS["cholesky"].initialize({"N": 8})["A"]
    inverse = np.linalg.inv(A)
    expected = 2.0 * np.tril(inverse) - np.diag(np.diag(inverse))
    assert relative_error(dfad.grad(log_determinant)(A), expected) <= 1e-13


@pytest.mark.slow
@pytest.mark.parametrize("name", suite.MODULES["V"])
def test_the_tape_of_array_code_is_the_least(compiled, name):
    benchmark, size = KERNELS[name], TINY[name][1]
    _, pullback = dfad.vjp(compiled[name], *benchmark.initialize(size).values(), of=benchmark.of, wrt=benchmark.wrt)
    assert pullback.memory["tape"] <= 1.1 * benchmark.tape_minimum(size)
