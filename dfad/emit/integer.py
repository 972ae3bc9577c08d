"""Symbolic integers as text.

Polynomials with rational coefficients that take integer values, such as ``i*(i - 1)/2``, are divided once, at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, reduce

import sympy

from dfad.errors import CompilerBug

SUM, PRODUCT, UNARY, ATOM = range(4)
"""How tightly a text holds together; an operand that holds less tightly than its place is put into parentheses."""

_FOLDED = {sympy.Min: "dfad_min", sympy.Max: "dfad_max"}


def integer_text(value: sympy.Expr, names: Mapping[str, str], level: int = SUM) -> str:
    """The value as an expression of type int64_t that can stand as an operand of that level."""
    text, own = _spell(sympy.sympify(value), names)
    return text if own >= level else f"({text})"


def _spell(value: sympy.Expr, names: Mapping[str, str]) -> tuple[str, int]:
    match value:
        case sympy.Integer():
            return _literal(int(value)), ATOM if value >= 0 else UNARY
        case sympy.Symbol():
            return names[value.name], ATOM
        case sympy.Add() | sympy.Mul() if _has_fractions(value):
            return _quotient(value, names), ATOM
        case sympy.Add():
            return _sum(value, names), SUM
        case sympy.Mul():
            return _product(value, names), PRODUCT
        case sympy.Pow() if value.exp.is_Integer and value.exp > 0:
            return "*".join([integer_text(value.base, names, UNARY)] * int(value.exp)), PRODUCT
        case sympy.floor():
            return _quotient(value.args[0], names), ATOM
        case sympy.Mod():
            return f"dfad_mod({integer_text(value.args[0], names)}, {integer_text(value.args[1], names)})", ATOM
        case sympy.Min() | sympy.Max():
            texts = [integer_text(argument, names) for argument in sorted(value.args, key=sympy.default_sort_key)]
            return reduce(lambda a, b: f"{_FOLDED[value.func]}({a}, {b})", texts), ATOM
        case _:
            raise CompilerBug(f"not a symbolic integer: {value} ({type(value).__name__})")


def _literal(value: int) -> str:
    return str(value) if abs(value) < 2**31 else f"<int64_t> {value}"


def _has_fractions(value: sympy.Expr) -> bool:
    """Whether a coefficient, or a factor, is a fraction; of ``Mod(i, n)`` sympy itself does not know."""
    return any(_is_fraction(factor) for term in sympy.Add.make_args(value) for factor in sympy.Mul.make_args(term))


def _is_fraction(factor: sympy.Expr) -> bool:
    if isinstance(factor, sympy.Pow):
        return bool(factor.exp.is_negative)
    return bool(factor.is_Rational and not factor.is_Integer)


def _quotient(value: sympy.Expr, names: Mapping[str, str]) -> str:
    """The floor of a quotient of integers."""
    above, below = sympy.fraction(sympy.together(value))
    return f"dfad_floordiv({integer_text(sympy.expand(above), names)}, {integer_text(below, names)})"


def _sum(value: sympy.Add, names: Mapping[str, str]) -> str:
    """The terms in sympy's order, those with a plus first."""
    terms = _terms(value)
    text = integer_text(terms[0], names)
    for term in terms[1:]:
        negative = _is_negative(term)
        text += (" - " if negative else " + ") + integer_text(-term if negative else term, names, PRODUCT)
    return text


@lru_cache(maxsize=10_000)
def _terms(value: sympy.Add) -> tuple[sympy.Expr, ...]:
    """Remembered: sympy compares monomials to order the terms, and most subscripts stand in several places."""
    return tuple(sorted(value.as_ordered_terms(), key=_is_negative))


def _is_negative(term: sympy.Expr) -> bool:
    return bool(term.as_coeff_Mul()[0] < 0)


def _product(value: sympy.Mul, names: Mapping[str, str]) -> str:
    coefficient, rest = value.as_coeff_Mul()
    if coefficient == -1:
        return f"-{integer_text(rest, names, PRODUCT)}"
    return "*".join(integer_text(factor, names, UNARY) for factor in value.as_ordered_factors())
