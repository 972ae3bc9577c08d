"""The viscous Burgers equations in two dimensions: two coupled velocities, central differences, two arrays each, exchanged after each step.

    u' = u - c (u (u[i+1,j] - u[i-1,j]) + v (u[i,j+1] - u[i,j-1])) + nu lap(u),   v' alike with v

The borders stay fixed. A textbook scheme.

The reverse of a step reads both velocities at its entry; their borders never change.
"""

from dfad.suite.data import wave

family = "T"
wrt = ("u", "v")
outputs = ("return",)
sizes = {
    "S": {"N": 32, "steps": 20},
    "M": {"N": 128, "steps": 100},
    "L": {"N": 256, "steps": 200},
    "paper": {"N": 256, "steps": 1000},
}
port_limit = {"N": 128, "steps": 100}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    N = size["N"]
    return {"u": wave(N, N), "v": wave(N, N, phase=1.9) - 1.0, "steps": size["steps"]}


def tape_minimum(size):
    """The inner points of both velocities at the entry of every step but the first, whose entry is the caller's."""
    return 2 * max(size["steps"] - 1, 0) * (size["N"] - 2) ** 2 * 8


def burgers_2d(u, v, steps, c=0.05, nu=0.1):
    un = u.copy()
    vn = v.copy()
    for t in range(steps):
        un[1:-1, 1:-1] = (
            u[1:-1, 1:-1]
            - c * (u[1:-1, 1:-1] * (u[2:, 1:-1] - u[:-2, 1:-1]) + v[1:-1, 1:-1] * (u[1:-1, 2:] - u[1:-1, :-2]))
            + nu * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
        )
        vn[1:-1, 1:-1] = (
            v[1:-1, 1:-1]
            - c * (u[1:-1, 1:-1] * (v[2:, 1:-1] - v[:-2, 1:-1]) + v[1:-1, 1:-1] * (v[1:-1, 2:] - v[1:-1, :-2]))
            + nu * (v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2] - 4.0 * v[1:-1, 1:-1])
        )
        u, un = un, u
        v, vn = vn, v
    return u, v


def _moved(w, u, v, c, nu):
    """The inner points of w after one step."""
    here, north, south, west, east = w[1:-1, 1:-1], w[:-2, 1:-1], w[2:, 1:-1], w[1:-1, :-2], w[1:-1, 2:]
    along = u[1:-1, 1:-1] * (south - north) + v[1:-1, 1:-1] * (east - west)
    return here - c * along + nu * (south + north + east + west - 4.0 * here)


def jax_port(u, v, steps, c=0.05, nu=0.1):
    from jax import lax

    def step(t, state):
        u, v, un, vn = state
        un = un.at[1:-1, 1:-1].set(_moved(u, u, v, c, nu))
        vn = vn.at[1:-1, 1:-1].set(_moved(v, u, v, c, nu))
        return un, vn, u, v

    return lax.fori_loop(0, steps, step, (u, v, u, v))[:2]


def jax_best(u, v, steps, c=0.05, nu=0.1):
    """A scan over time that carries the two velocities; each step is recomputed in the reverse, so that one pair per step is stored."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    def bordered(inner, w):
        rows = jnp.concatenate([w[1:-1, :1], inner, w[1:-1, -1:]], axis=1)
        return jnp.concatenate([w[:1], rows, w[-1:]], axis=0)

    @jax.checkpoint
    def step(state, _):
        u, v = state
        return (bordered(_moved(u, u, v, c, nu), u), bordered(_moved(v, u, v, c, nu), v)), None

    return lax.scan(step, (u, v), length=steps)[0]


function = burgers_2d
