"""Conjugate gradients on a five-point operator with a coefficient in each cell, until the residual has fallen by 1e-8.

    A x = (4 + c) x - (the four neighbours of x),   0 outside

The method of Hestenes and Stiefel (1952). The coefficients keep the condition of A below 20; between 20 and 30 iterations are made from
N=8 on, and no residual is within a tenth of the tolerance.

The reverse of an iteration reads the residual and the direction that it found; the product with A is computed again.
"""

import numpy as np

from dfad.suite.data import wave

family = "T"
wrt = ("b", "c")
outputs = ("return",)
sizes = {
    "S": {"N": 8},
    "M": {"N": 64},
    "L": {"N": 256},
    "paper": {"N": 256},
}
port_limit = {"N": 256}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    N = size["N"]
    return {"b": wave(N, N), "c": wave(N, N, phase=1.4)}


def operator(c, p):
    q = (4.0 + c) * p
    q[1:, :] -= p[:-1, :]
    q[:-1, :] -= p[1:, :]
    q[:, 1:] -= p[:, :-1]
    q[:, :-1] -= p[:, 1:]
    return q


def cg(b, c, tol=1e-8):
    x = np.zeros_like(b)
    r = b.copy()
    p = r.copy()
    rr = np.sum(r * r)
    stop = tol * tol * rr
    while rr > stop:
        q = operator(c, p)
        alpha = rr / np.sum(p * q)
        x += alpha * p
        r -= alpha * q
        new = np.sum(r * r)
        p = r + (new / rr) * p
        rr = new
    return x


def residuals(b, c, tol=1e-8):
    """The squared residual at the start and after each iteration."""
    r = b.copy()
    p = r.copy()
    found = [np.sum(r * r)]
    while found[-1] > tol * tol * found[0]:
        q = operator(c, p)
        r = r - found[-1] / np.sum(p * q) * q
        found.append(np.sum(r * r))
        p = r + found[-1] / found[-2] * p
    return np.array(found)


def tape_minimum(size):
    """Residual and direction of every iteration but the first, where both are b."""
    trips = len(residuals(**initialize(size))) - 1
    return 2 * max(trips - 1, 0) * size["N"] ** 2 * 8


TRIPS = 28
"""At least the number of iterations that are made."""


def _operator(c, p):
    import jax.numpy as jnp

    wide = jnp.pad(p, 1)
    return (4.0 + c) * p - wide[:-2, 1:-1] - wide[2:, 1:-1] - wide[1:-1, :-2] - wide[1:-1, 2:]


def _iteration(state, c, stop):
    """One iteration while the residual is too large; nothing happens after."""
    import jax.numpy as jnp

    x, r, p, rr = state
    goes = rr > stop
    q = _operator(c, p)
    alpha = jnp.where(goes, rr / jnp.sum(p * q), 0.0)
    r = r - alpha * q
    new = jnp.sum(r * r)
    return x + alpha * p, r, jnp.where(goes, r + new / rr * p, p), new


def jax_port(b, c, tol=1e-8):
    """JAX has no reverse through `while_loop`, so the iterations are a fixed number, and the last ones do nothing."""
    import jax.numpy as jnp
    from jax import lax

    rr = jnp.sum(b * b)
    return lax.fori_loop(0, TRIPS, lambda _, state: _iteration(state, c, tol * tol * rr), (jnp.zeros_like(b), b, b, rr))[0]


def jax_best(b, c, tol=1e-8):
    """A scan of a fixed number of iterations, each recomputed in the reverse. The implicit derivative of the solution would cost one
    solve more and is another one: it is that of the limit, not of the iterations that ran."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    rr = jnp.sum(b * b)
    step = jax.checkpoint(lambda state, _: (_iteration(state, c, tol * tol * rr), None))
    return lax.scan(step, (jnp.zeros_like(b), b, b, rr), length=TRIPS)[0][0]


function = cg
