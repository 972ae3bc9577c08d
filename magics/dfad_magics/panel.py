"""The budget panel: a slider over the memory-time trade-off of one gradient call.

The logic stands in plain methods that work without a front end; a callback is three lines round one of them and writes what went
wrong into the status line, because a front end hides the errors of callbacks.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

import ipywidgets as widgets
from IPython.display import display as _display

import dfad
from dfad_magics import page, plots
from dfad_magics.choices import Choices, Measured, Report, entry_rows
from dfad_magics.kernel import Kernel, Plan
from dfad_magics.line import Call
from dfad_magics.units import MIB, duration, size

show: Callable[[object], object] = _display
ENTRY_HEAD = ("value", "bytes", "stored or recomputed", "cost")


class BudgetPanel:
    """Choose a memory budget, see the plan, run the gradient under it.

    Parameters
    ----------
    call : Call
        The kernel and its arguments; runs work on copies.
    budget : int or str, optional
        The budget to start at, in bytes or as a text such as "64 MiB". Default: the one from which on more memory gains nothing.

    Attributes
    ----------
    budget : int
        The chosen budget in bytes.
    plan : Plan
        The plan under it.
    measured : list of Measured
        The runs so far.
    """

    def __init__(self, call: Call, budget: int | str | None = None) -> None:
        self.choices = Choices.of(call)
        self.measured: list[Measured] = []
        self.first, self.most = self.choices.first, self.choices.most
        self.widget: widgets.Box | None = None
        self.budget = self.most
        self.plan: Plan = self.choices.solve(self.most)
        if not self.choices.is_single:
            self._build()
        self.choose(self.most if budget is None else budget)

    def choose(self, budget: int | str) -> Plan:
        """Solve for a budget (bytes, or a text such as "64 MiB"), show its plan and return it.

        Raises
        ------
        dfad.BudgetTooSmall
            No plan fits; what is shown stays as it was.
        """
        count = self.choices.size_of(budget)
        self.plan = self.choices.solve(count)
        self.budget = count
        if self.widget is not None:
            self._show()
        return self.plan

    def run(self) -> Measured:
        """Run the gradient under the chosen budget; keep, show and return what was measured."""
        measured = self.choices.run(self.budget)
        self.measured.append(measured)
        if self.widget is not None:
            self._show()
            self.status.value = _said(str(measured))
        return measured

    def report(self) -> Report:
        """The whole trade-off, to be read without a kernel."""
        return Report(self.choices, tuple(self.measured))

    def close(self) -> None:
        """Take the widgets away, as a panel shown anew does with its forerunner."""
        if self.widget is not None:
            self.widget.close()
            for part in (self.slider, self.box, self.button, self.status, self.image, self.table):
                part.close()
            self.widget = None

    def _ipython_display_(self) -> None:
        if self.widget is not None:
            show(self.widget)
        show(self.report())

    def __repr__(self) -> str:
        return str(self.report())

    def _build(self) -> None:
        """The widgets, linked; the slider in powers of two MiB, the box in MiB."""
        low, high = self.first / MIB, self.most / MIB
        self.slider = widgets.FloatLogSlider(
            value=high, base=2, min=math.log2(low), max=math.log2(high), step=(math.log2(high) - math.log2(low)) / 100,
            description="budget", readout=False, continuous_update=False, layout=widgets.Layout(width="60%"),
        )  # fmt: skip
        self.box = widgets.BoundedFloatText(
            value=high, min=low, max=high, step=max(low / 100, 1e-6), description="MiB", tooltip="memory budget in MiB",
            layout=widgets.Layout(width="14em"), style={"description_width": "initial"},
        )  # fmt: skip
        self.button = widgets.Button(description="Run", tooltip="run the gradient under this budget", icon="play")
        self.status, self.table = widgets.HTML(), widgets.HTML()
        self.image = widgets.Image(format="png", layout=widgets.Layout(width="620px", height="310px"))
        self.slider.observe(lambda change: self._moved(change["new"]), names="value")
        self.box.observe(lambda change: self._written(change["new"]), names="value")
        self.button.on_click(lambda _: self._pressed())
        controls = widgets.HBox([self.slider, self.box, self.button])
        self.widget = widgets.VBox([controls, self.status, self.image, self.table])
        self.widget.add_class("dfad-budget")
        self.status.add_class("dfad-status")
        self.table.add_class("dfad-plan")

    def _moved(self, mebibytes: float) -> None:
        """The slider has moved: the box takes its place, in four digits."""
        with self._reporting():
            self.box.value = min(max(float(f"{mebibytes:.4g}"), self.box.min), self.box.max)

    def _written(self, mebibytes: float) -> None:
        """The box holds another number: the plan follows, and the slider."""
        with self._reporting():
            budget = self._within(round(mebibytes * MIB))
            if budget != self._within(self.budget):
                self.choose(budget)

    def _pressed(self) -> None:
        with self._reporting():
            self.status.value = _said(f"running under {size(self.budget)} ...")
            self.run()

    def _within(self, budget: int) -> int:
        """A budget in bytes, within the slider's range whatever the rounding of the front end."""
        return min(max(budget, self.first), self.most)

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """Write what went wrong into the status line; a fault of dfad itself is raised again."""
        try:
            yield
        except (dfad.DfadError, IndexError, MemoryError) as error:
            self.status.value = _failed(error)
        except dfad.CompilerBug as error:
            self.status.value = _failed(error)
            raise

    def _show(self) -> None:
        """Bring the widgets to the chosen plan."""
        plan, budget = self.plan, self.budget
        for control in (self.box, self.slider):
            if self._within(round(control.value * MIB)) != self._within(budget):
                control.value = min(max(budget / MIB, self.box.min), self.box.max)
        runs = [(run.peak, run.seconds) for run in self.measured]
        self.image.value = plots.png(plots.tradeoff(self.choices.steps(), (budget, plan.seconds), runs))
        self.table.value = page.page(page.table(ENTRY_HEAD, entry_rows(plan), (1, 3)))
        least = f"; the least budget that works is {size(self.choices.least)}" if self.choices.least < self.first else ""
        found = f"{len(self.choices.plans)} plans found in {duration(self.choices.solve_seconds)}"
        self.status.value = _said(f"budget {size(budget)}: predicted {duration(plan.seconds)}; {found}{least}")


def budget(kernel: Kernel, *args: Any, budget: int | str | None = None) -> BudgetPanel:
    """The budget panel of a kernel's gradient.

    Parameters
    ----------
    kernel : Kernel
        A kernel with a scalar result.
    *args
        Its arguments; runs work on copies.
    budget : int or str, optional
        Where to start: bytes, or a text such as "64 MiB". Default: the budget from which on more memory gains nothing.
    """
    return BudgetPanel(Call.of(kernel, args), budget)


def _said(text: str) -> str:
    return f'<div role="status">{escape(text)}</div>'


def _failed(error: Exception) -> str:
    return f'<div role="alert"><b>{type(error).__name__}</b><pre>{escape(str(error))}</pre></div>'
