"""Literal sequences as arrays: what ``[s, 0.0]`` or ``(x, y)`` is where an array is needed, as ``np.array`` makes it.

In: a `Tuple`, the value of a tuple or list. Out: numbers, written one by one to where they are needed; or, of arrays, these one behind
the other along a new first axis.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy

from dfad.frontend.arrays import store
from dfad.frontend.builder import cast
from dfad.frontend.elementwise import common_dtype, number_of, operand_of, require_equal, settle
from dfad.frontend.indexing import part_of
from dfad.frontend.scope import Context
from dfad.frontend.values import Deferred, Scalar, Tuple, Value, View, integer, kind_of
from dfad.ir.dtype import Dtype


def as_array(context: Context, rows: Tuple, dtype: Dtype | None = None) -> Deferred:
    """``np.array([...])`` of numbers, of rows of numbers, or of arrays."""
    if not rows.items:
        context.wrong_type("an array of nothing has no type", hint="write np.zeros(0)")
    if all(isinstance(leaf, Scalar) for leaf in _leaves(rows)):
        return _of_numbers(context, rows, dtype)
    return _of_arrays(context, rows, dtype)


def _leaves(value: Value) -> Iterator[Value]:
    if isinstance(value, Tuple):
        for item in value.items:
            yield from _leaves(item)
    else:
        yield value


def _of_numbers(context: Context, rows: Tuple, dtype: Dtype | None) -> Deferred:
    numbers, shape = _flattened(context, rows)
    common, _ = common_dtype(context, [number if not number.weak else Scalar(cast(number.expression, number.dtype)) for number in numbers])
    own = dtype or common
    kept = [cast(settle(context, number).expression, own) for number in numbers]

    def write(target: View, accumulate: bool) -> None:
        for position, expression in enumerate(kept):
            place = np.unravel_index(position, shape)
            memlet = target.memlet(tuple(sympy.Integer(int(index)) for index in place))
            context.builder.tasklet(memlet, cast(expression, target.dtype), accumulate)

    return Deferred(tuple(sympy.Integer(extent) for extent in shape), own, frozenset(), write)


def _flattened(context: Context, rows: Tuple) -> tuple[list[Scalar], tuple[int, ...]]:
    if not any(isinstance(row, Tuple) for row in rows.items):
        return [number_of(context, item) for item in rows.items], (len(rows.items),)
    parts = [_flattened(context, row) for row in rows.items if isinstance(row, Tuple)]
    if len({shape for _, shape in parts}) != 1 or len(parts) < len(rows.items):
        context.wrong_type("the rows of an array have one length")
    return [number for numbers, _ in parts for number in numbers], (len(parts), *parts[0][1])


def _of_arrays(context: Context, rows: Tuple, dtype: Dtype | None) -> Deferred:
    parts = [as_array(context, item) if isinstance(item, Tuple) else operand_of(context, item) for item in rows.items]
    shape = parts[0].shape
    if any(len(part.shape) != len(shape) for part in parts):
        context.wrong_type(f"the rows of an array have one shape, and here are {kind_of(parts[0])} and others")
    for part in parts[1:]:
        for own, other in zip(shape, part.shape, strict=True):
            require_equal(context, own, other)
    common, _ = common_dtype(context, parts)

    def write(target: View, accumulate: bool) -> None:
        for place, part in enumerate(parts):
            row = part_of(context, target, [integer(place)])
            assert isinstance(row, View)
            if isinstance(part, Deferred):
                part.write(row, accumulate)
            else:
                store(context, row, part, accumulate)

    return Deferred((sympy.Integer(len(parts)), *shape), dtype or common, None, write)
