"""A bottleneck block of a residual network: convolutions of width 1, 3, 1 with batch normalisation and rectifiers.

Name and algorithm are those of `resnet` in NPBench (with the usual variance plus eps under the root); single precision at the
published size, as published.
"""

import numpy as np

from dfad.suite.conv2d_bias import conv2d, jax_conv2d, jax_conv2d_port
from dfad.suite.data import wave
from dfad.suite.mlp import relu

family = "V"
wrt = ("input", "conv1", "conv2", "conv3")
outputs = ("return",)
sizes = {
    "S": {"N": 3, "W": 5, "H": 6, "C1": 4, "C2": 3, "dtype": "float64"},
    "M": {"N": 4, "W": 16, "H": 16, "C1": 16, "C2": 8, "dtype": "float64"},
    "L": {"N": 8, "W": 56, "H": 56, "C1": 64, "C2": 16, "dtype": "float64"},
    "paper": {"N": 8, "W": 56, "H": 56, "C1": 64, "C2": 16, "dtype": "float32"},
}
port_limit = {"N": 2, "W": 12, "H": 12}


def initialize(size):
    """Weights around zero, of size 1/sqrt(fan-in)."""
    size = sizes[size] if isinstance(size, str) else size
    N, W, H, C1, C2, dtype = (size[name] for name in ("N", "W", "H", "C1", "C2", "dtype"))
    shapes = {"conv1": (1, 1, C1, C2), "conv2": (3, 3, C2, C2), "conv3": (1, 1, C2, C1)}
    arguments = {"input": wave(N, H, W, C1).astype(dtype)}
    for number, (name, shape) in enumerate(shapes.items()):
        values = 3.0 * (wave(*shape, phase=1.1 + number) - 1.0) / np.sqrt(np.prod(shape[:-1]))
        arguments[name] = values.astype(dtype)
    return arguments


def tape_minimum(size):
    """What enters each normalisation, its mean and its variance: all else is a few operations away from these."""
    N, W, H, C1, C2 = (size[name] for name in ("N", "W", "H", "C1", "C2"))
    pixels = (H + 2) * (W + 2) * C2 + H * W * C2 + H * W * C1
    return np.dtype(size["dtype"]).itemsize * (N + 2) * pixels


def batchnorm2d(x, eps=1e-5):
    mean = np.mean(x, axis=0, keepdims=True)
    var = np.var(x, axis=0, keepdims=True)
    return (x - mean) / np.sqrt(var + eps)


def resnet(input, conv1, conv2, conv3):
    N, H, W, C1 = input.shape
    padded = np.zeros((N, H + 2, W + 2, C1), dtype=input.dtype)
    padded[:, 1:-1, 1:-1, :] = input
    x = relu(batchnorm2d(conv2d(padded, conv1)))
    x = relu(batchnorm2d(conv2d(x, conv2)))
    x = batchnorm2d(conv2d(x, conv3))
    return relu(x + input)


def _jax_block(conv, input, conv1, conv2, conv3):
    import jax.numpy as jnp

    def norm(x):
        return (x - jnp.mean(x, axis=0, keepdims=True)) / jnp.sqrt(jnp.var(x, axis=0, keepdims=True) + 1e-5)

    padded = jnp.pad(input, ((0, 0), (1, 1), (1, 1), (0, 0)))
    x = jnp.maximum(norm(conv(padded, conv1)), 0)
    x = jnp.maximum(norm(conv(x, conv2)), 0)
    return jnp.maximum(norm(conv(x, conv3)) + input, 0)


def jax_port(input, conv1, conv2, conv3):
    return _jax_block(jax_conv2d_port, input, conv1, conv2, conv3)


def jax_best(input, conv1, conv2, conv3):
    """The library's convolution."""
    return _jax_block(jax_conv2d, input, conv1, conv2, conv3)


function = resnet
