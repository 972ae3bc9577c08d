"""The operating system's word on peak memory: one gradient call in a fresh process, by what the process held at most.

`python -m dfad.suite.resident KERNEL SYSTEM SIZE` (SIZE as JSON) prints how many bytes the resident set rose during the first
gradient call at that size: the peak (VmHWM, reset through clear_refs) less what was resident before. Compilation lies before:
JAX compiles ahead of time, dfad on a small size of the same kernel. Includes what allocators round up and threads touch; Linux only.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dfad
from dfad.suite import Benchmark, kernels
from dfad.suite.systems import CannotRun, DfadGradient, cotangents, prepare

SELF = Path("/proc/self")


def resident_bytes(system: str, benchmark: Benchmark, size: dict[str, Any]) -> int:
    """Measure in a process of its own.

    Raises
    ------
    CannotRun
        When that process fails, with its last words.
    """
    command = [sys.executable, "-m", "dfad.suite.resident", benchmark.name, system, json.dumps(size)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode:
        raise CannotRun((finished.stderr.strip().splitlines() or [f"status {finished.returncode}"])[-1])
    return int(finished.stdout)


def rise(call: Callable[[], object]) -> int:
    """Bytes by which the resident set of this process exceeds its present size at most during the call."""
    gc.collect()
    (SELF / "clear_refs").write_text("5")
    before = _status("VmRSS")
    call()
    return max(_status("VmHWM") - before, 0)


def _status(name: str) -> int:
    lines = (SELF / "status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))


def _gradient_call(system: str, benchmark: Benchmark, size: dict[str, Any]) -> Callable[[], object]:
    if system != "dfad":
        return prepare(system, benchmark, size, primal=False, threads=None).run
    kernel = DfadGradient(benchmark, benchmark.initialize("S"), None).kernel
    arguments = tuple(benchmark.initialize(size).values())

    def call() -> object:
        out, pullback = dfad.vjp(kernel, *arguments, of=benchmark.of, wrt=benchmark.wrt)
        return pullback(cotangents(out))

    return call


def main(name: str, system: str, size: str) -> None:
    """Print the rise of one kernel in one system."""
    print(rise(_gradient_call(system, kernels()[name], json.loads(size))))


if __name__ == "__main__":
    main(*sys.argv[1:])
