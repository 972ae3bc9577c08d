"""What one trip writes and the next one reads stays in a register.

In: any Program. Out: the same in which, for an innermost loop whose trip writes a cell that the next trip reads, the value is handed on
in a scalar: loaded once before the loop, then never read from memory again. The cell is still written in every trip. What stays true:
every value, bit for bit. What it does not do: values that skip a trip, or loops in which another write may touch the cell in between.
"""

from __future__ import annotations

from dataclasses import replace

from dfad.analysis.recurrences import Recurrence, is_read_of, recurrence_of
from dfad.ir.dtype import BOOL
from dfad.ir.memlet import Memlet
from dfad.ir.names import Names
from dfad.ir.nodes import Apply, Array, Block, Branch, Expression, Integer, Loop, Node, Program, Read, Tasklet
from dfad.ir.walk import all_arrays, map_node_expressions, reads, rewrite_block, substitute, walk, walk_expression


def carry_values(program: Program) -> Program:
    """The Program with the values of recurrences in scalars."""
    taken = set(all_arrays(program)) | {node.index.name for node in walk(program.body) if isinstance(node, Loop)}
    names = Names(taken | {entry.symbol.name for entry in program.symbols})

    def carried(node: Node) -> Node:
        recurrence = recurrence_of(node)
        if recurrence is None:
            return node
        found = _find(recurrence)
        return node if found is None else _carry(recurrence, *found, names)

    body = rewrite_block(program.body, carried)
    return program if body is program.body else replace(program, body=body)


def _find(recurrence: Recurrence) -> tuple[int, Memlet] | None:
    """A statement, by its position, whose value the next trip reads, and the memlet that reads it."""
    for position, writer in enumerate(recurrence.tasklets):
        if writer.write.array in recurrence.own or not any(node is writer for node in recurrence.loop.body.body):
            continue
        for reader in recurrence.tasklets:
            for memlet in reads(reader):
                is_next = recurrence.gap(writer.write, memlet) == (recurrence.loop.step,)
                if is_next and _is_clear(recurrence, position, memlet):
                    return position, memlet
    return None


def _is_clear(recurrence: Recurrence, position: int, memlet: Memlet) -> bool:
    """Whether nothing else writes the cell between the write and the last read of it in the next trip."""
    last = max(number for number, node in enumerate(recurrence.tasklets) if memlet in reads(node))
    for number, node in enumerate(recurrence.tasklets):
        gap = recurrence.gap(node.write, memlet)
        if number == position or gap == "never":
            continue
        if gap == "unknown":
            return False
        assert not isinstance(gap, str)
        trips = gap[0] * recurrence.loop.step
        if (trips == 1 and number > position) or (trips == 0 and number < last):
            return False
    return True


def _carry(recurrence: Recurrence, position: int, memlet: Memlet, names: Names) -> Node:
    loop, writer = recurrence.loop, recurrence.tasklets[position]
    dtype = writer.value.dtype
    source = next(part.dtype for node in recurrence.tasklets for part in walk_expression(node.value) if is_read_of(part, memlet))
    carry, fresh = Array(names.fresh(f"{memlet.array}_carry"), source), Array(names.fresh(f"{memlet.array}_next"), source)
    value = writer.value
    if writer.accumulate:
        value = Apply("add", (Read(writer.write, source), value), dtype)

    def replaced(part: Expression) -> Expression:
        return Read(Memlet(carry.name), source) if is_read_of(part, memlet) else part

    body: list[Node] = []
    for node in loop.body.body:
        if node is writer:
            plain = replace(writer, value=value, accumulate=False, reassociable=False)
            body.append(map_node_expressions(replace(plain, write=Memlet(fresh.name), key=f"{writer.key}'"), replaced))
            body.append(replace(plain, value=Read(Memlet(fresh.name), source)))
        elif isinstance(node, Branch):
            body.append(replace(node, then=Block((), tuple(map_node_expressions(inner, replaced) for inner in node.then.body))))
        else:
            body.append(map_node_expressions(node, replaced))
    body.append(Tasklet(Memlet(carry.name), Read(Memlet(fresh.name), source), writer.where, f"{writer.key}''"))
    first = memlet.map_indices(substitute({loop.index: loop.start}))
    head = Tasklet(Memlet(carry.name), Read(first, source), writer.where, f"{loop.key}'")
    inner = replace(loop, body=Block((*loop.body.arrays, fresh), tuple(body)))
    sign = "lt" if loop.step > 0 else "gt"
    guard = Apply(sign, (Integer(loop.start), Integer(loop.stop)), BOOL)
    return Branch(guard, Block((carry,), (head, inner)), Block((), ()), loop.where, f"{loop.key}''")
