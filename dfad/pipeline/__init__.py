"""The story of a compilation: source -> ir -> facts -> adjoint -> plan -> optimise -> emit -> run.

Each room takes one value and gives one value; a Program is verified after every room that made one. The facts (`analysis`) are asked by the
rooms that need them. `derive` turns the primal into what a transform asks for; `clock` times the steps.
"""

import gc
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from dfad.emit import Emitted, emit
from dfad.errors import DfadError
from dfad.frontend.blocks import Checks
from dfad.frontend.lower import Lowered, lower
from dfad.ir.dataflow import dataflow
from dfad.ir.nodes import Program
from dfad.ir.show import show
from dfad.ir.verify import verify
from dfad.optimise.before import optimise_before
from dfad.optimise.last import optimise_last
from dfad.optimise.parallel import mark_parallel
from dfad.pipeline.budget import charged, plan_within
from dfad.pipeline.clock import Clock
from dfad.pipeline.derive import Derived, Part, derive, planner_of
from dfad.pipeline.locate import locate
from dfad.plan.reasons import tell
from dfad.plan.report import Plan, Plans
from dfad.run import cache, launch
from dfad.run.build import Build, building, provide_launcher, warm
from dfad.run.caller import Request
from dfad.run.describe import describe
from dfad.run.launch import Compiled
from dfad.run.transform import Transform

__all__ = ["compile_request", "locate_request", "plan_request", "tradeoff_request", "warm_up"]

COMPILING = threading.RLock()
"""One compilation at a time: neither Cython nor isl is made for threads."""


@contextmanager
def compiling() -> Iterator[None]:
    """One compilation at a time, and no search for cycles of garbage in it: it would walk through Cython's trees, none of them garbage
    before the end, and take up to a fifth of the time."""
    with COMPILING:
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if was_enabled:
                gc.enable()


def compile_request(request: Request) -> Compiled:
    """From a function, the types of its arguments and a transform to loaded code.

    Parameters
    ----------
    request : Request

    Raises
    ------
    UnsupportedSyntax, KernelTypeError
        When the function cannot be compiled for these types; with the place.
    BudgetTooSmall
        When no plan fits the memory budget.
    CompilerMissing, BuildFailed
        When the machine's tools fail.
    """
    with compiling():
        return launch.find(request.question) or _compile(request, Clock(parse=request.parse_seconds))


def warm_up() -> None:
    """Do what the first compilation of a process would wait for: load Cython, build the launcher where there is none."""
    with compiling():
        provide_launcher()
        warm()


def plan_request(request: Request) -> Plan:
    """What a gradient call holds and computes twice within its budget; raises as `compile_request` does."""
    with compiling():
        return plan_within(planner_of(*_front(request, Clock()), request), request)


def tradeoff_request(request: Request) -> tuple[Plan, ...]:
    """The plan at every budget at which the optimum changes, the widest first."""
    with compiling():
        return Plans(charged(plan, request) for plan in planner_of(*_front(request, Clock()), request).tradeoff())


def locate_request(request: Request, values: Sequence[object], tangents: Mapping[str, object], h: float) -> DfadError:
    """Where derivative and difference quotient part, along a direction, as an error that tells the place (`locate`)."""
    with compiling():
        lowered, _ = _front(request, Clock())
        found = locate(lowered, dict(zip(request.arguments, values, strict=True)), tangents, h)
    return DfadError(found.reason, **({} if found.where is None else found.where.place()))


def _compile(request: Request, clock: Clock) -> Compiled:
    with clock.time("load"):
        provide_launcher()
    lowered, primal = _front(request, clock)
    derived = derive(lowered, primal, request, clock)
    return _back(derived, request, clock)


def _front(request: Request, clock: Clock) -> tuple[Lowered, Program]:
    """Source -> PRIMAL Program."""
    with clock.time("lower"):
        lowered = lower(request.source, request.arguments, checks_of(request.transform), request.transform.resized)
    with clock.time("optimise"):
        primal = verify(optimise_before(verify(lowered.program)))
    return lowered, primal


def checks_of(transform: Transform) -> Checks:
    """Where checks stand: a gradient changes nothing of the caller's, a primal does all that comes before the access that fails."""
    if transform.kind != "primal":
        return Checks.OUTSIDE
    return Checks.AT_ACCESS if transform.is_checked else Checks.AT_ENTRY


@dataclass(frozen=True)
class _Made:
    """A part of a transform on its way to code."""

    part: Part
    program: Program
    text: Emitted
    key: str


def _back(derived: Derived, request: Request, clock: Clock) -> Compiled:
    """Programs -> emitted, built, kept and loaded.

    The reverse sweep, the longest, comes first: the C compiler works on it beside all that follows.
    """
    store = cache.disk() if request.options.cache else cache.temporary()
    with building(store) as build:
        made = [_made(part, build, request, clock) for part in reversed(derived.parts)][::-1]
        texts = listings(derived)
        built = build.kernels()
    clock.add(built.seconds)
    recipes = [describe(one.program, one.text, one.part.wrapper, request.names.functions, one.key) for one in made]
    texts |= {"cython": _joined([one.text.pyx for one in made]), "c": _joined([built.c[one.key] for one in made])}
    with clock.time("load"):
        compiled = launch.keep(store, request.question, recipes, built.libraries, texts)
    return replace(compiled, timings={**clock.seconds, "total": clock.total, "cache": "built"})


def _made(part: Part, build: Build, request: Request, clock: Clock) -> _Made:
    with clock.time("optimise"):
        program = verify(optimise_last(part.program, request.threads))
        if request.threads > 1 and request.options.budget is None:
            program = verify(mark_parallel(program))
    with clock.time("emit"):
        text = emit(program, fastmath=request.options.fastmath)
    return _Made(part, program, text, build.add(text))


def listings(derived: Derived) -> dict[str, object]:
    """The texts of the stages before emission, and the dataflow graph."""
    found: dict[str, object] = {"ir": show(derived.primal), "dataflow": dataflow(derived.primal)}
    if derived.adjoint is None:
        return found
    return {**found, "adjoint": f"{show(derived.adjoint)}\n\n{tell(derived.reasons, derived.kept)}\n"}


def _joined(texts: Sequence[str]) -> str:
    return "\n\n".join(texts)
