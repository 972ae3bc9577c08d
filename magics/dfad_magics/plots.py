"""The pictures: PNG bytes drawn on `matplotlib.figure.Figure` alone, so that nothing leaks and nothing flickers."""

from collections.abc import Sequence
from io import BytesIO

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from dfad_magics.units import MIB, duration, size

INK, BLUE, ORANGE, GREY = "#222222", "#2f6fb7", "#c8641e", "#8a8a8a"
FILLS = ((BLUE, ""), (ORANGE, "//"), (GREY, ".."), ("#5b8c5a", "xx"))
Step = tuple[int, float]
"""A budget in bytes and the seconds that a gradient takes from there on."""


def png(figure: Figure) -> bytes:
    """A figure as PNG, on white so that it reads in a dark theme too."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=144, facecolor="white")
    return buffer.getvalue()


def tradeoff(steps: Sequence[Step], chosen: Step | None = None, measured: Sequence[Step] = ()) -> Figure:
    """The memory-time curve: what a gradient takes, against its budget.

    Parameters
    ----------
    steps : sequence of (bytes, seconds)
        Every budget at which the best plan changes, with its predicted time.
    chosen : (bytes, seconds), optional
        The plan in use.
    measured : sequence of (bytes, seconds), optional
        Runs: measured peak and measured time.
    """
    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    axes = figure.add_subplot()
    budgets, seconds = [budget / MIB for budget, _ in steps], [time for _, time in steps]
    everything = [*budgets, *(peak / MIB for peak, _ in [*measured, *([chosen] if chosen else [])])]
    right = max(everything) * 1.12
    axes.step([*budgets, right], [*seconds, seconds[-1]], where="post", color=INK, linewidth=1.6, label="predicted by the plan")
    axes.plot(budgets, seconds, "o", color=INK, markersize=4)
    if chosen is not None:
        budget, time = chosen
        axes.axvline(budget / MIB, color=BLUE, linewidth=1, linestyle="--")
        axes.plot([budget / MIB], [time], "D", color=BLUE, markersize=9, label=f"chosen: {size(budget)}, {duration(time)}")
    if measured:
        axes.plot([p / MIB for p, _ in measured], [t for _, t in measured], "X", color=ORANGE, markersize=9, label="measured peak and time")
    axes.set(xlim=(min(everything) - 0.06 * right, right))
    axes.set_xlabel("memory of the gradient call (MiB)", fontsize=9)
    axes.set_ylabel("time of the gradient", fontsize=9)
    _scale_time(axes, [*seconds, *(time for _, time in measured)])
    _quiet(axes)
    axes.legend(frameon=False, fontsize=8)
    return figure


def _scale_time(axes: Axes, seconds: Sequence[float]) -> None:
    """From zero where the times are of one size, logarithmic where they are not."""
    low, high = min(seconds), max(seconds)
    if low > 0 and high > 10 * low:
        axes.set_yscale("log")
        axes.set_ylim(0.7 * low, 2.5 * high)
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(0, 1.25 * high)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: duration(value) if value > 0 else "0"))


Bars = Sequence[tuple[str, float | None]]
"""Named lengths; None where there is nothing to show."""


def bars(panels: Sequence[tuple[str, str, Bars]]) -> Figure:
    """Panels of horizontal bars side by side, each bar with its value written at its end.

    Parameters
    ----------
    panels : sequence of (title, unit, bars)
        The unit is `"s"` or `"B"`.
    """
    tallest = max(len(rows) for _, _, rows in panels)
    figure = Figure(figsize=(9.6, 1.0 + 0.42 * tallest), layout="constrained")
    all_axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for number, (axes, (title, unit, rows)) in enumerate(zip(all_axes, panels, strict=True)):
        _bar_panel(axes, title, unit, rows)
        if number:
            axes.set_yticklabels([])
    return figure


def _bar_panel(axes: Axes, title: str, unit: str, rows: Bars) -> None:
    write = duration if unit == "s" else size
    longest = max([value for _, value in rows if value is not None], default=1.0) or 1.0
    for place, (_, value) in enumerate(rows):
        fill, hatch = FILLS[place % len(FILLS)]
        axes.barh(place, value or 0.0, color=fill, hatch=hatch, edgecolor="white", height=0.62)
        text = "–" if value is None else write(value)
        axes.text((value or 0.0) + 0.02 * longest, place, text, va="center", fontsize=9, color=INK)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=9)
    axes.set(xlim=(0, 1.4 * longest), ylim=(len(rows) - 0.5, -0.5))
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_xticks([])
    _quiet(axes)
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(left=False)


def _quiet(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8 if axes.get_xlabel() else 9)
