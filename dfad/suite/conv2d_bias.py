"""A convolution of images (batch, row, column, channel) with a bias: a loop over output pixels of a broadcast product, summed.

Name and algorithm are those of `conv2d_bias` in NPBench; single precision at the published size, as published.
"""

import numpy as np

from dfad.suite.data import wave

family = "V"
wrt = ("input", "weights")
outputs = ("return",)
sizes = {
    "S": {"N": 2, "C_in": 3, "C_out": 4, "K": 2, "H": 6, "W": 7, "dtype": "float64"},
    "M": {"N": 4, "C_in": 3, "C_out": 8, "K": 5, "H": 32, "W": 32, "dtype": "float64"},
    "L": {"N": 8, "C_in": 3, "C_out": 16, "K": 10, "H": 64, "W": 64, "dtype": "float64"},
    "paper": {"N": 8, "C_in": 3, "C_out": 16, "K": 20, "H": 256, "W": 256, "dtype": "float32"},
}
port_limit = {"N": 2, "K": 3, "H": 16, "W": 16}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    N, C_in, C_out, K, H, W, dtype = (size[name] for name in ("N", "C_in", "C_out", "K", "H", "W", "dtype"))
    input = wave(N, H, W, C_in).astype(dtype)
    weights = (wave(K, K, C_in, C_out, phase=1.1) - 1.0).astype(dtype)
    return {"input": input, "weights": weights, "bias": wave(C_out, phase=1.9).astype(dtype)}


def tape_minimum(size):
    """The adjoint reads the arguments alone."""
    return 0


def conv2d(input, weights):
    K = weights.shape[0]
    H_out = input.shape[1] - K + 1
    W_out = input.shape[2] - K + 1
    output = np.empty((input.shape[0], H_out, W_out, weights.shape[3]), dtype=input.dtype)
    for i in range(H_out):
        for j in range(W_out):
            window = input[:, i : i + K, j : j + K, :, np.newaxis]
            output[:, i, j, :] = np.sum(window * weights[np.newaxis, :, :, :], axis=(1, 2, 3))
    return output


def conv2d_bias(input, weights, bias):
    return conv2d(input, weights) + bias


def jax_conv2d_port(input, weights):
    """The loop over pixels as written."""
    import jax.numpy as jnp
    from jax import lax

    K = weights.shape[0]
    N, H_out, W_out = input.shape[0], input.shape[1] - K + 1, input.shape[2] - K + 1

    def pixel(i, j, output):
        window = lax.dynamic_slice(input, (0, i, j, 0), (N, K, K, input.shape[3]))[..., None]
        return output.at[:, i, j, :].set(jnp.sum(window * weights[None], axis=(1, 2, 3)))

    start = jnp.zeros((N, H_out, W_out, weights.shape[3]), input.dtype)
    return lax.fori_loop(0, H_out, lambda i, output: lax.fori_loop(0, W_out, lambda j, output: pixel(i, j, output), output), start)


def jax_conv2d(input, weights):
    """The library's convolution."""
    from jax import lax

    return lax.conv_general_dilated(input, weights, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def jax_port(input, weights, bias):
    return jax_conv2d_port(input, weights) + bias


def jax_best(input, weights, bias):
    return jax_conv2d(input, weights) + bias


function = conv2d_bias
