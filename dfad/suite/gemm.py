"""General matrix product in place: C = alpha A B + beta C.

Name and algorithm are those of `gemm` in BLAS, PolyBench and NPBench.
"""

from dfad.suite.data import wave

family = "V"
wrt = "A"
outputs = ("C",)
sizes = {
    "S": {"NI": 100, "NJ": 110, "NK": 120},
    "M": {"NI": 500, "NJ": 550, "NK": 600},
    "L": {"NI": 1000, "NJ": 1100, "NK": 1200},
    "paper": {"NI": 2000, "NJ": 2300, "NK": 2600},
}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    NI, NJ, NK = size["NI"], size["NJ"], size["NK"]
    return {"alpha": 1.5, "beta": 1.2, "C": wave(NI, NJ), "A": wave(NI, NK, phase=1.1), "B": wave(NK, NJ, phase=1.9)}


def tape_minimum(size):
    """Linear in A: nothing."""
    return 0


def gemm(alpha, beta, C, A, B):
    C[:] = alpha * A @ B + beta * C


def jax_port(alpha, beta, C, A, B):
    return alpha * A @ B + beta * C


jax_best = jax_port
function = gemm
