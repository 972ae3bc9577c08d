"""Run a kernel's own text in the complex-step world: its `np`, `math` and `float` are replaced by stand-ins.

`stepped(function)` gives the same function over a world in which floats are complex, with the stand-ins among its globals and
closure variables, and the functions that it calls treated alike. Creation (`np.zeros`, `np.full`, ...) makes complex arrays.
Not supported: random numbers, complex kernels, sets and dicts, `import` inside the function.
"""

from __future__ import annotations

import builtins
import inspect
import math
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import special

from tests.stepping import FLOAT, Stepped, complex_dtype, plain, step, wrap

Value = Any


def _creation(function: Callable[..., Value], position: int) -> Callable[..., Value]:
    def create(*args: Value, **kwargs: Value) -> Value:
        if len(args) > position:
            args = (*args[:position], complex_dtype(args[position]), *args[position + 1 :])
        if "dtype" in kwargs:
            kwargs["dtype"] = complex_dtype(kwargs["dtype"])
        result = function(*plain(args), **plain(kwargs))
        return wrap(result.astype(np.complex128) if result.dtype.kind == "f" else result)

    return create


def _array(function: Callable[..., Value]) -> Callable[..., Value]:
    create = _creation(function, 1)
    return lambda value, *args, **kwargs: value if function is np.asarray and isinstance(value, Stepped) else create(value, *args, **kwargs)


class NumpyStandIn:
    """NumPy for stepped functions: creation in complex, floating dtypes as `FloatType`, everything else as NumPy dispatches it."""

    pi, e, inf, nan, newaxis = np.pi, np.e, np.inf, np.nan, None
    float64 = float32 = double = single = FLOAT
    array, asarray = staticmethod(_array(np.array)), staticmethod(_array(np.asarray))
    ascontiguousarray = staticmethod(_array(np.ascontiguousarray))

    def __getattr__(self, name: str) -> Value:
        position = CREATION.get(name)
        return getattr(np, name) if position is None else _creation(getattr(np, name), position)


CREATION = {
    **dict.fromkeys(("zeros", "ones", "empty", "zeros_like", "ones_like", "empty_like", "identity"), 1),
    **dict.fromkeys(("full", "full_like"), 2),
    **dict.fromkeys(("eye", "arange"), 3),
    "linspace": 5,
}
NUMPY = NumpyStandIn()
ARC_NAMES = ("sin", "cos", "tan", "tan2", "sinh", "cosh", "tanh")
SPECIAL = ("erf", "erfc", "gamma", "lgamma")
MATH_NAMES = {"lgamma": "gammaln", "pow": "power", "fabs": "absolute", **{f"a{name}": f"arc{name}" for name in ARC_NAMES}}


class MathStandIn:
    """The module `math` for stepped scalars: each function is NumPy's of the same meaning, or `math`'s own where it gives integers."""

    def __getattr__(self, name: str) -> Value:
        if name in ("pi", "e", "inf", "nan", "tau", "floor", "ceil", "factorial", "gcd", "lcm", "comb", "perm", "isqrt"):
            return getattr(math, name)
        return getattr(special if name in SPECIAL else np, MATH_NAMES.get(name, name))

    @staticmethod
    def log(x: Value, base: Value = None) -> Value:
        """As `math.log`: to the base e, or to the given one."""
        return np.log(x) if base is None else np.log(x) / np.log(base)

    @staticmethod
    def hypot(*coordinates: Value) -> Value:
        """The root of the sum of squares."""
        return np.sqrt(sum(x * x for x in coordinates))

    @staticmethod
    def dist(p: Value, q: Value) -> Value:
        """The root of the sum of squared differences."""
        return np.sqrt(sum((x - y) * (x - y) for x, y in zip(p, q, strict=True)))

    @staticmethod
    def fsum(seq: Value) -> Value:
        """The sum, rounded at every step."""
        return sum(seq)

    @staticmethod
    def prod(iterable: Value, *, start: Value = 1) -> Value:
        """One factor after the other."""
        for x in iterable:
            start = start * x
        return start

    @staticmethod
    def remainder(x: Value, y: Value) -> Value:
        """What is left of x by the nearest multiple of y."""
        return x - y * np.rint(x / y)

    @staticmethod
    def modf(x: Value) -> tuple[Value, Value]:
        """The fraction, and the whole number without a derivative."""
        return x - np.trunc(x), np.trunc(x)

    @staticmethod
    def frexp(x: Value) -> tuple[Value, int]:
        """By a constant power of 2."""
        exponent = math.frexp(float(np.real(plain(x))))[1]
        return x * 2.0**-exponent, exponent

    @staticmethod
    def ldexp(x: Value, i: int) -> Value:
        """Times a power of 2."""
        return x * 2.0**i

    @staticmethod
    def ulp(x: Value) -> float:
        """A constant but for the jumps."""
        return math.ulp(float(np.real(plain(x))))

    @staticmethod
    def isclose(a: Value, b: Value, *, rel_tol: float = 1e-9, abs_tol: float = 0.0) -> bool:
        """Decided by the values."""
        return math.isclose(float(np.real(plain(a))), float(np.real(plain(b))), rel_tol=rel_tol, abs_tol=abs_tol)


MATH = MathStandIn()
BUILTINS = {**vars(builtins), "float": FLOAT, "divmod": lambda x, y: (x // y, x % y)}


def _names(code: types.CodeType) -> set[str]:
    inner = [_names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return set(code.co_names).union(*inner)


def _replaced(value: Value, memo: dict[int, Value]) -> Value:
    wrapped = inspect.unwrap(value) if callable(value) else value
    match wrapped:
        case _ if wrapped is np:
            return NUMPY
        case _ if wrapped is math:
            return MATH
        case types.FunctionType() if not wrapped.__module__.startswith("numpy"):
            return stepped(wrapped, memo)
        case types.BuiltinFunctionType() if getattr(math, wrapped.__name__, None) is wrapped:
            return getattr(MATH, wrapped.__name__)
        case _ if callable(wrapped) and getattr(np, getattr(wrapped, "__name__", ""), None) is wrapped:
            return getattr(NUMPY, wrapped.__name__)
        case np.ndarray():
            return step(wrapped)
        case _:
            return value


def stepped(function: Callable[..., Value], memo: dict[int, Value] | None = None) -> Callable[..., Value]:
    """The same function over stepped values; the functions that it calls are replaced alike. The original is not touched."""
    memo = {} if memo is None else memo
    function = inspect.unwrap(function)
    if id(function) in memo:
        return memo[id(function)]
    namespace: dict[str, Value] = {"__builtins__": BUILTINS, "__name__": function.__module__}
    cells = tuple(types.CellType() for _ in function.__closure__ or ())
    twin = types.FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, cells)
    twin.__kwdefaults__ = function.__kwdefaults__
    memo[id(function)] = twin
    for name in sorted(_names(function.__code__) & function.__globals__.keys()):
        namespace[name] = _replaced(function.__globals__[name], memo)
    for cell, original in zip(cells, function.__closure__ or (), strict=True):
        cell.cell_contents = _replaced(original.cell_contents, memo)
    return twin


def run(function: Callable[..., Value], arguments: Mapping[str, Value], direction: Mapping[str, Value]) -> tuple[Value, dict[str, Value]]:
    """Run `function` on copies of `arguments` stepped along `direction`: the result, and the arguments as the run left them."""
    inputs = {
        name: step(value, direction.get(name, 0.0)) if isinstance(value, np.ndarray) or name in direction else value
        for name, value in arguments.items()
    }
    with np.errstate(all="ignore"):
        return stepped(function)(**inputs), inputs
