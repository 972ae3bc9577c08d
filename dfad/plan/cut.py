"""The least cut: which values to store so that every value wanted can be computed from stored ones.

Values are vertices, an edge leads from an operand to what is computed from it. A value without a way to be computed is a *source*, a value
that is wanted a *sink*. A set of vertices cuts the graph when every path from a source to a sink goes through one of them, its ends
included; the least cut has the smallest weight, and of all of these it is the one nearest to the sinks. By the theorem of Ford and
Fulkerson its weight is that of the greatest flow; augmenting paths are the shortest ones (Edmonds and Karp).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping
from itertools import pairwise
from typing import TypeVar

Vertex = TypeVar("Vertex", bound=Hashable)
End = tuple[Hashable, bool]
"""A vertex's way in (False) or out (True); a vertex is an edge between them that carries its weight."""

START: End = ("start", True)
GOAL: End = ("goal", False)


def least_cut(
    weights: Mapping[Vertex, int], edges: Iterable[tuple[Vertex, Vertex]], sources: Iterable[Vertex], sinks: Iterable[Vertex]
) -> frozenset[Vertex]:
    """The vertices of the least cut nearest to the sinks.

    Parameters
    ----------
    weights : mapping
        Every vertex with its weight, a positive integer.
    edges, sources, sinks : iterable
        The graph, in terms of the vertices.
    """
    left = _Network(sum(weights.values()) + 1)
    for vertex, weight in weights.items():
        left.join((vertex, False), (vertex, True), weight)
    for source in sources:
        left.join(START, (source, False), left.endless)
    for first, second in edges:
        left.join((first, True), (second, False), left.endless)
    for sink in sinks:
        left.join((sink, True), GOAL, left.endless)
    while path := left.path():
        left.augment(path)
    behind = left.behind()
    return frozenset(vertex for vertex in weights if (vertex, True) in behind and (vertex, False) not in behind)


class _Network:
    """What each edge can still carry."""

    def __init__(self, endless: int) -> None:
        self.endless = endless
        self.capacity: dict[End, dict[End, int]] = {START: {}, GOAL: {}}

    def join(self, first: End, second: End, capacity: int) -> None:
        self.capacity.setdefault(first, {})[second] = capacity
        self.capacity.setdefault(second, {}).setdefault(first, 0)

    def path(self) -> list[End]:
        """A shortest path that can carry more from start to goal; empty when there is none."""
        came: dict[End, End] = {START: START}
        todo = deque([START])
        while todo and GOAL not in came:
            here = todo.popleft()
            for following, capacity in self.capacity[here].items():
                if capacity and following not in came:
                    came[following] = here
                    todo.append(following)
        if GOAL not in came:
            return []
        found = [GOAL]
        while found[-1] != START:
            found.append(came[found[-1]])
        return found[::-1]

    def augment(self, path: list[End]) -> None:
        pairs = list(pairwise(path))
        amount = min(self.capacity[first][second] for first, second in pairs)
        for first, second in pairs:
            self.capacity[first][second] -= amount
            self.capacity[second][first] += amount

    def behind(self) -> set[End]:
        """From where the goal can still be reached."""
        found, todo = {GOAL}, deque([GOAL])
        while todo:
            here = todo.popleft()
            for before in self.capacity[here]:
                if self.capacity[before][here] and before not in found:
                    found.add(before)
                    todo.append(before)
        return found
