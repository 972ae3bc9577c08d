"""Reductions over axes: sums and products as nests that accumulate, maxima and minima as operations of the IR."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

import sympy

from dfad.frontend.arithmetic import apply
from dfad.frontend.arrays import as_view, in_temporary, nest, store
from dfad.frontend.bounds import require
from dfad.frontend.builder import cast, constant
from dfad.frontend.elementwise import Operand, apply_all, operand_of
from dfad.frontend.masks import masked_mean, masked_product, masked_sum
from dfad.frontend.scope import Context
from dfad.frontend.values import ONE, Along, Deferred, Indices, Known, Lazy, Masked, Scalar, Shape, Tuple, Value, View, integer, kind_of
from dfad.ir.dtype import F32, F64, I64, Dtype
from dfad.ir.memlet import Memlet, Range
from dfad.ir.nodes import Read

NOTHING = Known(None)


def axes_of(context: Context, value: Operand, axis: Value) -> tuple[int, ...]:
    """The axes that an ``axis`` argument names, ascending; all of them for None."""
    rank = len(value.shape)
    match axis:
        case Known(None):
            return tuple(range(rank))
        case Tuple(items):
            named = [item.constant if isinstance(item, Scalar) else None for item in items]
        case Scalar():
            named = [axis.constant]
        case _:
            named = [None]
    found = [number % rank if isinstance(number, int) and -rank <= number < rank else None for number in named]
    if None in found or len(set(found)) < len(found):
        context.wrong_type(f"axis is a constant integer of an axis, or several, for {kind_of(value)}")
    return tuple(sorted(number for number in found if number is not None))


def is_set(context: Context, flag: Value) -> bool:
    """A flag that is known now."""
    if isinstance(flag, Scalar) and flag.constant is not None:
        return bool(flag.constant)
    context.wrong_type("this flag must be True or False, known when the kernel is compiled")


def total(context: Context, a: Value, axis: Value = NOTHING, keepdims: Value = NOTHING) -> Value:
    """``np.sum``; float32 is accumulated in float64."""
    if isinstance(a, Masked) and _is_whole(axis):
        return masked_sum(context, a)
    value = operand_of(context, a)
    if not value.shape:
        return value
    dtype = I64 if value.dtype.kind in "bi" else value.dtype
    return _folded(context, value, axes_of(context, value, axis), keeps(context, keepdims), dtype, _sum_into)


def nonzeros(context: Context, a: Value, axis: Value = NOTHING, keepdims: Value = NOTHING) -> Value:
    """``np.count_nonzero``."""
    return total(context, apply_all(context, "ne", operand_of(context, a), integer(0)), axis, keepdims)


def product(context: Context, a: Value, axis: Value = NOTHING, keepdims: Value = NOTHING) -> Value:
    """``np.prod``."""
    if isinstance(a, Masked) and _is_whole(axis):
        return masked_product(context, a)
    value = operand_of(context, a)
    if not value.shape:
        return value
    dtype = I64 if value.dtype.kind in "bi" else value.dtype
    return _folded(context, value, axes_of(context, value, axis), keeps(context, keepdims), dtype, _product_into)


def keeps(context: Context, keepdims: Value) -> bool:
    """Whether reduced axes stay, with one element."""
    return not (isinstance(keepdims, Known) and keepdims.value is None) and is_set(context, keepdims)


def mean(context: Context, a: Value, axis: Value = NOTHING, keepdims: Value = NOTHING) -> Value:
    """``np.mean``: the sum over the count."""
    if isinstance(a, Masked) and _is_whole(axis):
        return masked_mean(context, a)
    value = operand_of(context, a)
    if not value.dtype.is_float:
        value = _as_float(value)
    count = sympy.Mul(*(context.builder.natural(value.shape[axis]) for axis in axes_of(context, value, axis)))
    return apply_all(context, "div", total(context, value, axis, keepdims), integer(count))


def _as_float(value: Operand) -> Lazy:
    return Lazy(value.shape, F64, lambda indices: cast(value.at(indices), F64))


def _is_whole(axis: Value) -> bool:
    return isinstance(axis, Known) and axis.value is None


def _folded(
    context: Context,
    value: Operand,
    axes: Sequence[int],
    keeps: bool,
    dtype: Dtype,
    into: Callable[[Context, View, Operand, Sequence[int], bool], None],
) -> Deferred:
    """A reduction that waits for its place."""
    shape = reduced_shape(value.shape, axes, keeps)
    accumulator = F64 if dtype == F32 else dtype

    def write(target: View, accumulate: bool) -> None:
        if accumulate or accumulator != target.dtype:
            held = context.builder.temporary("tmp", accumulator, shape)
            into(context, held, value, axes, keeps)
            store(context, target, held if shape else Scalar(held.at(())), accumulate)
        else:
            into(context, target, value, axes, keeps)

    names = frozenset({value.array.name}) if isinstance(value, View) else None
    return Deferred(shape, dtype, names, write)


def reduced_shape(shape: Shape, axes: Sequence[int], keeps: bool) -> Shape:
    """The shape that is left."""
    if keeps:
        return tuple(ONE if axis in axes else extent for axis, extent in enumerate(shape))
    return tuple(extent for axis, extent in enumerate(shape) if axis not in axes)


def kept_indices(indices: Indices, axes: Sequence[int], keeps: bool) -> Indices:
    """The indices of the result, from those of the elements."""
    if keeps:
        return tuple(sympy.Integer(0) if axis in axes else index for axis, index in enumerate(indices))
    return tuple(index for axis, index in enumerate(indices) if axis not in axes)


def _sum_into(context: Context, target: View, source: Operand, axes: Sequence[int], keeps: bool) -> None:
    store(context, target, Scalar(constant(0, target.dtype)))
    with ExitStack() as stack:
        indices, _ = nest(context, source.shape, stack)
        cell = target.memlet(kept_indices(indices, axes, keeps))
        context.builder.tasklet(cell, cast(source.at(indices), target.dtype), accumulate=True, reassociable=target.dtype.is_float)


def _product_into(context: Context, target: View, source: Operand, axes: Sequence[int], keeps: bool) -> None:
    store(context, target, Scalar(constant(1, target.dtype)))
    with ExitStack() as stack:
        indices, _ = nest(context, source.shape, stack)
        cell = target.memlet(kept_indices(indices, axes, keeps))
        element = Scalar(cast(source.at(indices), target.dtype))
        context.builder.tasklet(cell, apply("mul", Scalar(Read(cell, target.dtype)), element).expression)


# ---------------------------------------------------------------- extremes


def maximum(context: Context, a: Value, axis: Value = NOTHING, keepdims: Value = NOTHING) -> Value:
    """``np.max``."""
    return _extreme(context, "reduce_max", a, axis, keepdims)


def minimum(context: Context, a: Value, axis: Value = NOTHING, keepdims: Value = NOTHING) -> Value:
    """``np.min``."""
    return _extreme(context, "reduce_min", a, axis, keepdims)


def _extreme(context: Context, operation: str, a: Value, axis: Value, keepdims: Value) -> Value:
    value = operand_of(context, a)
    if isinstance(value, Scalar):
        return value
    view = as_view(context, value)
    axes, stays = axes_of(context, view, axis), keeps(context, keepdims)
    memlet = view.subset()
    if memlet is None or sum(isinstance(dimension, Along) for dimension in view.dimensions) != len(view.shape):
        view = in_temporary(context, Lazy(view.shape, view.dtype, view.at))
        memlet = view.subset()
    assert memlet is not None
    for position in axes:
        message = "zero-size array has no maximum" if operation == "reduce_max" else "zero-size array has no minimum"
        require(context.builder, view.shape[position] - 1, "index", message, ())
    return _deferred_extreme(context, operation, memlet, view, axes, stays)


def _deferred_extreme(context: Context, operation: str, memlet: Memlet, view: View, axes: Sequence[int], keeps: bool) -> Deferred:
    shape = reduced_shape(view.shape, axes, keeps)

    def write(target: View, accumulate: bool) -> None:
        if accumulate or target.dtype != view.dtype or target.subset() is None:
            held = context.builder.temporary("tmp", view.dtype, shape)
            write(held, False)
            store(context, target, held if shape else Scalar(held.at(())), accumulate)
            return
        context.builder.library(operation, (memlet,), _without(target, axes, keeps), {"axes": tuple(axes)})

    return Deferred(shape, view.dtype, frozenset({view.array.name}), write)


def _without(target: View, axes: Sequence[int], keeps: bool) -> Memlet:
    """The target's memlet, kept axes of extent 1 fixed at their one index."""
    memlet = target.subset()
    assert memlet is not None
    if not keeps:
        return memlet
    fixed = [
        index.start if isinstance(index, Range) and isinstance(dimension, Along) and dimension.axis in axes else index
        for index, dimension in zip(memlet.subset, target.dimensions, strict=True)
    ]
    return Memlet(memlet.array, tuple(fixed))


# ---------------------------------------------------------------- truth


def all_of(context: Context, a: Value, axis: Value = NOTHING, keepdims: Value = NOTHING) -> Value:
    """``np.all``: no element is false."""
    return apply_all(context, "eq", total(context, _misses(context, a, 0), axis, keepdims), integer(0))


def any_of(context: Context, a: Value, axis: Value = NOTHING, keepdims: Value = NOTHING) -> Value:
    """``np.any``: some element is true."""
    return apply_all(context, "gt", total(context, _misses(context, a, 1), axis, keepdims), integer(0))


def _misses(context: Context, a: Value, counted: int) -> Value:
    """1 for each true element, or for each false one."""
    truth = apply_all(context, "ne", operand_of(context, a), integer(0))
    if counted:
        return truth
    return apply_all(context, "not", truth)
