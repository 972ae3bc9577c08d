"""Jacobi relaxation in two dimensions: five-point averages from A to B and back.

T means T - 1 double sweeps. Name and algorithm are those of `jacobi-2d` in PolyBench and NPBench.
"""

from dfad.suite.data import wave

family = "L"
wrt = "A"
outputs = ("A",)
sizes = {
    "S": {"T": 20, "N": 50},
    "M": {"T": 100, "N": 350},
    "L": {"T": 200, "N": 700},
    "paper": {"T": 1000, "N": 2800},
}
port_limit = {"T": 10, "N": 150}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    N = size["N"]
    return {"A": wave(N, N), "B": wave(N, N, phase=1.1), "T": size["T"]}


def tape_minimum(size):
    return 0


def jacobi_2d(A, B, T):
    for t in range(1, T):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])


def jax_port(A, B, T):
    from jax import lax

    N = A.shape[0]

    def sweep(to, source):
        def cell(i, j, to):
            total = source[i, j] + source[i, j - 1] + source[i, j + 1] + source[i + 1, j] + source[i - 1, j]
            return to.at[i, j].set(0.2 * total)

        def row(i, to):
            return lax.fori_loop(1, N - 1, lambda j, to: cell(i, j, to), to)

        return lax.fori_loop(1, N - 1, row, to)

    def step(t, state):
        A, B = state
        B = sweep(B, A)
        return sweep(A, B), B

    return lax.fori_loop(1, T, step, (A, B))[0]


def jax_best(A, B, T):
    """A scan over time that carries one array; the fixed borders are added to padded interiors, which XLA fuses into the sweep.

    The terms are taken along one axis after the other: a third of the time of one sum of five shifted slices.
    """
    import jax.numpy as jnp
    from jax import lax

    def sweep(source):
        middle = source[1:-1]
        vertical = 0.2 * (middle + source[2:] + source[:-2])
        return jnp.pad(vertical[:, 1:-1] + 0.2 * (middle[:, 2:] + middle[:, :-2]), 1)

    border_A, border_B = A.at[1:-1, 1:-1].set(0.0), B.at[1:-1, 1:-1].set(0.0)

    def step(A, _):
        return sweep(sweep(A) + border_B) + border_A, None

    return lax.scan(step, A, length=T - 1)[0]


function = jacobi_2d
