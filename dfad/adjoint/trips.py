"""The trips of each While, counted for its reverse, which is a Loop.

In: a PRIMAL Program. Out: the same in which each While stands in a Block with

    last = 0;  while guard: ...; last = index + 1;   trips = last

What stays true: every value. ``trips`` is an integer scalar: a bound of the reverse Loop, which comes back like any other.
"""

from __future__ import annotations

from dataclasses import replace

import sympy

from dfad.ir.dtype import I64
from dfad.ir.memlet import Memlet, symbol
from dfad.ir.names import names_of
from dfad.ir.nodes import Array, Block, Integer, Node, Program, Read, Tasklet, While
from dfad.ir.walk import rewrite_block


def count_trips(program: Program) -> tuple[Program, dict[str, sympy.Symbol]]:
    """The Program that counts, and for the key of each While the scalar that holds its trips; the same object where there is none."""
    names = names_of(program)
    found: dict[str, sympy.Symbol] = {}

    def counted(node: Node) -> Node:
        if not isinstance(node, While):
            return node
        last, trips = Array(names.fresh(f"{node.index}_last"), I64), Array(names.fresh(f"{node.index}_trips"), I64)
        found[node.key] = symbol(trips.name)
        zero = Tasklet(Memlet(last.name), Integer(sympy.Integer(0)), node.where, f"{node.key}#0")
        step = Tasklet(Memlet(last.name), Integer(node.index + 1), node.where, f"{node.key}#+1")
        total = Tasklet(Memlet(trips.name), Read(Memlet(last.name), I64), node.where, f"{node.key}#n")
        loop = replace(node, body=replace(node.body, body=(*node.body.body, step)))
        return Block((last, trips), (zero, loop, total))

    body = rewrite_block(program.body, counted)
    return (program if body is program.body else replace(program, body=body)), found
