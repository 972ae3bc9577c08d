"""Results whose length the kernel computes: masked elements, slices of computed bounds, new arrays, early returns of different shapes."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, integers, number, signed, value


def length_of_mask(x):
    """x[mask]."""
    return x[x > 0.2]


def length_of_rows(A, w):
    """Rows under a mask, of which each is scaled."""
    return A[w > 0.0] * 2.0


def length_of_slices(x):
    """A slice whose end the kernel counts, and what is left of the array."""
    k = 0
    while k < len(x) and x[k] > -0.6:
        k += 1
    return x[:k] * x[:k], x[k:]


def length_of_columns(A, c):
    """More than the number of rows is computed."""
    k = min(int(2.0 * c), A.shape[1])
    return A[:, :k], A[:k, 1:] * c


def length_concatenated(x, y):
    """Two masks, one behind the other."""
    return np.concatenate((x[x > 0], y[y > 0]))


def length_beside_number(x):
    """An array of computed length, and a number."""
    return x[x > 0].copy(), np.sum(x)


def length_of_new_arrays(x, c):
    """Arrays made for a computed length: whole numbers, and what a loop fills in."""
    k = int(3.0 * c)
    y = np.zeros(k)
    for i in range(k):
        y[i] = c * i + x[0] * x[i % len(x)]
    return y, np.arange(k)


def length_of_updated(x):
    """Masked elements that a loop updates, each from the one before."""
    y = x[x > -0.3]
    for i in range(1, len(y)):
        y[i] = y[i] * y[i - 1]
    return y


def length_by_result(x):
    """What a derivative reads is in the result alone."""
    y = x[x > 0]
    if len(y) == 0:
        return np.exp(x)
    return np.exp(y / y[0])


def length_at_most_one(A):
    """A slice of one element of what may have none."""
    y = A[A[:, 0] > 0][:1]
    return y, y * 2.0, y[-1:]


def length_of_early_return(x, w):
    """Returns of different lengths, two of them in loops."""
    for i in range(len(x)):
        if x[i] < -0.5:
            return x[:i] * w[i]
        for j in range(i):
            if x[j] * w[i] > 1.2:
                return w[w > x[j]]
    return x * x


def length_of_early_pair(x, k):
    """Two results on each path, the arrays of computed shape."""
    if k > 1 and len(x) > 2:
        return x[x > 0], x[0]
    return x[1:], 1.0


def length_of_early_matrix(A, k):
    """Matrices of different shapes."""
    if k > 2:
        return A[A[:, 0] > 0.0]
    return A.T[:k] * 3.0


def positive(x):
    """Those above 0."""
    return x[x > 0]


def scaled(x, c):
    """The positive ones, or the first ones."""
    y = positive(x)
    return y * c


def length_from_helper(x, c):
    """What an inlined function returns."""
    return scaled(x, c), positive(x)


def first_or_positive(x, k):
    """Two shapes."""
    if k > 2:
        return positive(x)
    return x[:k]


def first_and_place(x):
    """A pair, early or at the end."""
    for i in range(len(x)):
        if x[i] < 0:
            return x[:i] * 2.0, x[i]
    return x, 1.0


def length_from_helper_paths(x, k):
    """Helpers that return different shapes, each a result as it stands."""
    return first_or_positive(x, k), x * 1.0, first_or_positive(x, k - 2)


def length_from_helper_early(x, w, k):
    """Such helpers on some of the paths."""
    if len(x) > 3 and x[0] * w[0] > 0:
        return first_or_positive(x, k)
    for i in range(k):
        if x[i % len(x)] > 0.5:
            return first_or_positive(w * x, i)
    return w[1:]


def length_from_helper_pair(x):
    """A helper that returns a pair."""
    return first_and_place(x)


def doubled(z):
    """Updates its argument."""
    for i in range(len(z)):
        z[i] *= 2.0


def length_of_two_names(x):
    """Masked elements under two names: what is written through one, the other sees."""
    y = x[x > 0]
    w = y
    w[:1] = 5.0
    z = x[x < 0]
    v = z
    z *= 2.0
    return y, np.sum(y), v, z


def length_of_lent(x):
    """Masked elements that a helper updates, and of which there is a view."""
    y = x[x > 0]
    doubled(y)
    z = y.reshape(-1)
    z[1:] += 1.0
    return y


def length_of_filled(x, c):
    """A table that loops fill in, returned twice, and a view of it."""
    k = int(3.0 * c)
    y = np.zeros((k, 2))
    for i in range(k):
        for j in range(2):
            y[i, j] = c * i + x[i % len(x)] * j
        y[i] *= 2.0
    return y, y, y[::-1]


def length_of_exchanged(x, n):
    """Two arrays of computed length that trips exchange, and both are returned."""
    k = int(abs(x[0]) * 4.0) + 1
    u = np.zeros(k)
    v = np.ones(k) * x[1]
    for _ in range(n):
        for i in range(1, k):
            u[i] = 0.5 * v[i] + v[i - 1] * x[2]
        u, v = v, u
    return u, v


def exchanged_in_a_trip(x, n):
    """Arrays of a trip's own that inner trips exchange."""
    s = 0.0
    for t in range(2):
        u = np.zeros(len(x))
        v = x * (t + 1.0)
        for _ in range(n):
            for i in range(1, len(x)):
                u[i] = 0.5 * v[i] + v[i - 1] * v[i - 1] * x[0]
            u, v = v, u
        s += np.sum(v * v) * x[1]
    return s


def length_with_update(x):
    """An argument updated in place, and a result of computed length."""
    x[x > 0.5] *= 0.5
    return x[x < 0] * 2.0


def length_of_float32(x):
    """In single precision."""
    return x[x > 0] * x[x > 0], x > 0, (x > 0)[x > 0]


def length_of_integers(x, idx):
    """Integers, of both sizes."""
    return idx[idx > 0], idx[x > 0] // 2


def single(n, rng):
    """A float32 array of numbers of both signs."""
    return (rng.uniform(-1.0, 1.0, n).astype(np.float32),)


ENTRIES = (
    Entry(length_of_mask, signed("n")),
    Entry(length_of_rows, all_of(signed("n", 3), signed("n"))),
    Entry(length_of_slices, signed("n")),
    Entry(length_of_columns, all_of(signed("n", "n+2"), number())),
    Entry(length_concatenated, all_of(signed("n"), signed("n+1"))),
    Entry(length_beside_number, signed("n"), bits=False),
    Entry(length_of_new_arrays, all_of(array("n"), number()), least=1),
    Entry(length_of_updated, signed("n")),
    Entry(length_by_result, signed("n"), bits=False),
    Entry(length_at_most_one, signed("n", 2), least=1),
    Entry(length_of_early_return, all_of(signed("n"), array("n"))),
    Entry(length_of_early_pair, all_of(signed("n"), value(2)), least=1),
    Entry(length_of_early_matrix, all_of(signed("n", 3), value(3))),
    Entry(length_from_helper, all_of(signed("n"), number())),
    Entry(length_from_helper_paths, all_of(signed("n"), value(3))),
    Entry(length_from_helper_early, all_of(signed("n"), array("n"), value(3)), least=1),
    Entry(length_from_helper_pair, signed("n")),
    Entry(length_of_two_names, signed("n"), bits=False),
    Entry(length_of_lent, signed("n")),
    Entry(length_of_filled, all_of(array("n"), number()), least=1),
    Entry(length_of_exchanged, all_of(array("n"), value(1)), least=3),
    Entry(exchanged_in_a_trip, all_of(array("n"), value(1)), least=2, bits=False),
    Entry(length_with_update, signed("n")),
    Entry(length_of_float32, single),
    Entry(length_of_integers, all_of(signed("n"), integers("n"))),
)
