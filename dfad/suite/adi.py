"""Two-dimensional heat diffusion by the alternating direction implicit method: tridiagonal systems along columns, then along rows.

Each half step solves by elimination: forward recurrences p and q, then back substitution, for all lines at once. T counts the
steps and fixes their length, 1/T. Name and algorithm are those of `adi` in PolyBench and NPBench.

The map from u is linear; the coefficients p are the same in every step and can be computed again.
"""

import numpy as np

from dfad.suite.data import wave

family = "L"
wrt = "u"
outputs = ("u",)
sizes = {
    "S": {"T": 5, "N": 30},
    "M": {"T": 20, "N": 150},
    "L": {"T": 50, "N": 400},
    "paper": {"T": 200, "N": 1000},
}
port_limit = {"T": 2, "N": 40}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    return {"T": size["T"], "u": wave(size["N"], size["N"])}


def tape_minimum(size):
    return 0


def adi(T, u):
    N = u.shape[0]
    v = np.zeros_like(u)
    p = np.zeros_like(u)
    q = np.zeros_like(u)

    dx = 1.0 / N
    dt = 1.0 / T
    along = 2.0 * dt / (dx * dx)
    across = 1.0 * dt / (dx * dx)
    a = -along / 2.0
    b = 1.0 + along
    d = -across / 2.0
    e = 1.0 + across

    for t in range(1, T + 1):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, N - 1):
            p[1:-1, j] = -a / (a * p[1:-1, j - 1] + b)
            q[1:-1, j] = (-d * u[j, :-2] + (1.0 + 2.0 * d) * u[j, 1:-1] - d * u[j, 2:] - a * q[1:-1, j - 1]) / (a * p[1:-1, j - 1] + b)
        v[-1, 1:-1] = 1.0
        for j in range(N - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]

        u[1:-1, 0] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, N - 1):
            p[1:-1, j] = -d / (d * p[1:-1, j - 1] + e)
            q[1:-1, j] = (-a * v[:-2, j] + (1.0 + 2.0 * a) * v[1:-1, j] - a * v[2:, j] - d * q[1:-1, j - 1]) / (d * p[1:-1, j - 1] + e)
        u[1:-1, -1] = 1.0
        for j in range(N - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]


def coefficients(T, N):
    """The diagonals of the two half steps: off-diagonal and diagonal of each."""
    along, across = 2.0 * N * N / T, 1.0 * N * N / T
    return -along / 2.0, 1.0 + along, -across / 2.0, 1.0 + across


def jax_port(T, u):
    """Column by column with fori_loop, the lines of a column as slices, as written."""
    import jax.numpy as jnp
    from jax import lax

    N = u.shape[0]
    if T == 0:
        return u
    a, b, d, e = coefficients(T, N)
    inner = slice(1, N - 1)

    def eliminate(off, diagonal, right, first):
        p = jnp.zeros((N, N))
        q = jnp.zeros((N, N)).at[inner, 0].set(first)

        def column(j, state):
            p, q = state
            below = off * p[inner, j - 1] + diagonal
            q = q.at[inner, j].set((right(j) - off * q[inner, j - 1]) / below)
            return p.at[inner, j].set(-off / below), q

        return lax.fori_loop(1, N - 1, column, (p, q))

    def step(t, state):
        u, v = state
        v = v.at[0, inner].set(1.0)
        p, q = eliminate(a, b, lambda j: -d * u[j, :-2] + (1.0 + 2.0 * d) * u[j, inner] - d * u[j, 2:], v[0, inner])
        v = v.at[-1, inner].set(1.0)

        def back_v(m, v):
            j = N - 2 - m
            return v.at[j, inner].set(p[inner, j] * v[j + 1, inner] + q[inner, j])

        v = lax.fori_loop(0, N - 2, back_v, v)
        u = u.at[inner, 0].set(1.0)
        p, q = eliminate(d, e, lambda j: -a * v[:-2, j] + (1.0 + 2.0 * a) * v[inner, j] - a * v[2:, j], u[inner, 0])
        u = u.at[inner, -1].set(1.0)

        def back_u(m, u):
            j = N - 2 - m
            return u.at[inner, j].set(p[inner, j] * u[inner, j + 1] + q[inner, j])

        return lax.fori_loop(0, N - 2, back_u, u), v

    return lax.fori_loop(0, T, step, (u, jnp.zeros_like(u)))[0]


def jax_best(T, u):
    """The coefficients once, as vectors (they do not depend on u, t or the line); scans along the lines that carry one row."""
    import jax.numpy as jnp
    from jax import lax

    N = u.shape[0]
    if T == 0:
        return u
    a, b, d, e = coefficients(T, N)

    def factor(off, diagonal):
        def next_p(p, _):
            below = off * p + diagonal
            return -off / below, (-off / below, below)

        return lax.scan(next_p, jnp.zeros(()), length=N - 2)[1]

    def solve(off, factors, right):
        p, below = factors
        ones = jnp.ones(right.shape[1])

        def forward(q, at):
            new = (at[0] - off * q) / at[1]
            return new, new

        def backward(v, at):
            new = at[0] * v + at[1]
            return new, new

        _, q = lax.scan(forward, ones, (right, below))
        return lax.scan(backward, ones, (p, q), reverse=True)[1]

    first, second = factor(a, b), factor(d, e)

    def step(u, _):
        right = -d * u[1:-1, :-2] + (1.0 + 2.0 * d) * u[1:-1, 1:-1] - d * u[1:-1, 2:]
        v = jnp.pad(solve(a, first, right), ((1, 1), (0, 0)), constant_values=1.0)
        right = -a * v[:-2] + (1.0 + 2.0 * a) * v[1:-1] - a * v[2:]
        inner = jnp.pad(solve(d, second, right.T).T, ((0, 0), (1, 1)), constant_values=1.0)
        return jnp.concatenate([u[:1], inner, u[-1:]]), None

    return lax.scan(step, u, length=T)[0]


function = adi
