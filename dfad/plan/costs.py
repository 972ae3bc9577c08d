"""What a step costs: a prediction in seconds from bytes moved and operations done.

In: a statement of a Program, the values of the symbols, the costs of the machine. Out: seconds. The model: the innermost loops are vector
loops, in which memory and arithmetic overlap, so a trip takes the longer of the two. It moves each array that follows its index, a whole
cache line of it where the index runs over rows: for one access from the cache that holds all arrays of the step together or from
memory, for the others from the first cache. It does each different operation that depends on its index once. A loop that reads what an
earlier trip wrote is a recurrence: a trip waits for every operation between that read and the write, and its functions are calls. A trip
count that depends on an outer index is taken at the middle of that index's range.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field

import sympy

from dfad.ir.integer import evaluate_integer
from dfad.ir.lifetimes import bytes_of, used_names
from dfad.ir.memlet import Index, Memlet, Range
from dfad.ir.nodes import Apply, Array, Block, Branch, Expression, Library, Loop, Node, Read, Select, Tasklet, While
from dfad.ir.walk import children, expression_symbols, expressions, operands, reads, walk, walk_expression, writes

LINE = 64
"""Bytes of a cache line."""

# Operations that a processor does in a few cycles; all others are functions of the mathematical library.
_SIMPLE = {"add", "sub", "mul", "neg", "abs", "sign", "floor", "ceil", "rint", "trunc", "maximum", "minimum", "python_max", "python_min"}
_SIMPLE |= {"cast", "lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not", "isnan", "isinf"}

_FUNCTIONS = {
    "div": 3.0e-10, "sqrt": 5.5e-10, "exp": 8.0e-10, "expm1": 9.0e-10, "log": 9.0e-10, "log1p": 9.0e-10, "sin": 8.0e-10, "cos": 8.0e-10,
    "tan": 1.2e-9, "sinh": 1.5e-9, "cosh": 1.2e-9, "tanh": 2.0e-9, "arctan": 1.2e-9, "pow": 4.0e-9, "hypot": 1.0e-9,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds on this machine; the defaults are those of one core of a small server.

    Attributes
    ----------
    streams : tuple of (int, float)
        Moving one byte between core and memory, for arrays that have so many bytes together; sizes ascend.
    simple : float
        A simple operation on one element, in a vector loop.
    functions : mapping of str to float
        Other operations, by name; one that is not among them takes as long as the slowest.
    latency : float
        What a recurrence waits for a simple operation.
    call : float
        What it takes to have a function of one number.
    entry : float
        Beginning and ending an innermost loop.
    product : float
        A multiplication and an addition inside a matrix product.
    """

    streams: tuple[tuple[int, float], ...] = ((1 << 22, 1.2e-11), (1 << 24, 2.4e-11), (1 << 26, 4.0e-11))
    simple: float = 3.0e-11
    functions: Mapping[str, float] = field(default_factory=lambda: dict(_FUNCTIONS))
    latency: float = 8.0e-10
    call: float = 9.0e-9
    entry: float = 3.0e-9
    product: float = 4.0e-11

    def byte(self, size: float) -> float:
        """Seconds for a byte of arrays that have so many bytes together: between two known sizes by their logarithms."""
        sizes = [known for known, _ in self.streams]
        at = bisect_left(sizes, size)
        if at in (0, len(sizes)):
            return self.streams[min(at, len(sizes) - 1)][1]
        (low, first), (high, last) = self.streams[at - 1 : at + 1]
        return first + (last - first) * math.log(size / low) / math.log(high / low)

    def wait(self, name: str) -> float:
        """Seconds from an operand to the result of one operation."""
        return self.latency if name in _SIMPLE else 4 * self.latency if name in ("div", "sqrt") else self.call

    def scalar(self, name: str) -> float:
        """Seconds for an operation on one element, in a loop that is no vector loop."""
        return 4 * self.operation(name) if name in _SIMPLE or name in ("div", "sqrt") else self.call

    def operation(self, name: str) -> float:
        """Seconds for an operation on one element, in a vector loop."""
        return self.simple if name in _SIMPLE else self.functions.get(name, max(self.functions.values(), default=self.simple))


def seconds_of(node: Node, arrays: Mapping[str, Array], sizes: Mapping[str, int], costs: Costs) -> float:
    """The predicted time of a step with all below it."""
    reach = sum(_size(arrays[name], sizes) for name in used_names(node) if arrays[name].rank)
    return _Step(arrays, costs, costs.byte(reach)).seconds(node, sizes)


def work_of(expression: Expression, costs: Costs) -> float:
    """The predicted time of the different operations of an expression, on one element in a vector loop."""
    return sum(_cost(part, costs) for part in dict.fromkeys(walk_expression(expression)))


def is_simple(expression: Expression) -> bool:
    """Whether the expression calls no function of the mathematical library."""
    return all(part.operation in _SIMPLE for part in walk_expression(expression) if isinstance(part, Apply))


def _cost(part: Expression, costs: Costs) -> float:
    match part:
        case Apply():
            return costs.operation(part.operation)
        case Select():
            return costs.simple
        case _:
            return 0.0


@dataclass(frozen=True, slots=True)
class _Step:
    """One step; ``byte``: the seconds for each byte that it moves."""

    arrays: Mapping[str, Array]
    costs: Costs
    byte: float

    def seconds(self, node: Node, sizes: Mapping[str, int]) -> float:
        match node:
            case Loop():
                trips, inner = _trips(node, sizes)
                if not trips or any(isinstance(part, Loop | While | Library) for part in walk(node.body)):
                    return trips * self.seconds(node.body, inner)
                return self.costs.entry + trips * self.trip(node)
            case Branch():
                sides = (self.seconds(side, sizes) for side in (node.then, node.orelse))
                return work_of(node.guard, self.costs) + max(sides)
            case Library():
                return self.library(node, sizes)
            case _:
                own = sum(work_of(expression, self.costs) for expression in expressions(node))
                return own + sum(self.seconds(child, sizes) for child in children(node))

    def trip(self, loop: Loop) -> float:
        """One trip of an innermost loop."""
        accesses = dict.fromkeys(memlet for node in walk(loop.body) for memlet in (*reads(node), *writes(node)))
        first = {memlet.array: memlet for memlet in accesses}
        moved = sum(self.moved(one, loop.index, self.byte if first[one.array] is one else self.costs.streams[0][1]) for one in accesses)
        waited = _Recurrence(loop, self.costs).seconds()
        varying = {loop.index.name} | {memlet.array for node in walk(loop.body) for memlet in writes(node)}
        parts = dict.fromkeys(part for node in walk(loop.body) for value in expressions(node) for part in walk_expression(value))
        work = [part for part in parts if isinstance(part, Apply | Select) and _follows(part, varying)]
        adds = sum(1 for node in walk(loop.body) if isinstance(node, Tasklet) and node.accumulate)
        if waited == 0.0:
            return max(moved, sum(_cost(part, self.costs) for part in work) + adds * self.costs.simple)
        alone = sum(self.costs.scalar(part.operation if isinstance(part, Apply) else "add") for part in work)
        return max(moved, waited, alone + adds * self.costs.scalar("add"))

    def moved(self, memlet: Memlet, index: sympy.Symbol, byte: float) -> float:
        """The seconds for what a trip moves of an array: an element, or a line where the index runs over rows."""
        array = self.arrays[memlet.array]
        places = [at for at, part in enumerate(memlet.subset) if _names(part, index)]
        if not places:
            return 0.0
        return byte * (array.dtype.bytes if places[-1] == array.rank - 1 else LINE)

    def library(self, node: Library, sizes: Mapping[str, int]) -> float:
        operands = (*node.reads, node.write)
        cells = [_cells(memlet, sizes) for memlet in operands]
        moved = self.byte * sum(count * self.arrays[memlet.array].dtype.bytes for count, memlet in zip(cells, operands, strict=True))
        if node.operation == "matmul":
            # n*k, k*m and n*m cells take n*k*m products, the root of their product; a vector has one row.
            return max(moved, math.sqrt(cells[0] * cells[1] * cells[2]) * self.costs.product)
        return max(moved, cells[0] * self.costs.simple)


class _Recurrence:
    """What the trips of an innermost loop wait for: the operations between a cell that an earlier trip wrote and the cell written now."""

    def __init__(self, loop: Loop, costs: Costs) -> None:
        self.index, self.costs = loop.index, costs
        self.tasklets = [node for node in walk(loop.body) if isinstance(node, Tasklet)]
        self.own = {array.name for node in walk(loop.body) if isinstance(node, Block) for array in node.arrays}
        self.written = [node.write for node in self.tasklets]
        self.paths: dict[str, float] = {}

    def seconds(self) -> float:
        """The longest wait; 0 where no trip waits for another."""
        longest = 0.0
        for node in self.tasklets:
            path = self.path(node.value)
            if path is not None and node.write.array in self.own:
                self.paths[node.write.array] = path
            longest = max(longest, path or 0.0)
            if node.accumulate and (self.is_carried(node.write) if self.follows(node.write) else not node.reassociable):
                longest = max(longest, self.costs.latency)
        return longest

    def path(self, expression: Expression) -> float | None:
        """The seconds from what an earlier trip wrote to the value; None where the value does not depend on it."""
        if isinstance(expression, Read):
            return self.paths.get(expression.memlet.array, 0.0 if self.is_carried(expression.memlet) else None)
        below = [path for part in operands(expression) if (path := self.path(part)) is not None]
        if not below:
            return None
        return max(below) + (self.costs.wait(expression.operation) if isinstance(expression, Apply) else self.costs.latency)

    def is_carried(self, memlet: Memlet) -> bool:
        """Whether an earlier trip may have written the cell."""
        return any(self.may_meet(memlet, other) for other in self.written if other.array == memlet.array and other.array not in self.own)

    def may_meet(self, read: Memlet, write: Memlet) -> bool:
        if not self.follows(write):
            return True
        pairs = list(zip(read.subset, write.subset, strict=True))
        along = [pair for pair in pairs if any(_names(part, self.index) for part in pair)]
        return all(a == b for a, b in pairs if (a, b) not in along) and any(a != b for a, b in along)

    def follows(self, memlet: Memlet) -> bool:
        return self.index in memlet.symbols()


def _names(part: Index, index: sympy.Symbol) -> bool:
    return not isinstance(part, Range) and index in part.free_symbols


def _follows(part: Expression, names: set[str]) -> bool:
    """Whether a value may change with the index, or with what the loop writes."""
    inside = list(walk_expression(part))
    if any(isinstance(leaf, Read) and leaf.memlet.array in names for leaf in inside):
        return True
    return any(item.name in names for item in expression_symbols(part))


def _trips(loop: Loop, sizes: Mapping[str, int]) -> tuple[int, dict[str, int]]:
    """How often the body runs, and the symbols inside with the index at its middle; an unknown bound counts as one trip."""
    known = {part.name for bound in (loop.start, loop.stop) for part in bound.free_symbols} <= sizes.keys()
    steps = range(evaluate_integer(loop.start, sizes), evaluate_integer(loop.stop, sizes), loop.step) if known else range(1)
    middle = steps[len(steps) // 2] if steps else 0
    return len(steps), {**sizes, loop.index.name: middle}


def _cells(memlet: Memlet, sizes: Mapping[str, int]) -> int:
    count = 1
    for part in memlet.ranges:
        known = {piece.name for piece in part.extent.free_symbols} <= sizes.keys()
        count *= max(0, evaluate_integer(part.extent, sizes)) if known else 1
    return count


def _size(array: Array, sizes: Mapping[str, int]) -> int:
    """The bytes of an array; 0 where its size follows from what the step computes."""
    known = {part.name for extent in array.shape for part in extent.free_symbols} <= sizes.keys()
    return evaluate_integer(bytes_of(array), sizes) if known else 0
