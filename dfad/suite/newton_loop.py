"""A cubic equation in each cell, solved by Newton's method until the residual is small, then a sum over the cells.

    x from 1;   while |x^3 - a x - b| > tol:  x -= (x^3 - a x - b) / (3 x^2 - a)

The number of iterations differs from cell to cell: 4, 5 or 6 with the coefficients given, whose roots lie in three bands. The last
residual that is too large is at least a hundred times the tolerance and the next one a hundredth of it, so no count depends on rounding.

The reverse of an iteration reads the x that it found; the residual is computed from it again.
"""

import numpy as np

from dfad.suite.data import wave

family = "T"
wrt = ("a", "b")
outputs = ("return",)
sizes = {
    "S": {"N": 50},
    "M": {"N": 20000},
    "L": {"N": 1000000},
    "paper": {"N": 1000000},
}
port_limit = {"N": 1000}


def initialize(size):
    """The coefficients a, and b such that the roots are near 1.075, 1.28, 1.57 in turn."""
    size = sizes[size] if isinstance(size, str) else size
    band = np.arange(size["N"]) % 3
    root = np.array([1.075, 1.28, 1.57])[band] + np.array([0.02, 0.06, 0.08])[band] * (wave(size["N"], phase=1.3) - 1.0)
    a = 0.4 + 0.1 * wave(size["N"])
    return {"a": a, "b": root**3 - a * root}


def newton_loop(a, b, tol=1e-12):
    total = 0.0
    for i in range(a.shape[0]):
        x = 1.0
        f = x**3 - a[i] * x - b[i]
        while abs(f) > tol:
            x -= f / (3.0 * x**2 - a[i])
            f = x**3 - a[i] * x - b[i]
        total += x * x
    return total


def trips(a, b, tol=1e-12):
    """The number of iterations of each cell."""
    x, count = np.ones(a.shape), np.zeros(a.shape, dtype=int)
    while np.any(active := np.abs(f := x**3 - a * x - b) > tol):
        x = np.where(active, x - f / (3.0 * x**2 - a), x)
        count += active
    return count


def tape_minimum(size):
    """The x of each iteration of each cell, and a byte for the number of iterations."""
    count = trips(**initialize(size))
    return int(np.sum(count)) * 8 + count.size


TRIPS = 6
"""At least the number of iterations of any cell."""


def _iteration(x, a, b, tol):
    import jax.numpy as jnp

    f = x**3 - a * x - b
    return jnp.where(jnp.abs(f) > tol, x - f / (3.0 * x**2 - a), x)


def jax_port(a, b, tol=1e-12):
    """Cell by cell. JAX has no reverse through `while_loop`, so the iterations are a fixed number, and finished cells wait."""
    from jax import lax

    def cell(i, total):
        x = lax.fori_loop(0, TRIPS, lambda _, x: _iteration(x, a[i], b[i], tol), 1.0)
        return total + x * x

    return lax.fori_loop(0, a.shape[0], cell, 0.0)


def jax_best(a, b, tol=1e-12):
    """All cells at once, a fixed number of iterations. The implicit derivative of the root would be faster and is another one: it is
    that of the limit, not of the iterations that ran."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    step = jax.checkpoint(lambda x, _: (_iteration(x, a, b, tol), None))
    x, _ = lax.scan(step, jnp.ones(a.shape), length=TRIPS)
    return jnp.sum(x * x)


function = newton_loop
