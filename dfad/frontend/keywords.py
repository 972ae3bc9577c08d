"""Keywords that many of NumPy's functions share: `out`, the array that takes the result, and `dtype`, the type that it is computed in.

In: a function, the arguments of a call. Out: the value without them, which then is stored, or of elements converted before.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np

from dfad.frontend import creation
from dfad.frontend.arrays import store
from dfad.frontend.doubts import check_write_in_place
from dfad.frontend.elementwise import operand_of
from dfad.frontend.oneof import in_each
from dfad.frontend.scope import Context
from dfad.frontend.values import Known, OneOf, Value, View, kind_of

_REDUCTIONS: frozenset[Callable[..., object]] = frozenset({np.sum, np.prod, np.mean, np.var, np.std, np.cumsum, np.cumprod})
_METHODS = frozenset({"sum", "prod", "mean", "var", "std", "cumsum", "cumprod"})
_METHODS_WITH_OUT = _METHODS | {"max", "min", "all", "any", "argmax", "argmin", "clip", "dot"}
_ORDER = "bif"
"""Kinds of numbers; what is of a later one is not stored in an array of an earlier one."""


def without_shared(
    context: Context, function: object, arguments: list[Value], keywords: Mapping[str, Value]
) -> tuple[list[Value], dict[str, Value], View | OneOf | None]:
    """The arguments with ``dtype`` seen to, and the array for the result, if one is given."""
    rest = dict(keywords)
    if "dtype" in rest and (function in _REDUCTIONS or function in _METHODS) and arguments:
        arguments = [creation.copied(context, arguments[0], rest.pop("dtype")), *arguments[1:]]
    out = rest.pop("out") if "out" in rest and _takes_out(function) else None
    if out is None or (isinstance(out, Known) and out.value is None):
        return arguments, rest, None
    if not isinstance(out, View | OneOf):
        context.wrong_type(f"out is {kind_of(out)}, not an array that has a name")
    return arguments, rest, out


def put(context: Context, function: object, out: View | OneOf, value: Value) -> Value:
    """Store the result of a function in its ``out``, and give that."""
    found = operand_of(context, value)
    if _ORDER.index(found.dtype.kind) > _ORDER.index(out.dtype.kind):
        context.wrong_type(f"out is an array of {out.dtype.name}, the result is {kind_of(found)}", hint="convert it with .astype(...)")
    if len(found.shape) > len(out.shape) or (len(found.shape) != len(out.shape) and not isinstance(function, np.ufunc)):
        context.wrong_type(f"out is {kind_of(out)}, the result is {kind_of(found)}")
    check_write_in_place(context, out)
    in_each(context, out, lambda view: store(context, view, value))
    return out


@cache
def _takes_out(function: object) -> bool:
    if isinstance(function, np.ufunc | str):
        return isinstance(function, np.ufunc) or function in _METHODS_WITH_OUT
    try:
        return callable(function) and "out" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
