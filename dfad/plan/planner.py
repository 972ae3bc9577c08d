"""The memory budget: from a gradient Program and a number of bytes to a plan and the Program that follows it.

In: a PLANNED Program (its values all kept), a budget, sizes and costs. Out: a `Plan`, which says what is decided and why, and the
PLANNED Program that holds at most that many bytes at any step. What stays true: all results. What it does not do: replay trips of time
loops; what these record is held at every budget.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from time import perf_counter

from dfad.errors import BudgetTooSmall, CompilerBug
from dfad.ir.lifetimes import lifetimes
from dfad.ir.nodes import Block, Node, Program, Role
from dfad.ir.walk import reads, walk
from dfad.plan.audit import audit
from dfad.plan.classes import with_tape
from dfad.plan.costs import Costs
from dfad.plan.footprint import footprint, known_sizes, size_of
from dfad.plan.ilp import Solver, choices
from dfad.plan.problem import Decision, Decisions, Outcome, Problem, decided, simulate
from dfad.plan.question import problem_of
from dfad.plan.realize import realize
from dfad.plan.report import Entry, Plan, Plans
from dfad.plan.search import search, smallest_found
from dfad.plan.values import Sweeps, sweeps_of

PRACTICAL = 20.0
"""A budget is practical while the predicted time is at most this many times that of the unlimited plan."""

MOST_CHOICES = 60
"""Beyond so many choices the integer program takes minutes to be written down: the search alone answers."""

CLASSES = {
    Role.TAPE: "tape", Role.LOCAL: "temporaries", Role.COPY: "copies", Role.ADJOINT: "adjoints", Role.RESULT: "results",
}  # fmt: skip


def plan(program: Program, budget: int | None, sizes: Mapping[str, int], costs: Costs | None = None) -> tuple[Plan, Program]:
    """The fastest plan within a budget.

    Parameters
    ----------
    program : Program
        PLANNED, of one function: forward and reverse sweep.
    budget : int or None
        Bytes that a call may hold beyond the caller's own arrays; None: no limit.
    sizes : mapping
        The values of the Program's symbols, by name.
    costs : Costs, optional
        Of this machine.

    Returns
    -------
    Plan, Program
        The plan without ``least`` and ``practical``, and the Program that follows it. With no budget, or a wide one, the Program itself.

    Raises
    ------
    BudgetTooSmall
        When no plan fits; it names the least and the practical budget.
    KernelTypeError
        When an array has a size that only the running kernel knows.
    """
    planner = Planner(program, sizes, costs or Costs())
    return planner.plan(budget), planner.program(budget)


class Planner:
    """The plans of one Program for given sizes: the question is asked once, each budget is a re-solve.

    Parameters
    ----------
    program, sizes, costs
        As for `plan`.
    """

    def __init__(self, program: Program, sizes: Mapping[str, int], costs: Costs) -> None:
        self.sweeps: Sweeps = sweeps_of(program)
        self.sizes = known_sizes(program, sizes)
        self.problem: Problem = problem_of(self.sweeps, sizes, costs)
        self._decisions: dict[int | None, tuple[Decisions, float]] = {None: ({}, 0.0)}

    def plan(self, budget: int | None, with_least: bool = False) -> Plan:
        """The fastest plan within the budget; with the least and the practical budget where asked for."""
        decisions, solve_seconds = self.decide(budget)
        least, practical = (self.least, self.practical) if with_least else (None, None)
        return self._plan(decisions, budget, solve_seconds, least, practical)

    def program(self, budget: int | None) -> Program:
        """The Program that follows the fastest plan within the budget."""
        decisions, _ = self.decide(budget)
        if all(decision is Decision.KEPT for decision in decisions.values()):
            return self.sweeps.program
        program = with_tape(audit(self.sweeps.program, realize(self.sweeps, self.problem, decisions)))
        held, expected = max(footprint(program, self.sizes)[0], default=0), simulate(self.problem, decisions).peak
        if held != expected:
            raise CompilerBug(f"the plan of {expected} bytes is put into effect with {held}", program)
        return program

    def decide(self, budget: int | None) -> tuple[Decisions, float]:
        """The decisions of the fastest plan within the budget, and the seconds that finding them took."""
        if budget is not None and not self.fits(budget):
            raise too_small(budget, self.least, self.practical, self.widest)
        return self._decisions[budget]

    def fits(self, budget: int) -> bool:
        """Whether some plan stays within the budget."""
        if budget not in self._decisions:
            start = perf_counter()
            decisions = self._fastest(budget)
            if decisions is None:
                return False
            self._decisions[budget] = decisions, perf_counter() - start
        return True

    @property
    def widest(self) -> int:
        """The bytes of the plan that keeps everything."""
        return simulate(self.problem, {}).peak

    def tradeoff(self) -> Plans:
        """The plan at every budget at which the optimum changes, the widest first; its ``budget`` is its own peak."""
        return Plans(self._plan(decisions, outcome.peak, 0.0, None, None) for decisions, outcome in self._frontier)

    def _fastest(self, budget: int) -> Decisions | None:
        if self.widest <= budget:
            return {}
        if "_frontier" in self.__dict__:
            return next((decisions for decisions, outcome in self._frontier if outcome.peak <= budget), None)
        return self._solved(budget)

    def _solved(self, budget: int) -> Decisions | None:
        """The fastest decisions: the search's where the solver finds none that are faster."""
        found = search(self.problem, budget)
        if choices(self.problem) > MOST_CHOICES:
            return found or self._smallest_within(budget)
        within = None if found is None else simulate(self.problem, found).seconds
        return self._solver.fastest(budget, within) or found

    def _smallest_within(self, budget: int) -> Decisions | None:
        """The smallest decisions that the search finds, where they fit."""
        found = self._smallest()
        return found if simulate(self.problem, found).peak <= budget else None

    def _smallest(self, within: float | None = None) -> Decisions:
        """The decisions of the least peak: the search's where the solver finds none that are smaller."""
        found = smallest_found(self.problem, within)
        if choices(self.problem) > MOST_CHOICES:
            return found
        return self._solver.smallest(within, below=simulate(self.problem, found).peak) or found

    @cached_property
    def _frontier(self) -> list[tuple[Decisions, Outcome]]:
        """The best decisions from the widest budget down: each next plan must hold less than the one before."""
        found: list[tuple[Decisions, Outcome]] = []
        decisions: Decisions | None = {}
        while decisions is not None:
            outcome = simulate(self.problem, decisions)
            if found and outcome.seconds <= found[-1][1].seconds:
                found.pop()
            found.append((decisions, outcome))
            decisions = self._solved(outcome.peak - 1)
        return found

    @cached_property
    def least(self) -> int:
        """The smallest budget that works, in bytes."""
        if "_frontier" in self.__dict__:
            return self._frontier[-1][1].peak
        return simulate(self.problem, self._smallest()).peak

    @cached_property
    def practical(self) -> int:
        """The smallest budget whose predicted time is within 20 times that of the unlimited plan, in bytes."""
        more = (PRACTICAL - 1.0) * self.problem.seconds
        if sum(max(value.seconds, value.fused_seconds or 0.0) for value in self.problem.values) * len(self.problem.reverse) <= more:
            return self.least
        return simulate(self.problem, self._smallest(within=more)).peak

    @cached_property
    def _solver(self) -> Solver:
        return Solver(self.problem)

    # ------------------------------------------------------------ the report

    def _plan(self, decisions: Decisions, budget: int | None, solve_seconds: float, least: int | None, practical: int | None) -> Plan:
        outcome = simulate(self.problem, decisions)
        entries = tuple(self._entry(name, decisions, outcome) for name in self.problem.order if name in outcome.stored)
        return Plan(
            entries,
            self._bytes(decisions),
            outcome.peak,
            self.problem.seconds + outcome.seconds,
            least,
            practical,
            budget,
            solve_seconds,
        )

    def _entry(self, name: str, decisions: Decisions, outcome: Outcome) -> Entry:
        value, decision = self.problem.by_name[name], decided(decisions, name)
        line = self.sweeps.steps[self.sweeps.candidates[name].last_write].where.line
        operands = sorted({read for producer in value.producers for read in producer.reads}, key=self.problem.order.__getitem__)
        source = f"from {', '.join(operands)}" if operands else "from the arguments"
        match decision:
            case Decision.KEPT:
                seconds, why = 0.0, self._readers(name, outcome)
            case Decision.RECOMPUTED:
                seconds, why = value.seconds, f"made again {source} before its first use: {self._readers(name, outcome)}"
            case Decision.FUSED:
                uses = sum(1 for phase in outcome.phases if name in phase.fused)
                seconds, why = uses * (value.fused_seconds or 0.0), f"computed {source} at each use: {self._readers(name, outcome)}"
        return Entry(name, value.bytes, decision.value, seconds, why, line)

    def _readers(self, name: str, outcome: Outcome) -> str:
        """Who reads the value behind the forward sweep: the gradients of lines, or recomputations of other values."""
        steps = self.sweeps.steps[self.sweeps.count_forward :]
        lines = {node.where.line for step in steps for node in walk(step) if not isinstance(node, Block) and name in _names(node)}
        if lines:
            return f"the gradient of line{'s' if len(lines) > 1 else ''} {', '.join(map(str, sorted(lines)))} reads it"
        made = dict.fromkeys(phase.made for phase in outcome.phases if phase.made is not None and name in phase.uses | phase.fused)
        return f"{', '.join(made)} {'are' if len(made) > 1 else 'is'} made from it" if made else "values computed in place are made from it"

    def _bytes(self, decisions: Decisions) -> dict[str, int]:
        """The bytes of each class at the first step that holds the most."""
        program = with_tape(self.sweeps.program if not decisions else realize(self.sweeps, self.problem, decisions))
        held, _ = footprint(program, self.sizes)
        found = dict.fromkeys(("tape", "snapshots", "temporaries", "copies", "adjoints", "results"), 0)
        if not held:
            return found
        at = held.index(max(held))
        for life in lifetimes(program):
            if life.first <= at <= life.last:
                found[CLASSES[life.array.role]] += size_of(life.array, self.sizes)
        for array in program.parameters:
            if array.role is Role.RESULT and array.rank:
                found["results"] += size_of(array, self.sizes)
        found["temporaries"] += held[at] - sum(found.values())
        return found


def too_small(budget: int | None, least: int, practical: int, everything: int) -> BudgetTooSmall:
    """The error that no plan fits; ``everything``: the bytes that are held when everything is kept."""
    return BudgetTooSmall(
        f"no plan fits {budget} bytes: the least budget is {least} bytes, and everything kept takes {everything}",
        least=least,
        practical=practical,
        hint=f"memory={practical} or more" if practical else None,
    )


def _names(node: Node) -> set[str]:
    return {memlet.array for memlet in reads(node)}
