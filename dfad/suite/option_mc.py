"""A down-and-out call option under stochastic volatility, by Monte Carlo: one path after the other, normals given as arrays.

    v = max(v + kappa (theta - v) dt + xi sqrt(v dt) z2, 0);   S *= exp((r - v/2) dt + sqrt(v dt) z1);   S < barrier: the path is worth 0

The Heston model (1993) with an Euler step for the variance; the value is the discounted mean of max(S - K, 0). Two
paths in five end at the barrier. The variance stays well above 0 with these parameters, so that its square root has a derivative.

The reverse of a step reads the variance and the price that it found or left, of each path that was still alive.
"""

import numpy as np

family = "T"
wrt = ("S0", "v0", "kappa", "theta", "xi")
outputs = ("return",)
sizes = {
    "S": {"paths": 20, "steps": 24},
    "M": {"paths": 2000, "steps": 100},
    "L": {"paths": 20000, "steps": 252},
    "paper": {"paths": 100000, "steps": 252},
}
port_limit = {"paths": 500, "steps": 50}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    random = np.random.default_rng(7)
    shape = (size["paths"], size["steps"])
    return {
        "S0": 100.0,
        "v0": 0.09,
        "kappa": 2.0,
        "theta": 0.09,
        "xi": 0.2,
        "z1": random.standard_normal(shape),
        "z2": random.standard_normal(shape),
    }


def tape_minimum(size):
    """Price and variance of each path and step."""
    return 2 * size["paths"] * size["steps"] * 8


def option_mc(S0, v0, kappa, theta, xi, z1, z2, K=95.0, barrier=80.0, r=0.02, years=1.0):
    paths, steps = z1.shape
    dt = years / steps
    total = 0.0
    for p in range(paths):
        S = S0
        v = v0
        for t in range(steps):
            v = max(v + kappa * (theta - v) * dt + xi * np.sqrt(v * dt) * z2[p, t], 0.0)
            S *= np.exp((r - 0.5 * v) * dt + np.sqrt(v * dt) * z1[p, t])
            if S < barrier:
                S = 0.0
                break
        total += max(S - K, 0.0)
    return np.exp(-r * years) * total / paths


def _step(S, v, z1, z2, kappa, theta, xi, r, dt):
    import jax.numpy as jnp

    v = jnp.maximum(v + kappa * (theta - v) * dt + xi * jnp.sqrt(v * dt) * z2, 0.0)
    return S * jnp.exp((r - 0.5 * v) * dt + jnp.sqrt(v * dt) * z1), v


def jax_port(S0, v0, kappa, theta, xi, z1, z2, K=95.0, barrier=80.0, r=0.02, years=1.0):
    """Path by path; `break` becomes a flag, since a loop that ends early has no reverse."""
    import jax.numpy as jnp
    from jax import lax

    paths, steps = z1.shape
    dt = years / steps

    def path(p, total):
        def step(t, state):
            S, v = state
            new, variance = _step(S, v, z1[p, t], z2[p, t], kappa, theta, xi, r, dt)
            new = jnp.where(new < barrier, 0.0, new)
            return jnp.where(S > 0.0, new, 0.0), jnp.where(S > 0.0, variance, v)

        S, _ = lax.fori_loop(0, steps, step, (S0, v0))
        return total + jnp.maximum(S - K, 0.0)

    return jnp.exp(-r * years) * lax.fori_loop(0, paths, path, 0.0) / paths


def jax_best(S0, v0, kappa, theta, xi, z1, z2, K=95.0, barrier=80.0, r=0.02, years=1.0):
    """A scan over time of all paths at once, dead ones carried along; a step is recomputed in the reverse: price and variance stored."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    paths, steps = z1.shape
    dt = years / steps

    @jax.checkpoint
    def step(state, normals):
        S, v = state
        new, v = _step(S, v, *normals, kappa, theta, xi, r, dt)
        return (jnp.where((S > 0.0) & (new >= barrier), new, 0.0), v), None

    start = (jnp.full(paths, S0), jnp.full(paths, v0))
    (S, _), _ = lax.scan(step, start, (z1.T, z2.T))
    return jnp.exp(-r * years) * jnp.mean(jnp.maximum(S - K, 0.0))


function = option_mc
