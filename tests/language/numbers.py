"""What Python and NumPy do with numbers: integers to powers, signs, norms, counts, and names whose integers are of two lengths."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, integers, number, signed


def powers_that_stop_a_loop(a):
    x = 1.0
    while abs(x * x - a) > 10**-10:
        x = 0.5 * (x + a / x)
    return x


def powers_of_integer_arrays(p, x):
    return x * p**2, p**0, np.power(p, 3), p * 2**2


def plus_gives_a_new_array(A):
    v = +A
    v += 10.0
    w = np.positive(A)
    w *= 2.0
    return np.sum(v * v), np.sum(w * w) + np.sum(A)


def counts_along_axes(A):
    return np.sum(A * A), np.count_nonzero(A > 0.0, axis=0), np.count_nonzero(A > 0.0, axis=1), np.count_nonzero(A)


def deviations_with_more_degrees(x):
    return np.var(x, ddof=1), np.var(x[:2] * 2.0, ddof=1)


def extremes_of_integers(p, x):
    return np.sum(x) * np.max(p), np.min(p), p.max(), np.max(p * 2)


def products_of_integers(p, x):
    return np.sum(x) * (p @ p), np.dot(p, p), np.einsum("i,i", p, p), p[:2] @ p[:2]


def joined_as_vectors(A, B):
    return np.concatenate((A, B), axis=None) ** 2, np.concatenate((A[0], B), axis=None)


def transposed_by_einsum(A):
    d = np.einsum("ij->ji", A)
    return np.sum(A * d) + np.sum(np.einsum("ii->i", A[:2, :2]) ** 2)


def integers_of_two_lengths(x, p):
    k = p[0]
    if x[0] > 0.0:
        k = 2**31
    return x * k


def counts_beside_floats(x):
    n = 0
    for v in x:
        if v > 0.0:
            n += 1
    return np.sum(x * x), n


def shorter_on_one_path(x, c):
    if c > 1.0:
        x = x[1:]
    return np.sum(x * x) * c


def shorter_one_way_or_the_other(x):
    v = x
    for k in range(3):
        v = v[1:] if k % 2 == 0 else v[:-1]
    return np.sum(v * v)


def option_by_a_binomial_tree(s, up, rate):
    v = s * s
    for _step in range(len(s) - 1):
        v = rate * (up * v[1:] + (1.0 - up) * v[:-1])
    return v[0]


def shorts(n, rng):
    return (rng.integers(-9, 9, n).astype(np.int32),)


ENTRIES = (
    Entry(powers_that_stop_a_loop, number(1.0, 3.0)),
    Entry(powers_of_integer_arrays, all_of(integers("n"), array("n"))),
    Entry(plus_gives_a_new_array, array("n"), bits=False),
    Entry(counts_along_axes, signed("n", 3), bits=False),
    Entry(deviations_with_more_degrees, signed("n"), least=2, bits=False),
    Entry(extremes_of_integers, all_of(integers("n"), array("n")), least=1, bits=False),
    Entry(products_of_integers, all_of(integers("n"), array("n")), bits=False),
    Entry(joined_as_vectors, all_of(array("n", 2), array(3)), least=1),
    Entry(transposed_by_einsum, array("n", "n"), least=2, bits=False),
    Entry(integers_of_two_lengths, all_of(signed("n"), shorts), least=1),
    Entry(counts_beside_floats, signed("n"), bits=False),
    Entry(shorter_on_one_path, all_of(array("n"), number(0.5, 1.5)), bits=False),
    Entry(shorter_one_way_or_the_other, array("n"), bits=False),
    Entry(option_by_a_binomial_tree, all_of(array("n"), number(0.1, 0.9), number(0.5, 1.0)), least=2),
)
