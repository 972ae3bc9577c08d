"""What the compiler's own rooms and Cython take for the largest gradients: processor seconds of this process, not those of GCC.

Run with `make long`; every test prints its figures. The bounds leave room for slow and busy machines: they catch a pass that asks each
pair of statements anew, not a tenth more.
"""

import time

import numpy as np
import pytest

import dfad
from dfad.suite import kernels

pytestmark = pytest.mark.long


def square(x):
    return np.sum(x * x)


def seconds_of(benchmark, gradient):
    """The processor seconds that this process spends on a first call at size S."""
    arguments = benchmark.initialize("S").values()
    kernel = dfad.kernel(benchmark.function, wrt=benchmark.wrt, cache=False)
    start = time.process_time()
    if gradient:
        dfad.vjp(kernel, *arguments, of=benchmark.of, wrt=benchmark.wrt)
    else:
        kernel(*arguments)
    seconds = time.process_time() - start
    print(f"\n{benchmark.name}, {'gradient' if gradient else 'primal'}: {seconds:.2f} s")
    return seconds


@pytest.mark.parametrize("name", ["channel_flow", "shallow_water"])
@pytest.mark.parametrize(("gradient", "most"), [(False, 2.0), (True, 5.0)], ids=["primal", "gradient"])
def test_the_largest_kernels_compile_in_seconds(name, gradient, most):
    dfad.grad(square)(np.ones(3))  # loads what every first compilation loads
    assert seconds_of(kernels()[name], gradient) < most


def interpolated(x, xp, fp):
    return np.interp(x, xp, fp)


def in_order(x):
    return np.sort(x)


@pytest.mark.parametrize(("function", "count"), [(interpolated, 3), (in_order, 1)])
def test_texts_of_dfads_own_compile_in_half_a_second(function, count):
    dfad.grad(square)(np.ones(3))
    start = time.process_time()
    dfad.kernel(function, cache=False)(*np.ones((count, 3)))
    seconds = time.process_time() - start
    print(f"\n{function.__name__}: {seconds:.2f} s")
    assert seconds < 0.5
