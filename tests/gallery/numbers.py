"""Values that are computed twice, and values that only look so."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, value


def number_mean_and_deviation(x, w):
    """Both sum the same array; one keeps the axis."""
    y = (x - np.mean(x, axis=0)) / (np.std(x, axis=0) + 0.5)
    return np.sum(y * y * y * w)


def number_normalised_twice(x):
    """Sums within sums."""
    for _t in range(2):
        mean = np.mean(x, axis=1, keepdims=True)
        spread = np.var(x, axis=1, keepdims=True)
        x[:] = np.sin(x - mean) / np.sqrt(spread + np.var(x, axis=1, keepdims=True) + 0.5)


def number_written_between(x):
    """The same expression of other values."""
    first = np.sum(x * x)
    x[0] = 0.5 * x[0] * first
    second = np.sum(x * x)
    return first * second + np.sum(x)


def number_product_of_matrices(A, x):
    """One product, asked for twice."""
    y = np.tanh(A @ x)
    z = np.cos(A @ x)
    return np.sum(y * z * z)


def number_grows_apart(x):
    """Arrays that begin alike."""
    a = np.zeros(x.shape[0])
    b = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        a[i] = x[i] * x[i]
        b[i] = x[i] * x[i]
    for i in range(1, x.shape[0]):
        a[i] += 0.5 * a[i - 1] * x[i]
    return np.sum(a * b)


def number_read_on_the_way(x):
    """A sum that is read before it is complete."""
    s = 0.0
    r = 0.0
    for i in range(x.shape[0]):
        s += x[i] * x[i]
    early = s
    for i in range(x.shape[0]):
        s += np.sin(x[i])
    for i in range(x.shape[0]):
        r += x[i] * x[i]
    for i in range(x.shape[0]):
        r += np.sin(x[i])
    return s * r * early


def number_swapped(x, y):
    """Equal arrays whose names change their buffers."""
    a = np.sin(x)
    b = np.sin(x)
    for i in range(x.shape[0]):
        b[i] *= y[i]
        a, b = b, a
    return np.sum(a * a * y) + np.sum(b * y)


def number_in_branches(x, c):
    """The same on both sides and in front."""
    s = np.sum(x * x)
    for i in range(x.shape[0]):
        if x[i] > c:
            a = np.sum(x[i] * x)
            b = np.sum(x[i] * x)
            s += a * b
        else:
            a = np.sum(x * x)
            s += a * np.sum(x * x)
        x[i] = 0.5 * x[i]
    return s


def _spread(x):
    return np.sqrt(np.mean((x - np.mean(x)) ** 2) + 1.0)


def number_in_helpers(x, y):
    """A helper that is called twice with one argument, once with another."""
    return _spread(x) * _spread(x) + _spread(y)


def number_of_strides(x):
    """Rows and columns."""
    n = x.shape[0]
    rows = np.zeros(n)
    columns = np.zeros(n)
    again = np.zeros(n)
    for i in range(n):
        for j in range(n):
            rows[i] += x[i, j] * x[i, j]
    for i in range(n):
        for j in range(n):
            columns[i] += x[j, i] * x[j, i]
    for i in range(n):
        for j in range(n):
            again[i] += x[i, j] * x[i, j]
    return np.sum(rows * columns * again)


def number_of_one_row(x):
    """An axis of extent 1 where a product sees it, and where it does not."""
    a = np.sum(x, axis=0, keepdims=True)
    b = np.sum(x, axis=0)
    return np.sum((a @ x.T) ** 2) * np.sum(b * b)


ENTRIES = (
    Entry(number_mean_and_deviation, all_of(array("n+1", "n"), array("n+1", "n")), bits=False),
    Entry(number_normalised_twice, array("n", "n+1"), bits=False),
    Entry(number_written_between, array("n+1"), bits=False),
    Entry(number_product_of_matrices, all_of(array("n", "n"), array("n")), bits=False),
    Entry(number_grows_apart, array("n"), bits=False),
    Entry(number_read_on_the_way, array("n"), bits=False),
    Entry(number_swapped, all_of(array("n"), array("n")), bits=False),
    Entry(number_in_branches, all_of(array("n"), value(0.9)), bits=False),
    Entry(number_in_helpers, all_of(array("n+1"), array("n+1")), bits=False),
    Entry(number_of_strides, array("n", "n"), bits=False),
    Entry(number_of_one_row, array("n", "n"), bits=False),
)
