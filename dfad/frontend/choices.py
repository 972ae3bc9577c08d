"""Index arrays: gathers and scatters, as NumPy's integer-array indexing.

The index arrays of one subscript are broadcast together; an integer beside them counts as one of them. Their axes replace those that
they index, where these stand side by side, else they come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TypeAlias

import sympy

from dfad.frontend.arrays import nest
from dfad.frontend.blocks import Checks
from dfad.frontend.elementwise import broadcast_shapes, element_at
from dfad.frontend.positions import resolve_index
from dfad.frontend.scope import Context
from dfad.frontend.values import ONE, Indices, Scalar, Shape, View


@dataclass(frozen=True, slots=True, eq=False)
class Pick:
    """An axis of that extent, indexed by an array of integers; ``is_settled``: all of them are known to be positions on the axis."""

    by: View
    extent: sympy.Expr
    is_settled: bool = False


@dataclass(frozen=True, slots=True)
class Gap:
    """An ellipsis that stands for no axis; it still stands between what is left and right of it."""


Axis: TypeAlias = sympy.Expr | tuple[sympy.Expr, sympy.Expr, sympy.Expr] | Pick | Gap | None
"""What becomes of an axis: fixed at an index; (start, stride, extent); chosen by an array; or a new axis (None)."""


def chosen_positions(context: Context, axes: Sequence[Axis]) -> tuple[Shape, Callable[[Indices], Indices]]:
    """The shape of what is chosen, and a function from its indices to those of the array; it emits the reads of the index arrays."""
    picks = [axis for axis in axes if isinstance(axis, Pick)]
    common = broadcast_shapes(context, [pick.by.shape for pick in picks])
    first = _place_of_choice(axes)
    before = [axis for axis in axes[:first] if _is_kept(axis)]
    after = [axis for axis in axes[first:] if _is_kept(axis)]
    shape = (*(_extent(axis) for axis in before), *common, *(_extent(axis) for axis in after))
    if context.builder.checks is not Checks.OUTSIDE:
        for pick in picks:
            if not pick.is_settled:
                _check_all(context, pick)

    def positions(indices: Indices) -> Indices:
        chosen = indices[len(before) : len(before) + len(common)]
        kept = iter((*indices[: len(before)], *indices[len(before) + len(common) :]))
        return tuple(place for axis in axes for place in _position(context, axis, kept, common, chosen))

    return shape, positions


def _check_all(context: Context, pick: Pick) -> None:
    """Check every index before the statement begins, as NumPy does."""
    with ExitStack() as loops:
        indices, _ = nest(context, pick.by.shape, loops)
        resolve_index(context, Scalar(pick.by.at(indices)), pick.extent)


def _position(context: Context, axis: Axis, kept: Iterator[sympy.Expr], common: Shape, chosen: Indices) -> Indices:
    match axis:
        case None:
            next(kept)
            return ()
        case Gap():
            return ()
        case Pick(by, extent, is_settled):
            index = element_at(by, common, chosen)
            return (_settled(context, index, extent) if is_settled else resolve_index(context, index, extent),)
        case (start, stride, _):
            return (start + stride * next(kept),)
        case _:
            return (axis,)


def _settled(context: Context, index: Scalar, extent: sympy.Expr) -> sympy.Expr:
    """An index that is known to be a position on the axis."""
    position = context.builder.pin_integer(index)
    context.builder.know(position)
    context.builder.know(extent - 1 - position)
    return position


def _is_kept(axis: Axis) -> bool:
    return axis is None or isinstance(axis, tuple)


def _extent(axis: Axis) -> sympy.Expr:
    return axis[2] if isinstance(axis, tuple) else ONE


def _place_of_choice(axes: Sequence[Axis]) -> int:
    """Where the axes of the choice come in: at the first index that is no slice; in front when slices stand between them."""
    chosen = [position for position, axis in enumerate(axes) if not _is_kept(axis) and not isinstance(axis, Gap)]
    return chosen[0] if chosen[-1] - chosen[0] == len(chosen) - 1 else 0
