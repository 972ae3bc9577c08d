"""How many bytes a Program holds, step by step: the schedule of ir/lifetimes.py for given sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set

from dfad.errors import KernelTypeError
from dfad.ir.dtype import BOOL
from dfad.ir.integer import evaluate_integer
from dfad.ir.lifetimes import Step, bytes_of, lifetimes, schedule, top_level
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Apply, Array, Constant, Expression, Integer, Loop, Program, Read, Role, Select, Tasklet
from dfad.ir.operations import OPERATIONS
from dfad.ir.walk import walk, writes


def size_of(array: Array, sizes: Mapping[str, int]) -> int:
    """The bytes of an array."""
    if array.grows:
        is_tape = array.role is Role.TAPE
        why = "depends on the trips of a loop, which are" if is_tape else "is"
        needs = "loops whose trips" if is_tape else "results whose shapes"
        message = f"how much {array.name} takes {why} known only while the kernel runs"
        raise KernelTypeError(message, hint=f"a memory budget needs {needs} follow from the arguments")
    unknown = {part.name for extent in array.shape for part in extent.free_symbols} - sizes.keys()
    if unknown:
        raise KernelTypeError(
            f"the size of {array.name} depends on {', '.join(sorted(unknown))}, which is known only while the kernel runs",
            hint="a memory budget needs sizes that follow from the arguments",
        )
    return evaluate_integer(bytes_of(array), sizes)


def footprint(program: Program, sizes: Mapping[str, int], without: Set[str] = frozenset()) -> tuple[list[int], list[int]]:
    """The bytes held at each step and just before it, results included; arrays of ``without`` are left out."""
    steps = schedule(program)
    results = sum(size_of(array, sizes) for array in program.parameters if array.role is Role.RESULT and array.rank)
    held, before = [results] * len(steps), [results] * len(steps)
    for life in lifetimes(program):
        if life.array.name not in without:
            size = size_of(life.array, sizes)
            for at in range(life.first, life.last + 1):
                held[at] += size
                before[at] += size if at > life.first else 0
    for at, step in enumerate(steps):
        held[at] += sum(_largest(array, step, sizes) for array in step.ragged)
    return held, before


def _largest(array: Array, step: Step, sizes: Mapping[str, int]) -> int:
    """The most bytes of an array whose shape follows loop indices: at one end or the other of each range."""
    corners = [dict(sizes)]
    for loop in _loops_of(array, step):
        known = {part.name for bound in (loop.start, loop.stop) for part in bound.free_symbols}
        if all(known <= corner.keys() for corner in corners):
            corners = [{**corner, loop.index.name: end} for corner in corners for end in _ends(loop, corner)] or corners
    return max(size_of(array, corner) for corner in corners)


def _loops_of(array: Array, step: Step) -> list[Loop]:
    """The loops of the step whose indices the shape names, and those that the bounds of these name, outermost first."""
    loops = [node for node in walk(step.node) if isinstance(node, Loop)]
    named = {part.name for extent in array.shape for part in extent.free_symbols}
    found: list[Loop] = []
    for loop in reversed(loops):
        if loop.index.name in named:
            named |= {part.name for bound in (loop.start, loop.stop) for part in bound.free_symbols}
            found.append(loop)
    return found[::-1]


def _ends(loop: Loop, sizes: Mapping[str, int]) -> set[int]:
    steps = range(evaluate_integer(loop.start, sizes), evaluate_integer(loop.stop, sizes), loop.step)
    return {steps[0], steps[-1]} if steps else set()


def known_sizes(program: Program, sizes: Mapping[str, int]) -> dict[str, int]:
    """The sizes, and the integer scalars among the steps that follow from them."""
    found = dict(sizes)
    written = Counter(memlet.array for node in walk(program.body) for memlet in writes(node))
    for step in top_level(program.body):
        match step:
            case Tasklet(write=Memlet(array=name, subset=()), accumulate=False) if written[name] == 1:
                value = _known_value(step.value, found)
                if isinstance(value, int) and step.value.dtype.kind == "i":
                    found[name] = value
    return found


def _known_value(expression: Expression, sizes: Mapping[str, int]) -> int | bool | None:
    """The value of an expression of known integers; None when it has other parts."""
    match expression:
        case Constant(value=int() as value):
            return value
        case Integer(value=value) if {part.name for part in value.free_symbols} <= sizes.keys():
            return evaluate_integer(value, sizes)
        case Read(memlet=Memlet(array=name, subset=())) if name in sizes:
            return sizes[name]
        case Select():
            condition = _known_value(expression.condition, sizes)
            return None if condition is None else _known_value(expression.chosen if condition else expression.other, sizes)
        case Apply():
            parts = [_known_value(operand, sizes) for operand in expression.operands]
            if expression.dtype.is_float or None in parts:
                return None
            result = OPERATIONS[expression.operation].meaning(*parts)
            return bool(result) if expression.dtype == BOOL else int(result)
        case _:
            return None
