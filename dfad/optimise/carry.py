"""What one trip writes and the next one reads stays in a register.

In: any Program. Out: the same in which, for an innermost loop whose trip writes a cell that the next trip reads, the value is handed on
in a scalar: loaded once before the loop, then never read from memory again. The cell is still written in every trip. What stays true:
every value, bit for bit. What it does not do: values that skip a trip, loops in which another write may touch the cell in between,
and reads under a condition only: in the first trip their cell may not exist.
"""

from __future__ import annotations

from dataclasses import replace

from dfad.analysis.recurrences import Recurrence, recurrence_of
from dfad.analysis.shifts import Unmet
from dfad.ir.algebra import runs
from dfad.ir.memlet import Memlet
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Apply, Array, Block, Branch, Expression, Node, Program, Read, Tasklet
from dfad.ir.walk import certain_reads, map_node_expressions, reads, rewrite, rewrite_block, substitute, walk_expression


def carry_values(program: Program) -> Program:
    """The Program with the values of recurrences in scalars."""
    names = names_of(program)

    def carried(node: Node) -> Node:
        recurrence = recurrence_of(node)
        if recurrence is None:
            return node
        found = _find(recurrence)
        return node if found is None else _carry(recurrence, *found, names)

    body = rewrite_block(program.body, carried)
    return program if body is program.body else replace(program, body=body)


def _find(recurrence: Recurrence) -> tuple[int, Memlet] | None:
    """A statement, by its position, whose value the next trip reads, and the memlet that reads it, in the first trip too."""
    direct = [node for node in recurrence.loop.body.body if isinstance(node, Tasklet)]
    found = (
        (position, memlet)
        for position, writer in enumerate(recurrence.tasklets)
        if writer in direct and writer.write.array not in recurrence.own
        for reader in direct
        for memlet in certain_reads(reader.value)
        if recurrence.trips(writer.write, memlet) == 1
    )
    return next(((position, memlet) for position, memlet in found if _is_clear(recurrence, position, memlet)), None)


def _is_clear(recurrence: Recurrence, position: int, memlet: Memlet) -> bool:
    """Whether nothing else writes the cell between the write and the last read of it in the next trip."""
    last = max(number for number, node in enumerate(recurrence.tasklets) if memlet in reads(node))

    def comes_between(number: int, node: Tasklet) -> bool:
        trips = recurrence.trips(node.write, memlet)
        if isinstance(trips, Unmet):
            return trips is Unmet.UNKNOWN
        return (trips == 1 and number > position) or (trips == 0 and number < last)

    return not any(comes_between(number, node) for number, node in enumerate(recurrence.tasklets) if number != position)


def _carry(recurrence: Recurrence, position: int, memlet: Memlet, names: Names) -> Node:
    loop, writer = recurrence.loop, recurrence.tasklets[position]
    source = next(part.dtype for node in recurrence.tasklets for part in walk_expression(node.value) if _is_read_of(part, memlet))
    carry, fresh = Array(names.fresh(f"{memlet.array}_carry"), source), Array(names.fresh(f"{memlet.array}_next"), source)
    value = writer.value
    if writer.accumulate:
        value = Apply("add", (Read(writer.write, source), value), writer.value.dtype)

    def replaced(part: Expression) -> Expression:
        return Read(Memlet(carry.name), source) if _is_read_of(part, memlet) else part

    body: list[Node] = []
    for node in loop.body.body:
        if node is writer:
            plain = replace(writer, value=value, accumulate=False, reassociable=False)
            body.append(map_node_expressions(replace(plain, write=Memlet(fresh.name), key=f"{writer.key}'{fresh.name}"), replaced))
            body.append(replace(plain, value=Read(Memlet(fresh.name), source)))
        else:
            body.append(rewrite(node, lambda inner: map_node_expressions(inner, replaced)))
    body.append(Tasklet(Memlet(carry.name), Read(Memlet(fresh.name), source), writer.where, f"{writer.key}'{carry.name}"))
    first = memlet.map_indices(substitute({loop.index: loop.start}))
    head = Tasklet(Memlet(carry.name), Read(first, source), writer.where, f"{loop.key}'{carry.name}")
    inner = replace(loop, body=Block((*loop.body.arrays, fresh), tuple(body)))
    return Branch(runs(loop), Block((carry,), (head, inner)), Block((), ()), loop.where, f"{loop.key}''{carry.name}")


def _is_read_of(part: Expression, memlet: Memlet) -> bool:
    """Whether the expression is a read of that very element."""
    return isinstance(part, Read) and part.memlet == memlet
