"""Arrays of loop bodies and branches, scalars among them: computed again in the reverse sweep, or stored.

Of the locals of a Block that its reverse needs (levels.py), some can be computed again (replay.py): when what computes them is cheap, when
the reverse wants their last value only, and when nothing that it reads is overwritten before the place where they must be back. Such a
local needs its operands: other locals of the Block, and values of other arrays, which are there anyway, the argument's at entry, or there
for the price of a record. Arrays of Blocks further out count for nothing, since they may be computed again themselves; where they turn
out to be stored, all is decided once more with their price.
The least cut (cut.py) between what costs bytes and what is needed says which locals are stored at the end of their Block and which
records are added; all else is computed again. Blocks are settled from the inside out, since a replay inside needs values outside.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import islpy as isl
import sympy

from dfad.analysis.sets import within_limit
from dfad.analysis.statements import Statement
from dfad.analysis.versions import Want
from dfad.ir.memlet import Memlet, Range
from dfad.ir.nodes import Array, Block, Loop, Node, Tasklet, While
from dfad.ir.walk import reads, shape_symbols, symbol_names, walk, writes
from dfad.plan.cut import least_cut
from dfad.plan.demands import Demands, demands_in
from dfad.plan.levels import Level, Place, levels
from dfad.plan.replay import is_cheap, renamed, replay_of, with_entries

NOMINAL = 64
"""What every extent and trip count is taken for when bytes are compared."""


@dataclass(frozen=True, slots=True)
class Locals:
    """How the arrays of inner Blocks come back in the reverse sweep.

    Attributes
    ----------
    demands : Demands
        With the records that values computed again add.
    again : dict
        Array of an inner Block that the reverse sweep needs -> its name there.
    stored : frozenset of str
        The arrays that the end of their Block records.
    before, inside : dict
        Node of the forward sweep -> what computes locals again right before its reverse, or in it, behind its restore.
    at_end : dict
        Block of the forward sweep -> what computes locals again when its reverse begins, with positions in the order of definition.
    """

    demands: Demands
    again: dict[str, str]
    stored: frozenset[str]
    before: dict[Node, tuple[Node, ...]]
    inside: dict[Node, tuple[Node, ...]]
    at_end: dict[Node, tuple[tuple[int, Node], ...]]


def decide_locals(forward: Block, reverse: Block, demands: Demands) -> Locals:
    """Compute again or store each array of an inner Block that the reverse sweep needs."""
    found = levels(forward, reverse, demands)
    choice, settled, stored = _settle_all(found, reverse, demands)
    replays = [(level, *replay) for number, level in enumerate(found) for replay in _replays(level, choice, number)]
    needed = choice.needed & demands.local.keys()
    exchanged = {member for name in needed for member in demands.versions.buffers.members(name)}
    again = {name: demands.names.fresh(f"{name}_again") for name in sorted(needed | exchanged)}
    return Locals(
        settled,
        again,
        stored,
        before={_node(level, place): _without_positions(nodes) for level, place, nodes in replays if place[1] and place != level.last},
        inside={_node(level, place): _without_positions(nodes) for level, place, nodes in replays if not place[1]},
        at_end={level.forward: nodes for level, place, nodes in replays if place == level.last},
    )


def _settle_all(found: list[Level], reverse: Block, demands: Demands) -> tuple[_Choice, Demands, frozenset[str]]:
    """What is decided for all Blocks, the demands with the records of it, and the arrays that the ends of their Blocks record."""
    needed, symbols = _needed(reverse, demands), _symbols(reverse, demands)
    priced: frozenset[str] = frozenset()
    while True:
        choice = _Choice(demands, set(needed), symbols, priced)
        for level in found:
            _settle(level, choice)
        settled = _with_records(choice)
        stored = frozenset(_stored(choice.needed & demands.local.keys(), choice, settled))
        if not (disappointed := choice.hoped & stored - priced):
            return choice, settled, stored
        priced |= disappointed


def _node(level: Level, place: Place) -> Node:
    return level.forward.body[place[0]]


def _without_positions(nodes: tuple[tuple[int, Node], ...]) -> tuple[Node, ...]:
    return tuple(node for _, node in nodes)


@dataclass(slots=True)
class _Choice:
    """What has been decided so far.

    ``needed``: arrays that the reverse sweep needs; ``symbols``: names in its subsets and bounds; ``replayed``: local -> where it is
    computed again; ``stored``: locals that are not; ``wants``: the operands of replays, ``entries`` those that are met by the arguments at
    entry; ``outer``: (local of a Block further out, key of the statement that needs it), ``hoped``: arrays among them that must not be
    stored for it, ``priced``: those that may be, at their price.
    """

    demands: Demands
    needed: set[str]
    symbols: frozenset[str]
    priced: frozenset[str]
    replayed: dict[str, Place] = field(default_factory=dict)
    stored: set[str] = field(default_factory=set)
    wants: list[Want] = field(default_factory=list)
    entries: set[tuple[str, Memlet]] = field(default_factory=set)
    outer: list[tuple[str, str]] = field(default_factory=list)
    hoped: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Graph:
    """The question put to the least cut: locals by name, records by the key of the write."""

    weights: dict[str, int] = field(default_factory=dict)
    edges: list[tuple[str, str]] = field(default_factory=list)
    sources: set[str] = field(default_factory=set)
    operands: dict[str, list[Want]] = field(default_factory=dict)
    outer: dict[str, list[tuple[str, str]]] = field(default_factory=dict)


# ---------------------------------------------------------------- one Block


def _settle(level: Level, choice: _Choice) -> None:
    """Decide the locals of one Block."""
    demands = choice.demands
    places = {name: place for name, place in level.needs().items() if name in choice.needed}
    for name, key in choice.outer:
        if name in level.names:
            place = level.position[key], True
            places[name] = max(places.get(name, place), place)
    places |= dict.fromkeys(choice.symbols & level.names, level.last)
    places = {name: place for name, place in places.items() if demands.versions.buffers.members(name) == (name,)}
    wanted = frozenset(places)
    graph = _graph(level, places, choice)
    cut = least_cut(graph.weights, graph.edges, graph.sources, wanted)
    _follow(wanted, cut, places, graph, choice)


def _graph(level: Level, places: dict[str, Place], choice: _Choice) -> _Graph:
    """The locals that are needed, the last one defined first, and what they can be computed from; ``places`` grows on the way."""
    graph = _Graph()
    producers = _producers(level, choice.demands)
    while left := places.keys() - graph.weights.keys():
        name = max(left, key=lambda local: (producers.get(local, []), local))
        graph.weights[name] = nominal_bytes(choice.demands.arrays[name], level.end.loops)
        if _is_replayable(level, name, producers, choice):
            _add_operands(level, name, producers[name], places, graph, choice)
        else:
            graph.sources.add(name)
    return graph


def _producers(level: Level, demands: Demands) -> dict[str, list[int]]:
    """Local -> the positions of the nodes of the Block that write it, the last one first."""
    found: dict[str, list[int]] = {}
    for position, node in reversed(tuple(enumerate(level.forward.body))):
        for name in dict.fromkeys(memlet.array for inner in walk(node) for memlet in writes(inner)):
            if name in level.names:
                found.setdefault(name, []).append(position)
    return found


def _is_replayable(level: Level, name: str, producers: dict[str, list[int]], choice: _Choice) -> bool:
    """Whether the statements that write the local compute its last value again, which is the only one wanted."""
    demands = choice.demands
    places = producers.get(name, [])
    nodes = [level.forward.body[position] for position in places]
    if not places or demands.versions.buffers.members(name) != (name,) or not all(is_cheap(node, frozenset({name})) for node in nodes):
        return False
    if any(_reads_of(node, name) for node in level.forward.body[: places[0]] if node not in nodes):
        return False
    wants = [want for want in (*demands.wants, *choice.wants) if want.memlet.array == name]
    return name in demands.single or demands.versions.records(wants).keys() <= {level.end.key}


def _reads_of(node: Node, name: str) -> bool:
    return any(memlet.array == name for inner in walk(node) for memlet in reads(inner))


def _add_operands(level: Level, name: str, positions: list[int], places: dict[str, Place], graph: _Graph, choice: _Choice) -> None:
    """Edges from what the replay of a local reads; a source instead where something is gone by then."""
    demands, place = choice.demands, places[name]
    edges: list[str] = []
    wants: list[Want] = []
    outer: list[tuple[str, str]] = []
    for position in positions:
        replay = replay_of(level.forward.body[position], frozenset({name}))
        key = replay.operands[0][0] if replay.operands else level.end.key
        named = [(key, symbol) for symbol in sorted(replay.symbols & demands.local.keys())]
        edges += [operand for _, operand in named if operand in level.names]
        outer += [(operand, key) for key, operand in named if operand not in level.names]
        for key, memlet in replay.operands:
            edges += [memlet.array] if memlet.array in level.names else []
            outer += [(memlet.array, key)] if memlet.array in demands.local.keys() - level.names else []
            if memlet.array in demands.written - demands.single.keys():
                wants.append(Want(memlet, key, point=level.point(place)))
    records = _records_for(wants, level, choice)
    early = any(places.get(operand, place) < place for operand in edges if operand in graph.weights and operand != name)
    if records is None or early:
        graph.sources.add(name)
        return
    for operand in set(edges) - {name}:
        places[operand] = max(places.get(operand, place), place)
        graph.edges.append((operand, name))
    for key, weight in records.items():
        graph.weights[key] = weight
        graph.sources.add(key)
        graph.edges.append((key, name))
    graph.operands[name], graph.outer[name] = wants, outer


def _records_for(wants: list[Want], level: Level, choice: _Choice) -> dict[str, int] | None:
    """What must be stored for these wants and is not so anyway, with bytes: writes that record, by key, and arrays of Blocks further out,
    by name. None when one is overwritten before its point, or when what nothing else records has an address that needs a local."""
    found: dict[str, int] = {}
    for want in wants:
        stored = _stored_for(want, level, choice)
        if stored != {} and want.memlet.array in choice.demands.arguments and choice.demands.versions.is_entry(want):
            choice.entries.add((want.key, want.memlet))
        elif stored is None:
            return None
        else:
            found |= stored
    return found


def _stored_for(want: Want, level: Level, choice: _Choice) -> dict[str, int] | None:
    """``_records_for`` a single want that the arguments at entry do not meet."""
    demands, array = choice.demands, want.memlet.array
    if array in demands.local and len(demands.versions.buffers.members(array)) > 1:
        return None
    if not demands.versions.is_undisturbed(want):
        return None
    found: dict[str, int] = {}
    for key, instances in demands.versions.records([want]).items():
        if key == level.end.key or _is_recorded(want, key, instances, demands):
            continue
        statement = demands.versions.statements[key]
        named = {name for node in (statement.node, *statement.loops) for name in symbol_names(node)}
        if isinstance(statement.node, Block) and demands.local.get(array) == key:
            found[array] = nominal_bytes(demands.arrays[array], statement.loops) if array in choice.priced else 1
        elif isinstance(statement.node, Block) or named & demands.local.keys() - choice.symbols:
            return None
        else:
            found[key] = _record_bytes(statement)
    return found


def _is_recorded(want: Want, key: str, new: isl.Set | None, demands: Demands) -> bool:
    """Whether these instances of an overwrite record anyway; the end of a Block does so for each of its arrays apart."""
    array = want.memlet.array
    if key not in demands.records:
        return False
    if isinstance(demands.versions.statements[key].node, Block) and not demands.is_recorded_at_end(array):
        return False
    old = demands.recording(key, array)
    return old is None or (new is not None and within_limit(lambda: bool(new.is_subset(old)), otherwise=False))


def _follow(wanted: frozenset[str], cut: frozenset[str], places: dict[str, Place], graph: _Graph, choice: _Choice) -> None:
    """Put the cut into effect, from what is wanted back to what is stored."""
    todo, seen = sorted(wanted), set(wanted)
    while todo:
        name = todo.pop()
        choice.needed.add(name)
        if name in cut:
            if name in choice.demands.single or not choice.demands.arrays[name].dtype.is_float:
                choice.stored.add(name)  # what names a subset, and what one statement writes; of others only what a demand wants
            continue
        choice.replayed[name] = places[name]
        choice.wants += graph.operands[name]
        choice.outer += graph.outer[name]
        operands = {operand for operand, _ in graph.outer[name]}
        choice.needed |= operands
        choice.hoped |= operands - choice.demands.single.keys()
        for first, second in graph.edges:
            if second == name and first in places and first not in seen:
                seen.add(first)
                todo.append(first)


# ---------------------------------------------------------------- sizes


def nominal_bytes(array: Array, loops: tuple[Loop | While, ...] = ()) -> int:
    """The bytes of an array, in every trip of these loops, as they are compared."""
    return array.dtype.bytes * _product(array.shape) * _trips(loops)


def _record_bytes(statement: Statement) -> int:
    match statement.node:
        case Tasklet():
            return 8 * _trips(statement.loops)
        case node:
            extents = tuple(part.extent for memlet in writes(node) for part in memlet.subset if isinstance(part, Range))
            return 8 * _product(extents) * _trips(statement.loops)


def _product(extents: tuple[sympy.Expr, ...]) -> int:
    total = 1
    for extent in extents:
        total *= max(int(sympy.sympify(extent).xreplace(dict.fromkeys(extent.free_symbols, sympy.Integer(NOMINAL)))), 1)
    return total


def _trips(loops: tuple[Loop | While, ...]) -> int:
    return _product(tuple(loop.stop - loop.start if isinstance(loop, Loop) and loop.step > 0 else sympy.Integer(NOMINAL) for loop in loops))


# ---------------------------------------------------------------- the whole


def _replays(level: Level, choice: _Choice, number: int) -> list[tuple[Place, tuple[tuple[int, Node], ...]]]:
    """What computes the locals of a Block again: the places, each with (position of the original, node)."""
    producers = _producers(level, choice.demands)
    here = {name: place for name, place in choice.replayed.items() if name in level.names}
    found = []
    for place in sorted(set(here.values())):
        names = frozenset(name for name, where in here.items() if where == place)
        positions = sorted({position for name in names for position in producers[name]})
        nodes = []
        for position in positions:
            node = level.forward.body[position]
            written = frozenset(name for name in names if position in producers[name])
            mark = f"&{number}.{place[0]}{'+' if place[1] else ''}"
            replay = with_entries(replay_of(node, written), choice.entries)
            nodes.append((position, renamed(replay, choice.demands.names, mark)))
        found.append((place, tuple(nodes)))
    return found


def _with_records(choice: _Choice) -> Demands:
    """The demands with the records of what is not computed again, and of the operands of what is."""
    demands = choice.demands
    gone = choice.replayed.keys() | demands.single.keys()
    replayed = [want for want in choice.wants if (want.key, want.memlet) not in choice.entries]
    wants = dict.fromkeys((*demands.wants, *replayed))
    left = [want for want in wants if want not in demands.entries and want.memlet.array not in gone]
    return replace(demands, wants=tuple(wants), records=demands.versions.records(left))


def _stored(needed: set[str], choice: _Choice, demands: Demands) -> set[str]:
    """The arrays that the end of their Block records."""
    others = needed - choice.replayed.keys() - choice.stored
    return choice.stored | {name for name in others if name not in demands.single and demands.is_recorded_at_end(name)}


def _needed(reverse: Block, demands: Demands) -> set[str]:
    """The local arrays that the reverse sweep reads by demand, names in a subset or a bound, or restores."""
    found = set(_symbols(reverse, demands))
    for node in walk(reverse):
        found |= {demand.memlet.array for demand in demands_in(node)}
        found |= {memlet.array for memlet in reads(node)}
    for statement in (demands.versions.statements[key] for key in demands.records):
        found |= {memlet.array for memlet in writes(statement.node)}
    return found & demands.local.keys()


def _symbols(reverse: Block, demands: Demands) -> frozenset[str]:
    """The local scalars that name something in the reverse sweep: a subset, a bound, a shape, the address of a record."""
    found = {name for node in walk(reverse) for name in symbol_names(node)}
    for statement in (demands.versions.statements[key] for key in demands.records):
        found |= {name for node in (statement.node, *statement.loops) for name in symbol_names(node)}
    declared = [array for node in walk(reverse) if isinstance(node, Block) for array in node.arrays]
    declared += [demands.arrays[name] for name in demands.local]
    return frozenset((found | {item.name for array in declared for item in shape_symbols(array)}) & demands.local.keys())
