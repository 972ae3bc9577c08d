"""The loops of one gather: the core of each row in one pass, its edges cell by cell.

For offsets o of a group over the box lo <= i < hi, cell x gets the contribution of o where lo <= x - o < hi in every dimension. In one
dimension all offsets contribute on the core [lo + max o, hi + min o), and some of them on the w = max o - min o cells on each side of it,
up to the hull [lo + min o, hi + max o). The outer dimensions run over the hull. In each row

    the core        every contribution, where the row lies in the core of all outer dimensions;
                    else each contribution under the tests of the outer dimensions, which are the same for the whole row
    the edges       each contribution under all tests

so a domain narrower than the stencil is right too: its core is empty. An empty box makes no pass at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

import sympy

from dfad.analysis.shifts import Access, Nest, bounds
from dfad.ir.algebra import add, both, compare_integers
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Apply, Block, Branch, Constant, Expression, Loop, Node, Select, Tasklet
from dfad.ir.walk import map_integers, substitute


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


def pieces(statements: tuple[Tasklet, ...], targets: tuple[Access, ...], nest: Nest, direction: int | None) -> tuple[Node, ...]:
    """The loops that do the statements of one group in gather form.

    ``direction``: 1 or -1 where the cells must be done upwards or downwards, None where their order is free.
    """
    offsets = [tuple(part or 0 for part in target.shift) for target in targets]
    box = _Box(*zip(*(bounds(loop) for loop in nest.loops), strict=True))
    terms = [_term(node, offset, nest) for node, offset in zip(statements, offsets, strict=True)]
    build = _Builder(statements[0], offsets[0], terms, nest, box, direction)
    body = build.level(0)
    if all(offset == offsets[0] for offset in offsets):
        return body
    return (Branch(_is_not_empty(box), Block((), body), Block((), ()), statements[0].where, f"{statements[0].key}!"),)


def _term(node: Tasklet, offset: tuple[int, ...], nest: Nest) -> _Term:
    change = substitute({index: index - part for index, part in zip(nest.indices, offset, strict=True) if part})
    return _Term(map_integers(node.value, change), offset)


def _is_not_empty(box: _Box) -> Expression:
    tests = [compare_integers("lt", low, high) for low, high in zip(box.low, box.high, strict=True)]
    return reduce(both, tests)


class _Builder:
    """The loops of one group, from the outermost dimension in."""

    def __init__(
        self, model: Tasklet, shift: tuple[int, ...], terms: list[_Term], nest: Nest, box: _Box, direction: int | None
    ) -> None:
        self.model, self.terms, self.nest, self.box, self.direction = model, terms, nest, box, direction
        change = substitute({index: index - part for index, part in zip(nest.indices, shift, strict=True) if part})
        self.write = Memlet(model.write.array, model.write.map_indices(change).subset)
        self.last = len(nest.loops) - 1
        self.count = 0

    def level(self, depth: int) -> tuple[Node, ...]:
        """The loops from this depth in."""
        least, most = self.reach(depth)
        low, high = self.box.low[depth], self.box.high[depth]
        if depth < self.last:
            return (self.loop(depth, low + least, high + most, self.level(depth + 1)),)
        core = self.core(low + most, high + least)
        if least == most:
            return core
        before, behind = self.edge(low + least), self.edge(sympy.Max(low + most, high + least))
        return (*before, *core, *behind) if self.direction != -1 else (*behind, *core, *before)

    def reach(self, depth: int) -> tuple[int, int]:
        """The smallest and the largest offset in one dimension."""
        offsets = [term.offset[depth] for term in self.terms]
        return min(offsets), max(offsets)

    def varied(self) -> tuple[int, ...]:
        """The outer dimensions in which the offsets differ."""
        return tuple(depth for depth in range(self.last) if len(set(self.reach(depth))) > 1)

    def core(self, low: sympy.Expr, high: sympy.Expr) -> tuple[Node, ...]:
        """The middle of a row."""
        outer = self.varied()
        whole = self.loop(self.last, low, high, (self.statement(()),))
        if not outer:
            return (whole,)
        tested = self.loop(self.last, low, high, (self.statement(outer),))
        tests = [test for depth in outer for test in self.inside(depth)]
        return (Branch(reduce(both, tests), Block((), (whole,)), Block((), (tested,)), self.model.where, self.key()),)

    def inside(self, depth: int) -> tuple[Expression, Expression]:
        """The conditions of the core in one dimension."""
        least, most = self.reach(depth)
        index = self.nest.indices[depth]
        return compare_integers("le", self.box.low[depth] + most, index), compare_integers("lt", index, self.box.high[depth] + least)

    def edge(self, first: sympy.Expr) -> tuple[Node, ...]:
        """The cells on one side of the core: a loop of fixed length that stops at the end of the hull."""
        least, most = self.reach(self.last)
        index, end = self.nest.indices[self.last], self.box.high[self.last] + most
        body = self.statement((*self.varied(), self.last))
        then = Block((), (self.moved(body, first),))
        inside = Branch(compare_integers("lt", first + index, end), then, Block((), ()), self.model.where, self.key())
        return (self.loop(self.last, sympy.Integer(0), sympy.Integer(most - least), (inside,)),)

    def moved(self, node: Tasklet, first: sympy.Expr) -> Tasklet:
        """The statement for the cell that lies ``index`` behind the first."""
        index = self.nest.indices[self.last]
        change = substitute({index: first + index})
        return replace(node, write=node.write.map_indices(change), value=map_integers(node.value, change))

    def key(self) -> str:
        self.count += 1
        return f"{self.model.key}:{self.count}"

    def loop(self, depth: int, low: sympy.Expr, high: sympy.Expr, body: tuple[Node, ...]) -> Loop:
        start, stop = (low, high) if self.direction != -1 else (high - 1, low - 1)
        step = -1 if self.direction == -1 else 1
        return replace(self.nest.loops[depth], start=start, stop=stop, step=step, body=Block((), body), key=self.key())

    def statement(self, tested: tuple[int, ...]) -> Tasklet:
        values = [self.tested(term, tested) for term in self.terms]
        return replace(self.model, write=self.write, value=_sum(values), key=self.key())

    def tested(self, term: _Term, dimensions: tuple[int, ...]) -> Expression:
        tests: list[Expression] = []
        for depth in dimensions:
            index = self.nest.indices[depth] - term.offset[depth]
            tests += [compare_integers("le", self.box.low[depth], index), compare_integers("lt", index, self.box.high[depth])]
        if not tests:
            return term.value
        return Select(reduce(both, tests), term.value, Constant(0.0, term.value.dtype), term.value.dtype)


def _sum(values: list[Expression]) -> Expression:
    """The sum, with a constant factor or divisor that all terms share taken out."""
    factors = {_factor(value) for value in values}
    factor = factors.pop()
    if factors or factor is None or len(values) == 1:
        return reduce(add, values)
    operation, constant = factor
    rest = reduce(add, [_without_factor(value) for value in values])
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
