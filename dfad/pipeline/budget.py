"""What a memory budget needs besides the Program: the sizes of the call and the costs of this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dfad.errors import BudgetTooSmall
from dfad.frontend.lower import Lowered
from dfad.ir.nodes import IntegerSymbol, Program, ShapeSymbol
from dfad.ir.verify import verify
from dfad.optimise.after import optimise_after
from dfad.plan.costs import Costs
from dfad.plan.footprint import footprint, known_sizes
from dfad.plan.footprint import size_of as size_of_array
from dfad.plan.parts import Pair
from dfad.plan.planner import PRACTICAL, Planner, too_small
from dfad.run.calibrate import measured
from dfad.run.call import size_of
from dfad.run.caller import Request
from dfad.run.describe import written_arguments


def planner_for(program: Program, lowered: Lowered, request: Request) -> Planner:
    """The planner of a PLANNED Program for the sizes of a request; it counts what the rewrites after it would allocate."""
    return Planner(verify(optimise_after(program)), sizes_of(program, lowered, request), machine_costs())


def pair_within(program: Program, make: Callable[[Program], Pair], lowered: Lowered, request: Request) -> Pair:
    """The fastest pair of halves that `make` gives of a plan of the Program and that stays within the budget, both sweeps and what lives
    between them.

    The plans are those of one function: how many bytes two functions hold is counted from the halves themselves.
    """
    budget, pair = request.options.budget, make(program)
    if budget is None:
        return pair
    sizes = sizes_of(program, lowered, request)
    planner = Planner(program, sizes, machine_costs())
    held = [(pair_peak(pair, sizes), planner.problem.seconds)]
    if held[0][0] <= budget:
        return pair
    for plan in planner.tradeoff()[1:]:
        pair = make(verify(planner.program(plan.peak)))
        held.append((pair_peak(pair, sizes), plan.seconds))
        if held[-1][0] <= budget:
            return pair
    least = min(peak for peak, _ in held)
    practical = min(peak for peak, seconds in held if seconds <= PRACTICAL * held[0][1])
    raise _told(too_small(budget, least, practical, held[0][0]), request)


def pair_peak(pair: Pair, sizes: Mapping[str, int]) -> int:
    """The most bytes that the two halves hold: the forward sweep, or the reverse sweep with what is kept for it and copied."""
    forward, reverse = optimise_after(pair.forward), optimise_after(pair.reverse)
    written, arrays = written_arguments(reverse), {array.name: array for array in reverse.parameters}
    kept = sum(size_of_array(arrays[name], sizes) * (2 if name in written else 1) for name in pair.kept)
    seeds = sum(size_of_array(arrays[name], sizes) for name in pair.seeds if arrays[name].rank)
    ahead, back = (max(footprint(half, known_sizes(half, sizes))[0], default=0) for half in (forward, reverse))
    return max(ahead, kept + seeds + back)


def machine_costs() -> Costs:
    """The costs of this machine; the usual ones where they cannot be measured."""
    found = measured()
    return Costs() if found is None else Costs(**vars(found))


def within(planner: Planner, request: Request) -> Program:
    """The Program that follows the fastest plan within the budget; an error that there is none tells the kernel."""
    try:
        return planner.program(request.options.budget)
    except BudgetTooSmall as error:
        raise _told(error, request) from None


def _told(error: BudgetTooSmall, request: Request) -> BudgetTooSmall:
    """The error with the place of the kernel."""
    place = request.source.locate(request.source.tree).place()
    place["hint"] = error.hint
    return BudgetTooSmall(error.message, least=error.least, practical=error.practical, **place)


def sizes_of(program: Program, lowered: Lowered, request: Request) -> dict[str, int]:
    """The values of the Program's symbols, in their order."""
    extents = {**request.sizes, **{one.name: size_of(one.get()) for one in lowered.hidden}}
    found = {}
    for bound in program.symbols:
        match bound:
            case ShapeSymbol(symbol, array, dimension):
                found[symbol.name] = extents[array][dimension]
            case IntegerSymbol(symbol, parameter):
                found[symbol.name] = extents[parameter][0]
    return found
