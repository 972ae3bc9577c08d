"""Loops that threads share: values, bits, errors, interrupts, memory, forks and concurrent calls."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import dfad

pytestmark = pytest.mark.slow


def smooth(A, B, steps):
    for _ in range(steps):
        for i in range(1, A.shape[0] - 1):
            for j in range(1, A.shape[1] - 1):
                B[i, j] = 0.25 * (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1])
        A, B = B, A
    return np.sum(A * A)


def paths(z, start, barrier):
    total = 0.0
    for p in range(z.shape[0]):
        price = start
        for t in range(z.shape[1]):
            price = price * np.exp(0.1 * z[p, t])
            if price < barrier:
                price = 0.0
                break
        total += max(price - 1.0, 0.0)
    return total / z.shape[0]


def rows(A):
    out = np.zeros(A.shape[0])
    for i in range(A.shape[0]):
        row = np.zeros(A.shape[1])
        for j in range(A.shape[1]):
            row[j] = A[i, j] * A[i, j]
        for j in range(A.shape[1]):
            out[i] += row[j] * np.sin(row[A.shape[1] - 1 - j])
    return np.sum(out)


def roots(a, b):
    x = np.ones(a.shape[0])
    for i in range(a.shape[0]):
        y = 2.0
        while abs(y**3 - a[i] * y - b[i]) > 1e-12:
            y = y - (y**3 - a[i] * y - b[i]) / (3.0 * y * y - a[i])
        x[i] = y
    return np.sum(x * a)


def triangle(A):
    y = np.zeros(A.shape[0])
    for i in range(A.shape[0]):
        for j in range(i):
            y[i] += A[i, j] * np.sin(A[j, i])
    return np.sum(y * y)


def softmax(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum((e / np.sum(e, axis=1, keepdims=True)) ** 2)


def arguments(name, rng):
    square = rng.uniform(0.1, 1.0, (400, 400))
    return {
        "smooth": (square, square.copy(), 6),
        "paths": (rng.normal(size=(4000, 30)), 1.1, 0.8),
        "rows": (square,),
        "roots": (rng.uniform(0.5, 1.0, 20_000), rng.uniform(0.5, 1.0, 20_000)),
        "triangle": (square,),
        "softmax": (square,),
    }[name]


KERNELS = {kernel.__name__: kernel for kernel in (smooth, paths, rows, roots, triangle, softmax)}


def fresh(values):
    return [value.copy() if isinstance(value, np.ndarray) else value for value in values]


@pytest.mark.parametrize("name", KERNELS)
def test_the_number_of_threads_changes_values_by_rounding_only_and_repeats_every_bit(name):
    kernel, values = KERNELS[name], arguments(name, np.random.default_rng(1))
    one, two, three = (dfad.value_and_grad(kernel, threads=count) for count in (1, 2, 3))
    value, gradient = one(*values)
    for shared in (two, three):
        found = shared(*values)
        assert "dfad_share" in shared.source("cython")
        assert found[0] == pytest.approx(value, rel=1e-13)
        np.testing.assert_allclose(found[1], gradient, rtol=1e-13, atol=1e-13 * np.max(np.abs(gradient)))
        for _ in range(3):
            again = shared(*values)
            assert again[0] == found[0]
            np.testing.assert_array_equal(again[1], found[1])
    assert "dfad_share" not in one.source("cython")
    shared = dfad.kernel(kernel, threads=2)
    primal = dfad.kernel(kernel, threads=1)(*fresh(values)), shared(*fresh(values))
    assert "dfad_share" in shared.source("cython")
    assert primal[1] == pytest.approx(primal[0], rel=1e-13)
    assert primal[0] == pytest.approx(kernel(*fresh(values)), rel=1e-12)


@pytest.mark.parametrize("name", KERNELS)
def test_empty_and_tiny_arrays(name):
    values = arguments(name, np.random.default_rng(2))
    for size in (1, 2, 5):
        small = [value[(slice(size),) * value.ndim].copy() if isinstance(value, np.ndarray) else value for value in values]
        one, two = (dfad.value_and_grad(KERNELS[name], threads=count)(*small) for count in (1, 2))
        assert one[0] == two[0]
        np.testing.assert_array_equal(one[1], two[1])


# ---------------------------------------------------------------- bits of one thread


def test_with_one_thread_a_shared_loop_adds_in_the_order_of_the_source(monkeypatch):
    def total(x):
        s = 0.5
        for i in range(x.shape[0]):
            s += x[i] * x[i]
        return s

    x = np.random.default_rng(3).normal(size=300_000)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    shared = dfad.kernel(total)
    two = shared(x)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert shared(x) == total(x)
    assert two != total(x)
    assert two == pytest.approx(total(x), rel=1e-13)


# ---------------------------------------------------------------- errors


def test_the_check_that_fails_first_is_told():
    def gather(x, idx):
        y = np.zeros(idx.shape[0])
        for i in range(idx.shape[0]):
            for _ in range(20):
                y[i] += np.sin(x[idx[i]])
        return np.sum(y)

    x, idx = np.ones(50), np.zeros(40_000, np.int64)
    gradient = dfad.grad(gather, threads=2)
    assert gradient(x, idx)[0] != 0
    assert "dfad_fail_in" in gradient.source("cython")
    for bad in ([39_999], [100, 30_000], [25_000, 19_999, 39_000]):
        wrong = idx.copy()
        wrong[bad] = 1000 + np.arange(len(bad))
        for _ in range(5):
            with pytest.raises(dfad.KernelIndexError, match=f"index {wrong[min(bad)]} is out of bounds") as caught:
                gradient(x, wrong)
            assert caught.value.text.strip() == "y[i] += np.sin(x[idx[i]])"
    assert gradient(x, idx)[0] != 0


def test_a_primal_that_fails_leaves_what_numpy_leaves():
    def store(x, idx, y):
        for i in range(idx.shape[0]):
            y[i] = x[idx[i]]

    x, idx = np.ones(10), np.zeros(200_000, np.int64)
    idx[150_000] = 10
    y = np.zeros(idx.size)
    with pytest.raises(dfad.KernelIndexError):
        dfad.kernel(store, threads=2)(x, idx, y)
    assert np.count_nonzero(y) == 150_000


# ---------------------------------------------------------------- interrupts


def slow(a, repeats):
    y = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        s = a[i]
        for _ in range(repeats):
            for _ in range(100):
                s = np.sin(s) + 1e-3
            s = 0.5 * s
        y[i] = s
    return np.sum(y)


@pytest.mark.parametrize("trips", [2, 64])
def test_an_interrupt_ends_shared_loops_soon(trips):
    kernel = dfad.kernel(slow, threads=2)
    kernel(np.ones(trips), 300)
    assert "dfad_share" in kernel.source("cython")
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.3, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        kernel(np.ones(trips), 40_000_000 // trips)
    assert time.perf_counter() - sent[0] < 0.3
    timer.join()
    assert kernel(np.ones(trips), 300) > 0


def test_an_interrupt_reaches_the_threads_that_the_caller_waits_for():
    def uneven(a, repeats):
        y = np.zeros(a.shape[0])
        for i in range(a.shape[0]):
            s = a[i]
            for _ in range(repeats[i]):
                for _ in range(100):
                    s = np.sin(s) + 1e-3
                s = 0.5 * s
            y[i] = s
        return np.sum(y)

    kernel = dfad.kernel(uneven, threads=2)
    long = np.array([1] * 31 + [10_000_000] * 2 + [1] * 31)
    kernel(np.ones(64), np.full(64, 1000))
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        kernel(np.ones(64), long)
    assert time.perf_counter() - start < 0.3 + 0.3
    timer.join()


# ---------------------------------------------------------------- memory


def test_arrays_of_a_loop_are_counted_for_each_thread():
    A = np.ones((600, 300))
    found = {}
    for threads in (1, 2, 3):
        kernel = dfad.kernel(rows, threads=threads)
        kernel(A)
        found[threads] = kernel.memory["temporaries"]
    assert found[1] >= 8 * 300
    assert {threads: size - found[1] for threads, size in found.items()} == {1: 0, 2: 2 * 2432 - 2400, 3: 3 * 2432 - 2400}


def rows_of_data(A, k):
    out = np.zeros(A.shape[0])
    n = k[0]
    for i in range(A.shape[0]):
        row = np.zeros(n)
        for j in range(n):
            row[j] = A[i, j] * A[i, j]
        for j in range(n):
            out[i] += row[j] * np.sin(row[n - 1 - j])
    return np.sum(out)


def test_the_array_of_each_thread_may_be_as_long_as_data_say():
    A, k = np.random.default_rng(4).normal(size=(400, 300)), np.array([280])
    found = {}
    for threads in (1, 2):
        kernel = dfad.kernel(rows_of_data, threads=threads)
        found[threads] = kernel(A, k)
        assert ("dfad_own(" in kernel.source("cython")) == (threads == 2)
    assert abs(found[2] - found[1]) <= 1e-13 * abs(found[1])
    assert abs(found[1] - rows_of_data(A, k)) <= 1e-12 * abs(found[1])


def test_a_budget_holds_with_threads():
    A = np.random.default_rng(4).normal(size=(500, 300))
    unlimited = dfad.grad(rows, threads=2)
    expected = unlimited(A)
    budget = dfad.grad(rows, threads=1).plan(A).peak
    within = dfad.grad(rows, threads=2, memory=budget)
    np.testing.assert_allclose(within(A), expected, rtol=1e-13, atol=1e-13)
    assert within.memory["peak"] <= budget


# ---------------------------------------------------------------- processes and threads of Python


def run_child(work):
    """Whether a forked child ends well and soon."""
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        os._exit(0 if work() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.filterwarnings("ignore:.*fork.*")
@pytest.mark.filterwarnings("ignore:.*_at_fork.*:pytest.PytestUnraisableExceptionWarning")  # what JAX says, where it was loaded
def test_a_forked_child_shares_loops_too():
    A = np.random.default_rng(5).normal(size=(500, 500))
    gradient = dfad.grad(rows, threads=2)
    expected = gradient(A)

    def again():
        before = len(os.listdir("/proc/self/task"))
        same = all(np.array_equal(gradient(A), expected) for _ in range(20))
        return same and before == 1 and len(os.listdir("/proc/self/task")) == 2 and run_child(lambda: np.array_equal(gradient(A), expected))

    assert run_child(again)
    assert np.array_equal(gradient(A), expected)


def test_threads_of_python_share_loops_at_once():
    A = np.random.default_rng(6).normal(size=(500, 300))
    gradient = dfad.grad(rows, threads=2)
    expected = gradient(A)
    wrong = []

    def work():
        wrong.extend(number for number in range(20) if not np.array_equal(gradient(A), expected))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_number_of_threads_is_taken_at_the_call(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    A = np.ones((600, 300))
    kernel = dfad.kernel(rows)

    found = []
    for count in ("2", "3", "1", "2,4"):
        monkeypatch.setenv("OMP_NUM_THREADS", count)
        kernel(A)
        found.append(kernel.memory["temporaries"])
    assert [size - found[2] for size in found] == [2 * 2432 - 2400, 3 * 2432 - 2400, 0, 2 * 2432 - 2400]


def test_a_small_call_does_not_wait_for_threads():
    def squares(a):
        s = 0.0
        for i in range(a.shape[0]):
            s += a[i] * a[i]
        return s

    a = np.arange(10.0)
    calls = {count: dfad.kernel(squares, threads=count) for count in (1, 2)}
    best = dict.fromkeys(calls, np.inf)
    for _ in range(40):
        for count, call in calls.items():
            call(a)
            start = time.process_time()
            for _ in range(1000):
                call(a)
            best[count] = min(best[count], (time.process_time() - start) * 1e3)
    assert best[2] < best[1] + 0.5
