"""Reductions that are more than one fold: variance, running sums, places of extremes, norms."""

from __future__ import annotations

import math
from contextlib import ExitStack

import sympy

from dfad.frontend.arithmetic import apply
from dfad.frontend.arrays import as_view, nest, store
from dfad.frontend.bounds import require
from dfad.frontend.builder import cast, constant
from dfad.frontend.elementwise import apply_all, number_of, operand_of, place
from dfad.frontend.reductions import NOTHING, axes_of, keeps, kept_indices, maximum, mean, reduced_shape, total
from dfad.frontend.scope import Context
from dfad.frontend.shapes import ravel
from dfad.frontend.values import Deferred, Indices, Known, Lazy, Scalar, Value, View, element, integer, kind_of
from dfad.ir.dtype import BOOL, I64
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Apply, Array, Expression, Integer, Read


def variance(context: Context, a: Value, axis: Value = NOTHING, ddof: Value = integer(0), keepdims: Value = NOTHING) -> Value:  # noqa: B008
    """``np.var``: the mean of squared deviations from the mean."""
    view = as_view(context, a) if not isinstance(a, Scalar) else operand_of(context, a)
    middle = mean(context, view, axis, Scalar(constant(1, BOOL)))
    centre = place(context, middle) if isinstance(middle, Deferred) else middle
    deviation = apply_all(context, "sub", view, centre)
    count = sympy.Mul(*(context.builder.natural(view.shape[position]) for position in axes_of(context, view, axis)))
    left = apply_all(context, "sub", integer(count), number_of(context, ddof))
    degrees = apply_all(context, "maximum", left, integer(0))
    return apply_all(context, "div", total(context, apply_all(context, "pow", deviation, integer(2)), axis, keepdims), degrees)


def deviation(context: Context, a: Value, axis: Value = NOTHING, ddof: Value = integer(0), keepdims: Value = NOTHING) -> Value:  # noqa: B008
    """``np.std``: the root of the variance."""
    return apply_all(context, "sqrt", variance(context, a, axis, ddof, keepdims))


def norm(context: Context, x: Value, ord: Value = NOTHING, axis: Value = NOTHING, keepdims: Value = NOTHING) -> Value:
    """``np.linalg.norm``: the root of the sum of squares; of vectors also the sum and the greatest of the absolute values."""
    found = operand_of(context, x)
    kind = ord.value if isinstance(ord, Known) else ord.constant if isinstance(ord, Scalar) else ord
    is_vector = len(found.shape) == 1 or (isinstance(axis, Scalar) and not isinstance(axis, Known))
    if kind is None or (kind == 2 and is_vector) or (kind == "fro" and len(found.shape) == 2):
        squares = apply_all(context, "pow", found, integer(2))
        return apply_all(context, "sqrt", total(context, squares, axis, keepdims))
    if is_vector and kind == 1:
        return total(context, apply_all(context, "abs", found), axis, keepdims)
    if is_vector and kind == math.inf:
        return maximum(context, apply_all(context, "abs", found), axis, keepdims)
    context.unsupported("np.linalg.norm takes ord 1, 2 and np.inf of vectors, 'fro' of matrices", hint="write np.sum or np.max of np.abs")


def trace(context: Context, a: Value) -> Value:
    """``np.trace`` of a matrix."""
    view = as_view(context, a)
    if len(view.shape) != 2:
        context.wrong_type(f"a trace is of a matrix, not of {kind_of(view)}")

    def write(target: View, accumulate: bool) -> None:
        store(context, target, Scalar(constant(0, target.dtype)))
        with context.builder.loop("i0", sympy.Integer(0), sympy.Min(*view.shape)) as header:
            value = cast(view.at((header.index, header.index)), target.dtype)
            context.builder.tasklet(target.memlet(()), value, accumulate=True, reassociable=target.dtype.is_float)

    return Deferred((), view.dtype, None, write)


def running_sum(context: Context, a: Value, axis: Value = NOTHING) -> Value:
    """``np.cumsum``: along an axis, or of all elements."""
    return _running(context, a, axis, "add", 0)


def running_product(context: Context, a: Value, axis: Value = NOTHING) -> Value:
    """``np.cumprod``: along an axis, or of all elements."""
    return _running(context, a, axis, "mul", 1)


def _running(context: Context, a: Value, axis: Value, operation: str, start: int) -> Value:
    source = as_view(context, a)
    if isinstance(axis, Known) and len(source.shape) > 1:
        source = as_view(context, ravel(context, source))
    (along,) = axes_of(context, source, axis)
    dtype = I64 if source.dtype.kind in "bi" else source.dtype

    def write(target: View, accumulate: bool) -> None:
        others = tuple(sympy.Integer(1) if position == along else extent for position, extent in enumerate(source.shape))
        with ExitStack() as stack:
            outer, _ = nest(context, others, stack)
            held = context.builder.hold(context.builder.unused("running"), constant(start, dtype))
            header = stack.enter_context(context.builder.loop("i0", sympy.Integer(0), source.shape[along]))
            indices = (*outer[:along], header.index, *outer[along + 1 :])
            element = cast(source.at(indices), dtype)
            if operation == "add":
                context.builder.tasklet(Memlet(held.name), element, accumulate=True)
            else:
                product = apply(operation, Scalar(Read(Memlet(held.name), dtype)), Scalar(element))
                context.builder.tasklet(Memlet(held.name), product.expression)
            context.builder.tasklet(target.memlet(indices), cast(Read(Memlet(held.name), dtype), target.dtype), accumulate)

    return Deferred(source.shape, dtype, frozenset({source.array.name}), write)


def place_of_maximum(context: Context, a: Value, axis: Value = NOTHING, keepdims: Value = NOTHING) -> Value:
    """``np.argmax``: the first of the greatest, along an axis or of all elements."""
    return _kept_place(context, a, axis, keepdims, "gt")


def place_of_minimum(context: Context, a: Value, axis: Value = NOTHING, keepdims: Value = NOTHING) -> Value:
    """``np.argmin``: the first of the least."""
    return _kept_place(context, a, axis, keepdims, "lt")


def _kept_place(context: Context, a: Value, axis: Value, keepdims: Value, relation: str) -> Value:
    source = as_view(context, a)
    found = operand_of(context, _place_of(context, source, axis, relation))
    if not keeps(context, keepdims):
        return found
    axes = axes_of(context, source, axis)
    shape = reduced_shape(source.shape, axes, True)
    return Lazy(shape, found.dtype, lambda indices: found.at(kept_indices(indices, axes, False) if found.shape else ()))


def _place_of(context: Context, a: Value, axis: Value, relation: str) -> Value:
    source = as_view(context, a)
    if isinstance(axis, Known) and len(source.shape) > 1:
        source = as_view(context, ravel(context, source))
    (along,) = axes_of(context, source, axis)
    message = "attempt to get argmax or argmin of an empty sequence"
    require(context.builder, source.shape[along] - 1, "index", message, ())
    if len(source.shape) == 1:
        return element(_search(context, source, (), 0, relation))

    def write(target: View, accumulate: bool) -> None:
        with ExitStack() as stack:
            outer, _ = nest(context, target.shape, stack)
            found = _search(context, source, outer, along, relation)
            context.builder.tasklet(target.memlet(outer), cast(Read(Memlet(found.name), I64), target.dtype), accumulate)

    shape = tuple(extent for position, extent in enumerate(source.shape) if position != along)
    return Deferred(shape, I64, frozenset({source.array.name}), write)


def _search(context: Context, source: View, outer: Indices, along: int, relation: str) -> Array:
    """The first index along an axis that no other beats; NaN beats every number, as in NumPy."""
    builder = context.builder

    def value(index: sympy.Expr) -> Expression:
        return source.at((*outer[:along], index, *outer[along:]))

    best = builder.hold(builder.unused("best"), value(sympy.Integer(0)))
    found = builder.hold(builder.unused("place"), constant(0, I64))
    with builder.loop("i0", sympy.Integer(1), source.shape[along]) as header:
        with builder.nested() as then:
            builder.tasklet(Memlet(best.name), value(header.index))
            builder.tasklet(Memlet(found.name), Integer(header.index))
        with builder.nested() as orelse:
            pass
        builder.branch(_beats(relation, value(header.index), Read(Memlet(best.name), source.dtype)), then, orelse)
    return found


def _beats(relation: str, value: Expression, best: Expression) -> Expression:
    better = apply(relation, Scalar(value), Scalar(best)).expression
    if not value.dtype.is_float:
        return better
    undefined = Apply("and", (Apply("isnan", (value,), BOOL), Apply("not", (Apply("isnan", (best,), BOOL),), BOOL)), BOOL)
    return Apply("or", (better, undefined), BOOL)
