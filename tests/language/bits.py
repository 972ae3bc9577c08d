"""Integers as bits: masks, shifts, and the index arithmetic that is written with them."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, integers, signed


def bits_of_integers(k, x):
    return (k & 3) + (k | 4) * (k ^ 5) - ~k + (k << 2) + (k >> 1) + np.sum(x)


def bits_in_python_order(k, x):
    return (k | k ^ k & 3 << 1 + 1) + (k & 6 == 2) + np.sum(x)


def shifts_by_elements(k, m, x):
    return ((k << (m & 7)) >> (m & 3)) + x


def bits_updated_in_place(k, x):
    k &= 6
    k |= 9
    k ^= 5
    k <<= 1
    k >>= 2
    return np.sum(k * x)


def bits_by_numpy_names(k, m, x):
    both = np.bitwise_and(k, m) + np.bitwise_or(k, m) - np.bitwise_xor(k, m)
    return np.sum((both + np.invert(k) + np.left_shift(k, 1) + np.right_shift(m, 1)) * x)


def bits_of_short_integers(x):
    k = np.arange(len(x)).astype(np.int32) << 29
    return np.sum((k >> 3) * x)


def exclusive_masks(x):
    return np.sum(x[(x > 0.5) ^ (x > 0.8)])


def conditions_as_bits(x):
    n = 0
    for i in range(len(x)):
        n += (i > 1) ^ (i > 3)
        n += ((i > 1) & (i < 5)) << 2
        n += True << (i & 7)
    return n * np.sum(x)


def odd_and_even(x):
    s = 0.0
    for i in range(len(x)):
        if i & 1:
            s += x[i] * x[i]
        else:
            s -= x[i >> 1]
    return s


def neighbours_by_xor(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        if i ^ 1 < len(x):
            y[i] = x[i] * x[i ^ 1]
    return y


def gray_code(x):
    n = len(x)
    y = np.zeros(2 * n)
    for i in range(n):
        y[i ^ (i >> 1)] = x[i] * x[i]
    return y


def bits_counted(x):
    y = x * 1.0
    for i in range(len(x)):
        n = i
        while n:
            n &= n - 1
            y[i] *= x[0]
    return y


def fourier_transform_of_8(re, im):
    n = 8
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
            im[i], im[j] = im[j], im[i]
    length = 2
    while length <= n:
        angle = -2.0 * np.pi / length
        for i in range(0, n, length):
            for k in range(length >> 1):
                c, s = np.cos(angle * k), np.sin(angle * k)
                a, b = i + k, i + k + (length >> 1)
                u, v = c * re[b] - s * im[b], c * im[b] + s * re[b]
                re[b], im[b] = re[a] - u, im[a] - v
                re[a] += u
                im[a] += v
        length <<= 1
    return re[:4] * re[:4] + im[:4] * im[:4]


def random_by_shifts(seed, x):
    s = 0.0
    for i in range(len(x)):
        seed ^= (seed << 13) & 0x7FFFFFFF
        seed ^= seed >> 17
        seed ^= (seed << 5) & 0x7FFFFFFF
        s += x[seed % len(x)] * x[i]
    return s


def seed_of(n, rng):
    return (int(rng.integers(1, 2**31 - 1)),)


ENTRIES = (
    Entry(bits_of_integers, all_of(integers("n"), array("n")), bits=False),
    Entry(bits_in_python_order, all_of(integers("n"), array("n")), bits=False),
    Entry(shifts_by_elements, all_of(integers("n"), integers("n"), array("n"))),
    Entry(bits_updated_in_place, all_of(integers("n"), array("n")), bits=False),
    Entry(bits_by_numpy_names, all_of(integers("n"), integers("n"), array("n")), bits=False),
    Entry(bits_of_short_integers, signed("n"), bits=False),
    Entry(exclusive_masks, array("n"), bits=False),
    Entry(conditions_as_bits, array("n"), bits=False),
    Entry(odd_and_even, array("n")),
    Entry(neighbours_by_xor, array("n")),
    Entry(gray_code, array("n")),
    Entry(bits_counted, array("n"), least=1),
    Entry(fourier_transform_of_8, all_of(signed(8), signed(8)), bits=False),
    Entry(random_by_shifts, all_of(seed_of, array("n"))),
)
