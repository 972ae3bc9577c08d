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
from dfad.ir.nodes import Apply, Expression, Integer, Select


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
    if item.step is not None and (item.step.dtype.kind != "i" or step == 0):
        context.wrong_type("the step of a slice is an integer other than 0")
    if step is None:
        assert item.step is not None
        return _stepped_slice(context, item, context.builder.pin_integer(item.step), extent)
    assert isinstance(step, int)
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


def _stepped_slice(context: Context, item: SliceOf, step: sympy.Expr, extent: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """A slice whose step is known only when it runs: whichever way it runs, its bounds are clipped as Python's ``slice.indices`` does."""
    builder = context.builder
    builder.check(_compare("ne", step, ZERO), "index", "slice step cannot be zero", ())
    if item.start is None and item.stop is None:
        size = sympy.Max(1, step, -step)
        start = _chosen(context, _compare("gt", step, ZERO), ZERO, extent - 1)
        return start, step, sympy.floor((extent + size - 1) / size)
    forward = _compare("gt", step, ZERO)
    low, high = (_chosen(context, forward, a, b) for a, b in ((ZERO, -ONE), (extent, extent - 1)))

    def clipped(bound: Scalar) -> sympy.Expr:
        value = builder.pin_integer(bound)
        counted = _chosen(context, _compare("lt", value, ZERO), value + extent, value)
        return _chosen(context, _compare("lt", counted, low), low, _chosen(context, _compare("gt", counted, high), high, counted))

    start = _chosen(context, forward, ZERO, extent - 1) if item.start is None else clipped(item.start)
    stop = _chosen(context, forward, extent, -ONE) if item.stop is None else clipped(item.stop)
    size = _chosen(context, forward, step, -step)
    span = _chosen(context, forward, stop - start, start - stop)
    count = Apply("floordiv", (Integer(span + size - 1), Integer(size)), I64)
    found = builder.pin_integer(Scalar(Select(_compare("gt", span, ZERO), count, constant(0, I64), I64)), "count")
    builder.know(found)
    return start, step, found


def _chosen(context: Context, condition: Expression, first: sympy.Expr, other: sympy.Expr) -> sympy.Expr:
    if first == other:
        return first
    return context.builder.pin_integer(Scalar(Select(condition, Integer(first), Integer(other), I64)))


def _compare(operation: str, first: sympy.Expr, second: sympy.Expr) -> Expression:
    return Apply(operation, (Integer(first), Integer(second)), BOOL)


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
