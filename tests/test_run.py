"""The launcher: threads, interrupts, memory that is counted and pooled, errors, and what a call costs."""

import json
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import dfad
from dfad.errors import CompilerBug
from dfad.ir.memlet import symbol
from dfad.ir.signature import ArrayType, ConstantType, FloatType, IntegerType
from dfad.run import launch, toolchain
from dfad.run.call import classify
from dfad.run.describe import _python
from dfad.run.recipe import Input, Origin, Output, Recipe, Site, Slot, from_text, to_text

pytestmark = pytest.mark.slow


@dfad.kernel
def spin(A, steps):
    for _ in range(steps):
        for i in range(1, A.shape[0]):
            A[i] = 0.5 * A[i] + 0.25 * np.sin(A[i - 1] * A[i])
    return A[A.shape[0] - 1]


@dfad.kernel
def grow(n, x):
    y = np.zeros(n)
    for i in range(n):
        y[i] = x * i
    z = y * y[::-1]
    return np.sum(z)


@dfad.kernel
def squares(a):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i] * a[i]
    return s


# ---------------------------------------------------------------- interrupts


@pytest.mark.parametrize("what", ["primal", "gradient", "forward"])
def test_an_interrupt_ends_a_long_call_soon(what):
    calls = {"primal": spin, "gradient": spin.grad, "forward": lambda *args: dfad.vjp(spin, *args)}
    calls[what](np.ones(10), 2)
    A = np.ones(1000)
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.4, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        calls[what](A, 2_000_000 if what == "primal" else 200_000)
    assert time.perf_counter() - sent[0] < 0.3
    timer.join()
    assert np.array_equal(A, np.ones(1000)) or what == "primal"
    calls[what](np.ones(10), 2)


def test_a_handler_that_raises_nothing_does_not_end_the_call():
    spin(np.ones(10), 2)
    seen = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        spin(np.ones(1000), 20_000)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen == [signal.SIGALRM]


# ---------------------------------------------------------------- threads


def test_threads_call_one_kernel_at_once():
    fresh = dfad.kernel(spin.__wrapped__, fastmath=True)
    expected = {n: dfad.grad(spin)(np.linspace(0.1, 1.0, n), 50) for n in (50, 60)}
    wrong = []

    def work(n):
        for _ in range(20):
            if not np.allclose(fresh.grad(np.linspace(0.1, 1.0, n), 50), expected[n], rtol=1e-12, atol=0):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in (50, 60, 50, 60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_matrix_products_follow_the_number_of_threads():
    import threadpoolctl

    def product(A, B):
        return np.sum(A @ B)

    def threads_of_scipy():
        return {p["num_threads"] for p in threadpoolctl.threadpool_info() if "scipy" in p["filepath"] and p["user_api"] == "blas"}

    A = np.random.default_rng(0).normal(size=(800, 800))
    dfad.kernel(product, threads=1)(A, A)
    before = threads_of_scipy()
    seen = set()
    watching = threading.Event()
    watcher = threading.Thread(target=lambda: [seen.update(threads_of_scipy()) for _ in iter(watching.is_set, True)])
    watcher.start()
    one = dfad.kernel(product, threads=1)
    for _ in range(10):
        assert np.isclose(one(A, A), np.sum(A @ A), rtol=1e-9, atol=1e-9)
    watching.set()
    watcher.join()
    assert 1 in seen or before == {1}
    assert threads_of_scipy() == before


# ---------------------------------------------------------------- memory


def test_working_memory_is_counted_and_pooled():
    def held(n):
        grow(n, 2.0)
        return grow.memory

    first = held(1000)
    assert first == {"tape": 0, "snapshots": 0, "temporaries": 8000, "copies": 0, "adjoints": 0, "results": 0, "peak": 8000}
    assert held(1000) == first
    assert held(10)["peak"] == 80
    assert held(0)["peak"] == 0
    assert held(1000) == first


def test_no_memory_is_an_error_and_the_next_call_works():
    grow(10, 1.0)
    with pytest.raises(MemoryError, match=f"grow found no memory for {8 << 50} bytes of its arrays; it held 0 bytes"):
        grow(1 << 50, 1.0)
    assert grow(3, 1.0) == 1.0


def test_memory_does_not_grow_from_call_to_call():
    import resource

    def used():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    A = np.linspace(0.1, 1.0, 200_000)
    for _ in range(3):
        spin.grad(A, 3)
    before = used()
    for _ in range(30):
        spin.grad(A, 3)
    assert used() - before < 4 * A.nbytes // 1024


# ---------------------------------------------------------------- what a call costs


def test_a_small_call_costs_microseconds():
    a = np.arange(10.0)

    def microseconds(call):
        call()
        best = []
        for _ in range(7):
            start = time.process_time()
            for _ in range(2000):
                call()
            best.append((time.process_time() - start) / 2000 * 1e6)
        return min(best)

    assert microseconds(lambda: squares(a)) < 10
    assert microseconds(lambda: squares.grad(a)) < 10
    assert microseconds(lambda: squares.value_and_grad(a)) < 10


# ---------------------------------------------------------------- results of computed shape


@dfad.kernel
def positive(x):
    return x[x > 0]


@dfad.kernel
def positive_rows(A, c):
    if c > 1:
        return A[A[:, 0] > 0]
    return A[:, : int(c * A.shape[1])]


def test_a_result_of_computed_length_is_an_ordinary_array():
    rng = np.random.default_rng(0)
    x, A = rng.standard_normal(50), rng.standard_normal((6, 4))
    for given in (x, -x, np.abs(x), -np.abs(x), x[:0]):
        assert np.array_equal(positive(given), given[given > 0])
    for c, expected in ((2.0, A[A[:, 0] > 0]), (0.5, A[:, :2]), (0.0, A[:, :0])):
        found = positive_rows(A, c)
        assert found.shape == expected.shape
        assert np.array_equal(found, expected)
        assert type(found) is np.ndarray
        assert found.base is None
        assert found.flags.owndata
        assert found.flags.carray
    found = positive(x)
    positive(-x)
    assert np.array_equal(found, x[x > 0])


def test_a_result_of_computed_length_counts_its_bytes():
    x = np.arange(-10.0, 1000.0)
    positive(x)
    assert positive.memory["results"] == 8 * 999
    assert positive.memory["temporaries"] == x.size
    assert positive.memory["peak"] == positive.memory["results"] + positive.memory["temporaries"]
    positive(-x)
    assert positive.memory["results"] == 8 * 10


def test_results_of_computed_length_in_two_threads():
    data = [np.random.default_rng(seed).standard_normal(5000 + seed) for seed in range(4)]
    wrong = []

    def work(x):
        for _ in range(50):
            if not np.array_equal(positive(x), x[x > 0]):
                wrong.append(x.size)

    threads = [threading.Thread(target=work, args=(x,)) for x in data]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_no_memory_for_a_result_of_computed_length():
    @dfad.kernel
    def filled(n, x):
        return np.full(int(x * n), x)

    with pytest.raises(MemoryError, match="found no memory for 1125899906842624 bytes"):
        filled(1 << 46, 2.0)
    with pytest.raises(MemoryError, match="more bytes than 64 bits count"):
        filled(1 << 60, 2.0)
    assert np.array_equal(filled(3, 2.0), np.full(6, 2.0))


def test_bytes_that_64_bits_do_not_count():
    @dfad.kernel
    def table(n, m, x):
        y = np.zeros((n, m))
        y[0, 0] = x
        return np.sum(y)

    for n, m in ((1 << 61, 1), (1 << 40, 1 << 40), (1, 1 << 62), (3 << 60, 1)):
        for call in (table, table.grad):
            with pytest.raises(MemoryError, match="more bytes than 64 bits count"):
                call(n, m, 1.0)
    assert table(3, 2, 1.5) == 1.5


def test_an_index_out_of_range_behind_a_result_of_computed_length():
    @dfad.kernel
    def pair(x, k):
        y = x[x > 0]
        return y, y[k]

    x = np.arange(-3.0, 4.0)
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        pair(x, 5)
    assert np.array_equal(pair(x, 1)[0], x[x > 0])


def test_a_cotangent_has_the_length_that_came_out():
    x = np.arange(-3.0, 4.0)
    out, pullback = dfad.vjp(positive, x)
    for _ in range(2):
        assert np.array_equal(pullback(np.arange(1.0, 4.0)), [0, 0, 0, 0, 1, 2, 3])
    with pytest.raises(dfad.KernelTypeError, match=r"shape \(2,\) .* the output has shape \(3,\)"):
        pullback(np.ones(2))
    out, pullback = dfad.vjp(positive, -np.abs(x))
    assert out.shape == (0,)
    assert np.array_equal(pullback(np.ones(0)), np.zeros(7))


def test_a_budget_for_a_result_of_computed_length_is_refused():
    with pytest.raises(dfad.KernelTypeError, match="known only while the kernel runs") as caught:
        dfad.vjp(positive, np.ones(3), memory="1 MB")
    assert "results whose shapes follow from the arguments" in caught.value.hint


def test_a_result_of_computed_length_from_the_disk():
    kernel = pickle.loads(pickle.dumps(positive_rows))
    A = np.random.default_rng(1).standard_normal((5, 3))
    kernel(A, 2.0)
    launch.LOADED.clear()
    again = dfad.kernel(positive_rows)
    assert np.array_equal(again(A, 2.0), A[A[:, 0] > 0])
    assert again.timings["cache"] == "disk"


# ---------------------------------------------------------------- parts

RECIPE = Recipe(
    name="k",
    inputs=(Input("a", "array", "float64", (False, None), True), Input("flag", "constant", constant=True)),
    hidden=((0, "g"),),
    outputs=(Output("r", "float64", -2, 5), Output("s", "float64", -4, 5, 0, (2, 2))),
    slots=(Slot(3, 0), Slot(0, 0, 1), Slot(4, 2)),
    symbols=(Slot(0, 0, 1),),
    shapes="lambda s0: ((max(s0, 0), ), )",
    returns=(2, (0,)),
    sites=(Site("index", "{0} is out", 0, 3, 4, 3, 9),),
    library="key",
    uses_blas=True,
    is_parallel=False,
    origins=(Origin("extent", 0, 1),),
    sizes=(3,),
)


def test_a_recipe_survives_its_text():
    assert from_text(to_text(RECIPE)) == RECIPE
    with pytest.raises((TypeError, ValueError, KeyError)):
        from_text(json.dumps({"name": "k"}))


def test_a_status_that_no_check_explains_is_our_fault():
    assert isinstance(launch.failure(RECIPE, (), 7, 0, (0, 0, 0, 0)), CompilerBug)
    assert isinstance(launch.failure(RECIPE, (), 2, 9, (0, 0, 0, 0)), CompilerBug)


def test_types_of_arguments():
    found = [classify(value) for value in (True, None, "a", np.True_, 1, np.int32(1), 1.0, np.float32(1), 1 << 63, 1j, [])]
    constants = [ConstantType(True), ConstantType(None), ConstantType("a"), ConstantType(True)]
    assert found == [*constants, IntegerType(), IntegerType(), FloatType(), FloatType(), None, None, None]
    array = classify(np.ones((1, 3), np.float32))
    assert isinstance(array, ArrayType)
    assert (array.dtype.name, array.ones) == ("float32", (True, False))


def test_shapes_are_computed_in_integers():
    import sympy

    n, m = symbol("n"), symbol("m")
    names = {n: "n", m: "m"}
    cases = {
        n + 2 * m - 3: lambda n, m: n + 2 * m - 3,
        sympy.floor((n - 1) / 2): lambda n, m: (n - 1) // 2,
        n * (n + 1) / 2: lambda n, m: n * (n + 1) // 2,
        sympy.Max(n, m, 2): lambda n, m: max(n, m, 2),
        sympy.Mod(n, 3) + sympy.Min(n, m): lambda n, m: n % 3 + min(n, m),
        sympy.floor(n / 3 + m / 2): lambda n, m: (2 * n + 3 * m) // 6,
        n**2: lambda n, m: n * n,
    }
    for expression, meaning in cases.items():
        text = _python(expression, names)
        for a, b in ((7, 3), (1, 10), (2**60 + 1, 5)):
            assert eval(text, {"n": a, "m": b, "min": min, "max": max}) == meaning(a, b)


def test_threads_follow_the_variable_and_the_processors(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert toolchain.available_threads() == 3
    for nonsense in ("", "many", "0"):
        monkeypatch.setenv("OMP_NUM_THREADS", nonsense)
        assert toolchain.available_threads() == len(os.sched_getaffinity(0))
