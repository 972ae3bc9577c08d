"""Calls that begin again since an array has outgrown its room: nobody sees it."""

import threading

import numpy as np
import pytest

import dfad
from dfad.errors import KernelAssertionError, KernelIndexError


def history(x, n):
    """Writes its argument, and appends what it finds there."""
    u = np.zeros(1)
    for i in range(n):
        x[i % len(x)] *= 1.01
        u = np.append(u, np.sin(x[i % len(x)] + u[-1]))
    return np.sum(u * u)


def picked(x, n):
    u = np.zeros(0)
    for i in range(n):
        u = np.append(u, x[i])
    return np.sum(u * u)


def limited(x, n):
    u = np.zeros(0)
    for _ in range(n):
        x[0] += 1.0
        assert x[0] < 5.5, "too large"
        u = np.append(u, x[0])
    return np.sum(u)


def start():
    return np.linspace(1.0, 2.0, 5)


def expected(n, x=None):
    x = start() if x is None else x.copy()
    return history(x, n), x


def check_call(kernel, n):
    x = start()
    value, after = expected(n)
    np.testing.assert_allclose(kernel(x, n), value, rtol=1e-13)
    np.testing.assert_allclose(x, after, rtol=1e-14)


def test_a_call_writes_its_arguments_once():
    kernel = dfad.kernel(history)
    for n in (3, 200, 7, 1000, 0):
        check_call(kernel, n)


def test_the_copies_that_a_second_beginning_needs_are_counted():
    kernel = dfad.kernel(history)
    check_call(kernel, 50)
    assert kernel.memory["copies"] == start().nbytes
    other = dfad.kernel(picked)
    other(start(), 5)
    assert other.memory["copies"] == 0


def test_an_argument_that_is_not_contiguous():
    wide = np.zeros((5, 2))
    wide[:, 0] = start()
    dfad.kernel(history)(wide[:, 0], 40)
    np.testing.assert_allclose(wide[:, 0], expected(40)[1], rtol=1e-14)
    assert not wide[:, 1].any()


def test_what_is_known_of_the_room_is_kept():
    """The next call of that size goes the quick way, in one run."""
    gradient, x = dfad.grad(picked, wrt="x"), np.arange(50.0)
    gradient(x, 50)
    rooms = gradient.caller.rooms
    known = dict(rooms)
    assert known
    assert all(size >= 50 for size in known.values())
    np.testing.assert_allclose(gradient(x, 50), 2.0 * x, rtol=1e-14)
    assert known == rooms


def test_a_gradient_and_a_pullback_begin_again():
    x, h = start(), 1e-6
    value, gradient = dfad.value_and_grad(history, wrt="x")(x, 60)
    np.testing.assert_allclose(value, expected(60)[0], rtol=1e-13)
    np.testing.assert_array_equal(x, start())
    for k in range(5):
        step = h * np.eye(5)[k]
        slope = (expected(60, x + step)[0] - expected(60, x - step)[0]) / (2 * h)
        np.testing.assert_allclose(gradient[k], slope, rtol=1e-6, atol=1e-6)
    (out, pullback) = dfad.vjp(history, x, 90, wrt="x")
    np.testing.assert_allclose(out, expected(90)[0], rtol=1e-13)
    np.testing.assert_allclose(2.0 * pullback(1.0), pullback(2.0), rtol=1e-13)
    assert dfad.check_grad(history, x, 30, wrt="x")


@pytest.mark.parametrize(("function", "error", "least"), [(picked, KernelIndexError, 1.0), (limited, KernelAssertionError, 5.5)])
def test_errors_come_behind_the_last_beginning(function, error, least):
    x = start()
    with pytest.raises(error):
        dfad.kernel(function)(x, 9)
    assert x[0] >= least


def test_threads_with_rooms_of_their_own_sizes():
    kernel, found = dfad.kernel(history), {}

    def call(number):
        x = start() + number
        found[number] = kernel(x, 60 * (number + 1)), expected(60 * (number + 1), start() + number)[0]

    kernel(start(), 1)
    threads = [threading.Thread(target=call, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    for mine, numpys in found.values():
        np.testing.assert_allclose(mine, numpys, rtol=1e-13)
