"""Loops over subsets: the nests that take the place of an operation on many cells."""

from __future__ import annotations

from collections.abc import Callable

import sympy

from dfad.ir.memlet import Memlet, Range, symbol
from dfad.ir.names import Names
from dfad.ir.nodes import Block, Loop, Node
from dfad.source import Location

Build = Callable[[tuple[sympy.Expr, ...]], tuple[Node, ...]]
"""The nodes for one cell of a subset."""


def nest(ranges: tuple[Range, ...], body: Build, names: Names, where: Location, key: str) -> tuple[Node, ...]:
    """Loops over a box of fresh indices round what ``body`` makes for the cell; just that for no ranges."""
    indices = tuple(symbol(names.fresh(f"k{position}")) for position in range(len(ranges)))
    cell = tuple(part.start + index * part.step for part, index in zip(ranges, indices, strict=True))
    nodes = body(cell)
    for position, (part, index) in reversed(list(enumerate(zip(ranges, indices, strict=True)))):
        nodes = (Loop(index, sympy.Integer(0), part.extent, 1, Block((), nodes), where, f"{key}/k{position}"),)
    return nodes


def element(memlet: Memlet, cell: tuple[sympy.Expr, ...]) -> Memlet:
    """The memlet with its ranges, in order, replaced by the indices of one cell."""
    remaining = iter(cell)
    return Memlet(memlet.array, tuple(next(remaining) if isinstance(index, Range) else index for index in memlet.subset))


def partner(target: Range, source: Range, cell: sympy.Expr) -> sympy.Expr:
    """The index in ``target`` that has the same position as ``cell`` has in ``source``."""
    if source.step == 1:
        return target.start + (cell - source.start) * target.step
    return target.start + sympy.floor((cell - source.start) / source.step) * target.step
