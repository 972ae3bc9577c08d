"""Calls of Python functions, replaced by their bodies.

Each argument is evaluated once, in order: numbers are copied, arrays and views are the caller's own, and what the callee binds stays in it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import FunctionType

from dfad.frontend.computed import given_by, returned_variables
from dfad.frontend.exits import without_exits
from dfad.frontend.fence import check
from dfad.frontend.inner import Bound, without_functions
from dfad.frontend.lists import without_appends
from dfad.frontend.liveness import live_variables
from dfad.frontend.names import value_of
from dfad.frontend.scope import Context, Frame
from dfad.frontend.spelled import is_spelled
from dfad.frontend.statements import lower_body
from dfad.frontend.unpacked import unpack_parameters, unpacked
from dfad.frontend.values import Known, Tuple, Value, arrays_of, number
from dfad.frontend.variables import fresh
from dfad.source import read_source


def inline(context: Context, function: FunctionType, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """The value that the call returns, after the body's statements."""
    if any(frame.source.function is function for frame in context.frames):
        context.unsupported(f"{function.__name__} calls itself; recursion is not part of the language", hint="write it as a loop")
    try:
        bound = inspect.signature(function).bind(*arguments, **keywords)
    except TypeError as error:
        context.wrong_type(f"{function.__name__}: {error}")
    if function not in context.inlined:
        source = read_source(function)
        check(source)
        context.inlined[function] = source
    source = context.inlined[function]
    written = without_appends(without_functions(context, source))
    guarded = without_exits(written)
    gives = given_by(context.frame, context.place)
    path = f"{context.frame.path}{function.__name__}:{context.spot}."
    items = context.learned.items.get(path, {})
    tree = unpacked(guarded, items)
    called = context.locate(context.place) if is_spelled(context, function) else None
    frame = Frame(source, live_variables(tree), path, gives=gives, returned=returned_variables(written, guarded, gives), called=called)
    frame.variables = {name: fresh(context, name, value) for name, value in bound.arguments.items()}
    frame.variables |= _defaults(context, function, bound)
    unpack_parameters(frame, items)
    frame.lent = frozenset(arrays_of(frame.variables.values()))
    place = context.place
    context.frames.append(frame)
    lower_body(context, tree.body)
    context.frames.pop()
    context.stand_at(place)
    result = Known(None) if frame.result is None else frame.result
    _leave_doubts(context, frame, result)
    if any(isinstance(one, Known) and isinstance(one.value, Bound) and one.value.captured for one in _items(result)):
        context.unsupported(f"{function.__name__} gives a function that reads its variables", hint="call it there, or define it outside")
    return result


def _items(value: Value) -> Iterator[Value]:
    """The value, or what a tuple or list is made of."""
    if isinstance(value, Tuple):
        for item in value.items:
            yield from _items(item)
    else:
        yield value


def _leave_doubts(context: Context, frame: Frame, result: Value) -> None:
    """The doubts about the callee's variables end with it, but for an array that it returns: what that one may share stays unknown."""
    returned = arrays_of([result])
    context.doubts = {array: doubt for array, doubt in context.doubts.items() if doubt.frame is not frame or array in returned}
    frame.statement = None


def _defaults(context: Context, function: FunctionType, bound: inspect.BoundArguments) -> dict[str, Value]:
    """The values of parameters that the call leaves out."""
    found: dict[str, Value] = {}
    for name, parameter in bound.signature.parameters.items():
        if name not in bound.arguments:
            default = parameter.default
            if isinstance(default, int | float) and (is_spelled(context, function) or context.inlined[function].enclosing is not None):
                found[name] = number(default)
            else:
                found[name] = value_of(context, f"{function.__name__}.{name}", partial(_default, function, name), default, function)
    return found


def _default(function: FunctionType, name: str) -> object:
    return inspect.signature(function).parameters[name].default
