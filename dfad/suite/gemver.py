"""A rank-2 update of a matrix and two products with it: A += u1 v1' + u2 v2', x += beta A' y + z, w += alpha A x.

Name and algorithm are those of `gemver` in PolyBench and NPBench.
"""

import numpy as np

from dfad.suite.data import wave

family = "V"
wrt = "A"
outputs = ("A", "x", "w")
sizes = {
    "S": {"N": 60},
    "M": {"N": 1500},
    "L": {"N": 5000},
    "paper": {"N": 8000},
}


def initialize(size):
    N = (sizes[size] if isinstance(size, str) else size)["N"]
    u1, v1, u2, v2 = (wave(N, phase=phase) for phase in (0.3, 0.8, 1.1, 1.9))
    x, w, y, z = (wave(N, phase=phase) for phase in (2.3, 2.6, 3.1, 4.0))
    A = wave(N, N, phase=5.2)
    return {"alpha": 1.5, "beta": 1.2, "A": A, "u1": u1, "v1": v1, "u2": u2, "v2": v2, "w": w, "x": x, "y": y, "z": z}


def tape_minimum(size):
    """The adjoint reads A and x as the kernel leaves them: nothing beyond its outputs."""
    return 0


def gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    A += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ A + z
    w += alpha * A @ x


def jax_port(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    import jax.numpy as jnp

    A = A + jnp.outer(u1, v1) + jnp.outer(u2, v2)
    x = x + beta * y @ A + z
    w = w + alpha * A @ x
    return A, x, w


def jax_best(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    """The factors on the vectors, not on the matrix."""
    import jax.numpy as jnp

    A = A + jnp.outer(u1, v1) + jnp.outer(u2, v2)
    x = x + beta * (y @ A) + z
    w = w + alpha * (A @ x)
    return A, x, w


function = gemver
