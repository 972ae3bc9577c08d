"""Adjoint stencils become gathers: ``x_bar[i+o] += c*y_bar[i]`` for several o turns into one loop ``x_bar[i] += sum c*y_bar[i-o]``.

In: a PLANNED Program, tidy. Out: the same in which each perfect nest of an adjoint stencil is split into one nest for each group of
targets that differ by shifts only; the statements of a group run in one pass over the cells that any of them reaches. Each dimension is
cut into the core, where all of them reach, and the rims, where each is tested; so a domain narrower than the stencil is right too. What
stays true: every contribution reaches its cell, and every read sees what it saw; the order of a cell's sum changes.

Legal when, in the original order, no instance reads a cell that an earlier one wrote, and no cell is both assigned and accumulated; then
groups are ordered so that each cell is read before it is written. What it does not do: nests with a restore, a branch, a non-unit
step, or a bound that depends on an index of the nest (the outer loops are left alone then).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dfad.ir.nodes import Block, Branch, Expression, Loop, Node, Program, Read, Tasklet
from dfad.ir.walk import map_expression, reads, walk_expression
from dfad.optimise.pieces import pieces
from dfad.optimise.shifts import Access, Nest, Vector, access_of, distance, is_rectangular, order, perfect_nest


@dataclass(frozen=True, slots=True)
class Group:
    """Statements of one nest whose targets differ by shifts only."""

    statements: tuple[Tasklet, ...]
    targets: tuple[Access, ...]
    sources: tuple[tuple[Access, ...], ...]


def gather(program: Program) -> Program:
    """The Program with adjoint stencils in gather form."""
    forward, *reverse = program.body.body
    done = tuple(_inside(sweep) if isinstance(sweep, Block) else sweep for sweep in reverse)
    return replace(program, body=replace(program.body, body=(forward, *done)))


def _inside(block: Block) -> Block:
    body: list[Node] = []
    for node in block.body:
        body += _node(node)
    same = len(body) == len(block.body) and all(a is b for a, b in zip(body, block.body, strict=True))
    return block if same else replace(block, body=tuple(body))


def _node(node: Node) -> tuple[Node, ...]:
    match node:
        case Loop():
            return _loop(node)
        case Branch():
            then, orelse = _inside(node.then), _inside(node.orelse)
            return (node,) if then is node.then and orelse is node.orelse else (replace(node, then=then, orelse=orelse),)
        case Block():
            return (_inside(node),)
        case _:
            return (node,)


def _loop(loop: Loop) -> tuple[Node, ...]:
    nest = perfect_nest(loop)
    if is_rectangular(nest):
        done = _gathered(nest)
        if done is not None:
            return done
    inner = _inside(loop.body)
    return (loop,) if inner is loop.body else (replace(loop, body=inner),)


def _gathered(nest: Nest) -> tuple[Node, ...] | None:
    statements = _inlined(nest.body)
    if statements is None:
        return None
    groups = _groups(statements, nest)
    if groups is None or not any(_is_stencil(group) for group in groups):
        return None
    if not _reads_are_old(groups, nest):
        return None
    ordered = _ordered(groups)
    if ordered is None:
        return None
    nodes: list[Node] = []
    for group in ordered:
        direction = _direction(group)
        if direction is None:
            return None
        nodes += pieces(group.statements, group.targets, nest, direction)
    return tuple(nodes)


def _inlined(body: Block) -> tuple[Tasklet, ...] | None:
    """The statements on arrays with the scalars of the body put in; None where that is not possible."""
    own = {array.name for array in body.arrays if array.rank == 0}
    if len(own) != len(body.arrays):
        return None
    values: dict[str, Expression] = {}
    kept: list[Tasklet] = []
    changed: set[str] = set()
    for node in body.body:
        if not isinstance(node, Tasklet) or any(memlet.array in changed for memlet in reads(node)):
            return None
        value = map_expression(node.value, lambda part: values.get(part.memlet.array, part) if isinstance(part, Read) else part)
        if node.write.array in own:
            if node.accumulate or node.write.array in values:
                return None
            values[node.write.array] = value
        else:
            kept.append(replace(node, value=value))
            changed.add(node.write.array)
    return tuple(kept)


def _groups(statements: tuple[Tasklet, ...], nest: Nest) -> list[Group] | None:
    found: dict[tuple[object, ...], list[tuple[Tasklet, Access, tuple[Access, ...]]]] = {}
    for number, node in enumerate(statements):
        target = access_of(node.write, nest)
        if target is None or None in target.shift:
            return None
        sources = _sources(node, nest)
        if sources is None:
            return None
        own = () if node.accumulate else (number,)
        found.setdefault((target.array, target.place, target.rest, own), []).append((node, target, sources))
    return [Group(*(tuple(column) for column in zip(*rows, strict=True))) for rows in found.values()]


def _sources(node: Tasklet, nest: Nest) -> tuple[Access, ...] | None:
    """What the statement reads, as shifts; only arrays that the nest writes need one, which the caller finds by name."""
    found = []
    for part in walk_expression(node.value):
        if isinstance(part, Read):
            access = access_of(part.memlet, nest)
            if access is None:
                access = Access(part.memlet.array, (), (), ())
            found.append(access)
    return tuple(found)


def _is_stencil(group: Group) -> bool:
    return group.statements[0].accumulate and (len(group.statements) > 1 or any(group.targets[0].shift))


def _pairs(writer: Group, reader: Group) -> list[Vector | str]:
    """The distances between the cells that one group writes and those that another reads."""
    return [distance(target, source) for target in writer.targets for sources in reader.sources for source in sources]


def _reads_are_old(groups: list[Group], nest: Nest) -> bool:
    """Whether every read sees a value from before the nest, and no cell is both assigned and accumulated or assigned twice."""
    signs = tuple(loop.step for loop in nest.loops)
    for writer in groups:
        for reader in groups:
            for vector in _pairs(writer, reader):
                if vector == "unknown":
                    return False
                if not isinstance(vector, str) and order(tuple(s * v for s, v in zip(signs, vector, strict=True))) > 0:
                    return False
        for other in groups:
            both_add = writer.statements[0].accumulate and other.statements[0].accumulate
            if other is not writer and not both_add and _share_cells(writer, other):
                return False
    return True


def _share_cells(first: Group, second: Group) -> bool:
    return any(distance(a, b) != "never" for a in first.targets for b in second.targets)


def _ordered(groups: list[Group]) -> list[Group] | None:
    """The groups in an order in which every cell is read before it is written by another group; None where there is none."""
    left, done = list(groups), list[Group]()
    while left:
        ready = [g for g in left if all(v == "never" for other in left if other is not g for v in _pairs(g, other))]
        if not ready:
            return None
        done += ready
        left = [g for g in left if all(g is not r for r in ready)]
    return done


def _direction(group: Group) -> int | None:
    """1 or -1: the order of a group's cells in which each is read before it is written; None where there is none.

    In gather form cell x is written where the source x + v is read: upwards needs every v >= 0, downwards every v <= 0.
    """
    signs = set()
    for target, sources in zip(group.targets, group.sources, strict=True):
        for source in sources:
            vector = distance(source, target)
            if vector == "unknown":
                return None
            if not isinstance(vector, str):
                signs.add(order(vector))
    signs.discard(0)
    return None if len(signs) > 1 else next(iter(signs), 1)


