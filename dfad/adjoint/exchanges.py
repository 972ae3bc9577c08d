"""A sweep reduced to its exchanges: what it does to the names of arrays, and nothing else.

After a sweep the names of exchanged arrays stand for other buffers than at entry. The same exchanges done on other arrays (the adjoints)
bring their names to the same place; done backwards they bring the names back. Pointers change hands, no element moves. Exchanges that
depend on data are not gone through again: the sweep has told where they led (places.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import sympy

from dfad.adjoint.places import arrangements, groups, unsteady
from dfad.errors import CompilerBug
from dfad.ir.names import Names
from dfad.ir.nodes import Block, Branch, Check, Exchange, Library, Loop, Node, Tasklet, While
from dfad.ir.walk import walk


def wound(block: Block, table: Mapping[str, str], mark: str, names: Names) -> tuple[Node, ...]:
    """What brings the names that the table gives for arrays from where they stood before the Block to where they stand after it."""
    told = arrangements(block, table, mark)
    moved = [node for part in told for node in part.nodes(names, is_back=False)]
    return (*_skeleton(block, _steady(block, table), mark), *moved)


def unwound(block: Block, table: Mapping[str, str], mark: str, names: Names) -> tuple[Node, ...]:
    """What brings the names back."""
    told = arrangements(block, table, mark)
    moved = [node for part in told for node in part.nodes(names, is_back=True)]
    return (*_undone(_skeleton(block, _steady(block, table), mark), mark), *moved)


def _steady(block: Block, table: Mapping[str, str]) -> dict[str, str]:
    """The table without the arrays whose places are told."""
    told = {name for group in groups(unsteady(block), block) for name in group}
    return {name: other for name, other in table.items() if name not in told}


def _skeleton(block: Block, table: Mapping[str, str], mark: str) -> tuple[Node, ...]:
    """The exchanges below a Block, each array renamed by the table (arrays that are not in it stay out), each key marked."""
    body: list[Node] = []
    for node in block.body:
        match node:
            case Exchange() if node.first in table:
                body.append(replace(node, first=table[node.first], second=table[node.second], key=mark + node.key))
            case Block():
                body += _skeleton(node, table, mark)
            case Loop():
                inner = _skeleton(node.body, table, mark)
                body += [replace(node, body=Block((), inner), key=mark + node.key)] if inner else []
            case Branch():
                then, orelse = Block((), _skeleton(node.then, table, mark)), Block((), _skeleton(node.orelse, table, mark))
                body += [replace(node, then=then, orelse=orelse, key=mark + node.key)] if then.body or orelse.body else []
            case While():
                if _skeleton(node.body, table, mark):
                    raise CompilerBug("an exchange in a While is not steady")
            case Tasklet() | Library() | Check() | Exchange():
                pass
            case _:
                raise CompilerBug(f"no such node: {node!r}")
    return tuple(body)


def _undone(nodes: tuple[Node, ...], mark: str) -> tuple[Node, ...]:
    """The skeleton that brings the names back: the same exchanges, and the trips of their loops, in the opposite order."""
    back: list[Node] = []
    for node in reversed(nodes):
        match node:
            case Loop():
                start, stop = reversed_range(node)
                body = Block((), _undone(node.body.body, mark))
                back.append(replace(node, start=start, stop=stop, step=-node.step, body=body, key=mark + node.key))
            case Branch():
                then, orelse = _undone(node.then.body, mark), _undone(node.orelse.body, mark)
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
