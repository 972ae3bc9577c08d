"""One shape for every system that the suite measures: prepare once, then run and time as often as asked.

A subject holds one kernel at one size in one system. `compile_seconds` is the time from the Python function to the compiled
gradient (or primal), with the system's own libraries already loaded by `warm`; `run` times one call and returns what it computed;
`peak_bytes` is what the call holds beyond its arguments: dfad's measured peak, JAX's compiled memory analysis (temporaries and
outputs). A gradient call computes the value and the gradient in both systems.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

import dfad
from dfad.suite import Benchmark
from dfad.suite.interpreted import NumbaPrimal, NumpyPrimal, Primal
from dfad.suite.results import Arguments, CannotRun, Timed, as_tuple, cotangents

INTERPRETED = {"numpy": NumpyPrimal, "numba": NumbaPrimal}


class Subject(Protocol):
    """A kernel at one size in one system, compiled and ready to be timed."""

    compile_seconds: float | None

    def run(self) -> Timed:
        """Call once: seconds, and the gradients (or the outputs)."""

    def peak_bytes(self) -> int | None:
        """Bytes that a call holds at its peak beyond the caller's arguments; None where the system does not say."""


def prepare(system: str, benchmark: Benchmark, size: dict[str, Any], *, primal: bool, threads: int | None) -> Subject:
    """Compile a kernel in the named system.

    Raises
    ------
    CannotRun
        When the system refuses the kernel, runs out of memory, or is not installed.
    """
    arguments = benchmark.initialize(size)
    if system == "dfad":
        return _prepare_dfad(benchmark, arguments, primal, threads)
    if system in INTERPRETED:
        if not primal:
            raise CannotRun(f"{system} has no gradients")
        return INTERPRETED[system](benchmark, arguments)
    if benchmark.no_reverse and not primal:
        raise CannotRun(benchmark.no_reverse)
    if system not in benchmark.systems:
        raise CannotRun(f"the kernel has no {system}")
    return _prepare_jax(benchmark, benchmark.systems[system], arguments, primal)


def warm(system: str) -> None:
    """Load what the system loads at its first compilation, so that no kernel pays for it."""
    toy = Benchmark("toy", "V", _toy, lambda size: {"x": np.ones(3)}, {}, "x", ("return",), {"jax": lambda x: (x * x).sum()}, None, None)
    prepare("dfad" if system == "dfad" else "jax", toy, {}, primal=False, threads=None).run()


def _toy(x):
    return np.sum(x * x)


# dfad


class DfadGradient:
    """`dfad.vjp` and its pullback: the value, and the gradient for the weighted cotangent.

    The peak is that of the two halves together: the value is still held while the pullback runs, as it is in JAX's outputs.
    """

    compile_seconds: float | None

    def __init__(self, benchmark: Benchmark, arguments: Arguments, threads: int | None) -> None:
        self.benchmark, self.arguments = benchmark, tuple(arguments.values())
        self.kernel = dfad.kernel(benchmark.function, wrt=benchmark.wrt, threads=threads, cache=False)
        out, pullback = self._vjp()
        self.weights = cotangents(out)
        pullback(self.weights)
        self.compile_seconds = float(self.kernel.timings["total"])
        held = sum(np.asarray(one).nbytes for one in (out if isinstance(out, tuple) else (out,)))
        self.peak = int(max(self.kernel.memory["peak"], pullback.memory["peak"] + held))

    def run(self) -> Timed:
        start = time.perf_counter()
        _, pullback = self._vjp()
        gradient = pullback(self.weights)
        return time.perf_counter() - start, as_tuple(gradient)

    def peak_bytes(self) -> int:
        return self.peak

    def _vjp(self) -> Any:
        return dfad.vjp(self.kernel, *self.arguments, of=self.benchmark.of, wrt=self.benchmark.wrt)


class DfadPrimal(Primal):
    """The compiled kernel."""

    def __init__(self, benchmark: Benchmark, arguments: Arguments, threads: int | None) -> None:
        self.kernel = dfad.kernel(benchmark.function, threads=threads, cache=False)
        super().__init__(benchmark, arguments, self.kernel)
        self.run()
        self.compile_seconds = float(self.kernel.timings["total"])

    def peak_bytes(self) -> int:
        """What the last call held at its peak."""
        return int(self.kernel.memory["peak"])


def _prepare_dfad(benchmark: Benchmark, arguments: Arguments, primal: bool, threads: int | None) -> Subject:
    try:
        return (DfadPrimal if primal else DfadGradient)(benchmark, arguments, threads)
    except dfad.DfadError as error:
        raise CannotRun(f"{type(error).__name__}: {error}") from error
    except MemoryError as error:
        raise CannotRun("out of memory") from error


# JAX


class JaxCompiled:
    """A JAX function compiled ahead of time, on the inputs that it was compiled for."""

    compile_seconds: float | None

    def __init__(self, compute: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
        import jax

        self.wait, self.inputs = jax.block_until_ready, inputs
        start = time.perf_counter()
        self.compiled = jax.jit(compute).lower(*inputs).compile()
        self.compile_seconds = time.perf_counter() - start

    def run(self) -> Timed:
        start = time.perf_counter()
        results = self.wait(self.compiled(*self.inputs))
        seconds = time.perf_counter() - start
        return seconds, as_tuple(results[-1])

    def peak_bytes(self) -> int | None:
        analysis = self.compiled.memory_analysis()
        if analysis is None:
            return None
        return int(analysis.temp_size_in_bytes + analysis.output_size_in_bytes)


def _prepare_jax(benchmark: Benchmark, port: Callable[..., Any], arguments: Arguments, primal: bool) -> Subject:
    """Floats and arrays are traced, integers are constants of the program: trip counts must be, for a reverse to exist."""
    if importlib.util.find_spec("jax") is None:
        raise CannotRun("JAX is not installed")
    import jax

    jax.config.update("jax_enable_x64", True)
    traced = {name: jax.numpy.asarray(value) for name, value in arguments.items() if isinstance(value, float | np.ndarray)}
    constants = {name: value for name, value in arguments.items() if name not in traced}

    def outputs(traced):
        return port(**traced, **constants)

    def value_and_gradients(traced, weights):
        out, pullback = jax.vjp(lambda active: outputs({**traced, **active}), {name: traced[name] for name in benchmark.active})
        (gradients,) = pullback(weights)
        return out, tuple(gradients[name] for name in benchmark.active)

    try:
        if primal:
            return JaxCompiled(lambda traced: (outputs(traced),), (traced,))
        return JaxCompiled(value_and_gradients, (traced, cotangents(jax.eval_shape(outputs, traced))))
    except (MemoryError, jax.errors.JaxRuntimeError) as error:
        raise CannotRun(f"{type(error).__name__}: {str(error).splitlines()[0]}") from error
