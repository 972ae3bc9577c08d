"""What the gradients of class T record: the bytes that `.memory` measures against the least, counted by hand in each module."""

from importlib import import_module

import pytest

import dfad
from dfad import suite

MARCHED = suite.MODULES["T"]
ABOVE = {"option_mc": 1.15}  # two bytes for the branches of each step beside 16 for its values


@pytest.mark.slow
@pytest.mark.parametrize("name", MARCHED)
def test_tapes_are_within_a_tenth_of_the_least(name):
    benchmark, module = suite.kernels()[name], import_module(f"dfad.suite.{name}")
    size = benchmark.sizes["S"]
    kernel = dfad.kernel(benchmark.function)
    dfad.vjp(kernel, *benchmark.initialize(size).values(), of=benchmark.of, wrt=benchmark.wrt)
    tape, least = kernel.memory["tape"], module.tape_minimum(size)
    assert least <= tape <= ABOVE.get(name, 1.1) * least
