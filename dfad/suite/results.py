"""What a run of any system gives back, and how two results are compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from dfad.suite import cotangent

Arguments = dict[str, Any]
Arrays = tuple[np.ndarray, ...]
Timed = tuple[float, Arrays]


class CannotRun(Exception):
    """A system cannot do this kernel; the text says why. It becomes a row of the table."""


def as_tuple(results: Any) -> Arrays:
    """One result or several, as a tuple of arrays."""
    return tuple(np.asarray(one) for one in (results if isinstance(results, tuple | list) else (results,)))


def cotangents(output: Any) -> Any:
    """The weights for an output, in its shape and dtype; a tuple of them for a tuple."""
    if isinstance(output, tuple):
        return tuple(map(cotangents, output))
    return cotangent(np.shape(output)).astype(getattr(output, "dtype", np.float64))[()]


def difference(ones: Arrays, others: Arrays) -> float:
    """`max|one - other| / max|other|`, the greatest over several results; NaN when any has one."""
    return float(np.max([_difference(one, other) for one, other in zip(ones, others, strict=True)]))


def _difference(one: np.ndarray, other: np.ndarray) -> float:
    scale = float(np.max(np.abs(other), initial=0.0))
    gap = float(np.max(np.abs(np.asarray(one, dtype=np.float64) - other), initial=0.0))
    return gap / scale if scale and gap else gap
