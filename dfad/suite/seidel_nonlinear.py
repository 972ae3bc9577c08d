"""A non-linear Gauss-Seidel sweep: A[i, j] = 0.5 A[i, j] + 0.25 sin(A[i-1, j] A[i, j-1]), in place, T sweeps.

Each cell reads two neighbours of the same sweep, which the next sweep overwrites: the smallest loop kernel whose gradient must
record values. Our own, to go with seidel_2d, where nothing is recorded.
"""

import numpy as np

from dfad.suite.data import wave

family = "T"
wrt = "A"
outputs = ("A",)
sizes = {
    "S": {"T": 5, "N": 50},
    "M": {"T": 20, "N": 100},
    "L": {"T": 100, "N": 400},
    "paper": {"T": 100, "N": 400},
}
port_limit = {"T": 5, "N": 150}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    return {"A": wave(size["N"], size["N"]), "T": size["T"]}


def tape_minimum(size):
    """The cells before every sweep but the first, without the last one, which nobody reads."""
    return max(size["T"] - 1, 0) * ((size["N"] - 1) ** 2 - 1) * 8


def seidel_nonlinear(A, T):
    N = A.shape[0]
    for t in range(T):
        for i in range(1, N):
            for j in range(1, N):
                A[i, j] = 0.5 * A[i, j] + 0.25 * np.sin(A[i - 1, j] * A[i, j - 1])


def jax_port(A, T):
    import jax.numpy as jnp
    from jax import lax

    N = A.shape[0]

    def cell(i, j, A):
        return A.at[i, j].set(0.5 * A[i, j] + 0.25 * jnp.sin(A[i - 1, j] * A[i, j - 1]))

    def row(i, A):
        return lax.fori_loop(1, N, lambda j, A: cell(i, j, A), A)

    def sweep(t, A):
        return lax.fori_loop(1, N, row, A)

    return lax.fori_loop(0, T, sweep, A)


def jax_best(A, T):
    """A scan over rows that carries the row above, in it a scan along the row that carries one scalar."""
    import jax.numpy as jnp
    from jax import lax

    def cell(left, old_and_above):
        old, above = old_and_above
        new = 0.5 * old + 0.25 * jnp.sin(above * left)
        return new, new

    def row(above, old):
        _, inner = lax.scan(cell, old[0], (old[1:], above[1:]))
        new = jnp.concatenate([old[:1], inner])
        return new, new

    def sweep(A, _):
        _, rows = lax.scan(row, A[0], A[1:])
        return jnp.concatenate([A[:1], rows]), None

    return lax.scan(sweep, A, length=T)[0]


function = seidel_nonlinear
