"""The value of symbolic integers, exactly: sympy expressions over symbols (grammar.md) on Python integers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeAlias

import sympy

from dfad.errors import CompilerBug

Number: TypeAlias = int | Fraction
Values: TypeAlias = Mapping[str, int]


def compile_integer(expression: sympy.Expr) -> Callable[[Values], int]:
    """A function from the values of the symbols, by name, to the value of the expression.

    It raises CompilerBug where the value is no integer, KeyError where a symbol has no value.
    """
    value = _compile(expression)

    def exact(values: Values) -> int:
        found = value(values)
        if found != int(found):
            raise CompilerBug(f"{expression} is {found}, which is no integer")
        return int(found)

    return exact


def evaluate_integer(expression: sympy.Expr, values: Values) -> int:
    """The value of the expression for these values of its symbols."""
    return compile_integer(expression)(values)


def _compile(expression: sympy.Expr) -> Callable[[Values], Number]:
    if expression.is_Integer or expression.is_Rational:
        constant = int(expression) if expression.is_Integer else Fraction(int(expression.p), int(expression.q))
        return lambda values: constant
    if expression.is_Symbol:
        name = expression.name
        return lambda values: values[name]
    operands = [_compile(operand) for operand in expression.args]
    combine = _meaning(expression)
    return lambda values: combine([operand(values) for operand in operands])


def _meaning(expression: sympy.Expr) -> Callable[[list[Number]], Number]:
    match expression:
        case sympy.Add():
            return sum
        case sympy.Mul():
            return math.prod
        case sympy.Pow():
            return lambda parts: Fraction(parts[0]) ** int(parts[1])
        case sympy.floor():
            return lambda parts: math.floor(parts[0])
        case sympy.ceiling():
            return lambda parts: math.ceil(parts[0])
        case sympy.Mod():
            return lambda parts: parts[0] % parts[1]
        case sympy.Min():
            return min
        case sympy.Max():
            return max
        case _:
            raise CompilerBug(f"{expression} is no symbolic integer")
