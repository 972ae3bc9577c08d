"""Values as vectors: what a text does for each element of an array of any rank."""

from __future__ import annotations

from collections.abc import Callable

from dfad.frontend.arrays import as_view
from dfad.frontend.elementwise import operand_of
from dfad.frontend.scope import Context
from dfad.frontend.shapes import ravel, reshape
from dfad.frontend.spelled import inlined
from dfad.frontend.values import Scalar, Tuple, Value, View, integer, kind_of


def vector_of(context: Context, value: Value, what: str) -> View:
    """A value that has to be a vector."""
    view = as_view(context, value)
    if len(view.shape) != 1:
        context.wrong_type(f"{what} is a vector, not {kind_of(view)}")
    return view


def as_vector(context: Context, value: Value) -> View:
    """All elements of a value in one axis."""
    view = as_view(context, value)
    return view if len(view.shape) == 1 else as_view(context, ravel(context, view))


def for_each(context: Context, of_number: Callable[..., object], of_vector: Callable[..., object], x: Value, *others: Value) -> Value:
    """The value of one text for a number, of another for the elements of an array, in the array's shape; x is their first parameter."""
    found = operand_of(context, x)
    if isinstance(found, Scalar) or not found.shape:
        return inlined(context, of_number, [Scalar(found.at(())), *others])
    flat = inlined(context, of_vector, [as_vector(context, found), *others])
    if len(found.shape) == 1:
        return flat
    return reshape(context, flat, Tuple(tuple(integer(context.builder.natural(extent)) for extent in found.shape)))
