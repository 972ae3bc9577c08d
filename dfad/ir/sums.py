"""Values that statements accumulate into: which operation does it, and whether anything else happens to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from dfad.ir.nodes import Apply, Exchange, Node, Read, Tasklet
from dfad.ir.walk import reads, writes

EXTREMES = ("maximum", "minimum")


def accumulated(tasklet: Tasklet) -> str:
    """The operation by which a tasklet accumulates in any order, ``add`` or one of `EXTREMES`; "" when it does not."""
    if not tasklet.reassociable:
        return ""
    if tasklet.accumulate:
        return "add"
    match tasklet.value:
        case Apply(operation=operation, operands=(Read(memlet=first), _)) if operation in EXTREMES and first == tasklet.write:
            return operation
        case _:
            return ""


def summed(tasklet: Tasklet) -> str:
    """As ``accumulated``, but additions in the order of the source count too."""
    return "add" if tasklet.accumulate else accumulated(tasklet)


def accumulations(nodes: Iterable[Node], kind_of: Callable[[Tasklet], str] = accumulated) -> dict[str, list[str]]:
    """For each array that the nodes use, the operations that accumulate into it, by ``kind_of``; "" for any other use."""
    found: dict[str, list[str]] = {}
    for node in nodes:
        for name, kind in _uses_of(node, kind_of):
            found.setdefault(name, []).append(kind)
    return found


def _uses_of(node: Node, kind_of: Callable[[Tasklet], str]) -> Iterator[tuple[str, str]]:
    kind = kind_of(node) if isinstance(node, Tasklet) else ""
    read = [memlet.array for memlet in reads(node)]
    if isinstance(node, Tasklet) and kind in EXTREMES:
        read.remove(node.write.array)
    yield from ((memlet.array, kind) for memlet in writes(node))
    yield from ((name, "") for name in read)
    if isinstance(node, Exchange):
        yield from ((name, "") for name in (node.first, node.second))
