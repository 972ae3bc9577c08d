"""Tuples and lists: as rows that are stored, as arrays, as indices, and by themselves."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, size


def row_assigned_a_tuple(n, s, i):
    traj = np.zeros((n, 2))
    for t in range(n):
        traj[t] = s, i
        s, i = s - 0.1 * s * i, i + 0.1 * s * i
    return traj


def row_assigned_a_list_by_slice(n, s):
    traj = np.zeros((n, 3))
    for t in range(n):
        traj[t, :] = [s, s * s, 1.0]
        traj[t, 1:] *= (s, 2.0)
        s = 0.9 * s
    return traj


def elements_assigned_one_another(x):
    x[:2] = [x[1], x[0] * x[1]]
    x[-2:] += x[0], 2.0


def list_beside_an_array(x):
    return np.sum(x[:2] * [2.0, 3.0]) * x[0] + np.dot((1.0, 2.0), x[:2] ** 2) + np.max([x[0], x[1] * x[1]])


def array_of_arrays(x, A):
    return np.array([x, x**2, np.sin(x)]), np.array((A[0], A[1] * A[0])), np.sum([x, x * x], axis=0)


def array_of_numbers_and_rows(x):
    turn = np.array([[np.cos(x[0]), -np.sin(x[0])], [np.sin(x[0]), np.cos(x[0])]])
    return turn @ np.array([x[0], x[1]]) - np.array([0.5, x[1]])


def numbers_joined_to_arrays(x):
    return np.concatenate(([0.0], x, (x[0], 1.0))), np.hstack((x[0], x * x, 3.0))


def tuple_indexed_in_a_loop(x):
    u = x.copy()
    weights = (0.25, 0.5, 1.0)
    for stage in range(3):
        u = x + weights[stage] * 0.1 * u * u
    return np.sum(u)


def tuple_of_tuples_indexed_in_a_loop(A):
    s = 0.0
    neighbours = ((0, 1), (1, 0), (1, 1))
    for k in range(len(neighbours)):
        i, j = neighbours[k]
        s += A[i, j] * A[neighbours[k][1], 0] * neighbours[-k - 1][0]
    return s


def tuple_of_arrays_indexed_in_a_loop(x, y, n):
    for t in range(n):
        u = (x, y)[t % 2]
        u[0] = u[0] * 0.5 + (y, x)[t % 2][-1]
    return np.sum(x * y)


def tuple_carried_by_a_loop(x):
    best, place = x[0], (0, 1.0)
    for i in range(len(x)):
        if x[i] > best:
            best, place = x[i], (i, 0.5 * place[1])
    return best * x[place[0]] * place[1]


def tuples_compared(x, A):
    s = np.sum(x * x)
    if A.shape == (len(x), 3) and (len(x), 3) != (3, len(x)):
        s *= x[0]
    return s + A[0, 0] if (x[0], 1.0) == (x[-1], 1.0) else s


def tuples_joined_and_repeated(x):
    weights = (1.0,) + (2.0,) * 2 + (0.5,)
    s = 0.0
    for k, w in enumerate(weights[1:]):
        s += w * x[k] ** 2
    return s * len(weights)


def list_as_index(x):
    x[[0, -1]] = x[[1, -2]] ** 2
    x[[-1, 1]] += 1.5
    return np.sum(x[[0, 1, 0]] ** 2)


def list_as_index_of_rows_and_columns(A):
    A[[0, -1], :] = A[[1, -2], :] * A[[1, -2], :]
    A[:, [0, -1]] *= 2.0
    A[[0, 1]] = A[[1, 0]]
    return np.sum(A[[0, 1], [1, -1]] ** 2)


def array_of_literals_as_index(x, n):
    ends = [0, n - 1]
    return np.sum(x[np.array([0, -1])] ** 3) + np.sum(x[ends] ** 2)


NEIGHBOURS = ((0, 1), (1, 0), (0, -1), (-1, 0))
RULE = ((0.5, (1.0, 2.0)), 3.0)


def tuples_of_tuples_from_outside(A, x):
    n, m = A.shape
    B = np.zeros_like(A)
    for i in range(n):
        for j in range(m):
            for di, dj in NEIGHBOURS:
                if 0 <= i + di < n and 0 <= j + dj < m:
                    B[i, j] += A[i + di, j + dj] * x[i]
    (a, (b, c)), d = RULE
    return np.sum(B * B) * a + b * c * d * len(NEIGHBOURS) * RULE[0][1][1]


def second_of(r, v):
    r.append(v)
    return r[1]


def lists_appended(x):
    """Lists grow where no loop or branch decides how often."""
    r = []
    for v in (0.5, 2.0):
        r.append(v * x[0])
    q = r[:]
    q.extend((x[1], x[0], 3.0))
    q *= 2
    t = (x[1],)
    t += (x[0], 1.0)
    return np.sum(np.array(r)), np.array(q) * x[0], len(q), second_of([x[1]], t[2] * x[0]), len(t)


def sequences_chosen(x, y, c):
    """Operations of Python's, not NumPy's, also where only the call knows which sequence it is."""
    t, u = (x[0], x[1]), (y[1], 2.0)
    r = t if c > 1.0 else u
    q = [x[0], 1.0] if c > 0.9 else [y[0], y[1]]
    p = (x, (t, y)) if c > 1.1 else (y, (u, x))
    pairs = r + t, q * 2, p[1][0] * 2
    return len(pairs[0]), len(pairs[1]), len(pairs[2]), np.array(pairs[0]) * x[1], np.array(q), np.array(pairs[2]), p[0] * p[1][1][0]


def loops_over_tuples_in_loops_over_tuples(x, y):
    s = 0.0
    for a in (x, y):
        for c in (0.5, 2.0):
            for v in a:
                s += c * v
            a[0] += c
    return s


ENTRIES = (
    Entry(loops_over_tuples_in_loops_over_tuples, all_of(array("n"), array("n")), least=1, bits=False),
    Entry(sequences_chosen, all_of(array("n"), array("n"), number(0.8, 1.2)), least=2),
    Entry(lists_appended, array("n"), least=2),
    Entry(tuples_of_tuples_from_outside, all_of(array("n", 3), array("n")), bits=False),
    Entry(row_assigned_a_tuple, all_of(size(), number(), number())),
    Entry(row_assigned_a_list_by_slice, all_of(size(), number())),
    Entry(elements_assigned_one_another, array("n"), least=2),
    Entry(list_beside_an_array, signed("n"), least=2, bits=False),
    Entry(array_of_arrays, all_of(array("n"), array("n+1", 3)), least=1, bits=False),
    Entry(array_of_numbers_and_rows, array("n"), least=2, bits=False),
    Entry(numbers_joined_to_arrays, array("n"), least=1),
    Entry(tuple_indexed_in_a_loop, array("n"), bits=False),
    Entry(tuple_of_tuples_indexed_in_a_loop, array("n", "n"), least=2, bits=False),
    Entry(tuple_of_arrays_indexed_in_a_loop, all_of(array("n"), array("n"), size()), least=1, bits=False),
    Entry(tuple_carried_by_a_loop, array("n"), least=1),
    Entry(tuples_compared, all_of(array("n"), array("n", 3)), least=1, bits=False),
    Entry(tuples_joined_and_repeated, array("n"), least=3, bits=False),
    Entry(list_as_index, array("n"), least=2, bits=False),
    Entry(list_as_index_of_rows_and_columns, array("n", "n"), least=2, bits=False),
    Entry(array_of_literals_as_index, all_of(array("n"), size()), least=1, bits=False),
)
