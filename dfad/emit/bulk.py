"""Loop nests that clear or copy a whole array: one call each, in place of loops that GCC would have to recognise and compile."""

from __future__ import annotations

from collections.abc import Mapping

import sympy

from dfad.emit.scope import Scope
from dfad.ir.lifetimes import bytes_of
from dfad.ir.nodes import Array, Block, Constant, Loop, Node, Read, Tasklet


def is_bulk(loop: Loop, arrays: Mapping[str, Array]) -> bool:
    """Whether the nest sets every element of an array to zero, or to the same element of an array of equal dtype and shape."""
    found = _nest(loop)
    if found is None:
        return False
    loops, tasklet = found
    array = arrays[tasklet.write.array]
    subset = tasklet.write.subset
    long = [(index, extent) for index, extent in zip(subset, array.shape, strict=True) if (index, extent) != (0, 1)]
    if tasklet.accumulate or [index for index, _ in long] != [inner.index for inner in loops]:
        return False
    if not all(_covers(inner, extent) for inner, (_, extent) in zip(loops, long, strict=True)):
        return False
    match tasklet.value:
        case Constant(value=value):
            return str(float(value)) == "0.0"
        case Read(memlet=memlet):
            source = arrays[memlet.array]
            return memlet.subset == subset and source.dtype == array.dtype and source.shape == array.shape and source.name != array.name
        case _:
            return False


def bulk_text(loop: Loop, scope: Scope, bounds: tuple[str, str] | None = None) -> str:
    """The call; with bounds, numbers of elements, for those from the first to before the last."""
    _, tasklet = _nest(loop) or ((), None)
    assert tasklet is not None
    array = scope.arrays[tasklet.write.array]
    size = scope.integer(bytes_of(array)) if bounds is None else f"{array.dtype.bytes}*({bounds[1]} - {bounds[0]})"
    shift = "" if bounds is None else f" + {bounds[0]}"
    target, where = f"{scope.names[array.name]}{shift}", f"# line {tasklet.where.line}"
    if isinstance(tasklet.value, Read):
        return f"dfad_copy({target}, {scope.names[tasklet.value.memlet.array]}{shift}, {size})  {where}"
    return f"dfad_clear({target}, {size})  {where}"


def _nest(loop: Loop) -> tuple[tuple[Loop, ...], Tasklet] | None:
    """The loops of a perfect nest, outermost first, and the one statement in it."""
    loops: list[Loop] = []
    node: Node = loop
    while True:
        match node:
            case Loop():
                loops.append(node)
                node = node.body
            case Block(arrays=(), body=(only,)):
                node = only
            case Tasklet():
                return tuple(loops), node
            case _:
                return None


def _covers(loop: Loop, extent: sympy.Expr) -> bool:
    return (loop.start, loop.stop, loop.step) in ((0, extent, 1), (extent - 1, -1, -1))
