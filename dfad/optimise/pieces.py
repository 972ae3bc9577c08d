"""The loops of one gather: core and rims.

For offsets o of a group over the box lo <= i < hi, cell x gets the contribution of o where lo <= x - o < hi. Along one dimension all
offsets contribute on the core [lo + max o, hi + min o), and some of them on the rims on both sides of it, up to the hull [lo + min o, hi
+ max o). In a rim of one dimension the inner dimensions are not cut: every contribution is tested there. An empty box makes no pass at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

import sympy

from dfad.ir.dtype import BOOL
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Apply, Block, Branch, Constant, Expression, Integer, Loop, Node, Select, Tasklet
from dfad.ir.walk import map_integers, substitute
from dfad.optimise.shifts import Access, Nest


@dataclass(frozen=True, slots=True)
class _Term:
    """One contribution, as a function of the target cell; ``offset``: target index minus loop index for each loop."""

    value: Expression
    offset: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Box:
    """First index and one past the last, for each loop."""

    low: tuple[sympy.Expr, ...]
    high: tuple[sympy.Expr, ...]


def pieces(statements: tuple[Tasklet, ...], targets: tuple[Access, ...], nest: Nest, direction: int) -> tuple[Node, ...]:
    """The loops that do the statements of one group in gather form, upwards (1) or downwards (-1)."""
    offsets = [tuple(part or 0 for part in target.shift) for target in targets]
    box = _Box(*zip(*(_bounds(loop) for loop in nest.loops), strict=True))
    terms = [_term(node, offset, nest) for node, offset in zip(statements, offsets, strict=True)]
    build = _Builder(statements[0], offsets[0], terms, nest, box, direction)
    body = build.level(0)
    if all(offset == offsets[0] for offset in offsets):
        return body
    return (Branch(_is_not_empty(box), Block((), body), Block((), ()), statements[0].where, f"{statements[0].key}!"),)


def _bounds(loop: Loop) -> tuple[sympy.Expr, sympy.Expr]:
    return (loop.start, loop.stop) if loop.step > 0 else (loop.stop + 1, loop.start + 1)


def _term(node: Tasklet, offset: tuple[int, ...], nest: Nest) -> _Term:
    change = substitute({index: index - part for index, part in zip(nest.indices, offset, strict=True) if part})
    return _Term(map_integers(node.value, change), offset)


def _is_not_empty(box: _Box) -> Expression:
    tests = [_compare("lt", low, high) for low, high in zip(box.low, box.high, strict=True)]
    return reduce(_both, tests)


def _compare(sign: str, a: sympy.Expr, b: sympy.Expr) -> Expression:
    return Apply(sign, (Integer(a), Integer(b)), BOOL)


def _both(a: Expression, b: Expression) -> Expression:
    return Apply("and", (a, b), BOOL)


class _Builder:
    """The pieces of one group, dimension by dimension."""

    def __init__(
        self, model: Tasklet, shift: tuple[int, ...], terms: list[_Term], nest: Nest, box: _Box, direction: int
    ) -> None:
        self.model, self.terms, self.nest, self.box, self.direction = model, terms, nest, box, direction
        change = substitute({index: index - part for index, part in zip(nest.indices, shift, strict=True) if part})
        self.write = Memlet(model.write.array, model.write.map_indices(change).subset)
        self.count = 0

    def level(self, depth: int) -> tuple[Node, ...]:
        """The loops from this depth down, all outer dimensions being in their cores."""
        if depth == len(self.nest.loops):
            return (self.statement(()),)
        offsets = [term.offset[depth] for term in self.terms]
        low, high = self.box.low[depth], self.box.high[depth]
        if min(offsets) == max(offsets):
            return (self.loop(depth, low + offsets[0], high + offsets[0], self.level(depth + 1)),)
        hull = (low + min(offsets), high + max(offsets))
        core = (low + max(offsets), high + min(offsets))
        before = self.loop(depth, hull[0], sympy.Min(core[0], hull[1]), self.rim(depth + 1, depth))
        middle = self.loop(depth, core[0], core[1], self.level(depth + 1))
        behind = self.loop(depth, sympy.Max(core[0], core[1]), hull[1], self.rim(depth + 1, depth))
        return (before, middle, behind) if self.direction > 0 else (behind, middle, before)

    def rim(self, depth: int, tested: int) -> tuple[Node, ...]:
        """The loops from this depth down over the whole hull; contributions are tested from dimension ``tested`` on."""
        if depth == len(self.nest.loops):
            return (self.statement(tuple(range(tested, depth))),)
        offsets = [term.offset[depth] for term in self.terms]
        low, high = self.box.low[depth] + min(offsets), self.box.high[depth] + max(offsets)
        return (self.loop(depth, low, high, self.rim(depth + 1, tested)),)

    def loop(self, depth: int, low: sympy.Expr, high: sympy.Expr, body: tuple[Node, ...]) -> Loop:
        self.count += 1
        start, stop = (low, high) if self.direction > 0 else (high - 1, low - 1)
        old = self.nest.loops[depth]
        key = f"{self.model.key}:{self.count}"
        return replace(old, start=start, stop=stop, step=self.direction, body=Block((), body), key=key)

    def statement(self, tested: tuple[int, ...]) -> Tasklet:
        self.count += 1
        values = [self.tested(term, tested) for term in self.terms]
        return replace(self.model, write=self.write, value=_sum(values), key=f"{self.model.key}:{self.count}")

    def tested(self, term: _Term, dimensions: tuple[int, ...]) -> Expression:
        tests: list[Expression] = []
        for depth in dimensions:
            offsets = [other.offset[depth] for other in self.terms]
            if min(offsets) != max(offsets):
                index = self.nest.indices[depth] - term.offset[depth]
                tests += [_compare("le", self.box.low[depth], index), _compare("lt", index, self.box.high[depth])]
        if not tests:
            return term.value
        return Select(reduce(_both, tests), term.value, Constant(0.0, term.value.dtype), term.value.dtype)


def _sum(values: list[Expression]) -> Expression:
    """The sum, with a constant factor or divisor that all terms share taken out."""
    factors = {_factor(value) for value in values}
    factor = factors.pop()
    if factors or factor is None or len(values) == 1:
        return reduce(_plus, values)
    operation, constant = factor
    rest = reduce(_plus, [_without_factor(value) for value in values])
    return Apply(operation, (rest, constant), rest.dtype)


def _factor(value: Expression) -> tuple[str, Constant] | None:
    match value:
        case Select(chosen=chosen, other=Constant(value=0.0)):
            return _factor(chosen)
        case Apply(operation="mul" | "div" as operation, operands=(_, Constant() as constant)):
            return operation, constant
        case Apply(operation="mul", operands=(Constant() as constant, _)):
            return "mul", constant
        case _:
            return None


def _without_factor(value: Expression) -> Expression:
    match value:
        case Select():
            return replace(value, chosen=_without_factor(value.chosen))
        case Apply(operation="mul", operands=(Constant(), rest)):
            return rest
        case Apply(operands=(rest, Constant())):
            return rest
        case _:
            return value


def _plus(a: Expression, b: Expression) -> Expression:
    return Apply("add", (a, b), a.dtype)
