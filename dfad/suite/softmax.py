"""Softmax over the last axis, shifted by the maximum so that no exponential overflows.

Name and algorithm are those of `softmax` in NPBench; single precision at the published size, as published.
"""

import numpy as np

from dfad.suite.data import wave

family = "V"
wrt = "x"
outputs = ("return",)
sizes = {
    "S": {"N": 4, "H": 4, "SM": 32, "dtype": "float64"},
    "M": {"N": 8, "H": 8, "SM": 128, "dtype": "float64"},
    "L": {"N": 16, "H": 16, "SM": 256, "dtype": "float64"},
    "paper": {"N": 64, "H": 16, "SM": 448, "dtype": "float32"},
}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    N, H, SM = size["N"], size["H"], size["SM"]
    return {"x": wave(N, H, SM, SM).astype(size["dtype"])}


def tape_minimum(size):
    """The maximum and the sum of each row; the rest follows from the argument and the result."""
    return np.dtype(size["dtype"]).itemsize * 2 * size["N"] * size["H"] * size["SM"]


def softmax(x):
    shifted = x - np.max(x, axis=-1, keepdims=True)
    weights = np.exp(shifted)
    return weights / np.sum(weights, axis=-1, keepdims=True)


def jax_port(x):
    import jax.numpy as jnp

    shifted = x - jnp.max(x, axis=-1, keepdims=True)
    weights = jnp.exp(shifted)
    return weights / jnp.sum(weights, axis=-1, keepdims=True)


def jax_best(x):
    """The library's own: the maximum is not differentiated."""
    import jax

    return jax.nn.softmax(x, axis=-1)


function = softmax
