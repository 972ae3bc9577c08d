"""Functions that make arrays: `np.zeros` and its kin. Each gives a lazy array, written where it is bound."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import sympy

from dfad.frontend.arithmetic import apply, convert, select
from dfad.frontend.arrays import filled
from dfad.frontend.bounds import require
from dfad.frontend.builder import cast, constant
from dfad.frontend.elementwise import number_of, operand_of, settle, typed
from dfad.frontend.scope import Context
from dfad.frontend.values import Deferred, Indices, Known, Lazy, Scalar, Shape, Tuple, Value, View, integer, kind_of
from dfad.ir.dtype import BOOL, F64, I64, SUPPORTED, Dtype
from dfad.ir.nodes import Apply, Expression, Integer, Select

NOTHING = Known(None)


def extent_of(context: Context, value: Value) -> sympy.Expr:
    """An integer as an extent."""
    number = number_of(context, value)
    if number.dtype.kind != "i":
        context.wrong_type(f"an extent is an integer, not {kind_of(value)}", hint="write int(...) or //")
    found = context.builder.pin_integer(number)
    require(context.builder, found, "index", "negative dimensions are not allowed: {0}", (found,))
    return found


def shape_of(context: Context, shape: Value) -> Shape:
    """The ``shape`` argument: an integer or a tuple of them."""
    items = shape.items if isinstance(shape, Tuple) else (shape,)
    return tuple(extent_of(context, item) for item in items)


def dtype_of(context: Context, dtype: Value, default: Dtype) -> Dtype:
    """The ``dtype`` argument."""
    if _is_nothing(dtype):
        return default
    try:
        name = np.dtype(dtype.value).name if isinstance(dtype, Known) else ""  # type: ignore[call-overload]
    except TypeError:
        name = ""
    if name not in SUPPORTED:
        shown = getattr(dtype.value, "__name__", dtype.value) if isinstance(dtype, Known) else kind_of(dtype)
        context.wrong_type(f"the dtype {shown} is not supported", hint=f"use one of {', '.join(SUPPORTED)}")
    return SUPPORTED[name]


def _is_nothing(dtype: Value) -> bool:
    return isinstance(dtype, Known) and dtype.value is None


def zeros(context: Context, shape: Value, dtype: Value = NOTHING) -> Value:
    """``np.zeros``."""
    return filled(shape_of(context, shape), integer(0), dtype_of(context, dtype, F64))


def ones(context: Context, shape: Value, dtype: Value = NOTHING) -> Value:
    """``np.ones``."""
    return filled(shape_of(context, shape), integer(1), dtype_of(context, dtype, F64))


def full(context: Context, shape: Value, fill_value: Value, dtype: Value = NOTHING) -> Value:
    """``np.full``."""
    value = settle(context, number_of(context, fill_value))
    return filled(shape_of(context, shape), value, dtype_of(context, dtype, value.dtype))


def empty(context: Context, shape: Value, dtype: Value = NOTHING) -> Value:
    """``np.empty``: nothing is written."""
    return _unwritten(shape_of(context, shape), dtype_of(context, dtype, F64))


def _unwritten(shape: Shape, dtype: Dtype) -> Deferred:
    return Deferred(shape, dtype, frozenset(), lambda target, accumulate: None)


def _like(context: Context, a: Value) -> tuple[Shape, Dtype]:
    found = operand_of(context, a)
    return tuple(context.builder.natural(extent) for extent in found.shape), found.dtype


def zeros_like(context: Context, a: Value, dtype: Value = NOTHING) -> Value:
    """``np.zeros_like``."""
    shape, own = _like(context, a)
    return filled(shape, integer(0), dtype_of(context, dtype, own))


def ones_like(context: Context, a: Value, dtype: Value = NOTHING) -> Value:
    """``np.ones_like``."""
    shape, own = _like(context, a)
    return filled(shape, integer(1), dtype_of(context, dtype, own))


def empty_like(context: Context, a: Value, dtype: Value = NOTHING) -> Value:
    """``np.empty_like``."""
    shape, own = _like(context, a)
    return _unwritten(shape, dtype_of(context, dtype, own))


def full_like(context: Context, a: Value, fill_value: Value, dtype: Value = NOTHING) -> Value:
    """``np.full_like``."""
    shape, own = _like(context, a)
    return filled(shape, settle(context, number_of(context, fill_value)), dtype_of(context, dtype, own))


def copied(context: Context, a: Value, dtype: Value = NOTHING) -> Value:
    """``a.copy()``, ``a.astype(dtype)``, ``np.array(a)``: the elements, in an array of their own."""
    if isinstance(a, Tuple):
        return context.as_array(context, a, None if _is_nothing(dtype) else dtype_of(context, dtype, F64))
    found = operand_of(context, a)
    own = dtype_of(context, dtype, found.dtype)
    if isinstance(found, Scalar):
        return Scalar(cast(found.expression, own))
    return Lazy(found.shape, own, lambda indices: cast(found.at(indices), own))


# ---------------------------------------------------------------- sequences


def arange(context: Context, *bounds: Value, dtype: Value = NOTHING) -> Value:
    """``np.arange(stop)``, ``(start, stop)`` or ``(start, stop, step)``."""
    numbers = [number_of(context, bound) for bound in bounds]
    if not 1 <= len(numbers) <= 3:
        context.wrong_type("np.arange takes start, stop and step")
    start, stop, step = _spelled(numbers)
    if all(number.dtype.kind == "i" for number in (start, stop, step)):
        return _integer_range(context, start, stop, step, dtype_of(context, dtype, I64))
    first, last, width = (settle(context, _as_float(context, number)) for number in (start, stop, step))
    trips = typed(context, partial(apply, "ceil"), apply("div", apply("sub", last, first), width))
    count = context.builder.pin_integer(convert(apply("maximum", trips, Scalar(constant(0, F64))), I64))
    context.builder.know(count)
    delta = settle(context, apply("sub", apply("add", first, width), first))
    own = dtype_of(context, dtype, F64)
    return Lazy((count,), own, lambda indices: _stepped(first, delta, indices[0], own))


def _spelled(numbers: Sequence[Scalar]) -> tuple[Scalar, Scalar, Scalar]:
    match numbers:
        case [stop]:
            return integer(0), stop, integer(1)
        case [start, stop]:
            return start, stop, integer(1)
        case _:
            return numbers[0], numbers[1], numbers[2]


def _integer_range(context: Context, start: Scalar, stop: Scalar, step: Scalar, dtype: Dtype) -> Lazy:
    width = step.constant
    if not isinstance(width, int) or width == 0:
        context.unsupported("the step of np.arange must be a constant other than 0")
    first, last = context.builder.pin_integer(start), context.builder.pin_integer(stop)
    count = last - first if width == 1 else sympy.floor((last - first + width - (1 if width > 0 else -1)) / width)
    return Lazy((context.builder.natural(count),), dtype, lambda indices: cast(Integer(first + width * indices[0]), dtype))


def _stepped(first: Scalar, delta: Scalar, index: sympy.Expr, dtype: Dtype) -> Expression:
    return cast(apply("add", first, apply("mul", integer(index), delta)).expression, dtype)


def linspace(context: Context, start: Value, stop: Value, num: Value = integer(50), endpoint: Value = Scalar(constant(1, BOOL))) -> Value:  # noqa: B008
    """``np.linspace``: index * step + start, and the last element exactly ``stop``."""
    first, last = (settle(context, _as_float(context, bound)) for bound in (start, stop))
    count = extent_of(context, num)
    closed = isinstance(endpoint, Scalar) and bool(endpoint.constant)
    parts = sympy.Max(1, count - 1) if closed else sympy.Max(1, count)
    width = settle(context, typed(context, _step_of, first, last, integer(parts)))

    def element(indices: Indices) -> Expression:
        inner = apply("add", apply("mul", integer(indices[0]), width), first)
        if not closed:
            return inner.expression
        is_last = Apply("and", (_equal(indices[0], count - 1), Apply("gt", (Integer(count), constant(1, I64)), BOOL)), BOOL)
        return select(Scalar(is_last), last, inner).expression

    return Lazy((count,), F64, element)


def _step_of(first: Scalar, last: Scalar, parts: Scalar) -> Scalar:
    return apply("div", apply("sub", last, first), parts)


def _as_float(context: Context, value: Value) -> Scalar:
    return Scalar(cast(number_of(context, value).expression, F64))


def _equal(first: sympy.Expr, second: sympy.Expr) -> Expression:
    return Apply("eq", (Integer(first), Integer(second)), BOOL)


def eye(context: Context, N: Value, M: Value = NOTHING, k: Value = integer(0), dtype: Value = NOTHING) -> Value:  # noqa: B008
    """``np.eye``."""
    rows = extent_of(context, N)
    columns = rows if isinstance(M, Known) else extent_of(context, M)
    shift = context.builder.pin_integer(number_of(context, k))
    own = dtype_of(context, dtype, F64)
    one, zero = constant(1, own), constant(0, own)
    return Lazy((rows, columns), own, lambda indices: Select(_equal(indices[0] + shift, indices[1]), one, zero, own))


def fill(context: Context, target: View, value: Value) -> Lazy:
    """The elements that ``target.fill(value)`` writes."""
    return filled(target.shape, settle(context, number_of(context, value)), target.dtype)
