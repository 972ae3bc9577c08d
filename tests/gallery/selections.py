"""Names that mean one of several arrays, and names that a loop reads before it assigns them."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, size, value


def selection_swapped_beside_third_name(a, b, steps):
    """Two names swap; one of the arrays is read by its own name too."""
    cur, other = a, b
    for _t in range(steps):
        for i in range(1, len(a)):
            other[i] = np.sin(cur[i - 1]) * cur[i] + a[0]
        cur, other = other, cur
    return np.sum(a * a) + np.sum(cur)


def selection_of_three_levels(a, b, c, steps):
    """Three names rotate, and the caller's first array is read at the end."""
    old, mid, new = a, b, c
    for _t in range(steps):
        new[1:-1] = 2.0 * mid[1:-1] - old[1:-1] + 0.1 * (mid[2:] - 2.0 * mid[1:-1] + mid[:-2])
        old, mid, new = mid, new, old
    return np.sum(mid * mid) + np.sum(a)


def selection_of_a_row(A, x):
    """A row under a condition, written and read in the same trip and after the loop."""
    row = A[0]
    s = 0.0
    for i in range(A.shape[0]):
        if x[i] > 1.0:
            row = A[i]
        row[i] += x[i] * x[i]
        s += row[0] * A[i, 0] * A[i, -1]
    row *= 2.0
    return s + np.sum(A * A)


def selection_new_or_the_callers(x, c):
    """A new array on one path, the caller's own on the other; both are written."""
    if c > 1.0:
        x = x + 1.0
    x[0] = 5.0 * c
    x[1:] *= x[:-1]
    return np.sum(x * x)


def selection_new_in_a_loop(x, steps):
    """From some trip on a new array."""
    for _t in range(steps):
        if x[0] < 2.0:
            x = x * 1.5
        x[-1] = x[0] * x[-1]
    return np.sum(x * x)


def maybe_new(x, c):
    """A new array or the argument itself."""
    if c > 1.0:
        x = x + 1.0
    return x


def selection_from_a_function(x, c):
    """The result of a function may be its argument; either is written."""
    y = maybe_new(x, c)
    y[0] = 2.0 * c
    x[-1] = x[0] * y[0]
    return np.sum(x * x) + np.sum(y * x)


def selection_by_a_condition(x, z, c):
    """A conditional expression of two arrays, then of the choice and another."""
    y = x if c > 1.0 else z
    y[0] = c
    y *= z
    w = y if c > 1.2 else x * 2.0
    w[-1] += 2.0 * y[0]
    return np.sum(x * x) + np.sum(z) + np.sum(w)


def selection_in_the_next_trip(x):
    """From the second trip on the name means what the loop writes."""
    y = x * 2.0
    for _t in range(3):
        y[0] += x[-1] * 0.5
        x = y
    return np.sum(x * y)


def selection_kept_before_a_new_value(x, steps):
    """The name before is the array that the name now leaves; both are written."""
    cur = x
    prev = x
    for _t in range(steps):
        prev = cur
        cur = np.sin(cur) + 0.5 * prev
        cur[0] = prev[0] * 2.0
        prev[-1] = 3.0 * cur[-1]
    return np.sum(cur * prev) + np.sum(x)


def selection_seen_otherwise(A, c):
    """What may be a new matrix is written through its transpose, a slice and its rows."""
    B = A
    if c > 1.0:
        B = A * 2.0
    B.T[0] = c
    B[0, :] += B[-1, :] * B[:, 0]
    for row in B:
        row[0] = row[-1] * 2.0
    return np.sum(A) + np.sum(B * B)


def selection_bound_on_one_path(x, c, steps):
    """A second name keeps the array that a branch binds anew."""
    s = 0.0
    for i in range(steps):
        y = x
        if c > 1.0 + 0.1 * i:
            x = x + 1.0
        s += np.sum(y * (i + 1.0) * x)
    return s


def selection_two_names_of_the_old(x, steps):
    """Two more names mean the array that a loop binds anew: one array still."""
    s = 0.0
    x = x * 1.0
    for _t in range(steps):
        y = x
        z = y
        x = x + 1.0
        z[0] = 5.0
        s += y[0] * x[-1]
    return s


def selection_swapped_then_new(x, y, steps):
    """Names that a loop only swaps, one of which a branch then binds to a new array that is written."""
    for _t in range(steps - 1):
        x, y = y, x
    if x[0] > y[-1]:
        y = y * 2.0
    y[0] += x[-1] * x[0]
    return np.sum(x * y)


def selection_of_each_others_arrays(x, y, steps):
    """Each name may mean the new array that the other one left."""
    s = 0.0
    for k in range(steps):
        if x[0] > y[-1]:
            x = y * 0.5
            x[-1] = x[-1] * x[0]
            y = x + 1.0
        x, y = y, x
        y[0] += 0.25 * k
        s += np.sum(x * y)
    return s


def selection_new_before_a_swap(x, y, steps):
    """From the third trip on each name may mean the array that the other would keep its content in."""
    for _t in range(steps):
        x = x + y * y
        x, y = y, x
    return np.sum(x * x) + np.sum(y)


def selection_exchanged_under_a_condition(x, y, steps):
    """What is exchanged in an inner loop goes to an array of the branch's own; a third name means the argument all along."""
    z = x
    w = x * y
    if steps > 0:
        for _t in range(steps):
            y, w = w, y
            z[0] = 0.5 * z[0] * y[0]
            w[-1] *= y[-1]
    return np.sum(x * x) + np.sum(y * w)


def selection_exchanged_twice_on_one_path(x, y, n):
    """Two exchanges that undo each other, and writes that reach the caller's array before and after them."""
    if n < 9:
        for v in (0.5, -2.0):
            y[-1] -= v * x[0] * y[-1]
            x, y = y, x
            x, y = y, x
    y = x * y
    return np.sum(y * x)


def selection_new_twice_before_a_turn(x, y, z, steps):
    """Two new arrays and a rotation of three names in each trip."""
    for _t in range(steps):
        z = y + 0.5 * z * z
        x = np.sin(x[::-1]) + z
        x, y, z = y, z, x
    return np.sum(x * x) + np.sum(y * z)


def selection_reshaped_twice(A):
    """A reshape of a part of a reshape is a view."""
    y = A.reshape(-1)
    z = y[2:].reshape(2, -1)
    z[0] *= z[1]
    return np.sum(A * A)


def early_array(x, steps):
    """The array of the trip before, read in front of its assignment."""
    s = 0.0
    for k in range(steps):
        if k > 0:
            s += np.sum(prev * x)  # noqa: F821
        prev = x.copy()  # noqa: F841
        x[0] = x[0] * 1.5 + x[-1]
    return s


def early_on_the_other_path(x, steps):
    """Assigned on one path, read on the other in later trips."""
    s = 0.0
    for k in range(steps):
        if k == 0:
            first = x.copy()
        else:
            x = x * first
        s += np.sum(x)
    return s


def selection_of_pairs(u, v, c, steps):
    """A conditional expression of two tuples says which is which."""
    src, dst = (u, v) if c > 1.0 else (v, u)
    for _t in range(steps):
        for i in range(1, len(u) - 1):
            dst[i] = src[i - 1] * src[i + 1]
        src, dst = dst, src
    return np.sum(src) + np.sum(u)


def early_number_and_array(x, steps):
    """Several of them, needed for a third."""
    s = 0.0
    k = 0
    while k < steps:
        if k > 0:
            y = last * prev  # noqa: F821
            s += np.sum(y)
        prev = np.sin(x) * (k + 1.0)
        last = prev[0]  # noqa: F841
        x = x + prev
        k += 1
    return s


def unpacked_rows(points, grid):
    """The elements of a row by name, its length known at the call."""
    s = 0.0
    for p in range(points.shape[0]):
        x, y = points[p]
        s += x * y * grid[p]
    return s


def products_of_products(z, F, P):
    """A product whose operand is a product of the same trip."""
    total = 0.0
    for t in range(len(z)):
        P = F @ P @ F.T + np.eye(2)
        total += P[0, 1] * z[t]
    return total


def slices_of_one_element(D):
    """A column and a row as slices of one element, which broadcast."""
    for k in range(D.shape[0]):
        D[:] = np.minimum(D, D[:, k : k + 1] + D[k : k + 1, :])
    return D


STEPS = value(4)

def selection_chosen_anew_in_each_trip(x, y, n):
    """What a trip chose is read behind the loop, when the array that it was has been written."""
    s, w = 0.0, x
    for i in range(-1, n):
        w = x if -i >= i else y
        y[:] = w * 0.5
        s += w[-1] * w[0]
    return s + w[-1] ** 2


def selection_read_by_its_row(A, B, c):
    """A row of the chosen array is read when that array has been written, and the name of the choice is not."""
    y = A if c > 0 else B
    row = y[0]
    A[0, 0] = 7.0
    return row * 2.0


def selection_read_in_a_line(A, B, c):
    """The same of all its elements."""
    y = A if c > 0 else B
    line = y.reshape(-1)
    A[0, 0] = 7.0
    return line * 2.0


ENTRIES = (
    Entry(selection_read_by_its_row, all_of(array("n", "n"), array("n", "n"), number()), least=1),
    Entry(selection_read_in_a_line, all_of(array("n", "n"), array("n", "n"), number()), least=1),
    Entry(selection_chosen_anew_in_each_trip, all_of(array("n"), array("n"), size()), least=1),
    Entry(selection_swapped_beside_third_name, all_of(array("n"), array("n"), STEPS), 1, bits=False),
    Entry(selection_of_three_levels, all_of(array("n"), array("n"), array("n"), STEPS), 2, bits=False),
    Entry(selection_of_a_row, all_of(array("n", "n"), array("n")), 1, bits=False),
    Entry(selection_new_or_the_callers, all_of(array("n"), number()), 1, bits=False),
    Entry(selection_new_in_a_loop, all_of(array("n"), STEPS), 1, bits=False),
    Entry(selection_from_a_function, all_of(array("n"), number()), 1, bits=False),
    Entry(selection_by_a_condition, all_of(array("n"), array("n"), number()), 1, bits=False),
    Entry(selection_in_the_next_trip, array("n"), 1, bits=False),
    Entry(selection_kept_before_a_new_value, all_of(array("n"), STEPS), 1, bits=False),
    Entry(selection_seen_otherwise, all_of(array("n", "n"), number()), 1, bits=False),
    Entry(selection_bound_on_one_path, all_of(array("n"), number(), size()), 0, bits=False),
    Entry(selection_two_names_of_the_old, all_of(array("n"), STEPS), 1, bits=False),
    Entry(selection_swapped_then_new, all_of(array("n"), array("n"), STEPS), 1, bits=False),
    Entry(selection_of_each_others_arrays, all_of(array("n"), array("n"), STEPS), 1, bits=False),
    Entry(selection_new_before_a_swap, all_of(array("n"), array("n"), STEPS), 1, bits=False),
    Entry(selection_exchanged_under_a_condition, all_of(array("n"), array("n"), STEPS), 1, bits=False),
    Entry(selection_exchanged_twice_on_one_path, all_of(array("n"), array("n"), size()), 1, bits=False),
    Entry(selection_new_twice_before_a_turn, all_of(array("n"), array("n"), array("n"), STEPS), 1, bits=False),
    Entry(selection_reshaped_twice, array("n", 4), 1, bits=False),
    Entry(unpacked_rows, all_of(array("n", 2), array("n"))),
    Entry(products_of_products, all_of(array("n"), array(2, 2), array(2, 2)), bits=False),
    Entry(selection_of_pairs, all_of(array("n"), array("n"), number(), STEPS), bits=False),
    Entry(early_on_the_other_path, all_of(array("n"), STEPS), bits=False),
    Entry(slices_of_one_element, array("n", "n")),
    Entry(early_array, all_of(array("n"), STEPS), 1, bits=False),
    Entry(early_number_and_array, all_of(array("n"), STEPS), 1, bits=False),
)
