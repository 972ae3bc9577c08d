"""Which buffer each name stands for, told while the kernel runs, where exchanges depend on data.

An Exchange is *steady* when its loops and conditions can be gone through again later: none of them is a While, and nothing that they name
is written or belongs to an inner Block. The names of other exchanged arrays have a *place* each, an integer scalar that begins as the
number of the name in its group and is exchanged with the names:

    u, un = un, u     ->     u, un = un, u;  t = u_place;  u_place = un_place;  un_place = t

In: a PRIMAL Program. Out: the same with places. What stays true: every value. Arrays that loops make need none: their names begin anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace

from dfad.errors import CompilerBug
from dfad.ir.algebra import compare
from dfad.ir.dtype import I64
from dfad.ir.memlet import Memlet
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Array, Block, Branch, Constant, Exchange, Expression, Loop, Node, Program, Read, Tasklet, While
from dfad.ir.walk import changed_arrays, children, expression_symbols, reads, rewrite_block, symbol_names, walk
from dfad.source import Location

FIRST, SECOND = "@first", "@second"
"""What the keys of the statements that exchange the places of the two names end in, after the key of the Exchange."""


def with_places(program: Program) -> Program:
    """The Program that tells the places; the same object where every Exchange is steady."""
    program = _beside_their_partners(program)
    outer = {array.name for array in (*program.parameters, *program.body.arrays)}
    moved = groups(unsteady(program.body), program.body)
    members = [name for group in moved for name in group if name in outer]
    if not members:
        return program
    names = names_of(program)
    places = {name: Array(names.fresh(f"{name}_place"), I64) for name in members}
    where = {node.first: node.where for node in walk(program.body) if isinstance(node, Exchange)}

    def told(node: Node) -> Node:
        return _told(node, places, names) if isinstance(node, Exchange) and node.first in places else node

    begin = [
        Tasklet(Memlet(places[name].name), Constant(number, I64), next(iter(where.values())), f"{name}@place")
        for group in moved
        for number, name in enumerate(group)
        if name in places
    ]
    body = rewrite_block(program.body, told)
    return replace(program, body=Block((*body.arrays, *places.values()), (*begin, *body.body)))


def _beside_their_partners(program: Program) -> Program:
    """Arrays of Branches, that no loop makes, are declared outermost where they are exchanged with arrays that are: all that follows an
    early ``return`` stands in a Branch."""
    outer = {array.name for array in (*program.parameters, *program.body.arrays)}
    known = {item.symbol for item in program.symbols}
    exchanged = frozenset(name for node in walk(program.body) if isinstance(node, Exchange) for name in (node.first, node.second))
    partners = {name for group in groups(exchanged, program.body) if outer & set(group) for name in group}
    moving = [array for array in _made_once(program.body) if array.name in partners - outer]
    lifted = [array for array in moving if all(extent.free_symbols <= known for extent in array.shape)]
    if not lifted:
        return program

    def without(node: Node) -> Node:
        return replace(node, arrays=tuple(array for array in node.arrays if array not in lifted)) if isinstance(node, Block) else node

    body = rewrite_block(program.body, without)
    return replace(program, body=replace(body, arrays=(*body.arrays, *lifted)))


def _made_once(node: Node) -> Iterator[Array]:
    """The arrays that no loop makes."""
    match node:
        case Block():
            yield from node.arrays
        case Loop() | While():
            return
        case _:
            pass
    for child in children(node):
        yield from _made_once(child)


def _told(node: Exchange, places: Mapping[str, Array], names: Names) -> Block:
    first, second, kept = places[node.first], places[node.second], Array(names.fresh("place"), I64)
    return Block(
        (kept,),
        (
            node,
            Tasklet(Memlet(kept.name), _value(first), node.where, f"{node.key}@"),
            Tasklet(Memlet(first.name), _value(second), node.where, f"{node.key}{FIRST}"),
            Tasklet(Memlet(second.name), _value(kept), node.where, f"{node.key}{SECOND}"),
        ),
    )


def _value(array: Array) -> Read:
    return Read(Memlet(array.name), I64)


# ---------------------------------------------------------------- which exchanges


def unsteady(block: Block) -> frozenset[str]:
    """The arrays that take part in an Exchange that is not steady."""
    written = changed_arrays(block)
    inner = {array.name for node in walk(block) if isinstance(node, Block) and node is not block for array in node.arrays}
    return frozenset(name for node in _moved(block, written | inner, False) for name in (node.first, node.second))


def _moved(node: Node, changing: Set[str], is_unsteady: bool) -> Iterator[Exchange]:
    match node:
        case Exchange():
            if is_unsteady:
                yield node
            return
        case While():
            is_unsteady = True
        case Loop():
            is_unsteady |= bool(symbol_names(node) & changing)
        case Branch():
            named = {memlet.array for memlet in reads(node)} | {item.name for item in expression_symbols(node.guard)}
            is_unsteady |= bool(named & changing)
        case _:
            pass
    for child in children(node):
        yield from _moved(child, changing, is_unsteady)


def groups(members: frozenset[str], block: Block) -> list[tuple[str, ...]]:
    """The groups of arrays that exchanges connect with these members, each in the order of its names."""
    pairs = [{node.first, node.second} for node in walk(block) if isinstance(node, Exchange)]
    found: list[tuple[str, ...]] = []
    left = set(members)
    while left:
        group = {min(left)}
        while grown := {name for pair in pairs if pair & group for name in pair} - group:
            group |= grown
        found.append(tuple(sorted(group)))
        left -= group
    return found


# ---------------------------------------------------------------- names brought to their places


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What brings names from one order of buffers to another: one of both is that of entry, the other stands in the places.

    ``names``: what is exchanged, in the order of the group; ``places``: the scalars.
    """

    names: tuple[str, ...]
    places: tuple[Array, ...]
    where: Location
    key: str

    def nodes(self, fresh: Names, is_back: bool) -> tuple[Node, ...]:
        """From the order of entry to the places; with ``is_back`` from the places to the order of entry."""
        count = range(len(self.names))
        numbers: list[Expression] = [Constant(number, I64) for number in count]
        told: list[Expression] = [_value(place) for place in self.places]
        now, wanted = (told, numbers) if is_back else (numbers, told)
        held = [Array(fresh.fresh("held"), I64) for _ in count]
        kept = Array(fresh.fresh("held"), I64)
        mark = f"{self.key}{'<' if is_back else '>'}"
        body: list[Node] = [self._set(held[k], now[k], f"{mark}{k}") for k in count]
        for k in count:
            for other in range(k + 1, len(self.names)):
                key = f"{mark}{k},{other}"
                move = Exchange(self.names[k], self.names[other], self.where, f"{key}x")
                turn = [(kept, _value(held[k])), (held[k], _value(held[other])), (held[other], _value(kept))]
                swap = tuple(self._set(target, value, f"{key}={n}") for n, (target, value) in enumerate(turn))
                guard = compare("eq", _value(held[other]), wanted[k])
                body.append(Branch(guard, Block((), (move, *swap)), Block((), ()), self.where, key))
        return (Block((*held, kept), tuple(body)),)

    def _set(self, target: Array, value: Expression, key: str) -> Tasklet:
        return Tasklet(Memlet(target.name), value, self.where, key)


def arrangements(block: Block, table: Mapping[str, str], mark: str) -> tuple[Arrangement, ...]:
    """For each group whose places the Block tells: the arrangement of the names that the table gives for its members."""
    exchanges = [node for node in walk(block) if isinstance(node, Exchange)]
    tellers = {node.key: node for node in walk(block) if isinstance(node, Tasklet)}
    told: dict[str, Array] = {}
    for node in exchanges:
        for name, ending in ((node.first, FIRST), (node.second, SECOND)):
            if node.key + ending in tellers:
                told[name] = Array(tellers[node.key + ending].write.array, I64)
    found = []
    for group in groups(frozenset(told.keys() & table.keys()), block):
        if not set(group) <= told.keys():
            raise CompilerBug(f"the places of some of {', '.join(group)} are not told")
        where = next(node.where for node in exchanges if node.first in group)
        names = tuple(table[name] for name in group)
        found.append(Arrangement(names, tuple(told[name] for name in group), where, f"{mark}{'_'.join(group)}"))
    return tuple(found)
