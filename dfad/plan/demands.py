"""What the reverse sweep of one Program demands, and which writes record for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import islpy as isl

from dfad.analysis.versions import Versions, Want
from dfad.errors import CompilerBug
from dfad.ir.memlet import Memlet
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Array, Block, Demand, Library, Node, Program, Role, Tasklet
from dfad.ir.walk import all_arrays, changed_arrays, expressions, walk, walk_expression, writes

Records = dict[str, isl.Set | None]
"""Key of a write -> the instances that record; None for all."""


ENTRY = "@entry"
"""Mark of a name that stands for the argument itself, not its working copy; gone in a PLANNED Program."""


def at_entry(memlet: Memlet) -> Memlet:
    """The memlet of the argument itself."""
    return replace(memlet, array=memlet.array + ENTRY)


@dataclass(frozen=True, slots=True)
class Demands:
    """What is known of the demands of one Program.

    Attributes
    ----------
    arrays, names
        Of the Program.
    versions : Versions
        The overwrites of its forward sweep.
    written, arguments : frozenset of str
        The arrays that the forward sweep writes or exchanges, and the arguments among them.
    local : dict
        Array of an inner Block -> the key of that Block's end.
    single : dict
        Scalar of an inner Block -> the one statement that writes it.
    wants : tuple of Want
        What the demands want; ``entries`` are those that are met by the arguments at entry.
    records : Records
        For all other wants but those of ``single``, and the arrays of inner Blocks together.
    """

    arrays: dict[str, Array]
    versions: Versions
    names: Names
    written: frozenset[str]
    arguments: frozenset[str]
    local: dict[str, str]
    single: dict[str, Tasklet]
    wants: tuple[Want, ...] = ()
    entries: frozenset[Want] = frozenset()
    records: Records = field(default_factory=dict)

    def is_recorded_at_end(self, name: str) -> bool:
        """Whether the end of its Block, an overwrite of a local array, records it; of exchanged arrays all are, or none."""
        return self.local[name] in self.versions.records(self._wants_of(name))

    def recording(self, key: str, name: str) -> isl.Set | None:
        """The instances of an overwrite that record the array, all for None; the end of a Block has some for each of its arrays."""
        if self.local.get(name) != key:
            return self.records.get(key)
        if name in self.single:
            return None
        return self.versions.records(self._wants_of(name)).get(key)

    def _wants_of(self, name: str) -> list[Want]:
        """The wants of an array and of those exchanged with it."""
        members = self.versions.buffers.members(name)
        return [want for want in self.wants if want.memlet.array in members and want not in self.entries]


def sweeps(program: Program) -> tuple[Block, Block]:
    """The forward and the reverse Block of an ADJOINT or PLANNED Program."""
    match program.body.body:
        case (Block() as forward, Block() as reverse):
            return forward, reverse
        case _:
            raise CompilerBug("an ADJOINT Program has a forward and a reverse Block")


def collect(reverse: Block, demands: Demands) -> Demands:
    """What a reverse sweep wants and the writes that record for it; the scalars of inner Blocks are left to plan/locals.py."""
    wants = tuple(dict.fromkeys(_wants(reverse, demands)))
    entries = frozenset(want for want in wants if is_met_at_entry(want, demands))
    left = [want for want in wants if want not in entries and want.memlet.array not in demands.single]
    return replace(demands, wants=wants, entries=entries, records=demands.versions.records(left))


def is_met_at_entry(want: Want, demands: Demands) -> bool:
    """Whether a wanted value that is overwritten later is the argument's at entry."""
    array, versions = want.memlet.array, demands.versions
    if array not in demands.arguments or len(_reads_of(array, versions.statements[want.key].node)) > 1:
        return False
    return bool(versions.records([want])) and versions.is_entry(want)


def prepare(program: Program) -> Demands:
    """What is known of an ADJOINT Program before its demands are looked at."""
    forward, _ = sweeps(program)
    arrays = all_arrays(program)
    parameters = {entry.symbol.name for entry in program.symbols}
    outer = {array.name for array in program.body.arrays if array.rank == 0 and array.dtype.kind == "i"}
    versions = Versions(forward, parameters | outer)
    written = changed_arrays(forward)
    arguments = frozenset(array.name for array in program.parameters if array.role == Role.ARGUMENT)
    local, single = _locals(forward, versions)
    return Demands(arrays, versions, names_of(program), written, arguments & written, local, single)


def _locals(forward: Block, versions: Versions) -> tuple[dict[str, str], dict[str, Tasklet]]:
    """The arrays of inner Blocks with the keys of their ends, and the scalars among them that one plain statement writes."""
    counts = Counter(memlet.array for node in walk(forward) for memlet in writes(node))
    ends = [statement for statement in versions.statements.values() if isinstance(statement.node, Block) and statement.node is not forward]
    local: dict[str, str] = {}
    single: dict[str, Tasklet] = {}
    for end in ends:
        assert isinstance(end.node, Block)
        local |= {array.name: end.key for array in end.node.arrays}
        single |= _single(end.node, counts)
    return local, single


def _single(block: Block, counts: Counter[str]) -> dict[str, Tasklet]:
    """The scalars of a Block that one statement, standing directly in it, writes as a whole."""
    scalars = {array.name for array in block.arrays if array.rank == 0 and counts[array.name] == 1}
    return {
        node.write.array: node for node in block.body if isinstance(node, Tasklet) and not node.accumulate and node.write.array in scalars
    }


def _wants(reverse: Block, demands: Demands) -> Iterator[Want]:
    """Every demand of the reverse sweep; a demand of a Library operation is for its whole subset."""
    for node in walk(reverse):
        for demand in demands_in(node):
            yield from wants_of(demand, demands)
        if isinstance(node, Library) and "demands" in dict(node.attributes):
            key = str(node.attribute("demands"))
            yield from (Want(memlet, key) for memlet in node.reads if memlet.array in demands.written)


def demands_in(node: Node) -> Iterator[Demand]:
    """The Demands in what the node itself evaluates."""
    parts = (part for expression in expressions(node) for part in walk_expression(expression))
    return (part for part in parts if isinstance(part, Demand))


def wants_of(demand: Demand, demands: Demands) -> tuple[Want, ...]:
    """What a Demand wants; an element that a Library operation saw stands for the whole of each operand in that array."""
    statement = demands.versions.statements[demand.key].node
    if not isinstance(statement, Library):
        return (Want(demand.memlet, demand.key, demand.after),)
    whole = (statement.write,) if demand.after else _reads_of(demand.memlet.array, statement)
    return tuple(Want(memlet, demand.key, demand.after) for memlet in whole)


def _reads_of(array: str, node: Node) -> tuple[Memlet, ...]:
    """The different subsets of the array that a Library operation reads; none for other nodes."""
    reads = node.reads if isinstance(node, Library) else ()
    return tuple(dict.fromkeys(memlet for memlet in reads if memlet.array == array))
