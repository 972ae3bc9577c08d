"""The costly part of a recurrence that does not depend on it runs ahead, in vectors.

In: a PLANNED Program. Out: the same in which an innermost loop whose trips depend on each other is cut into strips; in each strip a
first loop computes what is costly (COSTLY) and has no flow from the loop into a row of ``STRIP`` values, which the second loop, the old
one, reads:

    for j:  g[j-1] += g[j] * 0.25 * cos(a[j]) * b[j]     ->     for strip:  for j:  row[j] = 0.25 * cos(a[j]) * b[j]
                                                                            for j:  g[j-1] += g[j] * row[j]

What stays true: every value but for the order of factors in an adjoint contribution (a statement whose sum is free). The row has a
fixed size. What it does not do: the forward sweep, whose bits are those of the source, and what
is computed under a condition only: elsewhere its cells may not exist.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import reduce

import sympy

from dfad.analysis.recurrences import Recurrence, recurrence_of
from dfad.ir.algebra import multiply, negate
from dfad.ir.dtype import Dtype
from dfad.ir.memlet import Memlet, symbol
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Apply, Array, Block, Expression, Integer, Loop, Node, Program, Read, Tasklet
from dfad.ir.operations import COSTLY
from dfad.ir.walk import map_expression, map_reverse, rewrite_block, walk_expression

STRIP = 256


def distribute(program: Program) -> Program:
    """The Program with the independent costly part of each recurrence in a loop of its own; only its reverse sweep is looked at."""
    names = names_of(program)

    def divided(node: Node) -> Node:
        recurrence = recurrence_of(node)
        if recurrence is None or not recurrence.carries:
            return node
        return _Division(recurrence, names).result()

    return map_reverse(program, lambda sweep: rewrite_block(sweep, divided))


@dataclass(slots=True)
class _Rows:
    """The rows made so far: value -> row."""

    names: Names
    arrays: dict[Expression, Array] = field(default_factory=dict)

    def of(self, value: Expression, dtype: Dtype) -> Array:
        if value not in self.arrays:
            self.arrays[value] = Array(self.names.fresh("row"), dtype, (sympy.Integer(STRIP),))
        return self.arrays[value]


class _Division:
    """The division of one recurrence."""

    def __init__(self, recurrence: Recurrence, names: Names) -> None:
        self.recurrence, self.names, self.rows = recurrence, names, _Rows(names)
        loop = recurrence.loop
        self.first = symbol(names.fresh(f"{loop.index.name}_first"))
        self.slot = loop.index - self.first if loop.step > 0 else loop.index - self.first + STRIP - 1
        self.values = self._derived()

    def _derived(self) -> dict[str, Expression]:
        """The scalars that are written once, from scalars and cells that keep their values: put in where they are used."""
        counts = Counter(node.write.array for node in self.recurrence.tasklets)
        changing = {name for name, count in counts.items() if count > 1 or name not in self.recurrence.own}
        values: dict[str, Expression] = {}
        for node in self.recurrence.tasklets:
            name = node.write.array
            value = self._expanded(node.value, values)
            read = {part.memlet.array for part in walk_expression(value) if isinstance(part, Read)}
            if name not in changing and not node.accumulate and not read & changing:
                values[name] = value
        return values

    def _expanded(self, value: Expression, values: dict[str, Expression]) -> Expression:
        return map_expression(value, lambda part: values.get(part.memlet.array, part) if isinstance(part, Read) else part)

    def result(self) -> Node:
        loop = self.recurrence.loop
        body = tuple(self._node(node) for node in loop.body.body)
        if not self.rows.arrays:
            return loop
        end = sympy.Min(self.first + STRIP, loop.stop) if loop.step > 0 else sympy.Max(self.first - STRIP, loop.stop)
        ahead = tuple(self._row(value, row) for value, row in self.rows.arrays.items())
        low, high = (self.first, end) if loop.step > 0 else (end + 1, self.first + 1)
        before = Loop(loop.index, low, high, 1, Block((), ahead), loop.where, f"{loop.key}/rows")
        main = replace(loop, start=self.first, stop=end, body=replace(loop.body, body=body))
        strips = Block(tuple(self.rows.arrays.values()), (before, main))
        return Loop(self.first, loop.start, loop.stop, loop.step * STRIP, strips, loop.where, f"{loop.key}/strips")

    def _row(self, value: Expression, row: Array) -> Tasklet:
        where = self.recurrence.loop.where
        return Tasklet(Memlet(row.name, (self.slot,)), value, where, f"{self.recurrence.loop.key}/{row.name}")

    def _node(self, node: Node) -> Node:
        match node:
            case Tasklet():
                return self._tasklet(node)
            case _:
                return node

    def _tasklet(self, node: Tasklet) -> Tasklet:
        position = next(k for k, other in enumerate(self.recurrence.tasklets) if other is node)
        if node.write.array in self.values:
            return node
        value = self._expanded(node.value, self.values)
        free = node.accumulate and node.reassociable
        divided = self._factored(value, position) if free else self._extracted(value, position)
        return node if divided == value else replace(node, value=divided)

    def _is_fixed(self, expression: Expression, position: int) -> bool:
        """Whether the value is there before the loop begins, and the loop's own integers have no part in it."""
        own = self.recurrence.own
        for part in walk_expression(expression):
            match part:
                case Read(memlet):
                    names = {memlet.array, *(item.name for item in memlet.symbols())}
                    if names & own or self.recurrence.has_flow(memlet, position):
                        return False
                case Integer(value) if any(item.name in own for item in value.free_symbols):
                    return False
                case _:
                    pass
        return True

    def _extracted(self, expression: Expression, position: int) -> Expression:
        """The expression with each largest fixed costly part read from its row."""
        if self._is_fixed(expression, position):
            return self._from_row(expression) if _is_costly(expression) else expression
        match expression:
            case Apply():
                operands = tuple(self._extracted(operand, position) for operand in expression.operands)
                return replace(expression, operands=operands)
            case _:
                return expression

    def _factored(self, expression: Expression, position: int) -> Expression:
        """As ``_extracted``, but the fixed factors of a product are brought together first."""
        match expression:
            case Apply(operation="add" | "sub" | "neg"):
                return replace(expression, operands=tuple(self._factored(operand, position) for operand in expression.operands))
            case Apply(operation="mul"):
                factors = _factors(expression)
                fixed = [factor for factor in factors if self._is_fixed(factor, position)]
                moving = [self._extracted(factor, position) for factor in factors if not self._is_fixed(factor, position)]
                if moving and any(_is_costly(factor) for factor in fixed):
                    return reduce(multiply, [*moving, self._from_row(reduce(multiply, fixed))])
                return self._extracted(expression, position)
            case _:
                return self._extracted(expression, position)

    def _from_row(self, value: Expression) -> Expression:
        row = self.rows.of(value, value.dtype)
        return Read(Memlet(row.name, (self.slot,)), value.dtype)


def _is_costly(expression: Expression) -> bool:
    return any(isinstance(part, Apply) and part.operation in COSTLY and part.dtype.is_float for part in walk_expression(expression))


def _factors(expression: Expression) -> list[Expression]:
    """The factors of a product; a sign becomes part of the first."""
    match expression:
        case Apply(operation="mul", operands=(left, right)):
            return [*_factors(left), *_factors(right)]
        case Apply(operation="neg", operands=(inner,)):
            first, *rest = _factors(inner)
            return [negate(first), *rest]
        case _:
            return [expression]
