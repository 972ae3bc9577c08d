"""Scalars of loop bodies: recomputed in the reverse sweep where that is free, else stored.

A scalar that one statement of an inner Block writes is computed again at the head of the reverse of that Block when nothing that its
statement reads is overwritten later in the same instance of the Block, and when the records that hold its operands are made anyway, or
are fewer than the scalars of the Block that they spare. Its operands are then demands of their own, at the end of the Block. Any other
scalar that the reverse needs is stored at the end of its Block.
"""

from __future__ import annotations

import islpy as isl

from dfad.analysis.versions import Want
from dfad.ir.nodes import Block, Demand, Tasklet
from dfad.ir.walk import expressions, reads, symbol_names, walk, walk_expression, writes
from dfad.plan.demands import Demands


def decide_scalars(reverse: Block, demands: Demands) -> None:
    """Recompute or store each scalar of an inner Block that the reverse sweep needs; the last one defined first."""
    _share_records(_needed(reverse, demands), demands)
    needed = _needed(reverse, demands)
    order = sorted(demands.single, key=lambda name: demands.versions.statements[demands.single[name].key].order, reverse=True)
    for name in order:
        if name not in needed:
            continue
        definition = demands.single[name]
        if _is_free(definition, demands.local[name], demands):
            demands.recomputed.add(name)
            needed |= {memlet.array for memlet in reads(definition)} | symbol_names(definition)
        else:
            demands.stored.add(name)
    exchanged = {member for name in needed & demands.local.keys() for member in demands.versions.buffers.members(name)}
    for name in sorted((needed | exchanged) & demands.local.keys()):
        demands.again[name] = demands.names.fresh(f"{name}_again")


def _share_records(needed: set[str], demands: Demands) -> None:
    """Record the operands of a Block's scalars where that takes fewer values than the scalars themselves."""
    for end in dict.fromkeys(demands.local.values()):
        names = [name for name in demands.single if name in needed and demands.local[name] == end]
        stored = [name for name in names if not _is_free(demands.single[name], end, demands)]
        new = _records_of(stored, end, demands) if len(stored) > 1 else None
        if new is not None and len(new) < len(stored):
            for key, instances in new.items():
                old = demands.records.get(key, instances)
                demands.records[key] = None if old is None or instances is None else old.union(instances).coalesce()


def _records_of(names: list[str], end: str, demands: Demands) -> dict[str, isl.Set | None] | None:
    """The records, beside those made anyway, without which the scalars cannot be recomputed; None where that is impossible or dear."""
    found: dict[str, isl.Set | None] = {}
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
                    old = found.get(key, instances)
                    found[key] = None if old is None or instances is None else old.union(instances)
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


_ABSENT = "absent"


def _is_recorded(want: Want, key: str, new: isl.Set | None, demands: Demands) -> bool:
    """Whether these instances of an overwrite record anyway; the end of a Block does so for each of its arrays apart."""
    if isinstance(demands.versions.statements[key].node, Block) and not demands.is_stored_at_end(want.memlet.array):
        return False
    old = demands.recording(key, want.memlet.array) if key in demands.records else _ABSENT
    if old is None:
        return True
    return not isinstance(old, str) and new is not None and bool(new.is_subset(old))


def _needed(reverse: Block, demands: Demands) -> set[str]:
    """The local arrays that the reverse sweep reads by demand, names in a subset or a bound, or restores."""
    found: set[str] = set()
    for node in walk(reverse):
        found |= symbol_names(node)
        found |= {part.memlet.array for value in expressions(node) for part in walk_expression(value) if isinstance(part, Demand)}
        found |= {memlet.array for memlet in reads(node)}
    for key in demands.records:
        found |= symbol_names(demands.versions.statements[key].node)
        found |= {memlet.array for memlet in writes(demands.versions.statements[key].node)}
        for loop in demands.versions.statements[key].loops:
            found |= symbol_names(loop)
    return found & demands.local.keys()
