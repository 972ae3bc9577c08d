"""Names that a rewrite adds to a Program: readable, unique, the same on every run."""

from __future__ import annotations

from collections.abc import Iterable

from dfad.ir.nodes import Program, Repetition
from dfad.ir.walk import all_arrays, walk


class Names:
    """Names already taken, and fresh ones made from them."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def fresh(self, wish: str) -> str:
        """``wish``, or ``wish_2``, ``wish_3``, ... where it is taken."""
        name, count = wish, 2
        while name in self._taken:
            name, count = f"{wish}_{count}", count + 1
        self._taken.add(name)
        return name


def names_of(program: Program) -> Names:
    """All names of a Program, taken: arrays, loop indices and symbols."""
    indices = {node.index.name for node in walk(program.body) if isinstance(node, Repetition)}
    return Names({*all_arrays(program), *indices, *(entry.symbol.name for entry in program.symbols)})
