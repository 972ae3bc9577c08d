"""Deriche's recursive filter: a smoothed image by second-order recurrences along rows and along columns, in both directions.

Each direction adds a causal and an anticausal pass. Name and algorithm are those of `deriche` in PolyBench and NPBench.

The map from the image is linear: its gradient needs no recorded value.
"""

import numpy as np

from dfad.suite.data import wave

family = "L"
wrt = "image"
outputs = ("return",)
sizes = {
    "S": {"W": 40, "H": 50},
    "M": {"W": 400, "H": 500},
    "L": {"W": 2000, "H": 1500},
    "paper": {"W": 7680, "H": 4320},
}
port_limit = {"W": 300, "H": 200}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    return {"alpha": 0.25, "image": wave(size["W"], size["H"])}


def tape_minimum(size):
    return 0


def deriche(alpha, image):
    k = (1.0 - np.exp(-alpha)) ** 2 / (1.0 + alpha * np.exp(-alpha) - np.exp(2.0 * alpha))
    a1 = k
    a2 = k * np.exp(-alpha) * (alpha - 1.0)
    a3 = k * np.exp(-alpha) * (alpha + 1.0)
    a4 = -k * np.exp(-2.0 * alpha)
    b1 = 2.0 ** (-alpha)
    b2 = -np.exp(-2.0 * alpha)

    y1 = np.empty_like(image)
    y1[:, 0] = a1 * image[:, 0]
    y1[:, 1] = a1 * image[:, 1] + a2 * image[:, 0] + b1 * y1[:, 0]
    for j in range(2, image.shape[1]):
        y1[:, j] = a1 * image[:, j] + a2 * image[:, j - 1] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2]

    y2 = np.empty_like(image)
    y2[:, -1] = 0.0
    y2[:, -2] = a3 * image[:, -1]
    for j in range(image.shape[1] - 3, -1, -1):
        y2[:, j] = a3 * image[:, j + 1] + a4 * image[:, j + 2] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2]

    rows = y1 + y2

    y1[0, :] = a1 * rows[0, :]
    y1[1, :] = a1 * rows[1, :] + a2 * rows[0, :] + b1 * y1[0, :]
    for i in range(2, image.shape[0]):
        y1[i, :] = a1 * rows[i, :] + a2 * rows[i - 1, :] + b1 * y1[i - 1, :] + b2 * y1[i - 2, :]

    y2[-1, :] = 0.0
    y2[-2, :] = a3 * rows[-1, :]
    for i in range(image.shape[0] - 3, -1, -1):
        y2[i, :] = a3 * rows[i + 1, :] + a4 * rows[i + 2, :] + b1 * y2[i + 1, :] + b2 * y2[i + 2, :]

    return y1 + y2


def coefficients(alpha):
    import jax.numpy as jnp

    decay = jnp.exp(-alpha)
    k = (1.0 - decay) ** 2 / (1.0 + alpha * decay - jnp.exp(2.0 * alpha))
    return k, k * decay * (alpha - 1.0), k * decay * (alpha + 1.0), -k * decay**2, 2.0 ** (-alpha), -(decay**2)


def jax_port(alpha, image):
    from jax import lax
    from jax import numpy as jnp

    a1, a2, a3, a4, b1, b2 = coefficients(alpha)

    def along_rows(x):
        n = x.shape[1]
        y1 = jnp.zeros_like(x)
        y1 = y1.at[:, 0].set(a1 * x[:, 0])
        y1 = y1.at[:, 1].set(a1 * x[:, 1] + a2 * x[:, 0] + b1 * y1[:, 0])

        def causal(j, y1):
            return y1.at[:, j].set(a1 * x[:, j] + a2 * x[:, j - 1] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2])

        y1 = lax.fori_loop(2, n, causal, y1)
        y2 = jnp.zeros_like(x).at[:, -2].set(a3 * x[:, -1])

        def anticausal(m, y2):
            j = n - 3 - m
            return y2.at[:, j].set(a3 * x[:, j + 1] + a4 * x[:, j + 2] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2])

        return y1 + lax.fori_loop(0, n - 2, anticausal, y2)

    return along_rows(along_rows(image).T).T


def jax_best(alpha, image):
    """Scans over lines that carry the last two results: linear, nothing stored."""
    import jax.numpy as jnp
    from jax import lax

    a1, a2, a3, a4, b1, b2 = coefficients(alpha)

    def down(x):
        zero = jnp.zeros_like(x[:1])

        def line(carry, right):
            near, far = carry
            new = right + b1 * near + b2 * far
            return (new, near), new

        causal = a1 * x + a2 * jnp.concatenate([zero, x[:-1]])
        anticausal = a3 * jnp.concatenate([x[1:], zero]) + a4 * jnp.concatenate([x[2:], zero, zero])
        start = (zero[0], zero[0])
        return lax.scan(line, start, causal)[1] + lax.scan(line, start, anticausal, reverse=True)[1]

    return down(down(image.T).T)


function = deriche
