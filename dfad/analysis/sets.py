"""The bridge between symbolic integers (sympy) and integer sets (isl).

Names are passed to isl with a trailing underscore, so that no name of a kernel is a word of isl's language. An expression that is not
affine has no text; one that is not affine but uses parameters only becomes a parameter of its own, since its value never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import TypeVar

import islpy as isl
import sympy

from dfad.ir.memlet import symbol

Answer = TypeVar("Answer")

OPERATION_LIMIT = 1_000_000
"""Operations of isl for one question: about two seconds."""

LEAST_LIMIT = 50_000
"""Operations for a question after others were too hard."""


def within_limit(ask: Callable[[], Answer], otherwise: Answer, operations: int = OPERATION_LIMIT) -> Answer:
    """What isl answers, or the other answer where that would take it more operations."""
    context = isl.DEFAULT_CONTEXT
    context.reset_operations()
    context.set_max_operations(operations)
    try:
        return ask()
    except isl.Error:
        return otherwise
    finally:
        context.set_max_operations(0)


class Patience:
    """Asks isl questions about one Program; after one that is too hard, the next get fewer operations."""

    def __init__(self) -> None:
        self._operations = OPERATION_LIMIT

    def ask(self, question: Callable[[], Answer], otherwise: Answer) -> Answer:
        """What isl answers, or the other answer."""
        found = within_limit(lambda: (question(),), None, self._operations)
        if found is not None:
            return found[0]
        self._operations = max(self._operations * 7 // 8, LEAST_LIMIT)
        return otherwise


class Space:
    """The parameters of one Program, and the text of its integer expressions in isl's language.

    ``parameters`` are the symbols that never change, ``scalars`` the integer scalars that are written again in every trip of a loop.
    """

    def __init__(self, parameters: Set[str], scalars: Set[str] = frozenset()) -> None:
        self.parameters: dict[str, sympy.Expr] = {name + "_": symbol(name) for name in sorted(parameters)}
        self._scalars = frozenset(symbol(name) for name in scalars)
        self._opaque: dict[sympy.Expr, str] = {}

    def is_fixed(self, expression: sympy.Expr) -> bool:
        """Whether the expression holds no integer scalar that changes."""
        return not expression.free_symbols & self._scalars

    def text(self, expression: sympy.Expr) -> str | None:
        """The expression in isl's language; None where it is not affine in what varies."""
        expression = sympy.sympify(expression)
        if expression.free_symbols & self._scalars:
            return None
        text = _affine(expression)
        if text is not None:
            return text
        if all(item.name + "_" in self.parameters for item in expression.free_symbols):
            return self._parameter(expression)
        return None

    def _parameter(self, expression: sympy.Expr) -> str:
        if expression not in self._opaque:
            name = f"opaque{len(self._opaque)}_"
            self._opaque[expression] = name
            self.parameters[name] = expression
        return self._opaque[expression]

    def header(self) -> str:
        """The list of parameters that begins every text."""
        return "[" + ", ".join(self.parameters) + "] -> "

    def simplified(self, constraints: tuple[str, ...]) -> str:
        """Constraints on parameters as one that isl reads faster, where they become simpler: `max` and `min` are cases to it, and each
        case of one stands beside each of the others until it is found empty."""
        text = " and ".join(constraints)
        if "max(" not in text and "min(" not in text:
            return text
        cases = within_limit(lambda: isl.Set(f"{self.header()}{{ : {text} }}").coalesce(), None)
        if cases is None or cases.n_basic_set() > 1:
            return text
        return str(cases).partition("{")[2].rpartition("}")[0].strip().removeprefix(":").strip()

    def expression(self, aff: isl.Aff, inputs: tuple[sympy.Symbol, ...]) -> sympy.Expr | None:
        """The affine function as a symbolic integer over parameters and inputs; None when it needs an integer division."""
        if aff.dim(isl.dim_type.div) > 0:
            return None
        total: sympy.Expr = sympy.Integer(0)
        for position in range(aff.dim(isl.dim_type.param)):
            factor = _rational(aff.get_coefficient_val(isl.dim_type.param, position))
            if factor != 0:
                total += factor * self.parameters[str(aff.get_dim_name(isl.dim_type.param, position))]
        for position, name in enumerate(inputs):
            total += _rational(aff.get_coefficient_val(isl.dim_type.in_, position)) * name
        return total + _rational(aff.get_constant_val())


def _rational(value: isl.Val) -> sympy.Rational:
    return sympy.Rational(value.get_num_si(), value.get_den_val().get_num_si())


def _affine(expression: sympy.Expr) -> str | None:
    """The text of an expression that is affine in all its symbols."""
    match expression:
        case sympy.Integer():
            return f"({int(expression)})"
        case sympy.Symbol():
            return f"{expression.name}_"
        case sympy.Add():
            return _joined(expression.args, " + ")
        case sympy.Mul():
            return _product(expression)
        case sympy.floor():
            return _division(expression.args[0])
        case sympy.Mod():
            return _modulo(*expression.args)
        case sympy.Min() | sympy.Max():
            inner = _joined(expression.args, ", ")
            return None if inner is None else ("min" if isinstance(expression, sympy.Min) else "max") + inner
        case _:
            return None


def _joined(parts: tuple[sympy.Expr, ...], sign: str) -> str | None:
    texts = [_affine(part) for part in parts]
    return None if None in texts else "(" + sign.join(text for text in texts if text) + ")"


def _product(expression: sympy.Mul) -> str | None:
    factor, rest = expression.as_coeff_Mul()
    inner = None if isinstance(rest, sympy.Mul) else _affine(rest)
    return None if inner is None or not factor.is_Integer else f"{int(factor)}*{inner}"


def _division(quotient: sympy.Expr) -> str | None:
    numerator, denominator = sympy.together(quotient).as_numer_denom()
    inner = _affine(sympy.expand(numerator))
    return None if inner is None or not denominator.is_Integer else f"floor(({inner})/{int(denominator)})"


def _modulo(value: sympy.Expr, base: sympy.Expr) -> str | None:
    inner = _affine(value)
    return None if inner is None or not base.is_Integer or base <= 0 else f"(({inner}) mod {int(base)})"


def single_piece(function: isl.PwAff) -> isl.Aff | None:
    """The affine function when it is one wherever it is defined; None otherwise."""
    pieces = function.coalesce().get_pieces()
    return pieces[0][1] if len(pieces) == 1 else None
