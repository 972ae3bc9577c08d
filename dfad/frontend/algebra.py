"""Sums of products and what is made of them: inner products, averages, convolutions, integrals, slopes, polynomials."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import sympy

from dfad.frontend.arithmetic import apply
from dfad.frontend.arrays import as_view
from dfad.frontend.bounds import require
from dfad.frontend.builder import cast
from dfad.frontend.creation import copied
from dfad.frontend.einsum import einsum
from dfad.frontend.elementwise import Operand, apply_all, common_dtype, lift, number_of, operand_of, require_equal, settle, settle_element
from dfad.frontend.flat import as_vector, for_each, vector_of
from dfad.frontend.indexing import subscript, turned_view
from dfad.frontend.products import dot, matmul, transposed
from dfad.frontend.reductions import NOTHING, axes_of, is_set, mean, total
from dfad.frontend.scope import Context
from dfad.frontend.shapes import FULL, NEW, stack
from dfad.frontend.shifted import difference
from dfad.frontend.spelled import inlined
from dfad.frontend.values import Known, Lazy, Scalar, SliceOf, Tuple, Value, View, integer, kind_of, number
from dfad.ir.dtype import F64

Numbers = np.ndarray
LAST = integer(-1)
FALSE = number(False)
LETTERS = "abcdefghijklmnopqrstuvwxyz"

# ---------------------------------------------------------------- products


def inner(context: Context, a: Value, b: Value) -> Value:
    """``np.inner``: sums over the last axes of both."""
    left, right = operand_of(context, a), operand_of(context, b)
    if not left.shape or not right.shape:
        return apply_all(context, "mul", *(_as_numpys(side) for side in (left, right)))
    if len(right.shape) == 1:
        return matmul(context, left, right)
    if len(left.shape) == 1:
        return matmul(context, as_view(context, right), left)
    if len(left.shape) == len(right.shape) == 2:
        return matmul(context, left, transposed(as_view(context, right)))
    return _contracted(context, left, right, [len(left.shape) - 1], [len(right.shape) - 1])


def _as_numpys(value: Operand) -> Operand:
    """A number as one of NumPy's: it counts with its type."""
    return Scalar(value.expression) if isinstance(value, Scalar) else value


def vdot(context: Context, a: Value, b: Value) -> Value:
    """``np.vdot``: the sum of products of all elements, in order."""
    left, right = operand_of(context, a), operand_of(context, b)
    if isinstance(left, Scalar) or isinstance(right, Scalar):
        return apply_all(context, "mul", *(_as_numpys(side) for side in (left, right)))
    return dot(context, as_vector(context, left), as_vector(context, right))


def tensordot(context: Context, a: Value, b: Value, axes: Value = integer(2)) -> Value:  # noqa: B008
    """``np.tensordot`` over a number of axes, or over the axes that are named for each."""
    left, right = as_view(context, a), as_view(context, b)
    count = axes.constant if isinstance(axes, Scalar) else None
    if isinstance(count, int) and 0 <= count <= min(len(left.shape), len(right.shape)):
        rank = len(left.shape)
        return _contracted(context, left, right, list(range(rank - count, rank)), list(range(count)))
    if isinstance(axes, Tuple) and len(axes.items) == 2:
        sides = zip((left, right), axes.items, strict=True)
        first, second = ([axes_of(context, view, axis)[0] for axis in _items(named)] for view, named in sides)
        if len(first) == len(second):
            return _contracted(context, left, right, first, second)
    context.wrong_type("axes of np.tensordot is a constant number of axes, or a pair of axes, known now")


def _items(value: Value) -> Sequence[Value]:
    return value.items if isinstance(value, Tuple) else (value,)


def _contracted(context: Context, left: Operand, right: Operand, first: Sequence[int], second: Sequence[int]) -> Value:
    """The sum of products over axes of the one and axes of the other; what is left of the first comes first."""
    ours = list(LETTERS[: len(left.shape)])
    theirs = list(LETTERS[len(ours) : len(ours) + len(right.shape)])
    for own, other in zip(first, second, strict=True):
        theirs[other] = ours[own]
    summed = {ours[axis] for axis in first}
    result = "".join(letter for letter in (*ours, *theirs) if letter not in summed)
    return einsum(context, Known(f"{''.join(ours)},{''.join(theirs)}->{result}"), left, right)


def cross(context: Context, a: Value, b: Value, axis: Value = LAST) -> Value:
    """``np.cross`` of vectors of three along an axis; not supported: vectors of two."""
    sides = [as_view(context, side) for side in (a, b)]
    parts = [[_component(context, side, axis, place) for place in range(3)] for side in sides]
    found = []
    for place in range(3):
        second, third = (place + 1) % 3, (place + 2) % 3
        plus = apply_all(context, "mul", parts[0][second], parts[1][third])
        minus = apply_all(context, "mul", parts[0][third], parts[1][second])
        found.append(apply_all(context, "sub", plus, minus))
    return stack(context, Tuple(tuple(found)), axis)


def _component(context: Context, side: View, axis: Value, place: int) -> Value:
    if not side.shape:
        context.wrong_type(f"np.cross takes vectors, not {kind_of(side)}")
    (along,) = axes_of(context, side, axis)
    require_equal(context, side.shape[along], sympy.Integer(3))
    return subscript(context, side, [*[FULL] * along, integer(place)])


def average(
    context: Context, a: Value, axis: Value = NOTHING, weights: Value = NOTHING, returned: Value = FALSE, *, keepdims: Value = NOTHING
) -> Value:
    """``np.average``: the mean, or with weights: the sum of the weighted over that of the weights."""
    if is_set(context, returned):
        context.unsupported("np.average with returned=True is not part of the language", hint="write np.sum(weights)")
    if isinstance(weights, Known):
        return mean(context, a, axis, keepdims)
    source, weighing = as_view(context, a), as_view(context, weights)
    if len(source.shape) != len(weighing.shape):
        if len(weighing.shape) != 1 or isinstance(axis, Known):
            context.wrong_type(f"{kind_of(source)} is not weighted by {kind_of(weighing)}", hint="name the axis of a vector of weights")
        weighing = as_view(context, _along(context, weighing, source, axis))
    else:
        for own, other in zip(source.shape, weighing.shape, strict=True):
            require_equal(context, own, other)
    dtype, _ = common_dtype(context, (source, weighing) if source.dtype.is_float else (source, weighing, Lazy((), F64, source.at)))
    scale = total(context, Lazy(weighing.shape, dtype, lambda indices: cast(weighing.at(indices), dtype)), axis, keepdims)
    return apply_all(context, "div", total(context, apply_all(context, "mul", source, weighing), axis, keepdims), scale)


def _along(context: Context, vector: View, source: Operand, axis: Value) -> Value:
    """A vector as an array of the rank of another, along an axis of it."""
    (along,) = axes_of(context, source, axis)
    if vector.shape[0] != 1:
        require_equal(context, vector.shape[0], source.shape[along])
    return subscript(context, vector, [*[NEW] * along, FULL, *[NEW] * (len(source.shape) - along - 1)])


# ---------------------------------------------------------------- convolutions

FULL_MODE, VALID = Known("full"), Known("valid")


def convolve(context: Context, a: Value, v: Value, mode: Value = FULL_MODE) -> Value:
    """``np.convolve`` of two vectors."""
    return _convolved(context, a, v, mode, False)


def correlate(context: Context, a: Value, v: Value, mode: Value = VALID) -> Value:
    """``np.correlate`` of two vectors."""
    return _convolved(context, a, v, mode, True)


def _convolved(context: Context, a: Value, v: Value, mode: Value, is_turned: bool) -> Value:
    if not isinstance(mode, Known) or mode.value not in ("full", "same", "valid"):
        context.wrong_type('the mode is "full", "same" or "valid"')
    first, second = (_numbers_of(context, side) for side in (a, v))
    for side in (first, second):
        require(context.builder, side.shape[0] - 1, "index", "a convolution of no elements", ())
    dtype, _ = common_dtype(context, (first, second))
    return inlined(context, _convolution, [first, second, mode, number(is_turned), Known(dtype.numpy)])


def _numbers_of(context: Context, value: Value) -> View:
    found = operand_of(context, value)
    if isinstance(found, Scalar):
        found = Lazy((sympy.Integer(1),), found.dtype, lambda indices: found.at(()))
    return vector_of(context, found, "what is convolved")


# ---------------------------------------------------------------- integrals, slopes, polynomials


def trapezoid(context: Context, y: Value, x: Value = NOTHING, dx: Value = number(1.0), axis: Value = LAST) -> Value:  # noqa: B008
    """``np.trapezoid``: the integral of what is linear between the values."""
    values = as_view(context, y)
    (along,) = axes_of(context, values, axis)
    width: Value = dx
    if not isinstance(x, Known):
        places = as_view(context, x)
        is_vector = len(places.shape) == 1
        steps = as_view(context, difference(context, places, integer(1), LAST if is_vector else axis))
        width = subscript(context, steps, [FULL, *[NEW] * (len(values.shape) - along - 1)]) if is_vector else steps
    later, earlier = (_cut(context, values, along, *ends) for ends in ((1, None), (None, -1)))
    area = apply_all(context, "mul", width, apply_all(context, "add", later, earlier))
    return total(context, apply_all(context, "div", area, number(2.0)), integer(along))


def _cut(context: Context, view: View, along: int, start: int | None, stop: int | None) -> Value:
    first, last = (None if end is None else integer(end) for end in (start, stop))
    return subscript(context, view, [*[FULL] * along, SliceOf(first, last, None)])


def gradient(context: Context, f: Value, *varargs: Value, axis: Value = NOTHING, edge_order: Value = integer(1)) -> Value:  # noqa: B008
    """``np.gradient``: slopes along one axis, or a tuple of them for several; spacings are numbers, or vectors of places."""
    if not isinstance(edge_order, Scalar) or edge_order.constant != 1:
        context.unsupported("np.gradient takes edge_order=1", hint="write the borders")
    values = as_view(context, f)
    if not values.dtype.is_float:
        values = as_view(context, copied(context, values, Known(F64.numpy)))
    axes = axes_of(context, values, axis) if not isinstance(axis, Tuple) else [axes_of(context, values, item)[0] for item in axis.items]
    given: Sequence[Value] = varargs or (number(1.0),)
    if len(given) == 1:
        given = [*given] * len(axes)
    if len(given) != len(axes):
        context.wrong_type(f"{len(varargs)} spacings do not go with {len(axes)} axes")
    found = [_slopes_along(context, values, along, spacing) for along, spacing in zip(axes, given, strict=True)]
    return found[0] if len(found) == 1 else Tuple(tuple(found))


def _slopes_along(context: Context, values: View, along: int, spacing: Value) -> Value:
    """The slopes along an axis: those of a text for the first axis."""
    message = "np.gradient needs two elements along an axis"
    require(context.builder, values.shape[along] - 2, "index", message, ())
    rank = len(values.shape)
    there = [along, *(position for position in range(rank) if position != along)]
    front = turned_view(values, there)
    width = spacing if isinstance(spacing, Tuple) else operand_of(context, spacing)
    if isinstance(width, Scalar):
        slopes = inlined(context, _slopes, [front, width])
    else:
        places = vector_of(context, width, "a spacing that is no number")
        require_equal(context, places.shape[0], values.shape[along])
        steps = as_view(context, difference(context, places))
        slopes = inlined(context, _uneven_slopes, [front, subscript(context, steps, [FULL, *[NEW] * (rank - 1)])])
    found = as_view(context, copied(context, slopes, Known(values.dtype.numpy)))
    return turned_view(found, [there.index(position) for position in range(rank)])


def polynomial(context: Context, p: Value, x: Value) -> Value:
    """``np.polyval``: Horner's rule, the coefficient of the highest power first."""
    if isinstance(p, Tuple):
        coefficients = [settle(context, number_of(context, item)) for item in p.items]
        weak = [Scalar(one.expression) for one in coefficients]
        return lift(context, lambda at: _horner(weak, settle_element(context, at)), (operand_of(context, x),))
    coefficients_ = vector_of(context, p, "the coefficients of np.polyval")
    at = operand_of(context, x)
    dtype, _ = common_dtype(context, (coefficients_, Lazy((), at.dtype, lambda indices: at.at(indices))))
    zero = Scalar(cast(number(0.0).expression, dtype))
    return for_each(context, _value_of_polynomial, _values_of_polynomial, at, coefficients_, zero, Known(dtype.numpy))


def _horner(coefficients: Sequence[Scalar], at: Scalar) -> Scalar:
    value = Scalar(cast(integer(0).expression, at.dtype))
    for coefficient in coefficients:
        value = apply("add", apply("mul", value, at), coefficient)
    return value


ALGEBRA: dict[object, Callable[..., Value]] = {
    np.inner: inner,
    np.vdot: vdot,
    np.tensordot: tensordot,
    np.cross: cross,
    np.average: average,
    np.convolve: convolve,
    np.correlate: correlate,
    np.trapezoid: trapezoid,
    np.gradient: gradient,
    np.polyval: polynomial,
}

# ---------------------------------------------------------------- texts


def _convolution(a: Numbers, v: Numbers, mode: str, is_turned: bool, kind: type) -> Numbers:
    """The part of the full convolution of a and v (or v turned round) that the mode names."""
    n, m = len(a), len(v)
    start = 0
    length = n + m - 1
    if mode == "valid":
        start = min(n, m) - 1
        length = max(n, m) - start
    elif mode == "same":
        start = n // 2 if is_turned and n < m else (min(n, m) - 1) // 2
        length = max(n, m)
    found: Numbers = np.zeros(length, dtype=kind)
    for j in range(m):
        factor = v[m - 1 - j] if is_turned else v[j]
        for i in range(max(0, j - start), min(length, n + j - start)):
            found[i] += factor * a[i + start - j]
    return found


def _slopes(f: Numbers, h: float) -> Numbers:
    return np.concatenate(((f[1:2] - f[:1]) / h, (f[2:] - f[:-2]) / (2.0 * h), (f[-1:] - f[-2:-1]) / h))


def _uneven_slopes(f: Numbers, d: Numbers) -> Numbers:
    """NumPy's formula of second order for steps d of different lengths."""
    d1, d2 = d[:-1], d[1:]
    a = -d2 / (d1 * (d1 + d2))
    b = (d2 - d1) / (d1 * d2)
    c = d1 / (d2 * (d1 + d2))
    inside = a * f[:-2] + b * f[1:-1] + c * f[2:]
    return np.concatenate(((f[1:2] - f[:1]) / d[:1], inside, (f[-1:] - f[-2:-1]) / d[-1:]))


def _value_of_polynomial(x: float, p: Numbers, zero: float, kind: type) -> float:
    value = zero
    for coefficient in p:
        value = value * x + coefficient
    return value


def _values_of_polynomial(x: Numbers, p: Numbers, zero: float, kind: type) -> Numbers:
    values: Numbers = np.empty(len(x), dtype=kind)
    for i in range(len(x)):
        values[i] = _value_of_polynomial(x[i], p, zero, kind)
    return values
