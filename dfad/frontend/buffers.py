"""Buffers: where a variable that is bound anew puts its value when several names may still mean what it meant before.

    z = x                                   trip by trip, x and y are exchanged, and z means either, or an array that
    for t in range(n):                      y has left: the new array goes into a buffer of y's that neither x nor z means
        y = y * 2.0
        x, y = y, x
        if t % 2 == 0: z = x

One other name could take the content of y's array along into an array of its own (`release` in selections.py). Of two, each would get a
copy, and a write through one of them would not reach the other. So nothing moves: with as many further buffers as there are other names,
one of them is free, which one only the running kernel knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import NoReturn

from dfad.frontend.arithmetic import apply
from dfad.frontend.oneof import is_at
from dfad.frontend.scope import Context, Frame, Home, Retry
from dfad.frontend.values import Known, OneOf, Scalar, Selection, Together, Tuple, Value, View, arrays_of, element, number
from dfad.ir.nodes import Array


def start_buffers(context: Context, frame: Frame, name: str, others: int) -> NoReturn:
    """Let lowering start again with further buffers of the variable's, one for each of the others that may mean one."""
    asked = f"{frame.path}{name}"
    if context.learned.buffers.get(asked, 0) >= others:
        context.unsupported(
            f"several names may mean the array of {name} here, so binding {name} anew is ambiguous",
            hint="write .copy() where one of them gets its value",
        )
    context.learned.buffers[asked] = others
    context.learned.selected.add(asked)
    raise Retry


def open_buffers(context: Context, home: Home) -> None:
    """Declare the further buffers beside the variable's own array."""
    if home.own is not None:
        builder, own = context.builder, home.own
        names = [builder.name(builder.unused(own.name)) for _ in range(context.learned.buffers.get(home.variable, 0))]
        home.buffers = tuple(builder.declare(name, own.dtype, own.shape) for name in names)


def in_free_buffer(context: Context, name: str, home: Home, moving: frozenset[str], put: Callable[[Array], None]) -> None:
    """Do something with a buffer that no other variable means which is still read; ``moving``: some that are known to mean other arrays."""
    assert home.own is not None
    buffers = (home.own, *home.buffers)
    names = {buffer.name for buffer in buffers}
    others = [value for value in _others(context, name, moving) if arrays_of([value]) & names]
    if len(others) > len(home.buffers):
        start_buffers(context, context.frame, name, len(others))
    taken = [_is_taken(context, others, buffer) for buffer in buffers]
    free = [(buffer, guard) for buffer, guard in zip(buffers, taken, strict=True) if guard.constant is not True]
    _in_first(context, free, put)


def _in_first(context: Context, buffers: Sequence[tuple[Array, Scalar]], put: Callable[[Array], None]) -> None:
    """The first one that is not taken; of those that are left the last one is free."""
    (buffer, guard), *rest = buffers
    if guard.constant is False or not rest:
        put(buffer)
        return
    with context.builder.nested() as then:
        _in_first(context, rest, put)
    with context.builder.nested() as orelse:
        put(buffer)
    context.builder.branch(guard.expression, then, orelse)


def _others(context: Context, name: str, moving: frozenset[str]) -> Iterator[Value]:
    """What the other variables mean, item by item, that are still read."""
    for frame in context.frames:
        for other, value in frame.variables.items():
            if not (frame is context.frame and other in {name, *moving}) and frame.is_live(other):
                yield from _items(value)


def _items(value: Value) -> Iterator[Value]:
    match value:
        case Tuple(items) | Together(items):
            for item in items:
                yield from _items(item)
        case Known(value=known):
            for captured in getattr(known, "captured", {}).values():
                yield from _items(captured)
        case _:
            yield value


def _is_taken(context: Context, others: Sequence[Value], buffer: Array) -> Scalar:
    """Whether one of the others means the buffer now."""
    guards = [guard for other in others for guard in _meanings(context, other, buffer)]
    if any(guard.constant is True for guard in guards):
        return number(True)
    return reduce(lambda first, second: apply("or", first, second), guards) if guards else number(False)


def _meanings(context: Context, value: Value, buffer: Array) -> Iterator[Scalar]:
    """The conditions under which a value means the buffer."""
    match value:
        case View(array=array):
            if array.name == buffer.name:
                yield number(True)
        case OneOf(selector=selector, views=views):
            yield from (is_at(selector, place) for place, view in enumerate(views) if view.array.name == buffer.name)
        case Selection(selector=selector, views=views):
            now = context.builder.pin_integer(element(selector))
            yield from (is_at(now, place) for place, view in enumerate(views) if view.array.name == buffer.name)
        case _:
            return
