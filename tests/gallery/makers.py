"""Makers of arguments: each gives a tuple for a size n and a random generator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Make = Callable[[int, np.random.Generator], tuple[Any, ...]]


def array(*shape: int | str, low: float = 0.5, high: float = 1.5) -> Make:
    """An array; an extent is a number or ``"n"``, ``"n+1"``, ``"2n"``."""
    return lambda n, rng: (rng.uniform(low, high, tuple(_extent(extent, n) for extent in shape)),)


def _extent(extent: int | str, n: int) -> int:
    match extent:
        case int():
            return extent
        case "n":
            return n
        case "2n":
            return 2 * n
        case _:
            return n + int(extent[1:])


def signed(*shape: int | str) -> Make:
    """An array of numbers of both signs."""
    return array(*shape, low=-1.0, high=1.0)


def integers(*shape: int | str, low: int = -5, high: int = 6) -> Make:
    """An array of int64."""
    return lambda n, rng: (rng.integers(low, high, tuple(_extent(extent, n) for extent in shape)),)


def value(constant: object) -> Make:
    """That very value."""
    return lambda n, rng: (constant,)


def size(plus: int = 0) -> Make:
    """n itself."""
    return lambda n, rng: (n + plus,)


def number(low: float = 0.5, high: float = 1.5) -> Make:
    """A Python float."""
    return lambda n, rng: (float(rng.uniform(low, high)),)


def all_of(*makers: Make) -> Make:
    """Several arguments."""
    return lambda n, rng: tuple(argument for make in makers for argument in make(n, rng))
