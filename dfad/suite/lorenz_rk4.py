"""Many independent Lorenz systems, integrated by the classical Runge-Kutta method: the state is an array of three rows, updated in place.

    x' = sigma (y - x),   y' = x (rho - z) - y,   z' = x y - beta z

Chaotic, with a largest Lyapunov exponent of 0.9: gradients are compared within 200 steps of 0.01, where the condition of the map
stays below a thousand. At the published 10,000 steps a gradient is a number without meaning, in every system.

The reverse of a step reads the state at its entry; the four stages are computed from it again.
"""

import numpy as np

from dfad.suite.data import wave

family = "T"
wrt = ("state", "sigma", "rho", "beta")
outputs = ("state",)
sizes = {
    "S": {"N": 20, "steps": 50},
    "M": {"N": 1000, "steps": 200},
    "L": {"N": 10000, "steps": 200},
    "paper": {"N": 1000, "steps": 10000},
}
port_limit = {"N": 10000, "steps": 200}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    offset = np.array([[1.0], [2.0], [20.0]])
    return {
        "state": offset + 4.0 * (wave(3, size["N"]) - 1.0),
        "sigma": 10.0,
        "rho": 28.0,
        "beta": 8.0 / 3.0,
        "steps": size["steps"],
    }


def tape_minimum(size):
    """The state at the entry of every step but the first, whose entry is the caller's."""
    return max(size["steps"] - 1, 0) * 3 * size["N"] * 8


def lorenz(s, sigma, rho, beta):
    x = s[0]
    y = s[1]
    z = s[2]
    return np.stack((sigma * (y - x), x * (rho - z) - y, x * y - beta * z))


def lorenz_rk4(state, sigma, rho, beta, steps, dt=0.01):
    for t in range(steps):
        k1 = lorenz(state, sigma, rho, beta)
        k2 = lorenz(state + 0.5 * dt * k1, sigma, rho, beta)
        k3 = lorenz(state + 0.5 * dt * k2, sigma, rho, beta)
        k4 = lorenz(state + dt * k3, sigma, rho, beta)
        state += dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def _step(state, sigma, rho, beta, dt):
    import jax.numpy as jnp

    def slope(s):
        x, y, z = s
        return jnp.stack((sigma * (y - x), x * (rho - z) - y, x * y - beta * z))

    k1 = slope(state)
    k2 = slope(state + 0.5 * dt * k1)
    k3 = slope(state + 0.5 * dt * k2)
    k4 = slope(state + dt * k3)
    return state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def jax_port(state, sigma, rho, beta, steps, dt=0.01):
    from jax import lax

    return lax.fori_loop(0, steps, lambda t, state: _step(state, sigma, rho, beta, dt), state)


def jax_best(state, sigma, rho, beta, steps, dt=0.01):
    """A scan over time that carries three vectors, never stacked; a step is recomputed in the reverse: one state stored a step."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    def slope(x, y, z):
        return sigma * (y - x), x * (rho - z) - y, x * y - beta * z

    def moved(s, k, by):
        return tuple(a + by * b for a, b in zip(s, k, strict=True))

    @jax.checkpoint
    def step(s, _):
        k1 = slope(*s)
        k2 = slope(*moved(s, k1, 0.5 * dt))
        k3 = slope(*moved(s, k2, 0.5 * dt))
        k4 = slope(*moved(s, k3, dt))
        mean = tuple(a + 2.0 * b + 2.0 * c + d for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
        return moved(s, mean, dt / 6.0), None

    return jnp.stack(lax.scan(step, tuple(state), length=steps)[0])


function = lorenz_rk4
