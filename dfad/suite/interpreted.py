"""The kernel as it stands, by NumPy itself and by Numba: what a compiled primal is measured against. Neither has gradients.

Arguments that the kernel updates are restored before every call, outside the time.
"""

from __future__ import annotations

import importlib.util
import time
import tracemalloc
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from dfad.suite import Benchmark
from dfad.suite.results import Arguments, CannotRun, Timed, as_tuple


class Primal:
    """A Python function of the kernel's arguments, run on fresh copies of them."""

    compile_seconds: float | None = None

    def __init__(self, benchmark: Benchmark, arguments: Arguments, function: Callable[..., Any]) -> None:
        self.benchmark, self.arguments, self.function = benchmark, arguments, function

    def run(self) -> Timed:
        """Call once: seconds, and the outputs."""
        arguments = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in self.arguments.items()}
        with np.errstate(all="ignore"):
            start = time.perf_counter()
            result = self.function(*arguments.values())
            seconds = time.perf_counter() - start
        outputs = result if self.benchmark.of is None else tuple(arguments[name] for name in self.benchmark.outputs)
        return seconds, as_tuple(outputs)

    def peak_bytes(self) -> int | None:
        """Unknown, unless the system says."""
        return None


class NumpyPrimal(Primal):
    """The plain function; its peak is what NumPy reports to `tracemalloc`, in a run of its own."""

    def __init__(self, benchmark: Benchmark, arguments: Arguments) -> None:
        super().__init__(benchmark, arguments, benchmark.function)

    def peak_bytes(self) -> int:
        """What one call allocates at its peak, less the copies of the arguments."""
        given = sum(value.nbytes for value in self.arguments.values() if isinstance(value, np.ndarray))
        tracemalloc.start()
        try:
            self.run()
            return max(tracemalloc.get_traced_memory()[1] - given, 0)
        finally:
            tracemalloc.stop()


class NumbaPrimal(Primal):
    """The function under `numba.njit(fastmath=False)`, and the functions that it calls."""

    def __init__(self, benchmark: Benchmark, arguments: Arguments) -> None:
        if importlib.util.find_spec("numba") is None:
            raise CannotRun("Numba is not installed")
        import numba

        super().__init__(benchmark, arguments, _jitted(benchmark.function, numba.njit(fastmath=False)))
        start = time.perf_counter()
        try:
            run_seconds, _ = self.run()
        except (numba.core.errors.NumbaError, AssertionError, NotImplementedError) as error:  # some of its own asserts fail
            raise CannotRun(f"{type(error).__name__}: {_said(str(error))}") from error
        self.compile_seconds = time.perf_counter() - start
        self.compile_seconds -= min(run_seconds, self.run()[0])


def _jitted(function: Callable[..., Any], jit: Callable[..., Any]) -> Callable[..., Any]:
    """The function and the plain functions of its module that it calls, all compiled: Numba does not look inside plain ones."""
    assert isinstance(function, FunctionType)
    names = set(function.__code__.co_names)
    called = {name: value for name, value in function.__globals__.items() if name in names and isinstance(value, FunctionType)}
    namespace = {**function.__globals__, **{name: _jitted(value, jit) for name, value in called.items()}}
    twin = FunctionType(function.__code__, namespace, function.__name__, function.__defaults__)
    compiled: Callable[..., Any] = jit(twin)
    return compiled


def _said(message: str) -> str:
    """The line of a long message that says what is wrong."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    telling = (line for line in lines[1:] if not line.startswith(("File", "During", "Failed", "-")))
    return next(telling, lines[0] if lines else "")
