"""Slots of triangles: two adjacent loops of which the inner one's range grows or shrinks with the outer index.

Let the outer index o run from a to b, the inner one i from low(o) on, over length(o) = length(a) + s*(o - a) values. Row after row
without gaps, with n = o - a,

    slot(o, i) = n*length(a) + s*n*(n - 1)/2 + i - low(o)          extent: the same sum over all rows, n = b - a + 1

where a box would hold up to twice as much. The rank is a polynomial in the outer index; along a row it is a unit step.
"""

from __future__ import annotations

import islpy as isl
import sympy

from dfad.analysis.sets import Space, single_piece
from dfad.ir.nodes import Loop, Repetition

Dimension = tuple[sympy.Expr, sympy.Expr]
"""The slot along a dimension of a tape, and its extent."""


def triangle_of(outer: Repetition, inner: Repetition, position: int, recorded: isl.Set, space: Space) -> Dimension | None:
    """The slot over two adjacent loops, and the extent of its dimension; None where they are no triangle with known ends.

    Parameters
    ----------
    outer, inner : Loop or While
        The loops.
    position : int
        That of the outer loop among the dimensions of ``recorded``.
    recorded : isl.Set
        The instances that record.
    """
    if not (_steps_by_one(outer) and _steps_by_one(inner)):
        return None
    pair = _only(recorded, position, 2)
    rows = _only(pair, 0, 1)
    if rows.n_basic_set() != 1 or rows.get_basic_sets()[0].dim(isl.dim_type.div):
        return None
    columns = isl.Map.from_range(pair).move_dims(isl.dim_type.in_, 0, isl.dim_type.out, 0, 1)
    first, last = _value(rows.dim_min(0), space, ()), _value(rows.dim_max(0), space, ())
    low, high = (_value(end, space, (outer.index,)) for end in (columns.dim_min(0), columns.dim_max(0)))
    if first is None or last is None or low is None or high is None:
        return None
    length = sympy.expand(high - low + 1)
    slope = length.coeff(outer.index)
    if slope == 0:
        return None
    shortest = length.xreplace({outer.index: first})

    def cells(count: sympy.Expr) -> sympy.Expr:
        return sympy.expand(count * shortest + slope * count * (count - 1) / 2)

    return cells(outer.index - first) + inner.index - low, cells(sympy.Max(0, last - first + 1))


def _steps_by_one(loop: Repetition) -> bool:
    return isinstance(loop, Loop) and abs(loop.step) == 1


def _only(instances: isl.Set, first: int, count: int) -> isl.Set:
    """The instances by some adjacent indices alone."""
    after = instances.project_out(isl.dim_type.set, first + count, instances.dim(isl.dim_type.set) - first - count)
    return after.project_out(isl.dim_type.set, 0, first).reset_tuple_id().coalesce()


def _value(end: isl.PwAff, space: Space, inputs: tuple[sympy.Symbol, ...]) -> sympy.Expr | None:
    piece = single_piece(end)
    return None if piece is None else space.expression(piece, inputs)
