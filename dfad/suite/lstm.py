"""A two-layer LSTM over a sequence: the usual gates, one product with the input and one with the last output per layer and step.

    z = W x + U h + b;   i, f, o = sigmoid of its first three quarters, g = tanh of the last;   c = f c + i g;   h = o tanh(c)

The second layer reads the outputs of the first. All outputs of the second are returned. The common formulation (Hochreiter and
Schmidhuber, 1997, with the forget gate of Gers et al., 2000), one sequence at a time.

Unless a product of matrices is done twice, the reverse of a step needs the four pre-activations and the old cell of each layer, from
which the gates follow, and the old output of the first layer; those of the second are the result.
"""

import numpy as np

from dfad.suite.data import wave

family = "T"
wrt = ("W1", "U1", "b1", "W2", "U2", "b2")
outputs = ("return",)
sizes = {
    "S": {"units": 6, "steps": 128},
    "M": {"units": 64, "steps": 128},
    "L": {"units": 256, "steps": 512},
    "paper": {"units": 256, "steps": 1024},
}
port_limit = {"units": 256, "steps": 512}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    n, steps = size["units"], size["steps"]

    def weights(phase):
        return (wave(4 * n, n, phase=phase) - 1.0) / np.sqrt(n)

    return {
        "x": wave(steps, n) - 1.0,
        "W1": weights(0.1),
        "U1": weights(1.2),
        "b1": wave(4 * n, phase=0.7) - 1.0,
        "W2": weights(2.3),
        "U2": weights(3.4),
        "b2": wave(4 * n, phase=1.9) - 1.0,
    }


def tape_minimum(size):
    """Four pre-activations and one cell for each unit, layer and step, and the outputs of the first layer; they begin as zeros."""
    return size["units"] * (8 * size["steps"] + 3 * max(size["steps"] - 1, 0)) * 8


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def lstm(x, W1, U1, b1, W2, U2, b2):
    steps, n = x.shape
    h1 = np.zeros(n)
    c1 = np.zeros(n)
    h2 = np.zeros(n)
    c2 = np.zeros(n)
    out = np.zeros((steps, n))
    for t in range(steps):
        z = W1 @ x[t] + U1 @ h1 + b1
        c1 = sigmoid(z[n : 2 * n]) * c1 + sigmoid(z[:n]) * np.tanh(z[3 * n :])
        h1 = sigmoid(z[2 * n : 3 * n]) * np.tanh(c1)
        z = W2 @ h1 + U2 @ h2 + b2
        c2 = sigmoid(z[n : 2 * n]) * c2 + sigmoid(z[:n]) * np.tanh(z[3 * n :])
        h2 = sigmoid(z[2 * n : 3 * n]) * np.tanh(c2)
        out[t] = h2
    return out


def _cell(z, c):
    """The new cell and the new output of a layer."""
    import jax.numpy as jnp
    from jax.nn import sigmoid

    i, f, o, g = jnp.split(z, 4)
    c = sigmoid(f) * c + sigmoid(i) * jnp.tanh(g)
    return c, sigmoid(o) * jnp.tanh(c)


def jax_port(x, W1, U1, b1, W2, U2, b2):
    import jax.numpy as jnp
    from jax import lax

    steps, n = x.shape

    def step(t, state):
        h1, c1, h2, c2, out = state
        c1, h1 = _cell(W1 @ x[t] + U1 @ h1 + b1, c1)
        c2, h2 = _cell(W2 @ h1 + U2 @ h2 + b2, c2)
        return h1, c1, h2, c2, out.at[t].set(h2)

    zero = jnp.zeros(n)
    return lax.fori_loop(0, steps, step, (zero, zero, zero, zero, jnp.zeros((steps, n))))[-1]


def jax_best(x, W1, U1, b1, W2, U2, b2):
    """Layer by layer: one product of matrices for all inputs, then a scan with one product of a matrix and a vector a step."""
    import jax.numpy as jnp
    from jax import lax

    def layer(inputs, W, U, b):
        def step(state, fed):
            h, c = state
            c, h = _cell(fed + U @ h, c)
            return (h, c), h

        zero = jnp.zeros(U.shape[1])
        return lax.scan(step, (zero, zero), inputs @ W.T + b)[1]

    return layer(layer(x, W1, U1, b1), W2, U2, b2)


function = lstm
