"""Initial data for the suite: smooth, deterministic, without symmetry, the same on every machine."""

from __future__ import annotations

import numpy as np


def wave(*shape: int, phase: float = 0.3) -> np.ndarray:
    """An array with values between 0.5 and 1.5: 1 + 0.5*sin(phase + 0.7*i + 1.1*j + 1.5*k + ...) at index (i, j, k, ...)."""
    angle = np.full(shape, phase)
    for axis, extent in enumerate(shape):
        along = (0.7 + 0.4 * axis) * np.arange(extent)
        angle += along.reshape([-1 if a == axis else 1 for a in range(len(shape))])
    values: np.ndarray = 1.0 + 0.5 * np.sin(angle)
    return values
