"""Comprehensions as functions inside the function: an array of the elements, for the function of NumPy, or of Python's, that takes them.

    y = np.array([v * a for v in x if v > a])       def elements(iterable):
                                                        made, place = np.empty(len(iterable)), 0
                                            ->          for v in iterable:
                                                            if v > a: made[place] = v * a; place += 1
                                                        return made[:place]
                                                    y = np.array(elements(x))

Python evaluates the first iterable outside, everything else inside, where the loops' variables are local. Every element is computed once,
in Python's order; of several loops the trips are counted before. What the elements are is seen when they are: an attempt takes them for
floats, and begins again where they are not.
"""

from __future__ import annotations

import ast
import builtins
import copy
import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from dfad.frontend.built import Built, Evaluate
from dfad.frontend.builtin import trips_of
from dfad.frontend.elementwise import joined_type, operand_of, require_equal
from dfad.frontend.names import calls_a_function, is_inlined, known_object
from dfad.frontend.scope import Context, Retry
from dfad.frontend.values import Known, Shape, Tuple, Value, View, integer
from dfad.ir.dtype import F64, Dtype
from dfad.source import SourceText

Comprehension = ast.ListComp | ast.GeneratorExp

COMPREHENDED = "comprehended"
"""Marks the calls that stand for comprehensions, with whether what they give is a list."""

ENDING = ((builtins.any, True), (builtins.all, False))
"""Which element of a generator ends the search, and is its outcome."""

FOLDING = (builtins.sum, builtins.any, builtins.all, builtins.max, builtins.min, math.fsum, math.prod)
"""The functions that take a generator."""


class Given(Built):
    """An object of Python or NumPy, whatever its name means in the text."""

    def __init__(self, given: object = None) -> None:
        super().__init__()
        self.given = given

    def evaluated(self, context: Context, evaluate: Evaluate) -> Value:
        return Known(self.given)

    @property
    def known(self) -> object:
        return self.given


class Extents(Built):
    """The shape of the array: the number of elements, and the shape of one, as far as it is known."""

    def evaluated(self, context: Context, evaluate: Evaluate) -> Value:
        assert self.part is not None
        _, shape = _learned(context)
        return Tuple((evaluate(context, self.part), *(integer(extent) for extent in shape)))


class ElementType(Built):
    """The type of the elements, as far as it is known."""

    def evaluated(self, context: Context, evaluate: Evaluate) -> Value:
        dtype, _ = _learned(context)
        return Known(dtype.numpy)


class Element(Built):
    """One element, a number or a row, of the array ``made``."""

    def __init__(self, part: ast.expr | None = None, made: str = "") -> None:
        super().__init__(part)
        self.made = made

    def evaluated(self, context: Context, evaluate: Evaluate) -> Value:
        assert self.part is not None
        value = evaluate(context, self.part)
        found = operand_of(context, context.as_array(context, value, None) if isinstance(value, Tuple) else value)
        shape = tuple(context.builder.natural(extent) for extent in found.shape)
        self.learn(context, found.dtype, shape)
        for own, extent in zip(_learned(context)[1], shape, strict=True):
            require_equal(context, own, extent)
        return found

    def learn(self, context: Context, dtype: Dtype, shape: Shape) -> None:
        """Let lowering start again where the element is not what the array is made for."""
        path = context.frame.path
        known, rows = _learned(context)
        if path not in context.learned.elements:
            if (dtype, shape) == (known, rows):
                return
            self.refuse_ragged(context, shape)
        else:
            if len(rows) != len(shape):
                context.unsupported("elements of several ranks make no array", hint="write a for loop")
            dtype, _ = joined_type(context, [(known, False), (dtype, False)])
            if dtype == known:
                return
            shape = rows
        context.learned.elements[path] = dtype, shape
        raise Retry

    def refuse_ragged(self, context: Context, shape: Shape) -> None:
        """Refuse rows whose length is known only where they are made."""
        made = context.frame.variables[self.made]
        assert isinstance(made, View)
        blocks = context.builder.blocks
        home = next(place for place, block in enumerate(blocks) if made.array in block.arrays)
        if any(block.binds(extent) for block in blocks[home + 1 :] for extent in shape):
            context.unsupported("rows of different lengths make no array", hint="make an array of zeros and fill it in a for loop")


def _learned(context: Context) -> tuple[Dtype, Shape]:
    return context.learned.elements.get(context.frame.path, (F64, ()))


class Again(Built):
    """What an inner loop runs over, evaluated a second time."""

    def evaluated(self, context: Context, evaluate: Evaluate) -> Value:
        assert self.part is not None
        if calls_a_function(context, self.part):
            context.unsupported("what an inner loop of a comprehension runs over calls a function", hint="write a for loop")
        return evaluate(context, self.part)


def refuse_taker(context: Context, function: ast.expr, argument: ast.expr) -> None:
    """Refuse a comprehension where the function that takes it would find a list, or takes no generator."""
    is_list = getattr(argument, COMPREHENDED, None)
    if is_list is None:
        return
    taker = known_object(context, function)
    if is_inlined(taker) or (is_list is False and not any(taker is folding for folding in FOLDING)):
        context.place = argument
        what = "a list made by a comprehension" if is_list else "a generator"
        context.unsupported(f"{what} cannot be handed to this function", hint="write np.array([...])")


def without_comprehensions(source: SourceText) -> ast.FunctionDef:
    """The function with a function for each comprehension; the same object where there are none."""
    if not any(isinstance(node, Comprehension) for node in ast.walk(source.tree)):
        return source.tree
    changed = copy.deepcopy(source.tree)
    _Rewrite(source, changed).rewrite(changed)
    return changed


class _Rewrite(ast.NodeTransformer):
    def __init__(self, source: SourceText, function: ast.FunctionDef) -> None:
        self.source = source
        nodes = list(ast.walk(function))
        self.own = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        self.own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        self.own |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        self.taken = self.own | {node.id for node in nodes if isinstance(node, ast.Name)}
        self.made: list[ast.FunctionDef] = []

    def name(self, base: str) -> str:
        while base in self.taken:
            base += "_"
        self.taken.add(base)
        return base

    def rewrite(self, function: ast.FunctionDef) -> None:
        """Put the functions for its comprehensions before the statements of the function."""
        outer, self.made = self.made, []
        function.body = [self.visit(statement) for statement in function.body]
        function.body = [*self.made, *function.body]
        self.made = outer

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.rewrite(node)
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        return self.array(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        return self.array(node)

    def array(self, node: Comprehension) -> ast.expr:
        """The call that gives an array of the elements."""
        call = self.call(node, self.elements)
        setattr(call, COMPREHENDED, isinstance(node, ast.ListComp))
        return call

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(ast.Name(name), [ast.GeneratorExp() as generator], []) if name not in self.own:
                for function, ending in ENDING:
                    if self.meaning(name) is function:
                        return self.call(generator, partial(self.search, ending=ending))
        return self.generic_visit(node)

    def meaning(self, name: str) -> object:
        """What a name of the namespace means; None where it means nothing."""
        try:
            return self.source.lookup(name)
        except KeyError:
            return None

    def call(self, node: Comprehension, body_of: Callable[[Comprehension, str], list[ast.stmt]]) -> ast.expr:
        """The call of a function with that body; it is given what the outermost loop runs over."""
        name, iterable = self.name("elements"), self.name("iterable")
        first = self.visit(node.generators[0].iter)
        node.generators[0].iter = _read(iterable)
        body = [ast.fix_missing_locations(ast.copy_location(statement, node)) for statement in body_of(node, iterable)]
        arguments = ast.arguments([], [ast.arg(iterable)], None, [], [], None, [])
        made = ast.FunctionDef(name, arguments, body, [], None, None)
        self.rewrite(made)
        self.made.append(ast.fix_missing_locations(ast.copy_location(made, node)))
        return ast.copy_location(ast.Call(ast.copy_location(_read(name), node), [first], []), node)

    def elements(self, node: Comprehension, iterable: str) -> list[ast.stmt]:
        """Make an array of the elements."""
        is_each = len(node.generators) == 1 and not node.generators[0].ifs
        return self.one_for_each(node, iterable) if is_each else self.some(node, iterable)

    def search(self, node: Comprehension, iterable: str, ending: bool) -> list[ast.stmt]:
        """End with the first element that decides."""
        test = node.elt if ending else ast.UnaryOp(ast.Not(), node.elt)
        found = ast.If(ast.copy_location(test, node.elt), [ast.Return(ast.Constant(ending))], [])
        return [_nested(node.generators, [found]), ast.Return(ast.Constant(not ending))]

    def one_for_each(self, node: Comprehension, iterable: str) -> list[ast.stmt]:
        """Where each trip makes an element, its place is the number of the trip."""
        made, place = self.name("made"), self.name("place")
        target = ast.Tuple([ast.Name(place, ast.Store()), node.generators[0].target], ast.Store())
        loop = ast.For(target, _called(builtins.enumerate, _read(iterable)), [_element(made, place, node.elt)], [], None)
        return [_declared(made, _called(trips_of, _read(iterable))), loop, ast.Return(_read(made))]

    def some(self, node: Comprehension, iterable: str) -> list[ast.stmt]:
        """Where conditions decide, or there are inner loops, the array has room for an element of every trip."""
        made, place, count = self.name("made"), self.name("place"), self.name("count")
        body: list[ast.stmt] = [_started(place)]
        trips = _called(trips_of, _read(iterable))
        if len(node.generators) > 1:
            loops = [ast.comprehension(one.target, one.iter, [], 0) for one in copy.deepcopy(node.generators)]
            for inner in loops[1:]:
                inner.iter = ast.copy_location(Again(inner.iter), inner.iter)
            body += [_started(count), _nested(loops, [_one_more(count)])]
            trips = _read(count)
        body += [_declared(made, trips), _nested(node.generators, [_element(made, place, node.elt), _one_more(place)])]
        return [*body, ast.Return(ast.Subscript(_read(made), ast.Slice(None, _read(place)), ast.Load()))]


def _started(name: str) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], ast.Constant(0))


def _read(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _called(function: object, *arguments: ast.expr) -> ast.expr:
    return ast.Call(Given(function), list(arguments), [])


def _declared(made: str, count: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(made, ast.Store())], ast.Call(Given(np.empty), [Extents(count)], [ast.keyword("dtype", ElementType())]))


def _element(made: str, place: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Subscript(_read(made), _read(place), ast.Store())], ast.copy_location(Element(value, made), value))


def _one_more(name: str) -> ast.stmt:
    return ast.AugAssign(ast.Name(name, ast.Store()), ast.Add(), ast.Constant(1))


def _nested(generators: Sequence[ast.comprehension], body: list[ast.stmt]) -> ast.stmt:
    """The loops and conditions of a comprehension, round statements."""
    for generator in reversed(generators):
        for condition in reversed(generator.ifs):
            body = [ast.If(condition, body, [])]
        body = [ast.For(generator.target, generator.iter, body, [], None)]
    return body[0]
