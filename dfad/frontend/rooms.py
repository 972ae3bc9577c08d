"""Rooms: arrays of variables that are declared outside the region that carries the variable, and may hold less than they have room for.

``for t in range(n): v = 0.5 * (v[1:] + v[:-1])`` binds v to a new array in each trip, a shorter one each time. So v is a selection that
resizes (selections.py): its own array has the extents that v had before the loop, or the greatest that are known there, and v means a
part of it from the first cell on. Where nothing proves that a value fits, as in ``u = np.append(u, v)``, the extents of its own array
are also arguments that no caller sees: a value that does not fit ends the attempt, and the call begins again with twice the room.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import sympy

from dfad.frontend.doubts import start_resizing
from dfad.frontend.elementwise import joined_type
from dfad.frontend.names import room_argument
from dfad.frontend.oneof import HOLES
from dfad.frontend.scope import Context, Home, Retry
from dfad.frontend.values import ZERO, Deferred, Lazy, OneOf, Shape, View, whole
from dfad.ir.dtype import BOOL
from dfad.ir.nodes import Apply, Array, Integer, Role


def shape_outside(context: Context, name: str, home: Home, shape: Shape) -> Shape:
    """The shape of a variable's array, which is declared outside the region that carries it; one that changes there begins a room."""
    extents = tuple(context.builder.natural(extent) for extent in shape)
    if changes_inside(context, home, extents):
        if not home.resizes:
            start_resizing(context, context.frame, name)
        refuse_shape(context, name)
    return extents


def refuse_shape(context: Context, name: str) -> NoReturn:
    """The variable's array cannot be declared before the region."""
    context.unsupported(f"the shape of {name} changes in a loop that carries it", hint="make an array of the final shape before the loop")


def changes_inside(context: Context, home: Home, shape: Shape) -> bool:
    """Whether an extent is known within the region only."""
    inner = context.builder.blocks[context.builder.blocks.index(home.block) + 1 :]
    return any(block.binds(extent) for block in inner for extent in shape)


def start_room(context: Context, home: Home, value: View | Lazy | Deferred) -> NoReturn:
    """Let lowering start again with an array of the variable's own that values of changing extents go into."""
    context.learned.rooms.setdefault(home.key, [])
    learn_room(context, home, value)
    raise Retry


def learn_room(context: Context, home: Home, value: View | Lazy | Deferred) -> None:
    """Note the type of a value that goes into the room, and its extents, 0 for those that are not known outside the region; the next
    attempt begins where that is news."""
    shapes = context.learned.rooms.setdefault(home.key, [])
    shape = tuple(ZERO if changes_inside(context, home, (extent,)) else context.builder.natural(extent) for extent in value.shape)
    known = context.learned.types.get(home.key)
    dtype, _ = (value.dtype, False) if known is None else joined_type(context, [known, (value.dtype, False)])
    is_new = shape not in shapes
    if is_new:
        shapes.append(shape)
    context.learned.types[home.key] = (dtype, False)
    if is_new or (home.own is not None and home.own.dtype != dtype):
        raise Retry


def open_room(context: Context, name: str, home: Home, value: View | OneOf | None) -> Array:
    """The room of a variable that means ``value`` before the region: its array where nobody else sees it and it is large enough."""
    shapes = [shape for shape in context.learned.rooms[home.key] if is_known_here(context, shape)]
    shapes += [] if value is None else [value.shape]
    if len({len(shape) for shape in shapes}) != 1:
        refuse_shape(context, name)
    largest = [[extent for extent in extents if extent != ZERO] or [ZERO] for extents in zip(*shapes, strict=True)]
    room = tuple(context.builder.natural(sympy.Max(*known, *_asked(context, name, axis))) for axis, known in enumerate(largest))
    dtype, _ = context.learned.types[home.key]
    if value is not None:
        dtype, _ = joined_type(context, [(dtype, False), (value.dtype, False)])
    if isinstance(value, View) and value.array.shape == room and value.dtype == dtype and is_its_own(context, name, value):
        return value.array
    return context.builder.declare(context.builder.name(name), dtype, room)


def _asked(context: Context, name: str, axis: int) -> Iterator[sympy.Symbol]:
    """The argument that says how large the variable's rooms are in that direction, if it may outgrow what is known."""
    if (f"{context.frame.path}{name}", axis) in context.learned.growing:
        yield room_argument(context, name, axis)


def is_its_own(context: Context, name: str, value: View) -> bool:
    """Whether the variable means a whole local array that no other variable in use means."""
    others = (holder for holder in context.holders(value.array.name) if holder != (context.frame, name))
    is_local = value.array.role == Role.LOCAL and value.array.name not in context.frame.lent
    return value.is_whole and is_local and not any(frame.is_live(other) for frame, other in others)


def part_of_room(context: Context, name: str, own: Array, value: View | Lazy | Deferred) -> View:
    """The part that a new value of the variable goes to, which has room for it."""
    room, extents = whole(own), tuple(context.builder.natural(extent) for extent in value.shape)
    if len(room.shape) != len(extents):
        refuse_shape(context, name)
    for axis, (extent, most) in enumerate(zip(extents, room.shape, strict=True)):
        if not _fits(context, extent, most):
            _require_room(context, name, axis, extent, most)
    return View(own, room.dimensions, extents)


def _fits(context: Context, extent: sympy.Expr, most: sympy.Expr) -> bool:
    """Whether it is proven that there is room for the extent; of maxima, part by part."""
    if isinstance(extent, sympy.Max):
        return all(_fits(context, part, most) for part in extent.args)
    larger = most.args if isinstance(most, sympy.Max) else ()
    return any(context.builder.proves(one - extent) for one in (most, *larger))


def _require_room(context: Context, name: str, axis: int, extent: sympy.Expr, most: sympy.Expr) -> None:
    """Let the call begin again where the extent is more than there is room for."""
    growing = (f"{context.frame.path}{name}", axis)
    if growing not in context.learned.growing:
        context.learned.growing.add(growing)
        raise Retry
    builder = context.builder
    fits = Apply("ge", (Integer(most), Integer(extent)), BOOL)
    builder.check(fits, "room", room_argument(context, name, axis).name, [Integer(extent)])
    builder.know(most - extent)


def is_known_here(context: Context, shape: Shape) -> bool:
    """Whether all that the extents name is bound where lowering stands, but for the holes of a selection."""
    names = frozenset[sympy.Expr]().union(*(extent.free_symbols for extent in shape)) - context.builder.entry - set(HOLES)
    return all(any(block.binds(name) for block in context.builder.blocks) for name in names)
