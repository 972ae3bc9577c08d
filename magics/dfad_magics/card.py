"""The card of a kernel: what the notebook shows for it, as HTML and as plain text.

A card asks the kernel at the moment it is shown, so that it tells of the specialisation last used.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, TypeVar

import dfad
from dfad_magics import annotate, graph, page
from dfad_magics.kernel import Asked, Kernel, Plan
from dfad_magics.line import Call
from dfad_magics.units import duration, size

STEPS = ("parse", "lower", "analyse", "adjoint", "plan", "optimise", "emit", "cython", "compiler", "load")
T = TypeVar("T")
_ARGUMENT = re.compile(r"^    (\w+): (\w+(?:\[.*?\])?) argument$", re.MULTILINE)
_INTEGER = re.compile(r"^    (\w+) = int\(\1\)$", re.MULTILINE)
CACHE = {"memory": "taken from memory", "disk": "taken from the disk cache", "built": "built now"}


@dataclass(frozen=True)
class Card:
    """A kernel as the notebook shows it.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    call : Call, optional
        Arguments to plan for; without them the card tells what the last call left.
    compiled : Asked, optional
        What was compiled for that call without running it; without it the card asks the kernel.
    """

    kernel: Kernel
    call: Call | None = None
    compiled: Asked | None = None

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": str(self)}

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return "\n".join(self._text_lines())

    def html(self) -> str:
        """The card as one block of HTML."""
        facts = "".join(f"<div>{escape(fact)}</div>" for fact in self.facts())
        times = self.timings()
        timed = page.table(list(times), [list(times.values())], range(len(times))) if times else ""
        return page.page(page.title(f"∂ {self.signature()}"), facts, timed, *self._sections())

    @property
    def asked(self) -> Asked:
        """What the card tells of: what was compiled for it, else the kernel's last call."""
        return self.compiled or self.kernel

    def signature(self) -> str:
        """The call with the types of the specialisation, or as written where there is none yet."""
        signature = inspect.signature(self.kernel)
        types = self._types()
        typed = [f"{name}: {types[name]}" if name in types else str(given) for name, given in signature.parameters.items()]
        return f"{self.kernel.__name__}({', '.join(typed)})"

    def _types(self) -> dict[str, str]:
        """The types of the arguments, as far as they are known: of the call, else as the listing of the last call declares them."""
        if self.call is not None:
            names = inspect.signature(self.kernel).parameters
            return {name: _type(value) for name, value in zip(names, self.call.args, strict=False)}
        listing = self.listing("ir") or ""
        return dict(_ARGUMENT.findall(listing)) | dict.fromkeys(_INTEGER.findall(listing), "int")

    def facts(self) -> list[str]:
        """The sentences of the card: what is differentiated, recorded and held."""
        return [*self._compiled_facts(), *self._differentiated(), *self._recorded(), *self._memory_facts()]

    def timings(self) -> dict[str, str]:
        """What each step of the last compilation took, as text."""
        times = self._times()
        shown = {step: duration(times[step]) for step in STEPS if times.get(step)}
        return {**shown, "total": duration(times["total"])} if "total" in times else shown

    def _times(self) -> Mapping[str, Any]:
        return _answer(lambda: self.asked.timings) or {}

    def plan(self) -> Plan | None:
        """The plan for the card's call."""
        call = self.call
        return None if call is None else _answer(lambda: call.kernel.plan(*call.args, **call.kwargs))

    def _compiled_facts(self) -> Iterator[str]:
        if self.listing("ir") is None:
            yield "checked and bound; the types come from the first call, which compiles it"
            return
        cache = CACHE.get(str(self._times().get("cache", "")))
        if cache:
            yield f"compiled code {cache}"

    def _differentiated(self) -> Iterator[str]:
        if self.call is not None:
            names = list(inspect.signature(self.kernel).parameters)
            yield f"the gradient is taken by {', '.join(names[place] for place in self.call.differentiated())}"

    def _recorded(self) -> list[str]:
        """What is recorded and why: as planned for the card's call, else as the listing of the adjoint says."""
        reasons = told_reasons(self.listing("adjoint"))
        plan = self.plan()
        return [f"keeps {name} = {reason}" for name, reason in reasons.items()] if plan is None else recorded(plan, reasons)

    def _memory_facts(self) -> Iterator[str]:
        memory = _answer(lambda: self.asked.memory) or {}
        held = {name: count for name, count in memory.items() if count}
        is_gradient = _answer(lambda: self.asked.transform) in {"grad", "value_and_grad"}
        if self.call is None and is_gradient and not held.keys() & {"tape", "snapshots"}:
            yield "nothing is recorded: all that the reverse sweep reads is still in place, or computed again"
        if held.get("peak") and self.compiled is None:
            parts = ", ".join(f"{name} {size(count)}" for name, count in held.items() if name != "peak")
            yield f"the last call held {size(held['peak'])} at its peak ({parts})"

    def listing(self, form: str) -> str | None:
        """The text of one stage, None where the kernel has not got so far."""
        return _answer(lambda: self.asked.source(form))

    def _sections(self) -> Iterator[str]:
        flow = _answer(self.asked.dataflow)
        if flow is not None:
            yield page.fold("Dataflow", graph.svg(flow), f"{len(flow['nodes'])} nodes")
        for form, title in (("ir", "IR"), ("adjoint", "Adjoint")):
            text = self.listing(form)
            if text is not None:
                yield page.fold(title, page.code(text), f"{len(text.splitlines())} lines")
        plan = self.plan()
        if plan is not None and plan.entries:
            yield page.fold("Plan", page.table(PLAN_HEAD, plan_rows(plan), PLAN_NUMBERS), f"{len(plan.entries)} values")
        listing = self.listing("cython")
        if listing is not None:
            source, first = _source(self.kernel)
            yield page.fold("Cython", annotate.annotated(source, first, listing), "each source line opens on what it became")

    def _text_lines(self) -> Iterator[str]:
        yield f"∂ {self.signature()}"
        yield from (f"  {fact}" for fact in self.facts())
        times = self.timings()
        if times:
            yield "  " + "  ".join(f"{step} {time}" for step, time in times.items())


PLAN_HEAD = ("value", "bytes", "decision", "cost", "why")
PLAN_NUMBERS = (1, 3)


def plan_rows(plan: Plan) -> list[Sequence[str]]:
    """A plan as rows of text under `PLAN_HEAD`."""
    return [(entry.value, size(entry.bytes), marked(entry.decision), duration(entry.seconds), entry.why) for entry in plan.entries]


def marked(decision: str) -> str:
    """A decision with a sign of its own, so that colour is never needed: filled for kept, open for recomputed."""
    signs = {"kept": "■", "recomputed": "↻", "fused": "↻"}
    return f"{signs.get(decision, '·')} {decision}"


def told_reasons(listing: str | None) -> dict[str, str]:
    """What the listing of an adjoint says of each recorded array: what it holds, the reads that demand it, the write that overwrites it."""
    _, _, told = (listing or "").partition("\nrecorded:\n")
    return dict(line.strip().split(" keeps ", 1) for line in told.splitlines() if " keeps " in line)


def recorded(plan: Plan, reasons: Mapping[str, str]) -> list[str]:
    """What a plan records and why, as sentences; ``reasons`` by array, the plan's own where there is none."""
    kept = [entry for entry in plan.entries if entry.decision == "kept"]
    if not kept:
        return ["nothing is recorded: all that the reverse sweep reads is still in place, or computed again"]
    return [
        f"keeps {entry.value} ({size(entry.bytes)})" + (f" = {reasons[entry.value]}" if entry.value in reasons else f": {entry.why}")
        for entry in kept
    ]


def _answer(question: Callable[[], T]) -> T | None:
    try:
        return question()
    except dfad.DfadError:
        return None


def _source(kernel: Any) -> tuple[str, int]:
    lines, first = inspect.getsourcelines(inspect.unwrap(kernel))
    return "".join(lines), first


def _type(value: object) -> str:
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if dtype is not None and shape is not None:
        return f"{dtype}[{', '.join(map(str, shape))}]"
    return type(value).__name__
