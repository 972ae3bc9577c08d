"""Small programs that mix integers, views, helpers and rebound names, and gradients by some of the arguments only."""

import copy

import numpy as np
import pytest

from tests.adjoint_paths import interpreted_gradients, planned, reference_gradients, run_gradient, subject
from tests.references import relative_error

TOLERANCE = 1e-11


def addresses_from_changed_integers(x, idx):
    n = len(x)
    for i in range(n):
        j = idx[i]
        x[j] = x[j] * x[i]
        idx[i] = (j + 1) % n
    return np.sum(x * x)


def guards_on_changed_integers(x, idx):
    for i in range(len(x)):
        if idx[i] > 1:
            x[i] = x[i] * x[i]
            idx[i] = 0
        else:
            idx[i] += 2
    for i in range(len(x)):
        if idx[i] > 1:
            x[i] = np.sin(x[i])
    return np.sum(x * x)


def trips_from_changed_integers(x, idx):
    s = 1.0
    for i in range(len(x)):
        for j in range(idx[i]):
            s = s * 0.5 + x[j]
        idx[i] = 0
    return s


def a_float_argument_reassigned(x, c):
    for i in range(len(x)):
        c = c * 0.5 + x[i] * c
        x[i] = c * c
    return c


def an_array_of_computed_extent(x, m):
    s = 0.0
    for i in range(3):
        w = np.zeros(m + i)
        for j in range(m + i):
            w[j] = x[j % len(x)] ** 2
        s += np.sum(w * w)
        w[:] = 0.0
        x[0] = s
    return s


def rows_and_views(A):
    for row in A:
        row[0] = row[0] * row[1]
        t = row[1:]
        t *= row[0]
    return np.sum(A * A)


def helper(w, k):
    w[k] = w[k] * w[0]
    return w[k] * 2.0


def helpers_on_rows(A, x):
    s = 0.0
    for i in range(len(x)):
        s += helper(A[i], 1) * helper(x, i)
    return s


def guards_from_an_array_of_truth_values(x, y):
    b = x > y
    for i in range(len(x)):
        if b[i]:
            x[i] = x[i] * y[i]
        b[i] = x[i] > 0.3
    for i in range(len(x)):
        if b[i]:
            y[i] = x[i] * x[i]
    return np.sum(y * x)


def the_loop_variable_after_its_loop(x):
    i = 0
    for i in range(len(x) - 1):
        x[i] = x[i] * x[i + 1]
    x[i] = x[i] * x[i]
    return x[i] * 2.0


def a_name_rebound_in_a_loop(x, T):
    for _t in range(T):
        x = x * 0.5 + np.sin(x) * x
        y = x * x
        x = y - 0.1 * x
    return np.sum(x)


def the_old_array_named_on(x, T):
    old = x.copy()
    for _t in range(T):
        new = np.sin(old) * x
        for i in range(1, len(x)):
            new[i] = new[i] * old[i - 1]
        old = new
    return np.sum(old * old)


def arrays_chosen_by_a_branch(x, y, p):
    if p > 0.5:
        z = x * y
    else:
        z = x + y
    for i in range(len(x)):
        if p > 0.7:
            z[i] = z[i] * z[i]
        p = p + z[i] * 0.01
    return np.sum(z) * p


def data(seed=3):
    uniform = np.random.default_rng(seed).uniform
    return uniform(0.2, 0.9, 4), uniform(0.2, 0.9, 4), uniform(0.2, 0.9, (4, 3))


X, Y, A = data()
PROGRAMS = [
    (addresses_from_changed_integers, (X, np.array([2, 0, 3, 3]))),
    (guards_on_changed_integers, (X, np.array([2, 0, 1, 3]))),
    (trips_from_changed_integers, (X, np.array([2, 0, 3, 4]))),
    (a_float_argument_reassigned, (X, 0.7)),
    (an_array_of_computed_extent, (X, 4)),
    (rows_and_views, (A,)),
    (helpers_on_rows, (A, X)),
    (guards_from_an_array_of_truth_values, (X, Y)),
    (the_loop_variable_after_its_loop, (X,)),
    (the_loop_variable_after_its_loop, (X[:1],)),
    (a_name_rebound_in_a_loop, (X, 3)),
    (the_old_array_named_on, (X, 3)),
    (arrays_chosen_by_a_branch, (X, Y, 0.6)),
    (arrays_chosen_by_a_branch, (X, Y, 0.72)),
    (arrays_chosen_by_a_branch, (X, Y, 0.2)),
]


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS)
def test_programs(function, arguments):
    case = subject(function, copy.deepcopy(arguments))
    for of in case.kinds:
        expected = reference_gradients(case, of)
        for passes in (False, True):
            assert relative_error(interpreted_gradients(case, of, passes), expected) <= TOLERANCE, (of, passes)


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS)
def test_gradients_by_one_argument_alone(function, arguments):
    case = subject(function, copy.deepcopy(arguments))
    for of in case.kinds:
        for name, expected in zip(case.active, reference_gradients(case, of), strict=True):
            (found,) = run_gradient(case, planned(case, of, (name,)), of, (name,))
            assert relative_error(found, expected) <= TOLERANCE, (name, of)


def exchanged_with_an_idle_array(x, y, z):
    for i in range(3):
        x, y = y, x
        z[i] = z[i] * z[i]
    return np.sum(z)


@pytest.mark.parametrize("wrt", [("x",), ("y",), ("z",), ("x", "z")])
def test_exchanges_of_arrays_that_the_result_does_not_depend_on(wrt):
    case = subject(exchanged_with_an_idle_array, tuple(np.random.default_rng(0).uniform(0, 1, (3, 4))))
    for of in (None, ("x",), ("y", "z")):
        expected = dict(zip(case.active, reference_gradients(case, of), strict=True))
        found = run_gradient(case, planned(case, of, wrt), of, wrt)
        assert relative_error(found, tuple(expected[name] for name in wrt)) <= TOLERANCE, of


def trips_from_data_that_record(B, w, idx):
    for i in range(2):
        for _j in range(idx[i]):
            B[i] = B[i] * B[i] * w[i]
    return np.sum(B)


def trips_from_data_that_accumulate(B, w, idx):
    s = 0.0
    for i in range(2):
        for j in range(idx[i]):
            t = B[j] * w[i]
            s += np.sin(t) * t
    return s


@pytest.mark.parametrize("function", [trips_from_data_that_record, trips_from_data_that_accumulate])
@pytest.mark.parametrize("trips", [(1, 2), (0, 3), (0, 0)])
def test_records_in_loops_whose_trips_are_data(function, trips):
    test_programs(function, (np.array([0.3, 0.2, 0.4]), np.array([0.3, 0.4]), np.array(trips)))


def exchanged_where_an_argument_says_so(u, v, c, T):
    for _t in range(T):
        u[:] = np.sin(v) * u
        if c > 1.0:
            u, v = v, u
        u[0] = u[0] * v[0]
    return np.sum(u * u) + 0.5 * np.sum(v)


def exchanged_on_one_of_two_paths(u, v, c):
    if c[0] > 1.0:
        u, v = v, u
    else:
        u[0] = v[0] * u[0]
    u[0] = u[0] * u[0]
    if c[1] > 1.0:
        u, v = v, u
    v[0] = u[0] * v[0]
    return np.sum(u * u) + 0.5 * np.sum(v)


def exchanged_on_changed_data(u, v):
    for _t in range(3):
        u[:] = np.sin(v) * u
        if u[0] > 0.1:
            u, v = v, u
    return np.sum(u)


@pytest.mark.parametrize("first", [0.5, 1.5])
@pytest.mark.parametrize("second", [0.5, 1.5])
def test_exchanges_under_conditions_on_arguments(first, second):
    test_programs(exchanged_where_an_argument_says_so, (X.copy(), Y.copy(), first, 3))
    test_programs(exchanged_on_one_of_two_paths, (X.copy(), Y.copy(), np.array([first, second])))


@pytest.mark.parametrize("scale", [0.05, 1.0, 1.3])
def test_exchanges_on_changed_data(scale):
    test_programs(exchanged_on_changed_data, (scale * X, Y.copy()))
