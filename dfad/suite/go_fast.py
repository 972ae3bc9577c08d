"""The trace of tanh added to a matrix: a scalar loop along the diagonal, then a broadcast sum.

Name and algorithm are those of `go_fast` in NPBench, where it comes from Numba's "5 minute guide".
"""

import numpy as np

from dfad.suite.data import wave

family = "V"
wrt = "a"
outputs = ("return",)
sizes = {
    "S": {"N": 200},
    "M": {"N": 2000},
    "L": {"N": 6000},
    "paper": {"N": 12500},
}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    return {"a": wave(size["N"], size["N"])}


def tape_minimum(size):
    """The adjoint reads the diagonal of the argument: nothing."""
    return 0


def go_fast(a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


def jax_port(a):
    import jax.numpy as jnp
    from jax import lax

    trace = lax.fori_loop(0, a.shape[0], lambda i, trace: trace + jnp.tanh(a[i, i]), 0.0)
    return a + trace


def jax_best(a):
    """The diagonal as one vector."""
    import jax.numpy as jnp

    return a + jnp.sum(jnp.tanh(jnp.diagonal(a)))


function = go_fast
