"""``np.pad``: an array with more elements on both sides of each axis.

The result is written part by part: the array in the middle, and round it what its elements, or a number, give.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import sympy

from dfad.frontend.arrays import as_view, store
from dfad.frontend.bounds import require
from dfad.frontend.builder import cast
from dfad.frontend.creation import extent_of
from dfad.frontend.elementwise import number_of, settle
from dfad.frontend.reductions import NOTHING
from dfad.frontend.scope import Context
from dfad.frontend.shapes import section
from dfad.frontend.values import Deferred, Known, Lazy, Scalar, Tuple, Value, View, integer, kind_of
from dfad.ir.nodes import Expression

CONSTANT = Known("constant")
Pair = tuple[sympy.Expr, sympy.Expr]
Source = Callable[[sympy.Expr], sympy.Expr]


def _reflected(place: sympy.Expr, extent: sympy.Expr) -> sympy.Expr:
    """The place in the array of one outside it, seen in mirrors at its first and last element."""
    period = sympy.Max(1, 2 * (extent - 1))
    found = sympy.Mod(place, period)
    return sympy.Min(found, period - found)


MODES: dict[str, Callable[[sympy.Expr, sympy.Expr], sympy.Expr]] = {
    "edge": lambda place, extent: sympy.Min(sympy.Max(place, 0), extent - 1),
    "wrap": lambda place, extent: sympy.Mod(place, extent),
    "reflect": _reflected,
}
"""Which element stands at a place outside."""


def pad(context: Context, array: Value, pad_width: Value, mode: Value = CONSTANT, *, constant_values: Value = NOTHING) -> Value:
    """``np.pad`` with a number, or with what the mode says of the array's own elements."""
    view = as_view(context, array)
    name = mode.value if isinstance(mode, Known) else None
    if name != "constant" and name not in MODES:
        context.unsupported(f'the modes of np.pad are "constant", "edge", "wrap" and "reflect", not {name!r}', hint="write the borders")
    widths = [(extent_of(context, before), extent_of(context, after)) for before, after in _pairs(context, pad_width, len(view.shape))]
    extents = [context.builder.natural(extent) for extent in view.shape]
    shape = tuple(before + extent + after for extent, (before, after) in zip(extents, widths, strict=True))
    if name == "constant":
        values = integer(0) if isinstance(constant_values, Known) else constant_values
        write = _framed(context, view, extents, widths, _pairs(context, values, len(extents)))
    else:
        if not isinstance(constant_values, Known):
            context.wrong_type(f"np.pad with mode={name!r} takes no constant_values")
        for extent in extents:
            require(context.builder, extent - 1, "index", "np.pad cannot extend an empty axis but by a constant", ())
        write = _extended(context, view, extents, widths, MODES[str(name)])
    return Deferred(shape, view.dtype, frozenset({view.array.name}), write)


def _pairs(context: Context, given: Value, rank: int) -> list[tuple[Value, Value]]:
    """One pair for each axis: of a number, of a pair, of a pair in brackets, of a pair for each."""
    match given:
        case Scalar():
            return [(given, given)] * rank
        case Tuple((Scalar() as both,)):
            return [(both, both)] * rank
        case Tuple((Scalar() as before, Scalar() as after)):
            return [(before, after)] * rank
        case Tuple((Tuple((before, after)),)):
            return [(before, after)] * rank
        case Tuple(items) if len(items) == rank and all(isinstance(item, Tuple) and len(item.items) == 2 for item in items):
            return [(item.items[0], item.items[1]) for item in items if isinstance(item, Tuple)]
        case _:
            context.wrong_type(f"a number, a pair, or a pair for each of {rank} axes is needed, not {kind_of(given)}")


def _framed(
    context: Context, view: View, extents: Sequence[sympy.Expr], widths: Sequence[Pair], values: Sequence[tuple[Value, Value]]
) -> Callable[[View, bool], None]:
    """Writes the array in a frame; the frame of a later axis covers the corners."""
    numbers = [[settle(context, Scalar(cast(number_of(context, value).expression, view.dtype))) for value in pair] for pair in values]

    def write(target: View, accumulate: bool) -> None:
        inner = target
        for axis in reversed(range(len(extents))):
            (before, after), extent = widths[axis], extents[axis]
            for start, length, value in ((0, before, numbers[axis][0]), (before + extent, after, numbers[axis][1])):
                if length != 0:
                    store(context, section(inner, axis, sympy.sympify(start), length), value, accumulate)
            inner = section(inner, axis, before, extent)
        store(context, inner, view, accumulate)

    return write


def _extended(
    context: Context,
    view: View,
    extents: Sequence[sympy.Expr],
    widths: Sequence[Pair],
    outside: Callable[[sympy.Expr, sympy.Expr], sympy.Expr],
) -> Callable[[View, bool], None]:
    """Writes each of the parts: inside, before and after on every axis."""

    def parts(axis: int) -> list[tuple[sympy.Expr, sympy.Expr, Source]]:
        (before, after), extent = widths[axis], extents[axis]
        found: list[tuple[sympy.Expr, sympy.Expr, Source]] = [
            (sympy.Integer(0), before, lambda index: outside(index - before, extent)),
            (before, extent, lambda index: index),
            (before + extent, after, lambda index: outside(index + extent, extent)),
        ]
        return [part for part in found if part[1] != 0]

    def write(target: View, accumulate: bool) -> None:
        for chosen in product(*(parts(axis) for axis in range(len(extents)))):
            cells = target
            for axis, (start, length, _) in enumerate(chosen):
                cells = section(cells, axis, start, length)
            store(context, cells, Lazy(cells.shape, view.dtype, _reading(view, [source for _, _, source in chosen])), accumulate)

    return write


def _reading(view: View, sources: Sequence[Source]) -> Callable[[tuple[sympy.Expr, ...]], Expression]:
    return lambda indices: view.at(tuple(source(index) for source, index in zip(sources, indices, strict=True)))


PADDING: dict[object, Callable[..., Value]] = {np.pad: pad}
