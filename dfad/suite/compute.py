"""Elementwise work on two matrices: one clipped and scaled, the other scaled, a constant added.

Name and algorithm are those of `compute` in NPBench (in floating point), where it comes from Cython's NumPy tutorial.
"""

import numpy as np

from dfad.suite.data import wave

family = "V"
wrt = "array_1"
outputs = ("return",)
sizes = {
    "S": {"M": 20, "N": 25},
    "M": {"M": 1000, "N": 1000},
    "L": {"M": 5000, "N": 5000},
    "paper": {"M": 12500, "N": 12500},
}


def initialize(size):
    """Values on both sides of both bounds."""
    size = sizes[size] if isinstance(size, str) else size
    M, N = size["M"], size["N"]
    return {"array_1": 12.0 * wave(M, N) - 6.0, "array_2": wave(M, N, phase=1.1), "a": 4.0, "b": 3.0, "c": 9.0}


def tape_minimum(size):
    """The adjoint compares the argument with the bounds again: nothing."""
    return 0


def compute(array_1, array_2, a, b, c):
    return np.clip(array_1, 2, 10) * a + array_2 * b + c


def jax_port(array_1, array_2, a, b, c):
    import jax.numpy as jnp

    return jnp.clip(array_1, 2, 10) * a + array_2 * b + c


jax_best = jax_port
function = compute
