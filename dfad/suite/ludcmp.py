"""A linear system by LU factorization in place and two substitutions: A x = b.

Row by row, with products of row and column prefixes. Name and algorithm are those of `ludcmp` in PolyBench and NPBench.

The gradient needs no recorded value: every partial can be written from the factors and the two solutions.
"""

import numpy as np

from dfad.suite.data import wave
from dfad.suite.lu import jax_best as factor_blocks
from dfad.suite.lu import jax_port as factor_loops
from dfad.suite.trisolv import solve_blocks

family = "L"
wrt = ("A", "b")
outputs = ("return",)
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
    return {"A": (wave(N, N) - 1.0) / N + 2.0 * np.eye(N), "b": wave(N, phase=1.1)}


def tape_minimum(size):
    return 0


def ludcmp(A, b):
    N = A.shape[0]
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    for i in range(N):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, N):
            A[i, j] -= A[i, :i] @ A[:i, j]
    for i in range(N):
        y[i] = b[i] - A[i, :i] @ y[:i]
    for i in range(N - 1, -1, -1):
        x[i] = (y[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x, y


def jax_port(A, b):
    import jax.numpy as jnp
    from jax import lax

    N = A.shape[0]
    place = jnp.arange(N)
    A = factor_loops(A)

    def forward(i, y):
        return y.at[i].set(b[i] - jnp.dot(jnp.where(place < i, A[i], 0.0), y))

    y = lax.fori_loop(0, N, forward, jnp.zeros_like(b))

    def backward(m, x):
        i = N - 1 - m
        return x.at[i].set((y[i] - jnp.dot(jnp.where(place > i, A[i], 0.0), x)) / A[i, i])

    return lax.fori_loop(0, N, backward, jnp.zeros_like(b)), y


def jax_best(A, b):
    """By blocks, the factorization and both substitutions."""
    import jax.numpy as jnp

    A = factor_blocks(A)
    y = solve_blocks(jnp.tril(A, -1) + jnp.eye(A.shape[0]), b)
    x = solve_blocks(jnp.triu(A)[::-1, ::-1], y[::-1])[::-1]
    return x, y


def jax_lib(A, b):
    """LAPACK's factorization (which exchanges no rows here) and BLAS's triangular solves."""
    import jax
    from jax import lax

    A = lax.linalg.lu(A)[0]
    y = jax.scipy.linalg.solve_triangular(A, b, lower=True, unit_diagonal=True)
    return jax.scipy.linalg.solve_triangular(A, y), y


function = ludcmp
