"""Names that a loop or a branch binds to views of what they meant before, and writes through them; reads that come before a call."""

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, size, value

STEPS = value(3)


def bumped(z):
    """Changes its argument, and gives a number of it."""
    z[0] = z[0] * 0.5 + 1.0
    return z[0]


def view_turned_in_each_trip(x, steps):
    """The writes reach the caller's array, from one end and from the other."""
    u = x
    for _t in range(steps):
        u = u[::-1]
        u[0] = 2.0 * u[-1] * u[0] + 1.0
    return np.sum(x * x * x)


def view_of_another_view(x, steps):
    """The name is bound to a view by way of a second name."""
    u = x[1:]
    for _t in range(steps):
        v = u[::-1]
        u = v
        u[0] = u[-1] * u[0]
    return np.sum(x * x)


def views_exchanged_on_one_path(x, y):
    """One of the names means its array from the end; nothing of the caller's is written."""
    u = x
    v = y[::-1]
    if x[0] > 0.0:
        v, u = u, v
    return np.sum(u * u * v), x * 1.0


def copy_under_a_new_name(x, y):
    """The second name goes on meaning y when the first is bound anew."""
    u = x * 2.0
    v = y.reshape(-1)
    u, v = v, u
    y[1:] = 0.5 * v[:-1]
    v = u
    return np.sum(u * v * v)


def every_second_of_every_second(x, steps):
    """Strides of 1, 2, 4 and 8, of what was written before."""
    u = x
    s = 0.0
    for t in range(steps):
        s += (t + 1) * np.sum(u * u)
        u = u[::2]
        u *= 0.5
    return s + np.sum(u)


def every_second_from_the_end(x, steps):
    """Strides that change their sign, and lengths that go down to one."""
    for _t in range(steps):
        x[1::2] += x[::2][: len(x[1::2])]
        x = x[::-2]
    return np.sum(x * x)


def every_second_row_and_column(x, steps):
    """Two strides at once, of an array that is turned round."""
    A = np.outer(x, x)
    B = A
    for _t in range(steps):
        B = B.T[::2, 1:]
        B += 1.0
    return np.sum(A * A)


def chosen_before_a_call(x):
    """What an index list and a mask choose is read before the call that changes it."""
    x[[0, -1]] += bumped(x)
    x[x > 0.1] *= bumped(x)
    return np.sum(x * x)


def slice_after_a_call(x):
    """A slice is a view: it sees what the call wrote."""
    x[:2] *= bumped(x)
    x += x * bumped(x)
    return np.sum(x * x)


def empty_or_of_one(x, k):
    """Slices of an array of one element, that are empty or not."""
    z = x[:1][:k] * np.where(x[:1][::-1][:k] > 0.0, 2.0, 3.0)
    return np.sum(z * z) + np.sum(x)


def exchange_after_an_early_return(x, y, steps):
    """All that follows the return stands in a branch, the second array too."""
    if steps < 0:
        return 0.0
    w = y.copy()
    for _t in range(steps):
        y[0] = np.sin(y[0]) * w[-1] * x[0]
        y, w = w, y
    return np.sum(y * y * w)


def exchange_in_a_while_after_a_return(x, y, steps):
    """The same of three names, as often as the data say."""
    if steps < 0:
        return 0.0
    w = y.copy()
    v = w * 2.0
    z = x[0]
    while z > 0.1:
        z *= 0.5
        w[0] = np.sin(y[0]) * w[-1]
        y, w, v = w, v, y
    return np.sum(y * y * w * v)


def exchange_before_and_after_a_return(x, y, steps):
    """An exchange in a loop that a return leaves, and one with a new array behind it."""
    z = x[0]
    while z > 0.1:
        z *= 0.5
        x, y = y, x
        x[0] *= y[0]
        if y[0] > 2.0:
            return np.sum(x)
    w = y.copy()
    for _t in range(steps):
        y, w = w, y
        y[0] = np.sin(y[0] * w[-1])
    return np.sum(x * y * w)


def exchange_in_a_branch(u, steps, scheme):
    """The second array is made on the path that exchanges; which array the caller's is in the end, the data say."""
    if scheme > 0:
        un = u.copy()
        for _t in range(steps):
            un[1:] = 0.5 * u[1:] * u[:-1]
            u, un = un, u
    else:
        for _t in range(steps):
            u[1:] = 0.5 * u[:-1]
    return np.sum(u * u)


def exchange_with_a_new_array_in_each_trip(u, steps):
    """The second array is made anew in each trip of an outer loop, while the first may mean the one of the trip before."""
    s = 0.0
    for o in range(steps):
        un = u.copy()
        for _t in range(o + 1):
            un[1:] = 0.5 * u[1:] * u[:-1]
            u, un = un, u
        s += np.sum(u * u) + un[0]
    return s


def exchange_of_three_in_a_branch(x, y, steps):
    """Two of the caller's arrays and one of the branch take turns, and the one whose turn it is is written."""
    if steps > 0:
        z = y * 3.0
        for _t in range(steps):
            y, z, x = x, y, z
            z[0] = y[1] * x[0] + 2.0
    return np.sum(x * x * y)


ENTRIES = (
    Entry(exchange_of_three_in_a_branch, all_of(array("n"), array("n"), size()), 2, bits=False),
    Entry(exchange_in_a_branch, all_of(array("n"), STEPS, value(1)), 1, bits=False),
    Entry(exchange_with_a_new_array_in_each_trip, all_of(array("n"), STEPS), 1, bits=False),
    Entry(exchange_after_an_early_return, all_of(array("n"), array("n"), STEPS), 1, bits=False),
    Entry(exchange_in_a_while_after_a_return, all_of(array("n"), array("n"), STEPS), 1, bits=False),
    Entry(exchange_before_and_after_a_return, all_of(array("n"), array("n"), STEPS), 1, bits=False),
    Entry(view_turned_in_each_trip, all_of(array("n"), size()), 1, bits=False),
    Entry(view_of_another_view, all_of(array("n"), STEPS), 2, bits=False),
    Entry(views_exchanged_on_one_path, all_of(array("n"), array("n")), 1, bits=False),
    Entry(copy_under_a_new_name, all_of(array("n"), array("n")), 1, bits=False),
    Entry(every_second_of_every_second, all_of(array("n"), STEPS), 1, bits=False),
    Entry(every_second_from_the_end, all_of(array("n"), STEPS), 1, bits=False),
    Entry(every_second_row_and_column, all_of(array("n"), STEPS), 1, bits=False),
    Entry(chosen_before_a_call, array("n"), 2, bits=False),
    Entry(slice_after_a_call, array("n"), 2, bits=False),
    Entry(empty_or_of_one, all_of(array("n"), value(-1)), 1, bits=False),
)
