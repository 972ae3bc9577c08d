"""What a plan says of itself: its values and their decisions, and the trade-off, as records and as tables of text.

Sizes are told in bytes, so that they can be given back as a budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

ENTRY_HEAD = ("value", "bytes", "decision", "seconds", "line", "why")
PLANS_HEAD = ("budget (bytes)", "seconds", "kept", "computed again")


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of the plan.

    Attributes
    ----------
    value : str
        The array.
    bytes : int
        Its size.
    decision : str
        ``"kept"``, ``"recomputed"`` or ``"fused"``.
    seconds : float
        Predicted time that the decision adds.
    why : str
        The reason in words.
    line : int
        The line of the source that makes it.
    """

    value: str
    bytes: int
    decision: str
    seconds: float
    why: str
    line: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What a gradient call holds in memory and what it computes twice.

    Attributes
    ----------
    entries : tuple of Entry
        The values that the reverse sweep reads or needs to recompute others, in the order of production.
    bytes : dict
        Predicted bytes of each class at the moment of the peak: tape, snapshots, temporaries, copies, adjoints, results.
    peak : int
        Predicted peak, in bytes: the sum of ``bytes``.
    seconds : float
        Predicted time of the call.
    least, practical : int or None
        The smallest budget that works, and the smallest whose predicted time is within 20 times that of the unlimited plan. None where they
        were not asked for.
    budget : int or None
        The budget; None: unlimited.
    solve_seconds : float
        Time of the solver.
    """

    entries: tuple[Entry, ...]
    bytes: Mapping[str, int]
    peak: int
    seconds: float
    least: int | None
    practical: int | None
    budget: int | None
    solve_seconds: float

    def __str__(self) -> str:
        held = ", ".join(f"{name} {count}" for name, count in self.bytes.items() if count)
        lines = [f"plan within {'any budget' if self.budget is None else f'{self.budget} bytes'}: {self.seconds:.3g} s predicted"]
        lines.append(f"peak {self.peak} bytes{f' ({held})' if held else ''}")
        if self.least is not None:
            lines.append(f"least budget {self.least} bytes, practical from {self.practical} bytes on")
        if not any(entry.decision == "kept" for entry in self.entries):
            lines.append("nothing is recorded: all that the reverse sweep reads is still in place, or computed again")
        return "\n".join([*lines, *self._table()])

    def __repr__(self) -> str:
        return str(self)

    def _table(self) -> list[str]:
        """The entries, one a line; no lines where there are none."""
        rows = [(one.value, str(one.bytes), one.decision, f"{one.seconds:.2g}", str(one.line), one.why) for one in self.entries]
        return table(ENTRY_HEAD, rows, {1, 3, 4}) if rows else []


class Plans(tuple[Plan, ...]):
    """The plans of a trade-off, the widest budget first; shown as a table."""

    __slots__ = ()

    def __str__(self) -> str:
        rows = [(str(one.budget), f"{one.seconds:.3g}", _names(one, {"kept"}), _names(one, {"recomputed", "fused"})) for one in self]
        return "\n".join(table(PLANS_HEAD, rows, {0, 1}))

    def __repr__(self) -> str:
        return str(self)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Set[int]) -> list[str]:
    """Lines of aligned columns below their heads; those in `right` end at one column."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    sized = (enumerate(zip(line, widths, strict=True)) for line in (head, *rows))
    aligned = ("  ".join(text.rjust(width) if at in right else text.ljust(width) for at, (text, width) in line) for line in sized)
    return [line.rstrip() for line in aligned]


def _names(plan: Plan, decisions: Set[str]) -> str:
    return ", ".join(entry.value for entry in plan.entries if entry.decision in decisions) or "-"
