"""Costly contributions of a nest spread out over an array, one value for each instance.

In: the statements of a nest that gather.py is about to turn into gathers. Out: a nest that computes every costly value once, and the
statements that read these values instead. A value and its negative share an array.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import sympy

from dfad.analysis.shifts import Guarded, Nest, bounds
from dfad.ir.memlet import Memlet
from dfad.ir.names import Names
from dfad.ir.nodes import Apply, Array, Block, Expression, Loop, Node, Read, Tasklet
from dfad.ir.walk import walk_expression


@dataclass(frozen=True, slots=True)
class Spread:
    """The arrays, the nest that fills them, and the statements that read them."""

    arrays: tuple[Array, ...]
    nest: Node
    statements: tuple[Guarded, ...]


def spread_values(statements: tuple[Guarded, ...], nest: Nest, names: Names, is_costly: Callable[[Expression], bool]) -> Spread:
    """The accumulating statements with their costly values read from arrays over the nest.

    Parameters
    ----------
    statements : tuple of Guarded
        With all scalars put in.
    nest : Nest
        Rectangular, unit steps.
    names : Names
        Where the arrays' names come from.
    is_costly : callable
        Whether an operation is worth doing only once.
    """
    arrays: dict[Expression, Array] = {}
    box = [bounds(loop) for loop in nest.loops]
    shape = tuple(high - low for low, high in box)
    place = tuple(loop.index - low for loop, (low, _) in zip(nest.loops, box, strict=True))

    def read(value: Expression) -> Expression:
        if not any(is_costly(part) for part in walk_expression(value)):
            return value
        if isinstance(value, Apply) and value.operation == "neg":
            return replace(value, operands=(read(value.operands[0]),))
        if value not in arrays:
            arrays[value] = Array(names.fresh("part"), value.dtype, shape)
        return Read(Memlet(arrays[value].name, place), value.dtype)

    changed = tuple(_with_value(statement, read) if statement.tasklet.accumulate else statement for statement in statements)
    return Spread(tuple(arrays.values()), _filling(arrays, place, nest), changed)


def _with_value(statement: Guarded, read: Callable[[Expression], Expression]) -> Guarded:
    return replace(statement, tasklet=replace(statement.tasklet, value=read(statement.tasklet.value)))


def _filling(arrays: dict[Expression, Array], place: tuple[sympy.Expr, ...], nest: Nest) -> Node:
    """The nest that computes every value, upwards."""
    outer = nest.loops[0]
    key = f"{outer.key}/parts"
    body: tuple[Node, ...] = tuple(
        Tasklet(Memlet(array.name, place), value, outer.where, f"{key}/{array.name}") for value, array in arrays.items()
    )
    for depth, loop in reversed(list(enumerate(nest.loops))):
        body = (Loop(loop.index, *bounds(loop), 1, Block((), body), loop.where, f"{key}{depth}"),)
    return body[0]
