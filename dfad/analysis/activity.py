"""Activity: the arrays through which a derivative flows.

An array is *varied* when it is an input of the derivative, or a statement writes it from a varied array through an operation with a
non-zero derivative; it is *useful* when it is an output, or a statement that writes a useful array reads it so. It is *active* when it is
both. The answer does not depend on the order of statements; exchanged arrays share it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from dfad.errors import CompilerBug
from dfad.ir.nodes import (
    Apply,
    Array,
    Block,
    Branch,
    Check,
    Constant,
    Exchange,
    Expression,
    Integer,
    Library,
    Loop,
    Node,
    Read,
    Select,
    Tasklet,
    While,
)
from dfad.ir.walk import operands, walk


def active_arrays(
    body: Block,
    arrays: dict[str, Array],
    inputs: Iterable[str],
    outputs: Iterable[str],
    is_flat: Callable[[str], bool],
) -> frozenset[str]:
    """The names of the active arrays.

    Parameters
    ----------
    body : Block
        The forward sweep.
    arrays : dict
        Every array by name.
    inputs, outputs : iterable of str
        What is differentiated with respect to what.
    is_flat : callable
        Whether an operation's derivative is 0 everywhere.
    """
    flows = [flow for node in walk(body) for flow in _flows(node, arrays, is_flat)]
    varied = _closure(set(inputs), flows)
    useful = _closure(set(outputs), [(target, source) for source, target in flows])
    return frozenset(varied & useful)


def _flows(node: Node, arrays: dict[str, Array], is_flat: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """(read, written) for each way that a derivative can take through the node."""
    match node:
        case Tasklet() if arrays[node.write.array].dtype.is_float:
            for name in differentiable_reads(node.value, is_flat):
                if arrays[name].dtype.is_float:
                    yield name, node.write.array
        case Library():
            for memlet in node.reads:
                if arrays[memlet.array].dtype.is_float:
                    yield memlet.array, node.write.array
        case Exchange():
            yield node.first, node.second
            yield node.second, node.first
        case Tasklet() | Check() | Block() | Loop() | While() | Branch():
            return
        case _:
            raise CompilerBug(f"no such node: {node!r}")


def differentiable_reads(expression: Expression, is_flat: Callable[[str], bool]) -> Iterator[str]:
    """The arrays that the expression reads in a place where its derivative need not be 0."""
    match expression:
        case Read() if expression.dtype.is_float:
            yield expression.memlet.array
        case Select():
            yield from differentiable_reads(expression.chosen, is_flat)
            yield from differentiable_reads(expression.other, is_flat)
        case Apply() if expression.dtype.is_float and not is_flat(expression.operation):
            for operand in operands(expression):
                yield from differentiable_reads(operand, is_flat)
        case Read() | Apply() | Constant() | Integer():
            return
        case _:
            raise CompilerBug(f"no such expression of a forward sweep: {expression!r}")


def _closure(start: set[str], edges: list[tuple[str, str]]) -> set[str]:
    following: dict[str, set[str]] = {}
    for source, target in edges:
        following.setdefault(source, set()).add(target)
    found, todo = set(start), list(start)
    while todo:
        for name in following.get(todo.pop(), ()):
            if name not in found:
                found.add(name)
                todo.append(name)
    return found
