"""What a memory budget needs besides the Program: the sizes of the call and the costs of this machine."""

from __future__ import annotations

from dfad.errors import BudgetTooSmall
from dfad.frontend.lower import Lowered
from dfad.ir.nodes import IntegerSymbol, Program, ShapeSymbol
from dfad.ir.verify import verify
from dfad.optimise.after import optimise_after
from dfad.plan.costs import Costs
from dfad.plan.planner import Planner
from dfad.run.calibrate import measured
from dfad.run.call import size_of
from dfad.run.caller import Request


def planner_for(program: Program, lowered: Lowered, request: Request) -> Planner:
    """The planner of a PLANNED Program for the sizes of a request; it counts what the rewrites after it would allocate."""
    return Planner(verify(optimise_after(program)), sizes_of(program, lowered, request), machine_costs())


def machine_costs() -> Costs:
    """The costs of this machine; the usual ones where they cannot be measured."""
    found = measured()
    return Costs() if found is None else Costs(**vars(found))


def within(planner: Planner, request: Request) -> Program:
    """The Program that follows the fastest plan within the budget; an error that there is none tells the kernel."""
    try:
        return planner.program(request.options.budget)
    except BudgetTooSmall as error:
        place = request.source.locate(request.source.tree).place()
        place["hint"] = error.hint
        raise BudgetTooSmall(error.message, least=error.least, practical=error.practical, **place) from None


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
