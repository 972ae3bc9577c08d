"""The operating system's word on peak memory: one gradient call in a fresh process, by what the process held at most.

`python -m dfad.suite.resident KERNEL SYSTEM SIZE` (SIZE as JSON) prints how many bytes the resident set rose during the first
gradient call at that size: the peak (VmHWM, reset through clear_refs) less what was resident before. Compilation lies before:
JAX compiles ahead of time, dfad on a small size of the same kernel. Includes what allocators round up and threads touch; Linux only.
"""

from __future__ import annotations

import ctypes
import gc
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import dfad
from dfad.suite import Benchmark, kernels
from dfad.suite.results import CannotRun, cotangents
from dfad.suite.systems import DfadGradient, prepare

SELF = Path("/proc/self")
Result = TypeVar("Result")


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


def _rise_in_jax(system: str, benchmark: Benchmark, size: dict[str, Any]) -> int:
    subject = prepare(system, benchmark, size, primal=False, threads=None)
    _give_back()
    before = _status("VmRSS")
    _, peak = _watched(subject.run)
    return peak - before


def _rise_in_dfad(benchmark: Benchmark, size: dict[str, Any]) -> int:
    """The cotangent is the caller's: it is made between the two halves of the call, and taken off."""
    kernel = DfadGradient(benchmark, benchmark.initialize("S"), None).kernel
    arguments = tuple(benchmark.initialize(size).values())
    _give_back()
    before = _status("VmRSS")
    (out, pullback), peak = _watched(lambda: dfad.vjp(kernel, *arguments, of=benchmark.of, wrt=benchmark.wrt))
    weights = cotangents(out)
    _, later = _watched(lambda: pullback(weights))
    given = sum(np.asarray(one).nbytes for one in (weights if isinstance(weights, tuple) else (weights,)))
    return int(max(peak, later - given) - before)


def _watched(call: Callable[[], Result]) -> tuple[Result, int]:
    """The result of a call, and the most that this process held during it."""
    _give_back()
    (SELF / "clear_refs").write_text("5")
    return call(), _status("VmHWM")


def _give_back() -> None:
    """Free memory goes back to the system, which would else count it as held."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


def _status(name: str) -> int:
    lines = (SELF / "status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))


def main(name: str, system: str, size: str) -> None:
    """Print the rise of one kernel in one system."""
    benchmark, sizes = kernels()[name], json.loads(size)
    print(max(_rise_in_dfad(benchmark, sizes) if system == "dfad" else _rise_in_jax(system, benchmark, sizes), 0))


if __name__ == "__main__":
    main(*sys.argv[1:])
