"""Tuples and lists that loops carry, choose from and store; masks and lists beside other indices, with what they read overwritten."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, size


def tuple_of_numbers_is_carried(x, n):
    """Every number is read before the first is written; two such tuples change places."""
    s, t = (1.0, 0.5), (0.25, 1)
    for i in range(n):
        s = (s[1] * x[i], s[0] - 0.1 * s[1] ** 2)
        s, t = t, s
    return s[0] * t[1] + s[1] * t[0]


def tuple_first_made_in_a_loop(x, n):
    """It holds what the elements were, not what they are now."""
    for i in range(n):
        t = (x[i], x[i] ** 2)
        x[i] = 5.0
    return t[0] * t[1] * x[0]


def tuple_of_tuples_is_carried(x, n):
    """Tuple of tuples is carried."""
    p = ((x[0], x[-1]), 2.0)
    for i in range(n):
        (a, b), c = p
        if x[i] > 1.0:
            p = ((b, a * c), c * 0.9 + x[i])
    return p[0][0] * p[1] + p[0][1]


def tuple_of_integers_becomes_floats(x, n):
    """Tuple of integers becomes floats."""
    s = (0, 1)
    for i in range(n):
        s = (s[0] + x[i] ** 2, s[1] * 2.0)
    return s[0] ** 2 * s[1]


def tuple_is_the_place_of_the_greatest(A):
    """Tuple is the place of the greatest."""
    place = (0, 0)
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if A[i, j] > A[place]:
                place = i, j
    A[place] *= A[place]
    return np.sum(A * A)


def tuple_in_a_while(x):
    """Tuple in a while."""
    s = (1.0, 0.5)
    while s[0] < 3.0:
        s = (s[0] + s[1] * x[0] ** 2, s[1] + 0.5)
    return s[0] * x[0]


def list_stores_rows_one_by_one(A):
    """NumPy reads each row when those before it are written; numbers are read at once."""
    A[:2] = [A[1], A[0] * A[0]]
    A[0, :3] = [A[0, 2], A[0, 1], A[0, 0]]
    A[1:3] += [A[2], A[1]]
    return np.sum(A * A)


def list_exchanges_elements(x, A):
    """List exchanges elements."""
    x[[0, -1]] = x[[-1, 0]] * x[0]
    A[[0, 1]], A[2] = A[[1, 0]], A[0] ** 2
    return np.sum(x * x) + np.sum(A**3)


def row_of_numbers_from_the_row_before(x, n):
    """Row of numbers from the row before."""
    y = np.zeros((n + 1, 3))
    y[0] = 1.0, 0.5, x[0]
    for t in range(n):
        a, b, c = y[t]
        y[t + 1] = a + x[t] * b, b - 0.5 * a * c + 1.0, c * b + x[t] ** 2
    return y


def arrays_chosen_by_the_trip(x, y, n):
    """Arrays chosen by the trip."""
    for t in range(n):
        old, new = (x, y)[t % 2], (x, y)[(t + 1) % 2]
        new[1:] = 0.5 * old[:-1] * new[1:]
    return np.sum(x * y)


def arrays_chosen_that_change_places(x, y, n):
    """Each item of the tuple may itself be either array."""
    for t in range(n):
        (x, y)[(t + 1) % 2][:] = 0.5 * (y, x)[t % 3 // 2] * x
        if x[0] > 0.6:
            x, y = y, x
    return np.sum(x * y)


def mask_made_of_what_it_writes(A):
    """Mask made of what it writes."""
    A[A[:, 0] > 0.0, 1] = A[A[:, 0] > 0.0, 0] ** 2
    A[A[:, 1] < 0.5, :2] = A[A[:, 1] < 0.5, 1:3] * 2.0
    A[0, A[0] > 0.1] *= A[0, A[0] > 0.1]
    return np.sum(A * A)


def mask_takes_one_column(A, B, x):
    """A column under the mask stands for all columns of the cells."""
    A[x > 0.0] = B[x > 0.0, :1] * A[x > 0.0, 1:2]
    A[x < 0.3, 1:] += B[x < 0.3]
    return np.sum(A * A)


def mask_of_columns_in_a_loop(S, n):
    """Mask of columns in a loop."""
    for k in range(n):
        S[:, S[k] > 0.0] *= 0.9 * S[:, S[k] > 0.0]
        S[k, S[k] < -0.2] = 0.1 * k
    return np.sum(S * S)


def mask_beside_indices_under_a_branch(A, x):
    """Mask beside indices under a branch."""
    for i in range(len(x)):
        if x[i] > 0.0:
            A[i, A[i] > 0.0] = x[i] ** 2
        else:
            A[i, [0, -1]] *= x[i]
    return np.sum(A * A)


def places_of_a_mask_chosen_twice(A, x, c):
    """Places of a mask chosen twice."""
    rows = np.nonzero(x > 0.0)[0]
    A[rows, 0] += c * A[rows, 1] ** 2
    A[rows[::-1], 1] = A[rows, 0]
    return np.sum(A * A)


ENTRIES = (
    Entry(tuple_of_numbers_is_carried, all_of(array("n"), size())),
    Entry(tuple_first_made_in_a_loop, all_of(array("n"), size()), least=1),
    Entry(tuple_of_tuples_is_carried, all_of(array("n"), size()), least=1),
    Entry(tuple_of_integers_becomes_floats, all_of(array("n"), size()), least=1),
    Entry(tuple_is_the_place_of_the_greatest, array("n", 3), least=1, bits=False),
    Entry(tuple_in_a_while, array("n"), least=1),
    Entry(list_stores_rows_one_by_one, array("n", 3), least=3, bits=False),
    Entry(list_exchanges_elements, all_of(array("n"), array("n+1", 3)), least=2, bits=False),
    Entry(row_of_numbers_from_the_row_before, all_of(array("n"), size()), least=1),
    Entry(arrays_chosen_by_the_trip, all_of(array("n"), array("n"), size()), bits=False),
    Entry(arrays_chosen_that_change_places, all_of(array("n"), array("n"), size()), bits=False),
    Entry(mask_made_of_what_it_writes, signed("n", 3), least=1, bits=False),
    Entry(mask_takes_one_column, all_of(signed("n", 3), signed("n", 2), signed("n")), bits=False),
    Entry(mask_of_columns_in_a_loop, all_of(signed("n", "n"), size()), bits=False),
    Entry(mask_beside_indices_under_a_branch, all_of(signed("n", 3), signed("n")), bits=False),
    Entry(places_of_a_mask_chosen_twice, all_of(signed("n", 3), signed("n"), number()), bits=False),
)
