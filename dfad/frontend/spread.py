"""Whether masked elements that a variable means may stay where they are, in the shape of what they were chosen from (masks.py).

NumPy makes an array of them. Nobody can tell the difference where every use of the variable gives a new value: an operation, a sum, a
function of NumPy's, a `return`. Another name for it, a view of it, an inlined function or a loop that gets it may write to that array.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from dfad.frontend.names import is_inlined, known_object
from dfad.frontend.scope import Context

READING = frozenset(
    {"all", "any", "astype", "copy", "dtype", "item", "max", "mean", "min", "ndim", "prod", "shape", "size", "std", "sum", "var"}
)
"""Attributes that give a new value."""

VIEWS = frozenset(
    {
        "asarray", "broadcast_to", "diagonal", "expand_dims", "flip", "fliplr", "flipud", "moveaxis", "ravel", "reshape", "squeeze",
        "swapaxes", "transpose",
    }
)  # fmt: skip
"""Functions that may give a view of what they are given."""


def may_stay_spread(context: Context, name: str) -> bool:
    """Whether every use of the variable in the present function gives a new value."""
    tree = context.frame.source.tree
    parents = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
    uses = (node for node in parents if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load))
    return all(_gives_new_value(context, node, parents) for node in uses)


def _gives_new_value(context: Context, node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether what stands round the node does so."""
    parent = parents[node]
    match parent:
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.BoolOp() | ast.AugAssign() | ast.Return() | ast.Expr() | ast.Assert():
            return True
        case ast.Attribute(attr=name):
            return name in READING
        case ast.Subscript(slice=index):
            return index is node
        case ast.Tuple() | ast.List() | ast.keyword():
            return _gives_new_value(context, parent, parents)
        case ast.Call(func=called):
            return called is not node and _shown(called) not in VIEWS and not is_inlined(known_object(context, called))
        case _:
            return False


def _shown(called: ast.expr) -> str:
    match called:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""
