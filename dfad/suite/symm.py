"""Symmetric matrix product in place: C = alpha A B + beta C, only the lower triangle of A given.

Row by row with slices: each stored entry of A is used for both of the entries that it stands for. Name and algorithm are those
of `symm` in BLAS, PolyBench and NPBench.

The gradient needs no recorded value.
"""

import numpy as np

from dfad.suite.data import wave

family = "L"
wrt = ("A", "B")
outputs = ("C",)
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
    return {"alpha": 1.5, "beta": 1.2, "C": wave(M, N), "A": wave(M, M, phase=1.1), "B": wave(M, N, phase=1.9)}


def tape_minimum(size):
    return 0


def symm(alpha, beta, C, A, B):
    row = np.empty(C.shape[1])
    C *= beta
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            row[j] = B[:i, j] @ A[i, :i]
        C[i, :] += alpha * B[i, :] * A[i, i] + alpha * row


def jax_port(alpha, beta, C, A, B):
    import jax.numpy as jnp
    from jax import lax

    M, N = C.shape
    place = jnp.arange(M)

    def entry(j, state, i):
        C, row = state
        prefix = jnp.where(place < i, A[i], 0.0)
        return C.at[:, j].add(alpha * B[i, j] * prefix), row.at[j].set(jnp.dot(B[:, j], prefix))

    def line(i, C):
        C, row = lax.fori_loop(0, N, lambda j, state: entry(j, state, i), (C, jnp.zeros(N)))
        return C.at[i].add(alpha * B[i] * A[i, i] + alpha * row)

    return lax.fori_loop(0, M, line, beta * C)


def jax_best(alpha, beta, C, A, B):
    """The triangle filled up, then one product of matrices."""
    import jax.numpy as jnp

    return alpha * (jnp.tril(A) + jnp.tril(A, -1).T) @ B + beta * C


function = symm
