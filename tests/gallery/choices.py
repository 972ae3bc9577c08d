"""Index arrays: gathers and scatters with NumPy's meaning of repeated and negative indices."""

import numpy as np

from tests.gallery import Entry


def choice_gather(x, idx):
    """Elements chosen by an array of integers."""
    return x[idx] * 2.0, np.sum(x[idx]), x[idx + 0] - x[idx]


def choice_of_rows(A, idx):
    """Rows and columns chosen, with slices beside."""
    return A[idx], A[:, idx], A[idx, 0], A[0, idx], A[idx, 1:] * 2.0


def choice_of_pairs(A, idx, jdx):
    """Index arrays side by side, and apart."""
    B = A[:, None] * np.ones((A.shape[0], 2, A.shape[1]))
    return A[idx, jdx], A[idx[:, None], jdx], B[idx, 0, :], B[idx, :, jdx], B[0, :, jdx]


def choice_assigned(x, idx, v):
    """a[idx] = v: of repeated indices the last counts."""
    x[idx] = v
    x[idx[:1]] = 7.0


def choice_augmented(x, idx, v):
    """a[idx] += v is buffered."""
    x[idx] += v
    x[idx] *= 2.0


def choice_added_at(x, idx, v):
    """np.add.at counts every contribution."""
    np.add.at(x, idx, v)
    np.add.at(x, idx, 0.5)


def choice_permutes_itself(x, idx):
    """x[:] = x[idx]."""
    x[:] = x[idx]
    x[idx] = x[::-1]


def choice_in_rows(A, idx):
    """Rows scattered."""
    A[idx] = A[::-1]
    A[idx, 0] = 3.0
    A[0, idx] += 1.0


def choice_csr_product(indptr, col, val, x):
    """A sparse product row by row, each with a gather."""
    y = np.zeros(indptr.shape[0] - 1)
    for i in range(indptr.shape[0] - 1):
        cols = col[indptr[i] : indptr[i + 1]]
        y[i] = val[indptr[i] : indptr[i + 1]] @ x[cols]
    return y


def choice_overwrites_its_index(idx):
    """The index array is the array that is written."""
    idx[idx] = idx * 2
    return idx[0]


def chosen(n, rng):
    return rng.uniform(0, 1, n), rng.integers(-n, n, n)


def rows(n, rng):
    return rng.uniform(0, 1, (n, n)), rng.integers(-n, n, n)


def pairs(n, rng):
    return rng.uniform(0, 1, (n, n)), rng.integers(0, n, n), rng.integers(-n, n, n)


def weighted(n, rng):
    return rng.uniform(0, 1, n), rng.integers(0, n, n), rng.uniform(0, 1, n)


def sparse(n, rng):
    counts = rng.integers(0, 4, n)
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return indptr, rng.integers(0, n, indptr[-1]), rng.uniform(0, 1, indptr[-1]), rng.uniform(0, 1, n)


def own_indices(n, rng):
    return (rng.integers(0, n, n),)


ENTRIES = (
    Entry(choice_gather, chosen, bits=False, least=2),
    Entry(choice_of_rows, rows, least=2),
    Entry(choice_of_pairs, pairs, least=2),
    Entry(choice_assigned, weighted, least=2),
    Entry(choice_augmented, weighted, least=2),
    Entry(choice_added_at, weighted, least=2),
    Entry(choice_permutes_itself, chosen, least=2),
    Entry(choice_in_rows, rows, least=2),
    Entry(choice_csr_product, sparse, bits=False, least=1),
    Entry(choice_overwrites_its_index, own_indices, least=2),
)
