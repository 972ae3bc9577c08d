"""Sums whose order is free, in an innermost loop: 32 partial sums, so that GCC vectorises without reordering anything else.

    for lane in range(32): s_part[lane] = 0.0
    wide = start + (the multiple of 32 in stop - start)
    for i_lanes in range(start, wide, 32):
        for lane in range(32):
            i = i_lanes + lane
            s_part[lane] += x[i]
    rest = start + (the multiple of 8)
    ... the same from wide to rest for the first 8 of them
    for i in range(rest, stop): s += x[i]
    ... and the partial sums are added to s in pairs.

They are set up and added around the outermost loop in which nothing else happens to s; a single loop of less than 32 iterations
goes without.
The loop over the lanes is an ordinary loop over independent cells. No place in them depends on how many iterations there are, so they are
vectors in registers. Maxima and minima go the same way. Partial sums of float32 are doubles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dfad.emit.scope import SHORT, Scope
from dfad.ir.dtype import F64, Dtype
from dfad.ir.nodes import Array, Block, Check, Exchange, Library, Loop, Repetition, Tasklet
from dfad.ir.sums import accumulated, accumulations
from dfad.ir.walk import walk

LANES = 32
FEW_LANES = 8
"""How many of the lanes go on with what is left of 32."""


@dataclass(frozen=True, slots=True)
class Partial:
    """A scalar that an innermost loop only accumulates into: ``operation`` is ``add``, ``maximum`` or ``minimum``."""

    array: Array
    operation: str

    @property
    def dtype(self) -> Dtype:
        """The dtype of the partial results."""
        return F64 if self.operation == "add" else self.array.dtype

    def cell(self, scope: Scope, at: str) -> str:
        """A partial result as text."""
        return f"{scope.names[self.array.name]}_part[{at}]"

    def joined(self, a: str, b: str) -> str:
        """The statement that accumulates b into a."""
        if self.operation == "add":
            return f"{a} += {b}"
        if not self.dtype.is_float:
            return f"{a} = <{self.dtype.c_name}> dfad_{self.operation[:3]}({a}, {b})"
        return f"{a} = dfad_{self.operation}_{SHORT[self.dtype.name]}({a}, {b})"


def partials(loop: Loop, arrays: Mapping[str, Array]) -> tuple[Partial, ...]:
    """The scalars that the loop, inner loops included, does nothing with but accumulate, in order of the text; where lanes can do it."""
    lanes = [node for node in walk(loop) if isinstance(node, Loop) and has_lanes(node)]
    if not lanes:
        return ()
    inside = list(walk(loop))
    declared = {array.name for node in inside if isinstance(node, Block) for array in node.arrays}
    in_lanes = {node.write.array for inner in lanes for node in walk(inner) if isinstance(node, Tasklet) and accumulated(node)}
    return tuple(
        Partial(arrays[name], kinds[0])
        for name, kinds in accumulations(inside).items()
        if kinds[0] and len(set(kinds)) == 1 and arrays[name].rank == 0 and arrays[name].dtype.is_float
        if name in in_lanes - declared
    )


def has_lanes(loop: Loop) -> bool:
    """Whether an innermost loop can be done 32 iterations at a time."""
    trips = loop.stop - loop.start
    if abs(loop.step) != 1 or (trips.is_Integer and abs(trips) < LANES):
        return False
    inside = list(walk(loop.body))
    simple = not any(isinstance(node, Repetition | Library | Check | Exchange) for node in inside)
    return simple and all(array.rank == 0 for node in inside if isinstance(node, Block) for array in node.arrays)


def is_innermost(loop: Loop) -> bool:
    """Whether no loop is inside."""
    return not any(isinstance(node, Repetition) for node in walk(loop.body))


def first_values(parts: tuple[Partial, ...], scope: Scope) -> tuple[str, ...]:
    """The statements before a loop: what each part starts from."""
    values = [(part, "0.0" if part.operation == "add" else scope.place(part.array.name)) for part in parts]
    return (f"for lane in range({LANES}):", *(f"    {part.cell(scope, 'lane')} = {value}" for part, value in values))


def combine(parts: tuple[Partial, ...], scope: Scope) -> tuple[str, ...]:
    """The statements after a loop: the parts are joined in pairs, the last one with the scalar."""
    lines: list[str] = []
    for half in (LANES >> k for k in range(1, LANES.bit_length() - 1)):
        lines.append(f"for lane in range({half}):")
        lines += (f"    {part.joined(part.cell(scope, 'lane'), part.cell(scope, f'lane + {half}'))}" for part in parts)
    for part in parts:
        lines.append(part.joined(part.cell(scope, "0"), part.cell(scope, "1")))
        lines.append(part.joined(scope.place(part.array.name), part.cell(scope, "0")))
    return tuple(lines)
