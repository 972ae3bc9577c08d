"""The trip in which a loop is left tells the guards of all its trips.

In: a PRIMAL Program. Out: the same in which each Loop that a flag leaves stands in a Block with

    left = stop;   for t: p = not flag; if p: ...; if q: flag = True; left = t;   last = left

and, by the key of a Branch, the guard of its reverse in terms of ``last``. What stays true: every value. Conditions, each checked:

1. the flag is False where the loop begins, and inside nothing but True is written to it, below the Branch on ``p``, which has the flag of
   the head of the trip: so ``p`` is true in the trips up to the one that sets the flag, and the flag is set in that trip only;
2. where one statement sets it, in no loop further inside, the innermost Branch around that statement takes its side in that trip only.

So the reverse of ``if p`` asks whether t is at most ``last``, and that of ``if q`` whether it is ``last``: one integer for each execution
of the loop instead of a byte or two for each trip. What it does not do: loops of unknown length, whose trips are counted (trips.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace

import sympy

from dfad.ir.algebra import compare_integers
from dfad.ir.dtype import BOOL, I64
from dfad.ir.memlet import Memlet, symbol
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import Apply, Array, Block, Branch, Constant, Expression, Integer, Loop, Node, Program, Read, Tasklet, While
from dfad.ir.walk import changed_arrays, children, exchanged, rewrite_block, walk

FEW = 8
"""Loops that are known to make no more trips than an integer has bytes are left alone."""


def tell_exits(program: Program) -> tuple[Program, dict[str, Expression]]:
    """The Program that keeps where its loops are left, and what that tells: key of a Branch -> guard of its reverse."""
    exits = _Exits(names_of(program), {})
    body = exits.block(program.body, frozenset())
    return (program if body is program.body else replace(program, body=body)), exits.guards


@dataclass(frozen=True, slots=True)
class _Way:
    """A way out of a loop: the Branch on ``not flag``, and the statements that set the flag."""

    branch: Branch
    flag: str
    setters: tuple[Tasklet, ...]


@dataclass(slots=True)
class _Exits:
    """The names in use, and the guards found so far."""

    names: Names
    guards: dict[str, Expression]

    def block(self, block: Block, clear: Set[str]) -> Block:
        """The Block, where the flags that are ``clear`` are False at its entry."""
        clear, body = set(clear), list[Node]()
        negated: dict[str, str] = {}
        for node in block.body:
            body.append(self.node(node, clear, negated))
            written = changed_arrays(node)
            clear -= written
            negated = {name: flag for name, flag in negated.items() if not {name, flag} & written}
            if flag := _cleared(node):
                clear.add(flag)
            if pair := _negation(node):
                negated[pair[0]] = pair[1]
        same = all(new is old for new, old in zip(body, block.body, strict=True))
        return block if same else replace(block, body=tuple(body))

    def node(self, node: Node, clear: Set[str], negated: dict[str, str]) -> Node:
        match node:
            case Block():
                return self.block(node, clear)
            case Branch():
                flag = negated.get(_name(node.guard))
                then = self.block(node.then, clear | {flag} if flag else clear)
                orelse = self.block(node.orelse, clear)
                return node if then is node.then and orelse is node.orelse else replace(node, then=then, orelse=orelse)
            case While():
                body = self.block(node.body, frozenset())
                return node if body is node.body else replace(node, body=body)
            case Loop():
                return self.loop(node, clear)
            case _:
                return node

    def loop(self, loop: Loop, clear: Set[str]) -> Node:
        written = changed_arrays(loop)
        body = self.block(loop.body, clear - written)
        changed = loop if body is loop.body else replace(loop, body=body)
        way = _way_out(changed, clear)
        return changed if way is None or _is_short(loop) else self.told(changed, way)

    def told(self, loop: Loop, way: _Way) -> Block:
        """The loop with what keeps the trip in which it is left."""
        left, last = (Array(self.names.fresh(f"{loop.index}_{word}"), I64) for word in ("left", "last"))
        up = loop.step > 0
        self.guards[way.branch.key] = compare_integers("le" if up else "ge", loop.index, symbol(last.name))
        if (decided := _decided(way)) is not None:
            branch, side = decided
            self.guards[branch.key] = compare_integers("eq" if side else "ne", loop.index, symbol(last.name))

        def marked(node: Node) -> Node | tuple[Node, ...]:
            if not any(node is setter for setter in way.setters):
                return node
            assert isinstance(node, Tasklet)
            return node, Tasklet(Memlet(left.name), Integer(loop.index), node.where, f"{node.key}@{left.name}")

        begin = Tasklet(Memlet(left.name), Integer(loop.stop), loop.where, f"{loop.key}@{left.name}")
        end = Tasklet(Memlet(last.name), Read(Memlet(left.name), I64), loop.where, f"{loop.key}@{last.name}")
        return Block((left, last), (begin, replace(loop, body=rewrite_block(loop.body, marked)), end))


# ---------------------------------------------------------------- ways out


def _way_out(loop: Loop, clear: Set[str]) -> _Way | None:
    """The way out of a loop by a flag that is False when it begins."""
    if exchanged(loop) & clear:
        return None
    for first, second in zip(loop.body.body, loop.body.body[1:], strict=False):
        pair = _negation(first)
        if pair is None or pair[1] not in clear or not isinstance(second, Branch) or _name(second.guard) != pair[0]:
            continue
        everywhere = _setters(loop, pair[1])
        below = _setters(second.then, pair[1])
        if below and len(below) == len(everywhere) and all(_is_set(setter) for setter in below):
            return _Way(second, pair[1], below)
    return None


def _setters(node: Node, flag: str) -> tuple[Tasklet, ...]:
    return tuple(inner for inner in walk(node) if isinstance(inner, Tasklet) and inner.write.array == flag)


def _is_set(node: Tasklet) -> bool:
    return node.value == Constant(True, BOOL) and not node.accumulate


def _is_short(loop: Loop) -> bool:
    trips = sympy.sympify(loop.stop - loop.start) / loop.step
    return bool(trips.is_number and trips <= FEW)


def _decided(way: _Way) -> tuple[Branch, bool] | None:
    """The innermost Branch around the only statement that sets the flag, and the side that it is on."""
    if len(way.setters) != 1:
        return None
    around = list(_around(way.branch.then, way.setters[0]))
    if any(isinstance(node, Loop | While) for node in around):
        return None
    branches = [node for node in around if isinstance(node, Branch)]
    return (branches[-1], any(node is branches[-1].then for node in around)) if branches else None


def _around(node: Node, target: Tasklet) -> Iterator[Node]:
    """The regions from the node down to the target, which is below it."""
    yield node
    for child in children(node):
        if any(inner is target for inner in walk(child)):
            yield from _around(child, target)


# ---------------------------------------------------------------- what statements say of flags


def _cleared(node: Node) -> str | None:
    """The flag that the node sets to False."""
    match node:
        case Tasklet(write=Memlet(array=name, subset=()), value=Constant(value=False, dtype=dtype), accumulate=False) if dtype == BOOL:
            return name
        case _:
            return None


def _negation(node: Node) -> tuple[str, str] | None:
    """The names p and flag of ``p = not flag``."""
    match node:
        case Tasklet(write=Memlet(array=name, subset=()), accumulate=False, value=Apply(operation="not", operands=(Read() as read,))):
            return (name, read.memlet.array) if not read.memlet.subset else None
        case _:
            return None


def _name(guard: Expression) -> str:
    """The scalar that a guard reads; empty where it is no such guard."""
    match guard:
        case Read(memlet=Memlet(array=name, subset=())):
            return name
        case _:
            return ""
