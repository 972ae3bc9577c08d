"""Indices that wrap round: the trips in which they do not wrap get a nest of their own, where they are plain.

In: a PRIMAL Program. Out: the same in which a nest whose subsets hold ``(i + c) % n``, for an index i from 0 to n, is cut into the rows at
both ends, where such an index may wrap, and what lies between, where it is ``i + c``; the rest then goes on with the next index.

    for i in range(0, n): y[i] = x[(i - 1) % n]   ->   y[0] = x[(0 - 1) % n];   for i in range(1, n): y[i] = x[i - 1]

What stays true: every value. What it does not do: nests whose iterations are not independent, and wraps by more than eight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import sympy

from dfad.ir.memlet import Range, symbol
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Block, Loop, Node, Program, Tasklet
from dfad.ir.walk import children, map_symbols, reads, rewrite_block, substitute, writes

MOST = 8
"""The largest distance of a wrap, beyond which the ends are not small."""


def unwrap(program: Program) -> Program:
    """The Program with a nest of its own for what does not wrap."""
    names = names_of(program)
    wrapped = set(_wrapped(program.body))
    body = rewrite_block(program.body, lambda node: tuple(_cut(_perfect(node), 0, names, "")) if node in wrapped else node)
    return program if body is program.body else replace(program, body=body)


def _wrapped(node: Node) -> Iterator[Node]:
    """The outermost loops of the nests below that have indices to unwrap."""
    nest = _perfect(node)
    if nest.loops and any(_offsets(nest, loop) for loop in nest.loops) and _is_independent(nest):
        yield node
        return
    for child in children(node):
        yield from _wrapped(child)


@dataclass(frozen=True, slots=True)
class _Nest:
    """A perfect nest: its loops from the outermost in, and the Tasklets of the innermost body; no loops where there is none."""

    loops: tuple[Loop, ...]
    body: Block


def _perfect(node: Node) -> _Nest:
    """The nest that begins with a loop and holds nothing but Tasklets."""
    loops: list[Loop] = []
    body = Block((), (node,))
    while not body.arrays and len(body.body) == 1 and isinstance(inner := body.body[0], Loop):
        loops.append(inner)
        body = inner.body
    is_plain = not body.arrays and all(isinstance(inner, Tasklet) for inner in body.body)
    return _Nest(tuple(loops) if is_plain else (), body)


def _is_independent(nest: _Nest) -> bool:
    """Whether each iteration writes cells of its own, which no other one reads."""
    written = {memlet for node in nest.body.body for memlet in writes(node)}
    names = {memlet.array for memlet in written}
    if len(names) < len(written) or any(loop.index not in memlet.subset for loop in nest.loops for memlet in written):
        return False
    return all(memlet in written for node in nest.body.body for memlet in reads(node) if memlet.array in names)


def _offsets(nest: _Nest, loop: Loop) -> list[int]:
    """The distances c of all ``(i + c) % n`` for the index i of a loop from 0 to n; none where one of them is far."""
    if loop.start != 0 or loop.step != 1:
        return []
    found = {part.args[0] - loop.index for part in _moduli(nest) if part.args[1] == loop.stop and loop.index in part.args[0].free_symbols}
    near = all(distance.is_Integer and abs(int(distance)) <= MOST for distance in found)
    return sorted(int(distance) for distance in found) if near else []


def _moduli(nest: _Nest) -> Iterator[sympy.Mod]:
    for node in nest.body.body:
        for memlet in (*reads(node), *writes(node)):
            for index in memlet.subset:
                if not isinstance(index, Range):
                    yield from index.atoms(sympy.Mod)


def _cut(nest: _Nest, depth: int, names: Names, mark: str) -> Iterator[Node]:
    """The pieces of a nest whose loops further out are settled."""
    if depth == len(nest.loops):
        yield _built(nest, names, mark)
        return
    loop = nest.loops[depth]
    offsets = _offsets(nest, loop)
    if not offsets:
        yield from _cut(nest, depth + 1, names, mark)
        return
    low, high = sympy.Integer(max(-offsets[0], 0)), loop.stop - max(offsets[-1], 0)
    if low != 0:
        yield _built(_with_range(nest, depth, loop.start, sympy.Min(low, loop.stop)), names, f"{mark}.{depth}first")
    yield from _cut(_plain(_with_range(nest, depth, low, high), loop, offsets), depth + 1, names, mark)
    if high != loop.stop:
        yield _built(_with_range(nest, depth, sympy.Max(low, high), loop.stop), names, f"{mark}.{depth}last")


def _with_range(nest: _Nest, depth: int, start: sympy.Expr, stop: sympy.Expr) -> _Nest:
    loops = (replace(loop, start=start, stop=stop) if k == depth else loop for k, loop in enumerate(nest.loops))
    return replace(nest, loops=tuple(loops))


def _plain(nest: _Nest, loop: Loop, offsets: list[int]) -> _Nest:
    """The nest in which that index does not wrap."""
    table = {sympy.Mod(loop.index + distance, loop.stop): loop.index + distance for distance in offsets}
    body = map_symbols(nest.body, lambda expression: expression.xreplace(table))
    assert isinstance(body, Block)
    return replace(nest, body=body)


def _built(nest: _Nest, names: Names, mark: str) -> Node:
    """The nest as nodes, with indices and keys of its own where it is one piece of several."""
    fresh = {loop.index: symbol(names.fresh(loop.index.name)) if mark else loop.index for loop in nest.loops}
    body = rewrite_block(nest.body, lambda node: node if isinstance(node, Block) else replace(node, key=node.key + mark))
    for loop in reversed(nest.loops):
        body = Block((), (replace(loop, body=body, index=fresh[loop.index], key=loop.key + mark),))
    return map_symbols(body.body[0], substitute(fresh))
