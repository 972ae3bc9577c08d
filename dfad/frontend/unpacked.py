"""Tuples and lists that a region changes: each item a variable of its own; syntax tree in, syntax tree out.

    state = step(state)        becomes        state_0, state_1 = step((state_0, state_1))

Which variables these are, and of how many items, lowering finds out (variables.py); its next attempt begins with the function rewritten.
What stays true: the function computes the same, and every statement keeps its place in the source. An item may be a tuple again.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn

from dfad.frontend.liveness import is_appended, is_augmented
from dfad.frontend.scope import Context, Frame, Home, Items, Retry
from dfad.frontend.values import Tuple, kind_of
from dfad.frontend.written import place_before


def unpacked(function: ast.FunctionDef, found: Mapping[str, Items]) -> ast.FunctionDef:
    """The function with the variables' items as variables; the same object where there are none."""
    for name, items in found.items():
        function = _Rewrite(name, items).visit(copy.deepcopy(function))
    return function


def unpack_parameters(frame: Frame, found: Mapping[str, Items]) -> None:
    """Give the items of parameters their values."""
    for name, items in found.items():
        value = frame.variables.pop(name, None)
        if isinstance(value, Tuple):
            frame.variables.update(zip(items.names, value.items, strict=True))


def start_unpacking(context: Context, name: str, home: Home, value: Tuple) -> NoReturn:
    """Let lowering start again with the items as variables."""
    count = len(value.items)
    if isinstance(home.fixed, Tuple) and len(home.fixed.items) != count:
        context.unsupported(
            f"{name} gets another length in a loop or branch than it has{place_before(context, name)}",
            hint=f"make an array before, of the final length, or one that grows: {name} = np.append({name}, value)",
        )
    frame = context.frame
    known = context.learned.items.setdefault(frame.path, {})
    taken = {node.id for node in ast.walk(frame.source.tree) if isinstance(node, ast.Name)} | frame.variables.keys()
    if is_augmented(frame.source.tree.body, name) or is_appended(frame.source.tree.body, name):
        context.unsupported(
            f"{name} becomes {kind_of(value)} in a loop or branch that also gives it another value{place_before(context, name)}",
            hint=f"write {name} = ..., with all the items",
        )
    known[name] = Items(tuple(_unused(f"{name}_{place}", taken) for place in range(count)), value.is_list)
    raise Retry


def _unused(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _side_by_side(targets: Sequence[ast.expr], values: Sequence[ast.expr]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets and values of an assignment, without the tuples round them where both have one."""
    for target, value in zip(targets, values, strict=True):
        match target, value:
            case ast.Tuple(inner), ast.Tuple(parts) if len(inner) == len(parts):
                yield from _side_by_side(inner, parts)
            case _:
                yield target, value


class _Rewrite(ast.NodeTransformer):
    """Puts the items in the place of one variable."""

    def __init__(self, name: str, items: Items) -> None:
        self.name, self.items = name, items

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != self.name:
            return node
        names: list[ast.expr] = [ast.copy_location(ast.Name(item, node.ctx), node) for item in self.items.names]
        kind = ast.List if self.items.is_list and isinstance(node.ctx, ast.Load) else ast.Tuple
        return ast.copy_location(kind(names, node.ctx), node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """An item that the text names is read alone."""
        match node:
            case ast.Subscript(ast.Name(self.name), ast.Constant(int(place)), ast.Load()) if place < len(self.items.names):
                return ast.copy_location(ast.Name(self.items.names[place], ast.Load()), node)
            case _:
                return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """``s, t = t, s`` is an exchange of all the items."""
        self.generic_visit(node)
        match node:
            case ast.Assign([ast.Tuple(targets) as left], ast.Tuple(values) as right) if len(targets) == len(values):
                pairs = list(_side_by_side(targets, values))
                left.elts, right.elts = [target for target, _ in pairs], [value for _, value in pairs]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """``state: tuple = ...`` as a plain assignment, whose target may be several."""
        self.generic_visit(node)
        if isinstance(node.target, ast.Tuple) and node.value is not None:
            return ast.copy_location(ast.Assign([node.target], node.value), node)
        return node
