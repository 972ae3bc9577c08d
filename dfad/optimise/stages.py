"""What a cell holds only until the same Block changes it further gets a scalar of its own.

In: a PRIMAL Program. Out: the same in which, of two statements of a Block that write one cell, the second from what the first left there,

    a[i] = e;  a[i] = sin(a[i])     ->     s = e;  a[i] = sin(s)

where the partial of the second, or of a statement between them, may depend on that value, and all that is touched of the array in between
is the cell itself, or certainly another one. What stays true: every value, bit for bit. Why: the reverse sweep computes s again or finds it
recorded once; in the cell it would be overwritten. What it does not do: cells that a Library operation reads in between, integers, and
statements between which the call may end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dfad.analysis.bends import bends
from dfad.ir.algebra import add
from dfad.ir.memlet import Memlet, Range
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Array, Block, Check, Expression, Library, Node, Program, Read, Tasklet
from dfad.ir.walk import (
    all_arrays,
    exchanged,
    map_expression,
    map_memlets,
    reads,
    rewrite,
    rewrite_block,
    walk,
    writes,
)


def name_stages(program: Program) -> Program:
    """The Program whose cells hold no values in passing; the same object where none does."""
    arrays, names = all_arrays(program), names_of(program)

    def in_block(node: Node) -> Node:
        return _staged(node, arrays, names) if isinstance(node, Block) else node

    body = rewrite_block(program.body, in_block)
    return program if body is program.body else replace(program, body=body)


def _staged(block: Block, arrays: dict[str, Array], names: Names) -> Block:
    done: set[str] = set()
    for place in reversed(range(len(block.body))):
        pair = _pair(block, place, arrays)
        if pair is None:
            continue
        first, last, second = pair
        between = block.body[place + 1 : last]
        if _is_passing(first.write, between, second, second.key in done):
            array = arrays[first.write.array]
            stage = Array(names.fresh(f"{array.name}_stage"), array.dtype)
            body = (*block.body[:place], *_through(first, between, second, stage), *block.body[last + 1 :])
            block = Block((*block.arrays, stage), body)
            done.add(second.key)
    return block


def _pair(block: Block, place: int, arrays: dict[str, Array]) -> tuple[Tasklet, int, Tasklet] | None:
    """The statement at a place, and the next that writes its array, with its place."""
    first = block.body[place]
    if not isinstance(first, Tasklet) or not _fits(first, arrays[first.write.array]):
        return None
    last = next((later for later in range(place + 1, len(block.body)) if _moves(block.body[later], first.write.array)), None)
    second = None if last is None else block.body[last]
    if last is None or not isinstance(second, Tasklet) or not _fits(second, arrays[first.write.array]):
        return None
    return first, last, second


def _fits(node: Tasklet, array: Array) -> bool:
    """Whether the statement may be written as a plain assignment of a number."""
    return array.dtype.is_float and (not node.accumulate or node.value.dtype == array.dtype)


def _moves(node: Node, name: str) -> bool:
    return name in exchanged(node) or any(memlet.array == name for inner in walk(node) for memlet in writes(inner))


def _is_passing(cell: Memlet, between: tuple[Node, ...], second: Tasklet, is_told: bool) -> bool:
    """Whether what the cell holds in front of ``second`` is needed there and between only, and by a partial; ``is_told``: what comes
    from it is a scalar already."""
    inside = [inner for node in between for inner in walk(node)]
    read = [memlet for node in (*inside, second) for memlet in reads(node) if memlet.array == cell.array]
    if second.write != cell or cell not in read or any(isinstance(inner, Check) for inner in inside):
        return False
    if any(isinstance(inner, Library) and cell.array in {memlet.array for memlet in inner.reads} for inner in inside):
        return False
    if not all(memlet == cell or _is_apart(memlet, cell) for memlet in read):
        return False
    return is_told or any(bends(node.value, lambda memlet: memlet == cell) for node in (*inside, second) if isinstance(node, Tasklet))


def _is_apart(one: Memlet, other: Memlet) -> bool:
    """Whether two cells are certainly not the same."""
    pairs = zip(one.subset, other.subset, strict=True)
    distances = (a - b for a, b in pairs if not isinstance(a, Range) and not isinstance(b, Range))
    return any(distance.is_Integer and distance != 0 for distance in distances)


def _through(first: Tasklet, between: tuple[Node, ...], second: Tasklet, stage: Array) -> Iterator[Node]:
    """The statements with the scalar in place of the cell."""
    cell, own = first.write, Memlet(stage.name)

    def renamed(node: Node) -> Node:
        return map_memlets(node, lambda memlet: own if memlet == cell else memlet)

    def read(part: Expression) -> Expression:
        return replace(part, memlet=own) if isinstance(part, Read) and part.memlet == cell else part

    yield replace(_plain(first, Read(cell, stage.dtype)), write=own)
    yield from (rewrite(node, renamed) for node in between)
    value = map_expression(second.value, read)
    yield _plain(replace(second, value=value), Read(own, stage.dtype))


def _plain(node: Tasklet, old: Read) -> Tasklet:
    """The statement as an assignment; ``old``: what it adds to."""
    return replace(node, value=add(old, node.value), accumulate=False, reassociable=False) if node.accumulate else node
