"""Values that a vjp need not keep: one expression of each cell makes them again from what it keeps anyway.

In: a PLANNED Program of a forward and a reverse sweep. Out: the same results, with fewer arrays that live from one sweep to the other.

Definitions. A value (values.py) is *near* when one nest with a loop for each of its dimensions makes it, plain statements alone in the
innermost, and every array that this reads is a scalar, or read by the reverse sweep anyway, or a near value itself. (Nothing overwrites
these later: that is part of having a producer.)

Near values are made again where the reverse sweep reads them: fused where that is one place and the expression holds simple operations
only, else into a buffer, since a function inside the reverse sweep's conditions would not be vectorised. All others are kept.
What it does not do: keep one value to spare another, weigh bytes against seconds; that is the planner's work, under a budget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from dfad.ir.lifetimes import top_arrays
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Program, Statement, Tasklet
from dfad.ir.walk import reads, walk
from dfad.plan.audit import audit
from dfad.plan.costs import is_simple
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
    """The near values in the order of production."""
    outer = {array.name for array in (*sweeps.program.parameters, *top_arrays(sweeps.program.body)) if array.rank}
    at_hand = {memlet.array for memlet in _read_in(sweeps.steps[sweeps.count_forward :])}
    found: list[str] = []
    for name, candidate in sweeps.candidates.items():
        if _is_made_cell_by_cell(candidate) and {memlet.array for memlet in _read_in(candidate.producers)} & outer <= at_hand.union(found):
            found.append(name)
    return found


def _is_made_cell_by_cell(candidate: Candidate) -> bool:
    if len(candidate.producers) != 1:
        return False
    loops = list(loops_around(candidate.producers[0]))
    if len(loops) != candidate.array.rank or not loops:
        return False
    return all(isinstance(node, Tasklet) and not node.accumulate for node in loops[-1].body.body)


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
