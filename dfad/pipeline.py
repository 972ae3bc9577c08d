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
from dfad.ir.nodes import IntegerSymbol, Program, Role, ShapeSymbol
from dfad.ir.show import show
from dfad.ir.signature import ArgumentType, ArrayType, FloatType, IntegerType
from dfad.ir.verify import verify
from dfad.ir.walk import all_arrays
from dfad.optimise.after import optimise_after
from dfad.optimise.before import optimise_before
from dfad.optimise.lower_library import lower_library
from dfad.plan.parts import Pair, only, split
from dfad.plan.record import record
from dfad.run import cache, launch
from dfad.run.build import provide_kernel, provide_launcher
from dfad.run.caller import Request
from dfad.run.describe import Named, Wrapper, describe, returned, written_arguments
from dfad.run.launch import Compiled
from dfad.run.recipe import Origin, Recipe

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
    match request.transform.kind:
        case "primal":
            parts = [Part(primal, _wrapper(lowered, request, returned(primal)))]
        case "vjp":
            parts = _pair(primal, lowered, request, clock, texts)
        case _:
            parts = [_gradient(primal, lowered, request, clock, texts)]
    return _finish(parts, request, clock, texts)


def _gradient(primal: Program, lowered: Lowered, request: Request, clock: Clock, texts: dict[str, Any]) -> Part:
    """One program for the gradient, with the value or without."""
    transform, value = request.transform, _scalar_result(primal, request)
    with clock.time("adjoint"):
        adjoint = differentiate(primal, Derivative(transform.wrt, (value,), unit_seed=True))
    texts["adjoint"] = show(adjoint)
    with clock.time("plan"):
        planned = verify(record(adjoint))
        gradients = adjoint.results[len(primal.results) :]
        wanted = (value, *gradients) if transform.kind == "value_and_grad" else gradients
        program = verify(only(planned, wanted))
    gradient: Named = gradients[0] if transform.is_single else gradients
    returns = (value, gradient) if transform.kind == "value_and_grad" else gradient
    return Part(program, replace(_wrapper(lowered, request, returns), gradients=frozenset(gradients)))


def _pair(primal: Program, lowered: Lowered, request: Request, clock: Clock, texts: dict[str, Any]) -> list[Part]:
    """Two programs: the forward sweep, which leaves what the reverse sweep reads, and the reverse sweep."""
    transform, of = request.transform, _differentiated(primal, request)
    with clock.time("adjoint"):
        adjoint = differentiate(primal, Derivative(transform.wrt, of))
    texts["adjoint"] = show(adjoint)
    with clock.time("plan"):
        planned = verify(record(adjoint))
        pair = split(planned, of, transform.wrt)
        forward, reverse = verify(pair.forward), verify(pair.reverse)
    tapes = {array.name for array in all_arrays(planned).values() if array.role is Role.TAPE}
    kept = {name: Role.TAPE if name in tapes else Role.COPY for name in pair.kept}
    first = _wrapper(lowered, request, (*pair.outputs, *pair.kept))
    inputs, origins = _reverse_inputs(pair, of, first, forward)
    gradients = reverse.results
    second = Wrapper(inputs, (), gradients[0] if transform.is_single else gradients, frozenset(gradients), kept, origins)
    return [Part(forward, replace(first, kept=kept)), Part(reverse, second)]


def _reverse_inputs(
    pair: Pair, of: tuple[str, ...], first: Wrapper, forward: Program
) -> tuple[tuple[tuple[str, ArgumentType], ...], tuple[Origin, ...]]:
    """What the reverse sweep takes, and where each input comes from."""
    position = {name: number for number, (name, _) in enumerate(first.inputs)}
    found: list[tuple[str, ArgumentType, Origin]] = []
    for array in pair.reverse.parameters:
        kind = ArrayType(array.dtype, tuple(extent == 1 for extent in array.shape)) if array.shape else FloatType()
        if array.name in pair.kept:
            found.append((array.name, kind, Origin("kept", pair.kept.index(array.name))))
        elif array.name.removesuffix("_seed") in of and array.name not in position:
            found.append((array.name, kind, Origin("seed", of.index(array.name.removesuffix("_seed")))))
        elif array.role is Role.ARGUMENT:
            found.append((array.name, kind, Origin("value", position[array.name])))
    for bound in forward.symbols:
        match bound:
            case ShapeSymbol(symbol, array_name, dimension):
                found.append((symbol.name, IntegerType(), Origin("extent", position[array_name], dimension)))
            case IntegerSymbol(symbol, parameter):
                found.append((symbol.name, IntegerType(), Origin("value", position[parameter])))
    return tuple((name, kind) for name, kind, _ in found), tuple(origin for *_, origin in found)


def _differentiated(primal: Program, request: Request) -> tuple[str, ...]:
    """What a vjp is of: the arguments that were named, else the results, else every argument that is updated in place."""
    written = written_arguments(primal)
    updated = tuple(a.name for a in primal.parameters if a.role is Role.ARGUMENT and a.name in written and a.dtype.is_float)
    of = request.transform.of or primal.results or updated
    arrays = {array.name: array for array in primal.parameters}
    wrong = [name for name in of if name not in arrays or not arrays[name].dtype.is_float]
    if of and not wrong:
        return of
    place = request.source.locate(request.source.tree).place()
    place["hint"] = f"of= names arguments that {request.source.name} updates in place: {', '.join(updated) or 'it updates none'}"
    what = f"{', '.join(wrong)} is no floating-point output" if wrong else "there is no result and no argument that is updated in place"
    raise KernelTypeError(f"{request.source.name}: {what}", **place)


def _finish(parts: list[Part], request: Request, clock: Clock, texts: dict[str, Any]) -> Compiled:
    """Optimise, emit and build each part; keep and load all."""
    store = cache.disk() if request.options.cache else cache.temporary()
    recipes: list[Recipe] = []
    libraries: dict[str, bytes] = {}
    for part in parts:
        with clock.time("optimise"):
            program = verify(lower_library(verify(optimise_after(part.program))))
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
