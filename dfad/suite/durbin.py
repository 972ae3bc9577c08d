"""The Levinson-Durbin recursion: the solution of a symmetric Toeplitz system, grown by one unknown at a time.

Name and algorithm are those of `durbin` in PolyBench and NPBench.
"""

import numpy as np

from dfad.suite.data import wave

family = "L"
wrt = "r"
outputs = ("return",)
sizes = {
    "S": {"N": 40},
    "M": {"N": 1000},
    "L": {"N": 4000},
    "paper": {"N": 16000},
}
port_limit = {"N": 2000}


def initialize(size):
    """Autocorrelations below 1/N, so that the system is diagonally dominant."""
    size = sizes[size] if isinstance(size, str) else size
    N = size["N"]
    return {"r": (wave(N) - 1.0) / N}


def tape_minimum(size):
    """Step k demands the k values of the solution so far, for r in the dot product and for alpha in the update, alpha and beta, which
    is 1 in the first step."""
    N = size["N"]
    return 8 * (N * (N - 1) // 2 + 2 * (N - 1) - 1)


def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def jax_port(r):
    """Whole vectors with masks: a slice of a length that changes from step to step has no place in a compiled loop."""
    import jax.numpy as jnp
    from jax import lax

    N = r.shape[0]
    place = jnp.arange(N)

    def reverse_prefix(x, k):
        return jnp.where(place < k, x[jnp.maximum(k - 1 - place, 0)], 0.0)

    def step(k, state):
        y, alpha, beta = state
        beta = beta * (1.0 - alpha * alpha)
        alpha = -(r[k] + jnp.dot(reverse_prefix(r, k), jnp.where(place < k, y, 0.0))) / beta
        y = y + alpha * reverse_prefix(y, k)
        return y.at[k].set(alpha), alpha, beta

    return lax.fori_loop(1, N, step, (jnp.zeros(N).at[0].set(-r[0]), -r[0], 1.0))[0]


def jax_best(r):
    """A scan that carries the solution padded with zeros, so that reversed prefixes are rolled reversals without masks."""
    import jax.numpy as jnp
    from jax import lax

    N = r.shape[0]
    backwards = r[::-1]

    def step(state, k):
        y, alpha, beta = state
        beta = beta * (1.0 - alpha * alpha)
        alpha = -(r[k] + jnp.dot(jnp.roll(backwards, k), y)) / beta
        y = y + alpha * jnp.roll(y[::-1], k)
        return (y.at[k].set(alpha), alpha, beta), None

    start = (jnp.zeros(N).at[0].set(-r[0]), -r[0], jnp.ones(()))
    return lax.scan(step, start, jnp.arange(1, N))[0][0]


function = durbin
