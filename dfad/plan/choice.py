"""Several Programs that compute the same, and one budget: at each the faster one that fits.

In: the planners of the Programs, the one that runs without a budget first. What it answers is what each of them answers, the better of it;
none is faster than the first with everything kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from dfad.ir.lifetimes import top_arrays
from dfad.ir.nodes import Program
from dfad.plan.costs import Costs
from dfad.plan.planner import Planner, too_small
from dfad.plan.report import Plan, Plans


class Joined(Planner):
    """The planner of a gradient whose loops are joined: nothing is left to decide, since a value that a joined loop makes cannot be made
    again alone. What is kept is told by the planner of the same gradient with its loops apart.

    Parameters
    ----------
    program, sizes, costs
        As for `Planner`.
    apart : Planner
        Of the same gradient.
    """

    def __init__(self, program: Program, sizes: Mapping[str, int], costs: Costs, apart: Planner) -> None:
        super().__init__(program, sizes, costs)
        self.apart = apart

    def plan(self, budget: int | None, with_least: bool = False) -> Plan:
        """The one plan, when it is within the budget."""
        left = {array.name for array in top_arrays(self.sweeps.program.body)}
        entries = tuple(entry for entry in self.apart.plan(None).entries if entry.value in left)
        return replace(super().plan(budget, with_least), entries=entries)

    def tradeoff(self) -> Plans:
        """The one plan."""
        return Plans([self.plan(self.widest)])


class Choice:
    """The plans of several Programs.

    Parameters
    ----------
    planners : sequence of Planner
        Of Programs of one meaning, the usual one first.
    """

    def __init__(self, planners: Sequence[Planner]) -> None:
        self.planners = planners

    def plan(self, budget: int | None, with_least: bool = False) -> Plan:
        """The fastest plan within the budget; raises `BudgetTooSmall`."""
        found = self._chosen(budget).plan(budget)
        return replace(found, least=self.least, practical=self.practical) if with_least else found

    def program(self, budget: int | None) -> Program:
        """The Program that follows the fastest plan within the budget; raises `BudgetTooSmall`."""
        return self._chosen(budget).program(budget)

    def tradeoff(self) -> Plans:
        """The plan at every budget at which the optimum changes, the widest first."""
        usual, *others = (planner.tradeoff() for planner in self.planners)
        slower = [plan for plans in others for plan in plans if plan.seconds > usual[0].seconds and plan.peak < usual[0].peak]
        found: list[Plan] = []
        for plan in sorted((*usual, *slower), key=lambda plan: (plan.peak, plan.seconds)):
            if not found or plan.seconds < found[-1].seconds:
                found.append(plan)
        return Plans(reversed(found))

    @cached_property
    def least(self) -> int:
        """The smallest budget that works, in bytes."""
        return min(planner.least for planner in self.planners)

    @cached_property
    def practical(self) -> int:
        """The smallest budget whose predicted time is within 20 times that of the unlimited plan, in bytes."""
        return min(planner.practical for planner in self.planners)

    def _chosen(self, budget: int | None) -> Planner:
        usual = self.planners[0]
        if budget is None or usual.widest <= budget:
            return usual
        fitting = [planner for planner in self.planners if planner.fits(budget)]
        if not fitting:
            raise too_small(budget, self.least, self.practical, usual.widest)
        return min(fitting, key=lambda planner: planner.plan(budget).seconds)
