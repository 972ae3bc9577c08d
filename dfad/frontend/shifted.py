"""Functions that put elements beside those some places away: rolls and differences."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from dfad.frontend.arrays import as_view
from dfad.frontend.elementwise import apply_all, number_of
from dfad.frontend.indexing import subscript
from dfad.frontend.reductions import NOTHING, axes_of
from dfad.frontend.scope import Context
from dfad.frontend.shapes import FULL, folded, unfolded
from dfad.frontend.values import Indices, Known, Lazy, Scalar, SliceOf, Tuple, Value, integer, kind_of


def roll(context: Context, a: Value, shift: Value, axis: Value = NOTHING) -> Value:
    """``np.roll``: along one axis or several, or of all elements in order."""
    view = as_view(context, a)
    amounts = [context.builder.pin_integer(number_of(context, item)) for item in _items(shift)]
    if isinstance(axis, Known) and len(view.shape) != 1:
        amount, size = sympy.Add(*amounts), sympy.Mul(*view.shape)

        def element(indices: Indices) -> Indices:
            return unfolded(sympy.Mod(folded(indices, view.shape) - amount, size), view.shape)

        return Lazy(view.shape, view.dtype, lambda indices: view.at(element(indices)))
    axes = [axes_of(context, view, item)[0] for item in _items(axis)]
    if len(amounts) != len(axes) and 1 not in (len(amounts), len(axes)):
        context.wrong_type(f"{len(amounts)} shifts do not go with {len(axes)} axes")
    pairs = list(zip(amounts * (len(axes) // len(amounts) or 1), axes * (len(amounts) // len(axes) or 1), strict=True))

    def moved(indices: Indices) -> Indices:
        found = list(indices)
        for along, extent in enumerate(view.shape):
            parts = [amount for amount, named in pairs if named == along]
            if parts:
                found[along] = sympy.Mod(indices[along] - sympy.Add(*parts), extent)
        return tuple(found)

    return Lazy(view.shape, view.dtype, lambda indices: view.at(moved(indices)))


def _items(value: Value) -> Sequence[Value]:
    return value.items if isinstance(value, Tuple) else (value,)


def difference(context: Context, a: Value, n: Value = integer(1), axis: Value = integer(-1)) -> Value:  # noqa: B008
    """``np.diff``: each element less the one before it along an axis, n times over."""
    times = n.constant if isinstance(n, Scalar) else None
    if not isinstance(times, int) or times < 0:
        context.wrong_type(f"np.diff takes a constant number of times, not {kind_of(n)}")
    source = as_view(context, a)
    (along,) = axes_of(context, source, axis)
    later, earlier = SliceOf(integer(1), None, None), SliceOf(None, integer(-1), None)
    found: Value = source
    for _ in range(times):
        kept = as_view(context, found)
        found = apply_all(context, "sub", *(subscript(context, kept, [*[FULL] * along, end]) for end in (later, earlier)))
    return found
