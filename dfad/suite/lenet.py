"""LeNet-5: two convolutions with rectifier and pooling by maxima, three dense layers.

Name and algorithm are those of `lenet` in NPBench; single precision at the published size, as published.
"""

import numpy as np

from dfad.suite.conv2d_bias import conv2d, jax_conv2d, jax_conv2d_port
from dfad.suite.data import wave
from dfad.suite.mlp import relu

family = "V"
wrt = ("input", "conv1", "conv2", "fc1w", "fc2w", "fc3w")
outputs = ("return",)
sizes = {
    "S": {"N": 2, "H": 16, "W": 16, "dtype": "float64"},
    "M": {"N": 4, "H": 32, "W": 32, "dtype": "float64"},
    "L": {"N": 8, "H": 96, "W": 96, "dtype": "float64"},
    "paper": {"N": 16, "H": 256, "W": 256, "dtype": "float32"},
}
port_limit = {"N": 2, "H": 16, "W": 16}
DENSE = (120, 84, 10)


def initialize(size):
    """Weights around zero, of size 1/sqrt(fan-in)."""
    size = sizes[size] if isinstance(size, str) else size
    N, H, W, dtype = size["N"], size["H"], size["W"], size["dtype"]
    C_before_fc1 = 16 * _pooled(H) * _pooled(W)
    shapes = {"conv1": (5, 5, 1, 6), "conv2": (5, 5, 6, 16)}
    for layer, (before, after) in enumerate(zip((C_before_fc1, *DENSE), DENSE, strict=False), start=1):
        shapes[f"fc{layer}w"] = (before, after)
    arguments = {"input": wave(N, H, W, 1)}
    for number, (name, shape) in enumerate(shapes.items()):
        arguments[name] = 3.0 * (wave(*shape, phase=1.1 + number) - 1.0) / np.sqrt(np.prod(shape[:-1]))
        bias = name.replace("w", "b") if name.startswith("fc") else f"{name}bias"
        arguments[bias] = 0.2 * (wave(shape[-1], phase=2.3 + number) - 1.0)
    return {**{name: value.astype(dtype) for name, value in arguments.items()}, "N": N, "C_before_fc1": C_before_fc1}


def _pooled(extent):
    """The extent after both convolutions and poolings."""
    return ((extent - 4) // 2 - 4) // 2


def tape_minimum(size):
    """What enters each rectifier, and the maxima."""
    rows, columns, kept = size["H"], size["W"], sum(DENSE[:2])
    for channels in (6, 16):
        rows, columns = rows - 4, columns - 4
        kept += channels * (rows * columns + (rows // 2) * (columns // 2))
        rows, columns = rows // 2, columns // 2
    return np.dtype(size["dtype"]).itemsize * size["N"] * kept


def maxpool2d(x):
    output = np.empty((x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]), dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            output[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return output


def lenet(input, conv1, conv1bias, conv2, conv2bias, fc1w, fc1b, fc2w, fc2b, fc3w, fc3b, N, C_before_fc1):
    x = relu(conv2d(input, conv1) + conv1bias)
    x = maxpool2d(x)
    x = relu(conv2d(x, conv2) + conv2bias)
    x = maxpool2d(x)
    x = np.reshape(x, (N, C_before_fc1))
    x = relu(x @ fc1w + fc1b)
    x = relu(x @ fc2w + fc2b)
    return x @ fc3w + fc3b


def _jax_pool(x):
    N, H, W, C = x.shape
    return x[:, : H // 2 * 2, : W // 2 * 2].reshape(N, H // 2, 2, W // 2, 2, C).max(axis=(2, 4))


def _jax_pool_port(x):
    """The loop over pixels as written."""
    import jax.numpy as jnp
    from jax import lax

    N, H_out, W_out, C = x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]

    def pixel(i, j, output):
        window = lax.dynamic_slice(x, (0, 2 * i, 2 * j, 0), (N, 2, 2, C))
        return output.at[:, i, j, :].set(jnp.max(window, axis=(1, 2)))

    start = jnp.zeros((N, H_out, W_out, C), x.dtype)
    return lax.fori_loop(0, H_out, lambda i, output: lax.fori_loop(0, W_out, lambda j, output: pixel(i, j, output), output), start)


def _jax_net(conv, pool, arguments):
    import jax.numpy as jnp

    x = pool(jnp.maximum(conv(arguments["input"], arguments["conv1"]) + arguments["conv1bias"], 0))
    x = pool(jnp.maximum(conv(x, arguments["conv2"]) + arguments["conv2bias"], 0))
    x = x.reshape(arguments["N"], arguments["C_before_fc1"])
    x = jnp.maximum(x @ arguments["fc1w"] + arguments["fc1b"], 0)
    x = jnp.maximum(x @ arguments["fc2w"] + arguments["fc2b"], 0)
    return x @ arguments["fc3w"] + arguments["fc3b"]


def jax_port(**arguments):
    return _jax_net(jax_conv2d_port, _jax_pool_port, arguments)


def jax_best(**arguments):
    """The library's convolution, and pooling by a reshape."""
    return _jax_net(jax_conv2d, _jax_pool, arguments)


function = lenet
