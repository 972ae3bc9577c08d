"""A second look at the default plan: no twin, an array of the reverse sweep that stands for one of the forward sweep, is read before
anything fills it.

In: the two sweeps. Out: the reverse sweep, or CompilerBug. Where the text of a Block fills the twin first, there is nothing to ask.
Elsewhere each instance of a read needs a fill before it, in the same trip of the loops around the Block. In ``for j: z = z * z`` before
``if j < m - 1: use z`` what the last trip leaves is never used: the reverse sweep gets the others behind the read, for its next trip.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial

from dfad.analysis.buffers import Buffers
from dfad.analysis.instances import Instances
from dfad.analysis.sets import Patience, Space
from dfad.analysis.statements import Statement, statements
from dfad.errors import CompilerBug
from dfad.ir.nodes import Apply, Block, Exchange, Expression, Library, Node, Tasklet
from dfad.ir.walk import reads, walk, writes


@dataclass(slots=True)
class _Uses:
    """The statements that read a twin and those that fill it, in the order of the text, and the loops around its Block."""

    depth: int
    readers: list[Statement] = field(default_factory=list)
    fills: list[Statement] = field(default_factory=list)


def check_filled(forward: Block, reverse: Block, twins: Set[str], parameters: Set[str]) -> Block:
    """Check that each twin is filled before it is read, and return the reverse sweep.

    Raises
    ------
    CompilerBug
        With the statement that reads what is not there yet.
    """
    late = {name for block in walk(reverse) if isinstance(block, Block) for name in _read_first(block, twins)}
    if late:
        _check_instances(Block((), (forward, reverse)), late, parameters)
    return reverse


def _read_first(block: Block, twins: Set[str]) -> set[str]:
    """The twins that the Block declares whose first use in the text is no fill. One that nothing fills has no elements."""
    own = {array.name for array in block.arrays} & twins
    first, filled = dict[str, bool](), set[str]()
    for node in walk(block) if own else ():
        for name, is_fill in _touches(node):
            first.setdefault(name, is_fill)
            filled |= {name} if is_fill else set()
    return {name for name in own & filled if not first[name]}


def _touches(node: Node) -> Iterator[tuple[str, bool]]:
    """The arrays that a node uses, and whether it fills them: a recurrence does as well, which reads a cell and writes another."""
    match node:
        case Exchange(first, second):
            filled = {first, second}
        case Tasklet() | Library() if not node.accumulate:
            filled = {node.write.array}
        case _:
            filled = set()
    for name in (*(memlet.array for memlet in (*reads(node), *writes(node))), *filled):
        yield name, name in filled


def _check_instances(sweeps: Block, late: Set[str], parameters: Set[str]) -> None:
    found = [replace(statement, guards=tuple(_conditions(statement))) for statement in statements(sweeps)]
    instances = Instances(Space(parameters, _counted(found)), Buffers(found), found)
    patience = Patience()
    for name, uses in _uses(found, late).items():
        for reader in uses.readers:
            if not patience.ask(partial(_is_filled, instances, reader, uses), otherwise=True):
                raise CompilerBug(f"{name} is read before it is filled, by {reader.node!r}")


def _conditions(statement: Statement) -> Iterator[tuple[Expression, bool]]:
    """What holds where the statement runs, each part by itself: where one reads data, the others still say something."""
    for guard, side in statement.guards:
        pending = [guard]
        while pending:
            match pending.pop():
                case Apply(operation="and", operands=parts) if side:
                    pending += parts
                case part:
                    yield part, side


def _counted(found: Sequence[Statement]) -> set[str]:
    """The integer scalars: what one holds may change from one statement to the next."""
    arrays = (array for statement in found if isinstance(statement.node, Block) for array in statement.node.arrays)
    return {array.name for array in arrays if array.rank == 0 and array.dtype.kind == "i"}


def _uses(found: Sequence[Statement], late: Set[str]) -> dict[str, _Uses]:
    blocks = {array.name: statement for statement in found if isinstance(statement.node, Block) for array in statement.node.arrays}
    uses = {name: _Uses(len(blocks[name].loops)) for name in sorted(late)}
    for statement in found:
        for name, is_fill in _touches(statement.node):
            if name in uses:
                (uses[name].fills if is_fill else uses[name].readers).append(statement)
    return uses


def _is_filled(instances: Instances, reader: Statement, uses: _Uses) -> bool:
    """Whether a fill may come before each instance of the reader."""
    left, _ = instances.domain(reader)
    for fill in uses.fills:
        earlier = instances.schedule(reader).lex_gt_map(instances.schedule(fill))
        left = left.subtract(earlier.intersect(instances.same(reader, fill, uses.depth)).domain())
    return bool(left.is_empty())
