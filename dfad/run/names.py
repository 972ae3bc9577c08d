"""What the names of a kernel mean now: functions that it may call, modules, and the values that it reads from around it.

A kernel's text means something only together with these. The same walk gives the part of a question that depends on them, the guards
of a compiled kernel (names that must still mean the same objects), and where its hidden arguments are read at each call.
"""

import ast
import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, signature
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from dfad.errors import CompilerBug, DfadError
from dfad.ir.signature import ConstantType
from dfad.run.call import classify, copied_bytes, size_of
from dfad.run.recipe import ROOM
from dfad.source import SourceText, read_source

Namespace = dict[str, Any] | CellType
NOTHING = object()
"""What a name without a meaning means."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """One name of one function.

    Attributes
    ----------
    function : int
        The function, by its number in `Names`.
    path : str
        The name as written, dotted below modules.
    namespace, name
        Where it is looked up: a dict and a key, or a cell and None.
    value : object
        What it means now; `NOTHING` when it has no value.
    """

    function: int
    path: str
    namespace: Namespace = field(repr=False)
    name: str | None
    value: object = field(repr=False)


@dataclass(frozen=True)
class Names:
    """The kernel and every function of plain Python that it can reach, and what their free names mean.

    Attributes
    ----------
    functions : tuple of SourceText
        The kernel first.
    meanings : tuple of Meaning
    """

    functions: tuple[SourceText, ...]
    meanings: tuple[Meaning, ...]

    def key(self) -> tuple[object, ...]:
        """What a compilation depends on: texts and their lines, and for each name what is compiled in."""
        texts = tuple((source.text, source.tree.lineno) for source in self.functions)
        numbers = {id(source.function): number for number, source in enumerate(self.functions)}
        return (texts, tuple((m.function, m.path, _described(m, numbers)) for m in self.meanings))

    def sizes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of the arrays and the values of the integers among the meanings, on which a budget's plan depends."""
        return tuple(size_of(m.value) for m in self.meanings)

    def copied(self) -> int:
        """The bytes that a call copies of the arrays among the meanings."""
        return sum(copied_bytes(m.value) for m in self.meanings)

    def guards(self, hidden: tuple[tuple[int, str], ...]) -> tuple[tuple[Namespace, str | None, object], ...]:
        """The names that must keep their meaning, for a kernel with these hidden arguments; None stands for no meaning."""
        read = set(hidden)
        kept = (m for m in self.meanings if (m.function, m.path) not in read)
        return tuple((m.namespace, m.name, None if m.value is NOTHING else m.value) for m in kept)

    def locate(self, path: str, source: SourceText, value: object) -> tuple[int, str]:
        """Where a hidden argument of a function is read: the function and the path that mean this very object.

        The path may call a module by another name than the text does.
        """
        last = path.split(".")[-1]
        same = [m for m in self.meanings if m.value is value and m.path.split(".")[-1] == last]
        own = [m for m in same if self.functions[m.function].function is source.function]
        found = min(own or same, key=lambda m: m.path != path, default=None)
        if found is None:
            raise CompilerBug(f"no function of {self.functions[0].name} reads {path}")
        return found.function, found.path

    def places(self, hidden: tuple[tuple[int, str], ...], rooms: dict[str, int]) -> tuple[tuple[Namespace, str | None], ...]:
        """Where to read the hidden arguments; ``rooms`` gets the sizes of rooms that it does not have yet."""
        found: dict[tuple[int, str], tuple[Namespace, str | None]] = {(m.function, m.path): (m.namespace, m.name) for m in self.meanings}
        for function, name in hidden:
            if function == ROOM:
                rooms.setdefault(name, 0)
                found[function, name] = rooms, name
        return tuple(found[place] for place in hidden)


def resolve(source: SourceText) -> Names:
    """Look up every free name of a function, and of the functions that these names mean."""
    functions, meanings = [source], []
    known = {id(source.function)}
    for number, function in enumerate(functions):        # grows while it is walked
        for meaning in _meanings(number, function):
            meanings.append(meaning)
            below = plain_function(meaning.value)
            if below is not None and id(below) not in known:
                text = _readable(below)
                if text is not None:
                    known.add(id(below))
                    functions.append(text)
    return Names(tuple(functions), tuple(meanings))


def plain_function(value: object) -> FunctionType | None:
    """The function of plain Python that a call of this value would inline; None when there is none."""
    function = value if isinstance(value, FunctionType) else getattr(value, "__wrapped__", None)
    if not isinstance(function, FunctionType) or (function.__module__ or "").startswith("numpy"):
        return None
    return function


def _readable(function: FunctionType) -> SourceText | None:
    """Its text; None when it has none or is no kernel's, which the frontend tells if it matters."""
    try:
        return read_source(function)
    except DfadError:
        return None


def _meanings(number: int, source: SourceText) -> Iterator[Meaning]:
    if number > 0:
        yield from _defaults(number, source.function)
    seen: set[str] = set()
    free = set(_free_names(source.function.__code__))
    for path in _paths(source.tree):
        root, *attributes = path.split(".")
        if root not in free:
            continue
        for length in range(len(attributes) + 1):
            prefix = ".".join([root, *attributes[:length]])
            if prefix in seen:
                continue
            seen.add(prefix)
            yield from _look_up(number, source, prefix)


def _defaults(number: int, function: FunctionType) -> Iterator[Meaning]:
    """The default values of a function that is called from the kernel."""
    found = {name: p.default for name, p in signature(function).parameters.items() if p.default is not Parameter.empty}
    for name, value in found.items():
        yield Meaning(number, f"{function.__name__}.{name}", found, name, value)


def _free_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _free_names(constant)


def _paths(tree: ast.FunctionDef) -> Iterator[str]:
    """Every name in the text, with the attributes that follow it: ``np.linalg.norm``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            parts: list[str] = []
            inner: ast.expr = node
            while isinstance(inner, ast.Attribute):
                parts.append(inner.attr)
                inner = inner.value
            if isinstance(inner, ast.Name):
                yield ".".join([inner.id, *reversed(parts)])


def _look_up(number: int, source: SourceText, path: str) -> Iterator[Meaning]:
    """The meaning of a path whose prefixes are modules; a builtin also holds only as long as no global hides it."""
    root, *attributes = path.split(".")
    cell = source.closure.get(root)
    spaces: list[Namespace] = [cell] if cell is not None else [source.function.__globals__]
    if cell is None and root not in source.function.__globals__:
        spaces.append(vars(builtins))
    if not attributes:
        for space in spaces:
            yield Meaning(number, path, space, None if isinstance(space, CellType) else root, _read(space, root))
        return
    value = _read(spaces[-1], root)
    for attribute in attributes[:-1]:
        value = vars(value).get(attribute, NOTHING) if isinstance(value, ModuleType) else NOTHING
    if isinstance(value, ModuleType) and attributes[-1] in vars(value):
        yield Meaning(number, path, vars(value), attributes[-1], vars(value)[attributes[-1]])


def _read(space: Namespace, name: str) -> object:
    if isinstance(space, CellType):
        try:
            return space.cell_contents
        except ValueError:
            return NOTHING
    return space.get(name, NOTHING)


def _described(meaning: Meaning, numbers: Mapping[int, int]) -> object:
    """What of a meaning is compiled in: the number of a function, the name of an object, the type of a value, a constant itself."""
    value = meaning.value
    function = plain_function(value)
    if function is not None and id(function) in numbers:
        return ("function", numbers[id(function)])
    if value is NOTHING:
        return "nothing"
    if isinstance(value, ModuleType):
        return ("module", value.__name__)
    if "." in meaning.path or isinstance(value, tuple):
        return ("constant", _plain(value))
    if isinstance(value, int | float | np.generic | np.ndarray | str | None):
        kind = classify(value)
        return repr(value) if isinstance(kind, ConstantType) else repr(kind)
    return ("object", _plain(value))


def _plain(value: object) -> object:
    """A text for an object that is the same in every process."""
    if isinstance(value, bool | int | float | complex | str | bytes | None):
        return repr(value)
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    owner = value if hasattr(value, "__qualname__") or hasattr(value, "__name__") else type(value)
    return (getattr(owner, "__module__", ""), getattr(owner, "__qualname__", getattr(owner, "__name__", "")))
