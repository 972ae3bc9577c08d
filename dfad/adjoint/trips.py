"""The trips of each While, counted for its reverse, which is a Loop.

In: a PRIMAL Program. Out: the same in which each While stands in a Block with

    last = 0;  while guard: ...; last = index + 1;   trips = last

What stays true: every value. ``trips`` is an integer scalar: a bound of the reverse Loop, which comes back like any other. Inside a loop
there are many of them to record, so what they hold fits into 4 bytes there (``plan/widened``), by a Check.
"""

from __future__ import annotations

from dataclasses import replace

import sympy

from dfad.ir.algebra import cast, compare
from dfad.ir.dtype import I32, I64
from dfad.ir.memlet import Memlet, symbol
from dfad.ir.names import names_of
from dfad.ir.nodes import Array, Block, Check, Expression, Integer, Node, Program, Read, Repetition, Tasklet, While
from dfad.ir.walk import rewrite_block, walk

MOST_TRIPS = 2**31 - 1
"""What fits into 4 bytes."""

TOO_MANY = "the loop ran {0} times; inside another loop its gradient counts to {1}"


def count_trips(program: Program) -> tuple[Program, dict[str, sympy.Symbol]]:
    """The Program that counts, and for the key of each While the scalar that holds its trips; the same object where there is none."""
    names = names_of(program)
    loops = [node for node in walk(program.body) if isinstance(node, Repetition)]
    inner = {node.key for loop in loops for node in walk(loop.body) if isinstance(node, While)}
    found: dict[str, sympy.Symbol] = {}

    def counted(node: Node) -> Node:
        if not isinstance(node, While):
            return node
        last = Array(names.fresh(f"{node.index}_last"), I64)
        trips = Array(names.fresh(f"{node.index}_trips"), I64)
        found[node.key] = symbol(trips.name)
        zero = Tasklet(Memlet(last.name), Integer(sympy.Integer(0)), node.where, f"{node.key}#0")
        step = Tasklet(Memlet(last.name), Integer(node.index + 1), node.where, f"{node.key}#+1")
        count, checks = _in_four_bytes(node, last) if node.key in inner else (Read(Memlet(last.name), I64), ())
        total = Tasklet(Memlet(trips.name), count, node.where, f"{node.key}#n")
        loop = replace(node, body=replace(node.body, body=(*node.body.body, step)))
        return Block((last, trips), (zero, loop, *checks, total))

    body = rewrite_block(program.body, counted)
    return (program if body is program.body else replace(program, body=body)), found


def _in_four_bytes(node: While, last: Array) -> tuple[Expression, tuple[Check, ...]]:
    """The count as an integer of 4 bytes, and that it is one."""
    count, most = Read(Memlet(last.name), I64), Integer(sympy.Integer(MOST_TRIPS))
    check = Check(compare("le", count, most), "index", TOO_MANY, node.where, f"{node.key}#<", (count, most))
    return cast(cast(count, I32), I64), (check,)
