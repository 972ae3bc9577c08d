"""Extents that a Check has compared for the trips of a loop have one form in that loop.

In: a PRIMAL or PLANNED Program. Out: the same in which, inside a Loop,

    check 0 >= n or a_0 == b_0                    check 0 >= n or a_0 == b_0
    for i in range(n):                    ->      for i in range(n):
        for j in range(b_0): ...                      for j in range(a_0): ...

What stays true: every value, since the body runs only where the Check's other sides are false. Why: loops of one range can be joined.
What it does not do: Checks that do not stand before all loops, or that compare anything but extents and integers that came in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import sympy

from dfad.analysis.extents import leading_checks, note_equal
from dfad.ir.nodes import Apply, Block, Check, Expression, Integer, Loop, Node, Program
from dfad.ir.walk import Change, expression_symbols, map_symbols, rewrite_block, substitute


def unify_extents(program: Program) -> Program:
    """The Program with equal extents in one form; the same object when there is nothing to do."""
    body, given = program.body, {bound.symbol for bound in program.symbols}
    for check in leading_checks(program):
        fact = _fact(check) if expression_symbols(check.condition) <= given else None
        body = body if fact is None else _told(body, fact)
    return program if body is program.body else replace(program, body=body)


@dataclass(frozen=True, slots=True)
class _Fact:
    """A change that is right wherever each of these integers is positive."""

    positive: frozenset[sympy.Expr]
    change: Change


def _fact(check: Check) -> _Fact | None:
    """What a Check ``a >= b or ... or c == d`` tells of places where none of the first is true."""
    *others, last = _sides(check.condition)
    positive, table = set[sympy.Expr](), dict[sympy.Symbol, sympy.Expr]()
    for side in others:
        match side:
            case Apply(operation="ge", operands=(Integer(value=start), Integer(value=stop))):
                positive.add(sympy.expand(stop - start))
            case _:
                return None
    match last:
        case Apply(operation="eq", operands=(Integer(value=first), Integer(value=second))) if positive:
            note_equal(first - second, table)
    return _Fact(frozenset(positive), substitute(table)) if table else None


def _sides(condition: Expression) -> Iterator[Expression]:
    match condition:
        case Apply(operation="or", operands=sides):
            for side in sides:
                yield from _sides(side)
        case _:
            yield condition


def _told(block: Block, fact: _Fact) -> Block:
    """The Block with the change done in the loops that run only where the fact holds."""

    def at(node: Node) -> Node:
        if not isinstance(node, Loop):
            return node
        left = fact.positive - {sympy.expand(sympy.sign(node.step) * (node.stop - node.start))}
        if left == fact.positive:
            return node
        body = _told(node.body, _Fact(left, fact.change)) if left else map_symbols(node.body, fact.change)
        assert isinstance(body, Block)
        return node if body is node.body else replace(node, body=body)

    return rewrite_block(block, at)
