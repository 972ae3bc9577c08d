"""Lists that change in place: `h += [v]`, `h *= 2`, `h.append(v)`, `h.extend(w)`.

A list is a row of values, known while the kernel is compiled: it grows where no loop or branch decides how often. It is one object under
all its names; a change that another name would see is refused.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from dfad.frontend.scope import Context, Frame, is_held
from dfad.frontend.sequences import of_sequences
from dfad.frontend.values import Tuple, Value, kind_of

METHODS = ("append", "extend")
APPENDED = "appended"
"""Marks the augmented assignments that stand for calls of the methods, with the method's name."""


def without_appends(function: ast.FunctionDef) -> ast.FunctionDef:
    """The function with ``h += [v]`` for ``h.append(v)`` and ``h += w`` for ``h.extend(w)``; the same object where there are none."""
    statements = (node.value for node in ast.walk(function) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
    if not any(isinstance(call.func, ast.Attribute) and call.func.attr in METHODS for call in statements):
        return function
    changed: ast.FunctionDef = _Rewrite().visit(copy.deepcopy(function))
    return changed


class _Rewrite(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        match node:
            case ast.Expr(ast.Call(ast.Attribute(ast.Name() as name, "append" | "extend" as method), [argument], [])):
                added = ast.copy_location(ast.List([argument], ast.Load()), argument) if method == "append" else argument
                statement = ast.AugAssign(ast.copy_location(ast.Name(name.id, ast.Store()), name), ast.Add(), added)
                setattr(statement, APPENDED, method)
                return ast.copy_location(statement, node)
            case _:
                return node


def require_list(context: Context, statement: ast.AugAssign, current: Value) -> None:
    """Refuse a method of lists where the name means something else."""
    method = getattr(statement, APPENDED, None)
    if method is not None and not (isinstance(current, Tuple) and current.is_list):
        context.wrong_type(f"{kind_of(current)} has no attribute {method} here", hint="write u = np.append(u, value) for an array")


def augmented_list(context: Context, name: str, op: ast.operator, current: Tuple, value: Value) -> Value:
    """What the list is after ``name op= value``."""
    if current.identity is None or any(items.is_list for known in context.learned.items.values() for items in known.values()):
        context.unsupported(f"{name} is one of several lists here, which changes", hint=f"write {name} = {name} + [...]")
    other = next(_others_that_mean(context, name, current), None)
    if other is not None and is_held(other):
        context.unsupported(f"{name} changes while a loop goes over it", hint=f"loop over a copy: {name}[:]")
    if other is not None:
        context.unsupported(f"{name} and {other} are one list, which changes under both names", hint=f"write {name} = {name} + [...]")
    if isinstance(op, ast.Add):
        if not isinstance(value, Tuple):
            context.unsupported(f"a list is extended by {kind_of(value)}", hint=f"make arrays of both: np.append(np.array({name}), ...)")
        return Tuple(current.items + value.items, is_list=True)
    found = of_sequences(context, op, current, value)
    if found is None:
        context.wrong_type(f"this is not defined for {kind_of(current)}", hint="write np.array(...) round it")
    return found


def _others_that_mean(context: Context, name: str, meant: Tuple) -> Iterator[str]:
    """The other variables that may still be read and hold the list, in a tuple or list perhaps; all those of the functions that call."""
    frame = context.frame
    for owner in context.frames:
        for other, value in owner.variables.items():
            if (owner, other) != (frame, name) and _holds(value, meant) and _may_be_read(frame, owner, other):
                yield other


def _may_be_read(frame: Frame, owner: Frame, name: str) -> bool:
    return owner is not frame or owner.is_live(name)


def _holds(value: Value, meant: Tuple) -> bool:
    """Whether a value is or contains the list, or one of several lists, of which it may be one."""
    if not isinstance(value, Tuple):
        return False
    may_be = value.is_list and (value.identity is None or value.identity is meant.identity)
    return may_be or any(_holds(item, meant) for item in value.items)
