"""Where a recorded value lies: a box over the loops around the write, its bounds exact in the symbols of the call.

The instances of a write that record are a set. The constraints of its hull that bound one index each are the guard of the Record and of the
Restore; the smallest and largest value of each index under them give the box.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import islpy as isl
import sympy

from dfad.analysis.sets import Space, single_piece
from dfad.analysis.statements import Statement
from dfad.errors import Place, UnsupportedSyntax
from dfad.ir.dtype import BOOL
from dfad.ir.memlet import Memlet, Range
from dfad.ir.nodes import Apply, Expression, Integer, Loop, Repetition, While


@dataclass(frozen=True, slots=True)
class Box:
    """The slots of one write.

    Attributes
    ----------
    shape : tuple of sympy.Expr
        One extent for each loop around the write, then one for each range that it writes. An extent below 0 counts as 0.
    index : tuple of sympy.Expr
        The slot of an instance, for the loops only.
    guard : Expression or None
        Which instances record; None for all.
    """

    shape: tuple[sympy.Expr, ...]
    index: tuple[sympy.Expr, ...]
    guard: Expression | None


def box_of(statement: Statement, write: Memlet, instances: isl.Set | None, domain: isl.Set, space: Space) -> Box:
    """The box of the instances that record; ``None`` for all of the domain.

    Raises
    ------
    UnsupportedSyntax
        When the number of trips of a loop around the write is not known at entry of the call.
    """
    guard: Expression | None = None
    recorded = domain
    if instances is not None:
        limits = _limits(isl.Set.from_basic_set(instances.simple_hull()).gist(domain), statement, space)
        recorded = reduce(lambda found, limit: found.add_constraint(limit), [limit for limit, _ in limits], domain)
        conditions = [condition for _, condition in limits]
        guard = reduce(lambda a, b: Apply("and", (a, b), BOOL), conditions) if conditions else None
    bounds = [_bounds(position, loop, recorded, space, statement) for position, loop in enumerate(statement.loops)]
    index = tuple(slot for slot, _ in bounds)
    inner = tuple(_largest(part.extent, recorded, space, statement) for part in write.subset if isinstance(part, Range))
    return Box((*(extent for _, extent in bounds), *inner), index, guard)


def _largest(extent: sympy.Expr, recorded: isl.Set, space: Space, statement: Statement) -> sympy.Expr:
    """The largest value of an extent, which may depend on the loops around."""
    if not extent.free_symbols & {loop.index for loop in statement.loops} and space.is_fixed(extent):
        return extent
    text = space.text(extent)
    if text is None:
        raise _unknown(statement)
    indices = ", ".join(f"{loop.index.name}_" for loop in statement.loops)
    values = isl.Map(f"{space.header()}{{ S[{indices}] -> [{text}] }}").intersect_domain(recorded).range()
    try:
        high = single_piece(values.coalesce().dim_max(0))
    except isl.Error:
        high = None
    most = None if high is None else space.expression(high, ())
    if most is None:
        raise _unknown(statement)
    return most


def _limits(difference: isl.Set, statement: Statement, space: Space) -> list[tuple[isl.Constraint, Expression]]:
    """The constraints that bound one index each, with their conditions: those that make the box smaller at the price of one comparison.

    The others only cut corners off the box; without them a few more instances record, which is as right.
    """
    parts = difference.get_basic_sets()
    if len(parts) != 1:
        return []
    inputs = tuple(loop.index for loop in statement.loops)
    zero = Integer(sympy.Integer(0))
    found: list[tuple[isl.Constraint, Expression]] = []
    for constraint in parts[0].get_constraints():
        value = None if constraint.is_div_constraint() else space.expression(constraint.get_aff(), inputs)
        if value is not None and len(value.free_symbols & set(inputs)) <= 1:
            sign = "eq" if constraint.is_equality() else "ge"
            found.append((constraint, Apply(sign, (Integer(value), zero), BOOL)))
    return found


def _bounds(position: int, loop: Repetition, recorded: isl.Set, space: Space, statement: Statement) -> tuple[sympy.Expr, sympy.Expr]:
    """The slot of the loop's index along its dimension, and the extent of that dimension."""
    if isinstance(loop, While):
        raise _unknown(statement)
    outer = {other.index for other in statement.loops}
    if abs(loop.step) > 1:
        if _is_known(loop, outer, space):
            sign = 1 if loop.step > 0 else -1
            trips = sympy.floor((loop.stop - loop.start - sign) / sympy.Integer(loop.step)) + 1
            return sympy.floor((loop.index - loop.start) / sympy.Integer(loop.step)), trips
        raise _unknown(statement)
    alone = _project(recorded, position)
    try:
        low, high = single_piece(alone.dim_min(0)), single_piece(alone.dim_max(0))
    except isl.Error:
        low = high = None
    least = None if low is None else space.expression(low, ())
    most = None if high is None else space.expression(high, ())
    if least is None or most is None:
        if not _is_known(loop, outer, space):
            raise _unknown(statement)
        least, most = (loop.start, loop.stop - 1) if loop.step > 0 else (loop.stop + 1, loop.start)
    return loop.index - least, most - least + 1


def _is_known(loop: Loop, outer: set[sympy.Symbol], space: Space) -> bool:
    """Whether the bounds of the loop are the same in every instance."""
    return not (loop.start.free_symbols | loop.stop.free_symbols) & outer and space.is_fixed(loop.start) and space.is_fixed(loop.stop)


def _project(instances: isl.Set, keep: int) -> isl.Set:
    count = instances.dim(isl.dim_type.set)
    after = instances.project_out(isl.dim_type.set, keep + 1, count - keep - 1)
    return after.project_out(isl.dim_type.set, 0, keep).reset_tuple_id().coalesce()


def _unknown(statement: Statement) -> UnsupportedSyntax:
    where = getattr(statement.node, "where", statement.loops[0].where)
    return UnsupportedSyntax(
        "a value written here must be recorded for the reverse sweep, in a loop whose number of trips is not known at the call",
        **where.place() | Place(hint="give the loop bounds as integers or extents"),
    )
