"""Measure kernels: cases in, rows out; the systems of a case run in turn, round after round, in one process.

A case is one kernel at one size. Where the loops as written would take minutes in JAX, they get a case of their own at the
kernel's `port_limit`, with dfad beside them: a ratio is only ever taken at one size.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dfad.suite import Benchmark
from dfad.suite.results import Arrays, CannotRun, difference
from dfad.suite.systems import INTERPRETED, Subject, prepare

CASE_SECONDS = 60.0  # after which a case ends, if every system has run three times
LEAST_ROUNDS = 3
BURST_SECONDS = 0.02
SLOW_SECONDS = 5.0  # a first call that takes longer is the only one


@dataclass(frozen=True)
class Case:
    """One kernel at one size, in the systems that can do it there."""

    benchmark: Benchmark
    size: dict[str, Any]
    systems: tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """What was measured for one system in one case: seconds of each call, seconds to compile, bytes.

    `difference` compares the result of the case's first working system with this one's; `ratio` is this system's median over
    dfad's; `resident_bytes` is the operating system's word on the peak, where it was asked for; `problem` says why there are no figures.
    """

    kernel: str
    family: str
    size: dict[str, Any]
    system: str
    seconds: tuple[float, ...] = ()
    compile_seconds: float | None = None
    peak_bytes: int | None = None
    difference: float | None = None
    ratio: float | None = None
    resident_bytes: int | None = None
    problem: str | None = None

    @property
    def median(self) -> float | None:
        """The median of the seconds; None where there are none."""
        return statistics.median(self.seconds) if self.seconds else None


def cases(benchmarks: Sequence[Benchmark], size: str, against: Sequence[str]) -> list[Case]:
    """The cases of a run: each kernel at the named size, and its port at the port's limit where that is less."""
    found = []
    for benchmark in benchmarks:
        sizes = dict(benchmark.sizes[size])
        others = tuple(system for system in against if _is_row(benchmark, system))
        limit = benchmark.port_limit if "jax_port" in others else None
        if limit is not None and any(sizes[name] > most for name, most in limit.items()):
            here = tuple(system for system in others if system != "jax_port")
            found.append(Case(benchmark, sizes, ("dfad", *here)))
            limited = {name: min(value, limit.get(name, value)) for name, value in sizes.items()}
            found.append(Case(benchmark, limited, ("dfad", "jax_port")))
        else:
            found.append(Case(benchmark, sizes, ("dfad", *others)))
    return found


def _is_row(benchmark: Benchmark, system: str) -> bool:
    """Whether the table has a row for it: it has this formulation, or a reason why there is none."""
    return system in benchmark.systems or system in INTERPRETED or (system == "jax_best" and benchmark.no_reverse is not None)


def measure(case: Case, *, primal: bool, threads: int | None, repeats: int, report: Callable[[str], None]) -> list[Row]:
    """Compile the case in every system, run them in turn, compare their results.

    Parameters
    ----------
    primal : bool
        Time the kernel itself instead of its gradient.
    threads : int or None
        Threads for dfad; JAX's are set by the environment of the process.
    repeats : int
        Rounds; fewer when the case takes longer than a minute.
    report : callable
        Told the kernel and the system before each compilation.
    """
    subjects: dict[str, Subject] = {}
    problems: dict[str, str] = {}
    for system in case.systems:
        report(f"{case.benchmark.name} {system}")
        try:
            subjects[system] = prepare(system, case.benchmark, case.size, primal=primal, threads=threads)
        except CannotRun as reason:
            problems[system] = str(reason)
    seconds, results = _rounds(subjects, repeats)
    return [_row(case, system, subjects.get(system), seconds, results, problems.get(system)) for system in case.systems]


def _rounds(subjects: dict[str, Subject], repeats: int) -> tuple[dict[str, list[float]], dict[str, Arrays]]:
    first = {system: subject.run() for system, subject in subjects.items()}
    results = {system: found for system, (_, found) in first.items()}
    seconds = {system: [spent] if spent > SLOW_SECONDS else [] for system, (spent, _) in first.items()}
    quick = {system: subject for system, subject in subjects.items() if not seconds[system]}
    end = time.perf_counter() + CASE_SECONDS
    for round_ in range(repeats):
        if round_ >= LEAST_ROUNDS and time.perf_counter() > end:
            break
        for system, subject in quick.items():
            seconds[system].append(_burst(subject))
    return seconds, results


def _burst(subject: Subject) -> float:
    """The median of as many calls as fit in 20 ms, at least one: a short call must not pay for the caches of its neighbours."""
    spent: list[float] = []
    while sum(spent) < BURST_SECONDS:
        spent.append(subject.run()[0])
    return statistics.median(spent)


def _row(
    case: Case,
    system: str,
    subject: Subject | None,
    seconds: dict[str, list[float]],
    results: dict[str, Arrays],
    problem: str | None,
) -> Row:
    benchmark = case.benchmark
    if subject is None:
        return Row(benchmark.name, benchmark.family, case.size, system, problem=problem)
    first = next(iter(results))
    return Row(
        benchmark.name,
        benchmark.family,
        case.size,
        system,
        seconds=tuple(seconds[system]),
        compile_seconds=subject.compile_seconds,
        peak_bytes=subject.peak_bytes(),
        difference=None if system == first else difference(results[first], results[system]),
        ratio=statistics.median(seconds[system]) / statistics.median(seconds["dfad"]) if "dfad" in seconds else None,
    )
