"""The correlation matrix of the columns of a table of observations, one row of it at a time.

Name and algorithm are those of `correlation` in PolyBench and NPBench. The data are normalised in place; a column that hardly
varies counts with deviation 1.
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
    """One column in seven is nearly constant."""
    size = sizes[size] if isinstance(size, str) else size
    M, N = size["M"], size["N"]
    spread = np.where(np.arange(M) % 7 == 3, 0.1, 1.0)
    return {"M": M, "float_n": float(N), "data": 1.0 + spread * (wave(N, M) - 1.0)}


def tape_minimum(size):
    """Means and deviations: these say which were replaced, and with the argument at entry all else is a few operations away.

    The centred data are not the normalised ones times the deviations: a quotient may have lost what it was made of.
    """
    return 16 * size["M"]


def correlation(M, float_n, data):
    mean = np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    stddev[stddev <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(float_n) * stddev
    corr = np.eye(M)
    for i in range(M - 1):
        corr[i + 1 : M, i] = corr[i, i + 1 : M] = data[:, i] @ data[:, i + 1 : M]
    return corr


def _normalised(float_n, data):
    import jax.numpy as jnp

    stddev = jnp.std(data, axis=0)
    stddev = jnp.where(stddev <= 0.1, 1.0, stddev)
    return (data - jnp.mean(data, axis=0)) / (jnp.sqrt(float_n) * stddev)


def jax_port(M, float_n, data):
    """Whole rows: a slice of changing length does not exist in a `fori_loop`, so what lies before it is masked."""
    import jax.numpy as jnp
    from jax import lax

    data = _normalised(float_n, data)

    def row(i, corr):
        right = jnp.where(jnp.arange(M) > i, data[:, i] @ data, 0.0)
        return corr.at[:, i].add(right).at[i, :].add(right)

    return lax.fori_loop(0, M - 1, row, jnp.eye(M))


def jax_best(M, float_n, data):
    """One product, its diagonal replaced."""
    import jax.numpy as jnp

    data = _normalised(float_n, data)
    return jnp.where(jnp.eye(M, dtype=bool), 1.0, data.T @ data)


function = correlation
