"""The unlimited plan: slots for what the analysis leaves open.

In: an ADJOINT Program (adjoint/reverse.py). Out: a PLANNED one. Each demand is met *in place* where no write overwrites it before its
reverse point; from the *entry value* where it is still the argument's; by *restoring* what the first overwriting write recorded; and, for a
scalar of a loop body, by *recomputing* it where that needs no further record, else from a slot of its own. What stays true: every demand
gets the value that it names. What it does not do: weigh bytes against seconds (plan/ilp.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import sympy

from dfad.adjoint.nests import element, nest
from dfad.analysis.equalities import Facts
from dfad.analysis.statements import Statement
from dfad.errors import CompilerBug
from dfad.ir.algebra import cast
from dfad.ir.dtype import I64, Dtype
from dfad.ir.memlet import Memlet, Range, symbol
from dfad.ir.nodes import (
    Array,
    Block,
    Branch,
    Constant,
    Demand,
    Exchange,
    Expression,
    Library,
    Loop,
    Node,
    Program,
    Read,
    Role,
    Stage,
    Tasklet,
    While,
)
from dfad.ir.walk import (
    changed_arrays,
    first_location,
    map_node_expressions,
    map_symbols,
    reads,
    rename_arrays,
    rewrite,
    rewrite_block,
    substitute,
    symbol_names,
    walk,
    writes,
)
from dfad.plan.decide import decide
from dfad.plan.demands import ENTRY, Demands, at_entry, sweeps, wants_of
from dfad.plan.filled import check_filled
from dfad.plan.first import found_first, later_trips, put_back
from dfad.plan.locals import Locals
from dfad.plan.reasons import Reason, Slot, reasons_of
from dfad.plan.rows import Rows, row_of, rows_named, rows_of
from dfad.plan.tape import Box, box_of
from dfad.plan.widened import widened
from dfad.source import Location


def record(program: Program) -> Program:
    """The PLANNED form of an ADJOINT Program.

    Returns
    -------
    Program
        PLANNED: no Demand is left, and no argument is written: the sweeps work on copies of role COPY. A result that was an argument
        is such a copy now, and no result any more.
    """
    return record_with_reasons(program)[0]


def record_with_reasons(program: Program) -> tuple[Program, tuple[Reason, ...]]:
    """The same, with the reason of each tape and of each array that the reverse sweep finds as it was left."""
    decided = decide(program)
    found, (forward, _) = decided.found, sweeps(decided.program)
    merge = _Merge(found, decided.facts, widened(forward, found.demands.arrays))
    forward, reverse = merge.block(forward, decided.reverse)
    parameters = {entry.symbol.name for entry in program.symbols}
    reverse = check_filled(forward, _meet(reverse, found), frozenset(found.again.values()), parameters)
    return _with_copies(program, forward, reverse, found.demands, merge), reasons_of(merge.slots, found, reverse)


class _Merge:
    """Walks the two sweeps side by side and puts records into one, restores into the other.

    On the way ``slots`` and ``counters`` get more, and ``rows``: by the key of their loop, then by the condition under which it has any.
    """

    def __init__(self, found: Locals, facts: Mapping[str, Facts], small: Mapping[str, Dtype]) -> None:
        self.locals, self.demands, self.facts, self.small = found, found.demands, facts, small
        self.slots: list[Slot] = []
        self.counters: list[Array] = []
        self.rows: dict[str, dict[Expression | None, Rows]] = {}

    def block(self, forward: Block, reverse: Block) -> tuple[Block, Block]:
        """Both sweeps of one Block; ``reverse`` mirrors ``forward`` behind its prelude."""
        prelude, *mirrored = reverse.body
        ahead: list[Node] = []
        back: list[Node] = []
        for node, mirror in zip(forward.body, reversed(mirrored), strict=True):
            there, returning = self.node(node, mirror)
            ahead += there
            back += [returning, *reversed(self.locals.before.get(node, ()))]
        arrays, heads, tails = self.local_arrays(forward)
        return (
            replace(forward, body=(*ahead, *tails)),
            replace(reverse, arrays=(*reverse.arrays, *arrays), body=(prelude, *heads, *reversed(back))),
        )

    def node(self, node: Node, mirror: Node) -> tuple[tuple[Node, ...], Node]:
        match node, mirror:
            case Block(), Block():
                ahead, back = self.block(node, mirror)
                return (ahead,), back
            case Loop(), Loop():
                ahead, back = self.block(node.body, mirror.body)
                return self.counted(replace(node, body=ahead), replace(mirror, body=back))
            case While(), Loop():
                ahead, back = self.block(node.body, mirror.body)
                ahead, back = self.counted_inside(node, ahead, back)
                return (replace(node, body=ahead),), replace(mirror, body=back)
            case Branch(), Branch():
                then, then_back = self.block(node.then, mirror.then)
                orelse, orelse_back = self.block(node.orelse, mirror.orelse)
                return (replace(node, then=then, orelse=orelse),), replace(mirror, then=then_back, orelse=orelse_back)
            case ((Tasklet() | Library()), Block()):
                return self.leaf(node, mirror)
            case Exchange(), Block() if node.first in self.locals.again:
                again = replace(node, key=f"~{node.key}<")
                return (node,), replace(mirror, body=(*mirror.body, again))
            case _, Block():
                return (node,), mirror
            case _:
                raise CompilerBug(f"the sweeps do not mirror each other at {node!r}")

    def leaf(self, node: Tasklet | Library, mirror: Block) -> tuple[tuple[Node, ...], Node]:
        """A write that records keeps the old value in front of itself; its reverse begins with the restore."""
        again = self.locals.inside.get(node, ())
        if node.key not in self.demands.records:
            return (node,), replace(mirror, body=(*again, *mirror.body))
        statement = self.demands.versions.statements[node.key]
        record, restore = self.slot(statement, node.write, node.key)
        if isinstance(node, Library):
            # What it read and what it wrote do not overlap, so the restore may wait until the result has been read.
            return (*record, node), replace(mirror, body=(*mirror.body, *restore))
        captured, mirror = _capture(mirror, self.demands)
        return (*record, node), replace(mirror, body=(*captured, *restore, *again, *mirror.body))

    def slot(self, statement: Statement, write: Memlet, key: str, target: str | None = None) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """The Record and the Restore of what the statement overwrites in ``write``; ``target``: the array that the Restore fills."""
        versions, array = self.demands.versions, self.demands.arrays[write.array]
        domain, _ = versions.domain(statement)
        instances = self.demands.recording(statement.key, write.array)
        first = found_first(statement, write, self.facts)
        if first is not None:
            instances = later_trips(domain if instances is None else instances, statement.loops[-1])
        box = box_of(statement, write, instances, domain, versions.space)
        where, rows = _where(statement.node), self.rows_of(box, write, _where(statement.node), key)
        shape = box.shape if rows is None else (sympy.oo, *box.shape)
        dtype = self.small.get(array.name, array.dtype)
        tape = Array(self.demands.names.fresh(f"{write.array}_tape"), dtype, shape, Role.TAPE)
        self.slots.append(Slot(tape, statement, write))
        index = _index_of(box, write, rows)

        def record(cell: tuple[sympy.Expr, ...]) -> tuple[Node, ...]:
            place = Memlet(tape.name, index(cell, False))
            value = cast(Read(element(write, cell), array.dtype), dtype)
            return (Tasklet(place, value, where, f"{key}>{tape.name}"),)

        def restore(cell: tuple[sympy.Expr, ...]) -> tuple[Node, ...]:
            source = cast(Read(Memlet(tape.name, index(cell, True)), dtype), array.dtype)
            place = element(write if target is None else Memlet(target, write.subset), cell)
            return (Tasklet(place, source, where, f"~{key}<{tape.name}"),)

        there = nest(write.ranges, record, self.demands.names, where, f"{key}>{tape.name}")
        back = nest(write.ranges, restore, self.demands.names, where, f"~{key}<{tape.name}")
        if rows is not None:
            rows.tapes.append(tape)
            if box.is_flat:
                there = (Block((rows.first,), (*rows.ahead, *there)),)
                back = (Block((rows.again,), (*rows.back, *back)),)
        if box.guard is not None:
            there = (Branch(box.guard, Block((), there), Block((), ()), where, f"{key}?{tape.name}"),)
            back = (Branch(box.guard, Block((), back), Block((), ()), where, f"~{key}?{tape.name}"),)
        return there, back if first is None else (*back, put_back(statement, write, first))

    # ------------------------------------------------------------ tapes that grow

    def rows_of(self, box: Box, write: Memlet, where: Location, key: str) -> Rows | None:
        """The rows that the slots of a write lie in; None where the tape does not grow."""
        if box.is_flat:
            size = sympy.Mul(*(sympy.Max(0, part.extent) for part in write.ranges))
            return self.new_rows(write.array, size, None, where, key)
        if box.carrier is None:
            return None
        known = self.rows.setdefault(box.carrier.key, {})
        if box.outer not in known:
            loop = box.carrier
            known[box.outer] = self.new_rows(loop.index.name, rows_of(loop), box.outer, loop.where, loop.key)
        return known[box.outer]

    def new_rows(self, stem: str, amount: sympy.Expr, guard: Expression | None, where: Location, key: str) -> Rows:
        rows = rows_named(self.demands.names, stem, amount, guard, where, key)
        self.counters.append(rows.count)
        return rows

    def counted_inside(self, loop: While, body: Block, mirror: Block) -> tuple[Block, Block]:
        """Both sweeps of the body of a While, whose trips are rows."""
        rows = list(self.rows.get(loop.key, {}).values())
        ahead = [node for part in rows for node in part.ahead]
        back = [node for part in rows for node in part.back]
        return (
            Block((*body.arrays, *(part.first for part in rows)), (*ahead, *body.body)),
            Block((*mirror.arrays, *(part.again for part in rows)), (*back, *mirror.body)),
        )

    def counted(self, loop: Loop, mirror: Loop) -> tuple[tuple[Node, ...], Node]:
        """Both sweeps of a loop, with the rows that its trips are."""
        rows = list(self.rows.get(loop.key, {}).values())
        if not rows:
            return (loop,), mirror
        ahead = [node for part in rows for node in part.ahead]
        back = [node for part in rows for node in part.back]
        there = Block(tuple(part.first for part in rows), (*ahead, loop))
        return (there,), Block(tuple(part.again for part in rows), (*back, mirror))

    # ------------------------------------------------------------ arrays of inner Blocks

    def local_arrays(self, block: Block) -> tuple[list[Array], list[Node], list[Node]]:
        """For the Block's own arrays: their twins in the reverse Block, what fills these at its head, what records at the Block's end.

        The twins are filled in the order of definition. Where one node of the Block defines several, those that are restored and that the
        others are computed from come first.
        """
        arrays: list[Array] = []
        replays = self.locals.at_end.get(block, ())
        operands = {(position, name) for position, node in replays for inner in walk(node) for name in _operands(inner)}
        heads = [((position, 1), node) for position, node in replays]
        tails: list[Node] = []
        for position, array in _in_order_of_definition(block, self.locals.again):
            arrays.append(replace(array, name=self.locals.again[array.name]))
            if array.name in self.locals.stored:
                statement = self.demands.versions.statements[self.demands.local[array.name]]
                whole = Memlet(array.name, tuple(Range(sympy.Integer(0), extent) for extent in array.shape))
                record, restore = self.slot(statement, whole, f"{statement.key}:{array.name}")
                tails += record
                turn = 0 if (position, array.name) in operands else 2
                heads += [((position, turn), node) for node in restore]
        return arrays, [node for _, node in sorted(heads, key=lambda head: head[0])], tails


def _operands(node: Node) -> Iterator[str]:
    """The arrays that a node reads, those that its bounds and subsets name among them."""
    yield from (memlet.array for memlet in reads(node))
    yield from symbol_names(node)


def _in_order_of_definition(block: Block, again: dict[str, str]) -> list[tuple[int, Array]]:
    place: dict[str, int] = {}
    for position, node in enumerate(block.body):
        for name in (memlet.array for inner in walk(node) for memlet in writes(inner)):
            place.setdefault(name, position)
    needed = [(place.get(array.name, -1), array) for array in block.arrays if array.name in again]
    return sorted(needed, key=lambda found: found[0])


def _index_of(box: Box, write: Memlet, rows: Rows | None) -> Callable[[tuple[sympy.Expr, ...], bool], tuple[sympy.Expr, ...]]:
    """From a cell of the write, and whether the reverse sweep asks, to the slot."""

    def index(cell: tuple[sympy.Expr, ...], is_back: bool) -> tuple[sympy.Expr, ...]:
        inner = _positions(write, cell)
        if rows is None:
            return (*box.index, *inner)
        first = symbol((rows.again if is_back else rows.first).name)
        if box.carrier is not None:
            return (first + row_of(box.carrier), *box.index, *inner)
        number = sympy.Integer(0)
        for part, position in zip(write.ranges, inner, strict=True):
            number = number * part.extent + position
        return (first + number,)

    return index


def _positions(write: Memlet, cell: tuple[sympy.Expr, ...]) -> tuple[sympy.Expr, ...]:
    inner = []
    for part, position in zip(write.ranges, cell, strict=True):
        distance = position - part.start
        inner.append(distance if part.step == 1 else sympy.floor(distance / part.step))
    return tuple(inner)


def _capture(mirror: Block, demands: Demands) -> tuple[tuple[Node, ...], Block]:
    """Demands for the value that the statement left are read before its restore undoes it."""
    wanted: dict[Demand, Array] = {}
    nodes: list[Node] = []

    def leaf(part: Expression) -> Expression:
        if not isinstance(part, Demand) or not part.after:
            return part
        if part not in wanted:
            wanted[part] = Array(demands.names.fresh(f"{part.memlet.array}_left"), part.dtype)
        return Read(Memlet(wanted[part].name), part.dtype)

    body = tuple(rewrite(node, lambda inner: map_node_expressions(inner, leaf)) for node in mirror.body)
    for demand, array in wanted.items():
        nodes.append(Tasklet(Memlet(array.name), demand, _where(mirror), f"~{demand.key}={array.name}"))
    return tuple(nodes), Block((*mirror.arrays, *wanted.values()), body)


def _where(root: Node) -> Location:
    """The place of a statement, or of the first below it."""
    found = first_location(root)
    if found is None:
        raise CompilerBug("something is recorded in a Block that holds no statement")
    return found


# ---------------------------------------------------------------- the demands met


def _meet(reverse: Block, found: Locals) -> Block:
    """Every Demand becomes a Read; local arrays get the names that they have in the reverse sweep."""
    demands = found.demands
    entries = {(want.memlet, want.key) for want in demands.entries}

    def leaf(part: Expression) -> Expression:
        if not isinstance(part, Demand):
            return part
        memlet = part.memlet
        if demands.entries.issuperset(wants_of(part, demands)):
            memlet = at_entry(memlet)
        return Read(memlet, part.dtype)

    def meet(node: Node) -> Node:
        node = map_node_expressions(node, leaf)
        if isinstance(node, Library) and "demands" in dict(node.attributes):
            key = node.attribute("demands")
            reads = tuple(at_entry(m) if (m, key) in entries else m for m in node.reads)
            attributes = tuple(item for item in node.attributes if item[0] != "demands")
            node = replace(node, reads=reads, attributes=attributes)
        return node

    met = rewrite_block(reverse, meet)
    renamed = rewrite_block(met, lambda node: rename_arrays(node, found.again))
    block = map_symbols(renamed, substitute({symbol(old): symbol(new) for old, new in found.again.items()}))
    assert isinstance(block, Block)
    return block


def _with_copies(program: Program, forward: Block, reverse: Block, demands: Demands, merge: _Merge) -> Program:
    """The Program on working copies of the arguments that it writes, with its tapes and what counts their rows."""
    table = {name: demands.names.fresh(f"{name}_copy") for name in sorted(demands.arguments)}
    back = {f"{name}{ENTRY}": name for name in demands.arguments}
    ahead = _on_copies(forward, table)
    returning = rewrite_block(rewrite_block(reverse, lambda node: rename_arrays(node, table)), lambda node: rename_arrays(node, back))
    copies = [replace(demands.arrays[name], name=copy, role=Role.COPY) for name, copy in table.items()]
    entry = tuple(node for name in table for node in _copy_nest(demands.arrays[name], table[name], _where(forward), demands))
    arrays = (*program.body.arrays, *copies, *(slot.tape for slot in merge.slots), *merge.counters)
    zero = Constant(0, I64)
    begin = tuple(Tasklet(Memlet(counter.name), zero, _where(forward), f"{counter.name}=0") for counter in merge.counters)
    results = tuple(name for name in program.results if name not in table)
    body = Block(arrays, (replace(ahead, body=(*entry, *begin, *ahead.body)), returning))
    return replace(program, body=body, results=results, stage=Stage.PLANNED)


def _on_copies(forward: Block, table: dict[str, str]) -> Block:
    """The forward sweep on the copies, from the first node on that writes the argument; what stands before reads the argument itself."""
    body: list[Node] = []
    written: frozenset[str] = frozenset()
    for node in forward.body:
        written |= changed_arrays(node)
        body.append(rewrite(node, partial(rename_arrays, names={name: table[name] for name in table.keys() & written})))
    return replace(forward, body=tuple(body))


def _copy_nest(array: Array, copy: str, where: Location, demands: Demands) -> tuple[Node, ...]:
    ranges = tuple(Range(sympy.Integer(0), extent) for extent in array.shape)

    def cell(indices: tuple[sympy.Expr, ...]) -> tuple[Node, ...]:
        return (Tasklet(Memlet(copy, indices), Read(Memlet(array.name, indices), array.dtype), where, f"copy:{array.name}"),)

    return nest(ranges, cell, demands.names, where, f"copy:{array.name}")
