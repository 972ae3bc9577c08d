"""Values that a vjp need not keep: one expression of each cell makes them again from what it keeps anyway.

In: a PLANNED Program of a forward and a reverse sweep. Out: the same results, with fewer arrays that live from one sweep to the other.

Definitions. A value (values.py) is *near* when nests with a loop for each of its dimensions make it, plain statements and conditions alone
in the innermost, and every array that these read is a scalar, *at hand*, or a near value itself. At hand is what the reverse sweep reads
anyway and, in place of a value that is no smaller, one argument or final value of an argument. (Nothing overwrites these later: that is
part of having a producer.)

Near values are made again where the reverse sweep reads them: fused where that is one place and the expression holds simple operations
only, else into a buffer, since a function inside the reverse sweep's conditions would not be vectorised. All others are kept.
What it does not do: keep one value to spare another, weigh bytes against seconds; that is the planner's work, under a budget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from dfad.ir.lifetimes import top_arrays
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Array, Block, Branch, Program, Role, Statement, Tasklet
from dfad.ir.walk import reads, walk
from dfad.plan.audit import audit
from dfad.plan.costs import is_simple
from dfad.plan.locals import nominal_bytes
from dfad.plan.problem import Decision, is_possible
from dfad.plan.question import graph_of
from dfad.plan.realize import realize
from dfad.plan.values import Candidate, Sweeps, loops_around, sweeps_of


def compute_again(program: Program) -> Program:
    """The Program whose reverse sweep makes its near values again; the same object when there are none."""
    sweeps = sweeps_of(program)
    near = _near(sweeps)
    if not near:
        return program
    problem = graph_of(sweeps)
    decisions = dict.fromkeys(near, Decision.RECOMPUTED)
    for name in _read_once(sweeps, near):
        definition = sweeps.candidates[name].definition
        tried = {**decisions, name: Decision.FUSED}
        if definition is not None and is_simple(definition.value) and is_possible(problem, tried):
            decisions = tried
    return audit(program, realize(sweeps, problem, decisions))


def _near(sweeps: Sweeps) -> list[str]:
    """The near values, in the order of production."""
    arrays = {array.name: array for array in (*sweeps.program.parameters, *top_arrays(sweeps.program.body)) if array.rank}
    at_hand = {memlet.array for memlet in _read_in(sweeps.steps[sweeps.count_forward :])}
    found: list[str] = []
    for name, candidate in sweeps.candidates.items():
        if _is_made_cell_by_cell(candidate):
            missing = [arrays[other] for other in sorted(_operands(candidate) & arrays.keys() - at_hand.union(found))]
            if name in at_hand and len(missing) == 1 and _stands_for(missing[0], candidate.array):
                at_hand.add(missing.pop().name)
            if not missing:
                found.append(name)
    return found


def _stands_for(operand: Array, value: Array) -> bool:
    """Whether the operand may be kept in place of the value: it is the caller's, and no larger as far as is known."""
    return operand.role in (Role.ARGUMENT, Role.COPY) and nominal_bytes(operand) <= nominal_bytes(value)


def _is_made_cell_by_cell(candidate: Candidate) -> bool:
    nests = [list(loops_around(producer)) for producer in candidate.producers]
    depth = sum(extent != 1 for extent in candidate.array.shape)
    if not nests or not depth or any(len(loops) != depth for loops in nests):
        return False
    inside = [node for loops in nests for node in walk(loops[-1].body)]
    return all(isinstance(node, Branch | Block) or (isinstance(node, Tasklet) and not node.accumulate) for node in inside)


def _operands(candidate: Candidate) -> set[str]:
    """The arrays that the producers read, but for the value itself."""
    return {memlet.array for memlet in _read_in(candidate.producers)} - {candidate.array.name}


def _read_once(sweeps: Sweeps, near: list[str]) -> list[str]:
    """The values that are read at one place: of the reverse sweep, or of what makes a value that is read there."""
    places: Counter[str] = Counter()
    for step in sweeps.steps[sweeps.count_forward :]:
        places.update(memlet.array for memlet in dict.fromkeys(_read_in([step])))
    for name in reversed(near):
        if places[name]:
            places.update(memlet.array for memlet in dict.fromkeys(_read_in(sweeps.candidates[name].producers)))
    return [name for name in near if places[name] == 1]


def _read_in(steps: Iterable[Statement]) -> Iterator[Memlet]:
    return (memlet for step in steps for node in walk(step) for memlet in reads(node))
