"""What a memory budget needs besides the Program: the sizes of the call and the costs of this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from typing import TypeVar

from dfad.emit.vector_math import slow_operations
from dfad.errors import BudgetTooSmall
from dfad.frontend.lower import Lowered
from dfad.ir.nodes import IntegerSymbol, Program, ShapeSymbol
from dfad.ir.verify import verify
from dfad.ir.walk import all_arrays
from dfad.optimise.after import optimise_after
from dfad.optimise.between import optimise_between
from dfad.optimise.fused import optimise_fused
from dfad.plan.choice import Choice, Joined
from dfad.plan.costs import Costs
from dfad.plan.footprint import footprint, known_sizes
from dfad.plan.footprint import size_of as size_of_array
from dfad.plan.parts import Pair
from dfad.plan.planner import PRACTICAL, Planner, too_small
from dfad.plan.postpone import postpone
from dfad.plan.report import Plan
from dfad.run.calibrate import measured
from dfad.run.call import size_of
from dfad.run.caller import Request
from dfad.run.describe import written_arguments

Answer = TypeVar("Answer")


def choice_of(planned: Program, lowered: Lowered, request: Request) -> Choice:
    """The plans of a PLANNED gradient Program for the sizes of a request: with its loops joined, which leaves nothing to decide; with them
    apart, with arrays for costly contributions of stencils; and without these."""
    programs = [ready(planned, spread) for spread in (True, False)]
    counts = [len(all_arrays(program)) for program in programs]
    sizes, costs = sizes_of(planned, lowered, request), machine_costs()
    apart = [Planner(program, sizes, costs) for program in (programs if counts[0] > counts[1] else programs[:1])]
    return Choice([Joined(joined(planned), sizes, costs, apart[0]), *apart])


def joined(program: Program) -> Program:
    """The Program with its loops joined, as it is emitted, but for the last rewrites."""
    return verify(optimise_after(verify(postpone(optimise_fused(program, slow_operations())))))


def ready(planned: Program, spread: bool = True) -> Program:
    """The PLANNED Program as it is emitted, but for the last rewrites: what it allocates is what a plan counts."""
    return verify(optimise_after(verify(postpone(optimise_between(planned, spread)))))


def pair_within(program: Program, make: Callable[[Program], Pair], lowered: Lowered, request: Request) -> Pair:
    """The fastest pair of halves that `make` gives of a plan of the Program and that stays within the budget, both sweeps and what lives
    between them.

    The halves are ready to be emitted; with everything kept their loops are joined. The plans are those of one function: how many bytes
    two functions hold is counted from the halves themselves.
    """
    budget, made = request.options.budget, make(program)
    pair = replace(made, forward=joined(made.forward), reverse=joined(made.reverse))
    if budget is None:
        return pair
    sizes = sizes_of(program, lowered, request)
    held = [(pair_peak(pair, sizes, request.copied), 1.0)]
    if held[0][0] <= budget:
        return pair
    planner = Planner(verify(postpone(program)), sizes, machine_costs())
    for plan, spread in product(planner.tradeoff(), (True, False)):
        pair = _ready(make(verify(planner.program(plan.peak))), spread)
        held.append((pair_peak(pair, sizes, request.copied), plan.seconds / planner.problem.seconds))
        if held[-1][0] <= budget:
            return pair
    least = min(peak for peak, _ in held)
    practical = min(peak for peak, seconds in held if seconds <= PRACTICAL)
    raise _told(too_small(budget, least, practical, held[0][0]), request)


def _ready(pair: Pair, spread: bool = True) -> Pair:
    return replace(pair, forward=ready(pair.forward), reverse=ready(pair.reverse, spread))


def pair_peak(pair: Pair, sizes: Mapping[str, int], copied: int = 0) -> int:
    """The most bytes that the two halves hold: the forward sweep with the arguments copied for it, or the reverse sweep with what is kept
    for it and copied."""
    written, arrays = written_arguments(pair.reverse), {array.name: array for array in pair.reverse.parameters}
    kept = sum(size_of_array(arrays[name], sizes) * (2 if name in written else 1) for name in pair.kept)
    seeds = sum(size_of_array(arrays[name], sizes) for name in pair.seeds if arrays[name].rank)
    ahead, back = (max(footprint(half, known_sizes(half, sizes))[0], default=0) for half in (pair.forward, pair.reverse))
    return max(ahead + copied, kept + seeds + back)


def machine_costs() -> Costs:
    """The costs of this machine; the usual ones where they cannot be measured."""
    found = measured()
    return Costs() if found is None else Costs(**vars(found))


def within(planner: Choice, request: Request) -> Program:
    """The Program that follows the fastest plan within the budget; an error that there is none tells the kernel."""
    return _beside_copies(planner, request, planner.program)


def plan_within(planner: Choice, request: Request) -> Plan:
    """The fastest plan within the budget, with the bytes that calls copy of arguments; raises as `within` does."""
    return charged(_beside_copies(planner, request, partial(planner.plan, with_least=True)), request)


def _beside_copies(planner: Choice, request: Request, ask: Callable[[int | None], Answer]) -> Answer:
    """What is answered for the budget less the bytes that calls copy of arguments."""
    budget = request.options.budget
    try:
        return ask(None if budget is None else budget - request.copied)
    except BudgetTooSmall:
        least, practical, widest = (count + request.copied for count in (planner.least, planner.practical, planner.planners[0].widest))
        raise _told(too_small(budget, least, practical, widest), request) from None


def charged(plan: Plan, request: Request) -> Plan:
    """The plan with the bytes that calls copy of arguments: they are held from the beginning to the end."""
    copied = request.copied
    if not copied:
        return plan
    least, practical, budget = (None if count is None else count + copied for count in (plan.least, plan.practical, plan.budget))
    held = {**plan.bytes, "copies": plan.bytes["copies"] + copied}
    return replace(plan, bytes=held, peak=plan.peak + copied, least=least, practical=practical, budget=budget)


def _told(error: BudgetTooSmall, request: Request) -> BudgetTooSmall:
    """The error with the place of the kernel."""
    place = request.source.locate(request.source.tree).place()
    place["hint"] = error.hint
    return BudgetTooSmall(error.message, least=error.least, practical=error.practical, **place)


def sizes_of(program: Program, lowered: Lowered, request: Request) -> dict[str, int]:
    """The values of the Program's symbols, in their order."""
    hidden = {one.name: request.rooms.get(one.name, 0) if one.is_room else one.get() for one in lowered.hidden}
    extents = {**request.sizes, **{name: size_of(value) for name, value in hidden.items()}}
    found = {}
    for bound in program.symbols:
        match bound:
            case ShapeSymbol(symbol, array, dimension):
                found[symbol.name] = extents[array][dimension]
            case IntegerSymbol(symbol, parameter):
                found[symbol.name] = extents[parameter][0]
    return found
