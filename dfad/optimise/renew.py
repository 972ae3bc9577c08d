"""An array that is changed cell by cell and whose old values a derivative reads is a new array from there on.

In: a PRIMAL Program. Out: the same in which, where a Block makes an array of its own, whose values a derivative may ask for
(``analysis/bends``), and then a nest changes it, each cell from its own old value, or not under a condition,

    for i: if a[i] > 0: a[i] = 1/a[i]     ->     for i: if a[i] > 0: b[i] = 1/a[i] else: b[i] = a[i]

and all that follows reads and writes b. What stays true: every value, bit for bit. Why: the reverse sweep can compute both again, or finds
both where they are; of one array it would have to record what it held. What it does not do: arrays that are exchanged or handed in or out,
nests that leave cells out or hold loops, and arrays whose old values nobody demands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dfad.analysis.bends import bends, is_told_by_result
from dfad.analysis.shifts import covers, perfect_nest
from dfad.errors import CompilerBug
from dfad.ir.algebra import add
from dfad.ir.memlet import Memlet
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Array, Block, Branch, Check, Library, Loop, Node, Program, Read, Tasklet
from dfad.ir.walk import (
    exchanged,
    reads,
    rename_arrays,
    rewrite,
    rewrite_block,
    walk,
    writes,
)


def renew_arrays(program: Program) -> Program:
    """The Program in which such arrays are new ones; the same object when there are none."""
    names, fixed = names_of(program), exchanged(program.body)

    def change(node: Node) -> Node:
        while isinstance(node, Block) and (changed := _renewed(node, fixed, names)) is not node:
            node = changed
        return node

    body = rewrite_block(program.body, change)
    return program if body is program.body else replace(program, body=body)


def _renewed(block: Block, fixed: frozenset[str], names: Names) -> Block:
    """The Block with one change of an array that makes a new one; the same object when there is none."""
    own = {array.name: array for array in block.arrays if array.rank and array.name not in fixed}
    for place, node in enumerate(block.body if own else ()):
        for name in sorted(_updated(node) & own.keys()):
            before = block.body[:place]
            is_made = any(name in _written(earlier) for earlier in before)
            if is_made and _is_change(node, own[name]) and any(_may_be_asked(part, name) for part in (*before, node)):
                return _from(block, place, own[name], names)
    return block


def _updated(node: Node) -> frozenset[str]:
    """The arrays that the node, a nest, both reads and writes."""
    if not isinstance(node, Loop):
        return frozenset()
    inside = list(walk(node))
    added = {memlet.array for inner in inside if isinstance(inner, Tasklet) and inner.accumulate for memlet in writes(inner)}
    return _written(node) & added.union(memlet.array for inner in inside for memlet in reads(inner))


def _written(node: Node) -> frozenset[str]:
    return frozenset(memlet.array for inner in walk(node) for memlet in writes(inner))


def _may_be_asked(node: Node, name: str) -> bool:
    """Whether a derivative of the node may ask for a value of the array that it reads or leaves."""
    inside = list(walk(node))
    if any(memlet.array == name for inner in inside if isinstance(inner, Library) for memlet in inner.reads):
        return True
    statements = [inner for inner in inside if isinstance(inner, Tasklet)]
    made = (inner.value for inner in statements if inner.write.array == name and not inner.accumulate)
    return any(bends(inner.value, lambda memlet: memlet.array == name) for inner in statements) or any(map(is_told_by_result, made))


# ---------------------------------------------------------------- the nest


def _is_change(loop: Node, array: Array) -> bool:
    """Whether the node is a nest that changes cells of the array, each in a trip of its own, and would change all but for conditions."""
    body = perfect_nest(loop).body if isinstance(loop, Loop) else Block((), ())
    inside = list(walk(body))
    if not all(isinstance(node, Tasklet | Branch | Block | Check) for node in inside):
        return False
    changes = [node for node in inside if isinstance(node, Tasklet) and node.write.array == array.name]
    cells = {memlet for node in inside for memlet in (*reads(node), *writes(node)) if memlet.array == array.name}
    fits = all(node.value.dtype == array.dtype for node in changes if node.accumulate)
    return bool(changes) and len(cells) == 1 and fits and covers(loop, changes[0], array, lambda e: e)


def _from(block: Block, place: int, array: Array, names: Names) -> Block:
    """The Block in which the nest at that place makes a new array, which takes the place of the old one behind it."""
    new = replace(array, name=names.fresh(array.name))
    table = {array.name: new.name}
    nest = block.body[place]
    assert isinstance(nest, Loop)
    behind = (rewrite(node, lambda inner: rename_arrays(inner, table)) for node in block.body[place + 1 :])
    return Block((*block.arrays, new), (*block.body[:place], _renewing(nest, array, new), *behind))


def _renewing(nest: Loop, array: Array, new: Array) -> Node:
    inner = perfect_nest(nest).body
    cell = next(memlet for node in walk(inner) for memlet in writes(node) if memlet.array == array.name)

    def change(node: Node) -> Node:
        return _Turn(array, new, cell).block(node)[0] if node is inner and isinstance(node, Block) else node

    return rewrite(nest, change)


@dataclass(frozen=True, slots=True)
class _Turn:
    """The nest's body with the new array in place of the old one: written always, and read where it is written already."""

    old: Array
    new: Array
    cell: Memlet

    def block(self, block: Block, is_new: bool = False) -> tuple[Block, bool]:
        body: list[Node] = []
        for node in block.body:
            changed, is_new = self.node(node, is_new)
            body.append(changed)
        return replace(block, body=tuple(body)), is_new

    def node(self, node: Node, is_new: bool) -> tuple[Node, bool]:
        """The node, and whether the new cell is written behind it; ``is_new``: whether it is before."""
        table = {self.old.name: self.new.name}
        match node:
            case Block():
                return self.block(node, is_new)
            case Branch():
                return self.branch(node, is_new)
            case Tasklet() if not is_new and node.write.array == self.old.name:
                own = Read(node.write, self.old.dtype)
                value = add(own, node.value) if node.accumulate else node.value
                write = Memlet(self.new.name, node.write.subset)
                return replace(node, write=write, value=value, accumulate=False, reassociable=False), True
            case Tasklet() | Check():
                return (rename_arrays(node, table) if is_new else node), is_new
            case _:
                raise CompilerBug(f"a nest that changes an array holds {node!r}")

    def branch(self, node: Branch, is_new: bool) -> tuple[Node, bool]:
        """A side that leaves the cell alone copies it where the other side writes it."""
        (then, first), (orelse, second) = self.block(node.then, is_new), self.block(node.orelse, is_new)
        if first != second:
            then, orelse = (then, self.with_copy(orelse, node)) if first else (self.with_copy(then, node), orelse)
        guarded = rename_arrays(node, {self.old.name: self.new.name}) if is_new else node
        assert isinstance(guarded, Branch)
        return replace(guarded, then=then, orelse=orelse), first or second

    def with_copy(self, side: Block, branch: Branch) -> Block:
        copy = Tasklet(
            Memlet(self.new.name, self.cell.subset), Read(self.cell, self.old.dtype), branch.where, f"{branch.key}:{self.new.name}"
        )
        return replace(side, body=(*side.body, copy))
