"""Arrays that a loop makes longer, and how long nobody knows before."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, size, value


def appended_numbers(x, n):
    u = np.zeros(0)
    for i in range(n):
        u = np.append(u, x[i] * x[i])
    return np.sum(u * u)


def appended_arrays(x, n):
    u = x[:1].copy()
    for i in range(n):
        u = np.concatenate((u, x[i : i + 2] * u[0]))
    return u


def appended_rows_and_columns(x, n):
    rows = x[None, :] * 1.0
    for i in range(n):
        rows = np.vstack((rows, rows[-1] * 0.5 + x * i))
    columns = x[:, None] * 1.0
    for _ in range(2):
        columns = np.hstack((columns, columns[:, -1:] * columns[:, :1]))
    return rows, np.sum(columns * columns)


def appended_to_one_of_two(x, n):
    u, v = np.zeros(1), np.ones(2)
    for i in range(n):
        if i % 2:
            u = np.append(u, x[i] * v[-1])
        else:
            v = np.append(v, u[-1] + x[0])
    return np.sum(u) + np.sum(v * v)


def appended_while_an_argument_changes(x, n):
    u = np.zeros(1)
    for i in range(n):
        x[i] *= 1.5
        u = np.append(u, x[i] + x[0])
    return np.sum(u * u)


def longer(u, a):
    for k in range(3):
        u = np.append(u, 0.3 * a * k * u[-1])
    return u


def appended_by_a_function(x, n):
    u = x.copy()
    for i in range(n):
        u = longer(u, x[i])
    return np.sum(u)


def appended_until_large_enough(x):
    t = abs(x[0]) + 0.5
    path = np.array([x[0]])
    while t < 10.0:
        t = t * 1.5 + 0.1
        path = np.append(path, t)
    return path[-1] + np.mean(path)


def appended_until_a_return(x, n):
    u = x[:1] * x[:1]
    for _ in range(n + 2):
        if np.sum(u) > 2.0:
            return u
        u = np.append(u, np.sum(u) + 0.1)
    return u


def triangle_of_pascal(x, n):
    row = np.ones(1)
    for _ in range(n):
        following = np.ones(len(row) + 1)
        following[1:-1] = row[1:] + row[:-1] * x[0]
        row = following
    return np.sum(row)


def polynomial_of_its_roots(x, n):
    c = np.ones(1)
    for i in range(n):
        c = np.convolve(c, np.array([1.0, -x[i]]))
    return c


def primes_below_a_count(x, n):
    primes, k = np.array([2]), 3
    while len(primes) < n:
        is_prime = True
        for p in primes:
            if k % p == 0:
                is_prime = False
                break
        if is_prime:
            primes = np.append(primes, k)
        k += 1
    return primes, x[0] * primes[-1]


def border_of_a_matrix(x, n):
    P = np.eye(1)
    for i in range(n):
        Q = np.zeros((i + 2, i + 2))
        Q[:-1, :-1] = P
        Q[-1] = x[i]
        P = Q
    return np.sum(P * P)


def selected_and_appended(x, n):
    u = x.copy()
    for _ in range(n % 4):
        u = np.concatenate((u[u > 0.5], u * 0.9))
    return np.sum(u)


def doubled(x):
    u = x.copy()
    for _ in range(3):
        u = np.repeat(u, 2) * 0.5
    return u


def as_long_as_the_trip_says(x, n):
    """What the trip before has left is read first; nothing has its size outside."""
    s = 0.0
    for i in range(n):
        if i > 0:
            s += np.sum(u * u)  # noqa: F821
        u = x[: i + 1] * (i + 1)  # noqa: F841
    return s


def appended_behind_a_second_name(x, n):
    """The first append parts the names."""
    u = x.copy()
    w = u
    for _ in range(n):
        w = np.append(w, 1.0)
        w[0] = 7.0
    return np.sum(u * u) + np.sum(w)


VECTOR = all_of(array("n"), size())

ENTRIES = (
    Entry(appended_numbers, VECTOR, least=1, bits=False),
    Entry(appended_arrays, VECTOR, least=1, bits=False),
    Entry(appended_rows_and_columns, VECTOR, least=1, bits=False),
    Entry(appended_to_one_of_two, VECTOR, least=1, bits=False),
    Entry(appended_while_an_argument_changes, VECTOR, least=1, bits=False),
    Entry(appended_by_a_function, VECTOR, least=1, bits=False),
    Entry(appended_until_large_enough, all_of(array("n")), least=1, bits=False),
    Entry(appended_until_a_return, VECTOR, least=1, bits=False),
    Entry(triangle_of_pascal, VECTOR, least=1, bits=False),
    Entry(polynomial_of_its_roots, VECTOR, least=1, bits=False),
    Entry(primes_below_a_count, VECTOR, least=1),
    Entry(border_of_a_matrix, VECTOR, least=1, bits=False),
    Entry(selected_and_appended, all_of(array("n"), value(3)), least=1, bits=False),
    Entry(doubled, all_of(array("n")), least=1),
    Entry(as_long_as_the_trip_says, VECTOR, least=1, bits=False),
    Entry(appended_behind_a_second_name, VECTOR, least=1, bits=False),
)
