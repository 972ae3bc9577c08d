"""A gradient beside what people use today: time, compile time and peak memory, measured in this process."""

import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from dfad_magics import page, plots
from dfad_magics.errors import OptionError
from dfad_magics.kernel import Kernel
from dfad_magics.line import Call
from dfad_magics.units import duration, size

Progress = Callable[[str], None]
"""Is told what is being measured."""

HEAD = ("system", "time", "min", "max", "compile", "peak memory", "difference")
NUMBERS = (1, 2, 3, 4, 5, 6)
AGREEMENT = 1e-6
"""How far gradients may be apart, relative to the largest element, before it is said in words."""


@dataclass(frozen=True)
class Row:
    """What one system took.

    Attributes
    ----------
    system : str
        Its name, and whether it ran the primal or the gradient.
    seconds : tuple of float
        Each measured run.
    compile_seconds : float, optional
        From source to callable, None where nothing is compiled.
    peak : int, optional
        Bytes held at the peak beyond the arguments, None where not measured.
    difference : float, optional
        The largest difference of its gradient from dfad's, relative to the largest element.
    """

    system: str
    seconds: tuple[float, ...]
    compile_seconds: float | None = None
    peak: int | None = None
    difference: float | None = None

    @property
    def median(self) -> float:
        """The median of the runs, in seconds."""
        return statistics.median(self.seconds)

    def cells(self) -> tuple[str, ...]:
        """The row as text under `HEAD`."""
        compiled = "–" if self.compile_seconds is None else duration(self.compile_seconds)
        peak = "–" if self.peak is None else size(self.peak)
        difference = "–" if self.difference is None else f"{self.difference:.1e}"
        return (self.system, duration(self.median), duration(min(self.seconds)), duration(max(self.seconds)), compiled, peak, difference)


@dataclass(frozen=True)
class Comparison:
    """Rows of measurements of one call, and how to show them."""

    call: str
    rows: tuple[Row, ...]
    note: str = ""

    def warnings(self) -> list[str]:
        """A sentence for each gradient that differs from dfad's by more than `AGREEMENT`, or is NaN where dfad's is not."""
        differing = (row for row in self.rows if row.difference is not None and not row.difference <= AGREEMENT)
        return [
            f"WARNING: {row.system} differs from dfad's by {row.difference:.1e} of the largest element: "
            "see whether both functions compute the same"
            for row in differing
        ]

    def figure(self) -> bytes:
        """The bars of time, compile time and peak memory, as PNG."""
        timed = [(row.system, row.median) for row in self.rows]
        compiled = [(row.system, row.compile_seconds) for row in self.rows]
        peaks = [(row.system, None if row.peak is None else float(row.peak)) for row in self.rows]
        return plots.png(plots.bars([("time of one run", "s", timed), ("compile time", "s", compiled), ("peak memory", "B", peaks)]))

    def html(self) -> str:
        """The table and the bars as one block of HTML."""
        bars = page.image(self.figure(), "bars of the numbers in the table above", 880)
        note = f'<div class="dfad-note">{escape(self.note)}</div>' if self.note else ""
        warned = "".join(f"<div><strong>{escape(warning)}</strong></div>" for warning in self.warnings())
        return page.page(page.title(self.call), warned, page.table(HEAD, [row.cells() for row in self.rows], NUMBERS), bars, note)

    def __str__(self) -> str:
        table = page.columns(HEAD, [row.cells() for row in self.rows], NUMBERS)
        return "\n".join([self.call, *self.warnings(), table, *([self.note] if self.note else [])])

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": str(self)}


def compare(
    kernel: Kernel, *args: Any, jax: Callable[..., Any] | None = None, seconds: float = 0.5, report: Progress | None = None
) -> Comparison:
    """Measure a kernel's gradient beside that of a JAX function, or beside the plain NumPy function.

    Parameters
    ----------
    kernel : Kernel
        A kernel with a scalar result.
    *args
        Its arguments; every run works on copies.
    jax : callable, optional
        A JAX function of the same arguments that returns a scalar. It is differentiated in 64 bits; what is neither an array nor
        a float is static.
    seconds : float
        How long to repeat each measurement: three runs at least, one where a run is long, and 15 at most.
    report : callable, optional
        Is told what is being measured.

    Raises
    ------
    OptionError
        `jax` is no function, or JAX has not been imported.
    """
    return measure(Call.of(kernel, args), jax, seconds, report or (lambda _: None))


def measure(call: Call, jax: Callable[..., Any] | None, seconds: float, report: Progress) -> Comparison:
    """`compare` for a call as a magic reads it."""
    if jax is not None:
        _check_jax(jax)
    report("dfad: compiling and running the gradient")
    gradient, dfad_row, cache = _dfad_gradient(call, seconds)
    report("dfad: running the primal")
    call.kernel(*call.fresh(), **call.kwargs)
    primal = Row("dfad primal", _runs(call.kernel, call, seconds))
    if jax is not None:
        name = getattr(jax, "__name__", "function")
        report(f"JAX: compiling and running the gradient of {name}")
        row = _jax_gradient(f"JAX gradient: {name}", jax, call, gradient, seconds)
        note = "JAX peak: temporaries and outputs of its compiled program"
    else:
        report("NumPy: running the plain function")
        row = _numpy_primal(call, seconds)
        note = f"to compare with JAX, write the function with jax.numpy and name it: %dfad_compare {call.text} --jax NAME"
    return Comparison(call.title, (dfad_row, primal, row), f"{cache}; {note}" if cache else note)


def _runs(function: Callable[..., Any], call: Call, seconds: float, most: int = 15) -> tuple[float, ...]:
    """The times of runs on fresh copies, until `seconds` have passed and, unless they are long, three runs."""
    taken: list[float] = []
    while not taken or (len(taken) < 3 and sum(taken) < 4 * seconds) or (sum(taken) < seconds and len(taken) < most):
        args = call.fresh()
        start = time.perf_counter()
        function(*args, **call.kwargs)
        taken.append(time.perf_counter() - start)
    return tuple(taken)


def _dfad_gradient(call: Call, seconds: float) -> tuple[Any, Row, str]:
    """The gradient, what it took, and where its code came from when it was not built now."""
    gradient = call.kernel.grad(*call.args, **call.kwargs)
    timings = call.kernel.timings
    taken = _runs(call.kernel.grad, call, seconds)
    place = timings.get("cache")
    cache = f"dfad's compiled code was taken from {place}" if place in ("memory", "disk") else ""
    return gradient, Row("dfad gradient", taken, timings.get("total"), call.kernel.memory.get("peak")), cache


def _numpy_primal(call: Call, seconds: float) -> Row:
    function = call.kernel.__wrapped__
    taken = _runs(function, call, seconds)
    return Row("NumPy primal", taken, peak=_traced_peak(function, call) if min(taken) < 2.0 else None)


def _traced_peak(function: Callable[..., Any], call: Call) -> int | None:
    """Bytes that NumPy allocates at the peak of one run; None while somebody else is tracing."""
    if tracemalloc.is_tracing():
        return None
    args = call.fresh()
    tracemalloc.start()
    try:
        function(*args, **call.kwargs)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _check_jax(function: object) -> None:
    if not callable(function):
        raise OptionError(f"jax={function!r} is not a function", hint="name a function of the same arguments, written with jax.numpy")
    if "jax" not in sys.modules:
        raise OptionError("JAX is not in use here", hint="import jax and write the function with jax.numpy")


def _jax_gradient(system: str, function: Callable[..., Any], call: Call, reference: Any, seconds: float) -> Row:
    """Compile and run `jax.grad` in 64 bits; what is neither array nor float is static."""
    jax = sys.modules["jax"]
    chosen = call.differentiated()
    argnums = chosen if isinstance(reference, tuple) else chosen[0]
    static = tuple(place for place, value in enumerate(call.args) if not isinstance(value, np.ndarray | float))
    with jax.enable_x64(True):
        start = time.perf_counter()
        lowered = jax.jit(jax.grad(function, argnums=argnums), static_argnums=static).lower(*call.args, **call.kwargs)
        compiled = lowered.compile()
        taken_to_compile = time.perf_counter() - start
        arrays = tuple(jax.device_put(value) for place, value in enumerate(call.args) if place not in static)

        dynamic = Call(call.text, compiled, arrays, call.kwargs)

        def run(*args: Any, **kwargs: Any) -> Any:
            return jax.block_until_ready(compiled(*args, **kwargs))

        gradient = run(*arrays, **call.kwargs)
        taken = _runs(run, dynamic, seconds)
    memory = compiled.memory_analysis()
    peak = None if memory is None else memory.temp_size_in_bytes + memory.output_size_in_bytes
    return Row(system, taken, taken_to_compile, peak, _difference(reference, gradient))


def _difference(reference: Any, other: Any) -> float:
    """The largest difference relative to the largest element; of several gradients, the worst."""
    if isinstance(reference, tuple):
        return max(_difference(one, another) for one, another in zip(reference, other, strict=True))
    here, there = np.asarray(reference), np.asarray(other)
    scale = float(np.max(np.abs(here), initial=0.0))
    return float(np.max(np.abs(here - there), initial=0.0)) / (scale or 1.0)
