"""Gradients of the suite's kernels, compiled, by two references: the complex step and JAX."""

import inspect

import numpy as np
import pytest

import dfad
from dfad import suite
from dfad.suite.data import wave
from tests.references import gradient_error, jax_gradient, relative_error, run_numpy, weights
from tests.test_suite import TINY

KERNELS = suite.kernels()
TOLERANCE = 1e-11  # max|g - r| / max|r|
CASES = [
    pytest.param(name, size, id=f"{name}-{which}") for name in KERNELS for which, size in zip(("small", "large"), TINY[name], strict=True)
]


@pytest.fixture(scope="module")
def compiled():
    return {name: dfad.kernel(benchmark.function, wrt=benchmark.wrt) for name, benchmark in KERNELS.items()}


def other_values(arguments):
    """The same shapes and integers, other floats, still well conditioned."""
    return {
        name: value + 0.01 * (wave(*value.shape, phase=2.3) - 1.0) if isinstance(value, np.ndarray) else value
        for name, value in arguments.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize(("name", "size"), CASES)
def test_the_compiled_kernel_computes_what_numpy_does(compiled, name, size):
    benchmark = KERNELS[name]
    arguments = benchmark.initialize(size)
    (expected,) = run_numpy(benchmark.function, arguments, benchmark.of)
    result = compiled[name](*arguments.values())
    assert relative_error(result if benchmark.of is None else arguments[benchmark.of], expected) <= 1e-13


@pytest.mark.slow
@pytest.mark.parametrize(("name", "size"), CASES)
def test_gradients_agree_with_the_complex_step_and_with_jax(compiled, name, size):
    benchmark = KERNELS[name]
    first = benchmark.initialize(size)
    for arguments in (first, other_values(first), first):
        kept = {key: np.copy(value) for key, value in arguments.items()}
        out, pullback = dfad.vjp(compiled[name], *arguments.values(), of=benchmark.of, wrt=benchmark.wrt)
        gradient = pullback(weights(out.shape))
        for key, value in kept.items():
            assert np.array_equal(arguments[key], value), f"{key} was changed"
        assert relative_error((out,), run_numpy(benchmark.function, arguments, benchmark.of)) <= 1e-13
        assert gradient_error(benchmark.function, arguments, gradient, wrt=benchmark.wrt, of=benchmark.of) <= TOLERANCE
        assert relative_error(gradient, jax_gradient(benchmark.systems["jax_best"], arguments, wrt=benchmark.wrt)) <= TOLERANCE
        assert np.array_equal(pullback(weights(out.shape)), gradient), "a second pullback gave other bits"


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_no_sweep_and_one_sweep(compiled, name):
    benchmark = KERNELS[name]
    trips = {"T", "steps"} & inspect.signature(benchmark.function).parameters.keys()
    for count in (0, 1, 2) if trips else ():
        arguments = {**benchmark.initialize(TINY[name][0]), trips.copy().pop(): count}
        out, pullback = dfad.vjp(compiled[name], *arguments.values(), of=benchmark.of, wrt=benchmark.wrt)
        gradient = pullback(weights(out.shape))
        assert relative_error((out,), run_numpy(benchmark.function, arguments, benchmark.of)) <= 1e-13
        assert gradient_error(benchmark.function, arguments, gradient, wrt=benchmark.wrt, of=benchmark.of) <= TOLERANCE


@pytest.mark.long
@pytest.mark.parametrize("name", KERNELS)
def test_gradients_at_real_sizes_agree_with_jax(compiled, name):
    benchmark = KERNELS[name]
    arguments = benchmark.initialize("M")
    out, pullback = dfad.vjp(compiled[name], *arguments.values(), of=benchmark.of, wrt=benchmark.wrt)
    expected = jax_gradient(benchmark.systems["jax_best"], arguments, wrt=benchmark.wrt)
    assert relative_error(pullback(weights(out.shape)), expected) <= TOLERANCE
