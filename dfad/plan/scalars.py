"""Scalars of loop bodies: recomputed in the reverse sweep where that is free, else stored.

A scalar that one statement of an inner Block writes is computed again at the head of the reverse of that Block when nothing that its
statement reads is overwritten later in the same instance of the Block, and when the records that hold its operands are made anyway, or
are fewer than the scalars of the Block that they spare. Its operands are then demands of their own, at the end of the Block. Any other
scalar that the reverse needs is stored at the end of its Block.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import islpy as isl

from dfad.analysis.versions import Want, union
from dfad.ir.nodes import Block, Tasklet
from dfad.ir.walk import reads, shape_symbols, symbol_names, walk, writes
from dfad.plan.demands import Demands, Records, demands_in


@dataclass(frozen=True, slots=True)
class Locals:
    """How the arrays of inner Blocks come back in the reverse sweep.

    Attributes
    ----------
    demands : Demands
        With the records that recomputed scalars add.
    again : dict
        Array of an inner Block that the reverse sweep needs -> its name there.
    recomputed, stored : frozenset of str
        The scalars that one statement writes, by how they come back.
    """

    demands: Demands
    again: dict[str, str]
    recomputed: frozenset[str]
    stored: frozenset[str]

    def is_stored(self, name: str) -> bool:
        """Whether the end of its Block records the array."""
        return name in self.stored if name in self.demands.single else self.demands.is_recorded_at_end(name)


def decide_scalars(reverse: Block, demands: Demands) -> Locals:
    """Recompute or store each scalar of an inner Block that the reverse sweep needs; the last one defined first."""
    demands = _sharing_records(_needed(reverse, demands), demands)
    needed = _needed(reverse, demands)
    recomputed: set[str] = set()
    stored: set[str] = set()
    order = sorted(demands.single, key=lambda name: demands.versions.statements[demands.single[name].key].order, reverse=True)
    for name in order:
        if name not in needed:
            continue
        definition = demands.single[name]
        if _is_free(definition, demands.local[name], demands):
            recomputed.add(name)
            needed |= {memlet.array for memlet in reads(definition)} | symbol_names(definition)
        else:
            stored.add(name)
    exchanged = {member for name in needed & demands.local.keys() for member in demands.versions.buffers.members(name)}
    again = {name: demands.names.fresh(f"{name}_again") for name in sorted((needed | exchanged) & demands.local.keys())}
    return Locals(demands, again, frozenset(recomputed), frozenset(stored))


def _sharing_records(needed: set[str], demands: Demands) -> Demands:
    """The demands with records of the operands of a Block's scalars where that takes fewer values than the scalars themselves."""
    for end in dict.fromkeys(demands.local.values()):
        names = [name for name in demands.single if name in needed and demands.local[name] == end]
        stored = [name for name in names if not _is_free(demands.single[name], end, demands)]
        new = _records_of(stored, end, demands) if len(stored) > 1 else None
        if new is not None and len(new) < len(stored):
            demands = replace(demands, records=_joined(demands.records, new))
    return demands


def _joined(first: Records, second: Records) -> Records:
    """The records of both."""
    found = dict(first)
    for key, instances in second.items():
        found[key] = union(found[key], instances) if key in found else instances
    return found


def _records_of(names: list[str], end: str, demands: Demands) -> Records | None:
    """The records, beside those made anyway, without which the scalars cannot be recomputed; None where that is impossible or dear."""
    found: Records = {}
    depth = len(demands.versions.statements[end].loops)
    todo, seen = list(names), set(names)
    while todo:
        definition = demands.single[todo.pop()]
        inner = {memlet.array for memlet in reads(definition)} & demands.single.keys() - seen
        seen |= inner
        todo += sorted(inner)
        for want in _operands(definition, end, demands):
            if not demands.versions.is_undisturbed(want, end):
                return None
            for key, instances in demands.versions.records([want]).items():
                statement = demands.versions.statements[key]
                if isinstance(statement.node, Block) or len(statement.loops) > depth:
                    return None
                if not _is_recorded(want, key, instances, demands):
                    found = _joined(found, {key: instances})
    return found


def _operands(definition: Tasklet, end: str, demands: Demands) -> list[Want]:
    """What a recomputation at the end of the Block wants, but for scalars that are recomputed or stored themselves."""
    return [
        Want(memlet, definition.key, point=end)
        for memlet in reads(definition)
        if memlet.array not in demands.single and memlet.array in demands.written
    ]


def _is_free(definition: Tasklet, end: str, demands: Demands) -> bool:
    """Whether the scalar can be computed again at the end of its Block without a record that is not there anyway."""
    wants = _operands(definition, end, demands)
    if not all(demands.versions.is_undisturbed(want, end) for want in wants):
        return False
    return all(_is_recorded(want, key, instances, demands) for want in wants for key, instances in demands.versions.records([want]).items())


def _is_recorded(want: Want, key: str, new: isl.Set | None, demands: Demands) -> bool:
    """Whether these instances of an overwrite record anyway; the end of a Block does so for each of its arrays apart."""
    array = want.memlet.array
    if key not in demands.records:
        return False
    if isinstance(demands.versions.statements[key].node, Block) and not demands.is_recorded_at_end(array):
        return False
    old = demands.recording(key, array)
    return old is None or (new is not None and bool(new.is_subset(old)))


def _needed(reverse: Block, demands: Demands) -> set[str]:
    """The local arrays that the reverse sweep reads by demand, names in a subset, a bound or a shape, or restores."""
    found: set[str] = set()
    for node in walk(reverse):
        found |= symbol_names(node)
        found |= {demand.memlet.array for demand in demands_in(node)}
        found |= {memlet.array for memlet in reads(node)}
    for statement in (demands.versions.statements[key] for key in demands.records):
        found |= {memlet.array for memlet in writes(statement.node)}
        found |= {name for node in (statement.node, *statement.loops) for name in symbol_names(node)}
    declared = [array for node in walk(reverse) if isinstance(node, Block) for array in node.arrays]
    declared += [demands.arrays[name] for name in found & demands.local.keys()]
    return (found | {item.name for array in declared for item in shape_symbols(array)}) & demands.local.keys()
