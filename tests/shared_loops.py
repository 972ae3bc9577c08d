"""Shared loops without threads: their trips from last to first, which must mean the same."""

from dataclasses import replace

import sympy

from dfad.ir.nodes import Loop, Node, Program
from dfad.ir.walk import rewrite_block
from dfad.optimise.parallel import mark_parallel


def share_backwards(program: Program) -> Program:
    """The LOWERED Program with every loop that threads may share turned round."""
    return replace(program, body=rewrite_block(mark_parallel(program).body, _turned))


def _turned(node: Node) -> Node:
    if not isinstance(node, Loop) or node.parallel is None:
        return node
    last = node.start + (sympy.floor((node.stop - node.start + node.step - (1 if node.step > 0 else -1)) / node.step) - 1) * node.step
    return replace(node, start=last, stop=node.start - node.step, step=-node.step, parallel=None)
