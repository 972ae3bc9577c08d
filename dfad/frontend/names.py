"""What a name means that the function does not bind: a hidden argument, or an object known now.

Numbers and arrays of the namespace are arguments that are read anew at every call. Functions, modules and constants are resolved here and
noted, so that the caller can see when a name means something else.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import sympy

from dfad.frontend.built import Built
from dfad.frontend.scope import Context, Hidden, Resolved
from dfad.frontend.values import Known, Scalar, Tuple, Value, element, integer, number, whole
from dfad.ir.dtype import F64, SUPPORTED
from dfad.ir.memlet import symbol
from dfad.ir.nodes import Array, IntegerSymbol, Role, ShapeSymbol
from dfad.ir.signature import ArgumentType, ArrayType, ConstantType, FloatType, IntegerType


def outer_value(context: Context, name: str) -> Value:
    """The value of a name that the function reads from its namespace."""
    source = context.frame.source
    try:
        found = source.lookup(name)
    except KeyError:
        context.wrong_type(f"{name} is not defined")
    return value_of(context, name, lambda: source.lookup(name), found)


def value_of(context: Context, name: str, get: Callable[[], object], found: object, owner: object = None) -> Value:
    """An object of a namespace as a value; ``get`` finds it again later. ``owner``: the function whose default it is."""
    match found:
        case bool() | None | str():
            return _resolved(context, name, get, found, number(found) if isinstance(found, bool) else Known(found))
        case int() | np.integer() | float() | np.floating() | np.ndarray():
            return hidden_argument(context, name, get, found, owner)
        case tuple() if _is_of_numbers(found):
            return _resolved(context, name, get, found, _constants(found))
        case list():
            context.wrong_type(f"{name} is a list from outside the kernel, which may change", hint="make it a tuple or an array")
        case _:
            return _resolved(context, name, get, found, Known(found))


def _is_of_numbers(found: tuple[object, ...]) -> bool:
    """Whether it is made of Python's numbers, and tuples of them."""
    return all(isinstance(item, int | float) or (isinstance(item, tuple) and _is_of_numbers(item)) for item in found)


def _constants(found: tuple[Any, ...]) -> Tuple:
    return Tuple(tuple(_constants(item) if isinstance(item, tuple) else number(item) for item in found))


def _resolved(context: Context, name: str, get: Callable[[], object], found: object, value: Value) -> Value:
    context.resolved[id(context.frame.source.globals), name] = Resolved(name, get, found)
    return value


def hidden_argument(context: Context, name: str, get: Callable[[], object], found: object, owner: object = None) -> Value:
    """The parameter for a number or array of a namespace; one for each place, however often it is read."""
    source = context.frame.source.outermost
    key = f"{id(source.closure.get(name, source.globals) if owner is None else owner)} {name}"
    if key not in context.hidden:
        kind = type_of(found)
        if kind is None:
            context.wrong_type(
                f"{name} is an array of {np.asarray(found).dtype}, which is not supported",
                hint="use float64, float32, int64, int32 or bool",
            )
        own = context.builder.name(name.replace(".", "_"))
        context.hidden[key] = (Hidden(own, name, source, get, kind), declare_parameter(context, own, kind))
    return context.hidden[key][1]


def room_argument(context: Context, name: str, axis: int) -> sympy.Symbol:
    """How large the rooms of a variable of the present function are in one direction: an argument that the call itself finds out."""
    key = f"room {context.frame.path}{name} {axis}"
    if key not in context.hidden:
        own = context.builder.name(context.builder.unused(f"{name}_room"))
        context.builder.naturals.add(symbol(own))
        hidden = Hidden(own, own, context.frame.source, lambda: 0, IntegerType(), is_room=True)
        context.hidden[key] = (hidden, declare_parameter(context, own, IntegerType()))
    return symbol(context.hidden[key][0].name)


def type_of(found: object) -> ArgumentType | None:
    """The type of an argument; None when dfad has none for it."""
    match found:
        case bool() | None | str():
            return ConstantType(found)
        case int() | np.integer():
            return IntegerType()
        case float() | np.floating():
            return FloatType()
        case np.ndarray() if found.dtype.name in SUPPORTED:
            return ArrayType(SUPPORTED[found.dtype.name], tuple(extent == 1 for extent in found.shape))
        case _:
            return None


def declare_parameter(context: Context, name: str, kind: ArgumentType) -> Value:
    """An argument of the Program under a (fresh) name, and the value that stands for it."""
    match kind:
        case ConstantType(value):
            return number(value) if isinstance(value, bool) else Known(value)
        case IntegerType():
            context.symbols.append(IntegerSymbol(symbol(name), name))
            context.builder.entry.add(symbol(name))
            return integer(symbol(name))
        case FloatType():
            array = Array(name, F64, (), Role.ARGUMENT)
            context.parameters.append(array)
            return element(array, weak=True)
        case ArrayType():
            array = Array(name, kind.dtype, _extents(context, name, kind), Role.ARGUMENT)
            context.parameters.append(array)
            return whole(array) if kind.rank else Scalar(element(array).expression)


def _extents(context: Context, name: str, kind: ArrayType) -> tuple[sympy.Expr, ...]:
    found = list[sympy.Expr]()
    for dimension, is_one in enumerate(kind.ones):
        if is_one:
            found.append(sympy.Integer(1))
            continue
        extent = symbol(context.builder.name(context.builder.unused(f"{name}_{dimension}")))
        context.builder.naturals.add(extent)
        context.builder.entry.add(extent)
        context.symbols.append(ShapeSymbol(extent, name, dimension))
        found.append(extent)
    return tuple(found)


def known_object(context: Context, node: ast.expr) -> object:
    """The function or module that an expression names, when that can be seen without lowering it; else None."""
    match node:
        case ast.Name(id=name) if name in context.frame.variables:
            value = context.frame.variables[name]
            return value.value if isinstance(value, Known) else None
        case ast.Name(id=name) if name not in context.frame.liveness.local:
            try:
                return context.frame.source.lookup(name)
            except KeyError:
                return None
        case Built():
            return node.known
        case ast.Attribute(value=owner, attr=attribute):
            found = known_object(context, owner)
            return getattr(found, attribute, None) if isinstance(found, ModuleType) else None
        case _:
            return None


def plain_function(found: object) -> FunctionType | None:
    """The Python function behind a function or a kernel."""
    if isinstance(found, FunctionType):
        return found
    wrapped = getattr(found, "__wrapped__", None)
    return wrapped if isinstance(wrapped, FunctionType) else None


def calls_a_function(context: Context, node: ast.AST) -> bool:
    """Whether an expression calls a Python function, which may write arrays, or one of NumPy's that is told to."""
    known = context.frame.calling
    if node not in known:
        calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
        known[node] = any(
            is_inlined(known_object(context, call.func)) or any(keyword.arg == "out" for keyword in call.keywords) for call in calls
        )
    return known[node]


def is_inlined(found: object) -> bool:
    """Whether a call of the object is replaced by its body: Python functions, but for NumPy's own."""
    function = plain_function(found)
    return function is not None and not (function.__module__ or "").startswith("numpy")
