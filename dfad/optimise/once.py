"""A loop of one trip is its body.

In: any Program. Out: the same with each loop of exactly one trip, known in advance, as the plain Block of its body, in which the start
stands for the index. What stays true: every value. (An axis that is kept in a reduction has extent 1; loops over it would keep apart what
can be joined.)
"""

from __future__ import annotations

from dataclasses import replace

from dfad.ir.nodes import Loop, Node, Program
from dfad.ir.walk import map_symbols, rewrite_block, substitute


def run_once(program: Program) -> Program:
    """The Program without loops of one trip; the same object when there are none."""
    body = rewrite_block(program.body, _body_alone)
    return program if body is program.body else replace(program, body=body)


def _body_alone(node: Node) -> Node:
    if not isinstance(node, Loop) or node.stop - node.start != node.step:
        return node
    return map_symbols(node.body, substitute({node.index: node.start}))
