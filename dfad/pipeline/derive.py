"""From the primal to the Programs that a transform asks for, each with the way it is called: adjoint and plan.

``primal`` is the primal itself; ``grad`` and ``value_and_grad`` are one Program; ``vjp`` is two, a forward sweep that leaves what the
reverse sweep reads.
"""

from dataclasses import dataclass, replace

from dfad.adjoint.reverse import Request as Derivative
from dfad.adjoint.reverse import differentiate
from dfad.errors import DfadError, KernelTypeError
from dfad.frontend.lower import Lowered
from dfad.ir.nodes import Array, IntegerSymbol, Program, Role, ShapeSymbol
from dfad.ir.signature import ArgumentType, ArrayType, FloatType, IntegerType
from dfad.ir.verify import verify
from dfad.ir.walk import all_arrays
from dfad.optimise.tidy import tidy
from dfad.pipeline.budget import choice_of, joined, pair_within, sizes_of, within
from dfad.pipeline.clock import Clock
from dfad.plan.again import compute_again
from dfad.plan.choice import Choice
from dfad.plan.classes import with_tape
from dfad.plan.parts import Pair, only, split, with_value_set_aside
from dfad.plan.reasons import Reason
from dfad.plan.record import record_with_reasons
from dfad.run.caller import Request
from dfad.run.describe import Named, Wrapper, returned, written_arguments
from dfad.run.recipe import ROOM, Origin


@dataclass(frozen=True)
class Part:
    """A Program ready to be emitted, and how it is called."""

    program: Program
    wrapper: Wrapper


@dataclass(frozen=True)
class Derived:
    """What a transform made of a primal; `adjoint` is None for the primal itself, which records nothing and has no `reasons`."""

    primal: Program
    adjoint: Program | None
    parts: tuple[Part, ...]
    reasons: tuple[Reason, ...] = ()

    @property
    def kept(self) -> set[str]:
        """The arrays that hold bytes from the forward to the reverse sweep."""
        arrays = [array for part in self.parts for array in all_arrays(part.program).values()]
        between = {name for part in self.parts for name, role in part.wrapper.kept.items() if role is Role.TAPE}
        return between | {array.name for array in arrays if array.role is Role.TAPE}


def derive(lowered: Lowered, primal: Program, request: Request, clock: Clock) -> Derived:
    """The Programs of a transform.

    Raises
    ------
    KernelTypeError
        When the kernel has no result, or none of the kind, that the transform needs.
    BudgetTooSmall
        When no plan fits the memory budget.
    """
    if request.transform.kind != "primal":
        refuse_unplanned(request)
    match request.transform.kind:
        case "primal":
            with clock.time("optimise"):
                program = joined(primal)
            return Derived(primal, None, (Part(program, _wrapper(lowered, request, returned(primal))),))
        case "vjp":
            return _pair(lowered, primal, request, clock)
        case _:
            return _gradient(lowered, primal, request, clock)


def refuse_unplanned(request: Request) -> None:
    """Refuse the options that only a plan for time loops can honour; raises `DfadError`."""
    chosen = [f"{name}={value!r}" for name, value in _loop_options(request) if value is not None]
    if chosen:
        place = request.source.locate(request.source.tree).place()
        place["hint"] = "leave it out; dfad.grad(..., memory=...) plans straight-line code"
        raise DfadError(f"{chosen[0]} belongs to the plan of a time loop, which does not exist yet", **place)


def _loop_options(request: Request) -> tuple[tuple[str, str | None], ...]:
    options = request.options
    return ("tape_dtype", options.tape_dtype), ("snapshots", None if options.snapshots == "memory" else options.snapshots)


def planner_of(lowered: Lowered, primal: Program, request: Request) -> Choice:
    """The planner of a gradient for the sizes of a request."""
    _, planned, _ = _planned(primal, request, Clock())
    return choice_of(planned, lowered, request)


def _planned(primal: Program, request: Request, clock: Clock) -> tuple[Program, Program, tuple[Reason, ...]]:
    """The adjoint of the one float result, the gradient Program that keeps what it needs, and why it keeps that."""
    value = _scalar_result(primal, request)
    with clock.time("adjoint"):
        adjoint = differentiate(primal, Derivative(request.transform.wrt, (value,), unit_seed=True))
    with clock.time("plan"):
        planned, reasons = record_with_reasons(adjoint)
        verify(planned)
        gradients = adjoint.results[len(primal.results) :]
        wanted = gradients
        if request.transform.kind == "value_and_grad":
            planned, value = with_value_set_aside(planned, value)
            wanted = (value, *gradients)
        return adjoint, verify(with_tape(only(planned, wanted))), reasons


def _gradient(lowered: Lowered, primal: Program, request: Request, clock: Clock) -> Derived:
    adjoint, planned, reasons = _planned(primal, request, clock)
    if request.options.budget is None:
        with clock.time("optimise"):
            program = joined(planned)
    else:
        with clock.time("plan"):
            program = verify(within(choice_of(planned, lowered, request), request))
    gradients = adjoint.results[len(primal.results) :]
    gradient: Named = gradients[0] if request.transform.is_single else gradients
    returns = (program.results[0], gradient) if request.transform.kind == "value_and_grad" else gradient
    planned_for = None if request.options.budget is None else tuple(sizes_of(program, lowered, request).values())
    wrapper = _wrapper(lowered, request, returns)
    wrapper = replace(wrapper, gradients=frozenset(gradients), sizes=planned_for, updated=written_arguments(primal))
    return Derived(primal, adjoint, (Part(program, wrapper),), reasons)


def _pair(lowered: Lowered, primal: Program, request: Request, clock: Clock) -> Derived:
    transform, of = request.transform, _differentiated(primal, request)
    with clock.time("adjoint"):
        adjoint = differentiate(primal, Derivative(transform.wrt, of))
    with clock.time("plan"):
        planned, reasons = record_with_reasons(adjoint)
        verify(planned)
        if request.options.budget is None:
            planned = verify(compute_again(verify(tidy(planned))))
        pair = pair_within(planned, lambda program: split(program, of, transform.wrt), lowered, request)
        forward, reverse = pair.forward, pair.reverse
    made = {name for name, array in all_arrays(planned).items() if array.rank and array.role in (Role.LOCAL, Role.TAPE)}
    kept = {name: Role.TAPE if name in made else Role.COPY for name in pair.kept}
    planned_for = None if request.options.budget is None else tuple(sizes_of(forward, lowered, request).values())
    first = _wrapper(lowered, request, (*pair.outputs, *pair.kept))
    first = replace(first, updated=written_arguments(primal), sizes=planned_for)
    inputs, origins = _reverse_inputs(pair, first, forward)
    gradients = reverse.results
    second = Wrapper(inputs, (), gradients[0] if transform.is_single else gradients, frozenset(gradients), kept, origins)
    return Derived(primal, adjoint, (Part(forward, replace(first, kept=kept)), Part(reverse, second)), reasons)


def _reverse_inputs(pair: Pair, first: Wrapper, forward: Program) -> tuple[tuple[tuple[str, ArgumentType], ...], tuple[Origin, ...]]:
    """What the reverse sweep takes, and where each input comes from."""
    position = {name: number for number, (name, _) in enumerate(first.inputs)}
    found: list[tuple[str, ArgumentType, Origin]] = []
    for array in pair.reverse.parameters:
        kind = _kind(array)
        if array.name in pair.kept:
            found.append((array.name, kind, Origin("kept", pair.kept.index(array.name))))
        elif array.name in pair.seeds:
            found.append((array.name, kind, Origin("seed", pair.seeds.index(array.name))))
        elif array.role is Role.ARGUMENT:
            found.append((array.name, kind, Origin("value", position[array.name])))
    for bound in forward.symbols:
        match bound:
            case ShapeSymbol(symbol, array_name, dimension):
                found.append((symbol.name, IntegerType(), Origin("extent", position[array_name], dimension)))
            case IntegerSymbol(symbol, parameter):
                found.append((symbol.name, IntegerType(), Origin("value", position[parameter])))
    return tuple((name, kind) for name, kind, _ in found), tuple(origin for *_, origin in found)


def _kind(array: Array) -> ArrayType | FloatType:
    """The type of an input of the reverse sweep; what grew comes as a vector."""
    if array.grows:
        return ArrayType(array.dtype, (False,))
    return ArrayType(array.dtype, tuple(extent == 1 for extent in array.shape)) if array.shape else FloatType()


def _differentiated(primal: Program, request: Request) -> tuple[str, ...]:
    """What a vjp is of: the arguments that were named, else the results, else every argument that is updated in place."""
    written = written_arguments(primal)
    updated = tuple(a.name for a in primal.parameters if a.role is Role.ARGUMENT and a.name in written and a.dtype.is_float)
    arrays = {array.name: array for array in primal.parameters}
    floats = tuple(name for name in primal.results if arrays[name].dtype.is_float)
    of = request.transform.of or floats or primal.results or updated
    wrong = [name for name in of if name not in arrays or not arrays[name].dtype.is_float]
    if of and not wrong and len(of) == len(set(of)):
        return of
    place = request.source.locate(request.source.tree).place()
    place["hint"] = f"of= names arguments that {request.source.name} updates in place: {', '.join(updated) or 'it updates none'}"
    if wrong:
        what = f"{', '.join(wrong)} is no floating-point output"
    else:
        what = "of names an output twice" if of else "there is no result and no argument that is updated in place"
    raise KernelTypeError(f"{request.source.name}: {what}", **place)


def _wrapper(lowered: Lowered, request: Request, returns: Named) -> Wrapper:
    hidden = tuple(
        (ROOM, one.name) if one.is_room else request.names.locate(one.variable, one.source, one.get()) for one in lowered.hidden
    )
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
