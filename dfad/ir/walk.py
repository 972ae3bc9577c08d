"""One generic walk and one generic rewrite, over trees and over expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

import sympy

from dfad.errors import CompilerBug
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import (
    Apply,
    Array,
    Block,
    Branch,
    Check,
    Constant,
    Demand,
    Exchange,
    Expression,
    Integer,
    Library,
    Loop,
    Node,
    Program,
    Read,
    Select,
    Tasklet,
    While,
)
from dfad.source import Location

Change = Callable[[sympy.Expr], sympy.Expr]

REMEMBERED = 1 << 14
"""For how many nodes what they read and name is remembered: passes ask again and again, and most nodes go through all of them unchanged."""


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below a node, in the order of execution."""
    match node:
        case Block():
            return node.body
        case Loop() | While():
            return (node.body,)
        case Branch():
            return (node.then, node.orelse)
        case Tasklet() | Library() | Exchange() | Check():
            return ()
        case _:
            raise CompilerBug(f"no such node: {node!r}")


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, parents first, in the order of the text."""
    pending = [node]
    while pending:
        found = pending.pop()
        yield found
        pending += reversed(children(found))


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions directly below an expression."""
    match expression:
        case Apply():
            return expression.operands
        case Select():
            return (expression.condition, expression.chosen, expression.other)
        case Constant() | Integer() | Read() | Demand():
            return ()
        case _:
            raise CompilerBug(f"no such expression: {expression!r}")


def walk_expression(expression: Expression) -> Iterator[Expression]:
    """The expression and everything below it, parents first."""
    pending = [expression]
    while pending:
        found = pending.pop()
        yield found
        pending += reversed(operands(found))


def expressions(node: Node) -> tuple[Expression, ...]:
    """The expressions that the node itself evaluates."""
    match node:
        case Tasklet():
            return (node.value,)
        case Branch() | While():
            return (node.guard,)
        case Check():
            return (node.condition, *node.values)
        case Block() | Loop() | Library() | Exchange():
            return ()
        case _:
            raise CompilerBug(f"no such node: {node!r}")


@lru_cache(REMEMBERED)
def reads(node: Node) -> tuple[Memlet, ...]:
    """What the node itself reads, with repetition; the cell that it accumulates into is not among them."""
    if isinstance(node, Library):
        return node.reads
    found = (part for expression in expressions(node) for part in walk_expression(expression))
    return tuple(part.memlet for part in found if isinstance(part, Read))


def certain_reads(expression: Expression) -> Iterator[Memlet]:
    """What an expression reads whichever side its Selects take: the cells of the other reads need not exist."""
    match expression:
        case Read():
            yield expression.memlet
        case Select():
            yield from certain_reads(expression.condition)
        case _:
            for operand in operands(expression):
                yield from certain_reads(operand)


def writes(node: Node) -> tuple[Memlet, ...]:
    """What the node itself writes or accumulates into."""
    return (node.write,) if isinstance(node, Tasklet | Library) else ()


def expression_symbols(expression: Expression) -> frozenset[sympy.Symbol]:
    """Every symbol that the expression names, those of its memlets included."""
    found: set[sympy.Symbol] = set()
    for part in walk_expression(expression):
        match part:
            case Integer():
                found |= part.value.free_symbols
            case Read() | Demand():
                found.update(part.memlet.symbols())
            case _:
                pass
    return frozenset(found)


@lru_cache(REMEMBERED)
def symbol_names(node: Node) -> frozenset[str]:
    """The symbols that the node itself uses, by name: in memlets, expressions and bounds, not the index that a region binds."""
    found = {item for memlet in (*reads(node), *writes(node)) for item in memlet.symbols()}
    found.update(*(expression_symbols(expression) for expression in expressions(node)))
    if isinstance(node, Loop):
        found |= node.start.free_symbols | node.stop.free_symbols
    return frozenset(item.name for item in found)


def shape_symbols(array: Array) -> frozenset[sympy.Symbol]:
    """The symbols that the shape names."""
    return frozenset(item for extent in array.shape for item in extent.free_symbols)


def first_location(root: Node) -> Location | None:
    """The place of the first statement, the node or one below it; None where there is none."""
    return next((node.where for node in walk(root) if not isinstance(node, Block)), None)


def exchanged(root: Node) -> frozenset[str]:
    """The arrays that some Exchange, the node or one below it, names."""
    return frozenset(name for node in walk(root) if isinstance(node, Exchange) for name in (node.first, node.second))


def changed_arrays(root: Node) -> frozenset[str]:
    """The arrays that the node and those below it write or exchange."""
    return frozenset(memlet.array for node in walk(root) for memlet in writes(node)) | exchanged(root)


def map_expression(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression rebuilt from the leaves up; the same object when nothing changed."""
    match expression:
        case Apply():
            below = tuple(map_expression(operand, change) for operand in expression.operands)
            same = all(new is old for new, old in zip(below, expression.operands, strict=True))
            return change(expression if same else replace(expression, operands=below))
        case Select():
            parts = tuple(map_expression(operand, change) for operand in operands(expression))
            same = all(new is old for new, old in zip(parts, operands(expression), strict=True))
            return change(expression if same else Select(parts[0], parts[1], parts[2], expression.dtype))
        case _:
            return change(expression)


def rewrite(node: Node, change: Callable[[Node], Node | tuple[Node, ...]]) -> Node:
    """The tree rebuilt from the leaves up; the same object where nothing changed.

    ``change`` is given each node after the nodes below it; inside a Block it may answer with several nodes or none.
    """
    changed = change(_rebuild(node, change))
    if isinstance(changed, tuple):
        raise CompilerBug("only a node inside a Block can become several")
    return changed


def rewrite_block(block: Block, change: Callable[[Node], Node | tuple[Node, ...]]) -> Block:
    """``rewrite`` for a Block, which stays one."""
    changed = rewrite(block, change)
    if not isinstance(changed, Block):
        raise CompilerBug("a rewrite turned a Block into something else")
    return changed


def _rebuild(node: Node, change: Callable[[Node], Node | tuple[Node, ...]]) -> Node:
    match node:
        case Block():
            body: list[Node] = []
            for child in node.body:
                changed = change(_rebuild(child, change))
                body.extend(changed if isinstance(changed, tuple) else (changed,))
            return node if _is_same(tuple(body), node.body) else replace(node, body=tuple(body))
        case Loop() | While():
            inner = rewrite_block(node.body, change)
            return node if inner is node.body else replace(node, body=inner)
        case Branch():
            then, orelse = rewrite_block(node.then, change), rewrite_block(node.orelse, change)
            return node if then is node.then and orelse is node.orelse else replace(node, then=then, orelse=orelse)
        case _:
            return node


def _is_same(new: tuple[object, ...], old: tuple[object, ...]) -> bool:
    return len(new) == len(old) and all(a is b for a, b in zip(new, old, strict=True))


def map_reverse(program: Program, change: Callable[[Block], Block]) -> Program:
    """The ADJOINT or PLANNED Program with its reverse sweep changed; the same object where there is none or nothing changed."""
    forward, *others = program.body.body
    body = (forward, *(change(sweep) if isinstance(sweep, Block) else sweep for sweep in others))
    return program if _is_same(body, program.body.body) else replace(program, body=replace(program.body, body=body))


def map_node_expressions(node: Node, change: Callable[[Expression], Expression]) -> Node:
    """The node with ``map_expression`` done on each expression it evaluates itself."""
    match node:
        case Tasklet():
            value = map_expression(node.value, change)
            return node if value is node.value else replace(node, value=value)
        case Branch() | While():
            guard = map_expression(node.guard, change)
            return node if guard is node.guard else replace(node, guard=guard)
        case Check():
            condition = map_expression(node.condition, change)
            values = tuple(map_expression(value, change) for value in node.values)
            same = condition is node.condition and _is_same(values, node.values)
            return node if same else replace(node, condition=condition, values=values)
        case _:
            return node


def map_integers(expression: Expression, change: Change) -> Expression:
    """The expression with every symbolic integer in it changed, those of memlets too."""

    def leaf(part: Expression) -> Expression:
        match part:
            case Integer():
                value = change(part.value)
                return part if value is part.value else replace(part, value=value)
            case Read() | Demand():
                memlet = part.memlet.map_indices(change)
                return part if memlet is part.memlet else replace(part, memlet=memlet)
            case _:
                return part

    return map_expression(expression, leaf)


def map_memlets(node: Node, change: Callable[[Memlet], Memlet]) -> Node:
    """The node (not those below it) with every memlet changed, written and read, demands included."""

    def leaf(part: Expression) -> Expression:
        if isinstance(part, Read | Demand):
            memlet = change(part.memlet)
            return part if memlet is part.memlet else replace(part, memlet=memlet)
        return part

    changed = map_node_expressions(node, leaf)
    if isinstance(changed, Tasklet):
        return replace(changed, write=change(changed.write))
    if isinstance(changed, Library):
        return replace(changed, write=change(changed.write), reads=tuple(change(memlet) for memlet in changed.reads))
    return changed


def rename_arrays(node: Node, names: Mapping[str, str]) -> Node:
    """The node (not those below it) with the arrays of the table renamed where it reads, writes or exchanges them."""
    if isinstance(node, Exchange):
        return replace(node, first=names.get(node.first, node.first), second=names.get(node.second, node.second))
    return map_memlets(node, lambda memlet: Memlet(names[memlet.array], memlet.subset) if memlet.array in names else memlet)


def substitute(values: Mapping[sympy.Symbol, sympy.Expr]) -> Change:
    """A change of symbolic integers that puts those expressions in place of those symbols."""
    table = dict(values)

    def change(expression: sympy.Expr) -> sympy.Expr:
        return expression.xreplace(table) if expression.free_symbols & table.keys() else expression

    return change


def map_symbols(node: Node, change: Change) -> Node:
    """The whole tree with every symbolic integer changed: subsets, bounds, shapes, values. Loop indices keep their names."""

    def at(part: Node) -> Node:
        part = map_memlets(part, lambda memlet: memlet.map_indices(change))
        part = map_node_expressions(part, lambda expression: map_integers(expression, change))
        match part:
            case Loop():
                return replace(part, start=change(part.start), stop=change(part.stop))
            case Block():
                return replace(part, arrays=tuple(_map_shape(array, change) for array in part.arrays))
            case _:
                return part

    return rewrite(node, at)


def _map_shape(array: Array, change: Change) -> Array:
    shape = tuple(change(extent) for extent in array.shape)
    return array if _is_same(shape, array.shape) else replace(array, shape=shape)


def all_arrays(program: Program) -> dict[str, Array]:
    """Every array of the program by name: parameters first, then those of Blocks in the order of the text."""
    found = {array.name: array for array in program.parameters}
    for node in walk(program.body):
        if isinstance(node, Block):
            found.update((array.name, array) for array in node.arrays)
    return found
