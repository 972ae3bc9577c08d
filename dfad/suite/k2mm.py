"""Two matrix products in place: D = alpha A B C + beta D.

Name and algorithm are those of `2mm` in PolyBench, `k2mm` in NPBench.
"""

from dfad.suite.data import wave

family = "V"
wrt = "A"
outputs = ("D",)
sizes = {
    "S": {"NI": 60, "NJ": 70, "NK": 80, "NL": 90},
    "M": {"NI": 400, "NJ": 450, "NK": 500, "NL": 550},
    "L": {"NI": 800, "NJ": 900, "NK": 1100, "NL": 1200},
    "paper": {"NI": 3200, "NJ": 3600, "NK": 4400, "NL": 4800},
}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    NI, NJ, NK, NL = size["NI"], size["NJ"], size["NK"], size["NL"]
    A, B, C, D = wave(NI, NK), wave(NK, NJ, phase=1.1), wave(NJ, NL, phase=1.9), wave(NI, NL, phase=2.6)
    return {"alpha": 1.5, "beta": 1.2, "A": A, "B": B, "C": C, "D": D}


def tape_minimum(size):
    """Linear in A: nothing."""
    return 0


def k2mm(alpha, beta, A, B, C, D):
    D[:] = alpha * A @ B @ C + beta * D


def jax_port(alpha, beta, A, B, C, D):
    return alpha * A @ B @ C + beta * D


jax_best = jax_port
function = k2mm
