"""The viscous Burgers equation in one dimension: upwind convection, explicit diffusion, two arrays exchanged after each step.

    f = max(u, 0) (u[i] - u[i-1]) + min(u, 0) (u[i+1] - u[i]);   u[i] - 0.2 f + 0.1 (u[i+1] - 2 u[i] + u[i-1])

The borders stay fixed. A textbook scheme; the initial wave is 1 + 0.5 sin(2 pi i / N).
"""

import numpy as np

family = "T"
wrt = "u"
outputs = ("return",)
sizes = {
    "S": {"N": 100, "steps": 50},
    "M": {"N": 1000, "steps": 500},
    "L": {"N": 10000, "steps": 1000},
    "paper": {"N": 10000, "steps": 10000},
}
port_limit = {"N": 1000, "steps": 1000}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    N = size["N"]
    return {"u": 1.0 + 0.5 * np.sin(2.0 * np.pi * np.arange(N) / N), "steps": size["steps"]}


def tape_minimum(size):
    """The inner points at the entry of every step but the first, whose entry is the caller's."""
    return max(size["steps"] - 1, 0) * (size["N"] - 2) * 8


def burgers_1d(u, steps):
    un = u.copy()
    for t in range(steps):
        for i in range(1, u.shape[0] - 1):
            f = max(u[i], 0.0) * (u[i] - u[i - 1]) + min(u[i], 0.0) * (u[i + 1] - u[i])
            un[i] = u[i] - 0.2 * f + 0.1 * (u[i + 1] - 2.0 * u[i] + u[i - 1])
        u, un = un, u
    return u


def jax_port(u, steps):
    import jax.numpy as jnp
    from jax import lax

    N = u.shape[0]

    def cell(i, un, u):
        f = jnp.maximum(u[i], 0.0) * (u[i] - u[i - 1]) + jnp.minimum(u[i], 0.0) * (u[i + 1] - u[i])
        return un.at[i].set(u[i] - 0.2 * f + 0.1 * (u[i + 1] - 2.0 * u[i] + u[i - 1]))

    def step(t, state):
        u, un = state
        un = lax.fori_loop(1, N - 1, lambda i, un: cell(i, un, u), un)
        return un, u

    return lax.fori_loop(0, steps, step, (u, u))[0]


def jax_best(u, steps):
    """A scan over time of whole-array steps; each is recomputed in the reverse, so that one state per step is stored."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    @jax.checkpoint
    def step(u, _):
        left, here, right = u[:-2], u[1:-1], u[2:]
        f = jnp.maximum(here, 0.0) * (here - left) + jnp.minimum(here, 0.0) * (right - here)
        new = here - 0.2 * f + 0.1 * (right - 2.0 * here + left)
        return jnp.concatenate([u[:1], new, u[-1:]]), None

    return lax.scan(step, u, length=steps)[0]


function = burgers_1d
