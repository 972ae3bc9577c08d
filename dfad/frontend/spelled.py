"""Functions whose meaning is written in the language itself: Python texts of dfad's own, inlined as if the kernel's author had written
them.

In: a text, and the arguments of a call. Out: its value. Whatever goes wrong in a text is told at the call.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import FunctionType

from dfad.frontend.scope import Context
from dfad.frontend.values import Value

Handler = Callable[..., Value]

_TEXTS: set[FunctionType] = set()


def is_spelled(context: Context, function: FunctionType) -> bool:
    """Whether it is a text of dfad's own, or called by one."""
    return function in _TEXTS or context.frame.called is not None


def _own(function: Callable[..., object]) -> FunctionType:
    assert isinstance(function, FunctionType)
    _TEXTS.add(function)
    return function


def spelled(function: Callable[..., object]) -> Handler:
    """The handler that inlines a text, with the text's own signature."""
    own = _own(function)

    def handler(context: Context, *arguments: Value, **keywords: Value) -> Value:
        return context.inline(context, own, list(arguments), keywords)

    parameters = inspect.signature(own).parameters.values()
    first = inspect.Parameter("context", inspect.Parameter.POSITIONAL_ONLY)
    handler.__signature__ = inspect.Signature([first, *parameters])  # type: ignore[attr-defined]
    return handler


def inlined(context: Context, function: Callable[..., object], arguments: Sequence[Value]) -> Value:
    """The value of a text for these arguments."""
    return context.inline(context, _own(function), list(arguments), {})
