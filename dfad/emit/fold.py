"""Conditions that are known: Cython's own folding takes the wrong side of some nested choices, so none is left to it."""

from __future__ import annotations

from dataclasses import replace

from dfad.errors import CompilerBug
from dfad.ir.dtype import BOOL
from dfad.ir.nodes import Apply, Block, Constant, Expression, Integer, Node, Program, Select
from dfad.ir.operations import OPERATIONS
from dfad.ir.walk import map_expression, map_node_expressions, rewrite


def fold_conditions(program: Program) -> Program:
    """The Program without boolean operations on constants and without choices by one; the same object when there are none."""
    body = rewrite(program.body, _fold_node)
    if not isinstance(body, Block):
        raise CompilerBug("folding conditions made a Block something else")
    return program if body is program.body else replace(program, body=body)


def _fold_node(node: Node) -> Node:
    return map_node_expressions(node, lambda expression: map_expression(expression, _fold))


def _fold(expression: Expression) -> Expression:
    match expression:
        case Select(condition=Constant(value=value)):
            side = expression.chosen if value else expression.other
            return side if side.dtype == expression.dtype else Apply("cast", (side,), expression.dtype)
        case Apply(operation="and" | "or" as operation, operands=(a, b)):
            return _fold_logical(operation, a, b) or expression
        case Apply(operands=operands) if expression.dtype == BOOL and all(_is_known(operand) for operand in operands):
            meaning = OPERATIONS[expression.operation].meaning
            return Constant(bool(meaning(*(operand.dtype.numpy.type(_value(operand)) for operand in operands))), BOOL)
        case _:
            return expression


def _fold_logical(operation: str, a: Expression, b: Expression) -> Expression | None:
    """A conjunction or disjunction of which one side is known; None where neither is."""
    decides = operation == "or"
    for known, other in ((a, b), (b, a)):
        if isinstance(known, Constant):
            return Constant(decides, BOOL) if bool(known.value) == decides else other
    return None


def _is_known(expression: Expression) -> bool:
    return isinstance(expression, Constant) or (isinstance(expression, Integer) and bool(expression.value.is_Integer))


def _value(expression: Expression) -> float | int:
    match expression:
        case Constant():
            return expression.value
        case Integer():
            return int(expression.value)
        case _:
            raise CompilerBug(f"{expression} is not known")
