"""To be recorded: which instances of which writes overwrite a demanded value before the reverse sweep reads it.

Definitions. A *want* asks for the value of a memlet as its reader saw it (``after``: as it left it), at a *reverse point*: the reverse of
the reader, or the reverse of the end of a Block. Let r be an instance of the reader placed at that point and c a cell that it wants.

1. w *overwrites* c for r when w writes c and w >= r in schedule order (w > r for ``after``): a statement overwrites its own operands.
   Statements on different sides of a Branch never run in one instance of the loops around it.
2. w *certainly* overwrites when its access is exact (the end of a Block ends whole arrays), and so is its domain but for loops and
   conditions that it shares with r, in the same instance of these; F(r, c) is the first certain overwrite.
3. w *records* when it overwrites c for some r and comes no later than F(r, c). Its old value, restored at its reverse, is what r wants.
4. Nothing overwrites: the want is met *in place*.

Sets that are too hard for isl within its operation limit get the conservative answer: every instance of every write of the array records.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import islpy as isl

from dfad.analysis.buffers import Buffers
from dfad.analysis.instances import Instances
from dfad.analysis.sets import Patience, Space
from dfad.analysis.statements import Statement, statements, written_cells
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Block, Exchange
from dfad.ir.walk import walk


@dataclass(frozen=True, slots=True)
class Point:
    """A moment in each instance of a Block, named by the key of its end: before the statement that has the number, or is the next."""

    end: str
    number: int


@dataclass(frozen=True, slots=True)
class Want:
    """The value of ``memlet`` at the statement ``key`` is wanted at the reverse of that statement, or at a point behind it in the same
    instance of a Block around it, for each instance of the statement there."""

    memlet: Memlet
    key: str
    after: bool = False
    point: Point | None = None


class Versions:
    """The overwrites of one forward sweep.

    Parameters
    ----------
    forward : Block
        The forward sweep.
    parameters : set of str
        Names of symbols that never change during the call.
    """

    def __init__(self, forward: Block, parameters: set[str]) -> None:
        self.statements = {statement.key: statement for statement in statements(forward)}
        self.space = Space(parameters | _constant_scalars(forward), _varying_scalars(forward))
        self.buffers = Buffers(self.statements.values())
        self._instances = Instances(self.space, self.buffers, self.statements.values())
        self._writers: dict[str, list[tuple[Statement, Memlet]]] = {}
        self._patience = Patience()
        self._found: dict[Want, dict[str, isl.Set | None]] = {}
        for statement in self.statements.values():
            for memlet in written_cells(statement):
                self._writers.setdefault(self.buffers.group(memlet.array), []).append((statement, memlet))
        self._exchanges: dict[str, list[Statement]] = {}
        for statement in self.statements.values():
            if isinstance(statement.node, Exchange):
                self._exchanges.setdefault(self.buffers.group(statement.node.first), []).append(statement)

    def records(self, wants: Iterable[Want]) -> dict[str, isl.Set | None]:
        """Key of the writing statement -> its instances that record; None stands for all of them."""
        found: dict[str, isl.Set | None] = {}
        for want in wants:
            if want not in self._found:
                self._found[want] = self._overwritten(want)
            for key, instances in self._found[want].items():
                found[key] = union(found[key], instances) if key in found else instances
        return found

    def is_undisturbed(self, want: Want) -> bool:
        """Whether nothing overwrites the wanted value between its reader and its point, in the same instance of the Block."""
        if want.point is None:
            return True
        block = self.statements[want.point.end]
        group = self.buffers.group(want.memlet.array)
        around = [writer for writer, _ in self._writers.get(group, [])] + self._exchanges.get(group, [])
        between = [other for other in around if other.loops[: len(block.loops)] == block.loops and self._lies_between(want, other)]
        return self._patience.ask(lambda: not any(self._disturbs(want, other, block) for other in between), otherwise=False)

    def _disturbs(self, want: Want, other: Statement, block: Statement) -> bool:
        """Whether a statement between the reader and its point writes the wanted cell, or moves it, in the same instance."""
        if isinstance(other.node, Exchange):
            return True
        reader = self.statements[want.key]
        meets = [self._meetings(reader, want.memlet, other, memlet) for memlet in written_cells(other)]
        same = self._instances.same(reader, other, len(block.loops))
        later = self._instances.schedule(reader).lex_lt_map(self._instances.schedule(other))
        return any(not meeting.intersect(same).intersect(later).is_empty() for meeting in meets)

    def _lies_between(self, want: Want, writer: Statement) -> bool:
        """Whether the writer runs between the reader and its point, or in one loop with the reader."""
        assert want.point is not None
        depth = len(self.statements[want.point.end].loops)
        return self.statements[want.key].order[depth] <= writer.order[depth] < want.point.number

    def is_entry(self, want: Want) -> bool:
        """Whether the wanted value is, in every instance, the one that the array had before any write."""
        if want.after:
            return False
        reader = self.statements[want.key]
        group = self.buffers.group(want.memlet.array)
        if group != want.memlet.array:
            return False
        writers = self._writers.get(group, [])
        return self._patience.ask(lambda: not any(self._may_precede(reader, want.memlet, *writer) for writer in writers), otherwise=False)

    def is_from(self, reader: Statement, read: Memlet, writers: Iterable[Statement], depth: int) -> bool:
        """Whether one of these statements has certainly written each cell that the reader reads before, in the same instance of the
        outermost ``depth`` loops. False where isl gives up."""
        return self._patience.ask(lambda: self._is_made(reader, read, writers, depth), otherwise=False)

    def _is_made(self, reader: Statement, read: Memlet, writers: Iterable[Statement], depth: int) -> bool:
        left, _ = self._instances.access(reader, read)
        for writer in writers:
            left = left.subtract(self._made(reader, read, writer, depth))
        return bool(left.is_empty())

    def _made(self, reader: Statement, read: Memlet, writer: Statement, depth: int) -> isl.Map:
        """Instance of the reader -> cells of the array it reads that the writer has certainly written before, in the same instance of the
        outermost loops."""
        earlier = self._instances.schedule(reader).lex_gt_map(self._instances.schedule(writer))
        earlier = earlier.intersect(self._instances.same(reader, writer, depth))
        together = self._instances.certain_together(writer, reader)
        cells, _ = self._instances.access(reader, read)
        found = isl.Map.empty(cells.get_space())
        for memlet in written_cells(writer):
            written, is_exact = self._instances.access(writer, memlet)
            if memlet.array == read.array and is_exact and together is not None and together <= depth:
                found = found.union(earlier.apply_range(written))
        return found

    def domain(self, statement: Statement) -> tuple[isl.Set, bool]:
        """The iteration domain of a statement, and whether it is exact."""
        return self._instances.domain(statement)

    def _may_precede(self, reader: Statement, read: Memlet, writer: Statement, write: Memlet) -> bool:
        if writer.order[0] > reader.order[0]:
            return False
        meets = self._meetings(reader, read, writer, write)
        earlier = self._instances.schedule(reader).lex_gt_map(self._instances.schedule(writer))
        return not meets.intersect(earlier).is_empty()

    def _meetings(self, reader: Statement, read: Memlet, writer: Statement, write: Memlet) -> isl.Map:
        """Instance of the reader -> instances of the writer that name a common cell."""
        wanted, _ = self._instances.access(reader, read)
        written, _ = self._instances.access(writer, write)
        return wanted.apply_range(written.reverse())

    def _overwritten(self, want: Want) -> dict[str, isl.Set | None]:
        writers = self._writers.get(self.buffers.group(want.memlet.array), [])
        if not writers:
            return {}
        everywhere: dict[str, isl.Set | None] = {writer.key: None for writer, _ in writers}
        return self._patience.ask(lambda: self._first_overwrites(want, writers), otherwise=everywhere)

    def _first_overwrites(self, want: Want, writers: list[tuple[Statement, Memlet]]) -> dict[str, isl.Set | None]:
        reader = self.statements[want.key]
        cells, _ = self._instances.access(reader, want.memlet)
        may: dict[str, tuple[Statement, isl.Map]] = {}
        certain: isl.Map | None = None
        for writer, memlet in writers:
            written, exact_access = self._instances.access(writer, memlet)
            together = self._instances.certain_together(writer, reader)
            order = self._instances.schedule(writer)
            later = cells.domain_map().apply_range(self._not_undone(want, order))
            meetings = cells.range_map().apply_range(written.reverse()).intersect(later)
            if (depth := self._instances.apart(reader, writer)) is not None:
                meetings = meetings.subtract(cells.domain_map().apply_range(self._instances.same(reader, writer, depth)))
            times = meetings.apply_range(order)
            if times.is_empty():
                continue
            known = may.get(writer.key)     # the end of a Block overwrites all arrays of a group
            may[writer.key] = (writer, times if known is None else known[1].union(times))
            if (exact_access or isinstance(writer.node, Block)) and together is not None:
                same = cells.domain_map().apply_range(self._instances.same(reader, writer, together))
                times = meetings.intersect(same).apply_range(order)
                certain = times if certain is None else certain.union(times)
        if certain is not None:
            first = certain.coalesce().lexmin().coalesce()
            until = first.apply_range(isl.Map.lex_ge(first.range().get_space()))
            may = {key: (writer, _no_later(times, first, until)) for key, (writer, times) in may.items()}
        return {key: self._instances_at(writer, times) for key, (writer, times) in may.items() if not times.is_empty()}

    def _not_undone(self, want: Want, order: isl.Map) -> isl.Map:
        """Instance of the reader -> instances of a writer, by its schedule, that the reverse sweep has undone when it wants the value."""
        reader = self.statements[want.key]
        if want.point is None:
            schedule = self._instances.schedule(reader)
            return schedule.lex_lt_map(order) if want.after else schedule.lex_le_map(order)
        depth = len(self.statements[want.point.end].loops)
        moment = self._instances.moment(reader, depth, want.point.number)
        return moment.lex_le_map(self._instances.outermost(order, depth))

    def _instances_at(self, writer: Statement, times: isl.Map) -> isl.Set:
        return times.range().apply(self._instances.schedule(writer).reverse()).coalesce()


def union(first: isl.Set | None, second: isl.Set | None) -> isl.Set | None:
    """The instances of both; None, all of them, swallows everything."""
    return None if first is None or second is None else first.union(second).coalesce()


def _no_later(times: isl.Map, first: isl.Map, until: isl.Map) -> isl.Map:
    """The times of those that have no first certain time, and the times that come no later than that: ``until``."""
    return times.subtract_domain(first.domain()).union(times.intersect(until)).coalesce()


def _scalar_names(block: Block) -> set[str]:
    return {array.name for array in block.arrays if array.rank == 0 and array.dtype.kind == "i"}


def _constant_scalars(forward: Block) -> set[str]:
    """Integer scalars of the outermost Block: written once in a call, so their value never changes once it is there."""
    return _scalar_names(forward)


def _varying_scalars(forward: Block) -> set[str]:
    inner = (node for node in walk(forward) if isinstance(node, Block) and node is not forward)
    return {name for block in inner for name in _scalar_names(block)}
