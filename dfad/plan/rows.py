"""The rows of tapes that grow: counted in the forward sweep, counted back in the reverse sweep.

Tapes whose rows are the trips of one loop, under one condition, grow together. In front of that loop

    first = count;  grow tape[first : first + trips], ...;  count += trips       in the forward sweep
    count -= trips;  again = count                                              in the reverse sweep

so that the trip with number n of this execution has the row ``first + n``, and in the reverse sweep ``again + n``. The trips of a While are
counted one by one, at the head of its body.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy

from dfad.ir.dtype import I64
from dfad.ir.memlet import Memlet, Range, symbol
from dfad.ir.names import Names
from dfad.ir.nodes import Array, Block, Branch, Expression, Integer, Library, Node, Read, Repetition, Tasklet, While
from dfad.source import Location


@dataclass(slots=True)
class Rows:
    """The rows of the tapes that grow at one place; ``tapes`` gets more while the sweeps are walked.

    Attributes
    ----------
    count : Array
        The integer scalar that counts them over the whole call.
    first, again : Array
        The integer scalars that hold the first row of this execution, in the forward and in the reverse sweep.
    amount : sympy.Expr
        How many rows an execution takes.
    guard : Expression or None
        Whether it takes any.
    """

    count: Array
    first: Array
    again: Array
    amount: sympy.Expr
    guard: Expression | None
    where: Location
    key: str
    tapes: list[Array] = field(default_factory=list)

    @property
    def ahead(self) -> tuple[Node, ...]:
        """What stands in front of the rows' place in the forward sweep."""
        start = symbol(self.first.name)
        rows = Range(start, start + self.amount)
        grown = [
            Library("grow", (), Memlet(tape.name, (rows, *_whole(tape.shape[1:]))), self.where, f"{self.key}+{tape.name}")
            for tape in self.tapes
        ]
        return self._read(self.first, ">"), *self._guarded((*grown, self._counted(self.amount, ">")), ">")

    @property
    def back(self) -> tuple[Node, ...]:
        """What stands there in the reverse sweep."""
        return *self._guarded((self._counted(-self.amount, "<"),), "<"), self._read(self.again, "<")

    def _read(self, target: Array, mark: str) -> Tasklet:
        return Tasklet(Memlet(target.name), Read(Memlet(self.count.name), I64), self.where, f"{self.key}{mark}{target.name}")

    def _counted(self, amount: sympy.Expr, mark: str) -> Tasklet:
        return Tasklet(Memlet(self.count.name), Integer(amount), self.where, f"{self.key}{mark}{self.count.name}", accumulate=True)

    def _guarded(self, nodes: tuple[Node, ...], mark: str) -> tuple[Node, ...]:
        if self.guard is None:
            return nodes
        return (Branch(self.guard, Block((), nodes), Block((), ()), self.where, f"{self.key}{mark}?{self.count.name}"),)


def rows_named(names: Names, stem: str, amount: sympy.Expr, guard: Expression | None, where: Location, key: str) -> Rows:
    """Rows whose scalars have names that begin with the stem."""
    count, first, again = (Array(names.fresh(f"{stem}_{word}"), I64) for word in ("count", "first", "again"))
    return Rows(count, first, again, amount, guard, where, f"{key}#{count.name}")


def rows_of(carrier: Repetition) -> sympy.Expr:
    """How many rows are counted at once: the trips of a Loop, one trip of a While."""
    if isinstance(carrier, While):
        return sympy.Integer(1)
    sign = 1 if carrier.step > 0 else -1
    span = carrier.stop - carrier.start
    return sympy.Max(0, span * sign if abs(carrier.step) == 1 else sympy.floor((span - sign) / sympy.Integer(carrier.step)) + 1)


def row_of(carrier: Repetition) -> sympy.Expr:
    """Which of them the current trip has."""
    if isinstance(carrier, While):
        return sympy.Integer(0)
    distance = carrier.index - carrier.start
    return distance * carrier.step if abs(carrier.step) == 1 else sympy.floor(distance / sympy.Integer(carrier.step))


def _whole(shape: tuple[sympy.Expr, ...]) -> tuple[Range, ...]:
    return tuple(Range(sympy.Integer(0), extent) for extent in shape)
