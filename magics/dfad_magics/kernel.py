"""What the notebook layer asks of a kernel: the public names of `dfad.Kernel` and `dfad.Gradient` that it uses."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Entry(Protocol):
    """One decision of a plan: how a value that the gradient needs is met."""

    value: str
    bytes: int
    decision: str
    seconds: float
    why: str


class Plan(Protocol):
    """What is kept and what is recomputed for given arguments and a budget; sizes in bytes, times in seconds."""

    entries: Sequence[Entry]
    bytes: Mapping[str, int]
    seconds: float
    least: int | None
    practical: int | None
    budget: int | None
    solve_seconds: float


class Asked(Protocol):
    """What `Kernel`, `Gradient` and `for_args` answer."""

    @property
    def transform(self) -> str:
        """What was compiled: the primal, or which derivative."""
        ...

    @property
    def timings(self) -> Mapping[str, Any]:
        """Seconds by step of the compilation, and where the code came from."""
        ...

    @property
    def memory(self) -> Mapping[str, int]:
        """Bytes of the last call by class, and their peak."""
        ...

    def source(self, form: str) -> str:
        """The text of one stage."""
        ...

    def dataflow(self) -> Mapping[str, Any]:
        """The dataflow graph as plain data."""
        ...


class Kernel(Protocol):
    """A compiled kernel."""

    __name__: str
    transform: str
    timings: Mapping[str, Any]
    memory: Mapping[str, int]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the primal."""
        ...

    def grad(self, *args: Any, **kwargs: Any) -> Any:
        """Run the gradient."""
        ...

    def for_args(self, *args: Any, **kwargs: Any) -> Asked:
        """The specialisation for these arguments."""
        ...

    def source(self, form: str) -> str:
        """The text of one stage of the last call."""
        ...

    def dataflow(self) -> Mapping[str, Any]:
        """The dataflow graph of the last call."""
        ...

    def plan(self, *args: Any, **kwargs: Any) -> Plan:
        """The plan for these arguments."""
        ...

    def tradeoff(self, *args: Any, **kwargs: Any) -> Sequence[Plan]:
        """Every budget at which the optimum changes."""
        ...
