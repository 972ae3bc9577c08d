"""Flow in a channel driven by a force: the incompressible Navier-Stokes equations, periodic along the channel, until it is steady.

As cavity_flow, with periodic borders in x and walls in y; the steps end when the sum of u changes by less than a thousandth in a step.
Name and algorithm are those of `channel_flow` in NPBench, from Barba's "12 steps to Navier-Stokes".

JAX can run such a loop but not reverse it; there is no `jax_best`, which would have to be told the number of steps.
"""

import numpy as np

from dfad.suite.data import wave

family = "L"
wrt = ("u", "F")
outputs = ("u", "v", "p")
no_reverse = "JAX has no reverse for a loop whose length depends on data"
sizes = {
    "S": {"ny": 21, "nx": 21, "nit": 5},
    "M": {"ny": 41, "nx": 41, "nit": 20},
    "L": {"ny": 61, "nx": 61, "nit": 50},
    "paper": {"ny": 101, "nx": 101, "nit": 50},
}


def initialize(size):
    """A small wave of velocity and pressure everywhere, so that no derivative is zero by accident."""
    size = sizes[size] if isinstance(size, str) else size
    ny, nx = size["ny"], size["nx"]
    return {
        "nit": size["nit"],
        "u": 0.1 * wave(ny, nx),
        "v": 0.1 * wave(ny, nx, phase=1.1),
        "p": 0.1 * wave(ny, nx, phase=1.9),
        "dx": 2.0 / (nx - 1),
        "dy": 2.0 / (ny - 1),
        "dt": 1.0 / (nx * ny),
        "rho": 1.0,
        "nu": 0.1,
        "F": 1.0,
    }


def source(rho, dt, u, v, dx, dy):
    b = np.zeros_like(u)
    b[1:-1, 1:-1] = rho * (
        1.0 / dt * ((u[1:-1, 2:] - u[1:-1, :-2]) / (2.0 * dx) + (v[2:, 1:-1] - v[:-2, 1:-1]) / (2.0 * dy))
        - ((u[1:-1, 2:] - u[1:-1, :-2]) / (2.0 * dx)) ** 2
        - 2.0 * ((u[2:, 1:-1] - u[:-2, 1:-1]) / (2.0 * dy) * (v[1:-1, 2:] - v[1:-1, :-2]) / (2.0 * dx))
        - ((v[2:, 1:-1] - v[:-2, 1:-1]) / (2.0 * dy)) ** 2
    )
    b[1:-1, -1] = rho * (
        1.0 / dt * ((u[1:-1, 0] - u[1:-1, -2]) / (2.0 * dx) + (v[2:, -1] - v[:-2, -1]) / (2.0 * dy))
        - ((u[1:-1, 0] - u[1:-1, -2]) / (2.0 * dx)) ** 2
        - 2.0 * ((u[2:, -1] - u[:-2, -1]) / (2.0 * dy) * (v[1:-1, 0] - v[1:-1, -2]) / (2.0 * dx))
        - ((v[2:, -1] - v[:-2, -1]) / (2.0 * dy)) ** 2
    )
    b[1:-1, 0] = rho * (
        1.0 / dt * ((u[1:-1, 1] - u[1:-1, -1]) / (2.0 * dx) + (v[2:, 0] - v[:-2, 0]) / (2.0 * dy))
        - ((u[1:-1, 1] - u[1:-1, -1]) / (2.0 * dx)) ** 2
        - 2.0 * ((u[2:, 0] - u[:-2, 0]) / (2.0 * dy) * (v[1:-1, 1] - v[1:-1, -1]) / (2.0 * dx))
        - ((v[2:, 0] - v[:-2, 0]) / (2.0 * dy)) ** 2
    )
    return b


def pressure(nit, p, dx, dy, b):
    for q in range(nit):
        pn = p.copy()
        p[1:-1, 1:-1] = ((pn[1:-1, 2:] + pn[1:-1, :-2]) * dy**2 + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * dx**2) / (
            2.0 * (dx**2 + dy**2)
        ) - dx**2 * dy**2 / (2.0 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
        p[1:-1, -1] = ((pn[1:-1, 0] + pn[1:-1, -2]) * dy**2 + (pn[2:, -1] + pn[:-2, -1]) * dx**2) / (
            2.0 * (dx**2 + dy**2)
        ) - dx**2 * dy**2 / (2.0 * (dx**2 + dy**2)) * b[1:-1, -1]
        p[1:-1, 0] = ((pn[1:-1, 1] + pn[1:-1, -1]) * dy**2 + (pn[2:, 0] + pn[:-2, 0]) * dx**2) / (
            2.0 * (dx**2 + dy**2)
        ) - dx**2 * dy**2 / (2.0 * (dx**2 + dy**2)) * b[1:-1, 0]
        p[-1, :] = p[-2, :]
        p[0, :] = p[1, :]


def channel_flow(nit, u, v, p, dx, dy, dt, rho, nu, F):
    udiff = 1.0
    while udiff > 0.001:
        un = u.copy()
        vn = v.copy()
        b = source(rho, dt, u, v, dx, dy)
        pressure(nit, p, dx, dy, b)
        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, :-2])
            - vn[1:-1, 1:-1] * dt / dy * (un[1:-1, 1:-1] - un[:-2, 1:-1])
            - dt / (2.0 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
            + nu
            * (
                dt / dx**2 * (un[1:-1, 2:] - 2.0 * un[1:-1, 1:-1] + un[1:-1, :-2])
                + dt / dy**2 * (un[2:, 1:-1] - 2.0 * un[1:-1, 1:-1] + un[:-2, 1:-1])
            )
            + F * dt
        )
        v[1:-1, 1:-1] = (
            vn[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (vn[1:-1, 1:-1] - vn[1:-1, :-2])
            - vn[1:-1, 1:-1] * dt / dy * (vn[1:-1, 1:-1] - vn[:-2, 1:-1])
            - dt / (2.0 * rho * dy) * (p[2:, 1:-1] - p[:-2, 1:-1])
            + nu
            * (
                dt / dx**2 * (vn[1:-1, 2:] - 2.0 * vn[1:-1, 1:-1] + vn[1:-1, :-2])
                + dt / dy**2 * (vn[2:, 1:-1] - 2.0 * vn[1:-1, 1:-1] + vn[:-2, 1:-1])
            )
        )
        u[1:-1, -1] = (
            un[1:-1, -1]
            - un[1:-1, -1] * dt / dx * (un[1:-1, -1] - un[1:-1, -2])
            - vn[1:-1, -1] * dt / dy * (un[1:-1, -1] - un[:-2, -1])
            - dt / (2.0 * rho * dx) * (p[1:-1, 0] - p[1:-1, -2])
            + nu
            * (
                dt / dx**2 * (un[1:-1, 0] - 2.0 * un[1:-1, -1] + un[1:-1, -2])
                + dt / dy**2 * (un[2:, -1] - 2.0 * un[1:-1, -1] + un[:-2, -1])
            )
            + F * dt
        )
        u[1:-1, 0] = (
            un[1:-1, 0]
            - un[1:-1, 0] * dt / dx * (un[1:-1, 0] - un[1:-1, -1])
            - vn[1:-1, 0] * dt / dy * (un[1:-1, 0] - un[:-2, 0])
            - dt / (2.0 * rho * dx) * (p[1:-1, 1] - p[1:-1, -1])
            + nu
            * (
                dt / dx**2 * (un[1:-1, 1] - 2.0 * un[1:-1, 0] + un[1:-1, -1])
                + dt / dy**2 * (un[2:, 0] - 2.0 * un[1:-1, 0] + un[:-2, 0])
            )
            + F * dt
        )
        v[1:-1, -1] = (
            vn[1:-1, -1]
            - un[1:-1, -1] * dt / dx * (vn[1:-1, -1] - vn[1:-1, -2])
            - vn[1:-1, -1] * dt / dy * (vn[1:-1, -1] - vn[:-2, -1])
            - dt / (2.0 * rho * dy) * (p[2:, -1] - p[:-2, -1])
            + nu
            * (
                dt / dx**2 * (vn[1:-1, 0] - 2.0 * vn[1:-1, -1] + vn[1:-1, -2])
                + dt / dy**2 * (vn[2:, -1] - 2.0 * vn[1:-1, -1] + vn[:-2, -1])
            )
        )
        v[1:-1, 0] = (
            vn[1:-1, 0]
            - un[1:-1, 0] * dt / dx * (vn[1:-1, 0] - vn[1:-1, -1])
            - vn[1:-1, 0] * dt / dy * (vn[1:-1, 0] - vn[:-2, 0])
            - dt / (2.0 * rho * dy) * (p[2:, 0] - p[:-2, 0])
            + nu
            * (
                dt / dx**2 * (vn[1:-1, 1] - 2.0 * vn[1:-1, 0] + vn[1:-1, -1])
                + dt / dy**2 * (vn[2:, 0] - 2.0 * vn[1:-1, 0] + vn[:-2, 0])
            )
        )
        u[0, :] = 0.0
        u[-1, :] = 0.0
        v[0, :] = 0.0
        v[-1, :] = 0.0
        udiff = (np.sum(u) - np.sum(un)) / np.sum(u)


def jax_port(nit, u, v, p, dx, dy, dt, rho, nu, F):
    """The borders as rolled arrays; `while_loop`, which JAX can run but not reverse."""
    import jax.numpy as jnp
    from jax import lax

    def around(w):
        here = w[1:-1]
        return here, jnp.roll(here, -1, axis=1), jnp.roll(here, 1, axis=1), w[2:], w[:-2]

    def sweep(p, b):
        _, east, west, north, south = around(p)
        half = 2.0 * (dx**2 + dy**2)
        inner = ((east + west) * dy**2 + (north + south) * dx**2) / half - dx**2 * dy**2 / half * b
        return jnp.concatenate([inner[:1], inner, inner[-1:]])

    def step(state):
        u, v, p, _ = state
        (uh, ue, uw, un, us), (vh, ve, vw, vn, vs) = around(u), around(v)
        u_x, u_y = (ue - uw) / (2.0 * dx), (un - us) / (2.0 * dy)
        v_x, v_y = (ve - vw) / (2.0 * dx), (vn - vs) / (2.0 * dy)
        b = rho * (1.0 / dt * (u_x + v_y) - u_x**2 - 2.0 * u_y * v_x - v_y**2)
        p = lax.fori_loop(0, nit, lambda q, p: sweep(p, b), p)
        _, pe, pw, pn, ps = around(p)

        def moved(here, east, west, north, south, push):
            carried = uh * dt / dx * (here - west) + vh * dt / dy * (here - south)
            spread = dt / dx**2 * (east - 2.0 * here + west) + dt / dy**2 * (north - 2.0 * here + south)
            return jnp.pad(here - carried - push + nu * spread, ((1, 1), (0, 0)))

        new = moved(uh, ue, uw, un, us, dt / (2.0 * rho * dx) * (pe - pw) - F * dt)
        v = moved(vh, ve, vw, vn, vs, dt / (2.0 * rho * dy) * (pn - ps))
        return new, v, p, (jnp.sum(new) - jnp.sum(u)) / jnp.sum(new)

    return lax.while_loop(lambda state: state[3] > 0.001, step, (u, v, p, 1.0))[:3]


function = channel_flow
