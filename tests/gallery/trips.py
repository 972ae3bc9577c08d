"""Loops whose trips are not known at the call: bounds from data, records in them, arrays of their own, exchanges that depend on data."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, value


def ragged(n, rng):
    """Row pointers, some rows empty, and as many values."""
    counts = rng.integers(0, 4, n)
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return indptr, rng.uniform(0.5, 1.5, int(indptr[-1]))


def counted(n, rng):
    """Trips by element, from 0 up."""
    return (rng.integers(0, 5, n),)


def trips_ragged_recurrence(indptr, val, x):
    """A non-linear use of each value of a ragged row, in time steps that overwrite."""
    for _t in range(3):
        for i in range(len(x)):
            y = x[i]
            for k in range(indptr[i], indptr[i + 1]):
                y = np.sin(y * val[k])
            x[i] = x[i] + y
    return np.sum(x * x)


def trips_ragged_product(indptr, val, out):
    """The product of each row."""
    for i in range(len(out)):
        p = 1.0
        for k in range(indptr[i], indptr[i + 1]):
            p *= val[k]
        out[i] = p


def trips_ragged_backwards(indptr, val, x):
    """Every second value of a row, from its end."""
    for i in range(len(x)):
        for k in range(indptr[i + 1] - 1, indptr[i] - 1, -2):
            x[i] = x[i] * val[k] + val[k] * x[i] * x[i]
    return np.sum(x)


def trips_ragged_planes(counts, A):
    """A whole row is overwritten in each trip: slots of a plane for each."""
    for i in range(A.shape[0]):
        for _k in range(counts[i]):
            for j in range(1, A.shape[1]):
                A[i, j] = np.sin(A[i, j - 1] * A[i, j])
    return np.sum(A * A)


def trips_triangle_in_ragged(counts, x):
    """Inner loops as long as the trip number of a loop of unknown length."""
    s = 0.0
    for i in range(len(x)):
        for k in range(counts[i]):
            for j in range(k):
                x[i] = np.cos(x[i] + 0.1 * j) * x[j % len(x)]
                s += x[i] * s * 0.1 + x[i]
    return s


def trips_ragged_temporary(indptr, val, x):
    """An array as long as the row, overwritten in each trip."""
    s = 0.0
    for i in range(len(x)):
        lo = indptr[i]
        hi = indptr[i + 1]
        w = np.zeros(hi - lo)
        for k in range(hi - lo):
            w[k] = val[lo + k] * x[i]
        for k in range(hi - lo):
            w[k] = w[k] * w[k]
            s += w[k] * w[k]
    return s


def trips_ragged_branch(indptr, val, x):
    """A branch on data that the row changes, and a record on one side."""
    for i in range(len(x)):
        for k in range(indptr[i], indptr[i + 1]):
            if x[i] > 0.7:
                x[i] = x[i] * x[i] * 0.5 * val[k]
            else:
                x[i] += val[k] * val[k]
    return np.sum(x * x)


def trips_ragged_break(indptr, val, x):
    """A break out of a ragged row."""
    for i in range(len(x)):
        for k in range(indptr[i], indptr[i + 1]):
            x[i] = x[i] * val[k]
            if x[i] < 0.6:
                break
            x[i] = x[i] * x[i]
    return np.sum(x)


def trips_of_trips(counts, x):
    """A ragged loop in a ragged loop, the inner one read by the outer."""
    n = len(x)
    for i in range(n):
        for k in range(counts[i]):
            for _j in range(counts[(i + k) % n]):
                x[i] = np.sin(x[i] * x[(i + k) % n])
            x[i] = x[i] * x[i]
    return np.sum(x)


def trips_from_changed_counts(counts, x):
    """The bounds are overwritten after each use."""
    for _t in range(2):
        for i in range(len(x)):
            for _k in range(counts[i]):
                x[i] = x[i] * x[i]
            counts[i] = counts[i] // 2
    return np.sum(x)


def trips_from_the_second_sweep(indptr, val, x):
    """What is overwritten from the second sweep on: rows are counted for those sweeps only."""
    for t in range(3):
        for i in range(len(x)):
            for k in range(indptr[i], indptr[i + 1]):
                if t > 0:
                    val[k] = val[k] * x[i]
                x[i] += val[k] * val[k]
    return np.sum(x)


def trips_exchange_where_large(u, un, c):
    """Two arrays exchanged where an element of one is large."""
    for _t in range(4):
        for i in range(len(u)):
            un[i] = np.sin(u[i]) * u[i] + c
        if un[0] > 0.8:
            u, un = un, u
    return np.sum(u * un)


def trips_exchange_by_themselves(a, b, x):
    """Nothing is written: the condition reads what it exchanges."""
    s = 0.0
    for i in range(len(x)):
        if np.cos(b[0] * 3.0 + x[i]) > 0.3:
            s += b[0]
            a, b = b, a
        s = s * 0.5 + np.sin(b[0]) * a[0]
    return s + np.sum(a * b * b)


def trips_exchange_of_three(a, b, c, idx):
    """Three names go round as often as data say."""
    for t in range(len(idx)):
        for _k in range(idx[t]):
            a[:] = a * b + 0.1
            a, b, c = b, c, a
    return np.sum(a * a) + 2.0 * np.sum(b * c)


def trips_conjugate_gradients(A, b):
    """Until the residual is small."""
    n = len(b)
    M = A.T @ A + np.eye(n)
    x = np.zeros(n)
    r = b - M @ x
    p = r.copy()
    rr = np.sum(r * r)
    while rr > 1e-4:
        q = M @ p
        alpha = rr / np.sum(p * q)
        x += alpha * p
        r -= alpha * q
        new = np.sum(r * r)
        p = r + (new / rr) * p
        rr = new
    return np.sum(x * b)


def trips_nest(A, tol):
    """A while in a for in a while, each overwriting what the others read."""
    s = 0.0
    err = np.sum(A)
    while err > tol:
        for i in range(A.shape[0]):
            x = A[i, 0]
            while x > 0.3:
                x = x * np.cos(x)
                s += x * x * A[i, 1]
            A[i, 0] = 0.8 * A[i, 0] + 0.1 * x * A[i, 1]
            A[i, 1] = A[i, 1] * A[i, 0]
        err = 0.5 * err
    return s + np.sum(A * A)


def trips_barrier(S, drift, noise):
    """Paths that end when they leave a corridor."""
    total = 0.0
    for p in range(S.shape[0]):
        s = S[p]
        for k in range(noise.shape[1]):
            s = s * np.exp(drift + 0.2 * noise[p, k] * s)
            if s > 1.6 or s < 0.4:
                break
            total += s * s
        total += max(s - 1.0, 0.0)
    return total


def trips_channel(u, b, tol):
    """Sweeps of a stencil from one array into the other until they agree."""
    n = u.shape[0]
    un = np.zeros_like(u)
    steps = 0
    udiff = 1.0
    while udiff > tol:
        un[:] = u
        for i in range(1, n - 1):
            for j in range(1, u.shape[1] - 1):
                along = un[i, j] * (un[i, j] - un[i, j - 1])
                u[i, j] = un[i, j] - 0.1 * along + 0.2 * (un[i - 1, j] - 2 * un[i, j] + un[i + 1, j]) + b[i, j]
        udiff = 0.5 * udiff + 0.001 * (np.sum(u) - np.sum(un)) / (1.0 + np.sum(u))
        steps += 1
    return np.sum(u * u) + steps


def trips_channel_exchanged(u, v, tol):
    """Two arrays exchanged in each trip of a while."""
    err = 1.0
    while err > tol:
        for i in range(1, len(u) - 1):
            v[i] = 0.5 * u[i] + 0.2 * np.sin(u[i - 1] * u[i + 1])
        u, v = v, u
        err = 0.5 * err
    return np.sum(u * u * v)


def trips_exchanged_in_nested_while(u, v, x):
    """A while in a loop, and an exchange in it where an element says so."""
    for i in range(len(x)):
        y = x[i]
        while y > 0.4:
            v[:] = u * u * y + 0.1
            y = y * 0.6
            if v[0] > 0.3:
                u, v = v, u
            u[0] = u[0] * y
    return np.sum(u) + np.sum(v * v)


def trips_arrays_of_a_while(x, y):
    """Arrays that live in one trip, and one that is made anew."""
    s = y
    while s > 0.2:
        w = x * s
        w[:] = np.sin(w) * w
        z = w * w + x
        x = z * 0.5
        s = s * 0.5 + 0.01 * np.sum(w * z) / (1.0 + np.sum(z))
        s = s * 0.9
        if s > 5.0:
            s = 0.0
    return s + np.sum(x * x)


def trips_return_out_of_nest(A, c):
    """An early return out of three loops, one of them a while."""
    s = 1.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            y = A[i, j]
            while y < 4.0:
                y = y * y + c
                s = s * 0.5 + y * s * 0.1
                if s > 1.5:
                    return s * y
            A[i, j] = y * s
    return s + np.sum(A)


def trips_while_in_branch(x, c):
    """A while on one side of a branch on data."""
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0.9:
            while x[i] > 0.5:
                x[i] = x[i] * x[i] * c * 0.4
                s += np.sin(x[i])
        else:
            x[i] = x[i] * x[i]
        s = s * s * 0.3 + x[i]
    return s


def trips_of_a_cell(x):
    """The condition reads the cell that the body overwrites."""
    while x[0] < 5.0:
        x[0] = x[0] * x[0] + 0.3
        for i in range(1, len(x)):
            x[i] = x[i] * x[i - 1] * 0.5
    return np.sum(x)


def trips_as_many_as_computed(x, k):
    """Arrays whose extent is computed from integers."""
    n = k * 2 + 1
    w = np.zeros(n)
    for _t in range(2):
        for i in range(n):
            w[i] = w[i] * w[i] + x[i % len(x)]
    return np.sum(w * w)


def trips_from_an_array(x, idx):
    """An array whose extent is read from data, overwritten in steps."""
    n = idx[0]
    w = np.zeros(n)
    for _t in range(3):
        for i in range(n):
            w[i] = w[i] * w[i] + x[i % len(x)] * w[i - 1]
            w[i] += x[i % len(x)]
    return np.sum(w * w)


def trips_of_links(x, following):
    """A walk along links read from data, gathering and scattering."""
    i = 0
    s = 1.0
    for _k in range(len(x)):
        while i < len(x):
            s = s * 0.5 + 0.3 * np.sin(x[i] * s)
            x[i] = x[i] * s
            i = following[i]
        i = 0
        s = s * s * 0.2
    return s + np.sum(x)


def trips_ragged_slices(indptr, val, x):
    """Slices of computed length, overwritten and summed."""
    for _t in range(2):
        for i in range(len(x)):
            lo = indptr[i]
            hi = indptr[i + 1]
            val[lo:hi] = np.sin(val[lo:hi] * x[i])
            x[i] += np.sum(val[lo:hi] * val[lo:hi])
    return np.sum(x * x)


def trips_ragged_products(indptr, val, x):
    """Products and maxima of arrays as long as a row."""
    s = 0.0
    for i in range(len(x)):
        w = val[indptr[i]:indptr[i + 1]].copy()
        v = w * w
        s += np.dot(v, w) * x[i]
        w[:] = v * 2.0
        s += np.max(np.where(x > 0.7, x * s, 0.5)) + np.sum(w * v)
    return s


def trips_widening_arrays(x, y):
    """An array in a while, larger in each trip."""
    k = 1
    s = y
    while s > 0.1 and k < 6:
        w = np.zeros((k, len(x)))
        for i in range(k):
            w[i] = x * (s + i)
            w[i] *= w[i]
        s = s * 0.6 + 0.01 * np.sum(w * w[0]) / (1 + np.sum(w * w))
        x = x * np.sin(w[k - 1])
        k += 1
    return s + np.sum(x)


def trips_arrays_in_branches(indptr, val, x):
    """Arrays of computed extents on both sides of a branch."""
    s = 0.0
    for i in range(len(x)):
        n = indptr[i + 1] - indptr[i]
        if x[i] > 0.8:
            w = np.ones(n) * x[i]
            for k in range(n):
                w[k] = w[k] * w[k] * val[indptr[i] + k]
            s += np.sum(w * w)
        elif n > 1:
            A = np.zeros((n, n))
            for k in range(n):
                for m in range(k):
                    A[k, m] = val[indptr[i] + k] * x[i]
                    A[k, m] = A[k, m] * A[k, m] + s
            s += np.sum(A)
    return s


def trips_while_true(A, c):
    """Every way out of a `while True` in a loop."""
    for i in range(A.shape[0]):
        j = 0
        while True:
            if j >= A.shape[1]:
                break
            A[i, j] = A[i, j] * c + A[i, j - 1] * A[i, j]
            if A[i, j] > 1.2:
                return np.sum(A * A)
            if A[i, j] < 0.2:
                j += 2
                continue
            j += 1
    return np.sum(A)


def links(n, rng):
    return (np.arange(n) + rng.integers(1, 3, n),)


def trips_none_that_need_an_array(x, B):
    """With one cell no trip runs, and nothing is left that would write what its product reads."""
    w = 0.5 * x
    for i in range(1, len(x) - 1):
        x[:] = B @ w
        w[i] *= 0.4
    return np.sum(x * x)


def trips_with_an_empty_array(x):
    """An array of each trip that nobody writes, since it has no cell."""
    for i in range(len(x)):
        w = np.empty(0)
        x[i] = x[i] * x[i] + np.sum(np.sin(w) * x[i])


def trips_that_exchange_by_data(x, y, A):
    """Which exchanges there are is told by an array that nobody writes: a pullback keeps it under a name of its own."""
    for i in range(len(x)):
        if A[i, -1] > 1.0:
            x, y = y, x
    return np.sum(x * A[:, 0]) + np.sum(y * y)


ENTRIES = (
    Entry(trips_that_exchange_by_data, all_of(array("n"), array("n"), array("n", 2))),
    Entry(trips_none_that_need_an_array, all_of(array(1), array(1, 1))),
    Entry(trips_with_an_empty_array, array("n")),
    Entry(trips_ragged_recurrence, all_of(ragged, array("n")), bits=False),
    Entry(trips_ragged_product, all_of(ragged, array("n"))),
    Entry(trips_ragged_backwards, all_of(ragged, array("n")), bits=False),
    Entry(trips_ragged_planes, all_of(counted, array("n", 3)), bits=False),
    Entry(trips_triangle_in_ragged, all_of(counted, array("n")), bits=False),
    Entry(trips_ragged_temporary, all_of(ragged, array("n"))),
    Entry(trips_ragged_branch, all_of(ragged, array("n")), bits=False),
    Entry(trips_ragged_break, all_of(ragged, array("n")), bits=False),
    Entry(trips_of_trips, all_of(counted, array("n")), bits=False),
    Entry(trips_from_changed_counts, all_of(counted, array("n")), bits=False),
    Entry(trips_from_the_second_sweep, all_of(ragged, array("n")), bits=False),
    Entry(trips_exchange_where_large, all_of(array("n"), array("n"), number()), least=1, bits=False),
    Entry(trips_conjugate_gradients, all_of(signed("n+1", "n"), array("n")), bits=False),
    Entry(trips_nest, all_of(array("n", 2), value(0.2)), bits=False),
    Entry(trips_barrier, all_of(array("n"), number(-0.1, 0.1), signed("n", 4)), bits=False),
    Entry(trips_channel, all_of(array("n", "n+1"), array("n", "n+1", low=0.0, high=0.1), value(0.2)), bits=False),
    Entry(trips_channel_exchanged, all_of(array("n"), array("n"), value(0.2)), bits=False),
    Entry(trips_exchanged_in_nested_while, all_of(array("n"), array("n"), array("n")), least=1, bits=False),
    Entry(trips_arrays_of_a_while, all_of(array("n"), number()), bits=False),
    Entry(trips_return_out_of_nest, all_of(array("n", "n"), number()), bits=False),
    Entry(trips_while_in_branch, all_of(array("n"), number()), bits=False),
    Entry(trips_of_a_cell, array("n"), least=1, bits=False),
    Entry(trips_as_many_as_computed, all_of(array("n"), value(2)), least=1, bits=False),
    Entry(trips_from_an_array, all_of(array("n"), value(np.array([3]))), least=1, bits=False),
    Entry(trips_of_links, all_of(array("n"), links), bits=False),
    Entry(trips_ragged_slices, all_of(ragged, array("n")), bits=False),
    Entry(trips_ragged_products, all_of(ragged, array("n")), bits=False),
    Entry(trips_widening_arrays, all_of(array("n"), number()), bits=False),
    Entry(trips_arrays_in_branches, all_of(ragged, array("n")), bits=False),
    Entry(trips_while_true, all_of(array("n", "n+1"), number()), bits=False),
    Entry(trips_exchange_by_themselves, all_of(array("n"), array("n"), signed("n")), least=1, bits=False),
    Entry(trips_exchange_of_three, all_of(array("n"), signed("n"), array("n"), value(np.array([2, 0, 1, 2]))), bits=False),
)
