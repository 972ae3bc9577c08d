"""The Gray-Scott model: two reacting species that diffuse at different speeds, on a torus, both updated in place.

    u += 0.16 lap(u) - u v^2 + feed (1 - u);   v += 0.08 lap(v) + u v^2 - (feed + kill) v

A standard model of pattern formation (Pearson, 1993), as a person writes it with `np.roll`: five-point Laplacians with periodic wrap.

The reverse of a step reads both species at its entry.
"""

import numpy as np

from dfad.suite.data import wave

family = "T"
wrt = ("feed", "kill", "u")
outputs = ("u", "v")
sizes = {
    "S": {"N": 24, "steps": 20},
    "M": {"N": 128, "steps": 100},
    "L": {"N": 256, "steps": 200},
    "paper": {"N": 256, "steps": 2000},
}
port_limit = {"N": 256, "steps": 200}


def initialize(size):
    """A drop of the second species in the first, off the middle, and small waves in both."""
    size = sizes[size] if isinstance(size, str) else size
    N = size["N"]
    x = np.arange(N) / N
    drop = np.exp(-40.0 * ((x[:, None] - 0.45) ** 2 + (x - 0.4) ** 2))
    u, v = 0.95 - 0.5 * drop + 0.05 * wave(N, N, phase=0.4), 0.3 * drop + 0.03 * wave(N, N, phase=2.2)
    return {"u": u, "v": v, "feed": 0.035, "kill": 0.065, "steps": size["steps"]}


def tape_minimum(size):
    """The two species at the entry of every step but the first, whose entry is the caller's."""
    return 2 * max(size["steps"] - 1, 0) * size["N"] ** 2 * 8


def laplacian(a):
    return np.roll(a, 1, axis=0) + np.roll(a, -1, axis=0) + np.roll(a, 1, axis=1) + np.roll(a, -1, axis=1) - 4.0 * a


def gray_scott(u, v, feed, kill, steps):
    for t in range(steps):
        lu = laplacian(u)
        lv = laplacian(v)
        uvv = u * v * v
        u += 0.16 * lu - uvv + feed * (1.0 - u)
        v += 0.08 * lv + uvv - (feed + kill) * v


def _step(u, v, feed, kill):
    import jax.numpy as jnp

    def lap(a):
        return jnp.roll(a, 1, axis=0) + jnp.roll(a, -1, axis=0) + jnp.roll(a, 1, axis=1) + jnp.roll(a, -1, axis=1) - 4.0 * a

    uvv = u * v * v
    return u + 0.16 * lap(u) - uvv + feed * (1.0 - u), v + 0.08 * lap(v) + uvv - (feed + kill) * v


def jax_port(u, v, feed, kill, steps):
    from jax import lax

    return lax.fori_loop(0, steps, lambda t, state: _step(*state, feed, kill), (u, v))


def jax_best(u, v, feed, kill, steps):
    """A scan over time that carries the two species; each step is recomputed in the reverse, so that one pair per step is stored."""
    import jax
    from jax import lax

    step = jax.checkpoint(lambda state, _: (_step(*state, feed, kill), None))
    return lax.scan(step, (u, v), length=steps)[0]


function = gray_scott
