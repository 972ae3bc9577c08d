"""Elements of `np.empty` that are certainly read before anything is written to their array: refused, since no run gives them a meaning.

In: a lowered Program. Out: nothing, or a `KernelTypeError` at the read. A read is certain where it stands in plain Blocks and in loops
whose bounds are numbers with at least one trip; anything that may have written to the array before, wherever in it, is believed.
"""

from __future__ import annotations

from collections.abc import Iterator

from dfad.errors import CompilerBug, KernelTypeError
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Block, Branch, Check, Exchange, Library, Loop, Node, Program, Role, Tasklet, While
from dfad.ir.walk import certain_reads, changed_arrays


def refuse_undefined(program: Program) -> None:
    """Refuse a read of what nothing has written.

    Raises
    ------
    KernelTypeError
        At the first such read.
    """
    _visit(program.body, {array.name: array.role is Role.ARGUMENT for array in program.parameters})


def _visit(node: Node, is_written: dict[str, bool]) -> None:
    """Go through what certainly runs, in order; ``is_written`` grows on the way. Arrays that it does not name are not declared yet."""
    match node:
        case Block():
            is_written |= {array.name: False for array in node.arrays}
            for inner in node.body:
                _visit(inner, is_written)
        case Tasklet() | Library():
            for memlet in _certainly_read(node):
                _require_written(node, memlet, is_written)
            is_written[node.write.array] = True
        case Loop(body=body):
            is_written |= dict.fromkeys(_changed(body), True)
            if node.start.is_Integer and node.stop.is_Integer and len(range(int(node.start), int(node.stop), int(node.step))):
                _visit(body, is_written)
        case While() | Branch() | Exchange() | Check():
            is_written |= dict.fromkeys(_changed(node), True)
        case _:
            raise CompilerBug(f"no such node: {node!r}")


def _certainly_read(node: Tasklet | Library) -> Iterator[Memlet]:
    """What the leaf reads in any case: of a Library only subsets that are known not to be empty."""
    if isinstance(node, Tasklet):
        yield from certain_reads(node.value)
    else:
        yield from (memlet for memlet in node.reads if all(part.extent.is_positive for part in memlet.ranges))
    if node.accumulate and not node.write.ranges:
        yield node.write


def _require_written(node: Tasklet | Library, memlet: Memlet, is_written: dict[str, bool]) -> None:
    if is_written.get(memlet.array, True):
        return
    place = node.where.place()
    place["hint"] = "np.zeros, or a value that is written before"
    raise KernelTypeError(f"{memlet.array} is read here, and nothing has been written to it", **place)


def _changed(node: Node) -> frozenset[str]:
    """The arrays that a region may write or exchange."""
    return changed_arrays(node)
