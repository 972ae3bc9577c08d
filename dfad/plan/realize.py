"""A plan put into effect: recomputations stand in the reverse sweep, fused definitions in the place of reads.

In: the `Sweeps` of a PLANNED Program and the decisions about its values. Out: a PLANNED Program. Before the first reverse step that uses a
recomputed value stand copies of its producers, which write a buffer of a name of its own, ``x3_again``; the reads of the reverse sweep are
renamed to it. The read of a cell of a fused value becomes its definition at that cell. What stays true: every result, bit for bit in
ir/evaluate.py, and the order of all steps that were there. The bytes held are those of `problem.simulate`, since both follow
`problem.phases`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from dfad.errors import CompilerBug
from dfad.ir.lifetimes import top_arrays
from dfad.ir.memlet import symbol
from dfad.ir.names import Names
from dfad.ir.nodes import Array, Block, Check, Expression, Node, Program, Read, Repetition, Statement
from dfad.ir.walk import (
    all_arrays,
    map_expression,
    map_integers,
    map_node_expressions,
    map_symbols,
    rename_arrays,
    rewrite,
    substitute,
    walk,
)
from dfad.plan.problem import Decision, Decisions, Problem, decided, phases
from dfad.plan.values import Sweeps

AGAIN = " again "
"""Between the key of a node and the number of its copy."""


def original_key(key: str) -> str:
    """The key of the node that the node of this key is a copy of; the key itself for one that is no copy."""
    return key.partition(AGAIN)[0]


def realize(sweeps: Sweeps, problem: Problem, decisions: Decisions) -> Program:
    """The Program that has its values as decided.

    Parameters
    ----------
    sweeps : Sweeps
        Of values.py.
    problem : Problem
        Made from them; only its graph matters here, not its sizes and seconds.
    decisions : mapping
        By value; what is not named is kept.
    """
    return _Realization(sweeps, decisions).program(problem)


class _Realization:
    def __init__(self, sweeps: Sweeps, decisions: Decisions) -> None:
        self.sweeps = sweeps
        self.decisions = decisions
        arrays = all_arrays(sweeps.program)
        taken = set(arrays) | {bound.symbol.name for bound in sweeps.program.symbols}
        self.names = Names(taken | {node.index.name for node in walk(sweeps.program.body) if isinstance(node, Repetition)})
        self.buffers: dict[str, Array] = {}
        self.copies = 0

    def program(self, problem: Problem) -> Program:
        forward, reverse = self.sweeps.steps[: self.sweeps.count_forward], self.sweeps.steps[self.sweeps.count_forward :]
        body: list[Statement] = []
        for phase in phases(problem, self.decisions):
            if phase.made is None:
                body.append(self.reading(reverse[phase.step]))
            else:
                body.append(self.again(phase.made, phase.part))
        arrays = (*top_arrays(self.sweeps.program.body), *self.buffers.values())
        return replace(self.sweeps.program, body=Block(arrays, (Block((), forward), Block((), tuple(body)))))

    # ------------------------------------------------------------ recomputation

    def again(self, name: str, part: int) -> Statement:
        """A copy of a producer: it writes the buffer; its keys and the arrays inside it are its own."""
        candidate = self.sweeps.candidates[name]
        if name not in self.buffers:
            self.buffers[name] = replace(candidate.array, name=self.names.fresh(f"{name}_again"))
        step = self.reading(candidate.producers[part], own=name)
        inner = {array.name: self.names.fresh(f"{array.name}_again") for array in _declared(step)}
        table = inner | {name: self.buffers[name].name}
        self.copies += 1

        def copy(node: Node) -> Node | tuple[Node, ...]:
            match node:
                case Check():
                    return ()
                case Block():
                    return replace(node, arrays=tuple(replace(array, name=inner[array.name]) for array in node.arrays))
                case _:
                    return replace(_renamed(node, table), key=f"{node.key}{AGAIN}{self.copies}")

        return _rewritten(map_symbols(step, substitute({symbol(old): symbol(new) for old, new in inner.items()})), copy)

    # ------------------------------------------------------------ reads

    def reading(self, step: Statement, own: str | None = None) -> Statement:
        """The step with each read of a value, ``own`` excepted, as decided."""

        def at(node: Node) -> Node:
            if isinstance(node, Block):
                return node
            met = map_node_expressions(node, lambda part: self.met(part, own))
            assert not isinstance(met, Block)
            return _renamed(met, self.renaming(own))

        return _rewritten(step, at)

    def renaming(self, own: str | None) -> dict[str, str]:
        made = {name for name in self.buffers if decided(self.decisions, name) is Decision.RECOMPUTED}
        return {name: self.buffers[name].name for name in made if name != own}

    def met(self, part: Expression, own: str | None) -> Expression:
        """A read of a fused value becomes its definition, in which the same holds."""
        if not isinstance(part, Read) or part.memlet.array == own or decided(self.decisions, part.memlet.array) is not Decision.FUSED:
            return part
        definition = self.sweeps.candidates[part.memlet.array].definition
        if definition is None:
            raise CompilerBug(f"{part.memlet.array} is fused and has no definition of its cells")
        cell = dict(zip(definition.indices, part.memlet.subset, strict=True))
        value = map_integers(definition.value, substitute(cell))
        return map_expression(value, lambda below: self.met(below, own))


def _rewritten(step: Node, change: Callable[[Node], Node | tuple[Node, ...]]) -> Statement:
    changed = rewrite(step, change)
    assert not isinstance(changed, Block)
    return changed


def _declared(step: Node) -> Iterator[Array]:
    for node in walk(step):
        if isinstance(node, Block):
            yield from node.arrays


def _renamed(node: Statement, names: dict[str, str]) -> Statement:
    """The statement (not those below) with arrays renamed."""
    changed = rename_arrays(node, names)
    assert not isinstance(changed, Block)
    return changed
