"""Where a kernel asks whether it must stop: in the innermost loops but one, telling how many innermost iterations lie ahead.

So the question is asked about evenly in time, whatever the loops look like. A loop of a few iterations known in advance counts as part
of its body. An innermost loop that is a function of its own, with nothing around it that asks, is cut into strips: also one over an array,
which may hold very many elements and functions that take long.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy

from dfad.ir.nodes import Block, Library, Loop, Node, Repetition, While
from dfad.ir.walk import children, walk

FEW = 64
STRIP = 1 << 20
_LIBRARY = 1000


def polls(root: Repetition) -> dict[Repetition, sympy.Expr]:
    """The loops at or below ``root`` whose iterations begin with the question, and the innermost iterations that follow it."""
    found: dict[Repetition, sympy.Expr] = {}
    _work(root, found)
    return found


def _work(node: Node, found: dict[Repetition, sympy.Expr]) -> sympy.Expr:
    """The innermost iterations of a node that nobody below it asks about."""
    known = len(found)
    below = sum((_work(child, found) for child in children(node)), sympy.Integer(0))
    match node:
        case Library():
            return sympy.Integer(_LIBRARY)
        case While():
            found[node] = _known(below, node)
            return sympy.Integer(0)
        case Loop() if below.is_Integer and below <= FEW and len(found) > known:
            return sympy.Integer(0)
        case Loop():
            if below.is_Integer and below <= FEW:
                trips = (node.stop - node.start) / abs(node.step) * (1 if node.step > 0 else -1)
                return trips * sympy.Max(below, 1) if trips.is_polynomial() and trips.is_integer else sympy.Integer(FEW + 1)
            found[node] = _known(below, node)
            return sympy.Integer(0)
        case _:
            return below


def _known(work: sympy.Expr, loop: Repetition) -> sympy.Expr:
    """The work, or a guess when it depends on what the body computes."""
    inner = {array.name for part in walk(loop.body) if isinstance(part, Block) for array in part.arrays}
    bound = {part.index.name for part in walk(loop.body) if isinstance(part, Repetition)}
    return sympy.Integer(FEW) if {symbol.name for symbol in work.free_symbols} & (inner | bound) else sympy.expand(work)


def needs_strips(root: Repetition, asked: Mapping[Repetition, sympy.Expr]) -> bool:
    """Whether a loop that is a function asks nobody and may be long."""
    if isinstance(root, While):
        return False
    trips = root.stop - root.start
    return not asked and not (trips.is_Integer and abs(trips) <= STRIP)
