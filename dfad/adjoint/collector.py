"""The adjoint statements of one statement, as they are collected, and what they depend on."""

from __future__ import annotations

from dataclasses import dataclass, field

from dfad.adjoint.nests import Build, element, nest
from dfad.ir.algebra import constant
from dfad.ir.memlet import Memlet, Range
from dfad.ir.names import Names
from dfad.ir.nodes import Array, Block, Demand, Expression, Node, Read, Tasklet
from dfad.ir.walk import map_expression
from dfad.source import Location


@dataclass(frozen=True, slots=True)
class Setting:
    """What the adjoint of a statement depends on besides the statement.

    Attributes
    ----------
    arrays : dict
        Every array of the forward sweep by name.
    bars : dict
        Active array -> the name of its adjoint.
    constant_arrays : frozenset of str
        The arrays of the outermost Block and the parameters that nothing writes: they are read as they are.
    names : Names
        Where new names come from.
    """

    arrays: dict[str, Array]
    bars: dict[str, str]
    constant_arrays: frozenset[str]
    names: Names

    def demanded(self, expression: Expression, key: str) -> Expression:
        """The expression with the values that the node ``key`` saw."""

        def leaf(part: Expression) -> Expression:
            if isinstance(part, Read) and part.memlet.array not in self.constant_arrays:
                return Demand(part.memlet, key, part.dtype)
            return part

        return map_expression(expression, leaf)


@dataclass(slots=True)
class Collector:
    """The adjoint statements of one statement, as they are collected."""

    setting: Setting
    key: str
    where: Location
    arrays: list[Array] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    count: int = 0

    def next_key(self) -> str:
        self.count += 1
        return f"~{self.key}/{self.count}"

    def inside(self) -> Collector:
        """A collector for a region inside, which numbers its keys on from here."""
        return Collector(self.setting, self.key, self.where, count=self.count)

    def scalar(self, wish: str, value: Expression) -> Read:
        """A fresh scalar that holds the value."""
        array = Array(self.setting.names.fresh(wish), value.dtype)
        self.arrays.append(array)
        self.put(Memlet(array.name), value)
        return Read(Memlet(array.name), value.dtype)

    def put(self, write: Memlet, value: Expression, accumulate: bool = False) -> None:
        self.nodes.append(self.tasklet(write, value, accumulate))

    def tasklet(self, write: Memlet, value: Expression, accumulate: bool = False) -> Tasklet:
        return Tasklet(write, value, self.where, self.next_key(), accumulate=accumulate, reassociable=accumulate)

    def demanded(self, expression: Expression) -> Expression:
        """The expression with the values that the statement saw."""
        return self.setting.demanded(expression, self.key)

    def bar(self, memlet: Memlet) -> Memlet:
        return Memlet(self.setting.bars[memlet.array], memlet.subset)

    def block(self) -> Block:
        return Block(tuple(self.arrays), tuple(self.nodes))

    def nest(self, ranges: tuple[Range, ...], body: Build) -> None:
        """Loops over a box round what ``body`` makes for a cell."""
        self.nodes.extend(nest(ranges, body, self.setting.names, self.where, self.next_key()))

    def zero(self, memlet: Memlet) -> None:
        """The adjoints of a whole subset set to 0."""
        dtype = self.setting.arrays[memlet.array].dtype
        self.nest(memlet.ranges, lambda cell: (self.tasklet(self.bar(element(memlet, cell)), constant(0.0, dtype)),))

    def seen(self, memlet: Memlet) -> Expression:
        """The element that the statement saw."""
        return self.demanded(Read(memlet, self.setting.arrays[memlet.array].dtype))
