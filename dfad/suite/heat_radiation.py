"""Heat conduction with radiation: explicit in time, in place, a conductivity that depends on the temperature, a sink of its fourth power.

    T += dt (div(kappa(T) grad T) - s (T^4 - T0^4)),   kappa = conductivity (1 + b T), averaged on the faces between cells

The borders stay fixed. A textbook scheme, with the fluxes through the faces as arrays of their own.

The reverse of a step reads the temperature at its entry; fluxes and conductivities are computed from it again.
"""

from dfad.suite.data import wave

family = "T"
wrt = ("T", "conductivity")
outputs = ("T",)
sizes = {
    "S": {"N": 24, "steps": 20},
    "M": {"N": 128, "steps": 100},
    "L": {"N": 256, "steps": 200},
    "paper": {"N": 512, "steps": 500},
}
port_limit = {"N": 256, "steps": 200}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    N = size["N"]
    return {"T": wave(N, N), "conductivity": wave(N, N, phase=1.1), "steps": size["steps"]}


def tape_minimum(size):
    """The inner temperatures at the entry of every step but the first, whose entry is the caller's."""
    return max(size["steps"] - 1, 0) * (size["N"] - 2) ** 2 * 8


def heat_radiation(T, conductivity, steps, dt=0.05, b=0.3, s=0.2, T0=0.8):
    for t in range(steps):
        kappa = conductivity * (1.0 + b * T)
        qx = 0.5 * (kappa[1:, :] + kappa[:-1, :]) * (T[1:, :] - T[:-1, :])
        qy = 0.5 * (kappa[:, 1:] + kappa[:, :-1]) * (T[:, 1:] - T[:, :-1])
        div = qx[1:, 1:-1] - qx[:-1, 1:-1] + qy[1:-1, 1:] - qy[1:-1, :-1]
        T[1:-1, 1:-1] += dt * (div - s * (T[1:-1, 1:-1] ** 4 - T0**4))


def _change(T, conductivity, dt, b, s, T0):
    """What a step adds to the inner cells."""
    kappa = conductivity * (1.0 + b * T)
    qx = 0.5 * (kappa[1:, :] + kappa[:-1, :]) * (T[1:, :] - T[:-1, :])
    qy = 0.5 * (kappa[:, 1:] + kappa[:, :-1]) * (T[:, 1:] - T[:, :-1])
    div = qx[1:, 1:-1] - qx[:-1, 1:-1] + qy[1:-1, 1:] - qy[1:-1, :-1]
    return dt * (div - s * (T[1:-1, 1:-1] ** 4 - T0**4))


def jax_port(T, conductivity, steps, dt=0.05, b=0.3, s=0.2, T0=0.8):
    from jax import lax

    def step(t, T):
        return T.at[1:-1, 1:-1].add(_change(T, conductivity, dt, b, s, T0))

    return lax.fori_loop(0, steps, step, T)


def jax_best(T, conductivity, steps, dt=0.05, b=0.3, s=0.2, T0=0.8):
    """A scan over time that carries the temperature; each step is recomputed in the reverse, so that one field per step is stored."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    @jax.checkpoint
    def step(T, _):
        return T + jnp.pad(_change(T, conductivity, dt, b, s, T0), 1), None

    return lax.scan(step, T, length=steps)[0]


function = heat_radiation
