"""Guards become scalars: ``if a[i] > c:`` turns into ``p = a[i] > c`` and ``if p:``.

In: a PRIMAL Program. Out: a PRIMAL one in which the guard of every Branch tests symbols and constant data, or reads one scalar that
stands in the same Block, is written once, and is never written inside the region; an exchange counts as a write of what it moves. What
stays true: every value, and how often a guard is evaluated. So the reverse sweep finds the side that was taken by recomputing or recording
that scalar like any other.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from dfad.ir.dtype import BOOL
from dfad.ir.memlet import Memlet
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Array, Block, Branch, Node, Program, Read, Tasklet
from dfad.ir.walk import changed_arrays, reads, rewrite_block


def name_guards(program: Program) -> Program:
    """The Program with named guards; the same object when all are plain."""
    written = changed_arrays(program.body)
    names = names_of(program)

    def name_in(node: Node) -> Node:
        return _named(node, written, names) if isinstance(node, Block) else node

    body = rewrite_block(program.body, name_in)
    return program if body is program.body else replace(program, body=body)


def _named(block: Block, written: Set[str], names: Names) -> Block:
    arrays, body = list(block.arrays), list[Node]()
    for node in block.body:
        if isinstance(node, Branch) and any(memlet.array in written for memlet in reads(node)):
            guard = Array(names.fresh("taken"), BOOL)
            arrays.append(guard)
            body.append(Tasklet(Memlet(guard.name), node.guard, node.where, f"{node.key}?"))
            node = replace(node, guard=Read(Memlet(guard.name), BOOL))
        body.append(node)
    return block if len(arrays) == len(block.arrays) else Block(tuple(arrays), tuple(body))
