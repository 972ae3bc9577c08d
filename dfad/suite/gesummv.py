"""A sum of two matrix-vector products: alpha A x + beta B x.

Name and algorithm are those of `gesummv` in PolyBench and NPBench.
"""

from dfad.suite.data import wave

family = "V"
wrt = "A"
outputs = ("return",)
sizes = {
    "S": {"N": 70},
    "M": {"N": 1300},
    "L": {"N": 5000},
    "paper": {"N": 11200},
}


def initialize(size):
    N = (sizes[size] if isinstance(size, str) else size)["N"]
    return {"alpha": 1.5, "beta": 1.2, "A": wave(N, N), "B": wave(N, N, phase=1.1), "x": wave(N, phase=1.9)}


def tape_minimum(size):
    """Linear in A: nothing."""
    return 0


def gesummv(alpha, beta, A, B, x):
    return alpha * A @ x + beta * B @ x


def jax_port(alpha, beta, A, B, x):
    return alpha * A @ x + beta * B @ x


def jax_best(alpha, beta, A, B, x):
    """The factors on the vectors, not on the matrices."""
    return alpha * (A @ x) + beta * (B @ x)


function = gesummv
