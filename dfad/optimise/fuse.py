"""Loops over one range run as one: what a statement leaves in the cache, the next one finds there.

In: a PRIMAL or PLANNED Program. Out: the same in which loops of one Block that make the same trips and share an array are one loop, from
the outermost in, as far as their order allows (joining.py); where inner loops differ they stay side by side, row by row. Of several such
pairs the one comes first that leaves most arrays to be contracted. What stands between two loops moves before or behind them; Checks move
to the front, where they make extents equal.

    for i: for j: e[i, j] = exp(x[i, j])                for i:
    for i: for j: s[i] += e[i, j]               ->          for j: e[i, j] = exp(x[i, j]); s[i] += e[i, j]
    for i: for j: y[i, j] = e[i, j]/s[i]                    for j: y[i, j] = e[i, j]/s[i]

What stays true: every value, up to the order of sums that is free; the list of arrays. What it does not do: innermost loops of which one
runs in vectors and the other does not (a recurrence, a condition, a function without vectors), or that would carry values from trip to
trip; bodies of more arrays than MOST_ARRAYS; loops of which one may end the call and the other writes what the caller then sees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace

from dfad.analysis.effects import Effects, conflict, effects_of, sizes_of
from dfad.analysis.extents import leading_equalities
from dfad.analysis.joining import Join, have_one_range, join_of
from dfad.analysis.vectors import is_innermost, is_light, runs_in_vectors
from dfad.ir.nodes import Block, Check, Loop, Node, Program, Role, Stage
from dfad.ir.walk import all_arrays, map_symbols, reads, rewrite_block, substitute, walk, writes

MOST_ARRAYS = 16
"""No innermost loop works on more arrays: the processor follows about as many streams."""

WINDOW = 12
"""How many loops further on a partner is looked for."""


def fuse(program: Program, slow: Set[str] = frozenset()) -> Program:
    """The Program with loops joined.

    Parameters
    ----------
    program : Program
    slow : set of str
        The operations that have no vector form on this machine.
    """
    visible = {array.name for array in program.parameters if array.role is Role.ARGUMENT}
    sizes = sizes_of(all_arrays(program))
    program = replace(program, body=rewrite_block(program.body, lambda node: _checks_first(node, visible, sizes)))
    fusion = _Fusion(program, visible, slow)
    body = rewrite_block(program.body, lambda node: fusion.joined(node) if isinstance(node, Block) else node)
    return program if body is program.body else replace(program, body=body)


def _checks_first(node: Node, visible: Set[str], sizes: Mapping[str, frozenset[str]]) -> Node:
    """A Block with each Check moved before the statements whose order with it does not show."""
    if not isinstance(node, Block):
        return node
    body: list[Node] = []
    effects: dict[Node, Effects] = {child: effects_of(child, visible, sizes) for child in node.body}
    for child in node.body:
        place = len(body)
        while isinstance(child, Check) and place and not conflict(effects[body[place - 1]], effects[child]):
            place -= 1
        body.insert(place, child)
    return node if tuple(body) == node.body else replace(node, body=tuple(body))


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two loops that may run as one, what stands before and behind them then, and what is won."""

    first: Loop
    second: Loop
    before: tuple[Node, ...]
    behind: tuple[Node, ...]
    gain: tuple[int, int]


@dataclass
class _Fusion:
    """What is known of the Program, and of the nodes that were looked at."""

    program: Program
    visible: Set[str]
    slow: Set[str]
    effects: dict[Node, Effects] = field(default_factory=dict)
    uses: dict[Node, Counter[str]] = field(default_factory=dict)
    joins: dict[tuple[Node, Node], Join | None] = field(default_factory=dict)
    vectors: dict[Loop, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.same = leading_equalities(self.program)
        self.arrays = all_arrays(self.program)
        self.sizes = sizes_of(self.arrays)
        self.all_uses = self.uses_of(self.program.body)
        self.own = {name for name, array in self.arrays.items() if array.rank and array not in self.program.parameters}

    def joined(self, block: Block) -> Block:
        """The Block with its loops joined, those inside them too."""
        nodes = block.body
        while (best := max(self.candidates(nodes), key=lambda pair: pair.gain, default=None)) is not None:
            between = (*best.before, self.one_loop(best.first, best.second), *best.behind)
            first, second = nodes.index(best.first), nodes.index(best.second)
            nodes = (*nodes[:first], *between, *nodes[second + 1 :])
        return block if nodes is block.body else replace(block, body=nodes)

    def candidates(self, nodes: tuple[Node, ...]) -> Iterator[_Pair]:
        """The pairs that may be joined and win something by it."""
        loops = [(place, node) for place, node in enumerate(nodes) if isinstance(node, Loop)]
        for number, (place, first) in enumerate(loops):
            for other, second in loops[number + 1 : number + 1 + WINDOW]:
                pair = self.pair(nodes, place, other) if have_one_range(first, second, self.same) else None
                if pair is not None:
                    yield pair

    def pair(self, nodes: tuple[Node, ...], place: int, other: int) -> _Pair | None:
        first, second = nodes[place], nodes[other]
        assert isinstance(first, Loop)
        assert isinstance(second, Loop)
        one, two = self.effects_of(first), self.effects_of(second)
        if not one.touches & two.touches & self.arrays.keys() or self.would_show(one, two):
            return None
        sides = self.sides(first, nodes[place + 1 : other], second)
        join = None if sides is None else self.join_of(first, second)
        if sides is None or join is None or not self.keeps_vectors(first, second, join):
            return None
        both = self.uses_of(first) + self.uses_of(second)
        gone = sum(1 for name in self.uses_of(first) if name in self.own and both[name] == self.all_uses[name] and name in join.shared)
        shared = sum(1 for name in join.shared if self.arrays[name].rank)
        return _Pair(first, second, *sides, (gone, shared)) if shared else None

    def would_show(self, first: Effects, second: Effects) -> bool:
        """Whether a check that fails in the middle of the joined loop would leave the caller other arrays, or tell of another line."""
        is_primal = self.program.stage is Stage.PRIMAL
        return (first.checks and (second.shows or (is_primal and second.checks))) or (second.checks and first.shows)

    def sides(self, first: Loop, between: tuple[Node, ...], second: Loop) -> tuple[tuple[Node, ...], tuple[Node, ...]] | None:
        """What stands between the loops, before and behind both; None where something needs the one and is needed by the other."""
        behind: list[Node] = [first]
        before: list[Node] = []
        for node in between:
            must_follow = any(conflict(self.effects_of(earlier), self.effects_of(node)) for earlier in behind)
            (behind if must_follow else before).append(node)
        if any(conflict(self.effects_of(node), self.effects_of(second)) for node in behind[1:]):
            return None
        return tuple(before), tuple(behind[1:])

    def keeps_vectors(self, first: Loop, second: Loop, join: Join) -> bool:
        """Whether what runs in vectors does so afterwards."""
        inner = [is_innermost(loop) for loop in (first, second)]
        if not any(inner):
            return True
        if not all(inner):
            return is_light(first if inner[0] else second)
        kinds = {self.runs_in_vectors(loop) for loop in (first, second)}
        arrays = {name for loop in (first, second) for name in self.uses_of(loop) if self.arrays[name].rank}
        return len(kinds) == 1 and len(arrays) <= MOST_ARRAYS and not (join.shifted and True in kinds)

    def one_loop(self, first: Loop, second: Loop) -> Loop:
        """The loops as one, its inner loops joined too."""
        behind = map_symbols(second.body, substitute({second.index: first.index}))
        assert isinstance(behind, Block)
        body = Block((*first.body.arrays, *behind.arrays), (*first.body.body, *behind.body))
        return replace(first, body=self.joined(body), parallel=None)

    # ------------------------------------------------------------ remembered

    def effects_of(self, node: Node) -> Effects:
        if node not in self.effects:
            self.effects[node] = effects_of(node, self.visible, self.sizes)
        return self.effects[node]

    def uses_of(self, node: Node) -> Counter[str]:
        """How often a node, with those below it, names each array."""
        if node not in self.uses:
            self.uses[node] = Counter(memlet.array for part in walk(node) for memlet in (*reads(part), *writes(part)))
        return self.uses[node]

    def runs_in_vectors(self, loop: Loop) -> bool:
        if loop not in self.vectors:
            self.vectors[loop] = runs_in_vectors(loop, self.slow)
        return self.vectors[loop]

    def join_of(self, first: Loop, second: Loop) -> Join | None:
        if (first, second) not in self.joins:
            self.joins[first, second] = join_of(first, second)
        return self.joins[first, second]
