"""Blocks and loops that are still open."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import sympy

from dfad.frontend.affine import Linear
from dfad.ir.nodes import Array, Expression, Node


class Checks(Enum):
    """Where what cannot be proven of an access in a loop is checked.

    OUTSIDE: as far out as the check certainly runs; when it fails, the loop has not begun. AT_ENTRY: before anything has run, where the
    values at entry decide; else at the access. AT_ACCESS: always there, so that all before the access has been done.
    """

    OUTSIDE = "outside"
    AT_ENTRY = "at entry"
    AT_ACCESS = "at access"


@dataclass(slots=True)
class Header:
    """The head of a loop that is still open; its direction may still be turned."""

    index: sympy.Symbol
    start: sympy.Expr
    stop: sympy.Expr
    step: int

    @property
    def extremes(self) -> tuple[sympy.Expr, sympy.Expr]:
        """The least and the greatest value of the index, for a loop that runs."""
        if abs(self.step) == 1:
            last = self.stop - self.step
        else:
            last = self.start + self.step * sympy.floor((self.stop - self.start - sympy.sign(self.step)) / self.step)
        return (self.start, last) if self.step > 0 else (last, self.start)

    def turn(self) -> None:
        """Run the other way round (unit steps only)."""
        self.start, self.stop, self.step = self.stop - self.step, self.start - self.step, -self.step


@dataclass(eq=False, slots=True)
class OpenBlock:
    """A Block under construction, and the loop that it is the body of: a Loop with its header, or a While with its counter."""

    header: Header | None = None
    counter: sympy.Symbol | None = None
    arrays: list[Array] = field(default_factory=list)
    body: list[Node] = field(default_factory=list)
    facts: list[Linear] = field(default_factory=list)
    pinned: dict[Expression, sympy.Symbol] = field(default_factory=dict)

    def binds(self, expression: sympy.Expr) -> bool:
        """Whether the expression names a symbol that exists only in here."""
        names = {array.name for array in self.arrays}
        if self.header is not None:
            names.add(self.header.index.name)
        if self.counter is not None:
            names.add(self.counter.name)
        return any(part.name in names for part in expression.free_symbols)
