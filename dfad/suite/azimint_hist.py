"""Azimuthal integration by histograms: the mean of the data in rings of equal width around the centre.

Name and algorithm are those of `azimint_hist` in NPBench, from pyFAI.

The map from the data is linear: its gradient records nothing. It keeps the counts, one for each ring.
"""

import numpy as np

from dfad.suite.data import wave

family = "L"
wrt = "data"
outputs = ("return",)
sizes = {
    "S": {"N": 1000, "npt": 30},
    "M": {"N": 200_000, "npt": 300},
    "L": {"N": 5_000_000, "npt": 1000},
    "paper": {"N": 1_000_000, "npt": 1000},
}
port_limit = {"N": 10_000}


def initialize(size):
    """Radii that come to every ring in turn, in no order."""
    size = sizes[size] if isinstance(size, str) else size
    N = size["N"]
    turns = 0.6180339887498949 * np.arange(N)
    return {"data": wave(N), "radius": turns - np.floor(turns), "npt": size["npt"]}


def tape_minimum(size):
    """The counts of the rings, which the quotient reads."""
    return 8 * size["npt"]


def azimint_hist(data, radius, npt):
    counts = np.histogram(radius, npt)[0]
    totals = np.histogram(radius, npt, weights=data)[0]
    return totals / counts


def rings(radius, npt):
    """The ring of each radius, as `np.histogram` counts them."""
    import jax.numpy as jnp

    edges = jnp.linspace(jnp.min(radius), jnp.max(radius), npt + 1)
    return jnp.clip(jnp.searchsorted(edges, radius, side="right") - 1, 0, npt - 1)


def jax_port(data, radius, npt):
    import jax.numpy as jnp
    from jax import lax

    ring = rings(radius, npt)

    def add(i, state):
        counts, totals = state
        return counts.at[ring[i]].add(1.0), totals.at[ring[i]].add(data[i])

    counts, totals = lax.fori_loop(0, data.shape[0], add, (jnp.zeros(npt), jnp.zeros(npt)))
    return totals / counts


def jax_best(data, radius, npt):
    """Two scatters that add: the derivative of a scatter is a gather."""
    import jax.numpy as jnp

    edges = jnp.linspace(jnp.min(radius), jnp.max(radius), npt + 1)
    guess = jnp.clip(((radius - edges[0]) / (edges[-1] - edges[0]) * npt).astype(int), 0, npt - 1)
    guess = guess - (radius < edges[guess])
    ring = guess + ((radius >= edges[guess + 1]) & (guess < npt - 1))
    counts = jnp.zeros(npt).at[ring].add(1.0)
    return jnp.zeros(npt).at[ring].add(data) / counts


function = azimint_hist
