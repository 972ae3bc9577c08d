"""A Python function's text: its syntax tree with the places that an editor shows, and the names that it can see.

In: a function defined in a file, a notebook cell or any text known to `linecache`. Out: a `SourceText`. The tree carries the line
and column numbers of the file, whatever the indentation; decorators are dropped. Nothing of the function is run or checked here.
"""

import ast
import builtins
import inspect
import linecache
from collections.abc import Mapping
from dataclasses import dataclass
from types import BuiltinFunctionType, CellType, FunctionType, MethodType

from dfad.errors import KernelTypeError, Place, UnsupportedSyntax

Placed = ast.stmt | ast.expr | ast.excepthandler | ast.arg | ast.keyword | ast.alias | ast.pattern
"""The nodes of a syntax tree that have a place of their own."""


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A stretch of a source file: lines from 1, columns from 0 in characters, the end column one past the last character."""

    filename: str
    line: int
    column: int
    end_line: int
    end_column: int

    def place(self) -> Place:
        """The keywords that put a `DfadError` at this location: `raise UnsupportedSyntax("...", **location.place())`."""
        text = linecache.getline(self.filename, self.line).rstrip()
        end_column = self.end_column if self.end_line == self.line else len(text)
        return Place(filename=self.filename, line=self.line, column=self.column, end_column=end_column, text=text or None)

    def __str__(self) -> str:
        return f"{self.filename}:{self.line}"


@dataclass(frozen=True, eq=False)
class SourceText:
    """The text of one function and what its names may mean.

    Attributes
    ----------
    function : FunctionType
        The function itself.
    filename : str
        Its file, as tracebacks name it.
    text : str
        The lines from `def` to the end of the body as they stand in the file, without decorators.
    tree : ast.FunctionDef
        The definition, with the file's line numbers and without decorators.
    enclosing : SourceText, optional
        The function in whose text it stands, where it is part of that text.
    """

    function: FunctionType
    filename: str
    text: str
    tree: ast.FunctionDef
    enclosing: "SourceText | None" = None

    @property
    def outermost(self) -> "SourceText":
        """The function whose text holds this one."""
        return self if self.enclosing is None else self.enclosing.outermost

    @property
    def name(self) -> str:
        """The function's name in its `def`."""
        return self.tree.name

    @property
    def globals(self) -> Mapping[str, object]:
        """The live namespace of the defining module: what a name means now, not what it meant at the definition."""
        return self.function.__globals__

    @property
    def closure(self) -> Mapping[str, CellType]:
        """The cells of the variables of enclosing functions, by name."""
        function = self.outermost.function
        return dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))

    def lookup(self, name: str) -> object:
        """What a name that the function does not bind means now.

        Raises
        ------
        KeyError
            When it means nothing: no closure variable, global or builtin has this name and a value.
        """
        cell = self.closure.get(name)
        if cell is not None:
            return _contents(cell, name)
        return self.globals[name] if name in self.globals else vars(builtins)[name]

    def locate(self, node: ast.AST) -> Location:
        """The place of a node of `tree`; of the `def` itself for nodes that have none."""
        placed = node if isinstance(node, Placed) else self.tree
        line, end_line = placed.lineno, placed.end_lineno or placed.lineno
        end_offset = placed.col_offset if placed.end_col_offset is None else placed.end_col_offset
        return Location(
            self.filename, line, self._characters(line, placed.col_offset), end_line, self._characters(end_line, end_offset)
        )

    def _characters(self, line: int, offset: int) -> int:
        """A column in characters from an offset of `ast`, which counts bytes of UTF-8."""
        lines = self.text.splitlines()
        text = lines[line - self.tree.lineno] if 0 <= line - self.tree.lineno < len(lines) else ""
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))


def read_source(function: object) -> SourceText:
    """Read the text of a Python function.

    Parameters
    ----------
    function : object
        A plain Python function, also one nested in a function or a class.

    Raises
    ------
    KernelTypeError
        When it is not a plain Python function, or its text is not to be had.
    UnsupportedSyntax
        When it is a lambda or a coroutine.
    """
    plain = _plain_function(function)
    filename, first = plain.__code__.co_filename, plain.__code__.co_firstlineno
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, plain.__globals__)[first - 1 :]
    if not lines:
        raise _unavailable(plain)
    block = inspect.getblock(lines)
    tree = _parse(plain, block)
    text = "".join(block[tree.lineno - first :])
    return SourceText(plain, filename, text, tree)


def _plain_function(function: object) -> FunctionType:
    match function:
        case FunctionType(__name__="<lambda>"):
            code = function.__code__
            raise UnsupportedSyntax(
                "a lambda cannot be a kernel", filename=code.co_filename, line=code.co_firstlineno, hint="write it as a def"
            )
        case FunctionType():
            return function
        case MethodType():
            raise KernelTypeError(f"{function.__qualname__} is a bound method", hint="write a plain function of the arrays that it uses")
        case BuiltinFunctionType() | type():
            raise KernelTypeError(f"{function.__name__} has no Python source", hint="a kernel is a Python function written with def")
        case _:
            raise KernelTypeError(f"a kernel is a Python function, not {type(function).__name__}")


def _parse(function: FunctionType, block: list[str]) -> ast.FunctionDef:
    """The definition in a block of lines; an indented block is parsed below an `if`, which leaves its columns alone."""
    first = function.__code__.co_firstlineno
    indented = block[0][:1].isspace()
    try:
        module = ast.parse("if True:\n" * indented + "".join(block))
    except SyntaxError as error:
        raise _unavailable(function) from error
    ast.increment_lineno(module, first - 1 - indented)
    definition = next((node for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)), None)
    if isinstance(definition, ast.AsyncFunctionDef):
        filename = function.__code__.co_filename
        raise UnsupportedSyntax("a coroutine cannot be a kernel", filename=filename, line=definition.lineno, hint="write a plain def")
    if definition is None or not _is_text_of(definition, function):
        raise _unavailable(function)
    definition.decorator_list.clear()
    return definition


def _is_text_of(definition: ast.FunctionDef, function: FunctionType) -> bool:
    """Whether a definition can be the function's: a file edited after its import often shows another one at this line."""
    code, parameters = function.__code__, definition.args
    named = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
    count = code.co_argcount + code.co_kwonlyargcount
    return definition.name == code.co_name and len(named) == count


def _contents(cell: CellType, name: str) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        raise KeyError(name) from None


def _unavailable(function: FunctionType) -> KernelTypeError:
    code = function.__code__
    return KernelTypeError(
        f"the source text of {function.__qualname__} is not available",
        filename=code.co_filename,
        line=code.co_firstlineno,
        hint="define it in a file or a notebook cell; if the file changed since it was imported, import it again",
    )
