"""Multiresolution analysis kernel: every row A[r, q, :] is replaced by its product with C4.

Name and algorithm are those of `doitgen` in PolyBench and NPBench.
"""

from dfad.suite.data import wave

family = "V"
wrt = "A"
outputs = ("A",)
sizes = {
    "S": {"NR": 10, "NQ": 12, "NP": 15},
    "M": {"NR": 60, "NQ": 65, "NP": 70},
    "L": {"NR": 220, "NQ": 250, "NP": 270},
    "paper": {"NR": 220, "NQ": 250, "NP": 270},
}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    NR, NQ, NP = size["NR"], size["NQ"], size["NP"]
    return {"A": wave(NR, NQ, NP), "C4": wave(NP, NP, phase=1.1) / NP}


def tape_minimum(size):
    """Linear in A: nothing."""
    return 0


def doitgen(A, C4):
    for r in range(A.shape[0]):
        for q in range(A.shape[1]):
            A[r, q, :] = A[r, q, :] @ C4


def jax_port(A, C4):
    from jax import lax

    def row(r, q, A):
        return A.at[r, q, :].set(A[r, q, :] @ C4)

    return lax.fori_loop(0, A.shape[0], lambda r, A: lax.fori_loop(0, A.shape[1], lambda q, A: row(r, q, A), A), A)


port_limit = {"NR": 30, "NQ": 30}


def jax_best(A, C4):
    """All rows in one product."""
    return A @ C4


function = doitgen
