"""Attributes: of modules (resolved now), of arrays (shape, T, methods), of numbers."""

from __future__ import annotations

from types import ModuleType

import sympy

from dfad.frontend.elementwise import operand_of
from dfad.frontend.masks import masked_count, masked_shape
from dfad.frontend.names import value_of
from dfad.frontend.oneof import mapped
from dfad.frontend.products import transpose
from dfad.frontend.scope import Context
from dfad.frontend.values import Deferred, Known, Lazy, Masked, Method, OneOf, Scalar, Tuple, Value, View, integer, kind_of, number

METHODS = frozenset(
    {
        "sum", "mean", "max", "min", "prod", "copy", "dot", "transpose", "fill", "astype", "item", "all", "any", "var", "std", "clip",
        "argmax", "argmin", "ravel", "repeat", "reshape", "flatten", "cumsum", "cumprod", "swapaxes", "squeeze",
        "argsort", "sort", "take", "diagonal", "searchsorted",
    }
)  # fmt: skip
"""The methods that an array has; calls.py says which of them are done."""

CONSTANTS = {"numpy", "math"}
"""Modules whose numbers never change."""


def attribute(context: Context, owner: Value, name: str) -> Value:
    """``owner.name``."""
    match owner:
        case Known(ModuleType() as module):
            return _of_module(context, module, name)
        case View() | Lazy() | Deferred():
            return _of_array(context, owner, name)
        case Masked():
            return _of_masked(context, owner, name)
        case Scalar():
            return _of_array(context, owner, name)
        case Known(value) if hasattr(value, name) and not isinstance(value, str):
            return Known(getattr(value, name))
        case _:
            context.wrong_type(f"{kind_of(owner)} has no attribute {name} here")


def _of_module(context: Context, module: ModuleType, name: str) -> Value:
    if not hasattr(module, name):
        context.wrong_type(f"the module {module.__name__} has no {name}")
    found = getattr(module, name)
    if module.__name__.split(".")[0] in CONSTANTS:
        return number(found) if isinstance(found, bool | int | float) else Known(found)
    return value_of(context, f"{module.__name__.split('.')[-1]}.{name}", lambda: getattr(module, name), found)


def _of_masked(context: Context, owner: Masked, name: str) -> Value:
    match name:
        case "shape":
            return Tuple(masked_shape(context, owner))
        case "size":
            return masked_count(context, owner)
        case "copy":
            return Method(owner, name)
        case _ if name in METHODS:
            return Method(owner, name)
        case _:
            context.unsupported(f"the attribute {name} of elements chosen by a mask is not part of the language")


def _of_array(context: Context, owner: Scalar | View | Lazy | Deferred, name: str) -> Value:
    match name:
        case "shape":
            return Tuple(tuple(integer(context.builder.natural(extent)) for extent in owner.shape))
        case "size":
            return integer(sympy.Mul(*(context.builder.natural(extent) for extent in owner.shape)))
        case "ndim":
            return integer(len(owner.shape))
        case "T" if isinstance(owner, OneOf):
            return mapped(owner, lambda view: transpose(context, view))
        case "T":
            return transpose(context, owner)
        case "dtype":
            return Known(owner.dtype.numpy)
        case _ if name in METHODS:
            return Method(owner if isinstance(owner, View) else operand_of(context, owner), name)
        case _:
            context.unsupported(f"the attribute {name} of an array is not part of the language")
