"""What the gradients of class T record: the bytes that `.memory` measures against the least, counted by hand in each module."""

from importlib import import_module

import pytest

import dfad
from dfad import suite

MARCHED = suite.MODULES["T"]
ABOVE = {
    "option_mc": 1.2,  # two bytes for the branches of each step, and the last values of each path, beside 16 bytes a step
    "newton_loop": 3.0,  # the residual, the first and the last x of each cell, a count of 8 bytes
    "cg": 1.2,  # the scalars of each iteration; chunks
}
SIZES = {"newton_loop": "M", "cg": "M"}  # where tapes grow in chunks


@pytest.mark.slow
@pytest.mark.parametrize("name", MARCHED)
def test_tapes_are_within_a_tenth_of_the_least(name):
    benchmark, module = suite.kernels()[name], import_module(f"dfad.suite.{name}")
    size = benchmark.sizes[SIZES.get(name, "S")]
    kernel = dfad.kernel(benchmark.function)
    dfad.vjp(kernel, *benchmark.initialize(size).values(), of=benchmark.of, wrt=benchmark.wrt)
    tape, least = kernel.memory["tape"], module.tape_minimum(size)
    assert least <= tape <= ABOVE.get(name, 1.1) * least
