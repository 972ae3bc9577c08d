"""A matrix and its transpose times a vector: A' (A x).

Name and algorithm are those of `atax` in PolyBench and NPBench.
"""

from dfad.suite.data import wave

family = "V"
wrt = "A"
outputs = ("return",)
sizes = {
    "S": {"M": 60, "N": 70},
    "M": {"M": 1900, "N": 2100},
    "L": {"M": 6000, "N": 7000},
    "paper": {"M": 18000, "N": 22000},
}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    return {"A": wave(size["M"], size["N"]), "x": wave(size["N"], phase=1.1)}


def tape_minimum(size):
    """The vector A x."""
    return 8 * size["M"]


def atax(A, x):
    return (A @ x) @ A


def jax_port(A, x):
    return (A @ x) @ A


jax_best = jax_port
function = atax
