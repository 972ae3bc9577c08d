"""Loops whose trips are independent, so that threads may share them.

Definitions.

1. An array is *private* when a Block inside the loop declares it: no trip sees what another one left there.
2. A *sum* is a scalar declared outside that the trips do nothing with but accumulate into by one operation. Additions count whether the
   source fixes their order or not: with one thread it is kept.
3. The trips are independent when no cell of any other array is written in one trip and read or written in another one.

Clause 3 is asked for each write and each access of the same array. Most answers are in the subscripts: one dimension in which both name
the same multiple of the index, plus what no trip changes, keeps the trips apart; a constant number of trips between them brings them
together. What is left goes to isl, as sets of instances, within an operation limit; no answer means dependent.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import Enum

import islpy as isl
import sympy

from dfad.analysis.buffers import Buffers
from dfad.analysis.instances import Instances
from dfad.analysis.sets import Space, within_limit
from dfad.analysis.statements import statements
from dfad.ir.memlet import Index, Memlet, symbol
from dfad.ir.nodes import Array, Block, Branch, Check, Loop, Node, Repetition, Tasklet
from dfad.ir.sums import accumulations, summed
from dfad.ir.walk import reads, symbol_names, walk, writes

OPERATION_LIMIT = 100_000


@dataclass(frozen=True, slots=True)
class Independent:
    """What holds of a loop with independent trips: its sums, and its private arrays of rank above 0."""

    sums: tuple[str, ...]
    private: tuple[Array, ...]


class _Answer(Enum):
    """What the subscripts of two accesses say of two different trips."""

    APART = "they name different cells"
    TOGETHER = "they name one cell, unless there are hardly any trips"
    OPEN = "no answer"


def independent_trips(loop: Loop) -> Independent | None:
    """What holds of the loop when its trips are independent; None when that is not proven.

    Not proven: loops with an Exchange, a Library operation, or statements of a kind that this file does not name.
    """
    inside = list(walk(loop.body))
    if not all(isinstance(node, Block | Repetition | Branch | Tasklet | Check) for node in inside):
        return None
    private = [array for node in inside if isinstance(node, Block) for array in node.arrays]
    shared = {memlet.array for node in inside for memlet in writes(node)} - {array.name for array in private}
    sums = _sums(inside, shared)
    trips = _Trips(loop, inside, private)
    if not all(trips.are_apart(name) for name in sorted(shared - set(sums))):
        return None
    return Independent(sums, tuple(array for array in private if array.rank))


def _sums(inside: Sequence[Node], shared: Set[str]) -> tuple[str, ...]:
    """The scalars that are accumulated into and nothing else, in order of the text; whoever is named by a subset is none."""
    scalars = {memlet.array for node in inside for memlet in writes(node) if not memlet.subset} & shared
    if not scalars:
        return ()
    named = {name for node in inside for name in symbol_names(node)}
    uses = accumulations(inside, summed)
    return tuple(name for name, kinds in uses.items() if name in scalars - named and kinds[0] and len(set(kinds)) == 1)


@dataclass(frozen=True, slots=True)
class _Access:
    """A memlet that a node of a Block reads or writes."""

    block: Block
    memlet: Memlet
    is_write: bool


class _Trips:
    """The accesses of a loop, asked array by array."""

    def __init__(self, loop: Loop, inside: Sequence[Node], private: Sequence[Array]) -> None:
        self.loop = loop
        self.inside = inside
        self.accesses = _accesses(loop.body)
        self.loops = {node.index: node for node in inside if isinstance(node, Loop)}
        self.scalars = {array.name for array in private if not array.rank}
        counters = {node.index for node in inside if isinstance(node, Repetition)}
        self.varying = frozenset(counters | {symbol(name) for name in self.scalars})
        self._sets: _Sets | None = None
        self._answers: dict[tuple[Index, Index], _Answer] = {}

    def are_apart(self, array: str) -> bool:
        """Whether no cell of the array is written in one trip and touched in another."""
        found = [access for access in self.accesses if access.memlet.array == array]
        left: list[tuple[_Access, _Access]] = []
        for pair in ((write, other) for write in found if write.is_write for other in found):
            answer = self._by_subscripts(pair[0].memlet, pair[1].memlet)
            if answer is _Answer.TOGETHER:
                return False
            left += [pair] if answer is _Answer.OPEN else []
        return all(self._by_sets(*pair) for pair in left)

    def _by_sets(self, write: _Access, other: _Access) -> bool:
        if self._sets is None:
            self._sets = _Sets(self.loop, self._fixed(), self.scalars)
        return self._sets.are_apart(write, other)

    def _fixed(self) -> set[str]:
        """The symbols that no trip changes."""
        named = {name for node in (self.loop, *self.inside) for name in symbol_names(node)}
        return named - {item.name for item in self.varying} - {self.loop.index.name}

    def _by_subscripts(self, write: Memlet, memlet: Memlet) -> _Answer:
        found = _Answer.TOGETHER
        for pair in zip(write.subset, memlet.subset, strict=True):
            if pair not in self._answers:
                self._answers[pair] = self._by_index(*pair)
            if self._answers[pair] is _Answer.APART:
                return _Answer.APART
            found = _Answer.OPEN if self._answers[pair] is _Answer.OPEN else found
        return found

    def _by_index(self, a: Index, b: Index) -> _Answer:
        """What one dimension says."""
        if not isinstance(a, sympy.Expr) or not isinstance(b, sympy.Expr):
            return _Answer.OPEN
        distance = sympy.Integer(0) if a == b else sympy.expand(a - b)
        if not distance.is_Integer:
            return self._by_inner(a, b)
        slope, rest = self._slope(a)
        if rest.has(self.loop.index) or not slope.is_Integer or rest.free_symbols & self.varying:
            return self._by_inner(a, b)
        stride = slope * self.loop.step
        if stride == 0:
            return _Answer.TOGETHER if distance == 0 else _Answer.APART
        return _Answer.APART if distance == 0 or distance % stride else _Answer.TOGETHER

    def _slope(self, index: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
        """The index as slope * (index of the loop) + rest."""
        index = sympy.expand(index)
        slope = index.coeff(self.loop.index)
        return slope, sympy.expand(index - slope * self.loop.index)

    def _by_inner(self, a: sympy.Expr, b: sympy.Expr) -> _Answer:
        """Subscripts by the index of one inner loop, whose range is the same in every trip, and constants: they meet."""
        inner = list((a.free_symbols | b.free_symbols) & self.loops.keys())
        if len(inner) != 1 or not (a - inner[0]).is_Integer or not (b - inner[0]).is_Integer:
            return _Answer.OPEN
        loop = self.loops[inner[0]]
        moving = (loop.start.free_symbols | loop.stop.free_symbols) & (self.varying | {self.loop.index})
        return _Answer.OPEN if moving or abs(loop.step) != 1 else _Answer.TOGETHER


def _accesses(block: Block) -> tuple[_Access, ...]:
    """What the nodes of the Block and of those inside it read and write, once for each Block."""
    found: dict[_Access, None] = {}
    for part in (node for node in walk(block) if isinstance(node, Block)):
        for node in part.body:
            found.update((_Access(part, memlet, True), None) for memlet in writes(node))
            found.update((_Access(part, memlet, False), None) for memlet in reads(node))
    return tuple(found)


class _Sets:
    """The instances of a loop's statements, for what subscripts alone do not tell."""

    def __init__(self, loop: Loop, fixed: Set[str], scalars: Set[str]) -> None:
        found = statements(Block((), (loop,)))
        self.ends = {one.node: one for one in found if isinstance(one.node, Block)}
        self.space = Space(set(fixed), set(scalars))
        self.instances = Instances(self.space, Buffers(found), found)

    def are_apart(self, write: _Access, other: _Access) -> bool:
        """Whether no two different trips name one cell; False when isl gives up."""
        return within_limit(lambda: bool(self._meetings(write, other).is_empty()), False, OPERATION_LIMIT)

    def _meetings(self, write: _Access, other: _Access) -> isl.Map:
        """The pairs of instances of different trips that name one cell; a node runs when the end of its Block does."""
        first, second = self.ends[write.block], self.ends[other.block]
        cells, _ = self.instances.access(first, write.memlet)
        others, _ = self.instances.access(second, other.memlet)
        left, right = (", ".join(f"{letter}{k}" for k in range(len(one.loops))) for letter, one in (("a", first), ("b", second)))
        different = isl.Map(f"{self.space.header()}{{ S[{left}] -> S[{right}] : a0 != b0 }}")
        return cells.apply_range(others.reverse()).intersect(different)
