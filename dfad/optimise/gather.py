"""Adjoint stencils become gathers: ``x_bar[i+o] += c*y_bar[i]`` for several o turns into one loop ``x_bar[i] += sum c*y_bar[i-o]``.

In: a PLANNED Program, tidy. Out: the same in which each perfect nest of an adjoint stencil is split into one nest for each group of
targets that differ by shifts only; the statements of a group run in one pass over the cells that any of them reaches. Each dimension is
cut into the core, where all of them reach, and the rims, where each is tested; so a domain narrower than the stencil is right too.
What stays true: every contribution reaches its cell, and every read sees what it saw; the order of a cell's sum changes.

Legal when, in the original order, no instance reads a cell that an earlier one wrote, and no cell is both assigned and accumulated;
then groups are ordered so that each cell is read before it is written. What it does not do: nests that read what they restore, or have
a branch on data, a non-unit step, or a bound that depends on an index of the nest (the outer loops are left alone then).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dfad.analysis.shifts import Access, Nest, Vector, access_of, distance, is_rectangular, order, perfect_nest
from dfad.ir.nodes import Apply, Block, Branch, Constant, Expression, Integer, Loop, Node, Program, Read, Tasklet
from dfad.ir.walk import map_expression, reads, walk_expression
from dfad.optimise.pieces import pieces

COSTLY = frozenset({"div", "sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "sinh", "cosh", "pow", "hypot", "arctan2", "arctan"})
"""Operations that are not worth doing again for each of a cell's contributions."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A write to an array with the scalars of the body put in, and the condition that it stands under (the same for all instances)."""

    node: Tasklet
    guard: Expression | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Statements of one nest whose targets differ by shifts only."""

    statements: tuple[Statement, ...]
    targets: tuple[Access, ...]
    sources: tuple[tuple[Access, ...], ...]

    @property
    def adds(self) -> bool:
        """Whether the statements accumulate; otherwise there is one, which assigns."""
        return self.statements[0].node.accumulate


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
    statements = _inlined(nest)
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
        signs = _signs(group)
        if signs is None or len(signs) > 1:
            return None
        first = group.statements[0]
        loops = pieces(tuple(statement.node for statement in group.statements), group.targets, nest, next(iter(signs), None))
        nodes += loops if first.guard is None else (_under(first.guard, loops, first.node),)
    return tuple(nodes)


def _under(guard: Expression, body: tuple[Node, ...], node: Tasklet) -> Branch:
    return Branch(guard, Block((), body), Block((), ()), node.where, f"{node.key}?!")


def _inlined(nest: Nest) -> tuple[Statement, ...] | None:
    """The statements on arrays with the scalars of the body put in; None where that is not possible."""
    own = {array.name for array in nest.body.arrays if array.rank == 0}
    if len(own) != len(nest.body.arrays):
        return None
    values: dict[str, Expression] = {}
    kept: list[Statement] = []
    changed: set[str] = set()
    for node in nest.body.body:
        statement = _unguarded(node, nest)
        if statement is None or any(memlet.array in changed for memlet in reads(statement.node)):
            return None
        value = map_expression(statement.node.value, lambda part: values.get(part.memlet.array, part) if isinstance(part, Read) else part)
        name = statement.node.write.array
        if name not in own:
            kept.append(replace(statement, node=replace(statement.node, value=value)))
            changed.add(name)
        elif statement.guard is not None:
            return None
        else:
            values[name] = _plus(values[name], value) if statement.node.accumulate else value
    return tuple(kept)


def _unguarded(node: Node, nest: Nest) -> Statement | None:
    """The node as a statement: a Tasklet, or one that assigns under a condition that no index of the nest decides."""
    match node:
        case Tasklet():
            return Statement(node)
        case Branch(guard=guard, then=Block(arrays=(), body=(Tasklet(accumulate=False) as inner,)), orelse=Block(body=())):
            symbols = {item for part in walk_expression(guard) if isinstance(part, Integer) for item in part.value.free_symbols}
            return None if reads(node) or symbols & set(nest.indices) else Statement(inner, guard)
        case _:
            return None


def _plus(a: Expression, b: Expression) -> Expression:
    return b if isinstance(a, Constant) and a.value == 0.0 else Apply("add", (a, b), a.dtype)


def _groups(statements: tuple[Statement, ...], nest: Nest) -> list[Group] | None:
    found: dict[tuple[object, ...], list[tuple[Statement, Access, tuple[Access, ...]]]] = {}
    for number, statement in enumerate(statements):
        node = statement.node
        target = access_of(node.write, nest)
        if target is None or None in target.shift:
            return None
        own = () if node.accumulate else (number,)
        found.setdefault((target.array, target.place, target.rest, own), []).append((statement, target, _sources(node, nest)))
    groups = [Group(*(tuple(column) for column in zip(*rows, strict=True))) for rows in found.values()]
    return groups if all(_is_worth_it(group) for group in groups) else None


def _is_worth_it(group: Group) -> bool:
    """Whether no costly operation is done for more than one shift of a cell; a division by a constant is taken out of the sum."""
    if len({target.shift for target in group.targets}) == 1:
        return True
    return not any(_is_costly(part) for statement in group.statements for part in walk_expression(statement.node.value))


def _is_costly(part: Expression) -> bool:
    if not isinstance(part, Apply) or part.operation not in COSTLY:
        return False
    return part.operation != "div" or not isinstance(part.operands[1], Constant)


def _sources(node: Tasklet, nest: Nest) -> tuple[Access, ...]:
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
    return group.adds and (len(group.statements) > 1 or any(group.targets[0].shift))


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
            both_add = writer.adds and other.adds
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


def _signs(group: Group) -> set[int] | None:
    """The orders, 1 upwards and -1 downwards, that a group's cells must have so that each is read before it is written; None: unknown.

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
    return signs - {0}
