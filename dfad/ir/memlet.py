"""Memlets: which elements of which array a leaf moves (grammar.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import sympy


@cache
def symbol(name: str) -> sympy.Symbol:
    """The integer symbol of that name: always the same object, so that equal names mean equal symbols."""
    return sympy.Symbol(name, integer=True)


ONE = sympy.Integer(1)


@dataclass(frozen=True, slots=True)
class Range:
    """The indices start, start + step, ... below stop, with step >= 1."""

    start: sympy.Expr
    stop: sympy.Expr
    step: sympy.Expr = ONE

    @property
    def extent(self) -> sympy.Expr:
        """How many indices it holds, for a range that is not reversed."""
        if self.step == 1:
            return self.stop - self.start
        return sympy.floor((self.stop - self.start + self.step - 1) / self.step)


Index: TypeAlias = sympy.Expr | Range
Subset: TypeAlias = tuple[Index, ...]


@dataclass(frozen=True, slots=True)
class Memlet:
    """The elements ``array[subset]``; one entry of the subset for each dimension."""

    array: str
    subset: Subset = ()

    @property
    def ranges(self) -> tuple[Range, ...]:
        """The dimensions that are ranges, in order: the shape of what moves."""
        return tuple(index for index in self.subset if isinstance(index, Range))

    def map_indices(self, change: Callable[[sympy.Expr], sympy.Expr]) -> Memlet:
        """The memlet with every symbolic integer changed; the same object when nothing changes."""
        subset = tuple(_map_index(index, change) for index in self.subset)
        return self if all(new is old for new, old in zip(subset, self.subset, strict=True)) else Memlet(self.array, subset)

    def symbols(self) -> Iterator[sympy.Symbol]:
        """Every symbol that the subset names, with repetition."""
        for index in self.subset:
            parts = (index.start, index.stop, index.step) if isinstance(index, Range) else (index,)
            for part in parts:
                yield from part.free_symbols


def _map_index(index: Index, change: Callable[[sympy.Expr], sympy.Expr]) -> Index:
    if not isinstance(index, Range):
        return change(index)
    parts = (change(index.start), change(index.stop), change(index.step))
    same = all(new is old for new, old in zip(parts, (index.start, index.stop, index.step), strict=True))
    return index if same else Range(*parts)
