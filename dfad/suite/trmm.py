"""Triangular matrix product in place: B = alpha A' B, A lower triangular with ones on its diagonal.

One dot product of column parts per entry. Name and algorithm are those of `trmm` in PolyBench and NPBench.

The gradient needs no recorded value: it reads A and B as they came.
"""

import numpy as np

from dfad.suite.data import wave

family = "L"
wrt = ("A", "B")
outputs = ("B",)
sizes = {
    "S": {"M": 30, "N": 40},
    "M": {"M": 200, "N": 240},
    "L": {"M": 600, "N": 700},
    "paper": {"M": 1000, "N": 1200},
}
port_limit = {"M": 60, "N": 80}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    M, N = size["M"], size["N"]
    return {"alpha": 1.5, "A": wave(M, M), "B": wave(M, N, phase=1.1)}


def tape_minimum(size):
    return 0


def trmm(alpha, A, B):
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
    B *= alpha


def jax_port(alpha, A, B):
    import jax.numpy as jnp
    from jax import lax

    M, N = B.shape
    place = jnp.arange(M)

    def entry(j, B, i):
        return B.at[i, j].add(jnp.dot(jnp.where(place > i, A[:, i], 0.0), B[:, j]))

    def row(i, B):
        return lax.fori_loop(0, N, lambda j, B: entry(j, B, i), B)

    return alpha * lax.fori_loop(0, M, row, B)


def jax_best(alpha, A, B):
    """One product of matrices: below row i, B is still as it came."""
    import jax.numpy as jnp

    return alpha * (B + jnp.tril(A, -1).T @ B)


function = trmm
