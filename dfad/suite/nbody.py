"""Bodies under their own gravity: leapfrog steps with softened pairwise forces, kinetic and potential energy after each step.

Name and algorithm are those of `nbody` in NPBench, from Mocz's "Create your own N-body simulation".
"""

import numpy as np

from dfad.suite.data import wave

family = "L"
wrt = ("pos", "vel")
outputs = ("return",)
sizes = {
    "S": {"N": 10, "T": 10},
    "M": {"N": 50, "T": 50},
    "L": {"N": 100, "T": 200},
    "paper": {"N": 100, "T": 1000},
}
port_limit = {"N": 20, "T": 10}


def initialize(size):
    """Steps short enough that the map's condition stays small: the horizon is below one crossing time at every size."""
    size = sizes[size] if isinstance(size, str) else size
    N = size["N"]
    turns = np.outer(np.arange(N), [0.7548776662466927, 0.5698402909980532, 0.3819660112501051])
    return {
        "mass": 20.0 / N * wave(N, 1),
        "pos": 2.0 * (turns - np.floor(turns)) - 1.0,
        "vel": wave(N, 3, phase=1.9) - 1.0,
        "T": size["T"],
        "dt": 0.5 / max(size["T"], 50),
        "G": 1.0,
        "softening": 0.1,
    }


def tape_minimum(size):
    """The positions that forces and potentials read, all but those at entry and those left at the end; the velocities that kinetic energies
    read, all but those left at the end."""
    return 8 * 3 * size["N"] * max(2 * size["T"] - 1, 0)


def acceleration(pos, mass, G, softening):
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inverse = dx**2 + dy**2 + dz**2 + softening**2
    inverse[inverse > 0] = inverse[inverse > 0] ** (-1.5)
    ax = G * (dx * inverse) @ mass
    ay = G * (dy * inverse) @ mass
    az = G * (dz * inverse) @ mass
    return np.hstack((ax, ay, az))


def energy(pos, vel, mass, G):
    kinetic = 0.5 * np.sum(mass * vel**2)
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inverse = np.sqrt(dx**2 + dy**2 + dz**2)
    inverse[inverse > 0] = 1.0 / inverse[inverse > 0]
    potential = G * np.sum(np.triu(-(mass * mass.T) * inverse, 1))
    return kinetic, potential


def nbody(mass, pos, vel, T, dt, G, softening):
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
    acc = acceleration(pos, mass, G, softening)
    kinetic = np.empty(T + 1)
    potential = np.empty(T + 1)
    kinetic[0], potential[0] = energy(pos, vel, mass, G)
    for t in range(T):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = acceleration(pos, mass, G, softening)
        vel += acc * dt / 2.0
        kinetic[t + 1], potential[t + 1] = energy(pos, vel, mass, G)
    return kinetic, potential


def jax_port(mass, pos, vel, T, dt, G, softening):
    """Array code with `where` for the masks, a fori_loop over the steps that writes the energies."""
    import jax.numpy as jnp
    from jax import lax

    def differences(pos):
        return [pos[:, axis : axis + 1].T - pos[:, axis : axis + 1] for axis in range(3)]

    def acceleration(pos):
        dx, dy, dz = differences(pos)
        inverse = (dx**2 + dy**2 + dz**2 + softening**2) ** (-1.5)
        return jnp.hstack([G * (d * inverse) @ mass for d in (dx, dy, dz)])

    def energy(pos, vel):
        dx, dy, dz = differences(pos)
        square = dx**2 + dy**2 + dz**2
        apart = square > 0
        inverse = jnp.where(apart, 1.0 / jnp.sqrt(jnp.where(apart, square, 1.0)), 0.0)
        return 0.5 * jnp.sum(mass * vel**2), G * jnp.sum(jnp.triu(-(mass * mass.T) * inverse, 1))

    def step(t, state):
        pos, vel, acc, kinetic, potential = state
        vel = vel + acc * dt / 2.0
        pos = pos + vel * dt
        acc = acceleration(pos)
        vel = vel + acc * dt / 2.0
        k, p = energy(pos, vel)
        return pos, vel, acc, kinetic.at[t + 1].set(k), potential.at[t + 1].set(p)

    vel = vel - jnp.mean(mass * vel, axis=0) / jnp.mean(mass)
    k, p = energy(pos, vel)
    kinetic, potential = jnp.zeros(T + 1).at[0].set(k), jnp.zeros(T + 1).at[0].set(p)
    return lax.fori_loop(0, T, step, (pos, vel, acceleration(pos), kinetic, potential))[3:]


def jax_best(mass, pos, vel, T, dt, G, softening):
    """A scan that emits the energies; forces and energies share the distances, and a step is recomputed in the reverse."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    N = pos.shape[0]
    weight = jnp.triu(mass * mass.T, 1)
    same = jnp.eye(N)

    def forces(pos):
        d = pos[None, :, :] - pos[:, None, :]
        square = jnp.sum(d * d, axis=2)
        acc = G * jnp.einsum("ijc,ij,j->ic", d, (square + softening**2) ** (-1.5), mass[:, 0])
        return acc, -G * jnp.sum(weight * lax.rsqrt(square + same))

    def kinetic(vel):
        return 0.5 * jnp.sum(mass * vel**2)

    @jax.checkpoint
    def step(state, _):
        pos, vel, acc = state
        vel = vel + acc * dt / 2.0
        pos = pos + vel * dt
        acc, potential = forces(pos)
        vel = vel + acc * dt / 2.0
        return (pos, vel, acc), (kinetic(vel), potential)

    vel = vel - jnp.mean(mass * vel, axis=0) / jnp.mean(mass)
    acc, potential = forces(pos)
    _, (ks, ps) = lax.scan(step, (pos, vel, acc), length=T)
    return jnp.concatenate([kinetic(vel)[None], ks]), jnp.concatenate([potential[None], ps])


function = nbody
