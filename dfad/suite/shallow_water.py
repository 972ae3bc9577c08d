"""The shallow water equations by the Lax-Friedrichs scheme: depth h and momenta hu, hv, a Gaussian hump between reflective walls.

    q' = mean of the four neighbours of q - c (F(q)[i+1,j] - F(q)[i-1,j] + G(q)[i,j+1] - G(q)[i,j-1]),   c = dt / 2 dx
    F = (hu, hu^2/h + g h^2/2, hu hv/h),   G = (hv, hu hv/h, hv^2/h + g h^2/2)

A wall mirrors the row beside it and turns the momentum across it round. A textbook scheme.

The reverse of a step reads the three fields at its entry; the fluxes are computed from them again.
"""

import numpy as np

from dfad.suite.data import wave

family = "T"
wrt = "h"
outputs = ("return",)
sizes = {
    "S": {"N": 24, "steps": 20},
    "M": {"N": 128, "steps": 100},
    "L": {"N": 256, "steps": 100},
    "paper": {"N": 256, "steps": 1000},
}
port_limit = {"N": 256, "steps": 100}


def initialize(size):
    """A hump of half the depth of the water, a third of the way along both axes, in water that moves a little."""
    size = sizes[size] if isinstance(size, str) else size
    N = size["N"]
    x = np.arange(N) / N
    hump = np.exp(-50.0 * ((x[:, None] - 0.35) ** 2 + (x - 0.4) ** 2))
    return {
        "h": 1.0 + 0.5 * hump,
        "hu": 0.1 * (wave(N, N) - 1.0),
        "hv": 0.1 * (wave(N, N, phase=1.7) - 1.0),
        "steps": size["steps"],
    }


def tape_minimum(size):
    """The three fields at the entry of every step but the first, whose entry is the caller's."""
    return 3 * max(size["steps"] - 1, 0) * size["N"] ** 2 * 8


def shallow_water(h, hu, hv, steps, c=0.05, g=9.81):
    hn = h.copy()
    hun = hu.copy()
    hvn = hv.copy()
    for t in range(steps):
        pressure = 0.5 * g * h * h
        fu = hu * hu / h + pressure
        fuv = hu * hv / h
        fv = hv * hv / h + pressure
        hn[1:-1, 1:-1] = 0.25 * (h[2:, 1:-1] + h[:-2, 1:-1] + h[1:-1, 2:] + h[1:-1, :-2]) - c * (
            hu[2:, 1:-1] - hu[:-2, 1:-1] + hv[1:-1, 2:] - hv[1:-1, :-2]
        )
        hun[1:-1, 1:-1] = 0.25 * (hu[2:, 1:-1] + hu[:-2, 1:-1] + hu[1:-1, 2:] + hu[1:-1, :-2]) - c * (
            fu[2:, 1:-1] - fu[:-2, 1:-1] + fuv[1:-1, 2:] - fuv[1:-1, :-2]
        )
        hvn[1:-1, 1:-1] = 0.25 * (hv[2:, 1:-1] + hv[:-2, 1:-1] + hv[1:-1, 2:] + hv[1:-1, :-2]) - c * (
            fuv[2:, 1:-1] - fuv[:-2, 1:-1] + fv[1:-1, 2:] - fv[1:-1, :-2]
        )
        # reflective walls
        hn[0, :] = hn[1, :]
        hn[-1, :] = hn[-2, :]
        hn[:, 0] = hn[:, 1]
        hn[:, -1] = hn[:, -2]
        hun[0, :] = -hun[1, :]
        hun[-1, :] = -hun[-2, :]
        hun[:, 0] = hun[:, 1]
        hun[:, -1] = hun[:, -2]
        hvn[0, :] = hvn[1, :]
        hvn[-1, :] = hvn[-2, :]
        hvn[:, 0] = -hvn[:, 1]
        hvn[:, -1] = -hvn[:, -2]
        h, hn = hn, h
        hu, hun = hun, hu
        hv, hvn = hvn, hv
    return h, hu, hv


def _mean(q):
    return 0.25 * (q[2:, 1:-1] + q[:-2, 1:-1] + q[1:-1, 2:] + q[1:-1, :-2])


def _divergence(f, g):
    return f[2:, 1:-1] - f[:-2, 1:-1] + g[1:-1, 2:] - g[1:-1, :-2]


def _inner(h, hu, hv, c, g):
    """The inner points of the three fields after one step."""
    pressure = 0.5 * g * h * h
    fu, fuv, fv = hu * hu / h + pressure, hu * hv / h, hv * hv / h + pressure
    return _mean(h) - c * _divergence(hu, hv), _mean(hu) - c * _divergence(fu, fuv), _mean(hv) - c * _divergence(fuv, fv)


def jax_port(h, hu, hv, steps, c=0.05, g=9.81):
    from jax import lax

    def walled(q, inner, across, along):
        q = q.at[1:-1, 1:-1].set(inner)
        q = q.at[0, :].set(across * q[1, :])
        q = q.at[-1, :].set(across * q[-2, :])
        q = q.at[:, 0].set(along * q[:, 1])
        return q.at[:, -1].set(along * q[:, -2])

    def step(t, state):
        h, hu, hv, hn, hun, hvn = state
        depth, along, across = _inner(h, hu, hv, c, g)
        return walled(hn, depth, 1.0, 1.0), walled(hun, along, -1.0, 1.0), walled(hvn, across, 1.0, -1.0), h, hu, hv

    return lax.fori_loop(0, steps, step, (h, hu, hv, h, hu, hv))[:3]


def jax_best(h, hu, hv, steps, c=0.05, g=9.81):
    """A scan over time that carries three fields, walls joined on; a step is recomputed in the reverse: three fields stored a step."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    def walled(inner, across, along):
        rows = jnp.concatenate([across * inner[:1], inner, across * inner[-1:]], axis=0)
        return jnp.concatenate([along * rows[:, :1], rows, along * rows[:, -1:]], axis=1)

    @jax.checkpoint
    def step(state, _):
        depth, along, across = _inner(*state, c, g)
        return (walled(depth, 1.0, 1.0), walled(along, -1.0, 1.0), walled(across, 1.0, -1.0)), None

    return lax.scan(step, (h, hu, hv), length=steps)[0]


function = shallow_water
