"""Symmetric rank-k update in place: C = alpha A A' + beta C, in the lower triangle of C.

Row by row, one slice update for each column of A. Name and algorithm are those of `syrk` in BLAS, PolyBench and NPBench.

The gradient needs no recorded value.
"""

from dfad.suite.data import wave

family = "L"
wrt = ("A", "C")
outputs = ("C",)
sizes = {
    "S": {"M": 30, "N": 40},
    "M": {"M": 200, "N": 240},
    "L": {"M": 600, "N": 700},
    "paper": {"M": 1000, "N": 1200},
}
port_limit = {"M": 60, "N": 80}


def initialize(size):
    """C is N by N, A is N by M."""
    size = sizes[size] if isinstance(size, str) else size
    M, N = size["M"], size["N"]
    return {"alpha": 1.5, "beta": 1.2, "C": wave(N, N), "A": wave(N, M, phase=1.1)}


def tape_minimum(size):
    return 0


def syrk(alpha, beta, C, A):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += alpha * A[i, k] * A[: i + 1, k]


def jax_port(alpha, beta, C, A):
    import jax.numpy as jnp
    from jax import lax

    N, M = A.shape
    place = jnp.arange(N)

    def rank_one(k, C, i):
        return C.at[i].add(jnp.where(place <= i, alpha * A[i, k] * A[:, k], 0.0))

    def row(i, C):
        C = C.at[i].multiply(jnp.where(place <= i, beta, 1.0))
        return lax.fori_loop(0, M, lambda k, C: rank_one(k, C, i), C)

    return lax.fori_loop(0, N, row, C)


def jax_best(alpha, beta, C, A):
    """One product of matrices, its lower triangle taken."""
    import jax.numpy as jnp

    return jnp.tril(alpha * A @ A.T + beta * C) + jnp.triu(C, 1)


function = syrk
