"""Adjoints begin as late as they can: the steps that set an array to constants move to just before its first use.

In: a PLANNED Program of a forward and a reverse sweep. Out: the same steps; in the reverse sweep, those that only set one array, without
reading any, stand directly before the next step that uses this array. What stays true: all values, since no step between uses the array.
It then lives from there on, which leaves room under a memory budget.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from dfad.ir.lifetimes import top_arrays, top_level, used_names
from dfad.ir.nodes import Block, Library, Loop, Program, Statement, Tasklet
from dfad.ir.walk import all_arrays, reads, walk


def postpone(program: Program) -> Program:
    """The Program with its initialisations postponed; the same object when it has no reverse sweep."""
    match program.body.body:
        case (Block() as forward, Block() as reverse):
            floats = {array.name for array in all_arrays(program).values() if array.dtype.is_float}
            body = Block((), tuple(_postponed(list(top_level(reverse)), floats)))
            return replace(program, body=Block((*program.body.arrays, *top_arrays(reverse)), (forward, body)))
        case _:
            return program


def _postponed(steps: list[Statement], floats: Set[str]) -> list[Statement]:
    waiting: dict[str, list[Statement]] = {}
    found: list[Statement] = []
    for step in steps:
        name = _initialised(step)
        if name in floats:
            waiting.setdefault(name, []).append(step)
            continue
        for used in sorted(used_names(step) & waiting.keys()):
            found += waiting.pop(used)
        found.append(step)
    return found + [step for left in waiting.values() for step in left]


def _initialised(step: Statement) -> str:
    """The one array that the step sets, where it reads none; else an empty name."""
    nodes = [node for node in walk(step) if not isinstance(node, Block | Loop)]
    plain = all(isinstance(node, Tasklet | Library) and not node.accumulate and not reads(node) for node in nodes)
    names = used_names(step)
    return names.pop() if plain and len(names) == 1 else ""
