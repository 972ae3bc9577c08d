"""Gauss-Seidel relaxation in two dimensions: sweeps of in-place nine-point averages.

Each cell becomes the mean of itself and its eight neighbours, four of them already updated in this sweep. Row by row: a slice
update adds the seven terms that are known before the row starts, then a recurrence along the row adds the updated left
neighbour and divides by nine. T means T - 1 sweeps. Name and algorithm are those of `seidel-2d` in PolyBench and NPBench.

The map is linear: its gradient needs no recorded value.
"""

from dfad.suite.data import wave

family = "L"
wrt = "A"
outputs = ("A",)
sizes = {
    "S": {"T": 8, "N": 50},
    "M": {"T": 30, "N": 150},
    "L": {"T": 100, "N": 400},
    "paper": {"T": 100, "N": 400},
}
port_limit = {"T": 5, "N": 200}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    return {"A": wave(size["N"], size["N"]), "T": size["T"]}


def tape_minimum(size):
    return 0


def seidel_2d(A, T):
    N = A.shape[0]
    for t in range(T - 1):
        for i in range(1, N - 1):
            A[i, 1:-1] += A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            for j in range(1, N - 1):
                A[i, j] = (A[i, j] + A[i, j - 1]) / 9.0


def jax_port(A, T):
    from jax import lax

    N = A.shape[0]

    def cell(j, A, i):
        return A.at[i, j].set((A[i, j] + A[i, j - 1]) / 9.0)

    def row(i, A):
        known = A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
        A = A.at[i, 1:-1].add(known)
        return lax.fori_loop(1, N - 1, lambda j, A: cell(j, A, i), A)

    def sweep(t, A):
        return lax.fori_loop(1, N - 1, row, A)

    return lax.fori_loop(0, T - 1, sweep, A)


def jax_best(A, T):
    """A scan over rows that carries the row above, in it a scan along the row that carries one scalar: linear, nothing stored."""
    import jax.numpy as jnp
    from jax import lax

    def cell(left, known):
        new = (known + left) / 9.0
        return new, new

    def row(above, current_and_below):
        current, below = current_and_below
        known = current[1:-1] + above[:-2] + above[1:-1] + above[2:] + current[2:] + below[:-2] + below[1:-1] + below[2:]
        _, inner = lax.scan(cell, current[0], known, unroll=4)
        new = jnp.concatenate([current[:1], inner, current[-1:]])
        return new, new

    def sweep(A, _):
        _, rows = lax.scan(row, A[0], (A[1:-1], A[2:]))
        return jnp.concatenate([A[:1], rows, A[-1:]]), None

    return lax.scan(sweep, A, length=T - 1)[0]


function = seidel_2d
