"""QR by the modified Gram-Schmidt process: column by column, each normalized and taken out of those after it, in place.

Name and algorithm are those of `gramschmidt` in PolyBench and NPBench.
"""

import numpy as np

from dfad.suite.data import wave

family = "L"
wrt = "A"
outputs = ("return",)
sizes = {
    "S": {"M": 30, "N": 20},
    "M": {"M": 200, "N": 150},
    "L": {"M": 500, "N": 400},
    "paper": {"M": 240, "N": 200},
}
port_limit = {"M": 60, "N": 50}


def initialize(size):
    """Independent columns: waves, and 2 on the diagonal."""
    size = sizes[size] if isinstance(size, str) else size
    M, N = size["M"], size["N"]
    return {"A": (wave(M, N) - 1.0) / N + 2.0 * np.eye(M, N)}


def tape_minimum(size):
    """Step k demands columns k+1 to N-1 as they were, for the partial of R[k, j] by Q, and overwrites them: the first step's at entry."""
    M, N = size["M"], size["N"]
    return 8 * M * max((N - 1) * (N - 2) // 2, 0)


def gramschmidt(A):
    N = A.shape[1]
    Q = np.zeros_like(A)
    R = np.zeros((N, N))
    for k in range(N):
        R[k, k] = np.sqrt(np.dot(A[:, k], A[:, k]))
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, N):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return Q, R


def jax_port(A):
    import jax.numpy as jnp
    from jax import lax

    N = A.shape[1]

    def rest(j, state, k):
        A, Q, R = state
        after = j > k
        r = jnp.dot(Q[:, k], A[:, j])
        A = A.at[:, j].add(jnp.where(after, -Q[:, k] * r, 0.0))
        return A, Q, R.at[k, j].set(jnp.where(after, r, R[k, j]))

    def column(k, state):
        A, Q, R = state
        norm = jnp.sqrt(jnp.dot(A[:, k], A[:, k]))
        state = A, Q.at[:, k].set(A[:, k] / norm), R.at[k, k].set(norm)
        return lax.fori_loop(0, N, lambda j, state: rest(j, state, k), state)

    return lax.fori_loop(0, N, column, (A, jnp.zeros_like(A), jnp.zeros((N, N))))[1:]


BLOCK = 25


def jax_best(A):
    """By blocks of columns: a scan over the columns of a block that carries only the block, then two products for the rest."""
    import jax.numpy as jnp

    N = A.shape[1]
    rest, columns, rows = A, [], []
    for start in range(0, N, BLOCK):
        width = min(BLOCK, N - start)
        Q, R = _block(rest[:, :width])
        right = Q.T @ rest[:, width:]
        columns.append(Q)
        rows.append(jnp.concatenate([jnp.zeros((width, start)), R, right], axis=1))
        rest = rest[:, width:] - Q @ right
    return jnp.concatenate(columns, axis=1), jnp.concatenate(rows)


def _block(A):
    import jax.numpy as jnp
    from jax import lax

    place = jnp.arange(A.shape[1])

    def column(A, k):
        norm = jnp.sqrt(jnp.dot(A[:, k], A[:, k]))
        q = A[:, k] / norm
        r = jnp.where(place > k, q @ A, 0.0)
        return A - jnp.outer(q, r), (q, r + norm * (place == k))

    _, (columns, R) = lax.scan(column, A, place)
    return columns.T, R


def jax_lib(A):
    """The LAPACK call behind `jax.numpy.linalg.qr`, with the signs that make the diagonal of R positive."""
    import jax.numpy as jnp

    Q, R = jnp.linalg.qr(A)
    signs = jnp.sign(jnp.diagonal(R))
    return Q * signs, R * signs[:, None]


function = gramschmidt
