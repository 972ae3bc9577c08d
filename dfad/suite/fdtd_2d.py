"""Maxwell's equations in two dimensions: electric field (ex, ey) and magnetic field hz, updated in place one after the other.

Finite differences in time; the first row of ey is driven by the given signal, one value per step. T counts the steps. Name and
algorithm are those of `fdtd-2d` in PolyBench and NPBench.

The map is linear: its gradient needs no recorded value.
"""

from dfad.suite.data import wave

family = "L"
wrt = ("ex", "hz")
outputs = ("ex", "ey", "hz")
sizes = {
    "S": {"T": 10, "NX": 40, "NY": 50},
    "M": {"T": 60, "NX": 200, "NY": 220},
    "L": {"T": 150, "NX": 500, "NY": 600},
    "paper": {"T": 500, "NX": 1000, "NY": 1200},
}
port_limit = {"T": 10, "NX": 60, "NY": 70}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    T, NX, NY = size["T"], size["NX"], size["NY"]
    return {"T": T, "ex": wave(NX, NY), "ey": wave(NX, NY, phase=1.1), "hz": wave(NX, NY, phase=1.9), "signal": wave(T, phase=2.3)}


def tape_minimum(size):
    return 0


def fdtd_2d(T, ex, ey, hz, signal):
    for t in range(T):
        ey[0, :] = signal[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def jax_port(T, ex, ey, hz, signal):
    from jax import lax

    NX, NY = ex.shape

    def cells(rows, columns, cell, array):
        def row(i, array):
            return lax.fori_loop(*columns, lambda j, array: cell(i, j, array), array)

        return lax.fori_loop(*rows, row, array)

    def step(t, state):
        ex, ey, hz = state
        ey = lax.fori_loop(0, NY, lambda j, ey: ey.at[0, j].set(signal[t]), ey)
        ey = cells((1, NX), (0, NY), lambda i, j, ey: ey.at[i, j].add(-0.5 * (hz[i, j] - hz[i - 1, j])), ey)
        ex = cells((0, NX), (1, NY), lambda i, j, ex: ex.at[i, j].add(-0.5 * (hz[i, j] - hz[i, j - 1])), ex)

        def curl(i, j, hz):
            return hz.at[i, j].add(-0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j]))

        return ex, ey, cells((0, NX - 1), (0, NY - 1), curl, hz)

    return lax.fori_loop(0, T, step, (ex, ey, hz))


def jax_best(T, ex, ey, hz, signal):
    """A scan over time of whole-array steps: linear, nothing stored."""
    import jax.numpy as jnp
    from jax import lax

    def step(state, drive):
        ex, ey, hz = state
        first = jnp.full((1, ey.shape[1]), drive)
        ey = jnp.concatenate([first, ey[1:] - 0.5 * (hz[1:] - hz[:-1])])
        ex = jnp.concatenate([ex[:, :1], ex[:, 1:] - 0.5 * (hz[:, 1:] - hz[:, :-1])], axis=1)
        inner = 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
        return (ex, ey, hz - jnp.pad(inner, ((0, 1), (0, 1)))), None

    return lax.scan(step, (ex, ey, hz), signal[:T])[0]


function = fdtd_2d
