"""Elasticity with a yield limit: many points, a history of strain increments, a branch on yield at each point and step.

    trial = s + E de;   where |trial| > sy: a += (|trial| - sy) / E, s = sy sign(trial);   elsewhere s = trial

The return map of one-dimensional plasticity; s is the stress, a the accumulated plastic strain, E the modulus of each point. The strain
swings so that a point is elastic in about two steps of three.

The reverse of a step reads the trial stress of its point, from which the branch follows; as a box that is one value a point and step.
"""

import numpy as np

from dfad.suite.data import wave

family = "T"
wrt = "E"
outputs = ("return",)
sizes = {
    "S": {"points": 20, "steps": 30},
    "M": {"points": 1000, "steps": 300},
    "L": {"points": 10000, "steps": 500},
    "paper": {"points": 10000, "steps": 1000},
}
port_limit = {"points": 200, "steps": 30}


def initialize(size):
    """Increments of a strain that swings with an amplitude and a phase of its own at each point."""
    size = sizes[size] if isinstance(size, str) else size
    points, steps = size["points"], size["steps"]
    angle = 0.21 * np.arange(steps + 1)[:, None] + 0.37 * np.arange(points)
    strain = 1.3 * wave(points, phase=0.9) * np.sin(angle)
    return {"E": wave(points), "de": np.diff(strain, axis=0)}


def tape_minimum(size):
    """The trial stress of each point and step."""
    return size["points"] * size["steps"] * 8


def plasticity(E, de, sy=1.0):
    steps, points = de.shape
    s = np.zeros(points)
    a = np.zeros(points)
    for t in range(steps):
        for p in range(points):
            trial = s[p] + E[p] * de[t, p]
            if abs(trial) > sy:
                a[p] += (abs(trial) - sy) / E[p]
                s[p] = sy * np.sign(trial)
            else:
                s[p] = trial
    return s, a


def jax_port(E, de, sy=1.0):
    import jax.numpy as jnp
    from jax import lax

    steps, points = de.shape

    def point(p, state, t):
        s, a = state
        trial = s[p] + E[p] * de[t, p]
        stress, strain = lax.cond(
            jnp.abs(trial) > sy,
            lambda: (sy * jnp.sign(trial), a[p] + (jnp.abs(trial) - sy) / E[p]),
            lambda: (trial, a[p]),
        )
        return s.at[p].set(stress), a.at[p].set(strain)

    def step(t, state):
        return lax.fori_loop(0, points, lambda p, state: point(p, state, t), state)

    return lax.fori_loop(0, steps, step, (jnp.zeros(points), jnp.zeros(points)))


def jax_best(E, de, sy=1.0):
    """A scan over the steps, all points at once; a step is recomputed in the reverse, so that stress and strain are stored."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    @jax.checkpoint
    def step(state, increment):
        s, a = state
        trial = s + E * increment
        over = jnp.abs(trial) - sy
        flows = over > 0.0
        return (jnp.where(flows, sy * jnp.sign(trial), trial), a + jnp.where(flows, over / E, 0.0)), None

    zero = jnp.zeros(E.shape)
    return lax.scan(step, (zero, zero), de)[0]


function = plasticity
