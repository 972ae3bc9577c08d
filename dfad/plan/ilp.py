"""The planner's integer linear program: which decisions are fastest within a budget, which need the least memory.

In: a Problem. Out: decisions, exact by `problem.simulate`. Binary variables keep, make, fuse choose for each value that the reverse sweep
can need. Given these, all other variables (0 to 1) are fixed by the rules of time in problem.py:

    uses[v, s]    phase s reads v           = active[s] where the phase names v; else the OR of fusing[z, s] over readers z of v
    fusing[z, s]  and z is fused there      = fuse[z] AND uses[z, s]
    begin[w, q]   w is made before step q   <= sum of uses[w, s] over the phases s of step q: so at its first use and nowhere else
    holds[v, s]   v is in memory            >= uses - fusing;  holds[v, next] <= holds[v, this] + begin: it ends once and for all

A phase of a producer exists wherever it may be needed; active[s] is begin of its value there, and 1 for the steps themselves. Between two
phases that concern v its bytes are those of the later one, so the memory of a phase is a sum over values, never over time.

Sizes are whole units: the greatest common divisor of all sizes where the numbers stay below 2**20, so that rounding does not blur the
answer; else 64 bytes or more, rounded up. The found plan is checked in bytes; where it breaks the budget the budget is lowered by a unit.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from dfad.errors import CompilerBug
from dfad.plan.model import Model
from dfad.plan.problem import Decision, Problem, is_possible, simulate

MOST_UNITS = 2**20
COARSE_UNIT = 64
MANY_CHOICES = 10
MANY_OPTIONS = {"mip_rel_gap": 0.01, "time_limit": 2.0}
EXACT_OPTIONS = {"mip_rel_gap": 0.0, "mip_abs_gap": 0.0}
MOST_RETRIES = 8


class Solver:
    """The integer program of one Problem, built once; each question is a re-solve with other parameters.

    Raises
    ------
    CompilerBug
        When the solver fails otherwise than by finding a question infeasible.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.model = Model(problem)
        self.unit = _unit(problem)
        self.most_units = _most_bytes(problem) // self.unit + 2 * len(problem.values) + 2
        self.seconds_scale = 1.0 / max((cost for cost in self.model.seconds.values() if cost > 0.0), default=1.0)
        if self.model.binaries:
            self._build()

    @property
    def is_large(self) -> bool:
        """Whether answers are within 1 % and two seconds, not exact."""
        return choices(self.problem) > MANY_CHOICES

    def fastest(self, budget: int, within: float | None = None) -> dict[str, Decision] | None:
        """The decisions that add the least time and hold at most ``budget`` bytes; None when there are none."""
        # Sizes are rounded up to units: a plan that fits may seem to hold up to a unit more for each array.
        rounding = 0 if all(count % self.unit == 0 for count in _sizes(self.problem)) else len(self.problem.values) + 2
        units = budget // self.unit + rounding
        for _ in range(rounding + MOST_RETRIES):
            decisions = self._solve(units, within, (1.0, 0.0))
            if decisions is None or simulate(self.problem, decisions).peak <= budget:
                return decisions
            units -= 1
        if self.is_large:       # the time was over each time: the search's answer stands
            return None
        raise CompilerBug(f"the solver's plans break the budget of {budget} bytes")

    def smallest(self, within: float | None = None, below: int | None = None) -> dict[str, Decision] | None:
        """The decisions that hold the fewest bytes, of those that add at most ``within`` seconds; None when that is not ``below``."""
        decisions = self._solve(None if below is None else (below - 1) // self.unit, within, (0.0, 1.0))
        is_smaller = decisions is not None and (below is None or simulate(self.problem, decisions).peak < below)
        return decisions if is_smaller else None

    # ------------------------------------------------------------ the program as matrices

    def _build(self) -> None:
        """One cvxpy problem: minimise weights . (seconds, peak), with the budget and the allowed seconds as parameters."""
        import cvxpy
        import scipy.sparse

        model, solver = self.model, cast(Any, cvxpy)
        size, peak = model.count + 1, model.count
        rows = [*model.rows, *model.memory_rows(self.unit, peak)]
        entries = [(row, column, value) for row, (terms, _) in enumerate(rows) for column, value in terms]
        numbers, *places = zip(*entries, strict=True) if entries else ((), (), ())
        matrix = scipy.sparse.csc_array((places[1], (numbers, places[0])), shape=(len(rows), size))
        costs = np.zeros(size)
        for unknown, seconds in model.seconds.items():
            costs[unknown] = seconds * self.seconds_scale
        first = model.binaries
        chosen, rest = solver.Variable(first, boolean=True), solver.Variable(size - first, nonneg=True)
        most_units, most_seconds, weights = solver.Parameter(), solver.Parameter(), solver.Parameter(2, nonneg=True)
        limits = [matrix[:, :first] @ chosen + matrix[:, first:] @ rest <= np.array([limit for _, limit in rows])]
        time, units = costs[:first] @ chosen + costs[first:] @ rest, rest[size - first - 1]
        limits += [rest[: size - first - 1] <= 1.0, units <= most_units, time <= most_seconds]
        self._chosen, self._parameters = chosen, (most_units, most_seconds, weights)
        self._question = solver.Problem(solver.Minimize(weights[0] * time + weights[1] * units), limits)

    def _solve(self, units: int | None, within: float | None, weights: tuple[float, float]) -> dict[str, Decision] | None:
        if not self.model.binaries:
            return {} if units is None or units >= self.most_units or simulate(self.problem, {}).peak <= units * self.unit else None
        all_seconds = sum(self.model.seconds.values()) * self.seconds_scale + 1.0
        most_units, most_seconds, weight = self._parameters
        most_units.value = float(self.most_units if units is None else min(units, self.most_units))
        most_seconds.value = all_seconds if within is None else within * self.seconds_scale * (1.0 + 1e-9) + 1e-9
        weight.value = np.array(weights)
        with _quiet():
            # Without warm_start: from the solution of another budget HiGHS has ended with a plan that is not the fastest.
            self._question.solve(solver="HIGHS", warm_start=False, **(MANY_OPTIONS if self.is_large else EXACT_OPTIONS))
        if self._question.status in ("infeasible", "infeasible_or_unbounded"):
            return None
        if self._chosen.value is None and not self._is_cut_short:
            raise CompilerBug(f"the solver ends with status {self._question.status}")
        decisions = {} if self._chosen.value is None else self.model.decisions([float(value) for value in self._chosen.value])
        return decisions if is_possible(self.problem, decisions) else None

    @property
    def _is_cut_short(self) -> bool:
        """Whether the last answer is what the solver had when its time was over, if it had one."""
        return str(self._question.status) == "user_limit"


def choices(problem: Problem) -> int:
    """How many values there is something to decide about."""
    return sum(1 for value in problem.values if len(value.options) > 1)


def _unit(problem: Problem) -> int:
    """The bytes of a unit."""
    divisor, largest = math.gcd(*_sizes(problem)) or 1, _most_bytes(problem)
    if largest // divisor < MOST_UNITS:
        return divisor
    return COARSE_UNIT * max(1, -(-largest // (COARSE_UNIT * MOST_UNITS)))


def _sizes(problem: Problem) -> list[int]:
    held = [*problem.forward, *(size for step in problem.reverse for size in (step.before, step.work.held))]
    return [*held, *(value.bytes for value in problem.values), *(work.held for value in problem.values for work in value.producers)]


def _most_bytes(problem: Problem) -> int:
    """More than any plan holds."""
    extra = max((work.held for value in problem.values for work in value.producers), default=0)
    held = [*problem.forward, *(size for step in problem.reverse for size in (step.before, step.work.held))]
    return sum(value.bytes for value in problem.values) + max(held, default=0) + extra


@contextmanager
def _quiet() -> Iterator[None]:
    """HiGHS prints a banner on the C level's stdout when it first solves, and cvxpy warns of answers cut short: keep both to ourselves."""
    null, kept = os.open(os.devnull, os.O_WRONLY), os.dup(1)
    try:
        os.dup2(null, 1)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Solution may be inaccurate")
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(null)
