"""What a step costs: a prediction in seconds from bytes moved and operations done.

In: a statement of a Program, the values of the symbols, the costs of the machine. Out: seconds. The model is coarse on purpose: a nest
moves each array that it names once for each trip of its innermost statement, whatever the caches do, and an operation costs the same
everywhere. A trip count that depends on an outer index is taken at the middle of that index's range; a While counts as one trip.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from dfad.ir.integer import evaluate_integer
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Apply, Array, Block, Branch, Expression, Library, Loop, Node, Tasklet, While
from dfad.ir.walk import children, expressions, reads, walk_expression, writes

# Operations that a processor does in a few cycles; all others are calls of the mathematical library.
_SIMPLE = {"add", "sub", "mul", "div", "neg", "abs", "sign", "floor", "ceil", "rint", "trunc", "sqrt", "maximum", "minimum"}
_SIMPLE |= {"python_max", "python_min", "cast", "lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not", "isnan", "isinf"}


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds on this machine; the defaults are those of one core of a small server.

    Attributes
    ----------
    byte : float
        Moving one byte between memory and core.
    operation : float
        A simple operation on one element.
    function : float
        A transcendental function of one element.
    product : float
        A multiplication and an addition inside a matrix product.
    """

    byte: float = 1.2e-10
    operation: float = 2.0e-10
    function: float = 1.8e-9
    product: float = 6.0e-11


def seconds_of(node: Node, arrays: Mapping[str, Array], sizes: Mapping[str, int], costs: Costs) -> float:
    """The predicted time of a node with all below it."""
    match node:
        case Loop():
            trips, inner = _trips(node, sizes)
            return trips * seconds_of(node.body, arrays, inner, costs) if trips else 0.0
        case While():
            return work_of(node.guard, costs) + seconds_of(node.body, arrays, {**sizes, node.index.name: 0}, costs)
        case Branch():
            sides = (seconds_of(side, arrays, sizes, costs) for side in (node.then, node.orelse))
            return work_of(node.guard, costs) + max(sides)
        case Library():
            return _library(node, arrays, sizes, costs)
        case Block():
            return sum(seconds_of(child, arrays, sizes, costs) for child in children(node))
        case _:
            moved = {memlet.array for memlet in (*reads(node), *writes(node)) if arrays[memlet.array].rank}
            bytes_moved = sum(arrays[name].dtype.bytes for name in moved)
            return bytes_moved * costs.byte + sum(work_of(expression, costs) for expression in expressions(node)) + _adds(node, costs)


def work_of(expression: Expression, costs: Costs) -> float:
    """The predicted time of the operations of an expression, once."""
    return sum(_cost(part, costs) for part in walk_expression(expression))


def _cost(part: Expression, costs: Costs) -> float:
    if not isinstance(part, Apply):
        return 0.0
    return costs.operation if part.operation in _SIMPLE else costs.function


def _adds(node: Node, costs: Costs) -> float:
    return costs.operation if isinstance(node, Tasklet) and node.accumulate else 0.0


def _trips(loop: Loop, sizes: Mapping[str, int]) -> tuple[int, dict[str, int]]:
    """How often the body runs, and the symbols inside with the index at its middle; an unknown bound counts as one trip."""
    known = {part.name for bound in (loop.start, loop.stop) for part in bound.free_symbols} <= sizes.keys()
    steps = range(evaluate_integer(loop.start, sizes), evaluate_integer(loop.stop, sizes), loop.step) if known else range(1)
    middle = steps[len(steps) // 2] if steps else 0
    return len(steps), {**sizes, loop.index.name: middle}


def _library(node: Library, arrays: Mapping[str, Array], sizes: Mapping[str, int], costs: Costs) -> float:
    cells = [_cells(memlet, sizes) for memlet in (*node.reads, node.write)]
    bytes_moved = sum(count * arrays[memlet.array].dtype.bytes for count, memlet in zip(cells, (*node.reads, node.write), strict=True))
    if node.operation == "matmul":
        # n*k, k*m and n*m cells take n*k*m products, the root of their product; a vector has one row.
        return bytes_moved * costs.byte + math.sqrt(cells[0] * cells[1] * cells[2]) * costs.product
    return bytes_moved * costs.byte + cells[0] * costs.operation


def _cells(memlet: Memlet, sizes: Mapping[str, int]) -> int:
    count = 1
    for part in memlet.ranges:
        known = {piece.name for piece in part.extent.free_symbols} <= sizes.keys()
        count *= max(0, evaluate_integer(part.extent, sizes)) if known else 1
    return count
