"""Expressions with the simplifications that hold for every IEEE value: ``1*x``, ``x/1``, ``-(-x)`` and constants, never ``0*x``."""

from __future__ import annotations

import sympy

from dfad.ir.dtype import BOOL, Dtype
from dfad.ir.nodes import Apply, Constant, Expression, Integer, Loop, Select


def constant(value: float, dtype: Dtype) -> Constant:
    """The floating-point constant of that type."""
    return Constant(float(value), dtype)


def is_constant(expression: Expression, value: float) -> bool:
    """Whether the expression is that number."""
    return isinstance(expression, Constant) and expression.value == value


def multiply(a: Expression, b: Expression) -> Expression:
    """``a * b`` in the dtype of ``a``."""
    if is_constant(a, 1.0):
        return b
    if is_constant(b, 1.0):
        return a
    if is_constant(b, -1.0):
        return negate(a)
    return Apply("mul", (a, b), a.dtype)


def divide(a: Expression, b: Expression) -> Expression:
    """``a / b``."""
    return a if is_constant(b, 1.0) else Apply("div", (a, b), a.dtype)


def negate(a: Expression) -> Expression:
    """``-a``."""
    if isinstance(a, Apply) and a.operation == "neg":
        return a.operands[0]
    return Apply("neg", (a,), a.dtype)


def add(a: Expression, b: Expression) -> Expression:
    """``a + b``."""
    return Apply("add", (a, b), a.dtype)


def subtract(a: Expression, b: Expression) -> Expression:
    """``a - b``."""
    return Apply("sub", (a, b), a.dtype)


def apply(operation: str, *operands: Expression) -> Expression:
    """An operation in the dtype of its first operand."""
    return Apply(operation, operands, operands[0].dtype)


def compare(operation: str, a: Expression, b: Expression) -> Expression:
    """A comparison."""
    return Apply(operation, (a, b), BOOL)


def compare_integers(operation: str, a: sympy.Expr, b: sympy.Expr) -> Expression:
    """A comparison of symbolic integers."""
    return compare(operation, Integer(a), Integer(b))


def both(a: Expression, b: Expression) -> Expression:
    """``a and b``."""
    return Apply("and", (a, b), BOOL)


def runs(loop: Loop) -> Expression:
    """The condition under which a loop makes any trip."""
    return compare_integers("lt" if loop.step > 0 else "gt", loop.start, loop.stop)


def choose(condition: Expression, chosen: Expression, other: Expression) -> Expression:
    """``chosen if condition else other``."""
    return Select(condition, chosen, other, chosen.dtype)


def cast(a: Expression, dtype: Dtype) -> Expression:
    """``a`` in another element type."""
    if a.dtype == dtype:
        return a
    return constant(float(a.value), dtype) if isinstance(a, Constant) and dtype.is_float else Apply("cast", (a,), dtype)


def zero_of(dtype: Dtype) -> Constant:
    """The constant 0 of a type."""
    return Constant(0.0 if dtype.is_float else 0, dtype)


def zero_like(a: Expression) -> Expression:
    """The constant 0 of the same type."""
    return zero_of(a.dtype)
