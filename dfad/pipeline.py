"""The story of a compilation: source -> ir -> facts -> adjoint -> plan -> optimise -> emit -> run.

Each room takes one value and gives one value; a Program is verified after every room that made one. The facts (`analysis`) are asked by the
rooms that need them.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

from dfad.adjoint.reverse import Request as Derivative
from dfad.adjoint.reverse import differentiate
from dfad.emit import emit
from dfad.errors import KernelTypeError
from dfad.frontend.lower import Lowered, lower
from dfad.ir.dataflow import dataflow
from dfad.ir.nodes import Program
from dfad.ir.show import show
from dfad.ir.verify import verify
from dfad.optimise.after import optimise_after
from dfad.optimise.before import optimise_before
from dfad.plan.parts import only
from dfad.plan.record import record
from dfad.run import cache, launch
from dfad.run.build import provide_kernel, provide_launcher
from dfad.run.caller import Request
from dfad.run.describe import Named, Wrapper, describe, returned
from dfad.run.launch import Compiled
from dfad.run.recipe import Recipe

COMPILING = threading.RLock()
"""One compilation at a time: neither Cython nor isl is made for threads."""

STEPS = ("parse", "lower", "analyse", "adjoint", "plan", "optimise", "emit", "cython", "compiler", "load")


@dataclass
class Clock:
    """Seconds of each step."""

    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STEPS, 0.0))

    @contextmanager
    def time(self, step: str) -> Iterator[None]:
        """Count what happens inside for that step."""
        start = perf_counter()
        yield
        self.seconds[step] += perf_counter() - start


@dataclass(frozen=True)
class Part:
    """A Program ready to be emitted, and how it is called."""

    program: Program
    wrapper: Wrapper


def compile_request(request: Request) -> Compiled:
    """From a function, the types of its arguments and a transform to loaded code.

    Parameters
    ----------
    request : Request

    Raises
    ------
    UnsupportedSyntax, KernelTypeError
        When the function cannot be compiled for these types; with the place.
    CompilerMissing, BuildFailed
        When the machine's tools fail.
    """
    with COMPILING:
        return launch.find(request.question) or _compile(request)


def _compile(request: Request) -> Compiled:
    clock = Clock()
    texts: dict[str, Any] = {}
    with clock.time("load"):
        provide_launcher()
    with clock.time("lower"):
        lowered = lower(request.source, request.arguments)
        verify(lowered.program)
    with clock.time("optimise"):
        primal = verify(optimise_before(lowered.program))
    texts["ir"], texts["dataflow"] = show(primal), dataflow(primal)
    if request.transform.kind == "primal":
        return _finish([Part(primal, _wrapper(lowered, request, returned(primal)))], request, clock, texts)
    return _finish([_gradient(primal, lowered, request, clock, texts)], request, clock, texts)


def _gradient(primal: Program, lowered: Lowered, request: Request, clock: Clock, texts: dict[str, Any]) -> Part:
    """One program for the gradient, with the value or without."""
    transform, value = request.transform, _scalar_result(primal, request)
    with clock.time("adjoint"):
        adjoint = verify(differentiate(primal, Derivative(transform.wrt, (value,), unit_seed=True)))
    texts["adjoint"] = show(adjoint)
    with clock.time("plan"):
        planned = verify(record(adjoint))
        gradients = adjoint.results[len(primal.results) :]
        wanted = (value, *gradients) if transform.kind == "value_and_grad" else gradients
        program = verify(only(planned, wanted))
    gradient: Named = gradients[0] if transform.is_single else gradients
    returns = (value, gradient) if transform.kind == "value_and_grad" else gradient
    return Part(program, replace(_wrapper(lowered, request, returns), gradients=frozenset(gradients)))


def _finish(parts: list[Part], request: Request, clock: Clock, texts: dict[str, Any]) -> Compiled:
    """Optimise, emit and build each part; keep and load all."""
    store = cache.disk() if request.options.cache else cache.temporary()
    recipes: list[Recipe] = []
    libraries: dict[str, bytes] = {}
    for part in parts:
        with clock.time("optimise"):
            program = verify(optimise_after(part.program))
        with clock.time("emit"):
            emitted = emit(program, fastmath=request.options.fastmath, threads=request.threads)
        key, built = provide_kernel(store, emitted)
        libraries[key] = built.library
        recipes.append(describe(program, emitted, part.wrapper, request.names.functions, key))
        for step, seconds in built.seconds.items():
            clock.seconds[step] += seconds
        texts["cython"] = texts.get("cython", "") + emitted.pyx
        texts["c"] = texts.get("c", "") + built.c
    with clock.time("load"):
        compiled = launch.keep(store, request.question, recipes, libraries, texts)
    clock.seconds["parse"] = request.parse_seconds
    return replace(compiled, timings={**clock.seconds, "total": sum(clock.seconds.values()), "cache": "built"})


def _wrapper(lowered: Lowered, request: Request, returns: Named) -> Wrapper:
    hidden = tuple(request.names.locate(one.variable, one.get()) for one in lowered.hidden)
    inputs = (*request.arguments.items(), *((one.name, one.type) for one in lowered.hidden))
    return Wrapper(inputs, hidden, returns)


def _scalar_result(primal: Program, request: Request) -> str:
    """The one float that a gradient is of."""
    arrays = {array.name: array for array in primal.parameters}
    results = [arrays[name] for name in primal.results]
    if len(results) == 1 and not primal.returns_tuple and results[0].rank == 0 and results[0].dtype.is_float:
        return results[0].name
    shown = ", ".join(f"{array.dtype} array" if array.rank else str(array.dtype) for array in results) or "nothing"
    place = request.source.locate(request.source.tree).place()
    place["hint"] = f"return np.sum(...), or use dfad.vjp({request.source.name}, ...) with a cotangent"
    raise KernelTypeError(f"{request.source.name} returns {shown}, and a gradient needs one floating-point scalar", **place)
