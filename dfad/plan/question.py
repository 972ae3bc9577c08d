"""The planner's question about a gradient Program, for given sizes and costs.

In: `Sweeps` (values.py), the values of the symbols, the costs of the machine. Out: a `Problem`, with the bytes of every step as
ir/lifetimes.py has them and the seconds of every step as costs.py predicts them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dfad.ir.lifetimes import inner_arrays, used_names
from dfad.ir.nodes import Block, Library, Read, Statement
from dfad.ir.walk import all_arrays, reads, walk, walk_expression
from dfad.plan.costs import Costs, seconds_of, work_of
from dfad.plan.footprint import footprint, known_sizes, size_of
from dfad.plan.problem import Problem, ReverseStep, Value, Work
from dfad.plan.values import Candidate, Sweeps

NEGLIGIBLE = 1000
"""A value that is less than one part in so many of all values is kept."""


def problem_of(sweeps: Sweeps, sizes: Mapping[str, int], costs: Costs) -> Problem:
    """The planner's question for given sizes.

    Parameters
    ----------
    sweeps : Sweeps
        Of `sweeps_of`.
    sizes : mapping
        The values of the Program's symbols, by name.
    costs : Costs
        Of this machine.

    Raises
    ------
    KernelTypeError
        When an array has a size that only the running kernel knows.
    """
    return _Question(sweeps, known_sizes(sweeps.program, sizes), costs).problem()


def graph_of(sweeps: Sweeps) -> Problem:
    """The question without bytes and seconds: which values the producers and the reverse steps read."""
    makers = {name: candidate.producers for name, candidate in sweeps.candidates.items()}
    values = tuple(Value(name, 0, 0, tuple(work_in(sweeps, step, name) for step in steps)) for name, steps in makers.items())
    return Problem(values, (), tuple(ReverseStep(work_in(sweeps, step), 0) for step in sweeps.steps[sweeps.count_forward :]))


def work_in(sweeps: Sweeps, step: Statement, own: str | None = None) -> Work:
    """The values that a step reads; ``own``: the value that it makes, which is no read."""
    nodes = [node for node in walk(step) if not isinstance(node, Block)]
    names = dict.fromkeys(memlet.array for node in nodes for memlet in reads(node))
    read = tuple(name for name in names if name in sweeps.candidates and name != own)
    whole = {memlet.array for node in nodes if isinstance(node, Library) for memlet in node.reads}
    return Work(read, frozenset(whole & set(read)))


class _Question:
    def __init__(self, sweeps: Sweeps, sizes: Mapping[str, int], costs: Costs) -> None:
        self.sweeps, self.sizes, self.costs = sweeps, sizes, costs
        self.arrays = all_arrays(sweeps.program)
        self.uses = [used_names(step) for step in sweeps.steps]

    def problem(self) -> Problem:
        count, steps = self.sweeps.count_forward, self.sweeps.steps
        held, before = footprint(self.sweeps.program, self.sizes, self.sweeps.candidates.keys())
        values = _weighed([self.value(candidate) for candidate in self.sweeps.candidates.values()])
        first = {name: min(at for at in range(count) if name in self.uses[at]) for name in self.sweeps.candidates}
        forward = [held[at] + sum(value.bytes for value in values if first[value.name] <= at <= value.last_forward) for at in range(count)]
        reverse = tuple(ReverseStep(replace(work_in(self.sweeps, steps[at]), held=held[at]), before[at]) for at in range(count, len(steps)))
        return Problem(values, tuple(forward), reverse, sum(seconds_of(step, self.arrays, self.sizes, self.costs) for step in steps))

    def value(self, candidate: Candidate) -> Value:
        name = candidate.array.name
        last = max(at for at in range(self.sweeps.count_forward) if name in self.uses[at])
        producers = tuple(replace(work_in(self.sweeps, step, name), held=self.inner_bytes(step)) for step in candidate.producers)
        seconds = sum(seconds_of(step, self.arrays, self.sizes, self.costs) for step in candidate.producers)
        return Value(name, size_of(candidate.array, self.sizes), last, producers, seconds, self.fused_seconds(candidate))

    def inner_bytes(self, step: Statement) -> int:
        return sum(size_of(array, self.sizes) for array in inner_arrays(step))

    def fused_seconds(self, candidate: Candidate) -> float | None:
        """The operations at every cell, and the reads of the operands less that of the value itself."""
        if candidate.definition is None:
            return None
        value, cells = candidate.definition.value, size_of(candidate.array, self.sizes) // candidate.array.dtype.bytes
        names = {part.memlet.array for part in walk_expression(value) if isinstance(part, Read)}
        moved = sum(self.arrays[name].dtype.bytes for name in names if self.arrays[name].rank) - candidate.array.dtype.bytes
        return cells * (work_of(value, self.costs) + max(moved, 0) * self.costs.byte(2 * size_of(candidate.array, self.sizes)))


def _weighed(values: list[Value]) -> tuple[Value, ...]:
    """The values, with no choice for those too small to matter."""
    total = sum(value.bytes for value in values)
    return tuple(replace(value, producers=(), fused_seconds=None) if value.bytes * NEGLIGIBLE < total else value for value in values)
