"""The covariance matrix of the columns of a table of observations, one row of it at a time.

Name and algorithm are those of `covariance` in PolyBench and NPBench. The data are centred in place.
"""

import numpy as np

from dfad.suite.data import wave

family = "V"
wrt = "data"
outputs = ("return",)
sizes = {
    "S": {"M": 20, "N": 25},
    "M": {"M": 240, "N": 260},
    "L": {"M": 600, "N": 700},
    "paper": {"M": 1200, "N": 1400},
}
port_limit = {"M": 240, "N": 260}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    return {"M": size["M"], "float_n": float(size["N"]), "data": wave(size["N"], size["M"])}


def tape_minimum(size):
    """The adjoint reads the centred data, which the kernel leaves in its argument: nothing more."""
    return 0


def covariance(M, float_n, data):
    data -= np.mean(data, axis=0)
    cov = np.zeros((M, M))
    for i in range(M):
        cov[i:M, i] = data[:, i] @ data[:, i:M] / (float_n - 1.0)
        cov[i, i:M] = cov[i:M, i]
    return cov


def jax_port(M, float_n, data):
    """Whole rows: a slice of changing length does not exist in a `fori_loop`, so the mirrored half is masked."""
    import jax.numpy as jnp
    from jax import lax

    data = data - jnp.mean(data, axis=0)

    def row(i, cov):
        right = jnp.where(jnp.arange(M) >= i, data[:, i] @ data / (float_n - 1.0), 0.0)
        cov = cov.at[:, i].add(jnp.where(jnp.arange(M) > i, right, 0.0))
        return cov.at[i, :].add(right)

    return lax.fori_loop(0, M, row, jnp.zeros((M, M)))


def jax_best(M, float_n, data):
    """One product."""
    import jax.numpy as jnp

    data = data - jnp.mean(data, axis=0)
    return data.T @ data / (float_n - 1.0)


function = covariance
