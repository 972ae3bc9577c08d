"""Masks beside other indices, elements that a mask chose as any array, masks and places made of each other."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, signed


def mask_beside_an_integer(A, x):
    A[x > 0.0, 0] = 1.0
    A[x < 0.5, 1] += x[x < 0.5] * A[x < 0.5, 0]
    return np.sum(A[0, A[0] > 0.2] ** 2) + np.sum(A[x > 0.0, -1])


def mask_beside_a_slice(A, x):
    A[x > 0.0, 1:] *= 2.0
    A[x < -0.2, :2] = A[x < -0.2, 1:3] ** 2
    return np.sum(A[x > 0.0, ::2] ** 2)


def mask_of_columns(A, w):
    A[:, w > 0.0] *= A[:, w > 0.0]
    A[1:, w < 0.0] = 0.5
    return np.sum(A[:, w > 0.0] ** 2), np.sum(A[..., w < 0.5], axis=0)[0]


def mask_beside_an_index_array(A, x, idx):
    A[x > 0.0, idx[x > 0.0]] *= 2.0
    A[x < 0.3, idx[x < 0.3]] = x[x < 0.3] ** 2
    return np.sum(A[x > -0.5][:, idx] ** 2)


def two_masks(A, x, y):
    A[x > 0.0, x > 0.0] = A[y > 0.0, y > 0.0][: np.sum(x > 0.0)].sum() * 0.5
    return np.sum(A * A)


def mask_of_two_axes_beside_an_integer(C):
    C[C[:, :, 0] > 0.0, 1] = 0.5
    C[C[:, :, 1] > 0.0] += 1.0
    return np.sum(C[C[:, :, 0] < 0.5, 1] ** 2)


def masked_integers_as_index(x, idx):
    x[idx[idx > 0]] *= 2.0
    return np.sum(x[idx[idx <= 0]] ** 2)


def mask_from_integers(x, k):
    x[k.astype(bool)] *= 3.0
    return np.sum(x[(k % 2).astype(bool)] ** 2)


def array_of_one_element_under_a_mask(x, y):
    x[x > 0.0] = y[:1]
    x[x < -0.5] += y[0:1] ** 2
    return np.sum(x * x)


def write_to_what_is_a_copy(x, idx):
    x[idx][x > 0.0] = 3.0
    x[idx][0] = 5.0
    (x * 2.0)[:] = 1.0
    return np.sum(x * x)


def parts_of_masked_elements(x):
    y = x[x > -2.0]
    s = y[0] * y[-1] + np.sum(y[1:] * y[:-1]) + len(x[x > 0.0])
    for v in x[x > 0.0]:
        s += v * v
    return s + x[x > -2.0][1:].sum()


def places_of_a_mask(x, A):
    places = np.where(x > 0.0)[0]
    rows, columns = np.nonzero(A > 0.0)
    x[places] = x[places] ** 2
    return np.sum(x * x) + np.sum(A[rows, columns] ** 3) + len(rows) + np.count_nonzero(x > 0.5) + np.sum(np.flatnonzero(x))


def with_indices(n, rng):
    return rng.uniform(-1, 1, n), rng.integers(-n, max(n, 1), n)


def matrix_with_indices(n, rng):
    return rng.uniform(-1, 1, (n, n)), rng.uniform(-1, 1, n), rng.permutation(n)


def with_integers(n, rng):
    return rng.uniform(-1, 1, n), rng.integers(-1, 3, n)


def with_one_mask(n, rng):
    x = rng.uniform(-1, 1, n)
    return rng.uniform(-1, 1, (n, n)), x, x.copy()


def enumerate_what_a_mask_chooses(x):
    s = 0.0
    for i, v in enumerate(x[x > 0.0]):
        s += (i + 1) * v * v
    return s


def zip_what_a_mask_chooses(x, y):
    s = 0.0
    for v, w in zip(x[y > 0.0], y[y > 0.0]):  # noqa: B905
        x[0] += 0.5 * v
        s += v * w
    return s + x[0]


ENTRIES = (
    Entry(enumerate_what_a_mask_chooses, signed("n"), bits=False),
    Entry(zip_what_a_mask_chooses, all_of(signed("n"), signed("n")), least=1, bits=False),
    Entry(mask_beside_an_integer, all_of(signed("n", 3), signed("n")), least=1, bits=False),
    Entry(mask_beside_a_slice, all_of(signed("n", 3), signed("n")), bits=False),
    Entry(mask_of_columns, all_of(signed("n", 4), signed(4)), least=1, bits=False),
    Entry(mask_beside_an_index_array, matrix_with_indices, bits=False),
    Entry(two_masks, with_one_mask, bits=False),
    Entry(mask_of_two_axes_beside_an_integer, signed("n", "n+1", 2), bits=False),
    Entry(masked_integers_as_index, with_indices, bits=False),
    Entry(mask_from_integers, with_integers, bits=False),
    Entry(array_of_one_element_under_a_mask, all_of(signed("n"), signed("n+1")), bits=False),
    Entry(write_to_what_is_a_copy, with_indices, least=1, bits=False),
    Entry(parts_of_masked_elements, signed("n"), least=1, bits=False),
    Entry(places_of_a_mask, all_of(signed("n"), signed("n", 3)), bits=False),
)
