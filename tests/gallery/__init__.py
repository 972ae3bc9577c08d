"""Small kernels, one for each behaviour, named after it; every test suite runs them.

A kernel is a plain Python function of a module of this folder. `GALLERY` maps its name to an `Entry`: the function and a maker of
arguments for a size and a random generator. Sizes 0 and 1 are legal for all kernels that do not say otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

MODULES = (
    "loops", "branches", "scalars", "slices", "arrays", "calls", "shortcuts", "reports", "programs", "exits", "choices", "masks", "whiles",
    "functions",
    "trips",
    "triangles",
    "twins",
    "selections", "views", "buffers",
    "idle",
    "lengths",
    "numbers",
    "ways_out", "widened", "rooms",
    "stages",
    "sequences",
    "rows",
    "carried",
    "apart",
    "extents",
    "renewals",
    "sides", "late", "along",
)  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """A kernel and how to call it.

    Attributes
    ----------
    function : callable
        The plain Python function; it updates its arguments as it says.
    make : callable
        ``make(n, rng)`` gives a tuple of arguments.
    least : int
        The smallest n that the kernel is for.
    bits : bool
        Whether values are those of NumPy bit for bit (only + - * / sqrt, comparisons and integers), not to 1e-13.
    """

    function: Callable[..., Any]
    make: Callable[[int, np.random.Generator], tuple[Any, ...]]
    least: int = 0
    bits: bool = True


def _collect() -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for module in MODULES:
        for entry in import_module(f"tests.gallery.{module}").ENTRIES:
            assert entry.function.__name__ not in found, entry.function.__name__
            found[entry.function.__name__] = entry
    return found


GALLERY = _collect()
