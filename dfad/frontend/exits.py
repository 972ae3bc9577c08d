"""`break`, `continue`, `else` of a loop and early `return`, rewritten as guards: syntax tree in, syntax tree out.

What stays true: the function computes the same, and every statement keeps its place in the source. After the rewrite a `return` stands
only at the end of the function, and a `for` runs all its trips, those after a `break` empty. The rules, S being a statement and R what
follows it:

1. ``if c: ... exit`` and R: the exit makes R unreachable from that side, so R moves into the other side;
2. S that may exit in another way, and R: ``S; if not flag: R``, with the flag of the loop (or function) that the exit leaves;
3. a `for` that may break or return: ``flag = False; for trip in range: if not flag: i = trip; body``;
4. a `while` that may break or return: ``flag = False; while not flag and condition: body``;
5. the ``else`` of a loop runs where the flag is not set.

A flag that is never read is not made.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

Body = list[ast.stmt]
Made = TypeVar("Made", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class Loop:
    """The flags of the loop that a `break` or `continue` belongs to."""

    broken: str
    skipped: str


@dataclass(slots=True)
class Exits:
    """The names of one rewrite, and how the function returns."""

    taken: set[str]
    results: list[str]
    is_tuple: bool
    returned: str
    flags: set[str] = field(default_factory=set)

    def name(self, base: str) -> str:
        """A name that the function does not use."""
        while base in self.taken:
            base += "_"
        self.taken.add(base)
        return base


def without_exits(function: ast.FunctionDef) -> ast.FunctionDef:
    """The function with its exits as guards; the same object when it has none."""
    if not any(_exits_inside(statement) for statement in function.body):
        return function
    taken = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} | {
        node.arg for node in ast.walk(function) if isinstance(node, ast.arg)
    }
    exits = Exits(taken, [], False, "")
    exits.returned = exits.name("returned")
    exits.flags.add(exits.returned)
    _name_results(exits, function)
    body = [_assign(function, exits.returned, False), *_rewrite(exits, _with_end(exits, function.body), None)]
    body = _prune(exits, body)
    if exits.results:
        body.append(_final_return(exits, function))
    rewritten = ast.FunctionDef(name=function.name, args=function.args, body=body, decorator_list=[], returns=None, type_comment=None)
    return ast.fix_missing_locations(ast.copy_location(rewritten, function))


def _with_end(exits: Exits, body: Body) -> Body:
    """The statements with the ``return None`` at their end said, where some path gives a value and another may come to the end."""
    return [*body, _at(body[-1], ast.Return(value=None))] if exits.results and _may_end(body) else body


def _may_end(body: Sequence[ast.stmt]) -> bool:
    """Whether a path may reach the end of the statements of a function."""
    match body[-1] if body else None:
        case ast.Return():
            return False
        case ast.If() as last:
            return _may_end(last.body) or _may_end(last.orelse)
        case ast.For(orelse=[_, *_] as after) | ast.While(orelse=[_, *_] as after):
            return _may_end(after)
        case ast.While(test=ast.Constant(value=condition)):
            return not condition
        case _:
            return True


def _exits_inside(statement: ast.stmt) -> bool:
    """Whether a statement holds an exit, or an `else` of a loop, below itself."""
    inner = [node for node in ast.walk(statement) if node is not statement]
    return any(isinstance(node, ast.Break | ast.Continue | ast.Return) for node in inner) or any(
        isinstance(node, ast.For | ast.While) and node.orelse for node in ast.walk(statement)
    )


def _name_results(exits: Exits, function: ast.FunctionDef) -> None:
    """One variable for what the function returns, or one for each item where every `return` has a tuple of one length."""
    values = [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]
    lengths = {len(value.elts) if isinstance(value, ast.Tuple) else -1 for value in values}
    if len(lengths) == 1 and -1 not in lengths:
        exits.is_tuple = True
        exits.results = [exits.name(f"result_{position}") for position in range(lengths.pop())]
    elif values:
        exits.results = [exits.name("result")]


# ---------------------------------------------------------------- rules


def _rewrite(exits: Exits, body: Sequence[ast.stmt], loop: Loop | None) -> Body:
    """The statements with their exits as guards (rules 1 and 2)."""
    done: Body = []
    for position, statement in enumerate(body):
        rest = body[position + 1 :]
        match statement:
            case ast.Return():
                return [*done, *_return(exits, statement)]
            case ast.Break() if loop is not None:
                return [*done, _assign(statement, loop.broken, True)]
            case ast.Continue() if loop is not None:
                return [*done, _assign(statement, loop.skipped, True)]
            case ast.If() if _always_exits(statement.body) or _always_exits(statement.orelse):
                return [*done, _moved(exits, statement, rest, loop)]
            case _:
                done += _inside(exits, statement, loop)
                flags = sorted(_may_set(exits, statement, loop))
                if flags and rest:
                    return [*done, *_guarded(statement, flags, _rewrite(exits, rest, loop))]
    return done


def _moved(exits: Exits, statement: ast.If, rest: Sequence[ast.stmt], loop: Loop | None) -> ast.If:
    """Rule 1."""
    into_else = _always_exits(statement.body)
    then = statement.body if into_else else [*statement.body, *rest]
    orelse = [*statement.orelse, *rest] if into_else and not _always_exits(statement.orelse) else statement.orelse
    return _at(
        statement, ast.If(test=statement.test, body=_some(statement, _rewrite(exits, then, loop)), orelse=_rewrite(exits, orelse, loop))
    )


def _inside(exits: Exits, statement: ast.stmt, loop: Loop | None) -> Body:
    """A statement with the exits below it rewritten."""
    match statement:
        case ast.If() if _exits_inside(statement):
            then, orelse = _rewrite(exits, statement.body, loop), _rewrite(exits, statement.orelse, loop)
            return [_at(statement, ast.If(test=statement.test, body=_some(statement, then), orelse=orelse))]
        case ast.For() if _exits_inside(statement):
            return _for(exits, statement, loop)
        case ast.While() if _exits_inside(statement):
            return _while(exits, statement, loop)
        case _:
            return [statement]


def _for(exits: Exits, statement: ast.For, outer: Loop | None) -> Body:
    """Rule 3."""
    loop, flags = _flags_of(exits, statement)
    inner = [_assign(statement, loop.skipped, False), *_rewrite(exits, statement.body, loop)]
    target = statement.target
    if flags:
        trip = exits.name(f"{target.id}_trip" if isinstance(target, ast.Name) else "trip")
        bind = _at(statement, ast.Assign(targets=[target], value=_load(statement, trip), type_comment=None))
        inner = _guarded(statement, flags, [bind, *inner])
        target = _at(target, ast.Name(id=trip, ctx=ast.Store()))
    rewritten = _at(statement, ast.For(target=target, iter=statement.iter, body=inner, orelse=[], type_comment=None))
    return [_assign(statement, loop.broken, False), rewritten, *_after_loop(exits, statement, flags, outer)]


def _while(exits: Exits, statement: ast.While, outer: Loop | None) -> Body:
    """Rule 4; a condition that is constantly true leaves the flags alone."""
    loop, flags = _flags_of(exits, statement)
    inner = [_assign(statement, loop.skipped, False), *_rewrite(exits, statement.body, loop)]
    test = statement.test
    if flags:
        parts: list[ast.expr] = [_not(test, flag) for flag in flags]
        parts += [] if isinstance(test, ast.Constant) and test.value else [test]
        test = parts[0] if len(parts) == 1 else _at(test, ast.BoolOp(op=ast.And(), values=parts))
    rewritten = _at(statement, ast.While(test=test, body=inner, orelse=[]))
    return [_assign(statement, loop.broken, False), rewritten, *_after_loop(exits, statement, flags, outer)]


def _flags_of(exits: Exits, statement: ast.For | ast.While) -> tuple[Loop, list[str]]:
    """The flags of a loop, and those that leave it: its own, and that of the function."""
    loop = Loop(exits.name("broken"), exits.name("skipped"))
    exits.flags |= {loop.broken, loop.skipped}
    return loop, sorted(_sets(exits, statement.body, loop) & {loop.broken, exits.returned})


def _after_loop(exits: Exits, statement: ast.For | ast.While, flags: Sequence[str], outer: Loop | None) -> Body:
    """Rule 5."""
    after = _rewrite(exits, statement.orelse, outer)
    return _guarded(statement, flags, after) if after and flags else after


def _return(exits: Exits, statement: ast.Return) -> Body:
    """The value into the result variables, and the flag."""
    found: Body = []
    if exits.results:
        value = statement.value or _nothing(exits, statement)
        names: list[ast.expr] = [_at(statement, ast.Name(id=name, ctx=ast.Store())) for name in exits.results]
        target = _at(statement, ast.Tuple(elts=names, ctx=ast.Store())) if exits.is_tuple else names[0]
        found.append(_at(statement, ast.Assign(targets=[target], value=value, type_comment=None)))
    return [*found, _assign(statement, exits.returned, True)]


def _nothing(exits: Exits, place: ast.stmt) -> ast.expr:
    """None, for each result."""
    nones: list[ast.expr] = [_at(place, ast.Constant(value=None)) for _ in exits.results]
    return _at(place, ast.Tuple(elts=nones, ctx=ast.Load())) if exits.is_tuple else nones[0]


def _final_return(exits: Exits, function: ast.FunctionDef) -> ast.Return:
    last = function.body[-1]
    names: list[ast.expr] = [_load(last, name) for name in exits.results]
    return _at(last, ast.Return(value=_at(last, ast.Tuple(elts=names, ctx=ast.Load())) if exits.is_tuple else names[0]))


# ---------------------------------------------------------------- what exits


def _always_exits(body: Sequence[ast.stmt]) -> bool:
    """Whether no path reaches the end of the statements."""
    match body[-1] if body else None:
        case ast.Return() | ast.Break() | ast.Continue():
            return True
        case ast.If() as last:
            return _always_exits(last.body) and _always_exits(last.orelse)
        case _:
            return False


def _may_set(exits: Exits, statement: ast.stmt, loop: Loop | None) -> set[str]:
    """The flags that a statement may have set when control goes on behind it."""
    match statement:
        case ast.If():
            return _sets(exits, [*statement.body, *statement.orelse], loop)
        case ast.For() | ast.While():
            return (_sets(exits, statement.body, None) & {exits.returned}) | _sets(exits, statement.orelse, loop)
        case ast.Return():
            return {exits.returned}
        case ast.Break():
            return {loop.broken} if loop is not None else set()
        case ast.Continue():
            return {loop.skipped} if loop is not None else set()
        case _:
            return set()


def _sets(exits: Exits, body: Sequence[ast.stmt], loop: Loop | None) -> set[str]:
    return {flag for statement in body for flag in _may_set(exits, statement, loop)}


# ---------------------------------------------------------------- making nodes


def _at(place: ast.AST, node: Made) -> Made:
    return ast.fix_missing_locations(ast.copy_location(node, place))


def _load(place: ast.AST, name: str) -> ast.Name:
    return _at(place, ast.Name(id=name, ctx=ast.Load()))


def _assign(place: ast.AST, name: str, value: bool) -> ast.Assign:
    target = _at(place, ast.Name(id=name, ctx=ast.Store()))
    return _at(place, ast.Assign(targets=[target], value=_at(place, ast.Constant(value=value)), type_comment=None))


def _guarded(place: ast.stmt, flags: Sequence[str], body: Body) -> Body:
    """``if not flag: body``, for all of the flags."""
    for flag in reversed(flags):
        body = [_at(place, ast.If(test=_not(place, flag), body=_some(place, body), orelse=[]))]
    return body


def _not(place: ast.AST, flag: str) -> ast.UnaryOp:
    return _at(place, ast.UnaryOp(op=ast.Not(), operand=_load(place, flag)))


def _some(place: ast.AST, body: Body) -> Body:
    return body or [_at(place, ast.Pass())]


def _prune(exits: Exits, body: Body) -> Body:
    """The statements without assignments to flags that nobody reads."""
    read = {node.id for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    unread = exits.flags - read
    return _kept(body, unread)


def _kept(body: Sequence[ast.stmt], unread: set[str]) -> Body:
    found: Body = []
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in unread:
                continue
            case ast.If():
                then, orelse = _kept(statement.body, unread), _kept(statement.orelse, unread)
                found.append(_at(statement, ast.If(test=statement.test, body=_some(statement, then), orelse=orelse)))
            case ast.For():
                inner = _some(statement, _kept(statement.body, unread))
                found.append(
                    _at(statement, ast.For(target=statement.target, iter=statement.iter, body=inner, orelse=[], type_comment=None))
                )
            case ast.While():
                inner = _some(statement, _kept(statement.body, unread))
                found.append(_at(statement, ast.While(test=statement.test, body=inner, orelse=[])))
            case _:
                found.append(statement)
    return found
