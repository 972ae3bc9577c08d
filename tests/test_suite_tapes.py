"""What the gradients of classes L and T record, beside the least that a reverse sweep must find, counted by hand in each module."""

from importlib import import_module

import pytest

import dfad
from dfad import suite

KERNELS = {name: benchmark for name, benchmark in suite.kernels().items() if benchmark.family != "V"}
COUNTED = [name for name in KERNELS if hasattr(import_module(f"dfad.suite.{name}"), "tape_minimum")]
MOST = 1.1

# Where borders and first steps would weigh too much at size S.
SIZES = {
    "cavity_flow": {"ny": 81, "nx": 81, "nt": 40, "nit": 2},
    "gramschmidt": {"M": 5, "N": 60},
    "vadv": {"I": 3, "J": 4, "K": 60},
}

@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTED)
def test_a_gradient_records_hardly_more_than_the_least(name):
    benchmark = KERNELS[name]
    size = SIZES.get(name, benchmark.sizes["S"])
    kernel = dfad.kernel(benchmark.function, wrt=benchmark.wrt)
    dfad.vjp(kernel, *benchmark.initialize(size).values(), of=benchmark.of, wrt=benchmark.wrt)
    least = import_module(f"dfad.suite.{name}").tape_minimum(size)
    recorded = kernel.memory["tape"]
    assert least <= recorded <= MOST * least if least else recorded == 0
