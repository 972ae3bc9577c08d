"""Scalars whose first overwrite finds a constant: what a variable had before the loop that carries it need not be recorded.

Let one statement alone write a scalar in the innermost loop around it. What it overwrites in the first trip is what the scalar had before
the loop. Where that is a constant, the other trips record, and the reverse of the first one puts the constant back.
"""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl
import sympy

from dfad.analysis.equalities import Facts
from dfad.analysis.statements import Statement
from dfad.ir.algebra import compare_integers
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Block, Branch, Constant, Loop, Node, Repetition, Tasklet
from dfad.ir.walk import exchanged, walk, writes


def found_first(statement: Statement, write: Memlet, facts: Mapping[str, Facts]) -> Constant | None:
    """The constant that the statement overwrites in the first trip of the innermost loop around it, None where that is not known."""
    if write.subset or not isinstance(statement.node, Tasklet) or not statement.loops or _start(statement.loops[-1]) is None:
        return None
    loop = statement.loops[-1]
    writers = [node for node in walk(loop.body) if any(memlet.array == write.array for memlet in writes(node))]
    before = facts[loop.key].get(write)
    if writers != [statement.node] or write.array in exchanged(loop) or before is None:
        return None
    return before.value if isinstance(before.value, Constant) else None


def later_trips(instances: isl.Set, loop: Repetition) -> isl.Set:
    """The instances but for those of the first trip of their innermost loop."""
    start = _start(loop)
    assert start is not None
    last = instances.dim(isl.dim_type.set) - 1
    return instances.lower_bound_val(isl.dim_type.set, last, start + 1)


def put_back(statement: Statement, write: Memlet, value: Constant) -> Node:
    """The scalar as the first trip found it, in the reverse of that trip."""
    node, loop = statement.node, statement.loops[-1]
    assert isinstance(node, Tasklet)
    restored = Tasklet(write, value, node.where, f"~{node.key}<first")
    condition = compare_integers("eq", loop.index, sympy.Integer(_start(loop) or 0))
    return Branch(condition, Block((), (restored,)), Block((), ()), node.where, f"~{node.key}?first")


def _start(loop: Repetition) -> int | None:
    """The index of the first trip, where it is a number and the index rises by one."""
    if not isinstance(loop, Loop):
        return 0
    return int(loop.start) if loop.step == 1 and loop.start.is_Integer else None
