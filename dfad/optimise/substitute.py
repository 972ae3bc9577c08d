"""An array that is computed cell by cell and read once is not made: its expression goes where it was read.

In: a PRIMAL Program. Out: the same without each local array that one perfect nest defines, cell by cell, and one read in a later
statement of the same Block uses, each cell at most once, while nothing that the expression reads is written in between. What stays true:
every value, bit for bit. What it does not do: arrays with a second reader, values that a loop would compute again, operands of Library
operations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import sympy

from dfad.analysis.shifts import covers, perfect_nest
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Apply, Array, Block, Expression, Loop, Node, Program, Read, Tasklet
from dfad.ir.walk import (
    all_arrays,
    changed_arrays,
    exchanged,
    map_integers,
    map_node_expressions,
    reads,
    rewrite_block,
    substitute,
    walk,
    walk_expression,
    writes,
)

LARGEST = 60
"""No expression becomes larger than this, in operations and operands: its adjoint grows with the square."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A nest that defines an array, and the indices and the expression of a cell."""

    node: Loop
    array: Array
    indices: tuple[sympy.Expr, ...]
    value: Expression


def substitute_once(program: Program) -> Program:
    """The Program without arrays that are read once."""
    while True:
        arrays = all_arrays(program)
        readers = Counter(memlet.array for node in walk(program.body) for memlet in reads(node))
        writers = Counter(memlet.array for node in walk(program.body) for memlet in writes(node))
        once = {name for name in arrays if readers[name] == 1 and writers[name] == 1}
        once -= exchanged(program.body) | {array.name for array in program.parameters}
        body = _everywhere(program.body, once)
        if body is program.body:
            return program
        program = replace(program, body=body)


def _everywhere(block: Block, once: set[str]) -> Block:
    return rewrite_block(block, lambda node: _in_block(node, once) if isinstance(node, Block) else node)


def _in_block(block: Block, once: set[str]) -> Block:
    """The Block with the first such array gone; the same object when there is none."""
    own = {array.name: array for array in block.arrays if array.name in once and array.rank > 0}
    for position, node in enumerate(block.body):
        definition = definition_of(node, own)
        if definition is None:
            continue
        changed = _moved(block, position, definition)
        if changed is not None:
            return changed
    return block


def definition_of(node: Node, own: Mapping[str, Array]) -> Definition | None:
    """What the node defines, where it is a nest that writes each cell of one of the arrays once and nothing else."""
    if not isinstance(node, Loop):
        return None
    match perfect_nest(node).body:
        case Block(arrays=(), body=(Tasklet(accumulate=False) as inner,)) if inner.write.array in own:
            array = own[inner.write.array]
            indices = tuple(index for index in inner.write.subset if isinstance(index, sympy.Expr))
            value = inner.value if inner.value.dtype == array.dtype else Apply("cast", (inner.value,), array.dtype)
            return Definition(node, array, indices, value) if covers(node, inner, array, lambda e: e) else None
        case _:
            return None


def _moved(block: Block, position: int, definition: Definition) -> Block | None:
    needed = {memlet.array for node in walk(definition.node) for memlet in reads(node)}
    for place in range(position + 1, len(block.body)):
        node = block.body[place]
        if _writes_any(node, needed):
            return None
        if any(memlet.array == definition.array.name for inner in walk(node) for memlet in reads(inner)):
            changed = _put_in(node, definition, frozenset())
            if changed is None:
                return None
            body = (*block.body[:position], *block.body[position + 1 : place], changed, *block.body[place + 1 :])
            return Block(tuple(array for array in block.arrays if array is not definition.array), body)
    return None


def _writes_any(node: Node, names: set[str]) -> bool:
    """Whether the node, or one below it, writes or exchanges one of the arrays."""
    return bool(names & changed_arrays(node))


def _put_in(node: Node, definition: Definition, indices: frozenset[sympy.Symbol]) -> Node | None:
    """The node with the expression in place of the read; None where a cell would be computed twice or the reader is no Tasklet."""
    match node:
        case Loop():
            return _in_body(node, definition, indices | {node.index})
        case Tasklet():
            return _in_tasklet(node, definition, indices)
        case _:
            return None


def _in_body(loop: Loop, definition: Definition, indices: frozenset[sympy.Symbol]) -> Node | None:
    body: list[Node] = []
    for node in loop.body.body:
        uses = any(memlet.array == definition.array.name for inner in walk(node) for memlet in reads(inner))
        changed = _put_in(node, definition, indices) if uses else node
        if changed is None:
            return None
        body.append(changed)
    return replace(loop, body=replace(loop.body, body=tuple(body)))


def _in_tasklet(node: Tasklet, definition: Definition, indices: frozenset[sympy.Symbol]) -> Node | None:
    memlet = next(memlet for memlet in reads(node) if memlet.array == definition.array.name)
    if not indices <= set(memlet.symbols()) or not _is_injective(memlet, indices):
        return None
    value = _at(definition, memlet)
    if sum(1 for _ in walk_expression(value)) + sum(1 for _ in walk_expression(node.value)) > LARGEST:
        return None

    def leaf(part: Expression) -> Expression:
        return value if isinstance(part, Read) and part.memlet == memlet else part

    return map_node_expressions(node, leaf)


def _is_injective(memlet: Memlet, indices: frozenset[sympy.Symbol]) -> bool:
    """Whether each index of the loops stands alone, plus a constant, in a subscript of its own."""
    held = [index.free_symbols & indices for index in memlet.subset if isinstance(index, sympy.Expr)]
    alone = [next(iter(names)) for names in held if len(names) == 1]
    return set(alone) == set(indices) and len(alone) == len(indices)


def _at(definition: Definition, memlet: Memlet) -> Expression:
    """The expression of the cell that the memlet names."""
    table = {
        own: index for own, index in zip(definition.indices, memlet.subset, strict=True) if isinstance(own, sympy.Symbol) and own != index
    }
    return map_integers(definition.value, substitute(table))
