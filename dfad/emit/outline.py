"""Which loops become functions of their own.

A function has restrict parameters, so GCC knows that its arrays are different memory. An Exchange assigns pointers, which restrict forbids,
and so does what gives a result of computed shape its memory; the loops that hold one stay in the kernel itself, with their inner loops as
functions. A parallel loop is a function of one part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import sympy

from dfad.emit.bulk import is_bulk
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Array, Block, Exchange, Integer, Library, Loop, Node, Program, Repetition
from dfad.ir.walk import children, expressions, reads, walk, walk_expression, writes


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A loop as a function: what it is called and what it is given, in order of first use.

    ``integers`` are symbols, ``scalars`` rank-0 arrays that it only reads, ``updated`` rank-0 arrays that it writes and others may read,
    ``arrays`` all other arrays that it uses and does not allocate itself.
    """

    name: str
    loop: Repetition
    integers: tuple[str, ...]
    scalars: tuple[str, ...]
    updated: tuple[str, ...]
    arrays: tuple[str, ...]

    @property
    def is_parallel(self) -> bool:
        """Whether it is a function of one part."""
        return isinstance(self.loop, Loop) and self.loop.parallel is not None


def chosen_loops(node: Node, arrays: Mapping[str, Array], made: Collection[str], inside: bool = False) -> Iterator[Repetition]:
    """The loops that become functions; those inside a function before it, as C wants them. ``made``: results of computed shape."""
    if not isinstance(node, Repetition):
        for child in children(node):
            yield from chosen_loops(child, arrays, made, inside)
        return
    if isinstance(node, Loop) and node.parallel is not None:
        yield node
        return
    if isinstance(node, Loop) and is_bulk(node, arrays):
        return
    starts = not inside and not any(_assigns_pointers(part, made) for part in walk(node))
    yield from chosen_loops(node.body, arrays, made, inside or starts)
    if starts:
        yield node


def _assigns_pointers(node: Node, made: Collection[str]) -> bool:
    return isinstance(node, Exchange) or (isinstance(node, Library) and node.operation == "grow" and node.write.array in made)


def name_functions(program: Program, loops: Collection[Repetition], identifiers: Collection[str]) -> dict[Repetition, str]:
    """The name of each loop's function: the kernel's name and the line, counted where several stand on one line or a variable has it."""
    found: dict[Repetition, str] = {}
    taken = set(identifiers)
    for loop in loops:
        base = name = f"{program.name}_{loop.where.line}"
        count = 0
        while name in taken:
            count += 1
            name = f"{base}_{count}"
        taken.add(name)
        found[loop] = name
    return found


def outline(name: str, loop: Repetition, arrays: Mapping[str, Array], own: Collection[str]) -> Function:
    """The loop as a function; ``own`` are the arrays of rank above 0 that its text allocates."""
    declared = {array.name for node in walk(loop) if isinstance(node, Block) for array in node.arrays}
    bound = {node.index.name for node in walk(loop) if isinstance(node, Repetition)}
    used = dict.fromkeys(used_names(loop, arrays))
    written = {memlet.array for node in walk(loop) for memlet in writes(node)}
    scalars = [name for name in used if name in arrays and arrays[name].rank == 0 and name not in declared]
    return Function(
        name=name,
        loop=loop,
        integers=tuple(name for name in used if name not in arrays and name not in bound),
        scalars=tuple(name for name in scalars if name not in written),
        updated=tuple(name for name in scalars if name in written),
        arrays=tuple(name for name in used if name in arrays and arrays[name].rank > 0 and name not in own),
    )


def used_names(node: Node, arrays: Mapping[str, Array]) -> Iterator[str]:
    """The arrays and symbols that the text of the node and of those below it names, with repetition."""
    for part in walk(node):
        match part:
            case Loop():
                yield from _symbols(part.start, part.stop)
            case Block():
                yield from _symbols(*(extent for array in part.arrays for extent in array.shape))
        for expression in expressions(part):
            for leaf in walk_expression(expression):
                if isinstance(leaf, Integer):
                    yield from _symbols(leaf.value)
        for memlet in (*reads(part), *writes(part)):
            yield from _memlet_names(memlet, arrays)


def _symbols(*values: sympy.Expr) -> Iterator[str]:
    for value in values:
        yield from sorted(symbol.name for symbol in value.free_symbols)


def _memlet_names(memlet: Memlet, arrays: Mapping[str, Array]) -> Iterator[str]:
    """The array, the symbols of the subset, and the extents that its layout needs."""
    yield memlet.array
    yield from sorted(symbol.name for symbol in memlet.symbols())
    yield from _symbols(*arrays[memlet.array].shape[1:])
