"""Arrays that each trip of a loop makes anew become arrays of the trip, one for each time that they are made.

In: a PRIMAL Program. Out: the same in which an array from outside a loop is declared in the loop's body when

1. nothing outside the loop reads it;
2. each cell that a trip reads was written before in the same trip, and is not written again while it may be read;
3. each of its elements is made once from where that begins, out of what the loop never changes: no sums.

Where a trip makes such an array several times, so that nothing behind a statement reads what was made in front of it, each time has an
array of its own. What outside the loop was written to it is gone. What stays true: every value. Why: an array of the trip can be computed
again in the reverse of the trip (plan/locals.py), while an overwritten one has to be recorded. What it does not do: exchanged arrays,
products of matrices, values that depend on what the loop carries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from dfad.analysis.statements import Statement
from dfad.analysis.versions import Versions
from dfad.ir.memlet import Memlet
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Array, Block, Library, Loop, Node, Program, Repetition, Role, Tasklet, While
from dfad.ir.walk import changed_arrays, children, exchanged, reads, rename_arrays, rewrite, rewrite_block, symbol_names, walk, writes


def take_apart(program: Program) -> Program:
    """The Program whose loops make arrays of their own; the same object where no loop can."""
    while (found := next(_choices(program), None)) is not None:
        program = _applied(program, found, names_of(program))
    return program


@dataclass(frozen=True, slots=True)
class _Choice:
    """An array, the loop that makes it anew in each trip, and the positions in the loop's body where it begins to."""

    array: Array
    loop: Repetition
    starts: tuple[int, ...]


def _choices(program: Program) -> Iterator[_Choice]:
    moved = exchanged(program.body)
    versions: Versions | None = None
    for block in (node for node in walk(program.body) if isinstance(node, Block)):
        for array in block.arrays:
            if not array.rank or array.role is not Role.LOCAL or array.name in moved:
                continue
            for loop in _loops_that_read(block, array.name):
                if _is_made_of_constants(loop, array.name):
                    versions = versions or _versions(program)
                    starts = _starts(loop, array.name, versions)
                    if starts:
                        yield _Choice(array, loop, starts)


def _versions(program: Program) -> Versions:
    integers = {array.name for array in program.body.arrays if array.rank == 0 and array.dtype.kind == "i"}
    return Versions(program.body, integers | {entry.symbol.name for entry in program.symbols})


def _sees(node: Node, name: str) -> bool:
    """Whether the node itself looks at what is in the array."""
    return any(memlet.array == name for memlet in reads(node)) or (_writes(node, name) and isinstance(node, Tasklet) and node.accumulate)


def _writes(node: Node, name: str) -> bool:
    return any(memlet.array == name for memlet in writes(node))


def _loops_that_read(block: Block, name: str) -> Iterator[Repetition]:
    """The loops below that hold all reads of the array, inner ones first."""
    path: list[Repetition] = []
    nodes: Sequence[Node] = block.body
    while True:
        holding = [node for node in nodes if any(_sees(inner, name) for inner in walk(node))]
        if len(holding) != 1:
            break
        if isinstance(holding[0], Loop | While):
            path.append(holding[0])
        nodes = children(holding[0])
    return reversed(path)


# ---------------------------------------------------------------- 3: what it is made of


def _is_made_of_constants(loop: Repetition, name: str) -> bool:
    """Whether the loop writes the array, element by element, from nothing but what it never changes."""
    changed = changed_arrays(loop)
    pending, seen = [name], set[str]()
    while pending:
        array = pending.pop()
        seen.add(array)
        for around, node in _writers(loop.body, array, ()):
            if not isinstance(node, Tasklet) or not _is_element_by_element(around, node):
                return False
            needed = {memlet.array for part in (*around, node) for memlet in reads(part)}
            needed |= {item for part in (*around, node) for item in symbol_names(part)}
            pending += sorted((needed & changed) - seen)
    return _declares_all(loop.body, seen - {name}) and any(True for _ in _writers(loop.body, name, ()))


def _writers(node: Node, name: str, around: tuple[Node, ...]) -> Iterator[tuple[tuple[Node, ...], Node]]:
    """The statements below that write the array, with the regions around them."""
    if _writes(node, name):
        yield around, node
    inside = around if isinstance(node, Block) else (*around, node)
    for child in children(node):
        yield from _writers(child, name, inside)


def _is_element_by_element(around: tuple[Node, ...], node: Tasklet) -> bool:
    indices = {region.index for region in around if isinstance(region, Loop)}
    if node.accumulate or any(isinstance(region, While) for region in around):
        return False
    return not node.write.subset or indices <= set(node.write.symbols())


def _declares_all(block: Block, names: set[str]) -> bool:
    declared = {array.name for node in walk(block) if isinstance(node, Block) for array in node.arrays}
    return names <= declared


# ---------------------------------------------------------------- 2: when it is made


def _starts(loop: Repetition, name: str, versions: Versions) -> tuple[int, ...]:
    """The positions in the body behind which nothing reads what was in the array before; () when it lives from trip to trip, or when some
    of it is read before the rest is made."""
    touched = [number for number, node in enumerate(loop.body.body) if any(_sees(part, name) or _writes(part, name) for part in walk(node))]
    if not touched or not _is_fresh_from(touched[0], loop, name, versions):
        return ()
    makers = {number for number in touched if any(_writes(part, name) for part in walk(loop.body.body[number]))}
    later = (number for number in touched[1:] if number in makers and _is_fresh_from(number, loop, name, versions))
    starts = (touched[0], *later)
    return starts if _is_made_at_once(touched, makers, starts) else ()


def _is_made_at_once(touched: Sequence[int], makers: Set[int], starts: tuple[int, ...]) -> bool:
    """Whether from one start to the next everything is made before a statement that makes nothing reads it."""
    for first, end in zip(starts, (*starts[1:], touched[-1] + 1), strict=True):
        part = [number in makers for number in touched if first <= number < end]
        if part != sorted(part, reverse=True):
            return False
    return True


def _is_fresh_from(position: int, loop: Repetition, name: str, versions: Versions) -> bool:
    """Whether all reads from that position on find what has been written from there on in the same trip."""
    nodes = {part for node in loop.body.body[position:] for part in walk(node)}
    inside = [statement for statement in versions.statements.values() if statement.node in nodes]
    writers = [statement for statement in inside if isinstance(statement.node, Tasklet) and _writes(statement.node, name)]
    depth = next(one.loops.index(loop) + 1 for one in inside)
    return all(
        versions.is_from(statement, memlet, writers, depth)
        for statement in inside
        for memlet in _seen_by(statement)
        if memlet.array == name
    )


def _seen_by(statement: Statement) -> tuple[Memlet, ...]:
    node = statement.node
    return (*reads(node), *writes(node)) if isinstance(node, Tasklet) and node.accumulate else reads(node)


# ---------------------------------------------------------------- the change


def _applied(program: Program, choice: _Choice, names: Names) -> Program:
    name, loop = choice.array.name, choice.loop
    own = [name, *(names.fresh(name) for _ in choice.starts[1:])]
    kept = set(walk(loop))

    def change(node: Node) -> Node | tuple[Node, ...]:
        if node is loop:
            return replace(loop, body=_with_own(loop.body, choice, own))
        if node in kept:
            return node
        match node:
            case Tasklet() | Library():
                return () if _writes(node, name) else node
            case Loop():
                return node if node.body.body else ()
            case Block():
                return replace(node, arrays=tuple(array for array in node.arrays if array.name != name))
            case _:
                return node

    return replace(program, body=rewrite_block(program.body, change))


def _with_own(body: Block, choice: _Choice, own: Sequence[str]) -> Block:
    """The body of the loop with the arrays of its own: each from where it begins to be made."""
    nodes = list(body.body)
    for before, name, start in zip(own, own[1:], choice.starts[1:], strict=False):
        nodes[start:] = [_renamed(node, {before: name}) for node in nodes[start:]]
    return replace(body, arrays=(*body.arrays, *(replace(choice.array, name=name) for name in own)), body=tuple(nodes))


def _renamed(node: Node, table: dict[str, str]) -> Node:
    return rewrite(node, lambda inner: rename_arrays(inner, table))
