"""Functions of elements: NumPy's elementwise ones and the module math's, by the function objects themselves.

In: values. Out: a number, or an array whose elements are computed where they are stored. `ELEMENTWISE` is a part of the table of calls.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from dfad.frontend.arithmetic import apply, convert
from dfad.frontend.builder import cast
from dfad.frontend.elementwise import apply_all, number_of, operand_of, typed
from dfad.frontend.mathematics import MATHEMATICS, euclidean, logarithm
from dfad.frontend.powers import power
from dfad.frontend.scope import Context
from dfad.frontend.values import ONE, Deferred, Lazy, Masked, Scalar, Value, View, integer, kind_of, number
from dfad.ir.dtype import F64, I64
from dfad.ir.operations import NUMPY_NAMES, OPERATIONS

Handler = Callable[..., Value]


def _unary(operation: str) -> Handler:
    return lambda context, x: apply_all(context, operation, x)


def _binary(operation: str) -> Handler:
    return lambda context, x1, x2: apply_all(context, operation, x1, x2)


def _outer(operation: str) -> Handler:
    """``np.add.outer`` and its kin: every element of the first with every element of the second."""

    def handler(context: Context, A: Value, B: Value) -> Value:
        first, second = operand_of(context, A), operand_of(context, B)
        if isinstance(first, Scalar) or isinstance(second, Scalar):
            return apply_all(context, operation, first, second)
        spread = Lazy((*first.shape, *(ONE for _ in second.shape)), first.dtype, lambda indices: first.at(indices[: len(first.shape)]))
        return apply_all(context, operation, spread, second)

    return handler


def _mathematical(operation: str, arity: int) -> Handler:
    """A function of the module math: numbers only, float64, a Python float comes back."""

    def handler(context: Context, *numbers: Value) -> Value:
        if len(numbers) != arity:
            context.wrong_type(f"this function takes {arity} numbers")
        values = [Scalar(cast(number_of(context, value).expression, F64), weak=True) for value in numbers]
        return typed(context, partial(apply, operation), *values)

    return handler


def rounded(operation: str) -> Handler:
    """``math.floor`` and its kin: an integer comes back."""

    def handler(context: Context, x: Value) -> Value:
        value = number_of(context, x)
        if value.integer is not None:
            return value
        found = typed(context, partial(apply, operation), Scalar(cast(value.expression, F64)))
        return Scalar(convert(found, I64).expression, weak=True)

    return handler


def _different(context: Context, x1: Value, x2: Value) -> Value:
    """``np.logical_xor``."""
    sides = (apply_all(context, "not", x1), apply_all(context, "not", x2))
    return apply_all(context, "ne", *sides)


def _finite(context: Context, x: Value) -> Value:
    """``np.isfinite``: neither."""
    return apply_all(context, "not", apply_all(context, "or", apply_all(context, "isnan", x), apply_all(context, "isinf", x)))


def to_decimals(context: Context, a: Value, decimals: Value = integer(0)) -> Value:  # noqa: B008
    """``np.round``: to the nearest even of the last of so many decimals, by NumPy's own arithmetic."""
    places = decimals.constant if isinstance(decimals, Scalar) else None
    if not isinstance(places, int):
        context.wrong_type(f"np.round takes a constant number of decimals, not {kind_of(decimals)}")
    if not isinstance(a, Masked) and operand_of(context, a).dtype.kind in "bi" and places >= 0:
        return same(context, a)
    if places == 0:
        return apply_all(context, "rint", a)
    power = number(10.0 ** abs(places))
    before, after = ("mul", "div") if places > 0 else ("div", "mul")
    return apply_all(context, after, apply_all(context, "rint", apply_all(context, before, a, power)), power)


def same(context: Context, x: Value) -> Value:
    """``+x``: a new array of the same elements, or the number."""
    if isinstance(x, Masked | Deferred):
        return x
    found = operand_of(context, x)
    return Lazy(found.shape, found.dtype, found.at) if isinstance(found, View | Lazy) else found


def _reciprocal(context: Context, x: Value) -> Value:
    """``np.reciprocal`` of floats."""
    if not (x if isinstance(x, Masked) else operand_of(context, x)).dtype.is_float:
        context.wrong_type(f"NumPy's reciprocal of {kind_of(x)} is an integer", hint="write 1.0 / x")
    return apply_all(context, "div", number(1.0), x)


def _scaled(factor: float) -> Handler:
    return lambda context, x: apply_all(context, "mul", x, number(factor))


def is_numpys(function: object) -> bool:
    """Whether it is one of NumPy's functions."""
    return isinstance(function, np.ufunc) or (getattr(function, "__module__", None) or "").startswith("numpy")


def as_given(function: object, value: Value) -> Value:
    """What a function gives: NumPy's own numbers promote as arrays do, also those of Python's numbers; extents are Python's."""
    if not isinstance(value, Scalar) or not is_numpys(function) or function in (np.size, np.ndim):
        return value
    return replace(value, weak=False)


def _numpy_functions() -> dict[object, Handler]:
    spelled = {name: name for name in OPERATIONS} | NUMPY_NAMES | {"logical_and": "and", "logical_or": "or", "logical_not": "not"}
    spelled |= {
        "less": "lt",
        "less_equal": "le",
        "greater": "gt",
        "greater_equal": "ge",
        "equal": "eq",
        "not_equal": "ne",
        "subtract": "sub",
    }
    found: dict[object, Handler] = {}
    for name, operation in spelled.items():
        function = getattr(np, name, None)
        if isinstance(function, np.ufunc):
            found[function] = _unary(operation) if OPERATIONS[operation].arity == 1 else _binary(operation)
            if function.nin == 2:
                found[function.outer] = _outer(operation)
    return found


def _math_functions() -> dict[object, Handler]:
    found: dict[object, Handler] = {}
    for name, function in vars(math).items():
        operation = NUMPY_NAMES.get(name, name)
        if callable(function) and operation in OPERATIONS:
            found[function] = _mathematical(operation, OPERATIONS[operation].arity)
    found |= {math.log: logarithm(found[math.log]), math.hypot: euclidean(found[math.hypot])}
    return found | MATHEMATICS | {math.floor: rounded("floor"), math.ceil: rounded("ceil"), math.trunc: rounded("trunc")}


ELEMENTWISE: dict[object, Handler] = {
    **_numpy_functions(),
    **_math_functions(),
    np.logical_xor: _different,
    np.round: to_decimals,
    np.around: to_decimals,
    np.isfinite: _finite,
    np.positive: same,
    np.power: power,
    np.deg2rad: _scaled(math.pi / 180.0),
    np.radians: _scaled(math.pi / 180.0),
    math.radians: _scaled(math.pi / 180.0),
    np.rad2deg: _scaled(180.0 / math.pi),
    np.degrees: _scaled(180.0 / math.pi),
    math.degrees: _scaled(180.0 / math.pi),
    math.isnan: _unary("isnan"),
    math.isinf: _unary("isinf"),
    math.isfinite: _finite,
    np.square: lambda context, x: apply_all(context, "pow", x, integer(2)),
    np.reciprocal: _reciprocal,
}
