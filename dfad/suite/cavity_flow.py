"""Flow in a cavity whose lid moves: the incompressible Navier-Stokes equations in two dimensions, explicit in time.

Each step takes the source of a Poisson equation from the velocities, relaxes the pressure by `nit` sweeps, and updates the
velocities upwind. Name and algorithm are those of `cavity_flow` in NPBench, from Barba's "12 steps to Navier-Stokes".
"""

import numpy as np

from dfad.suite.data import wave

family = "L"
wrt = "u"
outputs = ("u", "v", "p")
sizes = {
    "S": {"ny": 21, "nx": 21, "nt": 10, "nit": 5},
    "M": {"ny": 61, "nx": 61, "nt": 50, "nit": 20},
    "L": {"ny": 101, "nx": 101, "nt": 200, "nit": 50},
    "paper": {"ny": 101, "nx": 101, "nt": 700, "nit": 50},
}
port_limit = {"ny": 21, "nx": 21, "nt": 5, "nit": 5}


def initialize(size):
    """A small wave of velocity and pressure everywhere, so that no derivative is zero by accident."""
    size = sizes[size] if isinstance(size, str) else size
    ny, nx = size["ny"], size["nx"]
    return {
        "nt": size["nt"],
        "nit": size["nit"],
        "u": 0.1 * wave(ny, nx),
        "v": 0.1 * wave(ny, nx, phase=1.1),
        "p": 0.1 * wave(ny, nx, phase=1.9),
        "dx": 2.0 / (nx - 1),
        "dy": 2.0 / (ny - 1),
        "dt": 1.0 / (nx * ny),
        "rho": 1.0,
        "nu": 0.1,
    }


def tape_minimum(size):
    """The inner velocities at the beginning of each step but the first, which is the entry; the border is constant from then on."""
    return 8 * 2 * (size["ny"] - 2) * (size["nx"] - 2) * max(size["nt"] - 1, 0)


def source(b, rho, dt, u, v, dx, dy):
    b[1:-1, 1:-1] = rho * (
        1.0 / dt * ((u[1:-1, 2:] - u[1:-1, :-2]) / (2.0 * dx) + (v[2:, 1:-1] - v[:-2, 1:-1]) / (2.0 * dy))
        - ((u[1:-1, 2:] - u[1:-1, :-2]) / (2.0 * dx)) ** 2
        - 2.0 * ((u[2:, 1:-1] - u[:-2, 1:-1]) / (2.0 * dy) * (v[1:-1, 2:] - v[1:-1, :-2]) / (2.0 * dx))
        - ((v[2:, 1:-1] - v[:-2, 1:-1]) / (2.0 * dy)) ** 2
    )


def pressure(nit, p, dx, dy, b):
    for q in range(nit):
        pn = p.copy()
        p[1:-1, 1:-1] = ((pn[1:-1, 2:] + pn[1:-1, :-2]) * dy**2 + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * dx**2) / (
            2.0 * (dx**2 + dy**2)
        ) - dx**2 * dy**2 / (2.0 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0.0


def cavity_flow(nt, nit, u, v, p, dx, dy, dt, rho, nu):
    b = np.zeros_like(u)
    for n in range(nt):
        un = u.copy()
        vn = v.copy()
        source(b, rho, dt, u, v, dx, dy)
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
        u[0, :] = 0.0
        u[:, 0] = 0.0
        u[:, -1] = 0.0
        u[-1, :] = 1.0
        v[0, :] = 0.0
        v[-1, :] = 0.0
        v[:, 0] = 0.0
        v[:, -1] = 0.0


def jax_port(nt, nit, u, v, p, dx, dy, dt, rho, nu):
    """The slices as written, each a new array; fori_loop over the steps and the sweeps."""
    from jax import lax

    inner = (slice(1, -1), slice(1, -1))
    east, west = (slice(1, -1), slice(2, None)), (slice(1, -1), slice(None, -2))
    north, south = (slice(2, None), slice(1, -1)), (slice(None, -2), slice(1, -1))

    def source_of(u, v):
        u_x, v_y = (u[east] - u[west]) / (2.0 * dx), (v[north] - v[south]) / (2.0 * dy)
        u_y, v_x = (u[north] - u[south]) / (2.0 * dy), (v[east] - v[west]) / (2.0 * dx)
        return rho * (1.0 / dt * (u_x + v_y) - u_x**2 - 2.0 * (u_y * v_x) - v_y**2)

    def sweep(p, b):
        total = (p[east] + p[west]) * dy**2 + (p[north] + p[south]) * dx**2
        p = p.at[inner].set(total / (2.0 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2.0 * (dx**2 + dy**2)) * b)
        p = p.at[:, -1].set(p[:, -2])
        p = p.at[0].set(p[1])
        p = p.at[:, 0].set(p[:, 1])
        return p.at[-1].set(0.0)

    def moved(w, u, v, push):
        carried = u[inner] * dt / dx * (w[inner] - w[west]) + v[inner] * dt / dy * (w[inner] - w[south])
        spread = dt / dx**2 * (w[east] - 2.0 * w[inner] + w[west]) + dt / dy**2 * (w[north] - 2.0 * w[inner] + w[south])
        return w.at[inner].set(w[inner] - carried - push + nu * spread)

    def step(n, state):
        u, v, p = state
        b = source_of(u, v)
        p = lax.fori_loop(0, nit, lambda q, p: sweep(p, b), p)
        u, v = (
            moved(u, u, v, dt / (2.0 * rho * dx) * (p[east] - p[west])),
            moved(v, u, v, dt / (2.0 * rho * dy) * (p[north] - p[south])),
        )
        u = u.at[0].set(0.0).at[:, 0].set(0.0).at[:, -1].set(0.0).at[-1].set(1.0)
        v = v.at[0].set(0.0).at[-1].set(0.0).at[:, 0].set(0.0).at[:, -1].set(0.0)
        return u, v, p

    return lax.fori_loop(0, nt, step, (u, v, p))


def jax_best(nt, nit, u, v, p, dx, dy, dt, rho, nu):
    """Borders are padded round the interior, which XLA fuses; a step is recomputed in the reverse, so that one state per step is kept."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    half = 2.0 * (dx**2 + dy**2)

    def differences(w):
        here, east, west, north, south = w[1:-1, 1:-1], w[1:-1, 2:], w[1:-1, :-2], w[2:, 1:-1], w[:-2, 1:-1]
        return here, east, west, north, south

    def sweep(p, b):
        _, east, west, north, south = differences(p)
        new = ((east + west) * dy**2 + (north + south) * dx**2) / half - b
        return jnp.pad(jnp.pad(new, ((1, 0), (1, 1)), mode="edge"), ((0, 1), (0, 0))), None

    @jax.checkpoint
    def step(state, _):
        u, v, p = state
        (uh, ue, uw, un, us), (vh, ve, vw, vn, vs) = differences(u), differences(v)
        u_x, u_y = (ue - uw) / (2.0 * dx), (un - us) / (2.0 * dy)
        v_x, v_y = (ve - vw) / (2.0 * dx), (vn - vs) / (2.0 * dy)
        b = dx**2 * dy**2 / half * rho * (1.0 / dt * (u_x + v_y) - u_x**2 - 2.0 * u_y * v_x - v_y**2)
        p, _ = lax.scan(lambda p, _: sweep(p, b), p, length=nit)
        _, pe, pw, pn, ps = differences(p)

        def moved(here, east, west, north, south, push):
            carried = uh * dt / dx * (here - west) + vh * dt / dy * (here - south)
            spread = dt / dx**2 * (east - 2.0 * here + west) + dt / dy**2 * (north - 2.0 * here + south)
            return here - carried - push + nu * spread

        u = moved(uh, ue, uw, un, us, dt / (2.0 * rho * dx) * (pe - pw))
        v = moved(vh, ve, vw, vn, vs, dt / (2.0 * rho * dy) * (pn - ps))
        lid = jnp.pad(u, ((1, 0), (1, 1)))
        return (jnp.concatenate([lid, jnp.ones((1, lid.shape[1]))]), jnp.pad(v, 1), p), None

    return lax.scan(step, (u, v, p), length=nt)[0]


function = cavity_flow
