"""Loop nests that treat whole arrays element by element: one loop over the numbers of the elements.

    for i in range(n): for j in range(m): y[i, j] = exp(x[i, j])      is printed as      for j in range(n*m): y[j] = exp(x[j])

Every array is accessed either at (i, j) and has the shape (n, m), or at a cell that does not depend on i and j; one of the first kind there
is, so that n and m are the same for all rows and not negative. Short rows then cost no more than long ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy

from dfad.ir.memlet import Index, Memlet
from dfad.ir.nodes import Array, Block, Branch, Expression, Integer, Loop, Node, Tasklet
from dfad.ir.walk import expressions, reads, walk, walk_expression, writes


@dataclass(frozen=True, slots=True)
class Flat:
    """A nest as one loop: the loop, and the indices that its index stands for."""

    loop: Loop
    indices: tuple[sympy.Symbol, ...]


def flatten(loop: Loop, arrays: Mapping[str, Array]) -> Flat | None:
    """The nest as one loop; None when it is not of that kind."""
    loops = _nest(loop)
    inner = loops[-1].body
    if len(loops) < 2 or not all(isinstance(node, Block | Branch | Tasklet) for node in walk(inner)):
        return None
    indices, extents = tuple(one.index for one in loops), tuple(_extent(one) for one in loops)
    if len({one.step for one in loops}) > 1 or None in extents or any(array.rank for node in walk(inner) for array in _declared(node)):
        return None
    found = [memlet for memlet in _memlets(inner) if set(indices) & set(memlet.symbols())]
    if not found or not all(_is_element(memlet, arrays, indices, extents) for memlet in found) or _names_index(inner, indices):
        return None
    size = sympy.prod(extents, start=sympy.Integer(1))
    start, stop = (sympy.Integer(0), size) if loop.step > 0 else (size - 1, sympy.Integer(-1))
    return Flat(replace(loop, index=indices[-1], start=start, stop=stop, body=inner), indices)


def is_flat(subset: Sequence[Index], shape: Sequence[sympy.Expr], indices: Sequence[sympy.Symbol]) -> bool:
    """Whether the subset names the element at those indices, dimensions of extent 1 aside."""
    return [index for index, extent in zip(subset, shape, strict=True) if (index, extent) != (0, 1)] == list(indices)


def _nest(loop: Loop) -> list[Loop]:
    loops = [loop]
    while True:
        match loops[-1].body:
            case Block(arrays=(), body=(Loop() as inner,)):
                loops.append(inner)
            case _:
                return loops


def _extent(loop: Loop) -> sympy.Expr | None:
    """The extent that a loop covers from end to end."""
    if (loop.start, loop.step) == (0, 1):
        return loop.stop
    return loop.start + 1 if (loop.stop, loop.step) == (-1, -1) else None


def _declared(node: Node) -> tuple[Array, ...]:
    return node.arrays if isinstance(node, Block) else ()


def _memlets(block: Block) -> Iterator[Memlet]:
    for node in walk(block):
        yield from (*reads(node), *writes(node))


def _is_element(memlet: Memlet, arrays: Mapping[str, Array], indices: Sequence[sympy.Symbol], extents: Sequence[sympy.Expr | None]) -> bool:
    array = arrays[memlet.array]
    long = [extent for index, extent in zip(memlet.subset, array.shape, strict=True) if (index, extent) != (0, 1)]
    return is_flat(memlet.subset, array.shape, indices) and long == list(extents)


def _names_index(block: Block, indices: Sequence[sympy.Symbol]) -> bool:
    """Whether an expression takes the value of an index."""
    parts: Iterator[Expression] = (part for node in walk(block) for value in expressions(node) for part in walk_expression(value))
    return any(isinstance(part, Integer) and part.value.free_symbols & set(indices) for part in parts)
