"""Rows to text and JSON: the table with its ratios, the geometric mean per class, and where it was measured."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import statistics
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from dfad.suite import FAMILIES
from dfad.suite.measure import Row

OUTSIDE_MEANS = {"dfad", "jax_lib"}
HEADINGS = (
    "class",
    "kernel",
    "size",
    "system",
    "median ms",
    "min",
    "max",
    "compile s",
    "peak MB",
    "resident MB",
    "difference",
    "times dfad",
)
TEXTS = 4  # columns of words; figures follow
RESIDENT = HEADINGS.index("resident MB")


def table(rows: Sequence[Row]) -> str:
    """The rows under their headings, in aligned columns; a system that cannot do a kernel says why."""
    lines = [HEADINGS, *(_cells(row) for row in rows)]
    if all(row.resident_bytes is None for row in rows):
        lines = [tuple(cell for column, cell in enumerate(line) if column != RESIDENT) for line in lines]
    headings = lines[0]
    figures = [line for line in lines if len(line) == len(headings)]
    widths = [max(len(line[column]) for line in (lines if column < TEXTS else figures)) for column in range(len(headings))]
    return "\n".join(_aligned(line, widths) for line in lines)


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    """Texts to the left, figures to the right; a reason in place of the figures stays as it is."""
    cells = [cell.ljust(width) for cell, width in zip(line[:TEXTS], widths, strict=False)]
    if len(line) == len(widths):
        cells += [cell.rjust(width) for cell, width in zip(line[TEXTS:], widths[TEXTS:], strict=True)]
    else:
        cells += line[TEXTS:]
    return "  ".join(cells).rstrip()


def _cells(row: Row) -> tuple[str, ...]:
    size = " ".join(f"{name}={value}" for name, value in row.size.items() if name != "dtype" or value != "float64")
    start = (row.family, row.kernel, size, row.system)
    if row.median is None:
        return (*start, f"cannot: {' '.join((row.problem or '').split())[:160]}")
    return (
        *start,
        _milliseconds(row.median),
        _milliseconds(min(row.seconds)),
        _milliseconds(max(row.seconds)),
        "" if row.compile_seconds is None else f"{row.compile_seconds:.2f}",
        "" if row.peak_bytes is None else f"{row.peak_bytes / 1e6:.1f}",
        "" if row.resident_bytes is None else f"{row.resident_bytes / 1e6:.1f}",
        "" if row.difference is None else f"{row.difference:.1e}",
        "" if row.ratio is None else f"{row.ratio:.2f}",
    )


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.3f}" if seconds < 0.01 else f"{1e3 * seconds:.1f}"


def _counts(row: Row) -> bool:
    return row.ratio is not None and row.system not in OUTSIDE_MEANS


def means(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """The geometric mean of the ratios, per class and system; library calls stay outside."""
    ratios: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        if _counts(row):
            assert row.ratio is not None
            ratios.setdefault(row.family, {}).setdefault(row.system, []).append(row.ratio)
    return {family: {system: statistics.geometric_mean(found) for system, found in systems.items()} for family, systems in ratios.items()}


def mean_lines(rows: Sequence[Row]) -> str:
    """One line per class and system: how many times dfad's time it takes, in the geometric mean; then one per system for all classes."""
    lines = []
    for family, systems in means(rows).items():
        for system, mean in systems.items():
            names = [row.kernel for row in rows if (row.family, row.system) == (family, system) and _counts(row)]
            lines.append(f"{family} ({FAMILIES[family]}): {system} takes {mean:.2f} times dfad's time, mean of {', '.join(names)}")
    if len({row.family for row in rows}) > 1:
        for system, mean in means([dataclasses.replace(row, family="all") for row in rows]).get("all", {}).items():
            lines.append(f"all classes: {system} takes {mean:.2f} times dfad's time")
    return "\n".join(lines)


def provenance(mode: str, size: str, threads: int | None) -> dict[str, Any]:
    """Where and how the figures were measured: versions, processor, cores, threads."""
    return {
        "mode": mode,
        "size": size,
        "threads": threads,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "processor": _processor(),
        "system": platform.platform(),
        "versions": {
            "python": platform.python_version(),
            **{name: _version(name) for name in ("dfad", "numpy", "jax", "jaxlib", "numba", "cython")},
        },
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    listing = Path("/proc/cpuinfo")
    lines = listing.read_text().splitlines() if listing.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor())


def write_json(path: str, rows: Sequence[Row], where: dict[str, Any]) -> None:
    """Write the raw numbers: provenance, rows with all their seconds, means."""
    plain = [{**dataclasses.asdict(row), "median": row.median} for row in rows]
    Path(path).write_text(json.dumps({"provenance": where, "rows": plain, "means": means(rows)}, indent=1) + "\n")
