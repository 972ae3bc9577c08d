"""Expressions of the source: an `ast` expression in, a value out; what has to run first is emitted.

Operands are evaluated in Python's order, and what may not be evaluated (the other side of a conditional expression, the rest of an
`and`) is kept in a block of its own: where that block is not empty, the expression becomes a Branch.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from dfad.frontend.arithmetic import apply, select, truth
from dfad.frontend.arrays import in_temporary
from dfad.frontend.attributes import attribute
from dfad.frontend.built import Built
from dfad.frontend.calls import call
from dfad.frontend.comprehended import refuse_taker
from dfad.frontend.conditional import branch_of, chosen_of, chosen_sequence
from dfad.frontend.early import of_trip_before
from dfad.frontend.elementwise import (
    Operand,
    apply_all,
    number_of,
    operand_of,
    settle,
    typed,
)
from dfad.frontend.functions import same
from dfad.frontend.grids import grid, is_grid
from dfad.frontend.guards import knowing
from dfad.frontend.indexing import subscript
from dfad.frontend.masks import keep_masked
from dfad.frontend.names import calls_a_function, outer_value
from dfad.frontend.oneof import read_selection
from dfad.frontend.powers import power
from dfad.frontend.products import matmul
from dfad.frontend.scope import Context
from dfad.frontend.sequences import are_equal, item_of, of_sequences, require_array, require_no_sequence
from dfad.frontend.values import (
    Deferred,
    Known,
    Lazy,
    Masked,
    OneOf,
    Scalar,
    Selection,
    Sharing,
    SliceOf,
    Tuple,
    Value,
    View,
    kind_of,
    number,
)
from dfad.ir.dtype import BOOL
from dfad.ir.nodes import Constant, Read
from dfad.ir.walk import walk_expression

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.LShift: "left_shift",
    ast.RShift: "right_shift",
}

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}


def evaluate(context: Context, node: ast.expr) -> Value:
    """The value of an expression."""
    outer = context.place
    context.place = node
    value = _evaluate(context, node)
    context.place = outer
    return value


def _evaluate(context: Context, node: ast.expr) -> Value:
    match node:
        case ast.Constant(value=value):
            return number(value) if isinstance(value, bool | int | float) else Known(value)
        case ast.Name(id=name):
            return read_name(context, name)
        case ast.BinOp(left=left, op=op, right=right):
            return binary(context, op, *evaluate_all(context, (left, right)))
        case ast.UnaryOp(op=op, operand=operand):
            return _unary(context, op, evaluate(context, operand))
        case ast.Compare():
            return _compare(context, node)
        case ast.BoolOp():
            return _both(context, node.op, node.values)
        case ast.IfExp():
            return _conditional(context, node)
        case ast.Call():
            return _call(context, node)
        case ast.Attribute(value=owner, attr=name):
            return attribute(context, evaluate(context, owner), name)
        case ast.Subscript(value=owner, slice=index):
            return _subscript(context, owner, index)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return Tuple(tuple(evaluate_all(context, items)), isinstance(node, ast.List))
        case Built():
            return node.evaluated(context, evaluate)
        case ast.Slice(lower=lower, upper=upper, step=step):
            return SliceOf(*(None if part is None else number_of(context, evaluate(context, part)) for part in (lower, upper, step)))
        case _:
            context.unsupported(f"{type(node).__name__} is not part of the language")


def read_name(context: Context, name: str) -> Value:
    """What a variable or a name of the namespace stands for."""
    frame = context.frame
    if name in frame.variables:
        value = frame.variables[name]
        return read_selection(context, value) if isinstance(value, Selection) else value
    if name in frame.liveness.local:
        return of_trip_before(context, name)
    return outer_value(context, name)


def evaluate_all(context: Context, nodes: Sequence[ast.expr]) -> list[Value]:
    """The values of several expressions, left to right; a value is kept from what a later call writes."""
    values = list[Value]()
    for position, node in enumerate(nodes):
        value = evaluate(context, node)
        if any(calls_a_function(context, later) for later in nodes[position + 1 :]):
            value = keep(context, value)
        values.append(value)
    return values


def keep(context: Context, value: Value) -> Value:
    """The value as it is now, whatever is written later."""
    match value:
        case Scalar():
            return settle(context, value)
        case OneOf():
            return value
        case Lazy(shares=Sharing() as shares) if value.shape:
            copied = in_temporary(context, value)
            return Lazy(copied.shape, copied.dtype, copied.at, shares)
        case Lazy() | Deferred():
            return operand_of(context, value) if not value.shape else in_temporary(context, value)
        case Masked():
            return keep_masked(context, value)
        case Tuple(items=items):
            return replace(value, items=tuple(keep(context, item) for item in items))
        case _:
            return value


# ---------------------------------------------------------------- operators


def binary(context: Context, op: ast.operator, left: Value, right: Value) -> Value:
    """``left op right``."""
    if isinstance(op, ast.MatMult):
        return matmul(context, left, right)
    if isinstance(left, Tuple) or isinstance(right, Tuple):
        found = of_sequences(context, op, left, right)
        if found is not None:
            return found
    if isinstance(op, ast.Pow):
        return power(context, left, right)
    return apply_all(context, BINARY[type(op)], left, right)


def _unary(context: Context, op: ast.unaryop, value: Value) -> Value:
    require_no_sequence(context, value)
    match op:
        case ast.USub():
            return apply_all(context, "neg", value)
        case ast.UAdd():
            return same(context, value)
        case ast.Not():
            return typed(context, lambda operand: apply("not", operand), number_of(context, value))
        case _:
            found = operand_of(context, value)
            if isinstance(found, Scalar) and found.dtype == BOOL and found.weak:
                context.unsupported("~ of a condition is an integer", hint="write `not` for a condition")
            return apply_all(context, "invert", found)


def _compare(context: Context, node: ast.Compare) -> Value:
    """A chain ``a < b < c`` is ``a < b and b < c`` with b evaluated once."""
    if isinstance(node.ops[0], ast.Is | ast.IsNot):
        return _identity(context, node)
    if any(calls_a_function(context, later) for later in node.comparators[1:]):
        context.unsupported("a call in a chained comparison runs only if what stands before it is true", hint="write a < b and b < f(x)")
    operands = evaluate_all(context, [node.left, *node.comparators])
    if len(operands) > 2:
        operands = [operands[0], *(_once(context, value) for value in operands[1:-1]), operands[-1]]
    links = [_link(context, op, *pair) for op, pair in zip(node.ops, pairwise(operands), strict=True)]
    found = links[0]
    for link in links[1:]:
        found = typed(context, lambda first, second: apply("and", first, second), number_of(context, found), number_of(context, link))
    return found


def _once(context: Context, value: Value) -> Value:
    return settle(context, value) if isinstance(value, Scalar) else value


def _link(context: Context, op: ast.cmpop, left: Value, right: Value) -> Value:
    if isinstance(left, Known) or isinstance(right, Known):
        if isinstance(left, Known) and isinstance(right, Known) and isinstance(op, ast.Eq | ast.NotEq):
            return number((left.value == right.value) == isinstance(op, ast.Eq))
        context.wrong_type(f"{kind_of(left)} and {kind_of(right)} cannot be compared")
    if isinstance(left, Tuple) and isinstance(right, Tuple) and isinstance(op, ast.Eq | ast.NotEq):
        return are_equal(context, left, right, isinstance(op, ast.Eq))
    if isinstance(left, Tuple) or isinstance(right, Tuple):
        require_array(context, left, right)
    return apply_all(context, COMPARISONS[type(op)], left, right)


def _identity(context: Context, node: ast.Compare) -> Value:
    """``x is None``, known now."""
    left, right = evaluate_all(context, [node.left, *node.comparators])
    if not isinstance(right, Known):
        context.unsupported("`is` compares with None only", hint="use ==")
    same = isinstance(left, Known) and left.value is right.value
    return number(same == isinstance(node.ops[0], ast.Is))


# ---------------------------------------------------------------- what may not run


def _both(context: Context, op: ast.boolop, nodes: Sequence[ast.expr]) -> Scalar:
    """``a and b``, ``a or b`` of numbers; b is evaluated only where a does not decide."""
    first = number_of(context, evaluate(context, nodes[0]))
    if len(nodes) == 1:
        return first
    is_or = isinstance(op, ast.Or)
    first = first if first.dtype == BOOL else settle(context, first)
    guard = typed(context, truth, first)
    if guard.constant is not None:
        return first if bool(guard.constant) == is_or else _both(context, op, nodes[1:])
    with context.builder.nested() as rest, knowing(context, guard, not is_or):
        second = _both(context, op, nodes[1:])
    if first.dtype == second.dtype == BOOL and not rest.body and not _reads_elements(second):
        return typed(context, lambda *both: apply("or" if is_or else "and", *both), first, second)
    decided = Scalar(Constant(is_or, BOOL)) if first.dtype == BOOL else first
    chosen, other = (decided, second) if is_or else (second, decided)
    if not rest.body:
        return typed(context, select, guard, chosen, other)
    with context.builder.nested() as empty:
        pass
    return branch_of(context, guard, *((empty, decided, rest, second) if is_or else (rest, second, empty, decided)))


def _reads_elements(value: Scalar) -> bool:
    return any(isinstance(part, Read) and part.memlet.subset for part in walk_expression(value.expression))


def _conditional(context: Context, node: ast.IfExp) -> Value:
    """``a if c else b``: only one side is evaluated; of two tuples each item is a choice."""
    guard = typed(context, truth, number_of(context, evaluate(context, node.test)))
    if guard.constant is not None:
        return evaluate(context, node.body if guard.constant else node.orelse)
    match node.body, node.orelse:
        case (ast.Tuple(chosen), ast.Tuple(other)) | (ast.List(chosen), ast.List(other)) if len(chosen) == len(other):
            once = settle(context, guard)
            items = tuple(_choice(context, once, *sides) for sides in zip(chosen, other, strict=True))
            return Tuple(items, isinstance(node.body, ast.List))
        case _:
            return _choice(context, guard, node.body, node.orelse)


def _choice(context: Context, guard: Scalar, body: ast.expr, other_body: ast.expr) -> Value:
    with context.builder.nested() as then, knowing(context, guard, True):
        first = _side(context, body)
    with context.builder.nested() as orelse, knowing(context, guard, False):
        second = _side(context, other_body)
    if isinstance(first, Tuple) or isinstance(second, Tuple):
        if then.body or orelse.body:
            context.unsupported("a sequence that is computed is chosen here", hint="write an if statement")
        return chosen_sequence(context, settle(context, guard), first, second)
    return chosen_of(context, guard, (then, first), (orelse, second))


def _side(context: Context, node: ast.expr) -> Operand | Tuple:
    found = evaluate(context, node)
    return found if isinstance(found, Tuple) else operand_of(context, found)


# ---------------------------------------------------------------- calls and subscripts


def _call(context: Context, node: ast.Call) -> Value:
    callee = evaluate(context, node.func)
    for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
        refuse_taker(context, node.func, argument)
    values = evaluate_all(context, [*node.args, *(keyword.value for keyword in node.keywords)])
    names = [keyword.arg or "" for keyword in node.keywords]
    return call(context, callee, values[: len(node.args)], dict(zip(names, values[len(node.args) :], strict=True)))


def _subscript(context: Context, owner: ast.expr, index: ast.expr) -> Value:
    found, items = evaluate_index(context, owner, index)
    if isinstance(found, Known) and is_grid(found):
        return grid(context, found, items)
    if isinstance(found, Tuple):
        return item_of(context, owner, found, items)
    if isinstance(found, Masked):
        found = operand_of(context, found)
    if not isinstance(found, View | Lazy | Deferred):
        context.wrong_type(f"{kind_of(found)} has no elements")
    return subscript(context, found, items)


def evaluate_index(context: Context, owner: ast.expr, index: ast.expr) -> tuple[Value, list[Value]]:
    """The array and the items of ``owner[index]``, in Python's order."""
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    found, *values = evaluate_all(context, [owner, *items])
    return found, values
