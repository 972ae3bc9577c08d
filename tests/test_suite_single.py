"""The kernels of the suite that are published in single precision: values beside NumPy's, gradients beside those in double precision."""

import numpy as np
import pytest

import dfad
from dfad import suite
from tests.references import gradient_error, relative_error, run_numpy, weights
from tests.test_suite import TINY

KERNELS = {name: benchmark for name, benchmark in suite.kernels().items() if "dtype" in benchmark.sizes["S"]}
TOLERANCE = 1e-5  # of values and gradients, max|a - b| / max|b|


def as_tuple(outputs):
    return outputs if isinstance(outputs, tuple) else (outputs,)


def test_the_kernels_in_single_precision():
    assert set(KERNELS) == {"softmax", "mlp", "conv2d_bias", "lenet", "resnet"}
    assert all(benchmark.sizes["paper"]["dtype"] == "float32" for benchmark in KERNELS.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_values_and_gradients_in_single_precision(name):
    benchmark = KERNELS[name]
    arguments = benchmark.initialize({**TINY[name][0], "dtype": "float32"})
    out, pullback = dfad.vjp(benchmark.function, *arguments.values(), of=benchmark.of, wrt=benchmark.wrt)
    assert {part.dtype for part in as_tuple(out)} == {np.dtype(np.float32)}
    assert relative_error(as_tuple(out), run_numpy(benchmark.function, arguments, benchmark.of)) <= TOLERANCE
    cotangents = tuple(weights(part.shape).astype(np.float32) for part in as_tuple(out))
    gradient = pullback(cotangents if isinstance(out, tuple) else cotangents[0])
    assert {part.dtype for part in as_tuple(gradient)} == {np.dtype(np.float32)}
    double = {key: value.astype(np.float64) if isinstance(value, np.ndarray) else value for key, value in arguments.items()}
    assert gradient_error(benchmark.function, double, gradient, wrt=benchmark.wrt, of=benchmark.of) <= TOLERANCE
