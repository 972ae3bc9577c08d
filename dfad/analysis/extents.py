"""Extents that are equal wherever the reverse sweep runs: those that a Check at the top of the forward sweep has compared."""

from __future__ import annotations

import sympy

from dfad.ir.nodes import Apply, Block, Check, Integer, Program
from dfad.ir.walk import Change, substitute


def equal_extents(program: Program) -> Change:
    """A change that brings symbolic integers which are equal in the reverse sweep to one form."""
    table: dict[sympy.Symbol, sympy.Expr] = {}
    for sweep in program.body.body[:1]:
        for node in sweep.body if isinstance(sweep, Block) else (sweep,):
            match node:
                case Check(condition=Apply(operation="eq", operands=(Integer(value=left), Integer(value=right)))):
                    _note(substitute(table)(left - right), table)
                case _:
                    pass
    return substitute(table)


def _note(difference: sympy.Expr, table: dict[sympy.Symbol, sympy.Expr]) -> None:
    """Solve ``difference = 0`` for its last symbol where that stands alone, and put it into the table."""
    for item in sorted(difference.free_symbols, key=str, reverse=True):
        if difference.coeff(item) in (1, -1) and not (difference - difference.coeff(item) * item).has(item):
            value = sympy.expand(item - difference / difference.coeff(item))
            for known, old in table.items():
                table[known] = old.xreplace({item: value})
            table[item] = value
            return
