"""`python -m dfad.suite`: measure the suite's kernels in dfad and others, print the table, write the raw numbers.

With `--threads N` the process restarts itself once, bound to N cores and with the thread counts of OpenMP, BLAS and XLA set in
its environment: both read them when they are loaded, so this cannot be done later.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from dfad.suite import Benchmark, kernels
from dfad.suite.measure import Case, Row, cases, measure
from dfad.suite.report import mean_lines, provenance, table, write_json
from dfad.suite.resident import resident_bytes
from dfad.suite.results import CannotRun
from dfad.suite.systems import warm

GRADIENTS = "jax_port,jax_best,jax_lib"
PRIMALS = "numpy,numba,jax_best"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    options = _parser().parse_args(arguments)
    if options.resident and options.primal:
        raise SystemExit("--resident measures gradients: leave out --primal")
    if options.threads:
        _pin(options.threads)
    against = options.against or (PRIMALS if options.primal else GRADIENTS)
    todo = cases(_chosen(options.kernels), options.size, against.split(","))
    rows: list[Row] = []
    try:
        _measure_all(todo, rows, options)
    finally:
        print(table(rows))
    print(mean_lines(rows))
    if options.json:
        write_json(options.json, rows, provenance("primal" if options.primal else "gradient", options.size, options.threads))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dfad.suite", description="Measure the suite's kernels in dfad, JAX, NumPy and Numba.", allow_abbrev=False
    )
    parser.add_argument("kernels", nargs="*", metavar="kernel", help="names of kernels (default: all)")
    parser.add_argument("--primal", action="store_true", help="time the kernels themselves, not their gradients")
    parser.add_argument("--threads", type=int, metavar="N", help="bind the process and both systems to N cores")
    parser.add_argument("--size", choices=("S", "M", "L", "paper"), default="M", help="default: M")
    parser.add_argument("--against", metavar="NAMES", help=f"systems beside dfad (default: {GRADIENTS}; with --primal {PRIMALS})")
    parser.add_argument("--repeats", type=int, default=7, metavar="N", help="rounds (default: 7)")
    parser.add_argument("--resident", action="store_true", help="also measure each gradient's peak in a process of its own (Linux)")
    parser.add_argument("--json", metavar="FILE", help="write the raw numbers there")
    return parser


def _chosen(names: Sequence[str]) -> list[Benchmark]:
    known = kernels()
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise SystemExit(f"no kernel named {', '.join(unknown)}; the suite has {', '.join(known)}")
    return [known[name] for name in names or known]


def _pin(threads: int) -> None:
    """Bind this process to `threads` cores, restarting it where its environment says otherwise."""
    count = str(threads)
    wanted = {"OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count, "MKL_NUM_THREADS": count}
    if threads == 1:
        wanted["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    if all(os.environ.get(name) == value for name, value in wanted.items()):
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    os.execve(sys.executable, [sys.executable, "-m", "dfad.suite", *sys.argv[1:]], {**os.environ, **wanted})


class Progress:
    """A text bar on stderr: redrawn in place on a terminal, a line for each step elsewhere."""

    def __init__(self, steps: int) -> None:
        self.steps, self.done = steps, 0

    def step(self, name: str) -> None:
        """Show that the named piece of work begins."""
        filled = 30 * self.done // max(self.steps, 1)
        line = f"[{'#' * filled}{'.' * (30 - filled)}] {self.done}/{self.steps} {name}"
        print(f"\r{line:<80}" if sys.stderr.isatty() else line, end="" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)
        self.done += 1


def _measure_all(todo: Sequence[Case], rows: list[Row], options: argparse.Namespace) -> None:
    progress = Progress(sum(len(case.systems) for case in todo))
    systems = {system for case in todo for system in case.systems}
    for system in ("dfad", *(["jax_best"] if any(name.startswith("jax") for name in systems) else [])):
        try:
            warm(system)
        except CannotRun as reason:
            print(f"{system}: {reason}", file=sys.stderr)
    for case in todo:
        measured = measure(case, primal=options.primal, threads=options.threads, repeats=options.repeats, report=progress.step)
        rows += [_with_resident(row, case.benchmark) for row in measured] if options.resident else measured
    progress.step("done")
    print(file=sys.stderr)


def _with_resident(row: Row, benchmark: Benchmark) -> Row:
    if row.problem:
        return row
    try:
        return replace(row, resident_bytes=resident_bytes(row.system, benchmark, row.size))
    except CannotRun as reason:
        print(f"{row.kernel} {row.system}: no resident peak: {reason}", file=sys.stderr)
        return row


if __name__ == "__main__":
    sys.exit(main())
