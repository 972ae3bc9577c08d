"""Cholesky factorization in place: A = L L', L written over the lower triangle, the upper triangle left as it is.

Scalar loops, row by row, each entry less the product of the two row prefixes before it. Only the lower triangle is read. Name
and algorithm are those of `cholesky` in PolyBench and NPBench.

Its gradient needs no recorded value: every partial can be written from the factor itself.
"""

import numpy as np

from dfad.suite.data import wave

family = "L"
wrt = "A"
outputs = ("A",)
sizes = {
    "S": {"N": 40},
    "M": {"N": 400},
    "L": {"N": 1000},
    "paper": {"N": 2000},
}
port_limit = {"N": 200}


def initialize(size):
    """A symmetric matrix with condition below 2: small waves off the diagonal, 2 on it."""
    size = sizes[size] if isinstance(size, str) else size
    N = size["N"]
    W = (wave(N, N) - 1.0) / N
    return {"A": W + W.T + 2.0 * np.eye(N)}


def tape_minimum(size):
    return 0


def cholesky(A):
    for i in range(A.shape[0]):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = np.sqrt(A[i, i])


def jax_port(A):
    """Row by row, with dot products of masked row prefixes: `fori_loop` has a reverse only for fixed trip counts."""
    import jax.numpy as jnp
    from jax import lax

    N = A.shape[0]
    column = jnp.arange(N)

    def prefix(A, i, j):
        return jnp.where(column < j, A[i], 0.0)

    def entry(j, A, i):
        new = (A[i, j] - jnp.dot(prefix(A, i, j), prefix(A, j, j))) / A[j, j]
        return A.at[i, j].set(jnp.where(j < i, new, A[i, j]))

    def row(i, A):
        A = lax.fori_loop(0, N, lambda j, A: entry(j, A, i), A)
        return A.at[i, i].set(jnp.sqrt(A[i, i] - jnp.dot(prefix(A, i, i), prefix(A, i, i))))

    return lax.fori_loop(0, N, row, A)


BLOCK = 40


def jax_best(A):
    """By blocks of columns: a scan over the columns of a block that carries only the block, then one product for the rest."""
    import jax.numpy as jnp

    N = A.shape[0]
    rest, panels = A, []
    for start in range(0, N, BLOCK):
        width = min(BLOCK, N - start)
        panel = _factor_columns(rest[:, :width])
        rest = rest[width:, width:] - panel[width:] @ panel[width:].T
        panels.append(jnp.concatenate([jnp.zeros((start, width)), panel]))
    L = jnp.concatenate(panels, axis=1)
    return jnp.tril(L) + jnp.triu(A, 1)


def _factor_columns(panel):
    import jax.numpy as jnp
    from jax import lax

    row = jnp.arange(panel.shape[0])

    def column(panel, j):
        factor = jnp.where(row >= j, panel[:, j], 0.0) / jnp.sqrt(panel[j, j])
        return panel - jnp.outer(factor, factor[: panel.shape[1]]), factor

    return lax.scan(column, panel, jnp.arange(panel.shape[1]))[1].T


def jax_lib(A):
    """The LAPACK call behind `jax.lax.linalg.cholesky`, on the matrix that the lower triangle stands for."""
    import jax.numpy as jnp
    from jax import lax

    L = lax.linalg.cholesky(jnp.tril(A) + jnp.tril(A, -1).T, symmetrize_input=False)
    return jnp.tril(L) + jnp.triu(A, 1)


function = cholesky
