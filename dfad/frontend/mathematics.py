"""The functions of the module math that are no single operation, and builtins of their kind, as texts in the language itself.

In: numbers, sequences of numbers. Out: numbers. Where Python raises a ValueError the texts assert. Integers are int64: what would not fit
is an AssertionError too.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dfad.frontend.elementwise import operand_of
from dfad.frontend.reductions import NOTHING, total
from dfad.frontend.scope import Context
from dfad.frontend.spelled import inlined, spelled
from dfad.frontend.values import Known, Tuple, Value, integer

Handler = Callable[..., Value]


# ---------------------------------------------------------------- texts


def _log(x: float, base: float) -> float:
    return math.log(x) / math.log(base)


def _root_of_squares(coordinates: Sequence[float]) -> float:
    total = 0.0
    for x in coordinates:
        total = total + x * x
    return math.sqrt(total)


def _dist(p: Sequence[float], q: Sequence[float], /) -> float:
    assert len(p) == len(q), "both points must have the same number of dimensions"
    total = 0.0
    for x, y in zip(p, q):  # noqa: B905
        total = total + (x - y) * (x - y)
    return math.sqrt(total)


def _fsum(seq: Sequence[float], /) -> float:
    """With what each addition loses summed beside (Neumaier, ZAMM 54, 1974)."""
    total = 0.0
    lost = 0.0
    for x in seq:
        new = total + x
        lost = lost + ((total - new) + x if abs(total) >= abs(x) else (x - new) + total)
        total = new
    return total + lost if math.isfinite(lost) else total


def _prod(iterable: Sequence[Any], /, *, start: Any = 1) -> Any:
    product = start
    for x in iterable:
        product = product * x
    return product


def _sumprod(p: Sequence[Any], q: Sequence[Any], /) -> Any:
    assert len(p) == len(q), "Inputs are not the same length"
    total = 0
    for x, y in zip(p, q):  # noqa: B905
        total = total + x * y
    return total


def _gcd(a: int, b: int) -> int:
    while b != 0:
        a, b = b, a % b
    return abs(a)


def _lcm(a: int, b: int) -> int:
    return 0 if a == 0 or b == 0 else abs(a // _gcd(a, b) * b)


def _factorial(n: int, /) -> int:
    assert n >= 0, "factorial() not defined for negative values"
    assert n <= 20, "factorial() of more than 20 is beyond int64"
    product = 1
    for k in range(2, n + 1):
        product = product * k
    return product


def _comb(n: int, k: int, /) -> int:
    assert min(n, k) >= 0, "comb() takes integers from 0 on"
    count = 1
    if k > n:
        count = 0
    else:
        least = min(k, n - k)
        for j in range(1, least + 1):
            assert count <= 9223372036854775807 // (n - least + j), "comb() is beyond int64"
            count = count * (n - least + j) // j
    return count


def _perm(n: int, k: int) -> int:
    assert min(n, k) >= 0, "perm() takes integers from 0 on"
    count = 1
    if k > n:
        count = 0
    else:
        for j in range(k):
            assert count <= 9223372036854775807 // (n - j), "perm() is beyond int64"
            count = count * (n - j)
    return count


def _isqrt(n: int, /) -> int:
    assert n >= 0, "isqrt() argument must be nonnegative"
    root = int(math.sqrt(n))
    if n > 0:
        while root > n // root:
            root -= 1
        while root + 1 <= n // (root + 1):
            root += 1
    return root


def _remainder(x: float, y: float, /) -> float:
    """To the nearest multiple of y, to the even one of two, exactly: by remainders of halves as CPython does."""
    far = math.fmod(abs(x), abs(y))
    near = abs(y) - far
    if math.isinf(y) and math.isfinite(x):
        rest = abs(x)
    elif far < near:
        rest = far
    elif far > near:
        rest = -near
    else:
        rest = far - 2.0 * math.fmod(0.5 * (abs(x) - far), abs(y))
    return math.copysign(1.0, x) * rest


def _ldexp(x: float, i: int, /) -> float:
    half = i // 2
    return x * 2.0**half * 2.0 ** (i - half)


def _frexp(x: float, /) -> tuple[float, int]:
    mantissa = x * 1.0
    exponent = 0
    if x != 0.0 and math.isfinite(x):
        exponent = math.floor(math.log2(abs(x))) + 1
        mantissa = math.ldexp(x, -exponent)
        if abs(mantissa) >= 1.0:
            mantissa, exponent = mantissa * 0.5, exponent + 1
        elif abs(mantissa) < 0.5:
            mantissa, exponent = mantissa * 2.0, exponent - 1
    return mantissa, exponent


def _modf(x: float, /) -> tuple[float, float]:
    rest = math.copysign(0.0, x) if math.isinf(x) else math.fmod(x, 1.0)
    return rest, float(np.trunc(x))


def _ulp(x: float, /) -> float:
    size = abs(x)
    return size if math.isinf(size) else math.nextafter(size, math.inf) - size


def _isclose(a: float, b: float, *, rel_tol: float = 1e-09, abs_tol: float = 0.0) -> bool:
    near = abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)
    return a == b or (math.isfinite(a) and math.isfinite(b) and near)


def _divmod(x: Any, y: Any, /) -> Any:
    return x // y, x % y


def _sum(iterable: Sequence[Any], start: Any) -> Any:
    total = start
    for x in iterable:
        total = total + x
    return total


def _any(iterable: Sequence[Any], /) -> bool:
    found = False
    for x in iterable:
        if x:
            found = True
            break
    return found


def _all(iterable: Sequence[Any], /) -> bool:
    found = True
    for x in iterable:
        if not x:
            found = False
            break
    return found


# ---------------------------------------------------------------- those that are more than their text


def logarithm(of_one: Handler) -> Handler:
    """``math.log`` to the base e by `of_one`, or to another base."""

    def log(context: Context, x: Value, base: Value = NOTHING) -> Value:
        return of_one(context, x) if isinstance(base, Known) else inlined(context, _log, [x, base])

    return log


def euclidean(of_two: Handler) -> Handler:
    """``math.hypot`` of two coordinates by `of_two`, or of any number."""

    def hypot(context: Context, *coordinates: Value) -> Value:
        return of_two(context, *coordinates) if len(coordinates) == 2 else inlined(context, _root_of_squares, [Tuple(coordinates)])

    return hypot


def _folded(text: Callable[[int, int], int], first: int) -> Handler:
    """``math.gcd`` and ``math.lcm`` of any number of integers."""

    def handler(context: Context, *integers: Value) -> Value:
        found: Value = integer(first)
        for one in integers:
            found = inlined(context, text, [found, one])
        return found

    return handler


def _permutations(context: Context, n: Value, k: Value = NOTHING) -> Value:
    return inlined(context, _factorial, [n]) if isinstance(k, Known) else inlined(context, _perm, [n, k])


def _total(context: Context, iterable: Value, start: Value = integer(0)) -> Value:  # noqa: B008
    """Builtin ``sum``: of numbers one after the other, of the rows of an array as ``np.sum(axis=0)``."""
    if not isinstance(iterable, Tuple) and len(operand_of(context, iterable).shape) > 1:
        rows = total(context, iterable, integer(0))
        return inlined(context, _sum, [Tuple((rows,)), start])
    return inlined(context, _sum, [iterable, start])


MATHEMATICS: dict[object, Handler] = {
    math.dist: spelled(_dist),
    math.fsum: spelled(_fsum),
    math.prod: spelled(_prod),
    math.gcd: _folded(_gcd, 0),
    math.lcm: _folded(_lcm, 1),
    math.factorial: spelled(_factorial),
    math.comb: spelled(_comb),
    math.perm: _permutations,
    math.isqrt: spelled(_isqrt),
    math.remainder: spelled(_remainder),
    math.ldexp: spelled(_ldexp),
    math.frexp: spelled(_frexp),
    math.modf: spelled(_modf),
    math.ulp: spelled(_ulp),
    math.isclose: spelled(_isclose),
    builtins.divmod: spelled(_divmod),
    np.divmod: spelled(_divmod),
    builtins.sum: _total,
    builtins.any: spelled(_any),
    builtins.all: spelled(_all),
    **({math.sumprod: spelled(_sumprod)} if hasattr(math, "sumprod") else {}),
}
