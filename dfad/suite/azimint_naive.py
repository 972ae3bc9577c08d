"""Azimuthal integration: the mean of the data in each ring of radii, one pass over all data per ring.

Name and algorithm are those of `azimint_naive` in NPBench, where it comes from pyFAI.
"""

import numpy as np

from dfad.suite.data import wave

family = "V"
wrt = "data"
outputs = ("return",)
sizes = {
    "S": {"N": 500, "npt": 20},
    "M": {"N": 20_000, "npt": 100},
    "L": {"N": 200_000, "npt": 500},
    "paper": {"N": 1_000_000, "npt": 1000},
}


def initialize(size):
    """Radii all over the rings, none of them empty."""
    size = sizes[size] if isinstance(size, str) else size
    N = size["N"]
    return {"data": wave(N), "radius": 0.001 + np.arange(N) * 0.6180339887498949 % 1.0, "npt": size["npt"]}


def tape_minimum(size):
    """How many data each ring has, as numbers."""
    return 8 * size["npt"]


def azimint_naive(data, radius, npt):
    rmax = radius.max()
    res = np.zeros(npt)
    for i in range(npt):
        r1 = rmax * i / npt
        r2 = rmax * (i + 1) / npt
        mask = np.logical_and(r1 <= radius, radius < r2)
        res[i] = data[mask].mean()
    return res


def jax_port(data, radius, npt):
    """A selection has no fixed length: the others are masked."""
    import jax.numpy as jnp
    from jax import lax

    rmax = jnp.max(radius)

    def ring(i, res):
        mask = (rmax * i / npt <= radius) & (radius < rmax * (i + 1) / npt)
        return res.at[i].set(jnp.sum(jnp.where(mask, data, 0.0)) / jnp.sum(mask))

    return lax.fori_loop(0, npt, ring, jnp.zeros(npt))


def jax_best(data, radius, npt):
    """No ring's mask is kept for the reverse."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    rmax = jnp.max(radius)

    @jax.checkpoint
    def ring(i):
        mask = (rmax * i / npt <= radius) & (radius < rmax * (i + 1) / npt)
        return jnp.sum(jnp.where(mask, data, 0.0)) / jnp.sum(mask)

    return lax.map(ring, jnp.arange(npt))


function = azimint_naive
