"""What stands between brackets: one entry for each axis of the owner, lists as arrays of integers, the ellipsis spelled out.

A mask alone, or beside integers and slices where its axes come first in what NumPy gives (``A[mask, 0]``, ``A[0, mask]``), leaves the
elements where they are (masks.py). Any other mask stands for an array of positions for each of its axes, as ``np.nonzero`` gives them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias, TypeGuard

import sympy

from dfad.frontend.arrays import as_view
from dfad.frontend.choices import Axis, Gap, Pick
from dfad.frontend.elementwise import require_equal
from dfad.frontend.packing import places_of
from dfad.frontend.positions import resolve_index, resolve_slice
from dfad.frontend.scope import Context
from dfad.frontend.values import Deferred, Known, Lazy, Masked, Scalar, Shape, SliceOf, Tuple, Value, View, integer, kind_of
from dfad.frontend.written import array_of, axis_of, counted
from dfad.ir.dtype import BOOL

Mask: TypeAlias = View | Lazy
Item: TypeAlias = Value | Gap

FULL = SliceOf(None, None, None)


def spelled(context: Context, rank: int, items: Sequence[Value]) -> list[Item]:
    """The items, one for each axis of an owner of that rank but for masks and new axes; what is an array is a view, or lazy."""
    if len(items) == 1 and isinstance(items[0], Tuple) and not items[0].is_list:
        items = items[0].items
    found = [_as_array(context, item) for item in items]
    missing = rank - sum(_width(item) for item in found)
    if missing < 0:
        name = array_of(context) or "the array"
        for item in filter(is_mask, found):
            beside = " beside other indices" if len(found) > 1 else ""
            context.wrong_type(f"{name} has {counted(rank)}, too few for a mask of rank {len(item.shape)}{beside}")
        context.wrong_type(f"{name} has {counted(rank)}, and here are {rank - missing} indices")
    dots = [position for position, item in enumerate(found) if _is_known(item, ...)]
    if len(dots) > 1:
        context.wrong_type("an index can hold one ... only")
    if not dots:
        return [*found, *[FULL] * missing]
    between: list[Item] = [FULL] * missing if missing else [Gap()]
    return [*found[: dots[0]], *between, *found[dots[0] + 1 :]]


def _as_array(context: Context, item: Value) -> Value:
    match item:
        case Tuple(items=[*positions]) if positions and all(_is_integer(position) for position in positions):
            return item
        case Tuple() | Masked():
            return as_view(context, item)
        case Deferred() if item.shape:
            return as_view(context, item)
        case _:
            return item


def _is_integer(item: Item) -> TypeGuard[Scalar]:
    return isinstance(item, Scalar) and item.dtype.kind == "i"


def _width(item: Item) -> int:
    """How many axes of the owner it stands for; an ellipsis none for now."""
    if is_mask(item):
        return len(item.shape)
    return 0 if _is_known(item, None) or _is_known(item, ...) or isinstance(item, Gap) else 1


def _is_known(item: Item, known: object) -> bool:
    return isinstance(item, Known) and item.value is known


def is_mask(item: Item) -> TypeGuard[Mask]:
    """Whether it is a boolean array."""
    return isinstance(item, View | Lazy) and bool(item.shape) and item.dtype == BOOL


def leading_mask(items: Sequence[Item]) -> int | None:
    """The place of the one mask, where no index array stands beside it and its axes come first in what NumPy gives."""
    masks = [place for place, item in enumerate(items) if is_mask(item)]
    if len(masks) != 1 or any(_is_array(item) for item in items if not is_mask(item)):
        return None
    advanced = [place for place, item in enumerate(items) if is_mask(item) or _is_integer(item) or _is_number_cell(item)]
    is_split = advanced[-1] - advanced[0] >= len(advanced)
    return masks[0] if is_split or all(isinstance(item, Gap) for item in items[: advanced[0]]) else None


def _is_array(item: Item) -> bool:
    return isinstance(item, Tuple) or (isinstance(item, View | Lazy) and bool(item.shape))


def _is_number_cell(item: Item) -> bool:
    return isinstance(item, View | Lazy | Deferred) and not item.shape


def axes_of_items(context: Context, shape: Shape, items: Sequence[Item]) -> list[Axis]:
    """What the (spelled) items make of each axis of the owner."""
    found, position = list[Axis](), 0
    for item in items:
        if isinstance(item, Gap):
            found.append(item)
        elif _is_known(item, None):
            found.append(None)
        elif is_mask(item):
            found.extend(_picked_by_mask(context, item, shape[position : position + len(item.shape)]))
        else:
            found.append(_axis(context, item, position, shape[position]))
        position += _width(item)
    return found


def _picked_by_mask(context: Context, mask: Mask, shape: Shape) -> Iterator[Pick]:
    for own, other in zip(shape, mask.shape, strict=True):
        require_equal(context, own, other)
    for places, extent in zip(places_of(context, mask), shape, strict=True):
        yield Pick(places, extent, is_settled=True)


def _axis(context: Context, item: Value, axis: int, extent: sympy.Expr) -> Axis:
    match item:
        case Scalar() if item.dtype.kind == "i":
            return resolve_index(context, item, extent, axis_of(context, axis))
        case SliceOf():
            return resolve_slice(context, item, extent)
        case Tuple(items):
            places = (resolve_index(context, place, extent, axis_of(context, axis)) for place in items if isinstance(place, Scalar))
            return Pick(as_view(context, Tuple(tuple(integer(place) for place in places))), extent, is_settled=True)
        case View() | Lazy() if item.shape and item.dtype.kind == "i":
            return Pick(as_view(context, item), extent)
        case View() | Lazy() | Deferred() if not item.shape and item.dtype.kind == "i":
            return resolve_index(context, Scalar(as_view(context, item).at(())), extent, axis_of(context, axis))
        case _:
            context.wrong_type(
                f"an index is an integer or a slice, not {kind_of(item)}", hint="use // for an integer quotient, int() to truncate"
            )
