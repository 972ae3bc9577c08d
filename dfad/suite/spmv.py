"""Sparse matrix times vector, the matrix in compressed rows: row by row, over the stored entries.

Name and algorithm are those of `spmv` in NPBench.

The gradient needs no recorded value.
"""

import numpy as np

from dfad.suite.data import wave

family = "L"
wrt = ("val", "x")
outputs = ("return",)
sizes = {
    "S": {"M": 60, "N": 50, "nnz": 200},
    "M": {"M": 20_000, "N": 20_000, "nnz": 80_000},
    "L": {"M": 2_000_000, "N": 2_000_000, "nnz": 16_000_000},
    "paper": {"M": 131_072, "N": 131_072, "nnz": 262_144},
}
port_limit = {"M": 2000, "N": 2000, "nnz": 8000}


def initialize(size):
    """Rows of uneven length, some of them empty, with columns from all over."""
    size = sizes[size] if isinstance(size, str) else size
    M, N, nnz = size["M"], size["N"], size["nnz"]
    share = (np.arange(M) * 7919) % 5
    starts = np.concatenate([[0], np.cumsum(share)])
    indptr = starts * nnz // max(starts[-1], 1)
    indices = (np.arange(nnz) * 104_729 + 17) % N
    return {"indptr": indptr, "indices": indices, "val": wave(nnz), "x": wave(N, phase=1.1)}


def tape_minimum(size):
    return 0


def spmv(indptr, indices, val, x):
    y = np.empty(indptr.size - 1)
    for i in range(indptr.size - 1):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += val[k] * x[indices[k]]
        y[i] = total
    return y


def rows(indptr, count):
    import jax.numpy as jnp

    return jnp.searchsorted(indptr, jnp.arange(count), side="right") - 1


def jax_port(indptr, indices, val, x):
    """One loop over the stored entries: the inner loop's bounds are data, and such a loop has no reverse."""
    import jax.numpy as jnp
    from jax import lax

    row = rows(indptr, val.shape[0])

    def add(k, y):
        return y.at[row[k]].add(val[k] * x[indices[k]])

    return lax.fori_loop(0, val.shape[0], add, jnp.zeros(indptr.shape[0] - 1))


def jax_best(indptr, indices, val, x):
    """Gather, multiply, and add up by sorted segments."""
    import jax.numpy as jnp
    import jax.ops

    lengths = indptr[1:] - indptr[:-1]
    row = jnp.repeat(jnp.arange(lengths.shape[0]), lengths, total_repeat_length=val.shape[0])
    return jax.ops.segment_sum(val * x[indices], row, num_segments=lengths.shape[0], indices_are_sorted=True)


function = spmv
