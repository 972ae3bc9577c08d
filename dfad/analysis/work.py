"""How much a loop has to do: a polynomial in the symbols that are known when it begins.

The unit is about what a vectorised loop spends on one addition, a sixteenth of a nanosecond or so; only the order of magnitude counts.
A bound that follows an outer index is taken at the middle of that index's range; one that data decides counts as `GUESS` trips, as does a
While; of a Branch the cheaper side that does anything counts. Terms of lower degree are left out.
"""

from __future__ import annotations

import sympy

from dfad.errors import CompilerBug
from dfad.ir.nodes import Apply, Block, Branch, Check, Exchange, Expression, Library, Loop, Node, Read, Tasklet, While
from dfad.ir.operations import COSTLY
from dfad.ir.walk import expressions, walk, walk_expression, writes

GUESS = 16
"""Trips of a loop whose bounds are known only inside."""

_READ = 2
_WRITE = 4
_COSTLY = 16
_DIVISION = 4
_TYPICAL = 100
"""What every symbol stands for where two sides are compared."""


def work_of(loop: Loop) -> sympy.Expr:
    """The work of all trips."""
    inner = {array.name for node in walk(loop.body) if isinstance(node, Block) for array in node.arrays}
    work = sympy.expand(_work(loop, inner))
    return _leading(work)


def is_even(loop: Loop) -> bool:
    """Whether every trip has about the same to do: no inner range follows the index or data, no data decides over statements."""
    private = {array.name for node in walk(loop.body) if isinstance(node, Block) for array in node.arrays}
    moving = private | {loop.index.name}
    for node in walk(loop.body):
        match node:
            case Loop() if {item.name for item in node.start.free_symbols | node.stop.free_symbols} & moving:
                return False
            case While():
                return False
            case Branch() if any(isinstance(part, Read) for part in walk_expression(node.guard)):
                return False
            case _:
                pass
    return True


def _work(node: Node, inner: set[str]) -> sympy.Expr:
    match node:
        case Loop():
            middle = (node.start + node.stop) / 2
            below = _work(node.body, inner).subs(node.index, middle if _is_known(middle, inner) else GUESS)
            return _trips(node, inner) * below
        case While():
            return GUESS * (_own(node) + _work(node.body, inner).subs(node.index, GUESS))
        case Block():
            return sum((_work(child, inner) for child in node.body), sympy.Integer(0))
        case Branch():
            sides = [work for work in (_work(node.then, inner), _work(node.orelse, inner)) if work != 0]
            return _own(node) + min(sides, key=_typical, default=sympy.Integer(0))
        case Tasklet() | Library() | Check() | Exchange():
            return _own(node)
        case _:
            raise CompilerBug(f"no such node: {node!r}")


def _trips(loop: Loop, inner: set[str]) -> sympy.Expr:
    span = (loop.stop - loop.start) / loop.step
    return sympy.expand(span) if _is_known(span, inner) else sympy.Integer(GUESS)


def _is_known(value: sympy.Expr, inner: set[str]) -> bool:
    return bool(value.is_polynomial()) and not {item.name for item in value.free_symbols} & inner


def _own(node: Node) -> sympy.Expr:
    """What the node itself does."""
    parts = (part for expression in expressions(node) for part in walk_expression(expression))
    adds = isinstance(node, Tasklet) and node.accumulate
    return sympy.Integer(_WRITE * sum(bool(memlet.subset) for memlet in writes(node)) + adds + sum(map(_unit, parts)))


def _unit(part: Expression) -> int:
    match part:
        case Apply(operation="div" | "sqrt"):
            return _DIVISION
        case Apply(operation=operation):
            return _COSTLY if operation in COSTLY else 1
        case Read(memlet=memlet):
            return _READ if memlet.subset else 0
        case _:
            return 0


def _typical(work: sympy.Expr) -> float:
    return float(work.subs(dict.fromkeys(work.free_symbols, _TYPICAL)))


def _leading(work: sympy.Expr) -> sympy.Expr:
    """The terms of the highest degree, their factors rounded up."""
    symbols = sorted(work.free_symbols, key=str)
    if not symbols:
        return sympy.ceiling(work)
    terms = sympy.Poly(work, *symbols).terms()
    degree = max(sum(powers) for powers, _ in terms)
    kept = [(powers, sympy.ceiling(factor)) for powers, factor in terms if sum(powers) == degree]
    return sympy.Add(*(sympy.Mul(factor, *map(sympy.Pow, symbols, powers)) for powers, factor in kept))
