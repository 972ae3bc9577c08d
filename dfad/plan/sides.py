"""What a derivative asks of a value only by comparing it: which side was less, in a byte.

In: an ADJOINT Program. Out: the same in which, of statements in loops, the comparisons in the adjoint whose operands are overwritten before
the reverse sweep makes them are asked of a *side*: a scalar that the forward sweep sets in front of the statement,

    t = minimum(a[i], b)    ->    side = 1 if a[i] < b else 2 if a[i] == b else 3 if a[i] > b else 0;  t = minimum(a[i], b)

(0: one of them is NaN), or the comparison itself where the adjoint makes no other of the same two values. What stays true: every value,
and that the reverse sweep mirrors the forward one. A side is a scalar like any other: plan/locals.py stores or recomputes it. What it does
not do: operands of Library operations, values that the adjoint reads in other ways too (the cut sees that they are there).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from math import nan

from dfad.errors import CompilerBug
from dfad.ir.algebra import choose, compare, constant, zero_like
from dfad.ir.dtype import BOOL, I8
from dfad.ir.memlet import Memlet
from dfad.ir.names import Names, names_of
from dfad.ir.nodes import (
    Apply,
    Array,
    Block,
    Branch,
    Constant,
    Demand,
    Expression,
    Integer,
    Loop,
    Node,
    Program,
    Read,
    Select,
    Tasklet,
    While,
)
from dfad.ir.walk import map_expression, operands, reads, rewrite, walk, walk_expression
from dfad.plan.demands import Demands, is_met_at_entry, sweeps, wants_of

LESS, EQUAL, GREATER = (Constant(number, I8) for number in (1, 2, 3))
MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}

Question = tuple[Expression, ...]
"""Two values that are compared, or one condition, as the statement reads them."""


@dataclass(frozen=True, slots=True)
class Named:
    """An ADJOINT Program with sides; ``questions``: side -> the key of its statement and what is asked."""

    program: Program
    questions: dict[str, tuple[str, Question]]


def name_sides(program: Program, demands: Demands, only: Iterable[tuple[str, Question]] | None = None) -> Named:
    """The Program in which such comparisons are sides; ``only`` these where that is given."""
    forward, reverse = sweeps(program)
    naming = _Naming(demands, names_of(program), None if only is None else frozenset(only))
    blocks = naming.block(forward, reverse, is_inner=False)
    if not naming.questions:
        return Named(program, {})
    return Named(replace(program, body=replace(program.body, body=blocks)), naming.questions)


@dataclass(slots=True)
class _Naming:
    """One walk through both sweeps, side by side."""

    demands: Demands
    names: Names
    only: frozenset[tuple[str, Question]] | None
    questions: dict[str, tuple[str, Question]] = field(default_factory=dict)

    def block(self, forward: Block, reverse: Block, is_inner: bool = True) -> tuple[Block, Block]:
        prelude, *mirrored = reverse.body
        arrays: list[Array] = []
        ahead: list[Node] = []
        back: list[Node] = []
        for node, mirror in zip(forward.body, reversed(mirrored), strict=True):
            if is_inner and isinstance(node, Tasklet) and isinstance(mirror, Block):
                sides, mirror = self.statement(node, mirror)
                arrays += [side for side, _ in sides]
                ahead += [setting for _, setting in sides]
                back += [Block((), ()) for _ in sides]
            else:
                node, mirror = self.region(node, mirror)
            ahead.append(node)
            back.append(mirror)
        return replace(forward, arrays=(*forward.arrays, *arrays), body=tuple(ahead)), replace(reverse, body=(prelude, *reversed(back)))

    def region(self, node: Node, mirror: Node) -> tuple[Node, Node]:
        match node, mirror:
            case Block(), Block():
                return self.block(node, mirror)
            case Loop() | While(), Loop():
                body, back = self.block(node.body, mirror.body)
                return replace(node, body=body), replace(mirror, body=back)
            case Branch(), Branch():
                then, then_back = self.block(node.then, mirror.then)
                orelse, orelse_back = self.block(node.orelse, mirror.orelse)
                return replace(node, then=then, orelse=orelse), replace(mirror, then=then_back, orelse=orelse_back)
            case _, Block():
                return node, mirror
            case _:
                raise CompilerBug(f"the sweeps do not mirror each other at {node!r}")

    def statement(self, node: Tasklet, mirror: Block) -> tuple[list[tuple[Array, Tasklet]], Block]:
        """The sides of a statement, each with what sets it, and the adjoint that asks them."""
        asked = self.asked(node, mirror)
        sides = {question: self.side(node, question, relations) for question, relations in asked.items()}
        if not sides:
            return [], mirror

        def answer(part: Expression) -> Expression | None:
            question, relation = _asked(part, node, asked)
            return None if question not in sides else _answer(relation, _demand_of(sides[question][0], node), part)

        changed = rewrite(mirror, lambda inner: _with_answers(inner, answer))
        assert isinstance(changed, Block)
        return list(sides.values()), changed

    def asked(self, node: Tasklet, mirror: Block) -> dict[Question, set[str]]:
        """What the adjoint asks, each question with the relations that it tests."""
        found: dict[Question, set[str]] = {}

        def note(part: Expression) -> Expression | None:
            question, relation = _asked(part, node, found)
            if question and self.is_wanted(part, node, question):
                found.setdefault(question, set()).add(relation)
            return part if question else None

        for inner in walk(mirror):
            _with_answers(inner, note)
        return found

    def is_wanted(self, part: Expression, node: Tasklet, question: Question) -> bool:
        """Whether some value that is more than a byte is overwritten before the reverse sweep asks."""
        if self.only is not None:
            return (node.key, question) in self.only
        wants = (want for demand in _demands_in(part) if demand.dtype.bytes > 1 for want in wants_of(demand, self.demands))
        return any(self.demands.versions.records([want]) and not is_met_at_entry(want, self.demands) for want in wants)

    def side(self, node: Tasklet, question: Question, relations: set[str]) -> tuple[Array, Tasklet]:
        """The scalar and what sets it."""
        is_plain = len(relations) == 1 and "sign" not in relations
        array = Array(self.names.fresh("side"), BOOL if is_plain else I8)
        self.questions[array.name] = (node.key, question)
        value = _relation(next(iter(relations)), question) if is_plain else _order(*question)
        return array, Tasklet(Memlet(array.name), value, node.where, f"{node.key}?{array.name}")


# ---------------------------------------------------------------- questions and answers


def _asked(part: Expression, node: Tasklet, known: Collection[Question]) -> tuple[Question, str]:
    """The question that an expression of the adjoint asks and the relation that it tests; no question where it asks none."""
    if not _is_seen(part, node):
        return (), ""
    match part:
        case Apply(operation=relation, operands=(first, second)) if relation in MIRRORED:
            question = _forward(first), _forward(second)
            return (question[::-1], MIRRORED[relation]) if question[::-1] in known else (question, relation)
        case Apply(operation="sign", operands=(value,)) if value.dtype.is_float:
            return (_forward(value), zero_like(value)), "sign"
        case Apply(dtype=dtype) if dtype == BOOL:
            return (_forward(part),), "is"
        case _:
            return (), ""


def _is_seen(part: Expression, node: Tasklet) -> bool:
    """Whether the expression is made of what the statement saw, and of more than constants."""
    own = frozenset(reads(node))
    leaves = [leaf for leaf in walk_expression(part) if not isinstance(leaf, Apply | Select)]
    return any(isinstance(leaf, Demand) for leaf in leaves) and all(_is_own(leaf, node, own) for leaf in leaves)


def _is_own(leaf: Expression, node: Tasklet, own: frozenset[Memlet]) -> bool:
    match leaf:
        case Demand():
            return leaf.key == node.key and not leaf.after
        case Read():
            return leaf.memlet in own
        case _:
            return isinstance(leaf, Constant | Integer)


def _demands_in(part: Expression) -> Iterator[Demand]:
    return (leaf for leaf in walk_expression(part) if isinstance(leaf, Demand))


def _forward(part: Expression) -> Expression:
    """The expression as the statement evaluates it."""
    return map_expression(part, lambda leaf: Read(leaf.memlet, leaf.dtype) if isinstance(leaf, Demand) else leaf)


def _relation(relation: str, question: Question) -> Expression:
    return question[0] if relation == "is" else compare(relation, *question)


def _order(first: Expression, second: Expression) -> Expression:
    """How two values compare, as a number."""
    number: Expression = Constant(0, I8)
    for relation, holds in (("gt", GREATER), ("eq", EQUAL), ("lt", LESS)):
        number = choose(compare(relation, first, second), holds, number)
    return number


def _demand_of(side: Array, node: Tasklet) -> Demand:
    return Demand(Memlet(side.name), node.key, side.dtype)


def _answer(relation: str, side: Expression, part: Expression) -> Expression:
    """The relation, told from the side."""
    if side.dtype == BOOL:
        return side
    match relation:
        case "lt" | "eq" | "gt":
            return compare("eq", side, {"lt": LESS, "eq": EQUAL, "gt": GREATER}[relation])
        case "ne":
            return compare("ne", side, EQUAL)
        case "ge":
            return compare("ge", side, EQUAL)
        case "le":
            return Apply("or", (compare("eq", side, LESS), compare("eq", side, EQUAL)), BOOL)
        case "sign":
            value: Expression = constant(nan, part.dtype)
            for number, sign in ((GREATER, 1.0), (EQUAL, 0.0), (LESS, -1.0)):
                value = choose(compare("eq", side, number), constant(sign, part.dtype), value)
            return value
        case _:
            raise CompilerBug(f"no such relation: {relation}")


def _with_answers(node: Node, answer: Callable[[Expression], Expression | None]) -> Node:
    """The node with the largest parts of its expressions that have an answer replaced by it."""
    match node:
        case Tasklet():
            return replace(node, value=_from_above(node.value, answer))
        case Branch():
            return replace(node, guard=_from_above(node.guard, answer))
        case _:
            return node


def _from_above(expression: Expression, answer: Callable[[Expression], Expression | None]) -> Expression:
    found = answer(expression)
    if found is not None:
        return found
    match expression:
        case Apply():
            return replace(expression, operands=tuple(_from_above(operand, answer) for operand in expression.operands))
        case Select():
            condition, chosen, other = (_from_above(part, answer) for part in operands(expression))
            return Select(condition, chosen, other, expression.dtype)
        case _:
            return expression
