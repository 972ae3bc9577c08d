"""A matrix and its transpose times two vectors: x1 += A y1, x2 += A' y2.

Name and algorithm are those of `mvt` in PolyBench and NPBench.
"""

from dfad.suite.data import wave

family = "V"
wrt = "A"
outputs = ("x1", "x2")
sizes = {
    "S": {"N": 70},
    "M": {"N": 2000},
    "L": {"N": 6500},
    "paper": {"N": 16000},
}


def initialize(size):
    N = (sizes[size] if isinstance(size, str) else size)["N"]
    x1, x2, y_1, y_2 = (wave(N, phase=phase) for phase in (0.3, 0.8, 1.1, 1.9))
    return {"x1": x1, "x2": x2, "y_1": y_1, "y_2": y_2, "A": wave(N, N, phase=2.6)}


def tape_minimum(size):
    """Linear in A: nothing."""
    return 0


def mvt(x1, x2, y_1, y_2, A):
    x1 += A @ y_1
    x2 += y_2 @ A


def jax_port(x1, x2, y_1, y_2, A):
    return x1 + A @ y_1, x2 + y_2 @ A


jax_best = jax_port
function = mvt
