"""Adjoint stencils become gathers: ``x_bar[i+o] += c*y_bar[i]`` for several o turns into one loop ``x_bar[i] += sum c*y_bar[i-o]``.

In: a PLANNED Program, tidy. Out: the same in which each perfect nest of an adjoint stencil is split into one nest for each group of
targets that differ by shifts only; the statements of a group run in one pass over the cells that any of them reaches. Each dimension is
cut into the core, where all of them reach, and the rims, where each is tested; so a domain narrower than the stencil is right too.
What stays true: every contribution reaches its cell, and every read sees what it saw; the order of a cell's sum changes.

Legal when, in the original order, no instance reads a cell that an earlier one wrote, and no cell is both assigned and accumulated;
then groups are ordered so that each cell is read before it is written. What it does not do: nests that read what they restore, or have
a branch on data, a non-unit step, or a bound that depends on an index of the nest (the outer loops are left alone then).

A contribution that is costly to compute is computed once, into an array over the nest (spread.py), and gathered from there; where such
arrays are not wanted the nest stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from dfad.analysis.shifts import Access, Guarded, Nest, Unmet, access_of, gap_between, guarded, is_rectangular, may_flow, perfect_nest, sign
from dfad.ir.algebra import add, is_constant
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Apply, Block, Branch, Constant, Expression, Loop, Node, Program, Read, Tasklet
from dfad.ir.operations import COSTLY
from dfad.ir.walk import map_expression, map_reverse, reads, symbol_names, walk, walk_expression
from dfad.optimise.pieces import pieces
from dfad.optimise.spread import spread_values

MOST_ARRAYS = 4
"""A nest whose contributions have more different costly values than this stays as it is."""


@dataclass(frozen=True, slots=True)
class Group:
    """Statements of one nest whose targets differ by shifts only."""

    statements: tuple[Guarded, ...]
    targets: tuple[Access, ...]
    sources: tuple[tuple[Access, ...], ...]

    @property
    def adds(self) -> bool:
        """Whether the statements accumulate; otherwise there is one, which assigns."""
        return self.statements[0].tasklet.accumulate


def gather(program: Program, spread: bool = True) -> Program:
    """The Program with adjoint stencils in gather form; ``spread``: costly ones too, with arrays for their contributions."""
    names = names_of(program)
    return map_reverse(program, lambda sweep: _inside(sweep, names, spread))


def _inside(block: Block, names: Names, spread: bool) -> Block:
    body: list[Node] = []
    for node in block.body:
        body += _node(node, names, spread)
    same = len(body) == len(block.body) and all(a is b for a, b in zip(body, block.body, strict=True))
    return block if same else replace(block, body=tuple(body))


def _node(node: Node, names: Names, spread: bool) -> tuple[Node, ...]:
    match node:
        case Loop():
            return _loop(node, names, spread)
        case Branch():
            then, orelse = _inside(node.then, names, spread), _inside(node.orelse, names, spread)
            return (node,) if then is node.then and orelse is node.orelse else (replace(node, then=then, orelse=orelse),)
        case Block():
            return (_inside(node, names, spread),)
        case _:
            return (node,)


def _loop(loop: Loop, names: Names, spread: bool) -> tuple[Node, ...]:
    nest = perfect_nest(loop)
    if is_rectangular(nest):
        done = _gathered(nest, names, spread)
        if done is not None:
            return done
    inner = _inside(loop.body, names, spread)
    return (loop,) if inner is loop.body else (replace(loop, body=inner),)


def _gathered(nest: Nest, names: Names, spread: bool) -> tuple[Node, ...] | None:
    statements = _inlined(nest)
    if statements is None:
        return None
    groups = _groups(statements, nest)
    if groups is None or not any(_is_stencil(group) for group in groups) or not _reads_are_old(groups, nest):
        return None
    if all(_is_cheap(group) for group in groups):
        return _in_order(groups, nest)
    if not spread:
        return None
    found = spread_values(statements, nest, names, _is_costly)
    if len(found.arrays) > MOST_ARRAYS:
        return None
    nodes = _in_order(_groups(found.statements, nest) or [], nest)
    return None if nodes is None else (Block(found.arrays, (found.nest, *nodes)),)


def _in_order(groups: list[Group], nest: Nest) -> tuple[Node, ...] | None:
    """The loops of all groups, each in gather form; None where no order lets every read come before the write."""
    ordered = _ordered(groups)
    if ordered is None:
        return None
    nodes: list[Node] = []
    for group in ordered:
        signs = _signs(group)
        if signs is None or len(signs) > 1:
            return None
        first = group.statements[0]
        loops = pieces(tuple(statement.tasklet for statement in group.statements), group.targets, nest, next(iter(signs), None))
        nodes += loops if first.guard is None else (_under(first.guard, loops, first.tasklet),)
    return tuple(nodes)


def _under(guard: Expression, body: tuple[Node, ...], node: Tasklet) -> Branch:
    return Branch(guard, Block((), body), Block((), ()), node.where, f"{node.key}?!")


def _inlined(nest: Nest) -> tuple[Guarded, ...] | None:
    """The statements on arrays with the scalars of the body put in, those that assign perhaps under a condition; None where that is not
    possible: a scalar that a subset names cannot be put in."""
    own = {array.name for array in nest.body.arrays if array.rank == 0}
    if len(own) != len(nest.body.arrays) or any(own & symbol_names(node) for node in walk(nest.body)):
        return None
    values: dict[str, Expression] = {}
    kept: list[Guarded] = []
    changed: set[str] = set()
    for node in nest.body.body:
        statement = guarded(node, nest)
        if statement is None or any(memlet.array in changed for memlet in reads(statement.tasklet)):
            return None
        tasklet, name = statement.tasklet, statement.tasklet.write.array
        if statement.guard is not None and (tasklet.accumulate or name in own):
            return None
        value = map_expression(tasklet.value, lambda part: values.get(part.memlet.array, part) if isinstance(part, Read) else part)
        if name in own:
            values[name] = _plus(values[name], value) if tasklet.accumulate else value
        else:
            kept.append(replace(statement, tasklet=replace(tasklet, value=value)))
            changed.add(name)
    return tuple(kept)


def _plus(a: Expression, b: Expression) -> Expression:
    return b if is_constant(a, 0.0) else add(a, b)


def _groups(statements: tuple[Guarded, ...], nest: Nest) -> list[Group] | None:
    found: dict[tuple[object, ...], list[tuple[Guarded, Access, tuple[Access, ...]]]] = {}
    for number, statement in enumerate(statements):
        node = statement.tasklet
        target = access_of(node.write, nest)
        if not target.is_injective:
            return None
        own = () if node.accumulate else (number,)
        row = (statement, target, tuple(access_of(memlet, nest) for memlet in reads(node)))
        found.setdefault((target.array, target.place, target.rest, own), []).append(row)
    return [Group(*(tuple(column) for column in zip(*rows, strict=True))) for rows in found.values()]


def _is_cheap(group: Group) -> bool:
    """Whether no costly operation is done for more than one shift of a cell; a division by a constant is taken out of the sum."""
    if len({target.shift for target in group.targets}) == 1:
        return True
    return not any(_is_costly(part) for statement in group.statements for part in walk_expression(statement.tasklet.value))


def _is_costly(part: Expression) -> bool:
    if not isinstance(part, Apply) or part.operation not in COSTLY:
        return False
    return part.operation != "div" or not isinstance(part.operands[1], Constant)


def _is_stencil(group: Group) -> bool:
    return group.adds and (len(group.statements) > 1 or any(group.targets[0].shift))


def _pairs(writer: Group, reader: Group) -> Iterator[tuple[Access, Access]]:
    """Each target of the one group with each source of the other."""
    return ((target, source) for target in writer.targets for sources in reader.sources for source in sources)


def _reads_are_old(groups: list[Group], nest: Nest) -> bool:
    """Whether every read sees a value from before the nest, and no cell is both assigned and accumulated or assigned twice."""
    for writer in groups:
        for other in groups:
            if any(may_flow(target, source, nest, is_behind=False) for target, source in _pairs(writer, other)):
                return False
            both_add = writer.adds and other.adds
            if other is not writer and not both_add and _share_cells(writer, other):
                return False
    return True


def _share_cells(first: Group, second: Group) -> bool:
    return any(gap_between(a, b) is not Unmet.NEVER for a in first.targets for b in second.targets)


def _reads(reader: Group, writer: Group) -> bool:
    """Whether one group may read what another writes."""
    return any(gap_between(target, source) is not Unmet.NEVER for target, source in _pairs(writer, reader))


def _ordered(groups: list[Group]) -> list[Group] | None:
    """The groups in an order in which every cell is read before it is written by another group; None where there is none."""
    left, done = list(groups), list[Group]()
    while left:
        ready = [group for group in left if not any(_reads(other, group) for other in left if other is not group)]
        if not ready:
            return None
        done += ready
        left = [g for g in left if all(g is not r for r in ready)]
    return done


def _signs(group: Group) -> set[int] | None:
    """The orders, 1 upwards and -1 downwards, that a group's cells must have so that each is read before it is written; None: unknown.

    In gather form cell x is written where the source x + v is read: upwards needs every v >= 0, downwards every v <= 0.
    """
    signs = set()
    for target, sources in zip(group.targets, group.sources, strict=True):
        for source in sources:
            gap = gap_between(source, target)
            if gap is Unmet.UNKNOWN:
                return None
            if not isinstance(gap, Unmet):
                signs.add(sign(gap))
    return signs - {0}
