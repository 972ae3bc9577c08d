"""While an array and its copy hold the same, the one that lives longer is read.

In: a PRIMAL Program. Out: the same in which, after ``un = u.copy()`` and up to the first write of u in the same Block, reads of u are reads
of un, where un is never written again and u is. What stays true: every value, bit for bit. Why: what is read from u and demanded in the
reverse sweep would have to be recorded before u is overwritten, beside un, which the statements after that read.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from dfad.analysis.shifts import covers, perfect_nest
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Array, Block, Expression, Library, Loop, Node, Program, Read, Tasklet
from dfad.ir.walk import all_arrays, exchanged, map_node_expressions, rewrite, rewrite_block, walk, writes


def read_twins(program: Program) -> Program:
    """The Program that reads the copy where array and copy are alike."""
    arrays = all_arrays(program)
    writers = Counter(memlet.array for node in walk(program.body) for memlet in writes(node))
    fixed = exchanged(program.body)
    stable = {name: array for name, array in arrays.items() if name not in fixed}
    once = {name for name in stable if writers[name] == 1}

    def in_block(node: Node) -> Node:
        return _in_block(node, stable, once) if isinstance(node, Block) else node

    body = rewrite_block(program.body, in_block)
    return program if body is program.body else replace(program, body=body)


def _in_block(block: Block, arrays: dict[str, Array], once: set[str]) -> Block:
    body = list(block.body)
    for position, node in enumerate(block.body):
        pair = _pair(node, arrays, once)
        if pair is None:
            continue
        copy, original = pair
        end = next((place for place in range(position + 1, len(body)) if _writes(body[place], original)), None)
        if end is not None:
            body[position + 1 : end] = [_reading(part, original, copy) for part in body[position + 1 : end]]
    changed = any(new is not old for new, old in zip(body, block.body, strict=True))
    return replace(block, body=tuple(body)) if changed else block


def _pair(node: Node, arrays: dict[str, Array], once: set[str]) -> tuple[str, str] | None:
    """The names of a copy that the node makes, all of it, and of the original."""
    if not isinstance(node, Loop):
        return None
    match perfect_nest(node).body:
        case Block(arrays=(), body=(Tasklet(write=write, value=Read(memlet), accumulate=False) as inner,)) if write.subset == memlet.subset:
            copy, original = arrays.get(write.array), arrays.get(memlet.array)
            if copy is None or original is None or copy.name not in once or copy.name == original.name:
                return None
            alike = (copy.shape, copy.dtype) == (original.shape, original.dtype)
            return (copy.name, original.name) if alike and covers(node, inner, copy, lambda e: e) else None
        case _:
            return None


def _writes(node: Node, name: str) -> bool:
    return any(memlet.array == name for inner in walk(node) for memlet in writes(inner))


def _reading(node: Node, original: str, copy: str) -> Node:
    def turned(memlet: Memlet) -> Memlet:
        return replace(memlet, array=copy) if memlet.array == original else memlet

    def leaf(part: Expression) -> Expression:
        return replace(part, memlet=turned(part.memlet)) if isinstance(part, Read) and part.memlet.array == original else part

    def change(inner: Node) -> Node:
        inner = map_node_expressions(inner, leaf)
        if isinstance(inner, Library) and any(memlet.array == original for memlet in inner.reads):
            inner = replace(inner, reads=tuple(map(turned, inner.reads)))
        return inner

    return rewrite(node, change)
