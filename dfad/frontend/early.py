"""Variables that a loop reads, in its text, before it assigns them: ``if k > 0: use(prev)`` and then ``prev = x.copy()``.

What such a variable is, only the assignment tells. So the first attempt leaves out each statement that needs it, and goes on to the
assignment; it emits nonsense, which nobody sees: at its end lowering starts again, and the home of the variable begins with the type and
shape that the assignment gave it. Where no assignment is found the variable is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dfad.errors import DfadError
from dfad.frontend.oneof import read_selection
from dfad.frontend.scope import Context, Home, Retry
from dfad.frontend.values import Selection, Shape, Value
from dfad.ir.dtype import Dtype


class NotYet(Exception):
    """The present statement reads a variable of unknown type; this attempt leaves it out."""


def of_trip_before(context: Context, name: str) -> Value:
    """What a variable that has no value on this path has from the trip before; this attempt may have to leave the statement out."""
    home = context.frame.homes.get(name)
    if home is not None and home.value is None and home.key not in context.learned.early:
        context.unknown.setdefault(home.key, None)
        raise NotYet
    if home is None or home.value is None or not _is_in_loop(context, home):
        context.wrong_type(f"{name} is read before it is assigned", hint=f"assign {name} on every path that leads here")
    return read_selection(context, home.value) if isinstance(home.value, Selection) else home.value


def _is_in_loop(context: Context, home: Home) -> bool:
    """Whether there are trips within the region that carries a variable."""
    blocks = context.builder.blocks
    return any(block.header is not None or block.counter is not None for block in blocks[blocks.index(home.block) + 1 :])


@contextmanager
def left_out(context: Context) -> Iterator[None]:
    """Lower a statement, or leave it out; once one is left out, so are those that this makes wrong."""
    frame, builder = context.frame, context.builder
    blocks, written, regions = len(builder.blocks), len(context.written), frame.regions
    try:
        yield
    except (NotYet, DfadError):
        if not context.unknown:
            raise
        del builder.blocks[blocks:], context.written[written:]
        frame.regions = regions


def note_type(context: Context, home: Home, dtype: Dtype, weak: bool, shape: Shape) -> None:
    """An assignment gave a home its type."""
    if home.key in context.unknown:
        context.learned.types[home.key] = (dtype, weak)
        context.unknown[home.key] = shape


def start_again(context: Context) -> None:
    """At the end of an attempt that left out statements: the next one knows what this one found."""
    if context.unknown:
        context.learned.early |= context.unknown
        raise Retry
