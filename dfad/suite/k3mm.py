"""Three matrix products: G = (A B) (C D).

Name and algorithm are those of `3mm` in PolyBench, `k3mm` in NPBench.
"""

from dfad.suite.data import wave

family = "V"
wrt = "A"
outputs = ("return",)
sizes = {
    "S": {"NI": 50, "NJ": 60, "NK": 70, "NL": 80, "NM": 90},
    "M": {"NI": 400, "NJ": 450, "NK": 500, "NL": 550, "NM": 600},
    "L": {"NI": 800, "NJ": 900, "NK": 1000, "NL": 1100, "NM": 1200},
    "paper": {"NI": 3200, "NJ": 3600, "NK": 4000, "NL": 4400, "NM": 4800},
}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    NI, NJ, NK, NL, NM = size["NI"], size["NJ"], size["NK"], size["NL"], size["NM"]
    return {"A": wave(NI, NK), "B": wave(NK, NJ, phase=1.1), "C": wave(NJ, NM, phase=1.9), "D": wave(NM, NL, phase=2.6)}


def tape_minimum(size):
    """The product C D, by which the adjoint of A B is multiplied."""
    return 8 * size["NJ"] * size["NL"]


def k3mm(A, B, C, D):
    return (A @ B) @ (C @ D)


def jax_port(A, B, C, D):
    return (A @ B) @ (C @ D)


jax_best = jax_port
function = k3mm
