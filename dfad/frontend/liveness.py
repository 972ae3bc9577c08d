"""Live variables of a function, on its syntax tree.

Definition. A variable is *live* at a point when some path from there reads it before assigning it. For a region (a loop or an `if`):

1. ``assigned``: the variables that a statement in it binds, the loop's target included;
2. ``carried``: those assigned that are live where the region ends or, for a loop, where its next trip begins: they need a home outside;
3. ``entering``: the variables live where the region begins.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

Names = frozenset[str]
NONE: Names = frozenset()

LoopStatement = ast.For | ast.While
RegionStatement = ast.For | ast.While | ast.If


@dataclass(frozen=True, slots=True)
class Facts:
    """What a region does with variables (clauses 1 to 3 above)."""

    assigned: Names
    carried: Names
    entering: Names


@dataclass(slots=True)
class Liveness:
    """The facts of each region of one function, by statement, and what is live after each statement."""

    local: Names
    regions: dict[ast.stmt, Facts] = field(default_factory=dict)
    after: dict[ast.stmt, Names] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Exits:
    """What is live where `break`, `continue` and `return` lead."""

    broken: Names = NONE
    continued: Names = NONE


def live_variables(function: ast.FunctionDef) -> Liveness:
    """The live variables of a function."""
    parameters = {argument.arg for argument in parameters_of(function)}
    found = Liveness(frozenset(parameters | set(assigned_names(function.body))))
    _before_all(found, function.body, NONE, _Exits())
    return found


def parameters_of(function: ast.FunctionDef) -> list[ast.arg]:
    """Positional and keyword parameters in order."""
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def assigned_names(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that the statements bind, with repetition."""
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def plainly_assigned(body: Sequence[ast.stmt], name: str) -> Iterator[ast.stmt]:
    """The statements that bind the name other than by an augmented assignment."""
    for statement in body:
        for node in ast.walk(statement):
            match node:
                case ast.Assign(targets=targets):
                    bound = any(_binds(target, name) for target in targets)
                case ast.AnnAssign(target=target) | ast.For(target=target):
                    bound = _binds(target, name)
                case _:
                    continue
            if bound:
                yield node


def is_augmented(body: Sequence[ast.stmt], name: str) -> bool:
    """Whether an augmented assignment to the name is among the statements, or in them."""
    nodes = (node for statement in body for node in ast.walk(statement))
    return any(isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name for node in nodes)


def is_appended(body: Sequence[ast.stmt], name: str) -> bool:
    """Whether a method of what the name means is called among the statements, or in them."""
    nodes = (node for statement in body for node in ast.walk(statement))
    return any(isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name for node in nodes)


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name for node in ast.walk(target))


def is_exchange(statement: ast.stmt) -> bool:
    """Whether the statement is of the form ``a, b = b, a``: names on both sides, the same ones."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            names = [node.id for node in (*targets, *values) if isinstance(node, ast.Name)]
            half = len(targets)
            return len(names) == half + len(values) and len(set(names[:half])) == half and set(names[:half]) == set(names[half:])
        case _:
            return False


def _reads(*nodes: ast.AST | None) -> Names:
    """The names that expressions and targets read."""
    return frozenset(
        part.id
        for node in nodes
        if node is not None
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    )


def _stores(*targets: ast.expr) -> Names:
    return frozenset(
        part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    )


def _before_all(found: Liveness, body: Sequence[ast.stmt], after: Names, exits: _Exits) -> Names:
    for statement in reversed(body):
        after = _before(found, statement, after, exits)
    return after


def _before(found: Liveness, statement: ast.stmt, after: Names, exits: _Exits) -> Names:
    """What is live before a statement, from what is live after it."""
    found.after[statement] = after
    match statement:
        case ast.Assign(targets=targets, value=value):
            return (after - _stores(*targets)) | _reads(value, *targets)
        case ast.AnnAssign(target=target, value=value):
            return (after - _stores(target)) | _reads(value, target)
        case ast.AugAssign(target=target, value=value):
            return after | _stores(target) | _reads(value, target)
        case ast.If():
            return _before_if(found, statement, after, exits)
        case ast.For() | ast.While():
            return _before_loop(found, statement, after, exits)
        case ast.Return(value=value):
            return _reads(value)
        case ast.Break():
            return exits.broken
        case ast.Continue():
            return exits.continued
        case _:
            return after | _reads(statement)


def _before_if(found: Liveness, statement: ast.If, after: Names, exits: _Exits) -> Names:
    then = _before_all(found, statement.body, after, exits)
    orelse = _before_all(found, statement.orelse, after, exits)
    before = _reads(statement.test) | then | orelse
    assigned = frozenset(assigned_names([*statement.body, *statement.orelse]))
    found.regions[statement] = Facts(assigned, assigned & after, before)
    return before


def _before_loop(found: Liveness, statement: LoopStatement, after: Names, exits: _Exits) -> Names:
    """At the head of a loop lives what the body needs and what its end needs; twice round is a fixed point."""
    targets = _stores(statement.target) if isinstance(statement, ast.For) else NONE
    test = _reads(statement.test) if isinstance(statement, ast.While) else NONE
    leaving = _before_all(found, statement.orelse, after, exits)
    head = leaving | test
    for _ in range(2):
        head |= _before_all(found, statement.body, head, _Exits(after, head)) - targets
    assigned = frozenset(assigned_names(statement.body)) | targets
    before = head | (_reads(statement.iter) if isinstance(statement, ast.For) else NONE)
    found.regions[statement] = Facts(assigned, assigned & (head | after), before)
    return before
