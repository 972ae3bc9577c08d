"""A perceptron: three dense layers, two of them through a rectifier, the last through softmax.

Name and algorithm are those of `mlp` in NPBench; single precision at the published size, as published.
"""

from itertools import pairwise

import numpy as np

from dfad.suite.data import wave

family = "V"
wrt = ("input", "w1", "w2", "w3")
outputs = ("return",)
sizes = {
    "S": {"C_in": 3, "N": 4, "S0": 20, "S1": 15, "S2": 10, "dtype": "float64"},
    "M": {"C_in": 3, "N": 8, "S0": 3000, "S1": 500, "S2": 500, "dtype": "float64"},
    "L": {"C_in": 3, "N": 8, "S0": 10000, "S1": 1000, "S2": 1000, "dtype": "float64"},
    "paper": {"C_in": 3, "N": 8, "S0": 30000, "S1": 2000, "S2": 2000, "dtype": "float32"},
}


def initialize(size):
    """Weights around zero, of size 1/sqrt(width), so that the rectifiers pass about half and softmax does not saturate."""
    size = sizes[size] if isinstance(size, str) else size
    dtype, widths = size["dtype"], (size["C_in"], size["S0"], size["S1"], size["S2"])
    arguments = {"input": wave(size["N"], size["C_in"]).astype(dtype)}
    for layer, (before, after) in enumerate(pairwise(widths), start=1):
        arguments[f"w{layer}"] = (4.0 * (wave(before, after, phase=1.1 * layer) - 1.0) / np.sqrt(before)).astype(dtype)
        arguments[f"b{layer}"] = (wave(after, phase=1.9 * layer) - 1.0).astype(dtype)
    return arguments


def tape_minimum(size):
    """What enters each rectifier, what enters the softmax, and the maximum and the sum of each of its rows."""
    return np.dtype(size["dtype"]).itemsize * size["N"] * (size["S0"] + size["S1"] + size["S2"] + 2)


def relu(x):
    return np.maximum(x, 0)


def softmax(x):
    shifted = x - np.max(x, axis=-1, keepdims=True)
    weights = np.exp(shifted)
    return weights / np.sum(weights, axis=-1, keepdims=True)


def mlp(input, w1, b1, w2, b2, w3, b3):
    x = relu(input @ w1 + b1)
    x = relu(x @ w2 + b2)
    return softmax(x @ w3 + b3)


def jax_port(input, w1, b1, w2, b2, w3, b3):
    import jax.numpy as jnp

    x = jnp.maximum(input @ w1 + b1, 0)
    x = jnp.maximum(x @ w2 + b2, 0)
    x = x @ w3 + b3
    weights = jnp.exp(x - jnp.max(x, axis=-1, keepdims=True))
    return weights / jnp.sum(weights, axis=-1, keepdims=True)


def jax_best(input, w1, b1, w2, b2, w3, b3):
    """The library's softmax and rectifier."""
    import jax

    x = jax.nn.relu(input @ w1 + b1)
    x = jax.nn.relu(x @ w2 + b2)
    return jax.nn.softmax(x @ w3 + b3, axis=-1)


function = mlp
