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
from collections.abc import Hashable, Mapping, Set
from dataclasses import dataclass, replace

import sympy

from dfad.errors import CompilerBug
from dfad.ir.memlet import Memlet, symbol
from dfad.ir.nodes import (
    Apply,
    Array,
    Block,
    Branch,
    Check,
    Constant,
    Exchange,
    Expression,
    Library,
    Loop,
    Node,
    Program,
    Read,
    Tasklet,
    While,
)
from dfad.ir.walk import (
    exchanged,
    expressions,
    map_memlets,
    map_symbols,
    reads,
    rename_arrays,
    rewrite,
    rewrite_block,
    substitute,
    walk,
    walk_expression,
    writes,
)

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
        found = _Definitions.of(block, moved)
        same = _equal_arrays(found)
        if not same:
            return block
        block = _without(block, {found.arrays[name]: found.arrays[first] for name, first in same.items()})


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

    def look(self, name: str, same: Mapping[str, str]) -> Hashable:
        """What equal arrays have in common and is quickly seen; ``same``: array -> the one that it is known to be equal to."""
        array, places = self.arrays[name], self.writers[name]
        parts = [part for place in places for part in walk(self.block.body[place])]
        inside = {name, *(inner.name for part in parts if isinstance(part, Block) for inner in part.arrays)}
        words = [_word(one, inside, same) for part in parts for value in expressions(part) for one in walk_expression(value)]
        return array.dtype, _extents(array, name in self.whole), len(places), len(parts), tuple(words)

    def form(self, name: str, same: Mapping[str, str]) -> Hashable:
        """What is the same for two arrays whose definitions are equal."""
        return tuple(self.statement_form(name, place, same) for place in self.writers[name])

    def statement_form(self, name: str, place: int, same: Mapping[str, str]) -> Hashable:
        """The form of one statement of a definition."""
        node = self.block.body[place]
        read = {memlet.array for part in walk(node) for memlet in reads(part)} & self.writers.keys()
        names = {other: f"{same.get(other, other)}@{sum(at < place for at in self.writers[other])}" for other in read}
        return _form(_anonymous(node, names | {name: ITSELF}), _axes(self.arrays[name], name in self.whole))


def _equal_arrays(found: _Definitions) -> dict[str, str]:
    """Arrays that are equal to one that is complete before them, and that one."""
    same: dict[str, str] = {}
    forms: dict[str, Hashable] = {}
    looks: dict[Hashable, list[str]] = defaultdict(list)
    for name in sorted(found.arrays, key=lambda name: (found.writers[name][-1], name)):
        others = looks[found.look(name, same)]
        for one in (*others, name) if others else ():
            if one not in forms:
                forms[one] = found.form(one, same)
        first = next((other for other in others if forms[other] == forms[name]), None)
        if first is None:
            others.append(name)
        else:
            same[name] = first
    return same


def _without(block: Block, same: Mapping[Array, Array]) -> Block:
    """The Block without the first of each pair of arrays."""
    gone = {array.name: (array, first) for array, first in same.items()}

    def named(memlet: Memlet) -> Memlet:
        return _in_place(memlet, *gone[memlet.array]) if memlet.array in gone else memlet

    kept = (node for node in block.body if not any(memlet.array in gone for part in walk(node) for memlet in writes(part)))
    body = tuple(rewrite(node, lambda part: map_memlets(part, named)) for node in kept)
    return Block(tuple(array for array in block.arrays if array.name not in gone), body)


def _in_place(memlet: Memlet, array: Array, other: Array) -> Memlet:
    """The cell of the other array."""
    if array.shape == other.shape:
        return Memlet(other.name, memlet.subset)
    left = iter([index for index, extent in zip(memlet.subset, array.shape, strict=True) if extent != 1])
    return Memlet(other.name, tuple(sympy.Integer(0) if extent == 1 else next(left) for extent in other.shape))


def _word(part: Expression, inside: Set[str], same: Mapping[str, str]) -> Hashable:
    """What an expression is at its top, but for names of its own."""
    match part:
        case Apply(operation=operation):
            return operation
        case Read(memlet=Memlet(array=name)):
            return ITSELF if name in inside else same.get(name, name)
        case Constant(value=value):
            return value
        case _:
            return type(part).__name__


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
