"""Value numbering: what two arrays of a Block are computed by alike is computed once.

In: a PRIMAL Program. Out: the same in which, of two local arrays of a Block that equal statements define, only the first is left, and reads
of the second read the first.

Definitions. The statements of a Block that write an array *define* it when they write nothing else that is visible outside them, may not
end the call, and when nobody reads the array before the last of them. Two definitions are equal when they differ in nothing but names of
indices, of arrays declared inside and of the array itself, in axes of extent 1, and when every array that they read has been written as
often before each statement of the one as before that of the other.

What stays true: every value, bit for bit. What it does not do: statements that write several arrays, values of different Blocks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

import sympy

from dfad.errors import CompilerBug
from dfad.ir.memlet import Memlet, symbol
from dfad.ir.nodes import Array, Block, Branch, Check, Exchange, Library, Loop, Node, Program, Tasklet, While
from dfad.ir.walk import exchanged, map_memlets, map_symbols, reads, rename_arrays, rewrite, rewrite_block, substitute, walk, writes

ITSELF = "@"
"""What an array is called in its own definition."""


def number_values(program: Program) -> Program:
    """The Program in which equal arrays are computed once; the same object where no two are."""
    moved = exchanged(program.body)

    def in_block(node: Node) -> Node:
        return _numbered(node, moved) if isinstance(node, Block) else node

    body = rewrite_block(program.body, in_block)
    return program if body is program.body else replace(program, body=body)


def _numbered(block: Block, moved: frozenset[str]) -> Block:
    while True:
        pair = _equal_pair(_Definitions.of(block, moved))
        if pair is None:
            return block
        block = _with_one(block, *pair)


@dataclass(frozen=True, slots=True)
class _Definitions:
    """The arrays that statements of a Block define, with the positions of these, and what each statement touches.

    ``writers``: array -> the positions of all statements that write or exchange it; ``whole``: the arrays that a Library operation touches,
    which sees their axes.
    """

    block: Block
    arrays: dict[str, Array]
    writers: dict[str, list[int]]
    whole: frozenset[str]

    @staticmethod
    def of(block: Block, moved: frozenset[str]) -> _Definitions:
        """The definitions of a Block."""
        writers: dict[str, list[int]] = defaultdict(list)
        readers: dict[str, list[int]] = defaultdict(list)
        pure: set[int] = set()
        whole: set[str] = set()
        for position, node in enumerate(block.body):
            nodes = list(walk(node))
            inside = {array.name for part in nodes if isinstance(part, Block) for array in part.arrays}
            written = {memlet.array for part in nodes for memlet in writes(part)} | exchanged(node)
            for name in written - inside:
                writers[name].append(position)
            for name in {memlet.array for part in nodes for memlet in reads(part)} - inside:
                readers[name].append(position)
            if len(written - inside) == 1 and not any(isinstance(part, Check | Exchange) for part in nodes):
                pure.add(position)
            whole |= {memlet.array for part in nodes if isinstance(part, Library) for memlet in (*part.reads, part.write)}
        found = {
            array.name: array
            for array in block.arrays
            if array.name in writers and array.name not in moved and (array.rank or array.dtype.kind != "i")
            if pure.issuperset(writers[array.name])
            if all(place in writers[array.name] or place > writers[array.name][-1] for place in readers[array.name])
        }
        return _Definitions(block, found, dict(writers), frozenset(whole))

    def by_look(self) -> Iterator[list[str]]:
        """The arrays with others that may be equal to them, the one that is complete first in front."""
        looks: dict[Hashable, list[str]] = defaultdict(list)
        for name in sorted(self.arrays, key=lambda name: (self.writers[name][-1], name)):
            looks[self.look(name)].append(name)
        return (names for names in looks.values() if len(names) > 1)

    def look(self, name: str) -> Hashable:
        """What equal arrays have in common and is quickly seen."""
        array, places = self.arrays[name], self.writers[name]
        parts = [part for place in places for part in walk(self.block.body[place])]
        inside = {name, *(inner.name for part in parts if isinstance(part, Block) for inner in part.arrays)}
        read = frozenset(memlet.array for part in parts for memlet in reads(part) if memlet.array not in inside)
        return array.dtype, _extents(array, name in self.whole), len(places), len(parts), read

    def form(self, name: str) -> Hashable:
        """What is the same for two arrays whose definitions are equal."""
        return tuple(self.statement_form(name, place) for place in self.writers[name])

    def statement_form(self, name: str, place: int) -> Hashable:
        """The form of one statement of a definition."""
        node = self.block.body[place]
        names = {other: f"{other}@{sum(at < place for at in places)}" for other, places in self.writers.items()}
        return _form(_anonymous(node, names | {name: ITSELF}), _axes(self.arrays[name], name in self.whole))


def _equal_pair(found: _Definitions) -> tuple[Array, Array] | None:
    """Two arrays that are equal, the one that stays first."""
    for names in found.by_look():
        first: dict[Hashable, str] = {}
        for name in names:
            other = first.setdefault(found.form(name), name)
            if other != name:
                return found.arrays[other], found.arrays[name]
    return None


def _with_one(block: Block, first: Array, second: Array) -> Block:
    """The Block without the second array."""

    def named(memlet: Memlet) -> Memlet:
        if memlet.array != second.name:
            return memlet
        if first.shape == second.shape:
            return Memlet(first.name, memlet.subset)
        left = iter([index for index, extent in zip(memlet.subset, second.shape, strict=True) if extent != 1])
        return Memlet(first.name, tuple(sympy.Integer(0) if extent == 1 else next(left) for extent in first.shape))

    kept = (node for node in block.body if not any(memlet.array == second.name for part in walk(node) for memlet in writes(part)))
    body = tuple(rewrite(node, lambda part: map_memlets(part, named)) for node in kept)
    return Block(tuple(array for array in block.arrays if array is not second), body)


# ---------------------------------------------------------------- the form of a statement


def _axes(array: Array, is_whole: bool) -> tuple[int, ...]:
    """The axes that tell cells apart; all of them where a Library operation sees them."""
    return tuple(axis for axis, extent in enumerate(array.shape) if is_whole or extent != 1)


def _extents(array: Array, is_whole: bool) -> tuple[sympy.Expr, ...]:
    return tuple(array.shape[axis] for axis in _axes(array, is_whole))


def _anonymous(node: Node, names: dict[str, str]) -> Node:
    """The statement with numbers for the names that it binds, and the others by that table."""
    bound = [part.index.name for part in walk(node) if isinstance(part, Loop | While)]
    declared = [array.name for part in walk(node) if isinstance(part, Block) for array in part.arrays]
    table = {name: f"{ITSELF}{number}" for number, name in enumerate((*bound, *declared))}
    node = map_symbols(node, substitute({symbol(name): symbol(number) for name, number in table.items()}))

    def change(part: Node) -> Node:
        part = rename_arrays(part, names | table)
        match part:
            case Loop() | While():
                return replace(part, index=symbol(table[part.index.name]))
            case Block():
                return replace(part, arrays=tuple(replace(array, name=table[array.name]) for array in part.arrays))
            case _:
                return part

    return rewrite(node, change)


def _form(node: Node, axes: tuple[int, ...]) -> Hashable:
    """The tree as values that compare, without keys and places; ``axes``: those of the array that is defined."""

    def squeezed(memlet: Memlet) -> Memlet:
        return Memlet(ITSELF, tuple(memlet.subset[axis] for axis in axes)) if memlet.array == ITSELF else memlet

    match map_memlets(node, squeezed):
        case Block() as block:
            return block.arrays, tuple(_form(part, axes) for part in block.body)
        case Loop() as loop:
            return loop.index, loop.start, loop.stop, loop.step, _form(loop.body, axes)
        case While() as loop:
            return loop.index, loop.guard, _form(loop.body, axes)
        case Branch() as branch:
            return branch.guard, _form(branch.then, axes), _form(branch.orelse, axes)
        case Tasklet() as leaf:
            return leaf.write, leaf.value, leaf.accumulate, leaf.reassociable
        case Library() as leaf:
            return leaf.operation, leaf.reads, leaf.write, leaf.attributes, leaf.accumulate
        case _:
            raise CompilerBug(f"no statement of a definition: {node!r}")
