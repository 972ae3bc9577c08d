"""The dataflow graph of a Program, as plain data: a view computed from the tree.

Each loop, branch and leaf is a graph node; ``parent`` is the region that holds it (``None`` at the top). Within one region an array has
an access node for each state that the text shows: the one that comes into the region and one more after each node that writes it.
Edges lead from access nodes to what reads them and from what writes to the new access node; the edges of a loop or branch sum up what
moves inside. A region that writes an array also has an edge from the state before it: what it
does not write stays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dfad.ir.lifetimes import top_level
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Block, Branch, Check, Exchange, Library, Loop, Program, Repetition, Statement, Tasklet, While
from dfad.ir.show import show_expression, show_integer, show_memlet
from dfad.ir.walk import reads, walk, writes

KINDS = {
    Loop: "loop",
    While: "while",
    Branch: "branch",
    Tasklet: "tasklet",
    Library: "library",
    Exchange: "exchange",
    Check: "check",
}


def dataflow(program: Program) -> dict[str, list[dict[str, Any]]]:
    """The graph.

    Returns
    -------
    dict
        ``nodes``: dicts of ``id kind label parent line``, kind one of access, loop, while, branch, tasklet, library, exchange, check.
        ``edges``: dicts of ``source target memlet``. All values are strings, integers or None; the order is that of the text.
    """
    graph = _Graph()
    _Region(graph, None).add(program.body)
    return {"nodes": graph.nodes, "edges": graph.edges}


@dataclass(slots=True)
class _Graph:
    nodes: list[dict[str, Any]] = field(default_factory=list)
    edges: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class _Region:
    """A region being added to the graph, and the number of states that each array has had in it so far."""

    graph: _Graph
    parent: str | None
    states: dict[str, int] = field(default_factory=dict)

    def add(self, block: Block) -> None:
        for step in top_level(block):
            self.step(step)
            for below in _blocks(step):
                _Region(self.graph, step.key).add(below)

    def step(self, step: Statement) -> None:
        taken, given = _moved(step)
        for memlet in taken:
            if memlet.array not in self.states:
                self.state(memlet.array, step)
            self.edge(self.access(memlet.array), step.key, memlet)
        self.node(step.key, KINDS[type(step)], _label(step), step)
        for memlet in given:
            self.state(memlet.array, step)
            self.edge(step.key, self.access(memlet.array), memlet)

    def state(self, name: str, step: Statement) -> None:
        self.states[name] = self.states.get(name, -1) + 1
        self.node(self.access(name), "access", name, step)

    def access(self, name: str) -> str:
        return f"{self.parent or ''}/{name}.{self.states[name]}"

    def node(self, identity: str, kind: str, label: str, step: Statement) -> None:
        self.graph.nodes.append({"id": identity, "kind": kind, "label": label, "parent": self.parent, "line": step.where.line})

    def edge(self, source: str, target: str, memlet: Memlet) -> None:
        self.graph.edges.append({"source": source, "target": target, "memlet": show_memlet(memlet)})


def _blocks(step: Statement) -> tuple[Block, ...]:
    match step:
        case Loop() | While():
            return (step.body,)
        case Branch():
            return step.then, step.orelse
        case _:
            return ()


def _moved(step: Statement) -> tuple[list[Memlet], list[Memlet]]:
    """What a step takes and gives: the memlets of a leaf; of a region, the names of the arrays that are not its own."""
    if isinstance(step, Exchange):
        both = [Memlet(step.first), Memlet(step.second)]
        return both, both
    if isinstance(step, Repetition | Branch):
        return _summed(step)
    accumulated = writes(step) if isinstance(step, Tasklet | Library) and step.accumulate else ()
    return list(dict.fromkeys((*reads(step), *accumulated))), list(writes(step))


def _summed(step: Repetition | Branch) -> tuple[list[Memlet], list[Memlet]]:
    below = list(walk(step))
    own = {array.name for node in below if isinstance(node, Block) for array in node.arrays}
    leaves = [_moved(node) for node in below if isinstance(node, Tasklet | Library | Exchange | Check)]
    guards = [memlet for node in below if isinstance(node, Branch | While) for memlet in reads(node)]
    given = dict.fromkeys(memlet.array for _, gives in leaves for memlet in gives)
    taken = dict.fromkeys([memlet.array for takes, _ in leaves for memlet in takes] + [memlet.array for memlet in guards] + list(given))
    return [Memlet(name) for name in taken if name not in own], [Memlet(name) for name in given if name not in own]


def _label(step: Statement) -> str:
    match step:
        case Loop():
            return f"for {step.index} in {show_integer(step.start)}:{show_integer(step.stop)}"
        case While():
            return f"while {show_expression(step.guard)}"
        case Branch():
            return f"if {show_expression(step.guard)}"
        case Tasklet():
            return show_expression(step.value)
        case Library():
            return step.operation
        case Exchange():
            return "exchange"
        case Check():
            return f"check {show_expression(step.condition)}"
