"""Comparisons of arrays, functions of elements that are made of others, reductions that pass over NaN, sequences by ratios."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dfad.frontend.arithmetic import apply, select
from dfad.frontend.builder import cast, constant
from dfad.frontend.creation import copied, linspace
from dfad.frontend.elementwise import apply_all, lift, number_of, operand_of, settle, settle_element
from dfad.frontend.flat import as_vector
from dfad.frontend.functions import same
from dfad.frontend.powers import power
from dfad.frontend.reductions import NOTHING, all_of, is_set, maximum, mean, minimum, product, total
from dfad.frontend.scope import Context
from dfad.frontend.spelled import inlined
from dfad.frontend.values import Known, Lazy, Masked, Scalar, Value, integer, number
from dfad.ir.dtype import BOOL, F64
from dfad.ir.nodes import Apply, Integer

Numbers = np.ndarray
FALSE = number(False)
NEAR, TINY = number(1e-05), number(1e-08)
Rule = Callable[..., Scalar]


def _elements(context: Context, rule: Rule, *operands: Value) -> Value:
    """A rule for numbers, of elements that are computed once each."""
    return lift(context, lambda *values: rule(*(settle_element(context, value) for value in values)), operands)


def _float(value: Scalar) -> Scalar:
    return value if value.dtype.is_float else Scalar(cast(value.expression, F64), value.weak)


def _both(first: Scalar, second: Scalar) -> Scalar:
    return apply("and", first, second)


def _is_nan(value: Scalar) -> Scalar:
    return apply("isnan", value) if value.dtype.is_float else FALSE


def _is_infinite(value: Scalar) -> Scalar:
    return apply("isinf", value) if value.dtype.is_float else FALSE


# ---------------------------------------------------------------- comparisons


def isclose(
    context: Context,
    a: Value,
    b: Value,
    rtol: Value = NEAR,
    atol: Value = TINY,
    equal_nan: Value = FALSE,
) -> Value:
    """``np.isclose``: abs(a - b) <= atol + rtol*abs(b) for finite b, or equal."""
    counts_nan = is_set(context, equal_nan)

    def rule(x: Scalar, y: Scalar, relative: Scalar, absolute: Scalar) -> Scalar:
        y = _float(y)
        room = apply("add", absolute, apply("mul", relative, apply("abs", y)))
        is_near = apply("le", apply("abs", apply("sub", x, y)), room)
        is_finite = apply("not", apply("or", _is_nan(y), _is_infinite(y)))
        found = apply("or", _both(is_near, is_finite), apply("eq", x, y))
        return apply("or", found, _both(_is_nan(x), _is_nan(y))) if counts_nan else found

    return _elements(context, rule, a, b, rtol, atol)


def allclose(
    context: Context,
    a: Value,
    b: Value,
    rtol: Value = NEAR,
    atol: Value = TINY,
    equal_nan: Value = FALSE,
) -> Value:
    """``np.allclose``."""
    return all_of(context, isclose(context, a, b, rtol, atol, equal_nan))


def array_equal(context: Context, a1: Value, a2: Value, equal_nan: Value = FALSE) -> Value:
    """``np.array_equal``: one shape and equal elements."""
    first, second = operand_of(context, a1), operand_of(context, a2)
    if len(first.shape) != len(second.shape):
        return number(False)
    if not first.shape:
        pair = (number_of(context, first), number_of(context, second))
        return apply("or", apply("eq", *pair), _both(*map(_is_nan, pair))) if is_set(context, equal_nan) else apply("eq", *pair)
    extents = zip(first.shape, second.shape, strict=True)
    has_shape = Scalar(constant(True, BOOL))
    for own, other in extents:
        natural = (context.builder.natural(extent) for extent in (own, other))
        has_shape = _both(has_shape, Scalar(Apply("eq", tuple(Integer(extent) for extent in natural), BOOL)))
    return inlined(context, _are_equal, [as_vector(context, first), as_vector(context, second), has_shape, equal_nan])


def _are_equal(a: Numbers, b: Numbers, has_shape: bool, equal_nan: bool) -> bool:
    is_equal = has_shape
    i = 0
    while is_equal and i < len(a):
        is_equal = a[i] == b[i] or (equal_nan and a[i] != a[i] and b[i] != b[i])
        i += 1
    return is_equal


# ---------------------------------------------------------------- functions of elements


def _step(x: Scalar, middle: Scalar) -> Scalar:
    """``np.heaviside``: 0, the middle, 1."""
    x, middle = _float(x), _float(middle)
    zero, one = number(0.0), number(1.0)
    sides = select(apply("lt", x, zero), Scalar(cast(zero.expression, x.dtype), x.weak), Scalar(cast(one.expression, x.dtype), x.weak))
    return select(_is_nan(x), x, select(apply("eq", x, zero), middle, sides))


def sinc(context: Context, x: Value) -> Value:
    """``np.sinc``: sin(pi*x) / (pi*x), with NumPy's smallest number in place of 0."""
    scaled = apply_all(context, "mul", x, number(float(np.pi)))
    smallest = number(float(np.finfo(scaled.dtype.name).eps))

    def divided(y: Scalar) -> Scalar:
        return select(apply("ne", y, number(0.0)), y, Scalar(cast(smallest.expression, y.dtype), y.weak))

    return _elements(context, lambda y: apply("div", apply("sin", y), y), _elements(context, divided, scaled))


def nan_to_num(
    context: Context,
    x: Value,
    copy: Value = number(True),  # noqa: B008
    nan: Value = number(0.0),  # noqa: B008
    posinf: Value = NOTHING,
    neginf: Value = NOTHING,
) -> Value:
    """``np.nan_to_num``: numbers in place of NaN and the infinities; by default 0 and the outermost ones of the type."""
    if not is_set(context, copy):
        context.unsupported("np.nan_to_num with copy=False is not part of the language", hint="write x[:] = np.nan_to_num(x)")
    found = x if isinstance(x, Masked) else operand_of(context, x)
    if not found.dtype.is_float:
        return same(context, found)
    limits = np.finfo(found.dtype.name)
    greatest, least = number(float(limits.max)), number(float(limits.min))
    ends = [greatest if isinstance(posinf, Known) else posinf, least if isinstance(neginf, Known) else neginf]
    given = [Scalar(cast(settle(context, number_of(context, value)).expression, found.dtype)) for value in (nan, *ends)]

    def rule(value: Scalar) -> Scalar:
        is_positive = apply("gt", value, number(0.0))
        infinite = select(_is_infinite(value), select(is_positive, given[1], given[2]), value)
        return select(_is_nan(value), given[0], infinite)

    return _elements(context, rule, found)


def _log_of_sum(x: Scalar, y: Scalar) -> Scalar:
    """``np.logaddexp``: the greater, and log1p of exp of minus the distance."""
    x, y = _float(x), _float(y)
    distance = apply("sub", x, y)
    far = apply("add", x, apply("log1p", apply("exp", apply("neg", distance))))
    near = apply("add", y, apply("log1p", apply("exp", distance)))
    same_infinity = _both(apply("eq", x, y), _is_infinite(x))
    return select(same_infinity, x, select(apply("gt", distance, number(0.0)), far, near))


def _past_nan(operation: str) -> Rule:
    """``np.fmax``, ``np.fmin``: the other number where one is NaN."""
    return lambda x, y: select(_is_nan(x), y, select(_is_nan(y), x, apply(operation, x, y)))


def _is_negative(x: Scalar) -> Scalar:
    """``np.signbit``, but for the sign of NaN."""
    if not x.dtype.is_float:
        return apply("lt", x, integer(0))
    is_zero = apply("eq", x, number(0.0))
    return apply("or", apply("lt", x, number(0.0)), _both(is_zero, apply("lt", apply("div", number(1.0), x), number(0.0))))


def _pointwise(rule: Rule, arity: int) -> Callable[..., Value]:
    if arity == 1:
        return lambda context, x: _elements(context, rule, x)
    return lambda context, x1, x2: _elements(context, rule, x1, x2)


def float_power(context: Context, x1: Value, x2: Value) -> Value:
    """``np.float_power``: the power in float64."""
    return power(context, *(_as_f64(context, value) for value in (x1, x2)))


def _as_f64(context: Context, value: Value) -> Value:
    found = operand_of(context, value)
    return Scalar(cast(found.expression, F64)) if isinstance(found, Scalar) else copied(context, found, Known(F64.numpy))


# ---------------------------------------------------------------- past NaN


def _instead(context: Context, a: Value, other: float) -> Value:
    """The elements with a number in place of NaN."""
    found = operand_of(context, a)
    if not found.dtype.is_float:
        return found
    given = Scalar(constant(other, found.dtype))
    return _elements(context, lambda value: select(_is_nan(value), given, value), found)


def _counted(context: Context, a: Value, axis: Value, keepdims: Value) -> Value:
    """How many elements are numbers."""
    found = operand_of(context, a)
    return total(context, lift(context, lambda value: apply("eq", value, value), (found,)), axis, keepdims)


def nansum(context: Context, a: Value, axis: Value = NOTHING, *, keepdims: Value = NOTHING) -> Value:
    """``np.nansum``."""
    return total(context, _instead(context, a, 0.0), axis, keepdims)


def nanprod(context: Context, a: Value, axis: Value = NOTHING, *, keepdims: Value = NOTHING) -> Value:
    """``np.nanprod``."""
    return product(context, _instead(context, a, 1.0), axis, keepdims)


def nanmean(context: Context, a: Value, axis: Value = NOTHING, *, keepdims: Value = NOTHING) -> Value:
    """``np.nanmean``."""
    found = operand_of(context, a)
    if not found.dtype.is_float:
        return mean(context, found, axis, keepdims)
    count = operand_of(context, _counted(context, found, axis, keepdims))
    own = Lazy(count.shape, found.dtype, lambda indices: cast(count.at(indices), found.dtype)) if count.shape else count
    return apply_all(context, "div", nansum(context, found, axis, keepdims=keepdims), own)


def _past_nan_along(extreme: Callable[..., Value], start: float) -> Callable[..., Value]:
    """``np.nanmax``, ``np.nanmin``: NaN only where no element is a number."""

    def handler(context: Context, a: Value, axis: Value = NOTHING, *, keepdims: Value = NOTHING) -> Value:
        found = operand_of(context, a)
        if not found.dtype.is_float:
            return extreme(context, found, axis, keepdims)
        best = extreme(context, _instead(context, found, start), axis, keepdims)
        count = _counted(context, found, axis, keepdims)
        nan = Scalar(constant(float("nan"), found.dtype))
        return lift(context, lambda value, times: select(apply("eq", times, integer(0)), nan, value), (best, count))

    return handler


# ---------------------------------------------------------------- sequences


def logspace(
    context: Context,
    start: Value,
    stop: Value,
    num: Value = integer(50),  # noqa: B008
    endpoint: Value = number(True),  # noqa: B008
    base: Value = number(10.0),  # noqa: B008
) -> Value:
    """``np.logspace``: powers of the base, with equal steps between the exponents."""
    return power(context, settle(context, number_of(context, base)), linspace(context, start, stop, num, endpoint))


def geomspace(context: Context, start: Value, stop: Value, num: Value = integer(50), endpoint: Value = number(True)) -> Value:  # noqa: B008
    """``np.geomspace``: each number the one before times the same ratio."""
    ends = [settle(context, _float(number_of(context, end))) for end in (start, stop)]
    return inlined(context, _ratios, [*ends, num, number(is_set(context, endpoint))])


def _ratios(start: float, stop: float, num: int, is_closed: bool) -> Numbers:
    assert start != 0.0, "Geometric sequence cannot include zero"
    assert stop != 0.0, "Geometric sequence cannot include zero"
    sign = np.sign(start)
    numbers = 10.0 ** np.linspace(np.log10(start / sign), np.log10(stop / sign), num, endpoint=is_closed)
    if num > 0:
        numbers[0] = start / sign
    if num > 1 and is_closed:
        numbers[-1] = stop / sign
    signed: Numbers = numbers * sign
    return signed


COMPARED: dict[object, Callable[..., Value]] = {
    np.isclose: isclose,
    np.allclose: allclose,
    np.array_equal: array_equal,
    np.heaviside: _pointwise(_step, 2),
    np.sinc: sinc,
    np.nan_to_num: nan_to_num,
    np.fix: lambda context, x: apply_all(context, "trunc", x),
    np.logaddexp: _pointwise(_log_of_sum, 2),
    np.fmax: _pointwise(_past_nan("maximum"), 2),
    np.fmin: _pointwise(_past_nan("minimum"), 2),
    np.signbit: _pointwise(_is_negative, 1),
    np.float_power: float_power,
    np.nansum: nansum,
    np.nanprod: nanprod,
    np.nanmean: nanmean,
    np.nanmax: _past_nan_along(maximum, float("-inf")),
    np.nanmin: _past_nan_along(minimum, float("inf")),
    np.logspace: logspace,
    np.geomspace: geomspace,
}
