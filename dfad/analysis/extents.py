"""Extents that are equal: wherever the reverse sweep runs, those that a Check at the top of the forward sweep has compared; in loops, those
that a Check before all loops has."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

import sympy

from dfad.ir.lifetimes import top_level
from dfad.ir.nodes import Apply, Block, Check, Integer, Node, Program, Tasklet
from dfad.ir.walk import Change, substitute


def equal_extents(program: Program) -> Change:
    """A change that brings symbolic integers which are equal in the reverse sweep to one form."""
    return _equal_in(node for sweep in program.body.body[:1] for node in (sweep.body if isinstance(sweep, Block) else (sweep,)))


def leading_equalities(program: Program) -> Change:
    """The same for all loops of the Program, from the Checks that stand before every loop, branch and library operation."""
    return _equal_in(leading_checks(program))


def leading_checks(program: Program) -> tuple[Check, ...]:
    """The Checks that stand before every loop, branch and library operation."""
    leading = takewhile(lambda node: isinstance(node, Check | Tasklet), top_level(program.body))
    return tuple(node for node in leading if isinstance(node, Check))


def _equal_in(nodes: Iterable[Node]) -> Change:
    table: dict[sympy.Symbol, sympy.Expr] = {}
    for node in nodes:
        match node:
            case Check(condition=Apply(operation="eq", operands=(Integer(value=left), Integer(value=right)))):
                note_equal(substitute(table)(left - right), table)
            case _:
                pass
    return substitute(table)


def note_equal(difference: sympy.Expr, table: dict[sympy.Symbol, sympy.Expr]) -> None:
    """Solve ``difference = 0`` for its last symbol where that stands alone, and put it into the table."""
    for item in sorted(difference.free_symbols, key=str, reverse=True):
        if difference.coeff(item) in (1, -1) and not (difference - difference.coeff(item) * item).has(item):
            value = sympy.expand(item - difference / difference.coeff(item))
            for known, old in table.items():
                table[known] = old.xreplace({item: value})
            table[item] = value
            return
