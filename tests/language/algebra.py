"""Sums of products: inner products, averages, convolutions, integrals, slopes, polynomials."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, value


def inner_products(x, A, B):
    return np.inner(x, x) * x, np.inner(A, B), np.inner(A, x), np.inner(x, A), np.vdot(A, B) * np.vdot(x, x), np.inner(2.0, x)


def products_over_axes(A, B, T):
    named = np.tensordot(A, T, axes=([0, 1], [0, 1]))
    return np.tensordot(A, B, 1), named, np.tensordot(T, T, 3), np.tensordot(A, T, (0, 0)), np.inner(T, A)


def cross_products(u, v, U, V):
    return np.cross(u, v), np.cross(U, V), np.cross(U, v) * 2.0, np.cross(U.T, V.T, axis=0)


def orbit_with_cross_products(r, v, n):
    b = np.array([0.0, 0.0, 1.0])
    for _ in range(n):
        v = v + 0.1 * np.cross(v, b)
        r = r + 0.1 * v
    return r


def averages(x, w, A):
    return np.average(x, weights=w), np.average(A), np.average(A, axis=0, weights=w), np.average(A, weights=A * A), np.average(A, axis=1)


def weighted_averages_that_keep_axes(w, A):
    return A - np.average(A, axis=0, weights=w, keepdims=True), np.average(A, axis=1, keepdims=True) * A


def convolutions(a, v):
    return np.convolve(a, v), np.convolve(a, v, mode="same") ** 2, np.convolve(a, v, "valid")


def correlations(a, v):
    return np.correlate(a, v), np.correlate(a, v, "same"), np.correlate(a, v, mode="full"), np.convolve(a, [0.25, 0.5, 0.25], "same")


def integrals(y, x, A):
    return np.trapezoid(y, x), np.trapezoid(y, dx=0.1) ** 2, np.trapezoid(A, x, axis=0), np.trapezoid(A, axis=1), np.trapezoid(A.T, x)


def slopes(f, x, A):
    down, right = np.gradient(A, 0.5, 2.0)
    return np.gradient(f), np.gradient(f, 0.1) ** 2, np.gradient(f, x), down * right, np.gradient(A, x, axis=0), np.gradient(A, axis=-1)


def flow_of_a_field(A, n):
    for _ in range(n):
        down, right = np.gradient(A)
        A = A + 0.1 * (down * down - right * right)
    return A


def polynomials(p, x, A, c):
    return np.polyval(p, x), np.polyval(p, A), np.polyval([1.0, c, 3.0], x), np.polyval(p, c) * np.polyval((2.0, 1.0), x[0])


def triples(n, rng):
    return rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3), rng.uniform(-1, 1, (n, 3)), rng.uniform(-1, 1, (n, 3))


def values_at_places(n, rng):
    return rng.uniform(0.5, 1.5, n), np.cumsum(rng.uniform(0.1, 0.5, n)), rng.uniform(0.5, 1.5, (n, 3))


SQUARES = all_of(array("n"), array("n", "n"), array("n", "n"))

def product_of_three_and_its_elements(H, P, n):
    """What the elements go into is computed again in the reverse sweep, from the product, which is restored."""
    for _ in range(n):
        S = H @ P @ H
        P = np.ones((2, 2)) / (S[0, 0] * S[1, 1])
    return np.sum(P)


def normed(Q):
    q = np.sqrt(1.0 + np.sum(Q * Q))
    Q = Q / q
    return Q


def element_of_what_a_product_leaves(H, P, x, n):
    """Which array and which part of it the names mean is restored before the element is read again."""
    K = P @ H
    S = H * 0.5
    y = x * 1.0
    for _ in range(n):
        if n > 2:
            P = P.copy()
            y = np.sin(P[:, 1]) * S[1, 0]
        P = normed(S)
        S = K.copy()
        S = (np.eye(2) - 0.3 * H @ H) @ S
    return np.sum(P * P) + np.sum(S * K) + np.sum(np.sin(y))


def inverse_of_two(S):
    d = S[0, 0] * S[1, 1] - S[0, 1] * S[1, 0]
    return np.array([[S[1, 1], -S[0, 1]], [-S[1, 0], S[0, 0]]]) / d


def filter_of_kalman(H, P, n):
    R = np.eye(2) * 0.3
    x = np.zeros(2)
    for _ in range(n):
        S = H @ P @ H.T + R
        K = P @ H.T @ inverse_of_two(S)
        x = x + K @ (np.array([1.0, 0.5]) - H @ x)
        P = (np.eye(2) - K @ H) @ P + 0.1 * np.eye(2)
    return np.sum(P), np.sum(x * x)


def square_of_an_element_of_a_product(H, P, n):
    for _ in range(n):
        S = H @ P @ H
        A = np.zeros((2, 2))
        A[0, 0] = S[0, 0] ** 2
        P = H @ A
    return np.sum(P)


ENTRIES = (
    Entry(element_of_what_a_product_leaves, all_of(array(2, 2), array(2, 2), array(2), value(3)), bits=False),
    Entry(product_of_three_and_its_elements, all_of(array(2, 2), array(2, 2), value(3)), bits=False),
    Entry(filter_of_kalman, all_of(array(2, 2), array(2, 2), value(3)), bits=False),
    Entry(square_of_an_element_of_a_product, all_of(array(2, 2), array(2, 2), value(3)), bits=False),
    Entry(inner_products, SQUARES, bits=False),
    Entry(products_over_axes, all_of(array("n", 3), array(3, "n"), array("n", 3, 3)), bits=False),
    Entry(cross_products, triples, bits=False),
    Entry(orbit_with_cross_products, all_of(array(3), array(3), value(4)), bits=False),
    Entry(averages, all_of(array("n"), array("n"), array("n", 3)), least=1, bits=False),
    Entry(weighted_averages_that_keep_axes, all_of(array("n"), array("n", 3)), least=1, bits=False),
    Entry(convolutions, all_of(array("n"), array(3)), least=1, bits=False),
    Entry(correlations, all_of(array("n"), array(4)), least=1, bits=False),
    Entry(integrals, values_at_places, least=1, bits=False),
    Entry(slopes, values_at_places, least=2, bits=False),
    Entry(flow_of_a_field, all_of(array("n", 3), value(2)), least=2, bits=False),
    Entry(polynomials, all_of(array(4), array("n"), array(2, "n"), number()), least=1, bits=False),
)
