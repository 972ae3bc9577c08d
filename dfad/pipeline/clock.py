"""The clock of a compilation."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter

STEPS = ("parse", "lower", "analyse", "adjoint", "plan", "optimise", "emit", "cython", "compiler", "load")


class Clock:
    """Seconds of each step, in the order of the steps."""

    def __init__(self, **known: float) -> None:
        self.seconds = dict.fromkeys(STEPS, 0.0) | known

    @contextmanager
    def time(self, step: str) -> Iterator[None]:
        """Count what happens inside for that step."""
        start = perf_counter()
        yield
        self.seconds[step] += perf_counter() - start

    def add(self, seconds: Mapping[str, float]) -> None:
        """Add what was measured elsewhere."""
        for step, more in seconds.items():
            self.seconds[step] += more

    @property
    def total(self) -> float:
        """All steps together."""
        return sum(self.seconds.values())
