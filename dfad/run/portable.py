"""Kernels on the way to another process: by name where the other process can import them, else by their text.

A kernel of a notebook cell, or one defined inside a function, travels as its source text together with what its names mean: modules by
name, numbers and arrays by value, functions of plain Python again by their text.
"""

import ast
import builtins
import importlib
import linecache
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

from dfad.options import Options
from dfad.run.names import NOTHING, plain_function, resolve
from dfad.run.toolchain import digest
from dfad.source import SourceText, read_source


@dataclass(frozen=True)
class PackedFunction:
    """A function as text, and what its names mean."""

    name: str
    text: str
    defaults: tuple[object, ...] | None
    keyword_defaults: dict[str, object] | None
    names: Mapping[str, object]


@dataclass(frozen=True)
class PackedModule:
    """A module by name: what is unpickled is the module."""

    name: str

    def __reduce__(self) -> tuple[Callable[[str], ModuleType], tuple[str]]:
        return (importlib.import_module, (self.name,))


def pack(kernel: object, source: SourceText, options: Options, make: Callable[..., object]) -> str | tuple[Any, ...]:
    """What pickle is to write of a kernel: its qualified name, or a call of `make` that makes it anew."""
    function = source.function
    found = _importable(function.__module__, function.__qualname__)
    if found is kernel:
        return function.__qualname__
    if found is function:
        return (make, (function, options))
    return (make, (packed(source), options))


def packed(source: SourceText) -> PackedFunction:
    """A function with what its names mean."""
    function = source.function
    own = (m for m in resolve(source).meanings if m.function == 0 and "." not in m.path)
    names = {m.path: _packed_value(m.value) for m in own if m.value is not NOTHING and m.namespace is not vars(builtins)}
    text = textwrap.dedent(source.text)
    return PackedFunction(source.name, text, function.__defaults__, function.__kwdefaults__, names)


def unpacked(function: PackedFunction | FunctionType) -> FunctionType:
    """The function again, in a namespace of its own."""
    if isinstance(function, FunctionType):
        return function
    filename = f"<dfad {function.name} {digest(function.text)}>"
    linecache.cache[filename] = (len(function.text), None, function.text.splitlines(keepends=True), filename)
    namespace = {name: _unpacked_value(value) for name, value in function.names.items()}
    exec(compile(_bare(function.text), filename, "exec", dont_inherit=True), namespace)
    made = namespace[function.name]
    if not isinstance(made, FunctionType):
        raise TypeError(f"{function.name} is no function")
    made.__defaults__, made.__kwdefaults__ = function.defaults, function.keyword_defaults
    return made


def _bare(text: str) -> ast.Module:
    """The definition without what Python evaluates when it defines the function: defaults and annotations."""
    module = ast.parse(text)
    definition = module.body[0]
    assert isinstance(definition, ast.FunctionDef)
    for node in (definition, *ast.walk(definition.args)):
        match node:
            case ast.arguments():
                node.defaults, node.kw_defaults = [], [None] * len(node.kwonlyargs)
            case ast.arg():
                node.annotation = None
            case ast.FunctionDef():
                node.returns = None
    return module


def _importable(module: str, name: str) -> object:
    """What another process finds under a module's qualified name; None for `__main__` and for what stands inside functions."""
    found: object = None if module == "__main__" else sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _packed_value(value: object) -> object:
    if isinstance(value, ModuleType):
        return PackedModule(value.__name__)
    function = plain_function(value)
    if function is None or _importable(function.__module__, function.__qualname__) is value:
        return value
    return packed(read_source(function))


def _unpacked_value(value: object) -> Any:
    return unpacked(value) if isinstance(value, PackedFunction) else value
