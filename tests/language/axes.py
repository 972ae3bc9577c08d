"""Functions of whole arrays along one axis, or several."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import array, signed


def roll_along_axes(A):
    return np.roll(A, 2) * A, np.roll(A, (1, -1), axis=(0, 1)), np.roll(A, 1, axis=(0, 1)), np.roll(A, (1, 2), axis=0)


def differences_along_axes(A):
    return np.diff(A, axis=0) ** 2, np.diff(A), np.diff(A, n=2, axis=1), np.diff(A[0], 2)


def running_sums_along_axes(A):
    return np.cumsum(A, axis=0) ** 2, A.cumsum(axis=-1), np.cumsum(A), np.cumprod(A, axis=1)


def places_along_axes(A):
    s = np.sum(A * A)
    return s, np.argmax(A, axis=1), np.argmin(A, axis=0), A.argmax(), np.argmax(A, axis=1, keepdims=True), np.argmin(A, keepdims=True)


def truths_along_axes(A):
    s = np.sum(np.any(A > 0.5, axis=1, keepdims=True) * A * A)
    return s, np.all(A > -0.9, axis=0), np.any(A > 0.9), (A > 0.0).all(axis=1, keepdims=True)


def norms_along_axes(A):
    return np.linalg.norm(A) * A, np.linalg.norm(A, axis=0), A / np.linalg.norm(A, axis=1, keepdims=True)


def squeeze_of_a_slice(A):
    return np.squeeze(A[:1] * A[1:2]), np.squeeze(A[None, :, :1], axis=0), np.squeeze(A[:1], 0)


def stack_along_axes(A):
    return np.stack((A, 2.0 * A), axis=1), np.stack([A[0], A[1] * A[0]], axis=-1), np.stack((A, A * A), axis=2)


def flip_along_axes(A):
    return np.flip(A, axis=(0, 1)) * A, np.flip(A) * A, np.flip(A, 0), np.fliplr(A) * A, np.flipud(A)


def reductions_over_several_axes(C):
    return np.sum(C, axis=(0, 2)), np.max(C, axis=(1, 2)), np.mean(C, axis=(0, 1)), C.std(axis=(0, 2)), np.prod(C, axis=-1, keepdims=True)


def products_of_stacks(C, D):
    return C @ D, np.matmul(C, D[0]), C @ D[0, :, 0], C[0] @ D, D[0, :, 0] @ np.swapaxes(C, 1, 2)


def stacks(n, rng):
    return rng.uniform(0.5, 1.5, (n, 2, 3)), rng.uniform(0.5, 1.5, (n, 3, 2))


ENTRIES = (
    Entry(roll_along_axes, signed("n", "n+1")),
    Entry(differences_along_axes, signed("n", 4), least=1),
    Entry(running_sums_along_axes, array("n", 3), bits=False),
    Entry(places_along_axes, signed("n", 3), least=1, bits=False),
    Entry(truths_along_axes, signed("n", 3), bits=False),
    Entry(norms_along_axes, array("n", 3), least=1, bits=False),
    Entry(squeeze_of_a_slice, array("n", 3), least=2),
    Entry(stack_along_axes, array("n", 3), least=2),
    Entry(flip_along_axes, array("n", 3)),
    Entry(reductions_over_several_axes, array("n", 3, 2), least=1, bits=False),
    Entry(products_of_stacks, stacks, least=2, bits=False),
)
