"""A cell of plain Python -> its kernels, bound in the user's namespace.

The functions that the cell defines at top level become kernels. Imports and constants run in the namespace as they would without
dfad; every other statement is refused, all of them at once. Names are looked up in the user's namespace when a kernel is called.
"""

import __future__

import ast
import inspect
import tokenize
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from io import StringIO
from operator import or_
from types import FunctionType
from typing import Any

import dfad

FUTURE = reduce(or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))
"""The flags that a `from __future__` import sets for the statements after it."""


@dataclass(frozen=True)
class CellText:
    """The text of a cell as the editor shows it.

    Attributes
    ----------
    raw : str
        The whole cell, its magic line included.
    body : str
        The Python below the magic line.
    filename : str
        The name under which Python and `linecache` know the cell.
    """

    raw: str
    body: str
    filename: str

    @property
    def offset(self) -> int:
        """How many lines of the cell stand above its body."""
        return len(self.raw.rstrip().splitlines()) - len(self.body.rstrip().splitlines())

    @property
    def padded(self) -> str:
        """The body with an empty line for each line above it, so that its line numbers are the editor's."""
        return "\n" * self.offset + self.body


def define(cell: CellText, namespace: dict[str, Any], options: Mapping[str, Any], flags: int = 0) -> dict[str, Any]:
    """Make kernels of the functions of a cell and bind them in `namespace`.

    Parameters
    ----------
    cell : CellText
        The cell.
    namespace : dict
        Where the cell runs; bound to the kernels on success, unchanged in its functions on failure.
    options : mapping
        The options of `dfad.kernel`.
    flags : int, optional
        Compiler flags of the session (`from __future__` imports).

    Returns
    -------
    dict
        The kernels by name, in the order of the cell.

    Raises
    ------
    dfad.UnsupportedSyntax
        The cell is no Python, holds a statement that is refused, or a function that is no kernel.
    """
    statements = _checked(cell, _parsed(cell, flags))
    functions = _run(statements, cell.filename, namespace, flags)
    with _rolled_back_on_error(namespace, functions):
        namespace.update(functions)
        kernels = {name: dfad.kernel(function, **options) for name, function in functions.items()}
        namespace.update(kernels)
    return kernels


def is_silenced(text: str) -> bool:
    """Whether the last token of a text, comments aside, is a semicolon."""
    blank = {tokenize.ENDMARKER, tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.DEDENT, tokenize.INDENT}
    try:
        tokens = [token for token in tokenize.generate_tokens(StringIO(text).readline) if token.type not in blank]
    except (tokenize.TokenError, SyntaxError):
        return False
    return bool(tokens) and tokens[-1].string == ";"


def _parsed(cell: CellText, flags: int) -> list[ast.stmt]:
    try:
        tree = compile(cell.padded, cell.filename, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    except SyntaxError as error:
        raise _not_python(error, cell.filename) from None
    assert isinstance(tree, ast.Module)
    return tree.body


def _not_python(error: SyntaxError, filename: str) -> dfad.UnsupportedSyntax:
    column = max((error.offset or 1) - 1, 0)
    end = error.end_offset - 1 if error.end_offset and error.end_lineno == error.lineno else None
    return dfad.UnsupportedSyntax(
        f"the cell is not valid Python: {error.msg}",
        filename=filename,
        line=error.lineno,
        column=column,
        end_column=end,
        text=(error.text or "").rstrip("\n") or None,
    )


def _checked(cell: CellText, statements: list[ast.stmt]) -> list[ast.stmt]:
    problems = [problem for statement in statements for problem in _refusals(statement, cell)]
    if not problems and not any(isinstance(statement, ast.FunctionDef) for statement in statements):
        problems = [_refusal("the cell defines no function", "define the kernel with `def` in this cell", None, cell)]
    if len(problems) > 1:
        first = problems[0].line
        raise dfad.UnsupportedSyntax(f"{len(problems)} problems", problems=problems, filename=cell.filename, line=first, text="")
    if problems:
        raise problems[0]
    return statements


def _refusals(statement: ast.stmt, cell: CellText) -> Iterator[dfad.UnsupportedSyntax]:
    match statement:
        case ast.FunctionDef(decorator_list=decorators):
            for decorator in decorators:
                yield _refusal("a decorated function cannot be made a kernel here", "remove the decorator", decorator, cell)
        case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()) | ast.Pass():
            pass
        case ast.Assign(targets=targets) if all(_is_name(target) for target in targets):
            pass
        case ast.AnnAssign(target=ast.Name()):
            pass
        case _:
            hint = "keep functions, imports and constants here and move this to a cell of its own"
            yield _refusal("this statement does not belong in a %%dfad cell", hint, statement, cell)


def _is_name(target: ast.expr) -> bool:
    match target:
        case ast.Name():
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(_is_name(part) for part in parts)
    return False


def _refusal(message: str, hint: str, node: ast.stmt | ast.expr | None, cell: CellText) -> dfad.UnsupportedSyntax:
    line = cell.offset + 1 if node is None else node.lineno
    text = cell.padded.splitlines()[line - 1]
    column = 0 if node is None else _characters(text, node.col_offset)
    end = None
    if node is not None and node.end_lineno == line and node.end_col_offset is not None:
        end = _characters(text, node.end_col_offset)
    return dfad.UnsupportedSyntax(message, filename=cell.filename, line=line, column=column, end_column=end, text=text, hint=hint)


def _characters(text: str, offset: int) -> int:
    """`ast` counts columns in bytes, an editor in characters."""
    return len(text.encode()[:offset].decode(errors="ignore"))


def _run(statements: list[ast.stmt], filename: str, namespace: dict[str, Any], flags: int) -> dict[str, FunctionType]:
    """Run the statements in order: definitions are kept aside, the others bind in the namespace."""
    functions: dict[str, Any] = {}
    for statement in statements:
        module = ast.Module(body=[statement], type_ignores=[])
        code = compile(module, filename, "exec", flags, dont_inherit=True)
        flags |= code.co_flags & FUTURE
        if isinstance(statement, ast.FunctionDef):
            exec(code, namespace, functions)
        else:
            exec(code, namespace)
    return {name: value for name, value in functions.items() if inspect.isfunction(value)}


@contextmanager
def _rolled_back_on_error(namespace: dict[str, Any], names: Mapping[str, Any]) -> Iterator[None]:
    """Give `names` back what they were bound to when the block raises."""
    before = {name: namespace[name] for name in names if name in namespace}
    done = False
    try:
        yield
        done = True
    finally:
        if not done:
            for name in names:
                namespace.pop(name, None)
            namespace.update(before)
