"""The accepted language, stated once: which syntax a kernel may use, and what to write instead of the rest.

In: a function's text. Out: nothing, or one `UnsupportedSyntax` with all the problems of the function. Types are not looked at; this file
needs `ast` only, so that a cell is checked the moment it is run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dfad.errors import UnsupportedSyntax, gather
from dfad.source import SourceText

Problem = tuple[ast.AST, str, str | None]
"""Where, what is wrong, what to write instead."""

ACCEPTED: tuple[type[ast.AST], ...] = (
    ast.FunctionDef, ast.arguments, ast.arg, ast.keyword,
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Pass, ast.Assert,
    ast.For, ast.While, ast.If, ast.Return, ast.Break, ast.Continue,
    ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.comprehension,
    ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.Attribute, ast.Subscript, ast.Slice,
    ast.Tuple, ast.List, ast.expr_context, ast.boolop, ast.unaryop,
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult, ast.BitAnd, ast.BitOr,
    ast.BitXor, ast.LShift, ast.RShift,
    ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.Is, ast.IsNot,
)  # fmt: skip
"""The syntax that a kernel may use."""

LOOP = "write a for loop"
ARRAY = "use an array made by np.zeros or np.empty"

COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp)

REFUSED: dict[type[ast.AST], tuple[str, str | None]] = {
    ast.SetComp: ("comprehensions are not part of the language", LOOP),
    ast.DictComp: ("comprehensions are not part of the language", LOOP),
    ast.Dict: ("dictionaries are not part of the language", "pass the numbers as parameters"),
    ast.Set: ("sets are not part of the language", ARRAY),
    ast.Try: ("try is not part of the language", "test the condition with an if"),
    ast.Raise: ("raise is not part of the language", "use assert"),
    ast.With: ("with is not part of the language", None),
    ast.Import: ("import inside a kernel is not part of the language", "import it outside the kernel"),
    ast.ImportFrom: ("import inside a kernel is not part of the language", "import it outside the kernel"),
    ast.Global: ("global is not part of the language", "return the value, or write into an array"),
    ast.Nonlocal: ("nonlocal is not part of the language", "return the value, or write into an array"),
    ast.ClassDef: ("a class inside a kernel is not part of the language", None),
    ast.AsyncFunctionDef: ("async is not part of the language", None),
    ast.Await: ("await is not part of the language", None),
    ast.Yield: ("yield is not part of the language", "write into an array and return it"),
    ast.YieldFrom: ("yield is not part of the language", "write into an array and return it"),
    ast.Delete: ("del is not part of the language", "leave it out"),
    ast.Match: ("match is not part of the language", "use if and elif"),
    ast.NamedExpr: (":= is not part of the language", "assign in a statement of its own"),
    ast.JoinedStr: ("strings are not computed in a kernel", None),
    ast.Starred: ("* in a call or an assignment is not part of the language", "write the items one by one"),
    ast.In: ("in is not part of the language", "compare with =="),
    ast.NotIn: ("not in is not part of the language", "compare with !="),
}
"""Syntax that people try, what to call it, and what to write instead."""


def check(source: SourceText) -> None:
    """Refuse a function that uses more than the language.

    Raises
    ------
    UnsupportedSyntax
        All problems at once (``.problems``), each with line and caret.
    """
    problems = [refusal(source, *found) for found in problems_of(source.tree)]
    if problems:
        raise gather(problems)


def refusal(source: SourceText, node: ast.AST, message: str, hint: str | None) -> UnsupportedSyntax:
    """The error at a node of a function's text."""
    place = source.locate(node).place()
    place["hint"] = hint
    return UnsupportedSyntax(message, **place)


def problems_of(function: ast.FunctionDef) -> list[Problem]:
    """What the function may not use, in the order of the text."""
    found = _function(function)
    return sorted(found, key=lambda problem: (getattr(problem[0], "lineno", 0), getattr(problem[0], "col_offset", 0)))


def _function(function: ast.FunctionDef) -> Iterator[Problem]:
    """The problems of a function, and of those that it defines among its own statements."""
    yield from _parameters(function)
    for statement in function.body:
        if isinstance(statement, ast.FunctionDef):
            for decorator in statement.decorator_list:
                yield decorator, "a decorated function inside a kernel is not part of the language", "leave the decorator out"
            yield from _defaults(statement)
            yield from _function(statement)
        else:
            yield from _walk(statement)


def _defaults(node: ast.FunctionDef | ast.Lambda) -> Iterator[Problem]:
    """Defaults of inner functions, which Python evaluates when it defines them."""
    for default in (*node.args.defaults, *node.args.kw_defaults):
        if default is not None and not all(isinstance(part, ast.Constant | ast.UnaryOp | ast.USub) for part in ast.walk(default)):
            yield default, "the default of a function inside a kernel is a number", "give the argument in the call"


def _parameters(function: ast.FunctionDef | ast.Lambda) -> Iterator[Problem]:
    for argument in (function.args.vararg, function.args.kwarg):
        if argument is not None:
            yield argument, f"*{argument.arg} is not part of the language", "name each parameter"


def _walk(node: ast.AST, owner: ast.AST | None = None) -> Iterator[Problem]:
    """The problems of a node and, where it is accepted, of those below it."""
    here = node if isinstance(node, ast.stmt | ast.expr) else owner or node
    if isinstance(node, ast.FunctionDef):
        yield node, "a function defined in a loop or branch is not part of the language", "define it before"
        return
    if isinstance(node, ast.Lambda):
        yield from _parameters(node)
        yield from _defaults(node)
        yield from (
            (part, "a comprehension in a lambda is not part of the language", "write a def")
            for part in ast.walk(node.body)
            if isinstance(part, COMPREHENSIONS)
        )
    if isinstance(node, COMPREHENSIONS) and not _has_taker(node, owner):
        yield node, "what a comprehension makes cannot be kept", "write np.array([...])"
    if not isinstance(node, ACCEPTED):
        message, hint = REFUSED.get(type(node), (f"{type(node).__name__} is not part of the language", None))
        yield here, message, hint
        return
    yield from _special(node)
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, here)


def _has_taker(node: ast.ListComp | ast.GeneratorExp, owner: ast.AST | None) -> bool:
    """Whether the elements go straight into a call, or are a row of another comprehension."""
    match owner:
        case ast.Call(args=arguments, keywords=keywords):
            return node in arguments or any(keyword.value is node for keyword in keywords)
        case ast.Subscript(slice=index):
            return node is index and isinstance(node, ast.ListComp)
        case ast.ListComp(elt=element):
            return node is element and isinstance(node, ast.ListComp)
        case _:
            return False


def _special(node: ast.AST) -> Iterator[Problem]:
    """Accepted nodes in a form that is not."""
    match node:
        case ast.Assign(targets=targets):
            yield from (
                (target, "attributes cannot be assigned", "write A[...] = ...") for target in targets if isinstance(target, ast.Attribute)
            )
        case ast.AugAssign(target=ast.Attribute() as target):
            yield target, "attributes cannot be assigned", "write A[...] += ..."
        case ast.Constant(value=complex()):
            yield node, "complex numbers are not yet supported", "keep real and imaginary part in two arrays"
        case ast.Constant(value=bytes()):
            yield node, "bytes are not part of the language", None
        case ast.keyword(arg=None, value=value):
            yield value, "** in a call is not part of the language", "write the arguments one by one"
        case _:
            return
