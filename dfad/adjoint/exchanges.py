"""A sweep reduced to its exchanges: what it does to the names of arrays, and nothing else.

After a sweep the names of exchanged arrays stand for other buffers than at entry. The same exchanges done on other arrays (the adjoints)
bring their names to the same place; done backwards they bring the names back. Pointers change hands, no element moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import sympy

from dfad.errors import CompilerBug, Place, UnsupportedSyntax
from dfad.ir.nodes import Block, Branch, Check, Exchange, Library, Loop, Node, Tasklet, While
from dfad.ir.walk import reads, walk, writes


def skeleton(block: Block, table: Mapping[str, str], mark: str) -> tuple[Node, ...]:
    """The exchanges below a Block, each array renamed by the table (arrays that are not in it stay out), each key marked.

    Raises
    ------
    UnsupportedSyntax
        When arrays are exchanged under a condition on something that the Block writes.
    """
    return _skeleton(block, table, mark, frozenset(memlet.array for node in walk(block) for memlet in writes(node)))


def _skeleton(block: Block, table: Mapping[str, str], mark: str, written: frozenset[str]) -> tuple[Node, ...]:
    body: list[Node] = []
    for node in block.body:
        match node:
            case Exchange() if node.first in table:
                body.append(replace(node, first=table[node.first], second=table[node.second], key=mark + node.key))
            case Block():
                body += _skeleton(node, table, mark, written)
            case Loop():
                inner = _skeleton(node.body, table, mark, written)
                body += [replace(node, body=Block((), inner), key=mark + node.key)] if inner else []
            case While():
                raise CompilerBug("the adjoint of a While is refused before its exchanges are asked for")
            case Branch():
                body += _branch(node, table, mark, written)
            case Tasklet() | Library() | Check() | Exchange():
                pass
            case _:
                raise CompilerBug(f"no such node: {node!r}")
    return tuple(body)


def _branch(node: Branch, table: Mapping[str, str], mark: str, written: frozenset[str]) -> list[Node]:
    then, orelse = _skeleton(node.then, table, mark, written), _skeleton(node.orelse, table, mark, written)
    if not then and not orelse:
        return []
    if any(memlet.array in written for memlet in reads(node)):
        raise UnsupportedSyntax(
            "arrays are exchanged under a condition on data that changes",
            **node.where.place() | Place(hint="copy the elements instead: a[:], b[:] = b.copy(), a.copy()"),
        )
    return [replace(node, then=Block((), then), orelse=Block((), orelse), key=mark + node.key)]


def undone(nodes: tuple[Node, ...], mark: str) -> tuple[Node, ...]:
    """The skeleton that brings the names back: the same exchanges, and the trips of their loops, in the opposite order."""
    back: list[Node] = []
    for node in reversed(nodes):
        match node:
            case Loop():
                start, stop = reversed_range(node)
                body = Block((), undone(node.body.body, mark))
                back.append(replace(node, start=start, stop=stop, step=-node.step, body=body, key=mark + node.key))
            case Branch():
                then, orelse = undone(node.then.body, mark), undone(node.orelse.body, mark)
                back.append(replace(node, then=Block((), then), orelse=Block((), orelse), key=mark + node.key))
            case Exchange():
                back.append(replace(node, key=mark + node.key))
            case _:
                raise CompilerBug(f"a skeleton holds no such node: {node!r}")
    return tuple(back)


def with_partners(names: Iterable[str], block: Block) -> frozenset[str]:
    """The names, and those that exchanges below the Block connect with them."""
    pairs = [{node.first, node.second} for node in walk(block) if isinstance(node, Exchange)]
    found = set(names)
    while grown := {name for pair in pairs if pair & found for name in pair} - found:
        found |= grown
    return frozenset(found)


def reversed_range(loop: Loop) -> tuple[sympy.Expr, sympy.Expr]:
    """Start and stop of the range that gives the indices of the loop in the opposite order."""
    sign = 1 if loop.step > 0 else -1
    if abs(loop.step) == 1:
        return loop.stop - sign, loop.start - sign
    trips = sympy.floor((loop.stop - loop.start - sign) / sympy.Integer(loop.step))
    return loop.start + trips * loop.step, loop.start - sign
