"""Where a recorded value lies: a box over the loops around the write, its bounds exact in the symbols of the call.

The instances of a write that record are a set; its convex hull within the iteration domain gives the guard of the Record and of the
Restore, and the smallest and largest value of each index give the box. Where these have no plain expression all instances record.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import islpy as isl
import sympy

from dfad.analysis.instances import Statement
from dfad.analysis.sets import Space, constraint_expression, single_piece
from dfad.errors import UnsupportedSyntax
from dfad.ir.dtype import BOOL
from dfad.ir.memlet import Memlet, Range
from dfad.ir.nodes import Apply, Constant, Expression, Integer, Loop


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
        hull = isl.Set.from_basic_set(instances.simple_hull()).intersect(domain)
        found = _guard(hull.gist(domain), statement, space)
        if found is not None:
            recorded, guard = hull, found if not _is_always(found) else None
    bounds = [_bounds(position, loop, recorded, space, statement) for position, loop in enumerate(statement.loops)]
    index = tuple(slot for slot, _ in bounds)
    inner = tuple(part.extent for part in write.subset if isinstance(part, Range))
    return Box((*(extent for _, extent in bounds), *inner), index, guard)


def _is_always(guard: Expression) -> bool:
    return isinstance(guard, Constant)


def _guard(difference: isl.Set, statement: Statement, space: Space) -> Expression | None:
    """The constraints as one condition; None when there is no plain one."""
    parts = difference.get_basic_sets()
    if len(parts) != 1 or parts[0].dim(isl.dim_type.div) > 0:
        return None
    inputs = tuple(loop.index for loop in statement.loops)
    zero = Integer(sympy.Integer(0))
    conditions = [
        Apply("eq" if constraint.is_equality() else "ge", (Integer(constraint_expression(space, constraint, inputs)), zero), BOOL)
        for constraint in parts[0].get_constraints()
    ]
    if not conditions:
        return Constant(True, BOOL)
    return reduce(lambda a, b: Apply("and", (a, b), BOOL), conditions)


def _bounds(position: int, loop: Loop, recorded: isl.Set, space: Space, statement: Statement) -> tuple[sympy.Expr, sympy.Expr]:
    """The slot of the loop's index along its dimension, and the extent of that dimension."""
    outer = {other.index for other in statement.loops}
    if abs(loop.step) > 1:
        if not (loop.start.free_symbols | loop.stop.free_symbols) & outer:
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
        least, most = _loop_bounds(loop, outer, statement)
    return loop.index - least, most - least + 1


def _loop_bounds(loop: Loop, outer: set[sympy.Symbol], statement: Statement) -> tuple[sympy.Expr, sympy.Expr]:
    if (loop.start.free_symbols | loop.stop.free_symbols) & outer:
        raise _unknown(statement)
    return (loop.start, loop.stop - 1) if loop.step > 0 else (loop.stop + 1, loop.start)


def _project(instances: isl.Set, keep: int) -> isl.Set:
    count = instances.dim(isl.dim_type.set)
    after = instances.project_out(isl.dim_type.set, keep + 1, count - keep - 1)
    return after.project_out(isl.dim_type.set, 0, keep).reset_tuple_id().coalesce()


def _unknown(statement: Statement) -> UnsupportedSyntax:
    where = getattr(statement.node, "where", statement.loops[0].where)
    return UnsupportedSyntax(
        "a value written here must be recorded for the reverse sweep, in a loop whose number of trips is not known at the call",
        hint="give the loop bounds as integers or extents",
        **where.place(),
    )
