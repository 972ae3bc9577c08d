"""The two products of a step of BiCG: A' r and A p.

Name and algorithm are those of `bicg` in PolyBench and NPBench.
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
    M, N = size["M"], size["N"]
    return {"A": wave(N, M), "p": wave(M, phase=1.1), "r": wave(N, phase=1.9)}


def tape_minimum(size):
    """Linear in A: nothing."""
    return 0


def bicg(A, p, r):
    return r @ A, A @ p


def jax_port(A, p, r):
    return r @ A, A @ p


jax_best = jax_port
function = bicg
