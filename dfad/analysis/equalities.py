"""What cells are known to equal: before a statement, in each instance of it, `v` is what the expression `E` gives there.

A *fact* `v = E` begins with the Tasklet that assigns `E` to `v`, unless `E` reads `v`; it ends when `v`, or what `E` reads, is written or
exchanged, and where an index or an array that it names goes out of scope. Behind a branch hold the facts of both sides. At the head of
a loop holds what was known before it and is not touched inside, and each fact of the end of a trip that holds at entry, too: there the
values that `v` and the operands of `E` have by the facts in front of the loop are put in, constants are folded, and both sides must be one
expression. Equal means equal bits, but for what the folding of constants rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from dfad.errors import CompilerBug
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Apply, Block, Branch, Check, Constant, Exchange, Expression, Library, Loop, Node, Read, Repetition, Tasklet, While
from dfad.ir.operations import OPERATIONS
from dfad.ir.walk import changed_arrays, expression_symbols, map_expression, walk_expression

LARGEST = 32
"""Expressions of more parts are not looked at."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What a cell equals; ``names``: the arrays and symbols that the cell and the expression name, but for the array of the cell."""

    value: Expression
    names: frozenset[str]


Facts = Mapping[Memlet, Fact]
"""What is known of each cell."""


def equalities(forward: Block) -> dict[str, Facts]:
    """The facts before each Tasklet and each loop, by its key."""
    found: dict[str, Facts] = {}
    _through(forward, {}, found)
    return found


def _through(node: Node, facts: Facts, found: dict[str, Facts]) -> Facts:
    """The facts behind a node; ``found`` gets those before each Tasklet and loop below."""
    match node:
        case Block():
            for child in node.body:
                facts = _through(child, facts, found)
            return _without(facts, {array.name for array in node.arrays})
        case Tasklet():
            found[node.key] = facts
            return _assigned(node, facts)
        case Library() | Exchange() | Check():
            return _without(facts, changed_arrays(node))
        case Branch():
            then, orelse = _through(node.then, facts, found), _through(node.orelse, facts, found)
            return {cell: fact for cell, fact in then.items() if cell in orelse and _is_same(fact.value, orelse[cell].value)}
        case Loop() | While():
            found[node.key] = facts
            head = _at_head(node, facts)
            _through(node.body, head, found)
            return head
        case _:
            raise CompilerBug(f"no such node: {node!r}")


def _assigned(node: Tasklet, facts: Facts) -> Facts:
    """The facts behind an assignment."""
    left = _without(facts, {node.write.array})
    parts = list(walk_expression(node.value))
    names = {part.memlet.array for part in parts if isinstance(part, Read)}
    if node.accumulate or node.write.array in names or len(parts) > LARGEST:
        return left
    names |= {symbol.name for symbol in (*expression_symbols(node.value), *node.write.symbols())}
    return {**left, node.write: Fact(node.value, frozenset(names))}


def _at_head(loop: Repetition, before: Facts) -> Facts:
    """The facts at the head of each trip; they hold behind the last one, too."""
    kept = _without(before, changed_arrays(loop))
    end = _without(_through(loop.body, kept, {}), {loop.index.name})
    return {**kept, **{cell: fact for cell, fact in end.items() if cell not in kept and _holds(cell, fact.value, before)}}


def _holds(cell: Memlet, value: Expression, facts: Facts) -> bool:
    """Whether the facts tell that the cell is what the expression gives."""
    return cell in facts and _is_same(_known(facts[cell].value, facts), _known(value, facts))


def _known(expression: Expression, facts: Facts) -> Expression:
    """The expression with the constants and copies put in that its operands are, constants folded."""

    def put_in(part: Expression) -> Expression:
        match part:
            case Read(memlet) if memlet in facts and _is_copy(facts[memlet].value, part):
                return _known(facts[memlet].value, facts)
            case Apply() if part.dtype.is_float and all(isinstance(operand, Constant) for operand in part.operands):
                return _folded(part)
            case _:
                return part

    return map_expression(expression, put_in)


def _is_copy(value: Expression, part: Read) -> bool:
    return isinstance(value, Constant | Read) and value.dtype == part.dtype


def _folded(part: Apply) -> Constant:
    numbers = [part.dtype.numpy.type(operand.value) for operand in part.operands if isinstance(operand, Constant)]
    with np.errstate(all="ignore"):
        return Constant(float(OPERATIONS[part.operation].meaning(*numbers)), part.dtype)


def _is_same(first: Expression, second: Expression) -> bool:
    """Whether two expressions are written alike: 0.0 is not -0.0, though they compare equal."""
    return first == second and repr(first) == repr(second)


def _without(facts: Facts, gone: Iterable[str]) -> Facts:
    """The facts that name none of these arrays and indices."""
    names = frozenset(gone)
    return {cell: fact for cell, fact in facts.items() if cell.array not in names and not fact.names & names} if names else facts
