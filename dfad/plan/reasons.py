"""Why values are recorded: for each tape the write that overwrites what it holds, and the reads that demand it.

In: the slots that were made (record.py), what the reverse sweep demands, and the reverse sweep with its demands met. Out: a `Reason` for
each tape, and one for each array that the reverse sweep finds as the forward sweep left it. It decides nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from dfad.analysis.statements import Statement
from dfad.analysis.versions import Want
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Array, Block
from dfad.ir.show import show_memlet
from dfad.ir.walk import first_location, reads, shape_symbols, symbol_names, walk
from dfad.plan.locals import Locals

HEAD = "recorded:"
"""What the list of reasons begins with, on a line of its own."""

NOTHING = f"{HEAD} nothing"


@dataclass(frozen=True, slots=True)
class Slot:
    """A tape and the cells of ``write`` that it keeps before the statement overwrites them."""

    tape: Array
    statement: Statement
    write: Memlet


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an array holds bytes between the sweeps.

    Attributes
    ----------
    array : str
        The tape, or the array that is kept as it is.
    value : str
        What it holds, as the kernel would index it; a generated name where the source has none.
    overwrite : str
        The statement that overwrites it, with its line; empty where nothing does.
    reads : tuple of str
        The reads that demand it, each with its line.
    """

    array: str
    value: str
    overwrite: str
    reads: tuple[str, ...]

    def __str__(self) -> str:
        read = f"read by {', '.join(self.reads)}" if self.reads else "read by nothing that is left"
        return f"{self.array} keeps {self.value}: {read}; {self.overwrite or 'nothing overwrites that'}"


def reasons_of(slots: Sequence[Slot], found: Locals, reverse: Block) -> tuple[Reason, ...]:
    """The reasons of all tapes, in the order of the text, and of the arrays that stay as they are.

    Parameters
    ----------
    slots : sequence of Slot
    found : Locals
        How the demands are met.
    reverse : Block
        The PLANNED reverse sweep.
    """
    wants: dict[str, list[Want]] = {}
    for want in found.demands.wants:
        wants.setdefault(want.memlet.array, []).append(want)
    taped = (_of_slot(slot, found, reverse) for slot in slots)
    tapes = {slot.write.array: f"what is overwritten is in {slot.tape.name}" for slot in reversed(slots)}
    whole = wants.keys() - found.demands.local.keys()
    left = (Reason(name, name, tapes.get(name, ""), _told(wants[name], found)) for name in whole)
    return (*taped, *sorted(left, key=lambda reason: reason.array))


def tell(reasons: Iterable[Reason], kept: Collection[str]) -> str:
    """The reasons of the arrays that a compiled gradient keeps, a line each."""
    lines = [f"    {reason}" for reason in reasons if reason.array in kept]
    return "\n".join([HEAD, *lines]) if lines else NOTHING


def _of_slot(slot: Slot, found: Locals, reverse: Block) -> Reason:
    demands, key, name = found.demands, slot.statement.key, slot.write.array
    if demands.local.get(name) == key:
        return Reason(slot.tape.name, name, _end_of_trip(slot.statement), _readers(found.again[name], name, reverse))
    wants = [want for want in demands.wants if want not in demands.entries and key in demands.versions.records([want])]
    where = _statement_line(slot.statement)
    return Reason(slot.tape.name, show_memlet(slot.write), f"overwritten in {where}", _told(wants, found))


def _told(wants: Iterable[Want], found: Locals) -> tuple[str, ...]:
    """The reads behind some wants, each once."""
    return tuple(dict.fromkeys(_read(want, _statement_line(found.demands.versions.statements[want.key])) for want in wants))


def _read(want: Want, line: str) -> str:
    if want.after:
        return f"{show_memlet(want.memlet)} as {line} left it"
    return f"{show_memlet(want.memlet)} in {line}{'' if want.point is None else ', which runs again'}"


def _statement_line(statement: Statement) -> str:
    where = first_location(statement.node)
    return "a block without statements" if where is None else f"line {where.line}"


def _end_of_trip(end: Statement) -> str:
    """What overwrites an array of an inner Block."""
    return f"each trip of line {end.loops[-1].where.line} makes a new one" if end.loops else "its branch ends"


def _readers(twin: str, name: str, reverse: Block) -> tuple[str, ...]:
    """The statements whose reverse reads the twin of an array of an inner Block or names it in a subset or a bound, and the arrays that
    have it for an extent."""
    found: dict[str, None] = {}
    for node in walk(reverse):
        match node:
            case Block():
                sized = (array.name for array in node.arrays if any(item.name == twin for item in shape_symbols(array)))
                found |= dict.fromkeys(f"{name} in the shape of {array}" for array in sized)
            case _ if twin in symbol_names(node) or any(memlet.array == twin for memlet in reads(node)):
                found[f"{name} in line {node.where.line}"] = None
    return tuple(found)
