"""LU factorization in place, without pivoting: L below the diagonal (its own diagonal is 1), U on and above it.

Row by row, each entry less the product of the row prefix and the column prefix before it. Name and algorithm are those of `lu`
in PolyBench and NPBench.

Its gradient needs no recorded value: every partial can be written from the factors themselves.
"""

import numpy as np

from dfad.suite.data import wave

family = "L"
wrt = "A"
outputs = ("A",)
sizes = {
    "S": {"N": 40},
    "M": {"N": 300},
    "L": {"N": 800},
    "paper": {"N": 2000},
}
port_limit = {"N": 100}


def initialize(size):
    """A matrix with condition below 2: small waves off the diagonal, 2 on it."""
    size = sizes[size] if isinstance(size, str) else size
    N = size["N"]
    return {"A": (wave(N, N) - 1.0) / N + 2.0 * np.eye(N)}


def tape_minimum(size):
    return 0


def lu(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]


def jax_port(A):
    """Row by row, with dot products of masked prefixes: `fori_loop` has a reverse only for fixed trip counts."""
    import jax.numpy as jnp
    from jax import lax

    N = A.shape[0]
    place = jnp.arange(N)

    def less(A, i, j, count):
        return A[i, j] - jnp.dot(jnp.where(place < count, A[i], 0.0), jnp.where(place < count, A[:, j], 0.0))

    def below(j, A, i):
        return A.at[i, j].set(jnp.where(j < i, less(A, i, j, j) / A[j, j], A[i, j]))

    def above(j, A, i):
        return A.at[i, j].set(jnp.where(j >= i, less(A, i, j, i), A[i, j]))

    def row(i, A):
        A = lax.fori_loop(0, N, lambda j, A: below(j, A, i), A)
        return lax.fori_loop(0, N, lambda j, A: above(j, A, i), A)

    return lax.fori_loop(0, N, row, A)


BLOCK = 40


def jax_best(A):
    """By blocks: a scan eliminates the columns of a block in the block's columns and rows only, then one product for the rest."""
    import jax.numpy as jnp

    N = A.shape[0]
    rest, done = A, jnp.zeros((N, N))
    for start in range(0, N, BLOCK):
        stop = min(start + BLOCK, N)
        width = stop - start
        panel, rows = _eliminate(rest[:, :width], rest[:width, width:])
        done = done.at[start:, start:stop].set(panel).at[start:stop, stop:].set(rows)
        rest = rest[width:, width:] - panel[width:] @ rows
    return done


def _eliminate(panel, rows):
    import jax.numpy as jnp
    from jax import lax

    width = panel.shape[1]
    place = jnp.arange(panel.shape[0])

    def column(state, j):
        panel, rows = state
        below, right = place > j, place[:width] > j
        factor = jnp.where(below, panel[:, j], 0.0) / panel[j, j]
        update = jnp.outer(factor, jnp.where(right, panel[j], 0.0))
        panel = jnp.where((below[:, None]) & (place[:width] == j), factor[:, None], panel - update)
        return (panel, rows - jnp.outer(factor[:width], rows[j])), None

    return lax.scan(column, (panel, rows), jnp.arange(width))[0]


def jax_lib(A):
    """The LAPACK call behind `jax.lax.linalg.lu`; on this diagonally dominant matrix it exchanges no rows."""
    from jax import lax

    return lax.linalg.lu(A)[0]


function = lu
