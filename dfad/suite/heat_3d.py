"""The heat equation in three dimensions: seven-point explicit steps from A to B and back.

T means T - 1 double steps. Name and algorithm are those of `heat-3d` in PolyBench and NPBench.
"""

from dfad.suite.data import wave

family = "L"
wrt = "A"
outputs = ("A",)
sizes = {
    "S": {"T": 10, "N": 20},
    "M": {"T": 50, "N": 40},
    "L": {"T": 100, "N": 70},
    "paper": {"T": 500, "N": 120},
}
port_limit = {"T": 5, "N": 30}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    N = size["N"]
    return {"A": wave(N, N, N), "B": wave(N, N, N, phase=1.1), "T": size["T"]}


def tape_minimum(size):
    return 0


def heat_3d(A, B, T):
    for t in range(1, T):
        B[1:-1, 1:-1, 1:-1] = (
            A[1:-1, 1:-1, 1:-1]
            + 0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2])
        )
        A[1:-1, 1:-1, 1:-1] = (
            B[1:-1, 1:-1, 1:-1]
            + 0.125 * (B[2:, 1:-1, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[:-2, 1:-1, 1:-1])
            + 0.125 * (B[1:-1, 2:, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, :-2, 1:-1])
            + 0.125 * (B[1:-1, 1:-1, 2:] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, 1:-1, :-2])
        )


def jax_port(A, B, T):
    from jax import lax

    N = A.shape[0]

    def sweep(to, source):
        def cell(i, j, k, to):
            here = source[i, j, k]
            along_i = 0.125 * (source[i + 1, j, k] - 2.0 * here + source[i - 1, j, k])
            along_j = 0.125 * (source[i, j + 1, k] - 2.0 * here + source[i, j - 1, k])
            along_k = 0.125 * (source[i, j, k + 1] - 2.0 * here + source[i, j, k - 1])
            return to.at[i, j, k].set(here + along_i + along_j + along_k)

        def row(i, j, to):
            return lax.fori_loop(1, N - 1, lambda k, to: cell(i, j, k, to), to)

        def plane(i, to):
            return lax.fori_loop(1, N - 1, lambda j, to: row(i, j, to), to)

        return lax.fori_loop(1, N - 1, plane, to)

    def step(t, state):
        A, B = state
        B = sweep(B, A)
        return sweep(A, B), B

    return lax.fori_loop(1, T, step, (A, B))[0]


def jax_best(A, B, T):
    """A scan over time that carries one array; the fixed borders are added to padded interiors, which XLA fuses into the step.

    The terms are taken along one axis after the other, the coefficients of each cell summed up: 1 - 3 * 2 / 8 = 1 / 4.
    """
    import jax.numpy as jnp
    from jax import lax

    def sweep(source):
        slab = source[1:-1]
        bar = slab[:, 1:-1]
        along_i = 0.25 * slab + 0.125 * (source[2:] + source[:-2])
        along_j = 0.125 * (slab[:, 2:] + slab[:, :-2])
        along_k = 0.125 * (bar[:, :, 2:] + bar[:, :, :-2])
        return jnp.pad(along_i[:, 1:-1, 1:-1] + along_j[:, :, 1:-1] + along_k, 1)

    inner = (slice(1, -1),) * 3
    border_A, border_B = A.at[inner].set(0.0), B.at[inner].set(0.0)

    def step(A, _):
        return sweep(sweep(A) + border_B) + border_A, None

    return lax.scan(step, A, length=T - 1)[0]


function = heat_3d
