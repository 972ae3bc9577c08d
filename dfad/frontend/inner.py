"""Functions that a function defines for itself, with `def` or `lambda`: inlined where they are called.

Python looks a name up when it runs: what such a function reads of the variables around it has the value of the moment of its call. No
function can rebind the variables of another one (`nonlocal` is refused), so during a call they mean what they mean where the call
stands, or where the function is handed to another one. There they become arguments:

    def f(x, a):
        def g(v):                       g(v, *, a)
            return a * v        ->
        a = 2.0
        return g(x)                     return g(x, a=a)
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import NoReturn

from dfad.frontend.built import Built, Evaluate
from dfad.frontend.comprehended import without_comprehensions
from dfad.frontend.fence import refusal
from dfad.frontend.liveness import parameters_of
from dfad.frontend.scope import Context
from dfad.frontend.values import Known, Value
from dfad.source import SourceText

Definition = ast.FunctionDef | ast.Lambda
NAME_OF_LAMBDA = "<lambda>"


class Inner(Built):
    """A function that the text defines, as a value: `captured` are the variables around it that it reads."""

    _fields = ("captured",)

    def __init__(self, function: FunctionType, captured: Sequence[ast.Name]) -> None:
        super().__init__()
        self.function = function
        self.captured = list(captured)

    def __deepcopy__(self, memory: dict[int, object]) -> Inner:
        return ast.copy_location(Inner(self.function, copy.deepcopy(self.captured, memory)), self)

    def evaluated(self, context: Context, evaluate: Evaluate) -> Value:
        return Known(Bound(self.function, {name.id: evaluate(context, name) for name in self.captured}))

    @property
    def known(self) -> object:
        return self.function


@dataclass(frozen=True, eq=False, slots=True)
class Bound:
    """Such a function with the values of the variables that it reads."""

    function: FunctionType
    captured: Mapping[str, Value]

    @property
    def __wrapped__(self) -> FunctionType:
        return self.function


def without_functions(context: Context, source: SourceText) -> ast.FunctionDef:
    """The function without its definitions of functions, which the context knows from then on; the same tree where there are none."""
    tree = without_comprehensions(source)
    if not any(isinstance(node, Definition) for node in _inside(tree.body)):
        return tree
    return _Extraction(context, source, tree).rewritten()


class _Extraction:
    """One function whose inner functions are taken out."""

    def __init__(self, context: Context, source: SourceText, tree: ast.FunctionDef) -> None:
        self.context, self.source = context, source
        self.tree: ast.FunctionDef = copy.deepcopy(tree)
        self.definitions = {name: node for statement in self.tree.body for name, node in _defined(statement)}
        self.bound = _bound(self.tree) - self.definitions.keys()
        self.refuse_others()
        self.captured = self.captures()
        self.functions = {name: _stub(source, name, node, self.captured[name]) for name, node in self.definitions.items()}

    def refuse_others(self) -> None:
        """Refuse names of functions that mean other things too, and calls before the definition."""
        stored = [node for node in _own(self.tree.body) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        named = [name for statement in self.tree.body for name, _ in _defined(statement)]
        for name, node in self.definitions.items():
            others = [other for other in stored if other.id == name]
            if named.count(name) > 1 or len(others) > isinstance(node, ast.Lambda) or name in _parameter_names(self.tree):
                self.refuse(node, f"{name} is a function here and something else there", "give each its own name")
            reads = (use for use in _own(self.tree.body) if isinstance(use, ast.Name) and use.id == name and isinstance(use.ctx, ast.Load))
            for use in reads:
                if (use.lineno, use.col_offset) < (node.lineno, node.col_offset):
                    self.refuse(use, f"{name} is defined further down", "define it before")

    def captures(self) -> dict[str, tuple[str, ...]]:
        """The variables of this function that each inner one reads, those that it needs for others included."""
        free = {name: _free(node) for name, node in self.definitions.items()}
        found = {name: free[name] & self.bound for name in free}
        for _ in found:
            found = {name: found[name].union(*(found[other] for other in free[name] & found.keys())) for name in found}
        for name, node in self.definitions.items():
            hidden = sorted(found[name] & _bound(node))
            if hidden:
                what = f"{name} has a variable {hidden[0]} and calls a function that reads another one"
                self.refuse(node, what, "give each its own name")
        return {name: tuple(sorted(names)) for name, names in found.items()}

    def rewritten(self) -> ast.FunctionDef:
        """The function without its definitions, `Inner` in place of their names."""
        for name, node in self.definitions.items():
            body = [ast.copy_location(ast.Return(node.body), node.body)] if isinstance(node, ast.Lambda) else node.body
            changed = [_Uses(self, _bound(node), in_inner=True).visit(statement) for statement in body]
            self.register(self.functions[name], node, changed, self.captured[name])
        kept = [statement for statement in self.tree.body if not any(True for _ in _defined(statement))]
        uses = _Uses(self, frozenset(), in_inner=False)
        self.tree.body = [uses.visit(statement) for statement in kept] or [ast.copy_location(ast.Pass(), self.tree.body[0])]
        return self.tree

    def register(self, function: FunctionType, node: Definition, body: Sequence[ast.stmt], captured: Sequence[str]) -> None:
        """Let the context know the text of an inner function; what it reads of the variables around it are keyword arguments."""
        tree = ast.FunctionDef(function.__name__, _arguments(node, captured), list(body), [], None, None)
        tree = ast.fix_missing_locations(ast.copy_location(tree, node))
        lines = self.source.text.splitlines(keepends=True)
        text = "".join(lines[node.lineno - self.source.tree.lineno : (node.end_lineno or node.lineno) - self.source.tree.lineno + 1])
        self.context.inlined[function] = SourceText(function, self.source.filename, text, tree, self.source)

    def refuse(self, node: ast.AST, message: str, hint: str) -> NoReturn:
        raise refusal(self.source, node, message, hint)


class _Uses(ast.NodeTransformer):
    """Reads of the names of inner functions, and lambdas, as `Inner`; `hidden` are names that mean something else here."""

    def __init__(self, extraction: _Extraction, hidden: frozenset[str], in_inner: bool) -> None:
        self.extraction, self.hidden, self.in_inner = extraction, hidden, in_inner
        self.is_called = False

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.extraction.definitions and node.id not in self.hidden and isinstance(node.ctx, ast.Load):
            return self.inner(self.extraction.functions[node.id], self.extraction.captured[node.id], node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        """One that an inner function defines; it is taken out when that is inlined."""
        below = _Uses(self.extraction, self.hidden | _bound(node), in_inner=True)
        node.body = [below.visit(statement) for statement in node.body]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        below = _Uses(self.extraction, self.hidden | _bound(node), in_inner=True)
        if self.in_inner:
            node.body = below.visit(node.body)
            return node
        free = _free(node)
        called = (self.extraction.captured[name] for name in free & self.extraction.definitions.keys())
        captured = sorted((free & self.extraction.bound).union(*called))
        function = _stub(self.extraction.source, NAME_OF_LAMBDA, node, captured)
        body = [ast.copy_location(ast.Return(below.visit(node.body)), node.body)]
        self.extraction.register(function, node, body, captured)
        return self.inner(function, captured, node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        parts = [node.func, *node.args, *(keyword.value for keyword in node.keywords)]
        done = []
        for part in parts:
            self.is_called = True
            done.append(self.visit(part))
        self.is_called = False
        node.func, node.args = done[0], done[1 : 1 + len(node.args)]
        for keyword, value in zip(node.keywords, done[1 + len(node.args) :], strict=True):
            keyword.value = value
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, ast.Name | ast.Lambda | ast.Call):
            self.is_called = False
        return super().generic_visit(node)

    def inner(self, function: FunctionType, captured: Sequence[str], node: ast.expr) -> Inner:
        """A function may be called or handed on; where it is kept, what it reads could change before it is called."""
        if captured and not self.is_called:
            hint = "call it, or hand it to the function that calls it"
            self.extraction.refuse(node, f"a function that reads {captured[0]} is kept for later", hint)
        names = [ast.copy_location(ast.Name(name, ast.Load()), node) for name in captured]
        return ast.copy_location(Inner(function, names), node)


def _arguments(node: Definition, captured: Sequence[str]) -> ast.arguments:
    """The parameters of an inner function, with those that its captured variables become."""
    arguments = copy.deepcopy(node.args)
    arguments.kwonlyargs += [ast.copy_location(ast.arg(name), node) for name in captured]
    arguments.kw_defaults += [None] * len(captured)
    return arguments


def _stub(source: SourceText, name: str, node: Definition, captured: Sequence[str]) -> FunctionType:
    """A function with the signature that calls need; its text is what counts."""
    definition = ast.FunctionDef("made", _arguments(node, captured), [ast.Pass()], [], None, None)
    for argument in parameters_of(definition):
        argument.annotation = None
    module = ast.fix_missing_locations(ast.Module([definition], []))
    scope: dict[str, object] = {}
    exec(compile(module, source.filename, "exec", dont_inherit=True), scope)
    made = scope["made"]
    assert isinstance(made, FunctionType)
    function = FunctionType(made.__code__, source.function.__globals__, name, made.__defaults__)
    function.__kwdefaults__ = made.__kwdefaults__
    return function


# ---------------------------------------------------------------- names


def _defined(statement: ast.stmt) -> Iterator[tuple[str, Definition]]:
    """The function that a statement defines, with its name."""
    match statement:
        case ast.FunctionDef(name=name):
            yield name, statement
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value):
            yield name, value
        case _:
            return


def _inside(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    return (part for node in nodes for part in ast.walk(node))


def _own(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The nodes outside inner functions, and these themselves."""
    for node in nodes:
        yield node
        if not isinstance(node, Definition):
            yield from _own(list(ast.iter_child_nodes(node)))


def _parameter_names(node: Definition) -> frozenset[str]:
    return frozenset(argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))


def _body(node: Definition) -> Sequence[ast.AST]:
    return [node.body] if isinstance(node, ast.Lambda) else node.body


def _bound(node: Definition) -> frozenset[str]:
    """The names that are the function's own."""
    stored = (part.id for part in _own(_body(node)) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
    inner = (part.name for part in _own(_body(node)) if isinstance(part, ast.FunctionDef))
    return frozenset({*_parameter_names(node), *stored, *inner})


def _free(node: Definition) -> frozenset[str]:
    """The names that the function reads and does not bind."""
    own = list(_own(_body(node)))
    read = {part.id for part in own if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    below = (name for part in own if isinstance(part, Definition) for name in _free(part))
    return frozenset({*read, *below} - _bound(node))
