"""Arrays that carry a derivative in their imaginary part: the number system of the complex step.

    f(x + i h v) = f(x) + i h J v + O(h^2),   h = 1e-30:  J v = imag / h, exact to rounding

Plain complex arrays are silently wrong in `abs`, `std` and at every comparison, so here

- arrays and scalars are `Stepped`, whose real part is always computed by the real function: values and branches are NumPy's;
- comparisons, `argmax`, `floor` and the like look at real parts only;
- kinked functions follow real parts: `maximum`, `minimum`, `clip` and `max` share a tie evenly, `abs` has derivative 0 at 0;
- a function without a rule here is refused: `NotImplementedError`, never a wrong number.

Nothing here imports dfad: this is the witness that the compiler is tried against. `stepped_world.py` runs a kernel in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import special

STEP = 1e-30
Value = Any


class Stepped(np.ndarray):
    """A complex128 array, or a scalar as a 0-d array that in-place operators never change, that behaves like a real one."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Value, out: Value = None, **options: Value) -> Value:
        if method == "at":
            return _at(ufunc, *inputs)
        result = _apply(ufunc, method, inputs, options)
        if out is None:
            return result
        np.copyto(plain(out[0]), plain(result), casting="unsafe")
        return out[0]

    def __array_function__(self, function: Callable[..., Value], types: Value, args: Value, kwargs: Value) -> Value:
        name = function.__name__
        out, kwargs = kwargs.get("out"), {key: value for key, value in kwargs.items() if key not in ("out", "dtype")}
        if out is not None:
            out[...] = function(*args, **kwargs)
            return out
        if name in ARRAY_RULES:
            return ARRAY_RULES[name](*args, **kwargs)
        if name in REAL_FUNCTIONS:
            return function(*_real(args), **_real(kwargs))
        if name not in VIEWS | COMPUTED:
            raise NotImplementedError(f"the complex step has no rule for np.{name}")
        result = function(*plain(args), **plain(kwargs))
        if name in COMPUTED and result is not None:
            result = _joined(function(*_real(args), **_real(kwargs)), np.asarray(result).imag)
        return wrap(result)

    def __getitem__(self, index: Value) -> Value:
        return wrap(self.view(np.ndarray)[_real(index)])

    def __setitem__(self, index: Value, value: Value) -> None:
        self.view(np.ndarray)[_real(index)] = plain(value)

    def __iter__(self) -> Iterator[Value]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        return bool(_real(self))

    def __int__(self) -> int:
        return int(_real(self))

    def __float__(self) -> float:
        raise NotImplementedError("a stepped value was turned into a plain float: its derivative would be lost")

    def __round__(self, digits: int | None = None) -> Value:
        return round(float(_real(self)), digits) if digits is not None else round(float(_real(self)))

    def __floor__(self) -> int:
        return math.floor(float(_real(self)))

    def __ceil__(self) -> int:
        return math.ceil(float(_real(self)))

    def astype(self, dtype: Value, *args: Value, **kwargs: Value) -> Value:
        """A copy: floats stay stepped, integers and booleans are taken from the real part."""
        kind = complex_dtype(dtype)
        return self.copy() if kind == np.complex128 else _real(self).astype(kind)


def _method(name: str) -> Callable[..., Value]:
    def call(self: Stepped, *args: Value, **kwargs: Value) -> Value:
        return getattr(np, name)(self, *args, **kwargs)

    return call


METHODS = (
    "max",
    "min",
    "argmax",
    "argmin",
    "argsort",
    "sum",
    "prod",
    "mean",
    "var",
    "std",
    "dot",
    "clip",
    "round",
    "cumsum",
    "cumprod",
    "trace",
)
for _name in METHODS:
    setattr(Stepped, _name, _method(_name))


def _in_place(name: str) -> Callable[..., Value]:
    update, plain = getattr(np.ndarray, f"__i{name}__"), getattr(np.ndarray, f"__{name}__")

    def call(self: Stepped, other: Value) -> Value:
        return plain(self, other) if self.ndim == 0 else update(self, other)

    return call


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
    setattr(Stepped, f"__i{_name}__", _in_place(_name))


# Between the worlds


class FloatType:
    """Stands for `float`, `np.float64`, `np.float32`: as a dtype it means complex128, called it keeps the derivative."""

    dtype = np.dtype(np.complex128)

    def __call__(self, value: Value = 0.0) -> Value:
        return value if isinstance(value, Stepped) else float(value)


FLOAT = FloatType()


def complex_dtype(dtype: Value) -> Value:
    if dtype is None or isinstance(dtype, FloatType):
        return dtype and np.dtype(np.complex128)
    dtype = np.dtype(dtype)
    return np.dtype(np.complex128) if dtype.kind in "fc" else dtype


def _map(value: Value, change: Callable[[np.ndarray], np.ndarray]) -> Value:
    match value:
        case np.ndarray():
            return change(value)
        case tuple() | list():
            return type(value)(_map(item, change) for item in value)
        case dict():
            return {key: _map(item, change) for key, item in value.items()}
        case np.complexfloating() | complex():
            return change(np.asarray(value))
        case FloatType():
            return np.float64
        case _:
            return value


def plain(value: Value) -> Value:
    """The same data as plain complex arrays, not copied."""
    return _map(value, lambda array: array.view(np.ndarray))


def _real(value: Value) -> Value:
    """The real parts: a stepped array as float64, everything else as it is."""
    return _map(value, lambda array: array.view(np.ndarray).real if array.dtype.kind == "c" else array)


def _imag(value: Value) -> Value:
    data = plain(value)
    return data.imag if isinstance(data, np.ndarray) and data.dtype.kind == "c" else 0.0


def _joined(real: Value, imag: Value) -> Value:
    result = np.empty(np.shape(real), dtype=np.complex128)
    result.real = real
    result.imag = np.where(np.isnan(real), np.nan, imag)
    return result.view(Stepped)


def wrap(value: Value) -> Value:
    if isinstance(value, tuple | list):
        return type(value)(wrap(item) for item in value)
    if isinstance(value, np.ndarray | np.complexfloating) and value.dtype.kind == "c":
        return np.asarray(value).view(Stepped)
    return value


def step(value: Value, direction: Value = 0.0) -> Value:
    """`value + i h direction` as a new stepped array (floats), or a plain copy (everything else)."""
    if np.asarray(value).dtype.kind != "f":
        return value.copy() if isinstance(value, np.ndarray) else value
    return _joined(np.asarray(value, dtype=np.float64), STEP * np.asarray(direction, dtype=np.float64))


def derivative(value: Value) -> np.ndarray:
    """The derivative that a result carries: its imaginary part over the step."""
    return np.asarray(_imag(value), dtype=np.float64) / STEP + np.zeros(np.shape(value))


def primal(value: Value) -> Value:
    """The value itself: the real part of a result."""
    return np.array(_real(value))


# Elementwise functions: the real part by the real function; the imaginary part by the complex one, or by a rule where there is none


def _power(x: Value, y: Value) -> Value:
    xr, yr = np.float64(_real(x)), np.float64(_real(y))
    by_base = np.where(yr == 0, 0.0, yr * xr ** (yr - 1)) * _imag(x)
    by_exponent = np.where((xr == 0) & (yr >= 0), 0.0, xr**yr * np.log(np.where(xr == 0, 1.0, xr)))
    return by_base + np.where(_imag(y) == 0, 0.0, by_exponent * _imag(y))


def _select(wins: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    def imag(x: Value, y: Value) -> Value:
        xr, yr, xi, yi = _real(x), _real(y), _imag(x), _imag(y)
        return np.where(xr == yr, 0.5 * (xi + yi), np.where(wins(xr, yr) | np.isnan(xr), xi, yi))

    return imag


def _past_nan(wins: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    def imag(x: Value, y: Value) -> Value:
        return np.where(np.isnan(_real(x)), _imag(y), np.where(np.isnan(_real(y)), _imag(x), _select(wins)(x, y)))

    return imag


def _arctan2(y: Value, x: Value) -> Value:
    xr, yr = _real(x), _real(y)
    return (xr * _imag(y) - yr * _imag(x)) / (xr * xr + yr * yr)


def _hypot(x: Value, y: Value) -> Value:
    size = np.hypot(_real(x), _real(y))
    return _real(x) / size * _imag(x) + _real(y) / size * _imag(y)


def _logaddexp(x: Value, y: Value) -> Value:
    total = np.logaddexp(_real(x), _real(y))
    return np.exp(_real(x) - total) * _imag(x) + np.exp(_real(y) - total) * _imag(y)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RULES: dict[str, Callable[..., Value]] = {
    "power": _power,
    "float_power": _power,
    "absolute": lambda x: np.sign(_real(x)) * _imag(x),
    "fabs": lambda x: np.sign(_real(x)) * _imag(x),
    "maximum": _select(np.greater),
    "minimum": _select(np.less),
    "fmax": _past_nan(np.greater),
    "fmin": _past_nan(np.less),
    "remainder": lambda x, y: _imag(x) - np.floor_divide(_real(x), _real(y)) * _imag(y),
    "fmod": lambda x, y: _imag(x) - np.rint((_real(x) - np.fmod(_real(x), _real(y))) / _real(y)) * _imag(y),
    "hypot": _hypot,
    "arctan2": _arctan2,
    "logaddexp": _logaddexp,
    "cbrt": lambda x: _imag(x) / (3.0 * np.cbrt(_real(x)) ** 2),
    "copysign": lambda x, y: np.copysign(1.0, _real(x)) * np.copysign(1.0, _real(y)) * _imag(x),
    "nextafter": lambda x, y: _imag(x),
    "gamma": lambda x: special.gamma(_real(x)) * special.digamma(_real(x)) * _imag(x),
    "gammaln": lambda x: special.digamma(_real(x)) * _imag(x),
    "deg2rad": lambda x: np.deg2rad(_imag(x)),
    "radians": lambda x: np.radians(_imag(x)),
    "rad2deg": lambda x: np.rad2deg(_imag(x)),
    "degrees": lambda x: np.degrees(_imag(x)),
    **dict.fromkeys(("sign", "floor", "ceil", "rint", "trunc", "floor_divide", "heaviside"), lambda *operands: 0.0),
}
HOLOMORPHIC = _words(
    "add subtract multiply divide true_divide negative positive reciprocal square sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan "
    "arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh erf erfc matmul vecdot matvec vecmat"
)
DECISIONS = _words(
    "less less_equal greater greater_equal equal not_equal logical_and logical_or logical_not logical_xor isnan isinf isfinite signbit"
)


def _apply(ufunc: np.ufunc, method: str, inputs: tuple[Value, ...], options: dict[str, Value]) -> Value:
    name, call = ufunc.__name__, getattr(ufunc, method)
    options = {key: _real(value) for key, value in options.items()}
    if method == "reduce" and name in ("maximum", "minimum"):
        return _extreme(ufunc, inputs[0], axis=options.get("axis", 0), keepdims=options.get("keepdims", False))
    real = call(*_real(inputs), **options)
    if name in DECISIONS:
        return real
    if name in RULES and method == "__call__":
        return _joined(real, RULES[name](*inputs))
    if name in RULES and method == "outer":
        first, second = (np.asanyarray(value) for value in inputs)
        return _joined(real, RULES[name](first[(..., *[None] * second.ndim)], second))
    if name not in HOLOMORPHIC:
        raise NotImplementedError(f"the complex step has no rule for np.{name} ({method})")
    return _joined(real, call(*plain(inputs), **options).imag)


def _at(ufunc: np.ufunc, target: Value, index: Value, values: Value) -> None:
    if ufunc.__name__ not in ("add", "subtract", "multiply"):
        raise NotImplementedError(f"the complex step has no rule for np.{ufunc.__name__}.at")
    ufunc.at(plain(target), _real(index), plain(values))


# Array functions: views and copies pass the data on; computed ones take their real part from the real function


VIEWS = _words(
    "where concatenate stack hstack vstack dstack column_stack reshape ravel transpose moveaxis swapaxes roll flip fliplr flipud "
    "rot90 diagonal diag tril triu broadcast_to broadcast_arrays expand_dims squeeze take take_along_axis repeat tile copy copyto "
    "atleast_1d atleast_2d split array_split append meshgrid select compress extract delete insert pad put putmask put_along_axis "
    "fill_diagonal"
)
COMPUTED = _words(
    "sum prod mean dot outer inner einsum tensordot trace cumsum cumprod diff matmul kron cross solve inv det matrix_power average "
    "trapezoid gradient polyval vander sinc logspace geomspace"
)
REAL_FUNCTIONS = _words(
    "argmax argmin argsort nonzero argwhere flatnonzero count_nonzero searchsorted digitize shape ndim size any all isclose "
    "allclose array_equal result_type may_share_memory shares_memory iscomplexobj"
)


def _extreme(ufunc: np.ufunc, x: Value, axis: Value = None, keepdims: bool = False) -> Value:
    best = ufunc.reduce(_real(x), axis=axis, keepdims=True)
    winners = _real(x) == best
    imag = np.sum(np.where(winners, _imag(x), 0.0), axis=axis, keepdims=True) / np.sum(winners, axis=axis, keepdims=True)
    result = _joined(best, imag)
    return result if keepdims else wrap(np.squeeze(plain(result), axis=axis))


def _clip(x: Value, low: Value = None, high: Value = None, **bounds: Value) -> Value:
    low, high = bounds.get("min", bounds.get("a_min", low)), bounds.get("max", bounds.get("a_max", high))
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _var(x: Value, axis: Value = None, ddof: float = 0, keepdims: bool = False) -> Value:
    axis = tuple(range(np.ndim(x))) if axis is None else axis
    deviation = x - np.mean(x, axis=axis, keepdims=True)
    count = np.size(_real(x)) / max(np.size(np.sum(_real(x), axis=axis)), 1)
    return np.sum(deviation * deviation, axis=axis, keepdims=keepdims) / (count - ddof)


def _sort(x: Value, axis: int = -1) -> Value:
    return np.take_along_axis(x, np.argsort(_real(x), axis=axis), axis=axis)


def _histogram(a: Value, bins: int = 10, range: Value = None, weights: Value = None) -> Value:
    """Counts and places follow the real parts; the weights add up, and the edges lie between the ends."""
    total, edges = np.histogram(_real(a), bins, range, weights=_real(weights))
    if weights is not None:
        slopes = np.histogram(_real(a), bins, range, weights=np.broadcast_to(_imag(weights), np.shape(weights)))[0]
        total = _joined(total, slopes)
    if range is None:
        share = np.linspace(0.0, 1.0, bins + 1)
        edges = _joined(edges, (1.0 - share) * _imag(np.min(a)) + share * _imag(np.max(a)))
    return total, edges


def _cov(m: Value, rowvar: bool = True, bias: bool = False, ddof: Value = None) -> Value:
    rows = np.atleast_2d(m) if rowvar else np.atleast_2d(m).T
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    taken = (0 if bias else 1) if ddof is None else ddof
    return wrap(np.squeeze(plain(centred @ centred.T / (rows.shape[1] - taken))))


def _interp(x: Value, xp: Value, fp: Value, left: Value = None, right: Value = None) -> Value:
    """The slopes are those of the line through two points; to the right of a point where that is the place; 0 outside and at the end."""
    value = np.interp(*_real((x, xp, fp)), left=_real(left), right=_real(right))
    at, places = np.asarray(_real(x)), np.asarray(_real(xp))
    last = len(places) - 1
    imag = np.where(at > places[0], _imag(fp[last] if right is None or np.ndim(at) else right), _imag(fp[0] if left is None else left))
    imag = np.where(at > places[last], _imag(fp[last] if right is None else right), np.where(at == places[last], _imag(fp[last]), imag))
    if last == 0:
        return _joined(value, imag)
    lower = np.clip(np.searchsorted(places, at, side="right") - 1, 0, last - 1)
    xp, fp = (np.zeros(last + 1) + points for points in (xp, fp))
    line = (fp[lower + 1] - fp[lower]) / (xp[lower + 1] - xp[lower]) * (x - xp[lower]) + fp[lower]
    return _joined(value, np.where((at >= places[0]) & (at < places[last]), _imag(line), imag))


def _quantile(a: Value, q: Value, axis: Value = None, keepdims: bool = False) -> Value:
    rank = np.ndim(a)
    if axis is None or isinstance(axis, tuple):  # all of them
        a, axis = np.ravel(a), 0
    ordered = np.moveaxis(_sort(a, axis=axis), axis, 0)
    place = np.reshape(q * (len(ordered) - 1), (*np.shape(q), *[1] * (ordered.ndim - 1)))
    below = np.floor(_real(q) * (len(ordered) - 1)).astype(int)
    first, second = ordered[below], ordered[np.minimum(below + 1, len(ordered) - 1)]
    found = first + (second - first) * (place - np.reshape(below, np.shape(place)))
    if not keepdims:
        return found
    return np.expand_dims(found, np.ndim(q) + axis) if found.ndim > np.ndim(q) else np.reshape(found, (*np.shape(q), *[1] * rank))


def _product_rule(function: Callable[..., Value]) -> Callable[..., Value]:
    """Of a function that is linear in each of two arguments."""

    def rule(a: Value, b: Value, *args: Value, **kwargs: Value) -> Value:
        parts = [np.zeros(np.shape(value)) + _imag(value) for value in (a, b)]
        imag = function(parts[0], _real(b), *args, **kwargs) + function(_real(a), parts[1], *args, **kwargs)
        return _joined(function(_real(a), _real(b), *args, **kwargs), imag)

    return rule


def _without_nan(x: Value, other: float) -> Value:
    return np.where(np.isnan(_real(x)), other, x)


def _nanmean(x: Value, axis: Value = None, keepdims: bool = False) -> Value:
    return np.sum(_without_nan(x, 0.0), axis=axis, keepdims=keepdims) / np.sum(~np.isnan(_real(x)), axis=axis, keepdims=keepdims)


ARRAY_RULES: dict[str, Callable[..., Value]] = {
    "interp": _interp,
    "median": lambda x, axis=None, keepdims=False: _quantile(x, 0.5, axis, keepdims),
    "quantile": _quantile,
    "percentile": lambda x, q, axis=None, keepdims=False: _quantile(x, np.true_divide(q, 100), axis, keepdims),
    "ptp": lambda x, **kwargs: np.max(x, **kwargs) - np.min(x, **kwargs),
    "convolve": _product_rule(np.convolve),
    "correlate": _product_rule(np.correlate),
    "vdot": _product_rule(np.vdot),
    "nan_to_num": lambda x, **kwargs: _joined(np.nan_to_num(_real(x), **kwargs), np.where(np.isfinite(_real(x)), _imag(x), 0.0)),
    "nansum": lambda x, **kwargs: np.sum(_without_nan(x, 0.0), **kwargs),
    "nanprod": lambda x, **kwargs: np.prod(_without_nan(x, 1.0), **kwargs),
    "nanmean": _nanmean,
    "nanmax": lambda x, axis=None, keepdims=False: _extreme(np.maximum, _without_nan(x, -np.inf), axis, keepdims),
    "nanmin": lambda x, axis=None, keepdims=False: _extreme(np.minimum, _without_nan(x, np.inf), axis, keepdims),
    "fix": lambda x: _joined(np.fix(_real(x)), 0.0),
    "cov": _cov,
    "max": lambda x, axis=None, keepdims=False: _extreme(np.maximum, x, axis, keepdims),
    "min": lambda x, axis=None, keepdims=False: _extreme(np.minimum, x, axis, keepdims),
    "amax": lambda x, axis=None, keepdims=False: _extreme(np.maximum, x, axis, keepdims),
    "amin": lambda x, axis=None, keepdims=False: _extreme(np.minimum, x, axis, keepdims),
    "clip": _clip,
    "var": _var,
    "std": lambda *args, **kwargs: np.sqrt(_var(*args, **kwargs)),
    "norm": lambda x, axis=None, keepdims=False: np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims)),
    "sort": _sort,
    "histogram": _histogram,
    "round": lambda x, decimals=0: _joined(np.round(_real(x), decimals), 0.0),
}
