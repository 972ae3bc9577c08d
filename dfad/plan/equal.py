"""Demands for what other demands give: a value that equals an expression of values that are wanted anyway need not be kept.

In: the reverse sweep of an ADJOINT Program, its demands open. Out: the same with another expression in place of some demands; no demand
is new. A demand for a cell that something would record is given up when, before the statement that saw it, the cell equals an expression
(analysis/equalities.py) whose operands are never written, or are demanded of the same statement. In

    x = 1.0;  f = g(x);  while abs(f) > tol:  x -= f / h(x);  f = g(x)

f is g(x) before every trip, so that the reverse reads g of the x that it restores. What it does not do: want one value to spare another.
"""

from __future__ import annotations

from collections.abc import Mapping

from dfad.analysis.equalities import Facts
from dfad.analysis.versions import Want
from dfad.ir.nodes import Block, Demand, Expression, Node, Read
from dfad.ir.walk import expression_symbols, map_expression, map_node_expressions, rewrite_block, walk, walk_expression
from dfad.plan.demands import Demands, demands_in


def without_equal(reverse: Block, facts: Mapping[str, Facts], known: Demands) -> Block:
    """The reverse sweep without the demands that others answer; the same object when there are none. ``facts``: of the forward sweep."""
    while (left := _without_some(reverse, facts, known)) is not reverse:
        reverse = left
    return reverse


def _without_some(reverse: Block, facts: Mapping[str, Facts], known: Demands) -> Block:
    """The reverse sweep without those that are answered by demands as they stand."""
    open_demands = frozenset(demand for node in walk(reverse) for demand in demands_in(node))
    costly = {demand for demand in open_demands if _is_recorded(demand, known)}
    table = {demand: found for demand in costly if (found := _expression(demand, facts, open_demands, known)) is not None}

    def answer(part: Expression) -> Expression:
        return table.get(part, part) if isinstance(part, Demand) else part

    def change(node: Node) -> Node:
        return map_node_expressions(node, answer)

    return rewrite_block(reverse, change) if table else reverse


def _is_recorded(demand: Demand, known: Demands) -> bool:
    """Whether a write of the demanded cell would have to record."""
    if demand.after or demand.memlet.array in known.single:
        return False
    return bool(known.versions.records([Want(demand.memlet, demand.key)]))


def _expression(demand: Demand, facts: Mapping[str, Facts], others: frozenset[Demand], known: Demands) -> Expression | None:
    """What the demanded cell equals in terms of other demands; None when nothing is known that they answer."""
    fact = facts.get(demand.key, {}).get(demand.memlet)
    if fact is None or fact.value.dtype != demand.dtype:
        return None
    if {symbol.name for symbol in expression_symbols(fact.value)} & known.arrays.keys():
        return None

    def operand(part: Expression) -> Expression:
        if isinstance(part, Read) and part.memlet.array in known.written:
            return Demand(part.memlet, demand.key, part.dtype)
        return part

    found = map_expression(fact.value, operand)
    wanted = {part for part in walk_expression(found) if isinstance(part, Demand)}
    return found if wanted <= others else None
