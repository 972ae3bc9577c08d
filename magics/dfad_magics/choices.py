"""The choices of a memory budget: what is kept and what is recomputed at each budget, as a report and as a panel.

`Choices` is the logic, without a widget; `Report` shows all of it at once, so that the notebook reads without a kernel;
`BudgetPanel` (panel.py) moves through it.
"""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import dfad
from dfad_magics import page, plots
from dfad_magics.card import marked
from dfad_magics.kernel import Plan
from dfad_magics.line import Call
from dfad_magics.units import duration, size, sizes

HEAD = ("budget from", "predicted time", "against unlimited", "kept", "recomputed")
NUMBERS = (0, 1, 2, 3)


@dataclass(frozen=True)
class Measured:
    """One run of the gradient under a budget.

    Attributes
    ----------
    budget, peak : int
        What was allowed and what was held, in bytes.
    seconds, predicted : float
        What it took (median) and what the plan said.
    """

    budget: int
    peak: int
    seconds: float
    predicted: float

    def __str__(self) -> str:
        times = f"measured {duration(self.seconds)} (predicted {duration(self.predicted)})"
        return f"{times}, peak {size(self.peak)} of {size(self.budget)}"


@dataclass(frozen=True)
class Choices:
    """The plans of one gradient call, by budget.

    Attributes
    ----------
    call : Call
        The kernel and its arguments.
    plans : tuple of Plan
        The plan at every budget at which the best one changes, the smallest budget first.
    practical : int
        The smallest budget whose plan is not absurdly slow, in bytes.
    solve_seconds : float
        How long it took to find them all.
    """

    call: Call
    plans: tuple[Plan, ...]
    practical: int
    solve_seconds: float

    @classmethod
    def of(cls, call: Call) -> "Choices":
        """Ask the kernel for the trade-off of a call."""
        start = time.perf_counter()
        plans = sorted(call.kernel.tradeoff(*call.args, **call.kwargs), key=budget_of)
        seconds = time.perf_counter() - start
        practical = call.kernel.plan(*call.args, **call.kwargs).practical
        return cls(call, tuple(plans), practical or budget_of(plans[0]), seconds)

    @property
    def is_single(self) -> bool:
        """Whether there is nothing to choose: one plan at every budget that works."""
        return len(self.plans) < 2

    @property
    def least(self) -> int:
        """The smallest budget that works, in bytes."""
        return budget_of(self.plans[0])

    @property
    def most(self) -> int:
        """The budget from which on more memory gains nothing, in bytes."""
        return budget_of(self.plans[-1])

    @property
    def first(self) -> int:
        """Where a slider starts, in bytes."""
        return min(max(self.least, self.practical), self.most)

    def steps(self) -> list[plots.Step]:
        """The plans as (bytes, seconds)."""
        return [(budget_of(plan), plan.seconds) for plan in self.plans]

    def size_of(self, budget: int | str) -> int:
        """A budget in bytes."""
        count: int = dfad.kernel(self.call.kernel, memory=budget).options.budget
        return count

    def solve(self, budget: int) -> Plan:
        """The best plan within a budget in bytes.

        Raises
        ------
        dfad.BudgetTooSmall
            No plan fits; the error names the least budget.
        """
        fitting = [plan for plan in self.plans if budget_of(plan) <= budget]
        if not fitting:
            message = f"no plan fits {budget} bytes: the least budget is {self.least} bytes, and everything kept takes {self.most}"
            raise dfad.BudgetTooSmall(message, least=self.least, practical=self.first, hint=f"memory={self.first} or more")
        return fitting[-1]

    def run(self, budget: int, seconds: float = 0.3) -> Measured:
        """Run the gradient under a budget until `seconds` have passed; the first run, which may compile, does not count."""
        gradient = dfad.grad(self.call.kernel, memory=budget)
        args, taken = self.call.fresh(), list[float]()
        gradient(*args, **self.call.kwargs)
        while not taken or (sum(taken) < seconds and len(taken) < 15):
            start = time.perf_counter()
            gradient(*args, **self.call.kwargs)
            taken.append(time.perf_counter() - start)
        return Measured(budget, gradient.memory["peak"], statistics.median(taken), self.solve(budget).seconds)


def budget_of(plan: Plan) -> int:
    """The budget of a plan of the trade-off, in bytes."""
    return 0 if plan.budget is None else plan.budget


@dataclass(frozen=True)
class Report:
    """The whole trade-off at once, as a picture and a table."""

    choices: Choices
    measured: Sequence[Measured] = ()

    def rows(self) -> list[Sequence[str]]:
        """The trade-off as rows of text under `HEAD`."""
        best = self.choices.plans[-1].seconds or 1.0
        budgets = sizes([budget_of(plan) for plan in self.choices.plans])
        return [_row(plan, budget, best) for plan, budget in zip(self.choices.plans, budgets, strict=True)]

    def figure(self) -> bytes:
        """The curve, as PNG."""
        measured = [(run.peak, run.seconds) for run in self.measured]
        return plots.png(plots.tradeoff(self.choices.steps(), measured=measured))

    def html(self) -> str:
        """Title, curve and table as one block of HTML."""
        title = page.title(self.choices.call.title, "; memory against time")
        if self.choices.is_single:
            return page.page(title, f"<div>{escape(one_plan(self.choices))}</div>")
        curve = page.image(self.figure(), "time against memory; the same numbers stand in the table", 620)
        return page.page(title, curve, page.table(HEAD, self.rows(), NUMBERS))

    def __str__(self) -> str:
        body = one_plan(self.choices) if self.choices.is_single else page.columns(HEAD, self.rows(), NUMBERS)
        return f"{self.choices.call.title}; memory against time\n{body}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": str(self)}


def _row(plan: Plan, budget: str, best: float) -> Sequence[str]:
    kept = sum(entry.bytes for entry in plan.entries if entry.decision == "kept")
    recomputed = ", ".join(entry.value for entry in plan.entries if entry.decision in ("recomputed", "fused"))
    return (budget, duration(plan.seconds), f"{plan.seconds / best:.2f} x", size(kept), recomputed or "–")


def one_plan(choices: Choices) -> str:
    """The sentence for a gradient without a choice."""
    time_taken = duration(choices.plans[-1].seconds)
    return (
        f"There is one plan, and no budget to choose: the gradient holds {size(choices.most)} and takes about {time_taken}. "
        "With a smaller budget it is refused; a larger one gains nothing."
    )


def entry_rows(plan: Plan) -> list[Sequence[str]]:
    """A plan as rows: value, bytes, kept or recomputed, cost."""
    return [(entry.value, size(entry.bytes), marked(entry.decision), duration(entry.seconds)) for entry in plan.entries]
