"""All shortest paths by Floyd and Warshall: path[i, j] = min(path[i, j], path[i, k] + path[k, j]) for every k, in place.

Name and algorithm are those of `floyd-warshall` in PolyBench and NPBench, over floats.
"""

import numpy as np

from dfad.suite.data import wave

family = "L"
wrt = "path"
outputs = ("path",)
sizes = {
    "S": {"N": 30},
    "M": {"N": 200},
    "L": {"N": 600},
    "paper": {"N": 2800},
}
port_limit = {"N": 80}


def initialize(size):
    """Distances between 1 and 100, far enough apart that most paths have several edges; 0 to itself."""
    size = sizes[size] if isinstance(size, str) else size
    N = size["N"]
    spread = (37.0 * np.arange(N)[:, None] + 61.0 * np.arange(N) + 7.0) % 101.0
    path = 1.0 + spread + wave(N, N)
    return {"path": path * (1.0 - np.eye(N))}


def tape_minimum(size):
    """One byte for each comparison: which side was less, or a tie."""
    return size["N"] ** 3


def floyd_warshall(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path, np.add.outer(path[:, k], path[k, :]))


def jax_port(path):
    import jax.numpy as jnp
    from jax import lax

    N = path.shape[0]

    def through(k, path):
        column, row = path[:, k], path[k]

        def cell(i, j, path):
            return path.at[i, j].set(jnp.minimum(path[i, j], column[i] + row[j]))

        return lax.fori_loop(0, N, lambda i, path: lax.fori_loop(0, N, lambda j, path: cell(i, j, path), path), path)

    return lax.fori_loop(0, N, through, path)


def jax_best(path):
    """A scan over the intermediate node of whole-array steps."""
    import jax.numpy as jnp
    from jax import lax

    def through(path, k):
        return jnp.minimum(path, path[:, k, None] + path[k]), None

    return lax.scan(through, path, jnp.arange(path.shape[0]))[0]


function = floyd_warshall
