"""Jacobi relaxation in one dimension: three-point averages from A to B and back.

T means T - 1 double sweeps. Name and algorithm are those of `jacobi-1d` in PolyBench and NPBench.
"""

from dfad.suite.data import wave

family = "L"
wrt = "A"
outputs = ("A",)
sizes = {
    "S": {"T": 50, "N": 200},
    "M": {"T": 300, "N": 2000},
    "L": {"T": 2000, "N": 16000},
    "paper": {"T": 4000, "N": 32000},
}
port_limit = {"T": 500, "N": 2000}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    return {"A": wave(size["N"]), "B": wave(size["N"], phase=1.1), "T": size["T"]}


def tape_minimum(size):
    return 0


def jacobi_1d(A, B, T):
    for t in range(1, T):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])


def jax_port(A, B, T):
    from jax import lax

    N = A.shape[0]

    def sweep(to, source):
        def cell(i, to):
            return to.at[i].set(0.33333 * (source[i - 1] + source[i] + source[i + 1]))

        return lax.fori_loop(1, N - 1, cell, to)

    def step(t, state):
        A, B = state
        B = sweep(B, A)
        return sweep(A, B), B

    return lax.fori_loop(1, T, step, (A, B))[0]


def jax_best(A, B, T):
    """A scan over time that carries one array; the fixed borders are added to padded interiors, which XLA fuses into the sweep."""
    import jax.numpy as jnp
    from jax import lax

    def sweep(source):
        return jnp.pad(0.33333 * (source[:-2] + source[1:-1] + source[2:]), 1)

    border_A, border_B = A.at[1:-1].set(0.0), B.at[1:-1].set(0.0)

    def step(A, _):
        return sweep(sweep(A) + border_B) + border_A, None

    return lax.scan(step, A, length=T - 1)[0]


function = jacobi_1d
