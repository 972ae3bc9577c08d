"""Forward substitution: x with L x = b, for a lower triangular L, row by row.

Name and algorithm are those of `trisolv` in PolyBench and NPBench.

The gradient needs no recorded value: the quotient's partials are written from x itself.
"""

import numpy as np

from dfad.suite.data import wave

family = "L"
wrt = ("L", "b")
outputs = ("x",)
sizes = {
    "S": {"N": 40},
    "M": {"N": 1500},
    "L": {"N": 8000},
    "paper": {"N": 16000},
}
port_limit = {"N": 1000}


def initialize(size):
    """Off the diagonal small waves, 2 on it."""
    size = sizes[size] if isinstance(size, str) else size
    N = size["N"]
    return {"L": (wave(N, N) - 1.0) / N + 2.0 * np.eye(N), "x": wave(N, phase=1.1), "b": wave(N, phase=1.9)}


def tape_minimum(size):
    return 0


def trisolv(L, x, b):
    for i in range(L.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


def jax_port(L, x, b):
    import jax.numpy as jnp
    from jax import lax

    N = L.shape[0]
    column = jnp.arange(N)

    def row(i, x):
        prefix = jnp.where(column < i, L[i], 0.0)
        return x.at[i].set((b[i] - jnp.dot(prefix, x)) / L[i, i])

    return lax.fori_loop(0, N, row, x)


BLOCK = 50


def solve_blocks(L, b):
    """Forward substitution by blocks: a product for the known part, then a scan over the rows of the block."""
    import jax.numpy as jnp

    N = L.shape[0]
    x = jnp.zeros(0)
    for start in range(0, N, BLOCK):
        stop = min(start + BLOCK, N)
        known = b[start:stop] - L[start:stop, :start] @ x
        x = jnp.concatenate([x, _solve_block(L[start:stop, start:stop], known)])
    return x


def _solve_block(L, b):
    import jax.numpy as jnp
    from jax import lax

    def row(x, at):
        i, coefficients, right = at
        return x.at[i].set((right - jnp.dot(coefficients, x)) / coefficients[i]), None

    return lax.scan(row, jnp.zeros_like(b), (jnp.arange(b.shape[0]), L, b))[0]


def jax_best(L, x, b):
    """By blocks of rows: the scan over a block carries the unknowns of the block only."""
    return solve_blocks(L, b)


def jax_lib(L, x, b):
    """The BLAS call behind `jax.lax.linalg.triangular_solve`."""
    import jax

    return jax.scipy.linalg.solve_triangular(L, b, lower=True)


function = trisolv
