"""Where a recorded value lies: a box over the loops around the write, its bounds exact in the symbols of the call.

The instances of a write that record are a set. The constraints of its hull that bound one index each are the guard of the Record and of the
Restore; the smallest and largest value of each index under them give the box.
Two loops that are a triangle share one dimension (triangles.py); a loop whose index those of the others tell, as of the strips that a
loop was cut into, has none.

A loop whose trips cannot be counted at entry of the call has no place in a box. The tape then grows: its rows are the trips of the
innermost such loop, the *carrier*, over all its executions, and the box is over the loops inside it. Where the subset itself has an extent
that is not known at entry the tape grows by the elements of each write.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import islpy as isl
import sympy

from dfad.analysis.sets import Space, single_piece
from dfad.analysis.statements import Statement
from dfad.ir.algebra import both
from dfad.ir.dtype import BOOL
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Apply, Expression, Integer, Loop, Repetition, While
from dfad.plan.triangles import Dimension, triangle_of


@dataclass(frozen=True, slots=True)
class Box:
    """The slots of one write.

    Attributes
    ----------
    shape : tuple of sympy.Expr
        One extent for each loop inside the carrier, or each triangle of two, then one for each range that it writes. Below 0 counts as 0.
    index : tuple of sympy.Expr
        The slot of an instance, for these loops only.
    guard : Expression or None
        Which instances record; None for all.
    carrier : Loop or While, or None
        The loop whose trips are the rows.
    outer : Expression or None
        The part of the guard that is decided where the rows are counted: before the carrier, or in each trip of a While.
    is_flat : bool
        The extents of what is written differ from write to write: nothing but the guard is told here.
    """

    shape: tuple[sympy.Expr, ...]
    index: tuple[sympy.Expr, ...]
    guard: Expression | None
    carrier: Repetition | None = None
    outer: Expression | None = None
    is_flat: bool = False


@dataclass(frozen=True, slots=True)
class _Limit:
    """A constraint on one index, or on none, and the condition that it is."""

    constraint: isl.Constraint
    condition: Expression
    indices: frozenset[sympy.Symbol]


def box_of(statement: Statement, write: Memlet, instances: isl.Set | None, domain: isl.Set, space: Space) -> Box:
    """The box of the instances that record; ``None`` for all of the domain."""
    limits: list[_Limit] = []
    if instances is not None:
        limits = _limits(isl.Set.from_basic_set(instances.simple_hull()).gist(domain), statement, space)
    recorded = reduce(lambda found, limit: found.add_constraint(limit.constraint), limits, domain)
    guard = _all_of(limits)
    inner = [_largest(part.extent, recorded, space, statement) for part in write.ranges]
    ranges = tuple(extent for extent in inner if extent is not None)
    if len(ranges) < len(inner):
        return Box((), (), guard, is_flat=True)
    bounds = [_bounds(position, loop, recorded, space, statement) for position, loop in enumerate(statement.loops)]
    known = bounds[len(bounds) - _count_known(bounds) :]
    index, extents = _dimensions(statement.loops[len(bounds) - len(known) :], [bound for bound in known if bound], recorded, space)
    if len(known) == len(bounds):
        return Box((*extents, *ranges), index, guard)
    around = statement.loops[: len(bounds) - len(known)]
    outside = {loop.index for loop in _decided(around)}
    outer = _all_of(limit for limit in limits if limit.indices <= outside)
    return Box((*extents, *ranges), index, guard, around[-1], outer)


def _dimensions(
    loops: Sequence[Repetition], bounds: Sequence[Dimension], recorded: isl.Set, space: Space
) -> tuple[tuple[sympy.Expr, ...], tuple[sympy.Expr, ...]]:
    """The slot along each dimension, and its extent: one for each loop, or for two adjacent loops that are a triangle."""
    offset = recorded.dim(isl.dim_type.set) - len(loops)
    found: list[Dimension] = []
    position = 0
    told: list[int] = []
    while position < len(loops):
        if _is_told(recorded, offset + position, told):
            told.append(offset + position)
            position += 1
            continue
        inner = loops[position + 1] if position + 1 < len(loops) else None
        triangle = None if inner is None else triangle_of(loops[position], inner, offset + position, recorded, space)
        found.append(bounds[position] if triangle is None else triangle)
        position += 1 if triangle is None else 2
    return tuple(slot for slot, _ in found), tuple(extent for _, extent in found)


def _is_told(recorded: isl.Set, position: int, told: Sequence[int]) -> bool:
    """Whether the other indices, without those that are told already, have one value of this one at most."""
    left = recorded.reset_tuple_id()
    for other in reversed(told):
        left = left.project_out(isl.dim_type.set, other, 1)
    here, count = position - len(told), left.dim(isl.dim_type.set)
    values = isl.Map.from_range(left).move_dims(isl.dim_type.in_, 0, isl.dim_type.out, here + 1, count - here - 1)
    return bool(values.move_dims(isl.dim_type.in_, 0, isl.dim_type.out, 0, here).is_single_valued())


def _count_known(bounds: list[tuple[sympy.Expr, sympy.Expr] | None]) -> int:
    """How many of the innermost loops have bounds."""
    return next((count for count, bound in enumerate(reversed(bounds)) if bound is None), len(bounds))


def _decided(around: tuple[Repetition, ...]) -> tuple[Repetition, ...]:
    """The loops whose indices are known where the rows of the last of them are counted: before it begins, of a While in each trip."""
    return around if isinstance(around[-1], While) else around[:-1]


def _all_of(limits: Iterable[_Limit]) -> Expression | None:
    conditions = [limit.condition for limit in limits]
    return reduce(both, conditions) if conditions else None


def _largest(extent: sympy.Expr, recorded: isl.Set, space: Space, statement: Statement) -> sympy.Expr | None:
    """The largest value of an extent, which may depend on the loops around; None when it is not known at entry of the call."""
    if not extent.free_symbols & {loop.index for loop in statement.loops} and space.is_fixed(extent):
        return extent
    text = space.text(extent)
    if text is None:
        return None
    indices = ", ".join(f"{loop.index.name}_" for loop in statement.loops)
    values = isl.Map(f"{space.header()}{{ S[{indices}] -> [{text}] }}").intersect_domain(recorded).range()
    try:
        high = single_piece(values.coalesce().dim_max(0))
    except isl.Error:
        return None
    return None if high is None else space.expression(high, ())


def _limits(difference: isl.Set, statement: Statement, space: Space) -> list[_Limit]:
    """The constraints that bound one index each, with their conditions: those that make the box smaller at the price of one comparison.

    The others only cut corners off the box; without them a few more instances record, which is as right. So it is without those that isl
    cannot tell, about remainders that it has found itself.
    """
    parts = difference.remove_unknown_divs().get_basic_sets()
    if len(parts) != 1:
        return []
    inputs = tuple(loop.index for loop in statement.loops)
    zero = Integer(sympy.Integer(0))
    found: list[_Limit] = []
    for constraint in parts[0].get_constraints():
        value = None if constraint.is_div_constraint() else space.expression(constraint.get_aff(), inputs)
        indices = frozenset() if value is None else value.free_symbols & set(inputs)
        if value is not None and len(indices) <= 1:
            sign = "eq" if constraint.is_equality() else "ge"
            found.append(_Limit(constraint, Apply(sign, (Integer(value), zero), BOOL), frozenset(indices)))
    return found


def _bounds(position: int, loop: Repetition, recorded: isl.Set, space: Space, statement: Statement) -> Dimension | None:
    """The slot of the loop's index along its dimension, and the extent of that dimension; None when it is not known at entry."""
    if isinstance(loop, While):
        return None
    outer = {other.index for other in statement.loops}
    if abs(loop.step) > 1:
        if not _is_known(loop, outer, space):
            return None
        sign = 1 if loop.step > 0 else -1
        trips = sympy.floor((loop.stop - loop.start - sign) / sympy.Integer(loop.step)) + 1
        return sympy.floor((loop.index - loop.start) / sympy.Integer(loop.step)), trips
    alone = _project(recorded, position)
    try:
        low, high = single_piece(alone.dim_min(0)), single_piece(alone.dim_max(0))
    except isl.Error:
        low = high = None
    least = None if low is None else space.expression(low, ())
    most = None if high is None else space.expression(high, ())
    if least is None or most is None:
        if not _is_known(loop, outer, space):
            return None
        least, most = (loop.start, loop.stop - 1) if loop.step > 0 else (loop.stop + 1, loop.start)
    return loop.index - least, most - least + 1


def _is_known(loop: Loop, outer: set[sympy.Symbol], space: Space) -> bool:
    """Whether the bounds of the loop are the same in every instance."""
    return not (loop.start.free_symbols | loop.stop.free_symbols) & outer and space.is_fixed(loop.start) and space.is_fixed(loop.stop)


def _project(instances: isl.Set, keep: int) -> isl.Set:
    count = instances.dim(isl.dim_type.set)
    after = instances.project_out(isl.dim_type.set, keep + 1, count - keep - 1)
    return after.project_out(isl.dim_type.set, 0, keep).reset_tuple_id().coalesce()
