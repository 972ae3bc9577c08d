"""Positions on one axis: integers that wrap once from below and are then in range, slices that are clipped as in NumPy.

Every position that comes out is non-negative and in range, by proof or by a Check before the access.
"""

from __future__ import annotations

import sympy

from dfad.frontend.bounds import require
from dfad.frontend.builder import constant
from dfad.frontend.scope import Context
from dfad.frontend.values import ONE, ZERO, Scalar, SliceOf
from dfad.ir.dtype import BOOL, I64
from dfad.ir.nodes import Apply, Integer, Select


def resolve_index(context: Context, index: Scalar, extent: sympy.Expr, axis: str = "an axis of extent {1}") -> sympy.Expr:
    """The index counted from the start, in range. ``axis``: what the error calls the axis."""
    builder = context.builder
    value = builder.pin_integer(index)
    if value.is_Integer and value < 0:
        resolved = extent + value
    elif builder.proves(value):
        resolved = value
    elif builder.proves(-1 - value):
        resolved = extent + value
    else:
        resolved = _wrapped(context, value, extent)
    message = f"index {{0}} is out of bounds for {axis}"
    require(builder, resolved, "index", message, (value, extent))
    require(builder, extent - 1 - resolved, "index", message, (value, extent))
    return resolved


def _wrapped(context: Context, value: sympy.Expr, extent: sympy.Expr) -> sympy.Expr:
    """An index of unknown sign: ``value + extent`` where it is negative."""
    builder = context.builder
    is_negative = Apply("lt", (Integer(value), constant(0, I64)), BOOL)
    wrapped = builder.pin_integer(Scalar(Select(is_negative, Integer(value + extent), Integer(value), I64)), "wrapped")
    if builder.proves(value + extent):
        builder.know(wrapped)
    if builder.proves(extent - 1 - value):
        builder.know(extent - 1 - wrapped)
    return wrapped


def resolve_slice(context: Context, item: SliceOf, extent: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """(start, stride, extent) of a slice, clipped; an extent below 0 means 0."""
    step = 1 if item.step is None else item.step.constant
    if not isinstance(step, int) or step == 0:
        context.unsupported("the step of a slice must be an integer constant other than 0", hint="write a loop")
    if step > 0:
        start = ZERO if item.start is None else _clipped_start(context, item.start, extent)
        stop = extent if item.stop is None else _clipped_stop(context, item.stop, extent)
        span = stop - start
    else:
        start = extent - 1 if item.start is None else _clipped_high(context, item.start, extent)
        stop = -ONE if item.stop is None else _clipped_low(context, item.stop, extent)
        span = start - stop
    size = abs(step)
    count = span if size == 1 else sympy.floor((span + size - 1) / size)
    return start, sympy.Integer(step), count


def _counted(context: Context, bound: Scalar, extent: sympy.Expr) -> sympy.Expr:
    """A bound counted from the start, not yet clipped."""
    builder = context.builder
    value = builder.pin_integer(bound)
    if builder.proves(value):
        return value
    if builder.proves(-1 - value):
        return extent + value
    return _wrapped(context, value, extent)


def _clipped_start(context: Context, bound: Scalar, extent: sympy.Expr) -> sympy.Expr:
    """From 0; beyond the end the slice is empty anyway."""
    value = _counted(context, bound, extent)
    return value if context.builder.proves(value) else sympy.Max(0, value)


def _clipped_stop(context: Context, bound: Scalar, extent: sympy.Expr) -> sympy.Expr:
    """Up to the extent; before the start the slice is empty anyway."""
    value = _counted(context, bound, extent)
    return value if context.builder.proves(extent - value) else sympy.Min(value, extent)


def _clipped_high(context: Context, bound: Scalar, extent: sympy.Expr) -> sympy.Expr:
    value = _counted(context, bound, extent)
    return value if context.builder.proves(extent - 1 - value) else sympy.Min(value, extent - 1)


def _clipped_low(context: Context, bound: Scalar, extent: sympy.Expr) -> sympy.Expr:
    value = _counted(context, bound, extent)
    return value if context.builder.proves(value + 1) else sympy.Max(-1, value)
