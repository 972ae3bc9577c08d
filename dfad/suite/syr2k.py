"""Symmetric rank-2k update in place: C = alpha A B' + alpha B A' + beta C, in the lower triangle of C.

Row by row, one slice update for each column of A and B. Name and algorithm are those of `syr2k` in BLAS, PolyBench and NPBench.

The gradient needs no recorded value.
"""

from dfad.suite.data import wave

family = "L"
wrt = ("A", "B")
outputs = ("C",)
sizes = {
    "S": {"M": 30, "N": 40},
    "M": {"M": 200, "N": 240},
    "L": {"M": 500, "N": 600},
    "paper": {"M": 1000, "N": 1200},
}
port_limit = {"M": 60, "N": 80}


def initialize(size):
    """C is N by N, A and B are N by M."""
    size = sizes[size] if isinstance(size, str) else size
    M, N = size["M"], size["N"]
    return {"alpha": 1.5, "beta": 1.2, "C": wave(N, N), "A": wave(N, M, phase=1.1), "B": wave(N, M, phase=1.9)}


def tape_minimum(size):
    return 0


def syr2k(alpha, beta, C, A, B):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += A[: i + 1, k] * alpha * B[i, k] + B[: i + 1, k] * alpha * A[i, k]


def jax_port(alpha, beta, C, A, B):
    import jax.numpy as jnp
    from jax import lax

    N, M = A.shape
    place = jnp.arange(N)

    def rank_two(k, C, i):
        return C.at[i].add(jnp.where(place <= i, A[:, k] * alpha * B[i, k] + B[:, k] * alpha * A[i, k], 0.0))

    def row(i, C):
        C = C.at[i].multiply(jnp.where(place <= i, beta, 1.0))
        return lax.fori_loop(0, M, lambda k, C: rank_two(k, C, i), C)

    return lax.fori_loop(0, N, row, C)


def jax_best(alpha, beta, C, A, B):
    """One product of matrices and its transpose, the lower triangle taken."""
    import jax.numpy as jnp

    product = alpha * A @ B.T
    return jnp.tril(product + product.T + beta * C) + jnp.triu(C, 1)


function = syr2k
