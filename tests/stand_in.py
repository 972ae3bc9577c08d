"""A stand-in for the compiler, for tests of the notebook layer alone: the public API over the plain Python function.

Its gradient is the complex step, its plans a table of three budgets. What the notebook shows of the real compiler is tested
in test_notebooks.py.
"""

import functools
from dataclasses import dataclass, field, replace

import numpy as np

import dfad

MIB = 2**20


@dataclass(frozen=True)
class Entry:
    value: str
    bytes: int
    decision: str
    seconds: float
    why: str


@dataclass(frozen=True)
class Plan:
    entries: tuple[Entry, ...]
    bytes: dict[str, int]
    seconds: float
    budget: int | None
    least: int | None = None
    practical: int | None = None
    solve_seconds: float = 0.0


STEPS = ((2 * MIB, 0.5), (4 * MIB, 0.02), (8 * MIB, 0.012), (16 * MIB, 0.01))
"""Budgets and the time that each gives."""


def entries(kept):
    """One value for each step, the first `kept` of them kept."""
    why = "read by the reverse of line 4"
    return tuple(Entry(f"x{n}", 4 * MIB, *(("kept", 0.0) if n < kept else ("recomputed", 0.004)), why) for n in range(len(STEPS)))


GRAPH = {
    "nodes": [
        {"id": "/A.0", "kind": "access", "label": "A", "parent": None, "line": 2},
        {"id": "loop", "kind": "loop", "label": "for i in 0:n", "parent": None, "line": 3},
        {"id": "loop/A.0", "kind": "access", "label": "A", "parent": "loop", "line": 4},
        {"id": "sum", "kind": "tasklet", "label": "s + A[i]*A[i] <b>", "parent": "loop", "line": 4},
        {"id": "loop/s.1", "kind": "access", "label": "s", "parent": "loop", "line": 4},
        {"id": "/s.1", "kind": "access", "label": "s", "parent": None, "line": 3},
    ],
    "edges": [
        {"source": "/A.0", "target": "loop", "memlet": "A"},
        {"source": "loop/A.0", "target": "sum", "memlet": "A[i]"},
        {"source": "sum", "target": "loop/s.1", "memlet": "s"},
        {"source": "loop", "target": "/s.1", "memlet": "s"},
    ],
}


class Options:
    """The options given, by name; what was not given is None."""

    def __init__(self, given):
        self.given = given

    def __getattr__(self, name):
        return self.given.get(name)

    @property
    def budget(self):
        memory = self.given["memory"]
        return int(float(memory.split()[0]) * MIB) if isinstance(memory, str) else memory


@dataclass
class Kernel:
    """A kernel that runs its Python function."""

    function: object
    given: dict = field(default_factory=dict)
    points: tuple[tuple[int, float], ...] = STEPS
    calls: int = 0
    transform: str = "primal"
    timings: dict = field(default_factory=dict)
    memory: dict = field(default_factory=dict)

    def __post_init__(self):
        functools.update_wrapper(self, self.function)

    @property
    def options(self):
        return Options(self.given)

    def __call__(self, *args, **kwargs):
        self._compile()
        return self.function(*args, **kwargs)

    def _compile(self):
        self.calls += 1
        self.timings = {"parse": 1e-4, "cython": 0.015, "compiler": 0.2, "total": 0.25, "cache": "built" if self.calls == 1 else "memory"}
        self.memory = {"tape": 3 * MIB, "adjoints": MIB, "peak": 4 * MIB}

    def grad(self, *args, **kwargs):
        self._compile()
        self.transform = "grad"
        values = list(args)
        place = next(n for n, value in enumerate(values) if isinstance(value, np.ndarray))
        x = values[place].astype(complex)
        gradient = np.zeros(x.shape)
        for index in np.ndindex(x.shape):
            stepped = x.copy()
            stepped[index] += 1e-30j
            values[place] = stepped
            gradient[index] = np.imag(self.function(*values, **kwargs)) * 1e30
        return gradient

    def for_args(self, *args, **kwargs):
        self._compile()
        return self

    def source(self, form):
        if not self.calls:
            raise dfad.KernelTypeError("the kernel has not been called yet")
        first = self.function.__code__.co_firstlineno
        cython = f"cdef f64 s = 0.0  # line {first + 1}\nfor i in range(n):\n    s += A[i]*A[i]  # line {first + 2}"
        return cython if form == "cython" else f"{form} of it"

    def dataflow(self):
        if not self.calls:
            raise dfad.KernelTypeError("the kernel has not been called yet")
        return GRAPH

    def plan(self, *args, **kwargs):
        budget = self.given.get("memory")
        allowed = [plan for plan in self.tradeoff() if budget is None or plan.budget <= budget]
        if not allowed:
            raise dfad.BudgetTooSmall(f"no plan fits {budget} bytes", least=self.points[0][0])
        return replace(allowed[0], budget=budget, least=2 * MIB, practical=4 * MIB)

    def tradeoff(self, *args, **kwargs):
        plans = [Plan(entries(n), {"tape": 4 * MIB * n}, seconds, budget) for n, (budget, seconds) in enumerate(self.points, 1)]
        return tuple(reversed(plans))


class Gradient(Kernel):
    """The gradient of a kernel, with options of its own."""

    def __call__(self, *args, **kwargs):
        return self.grad(*args, **kwargs)


def kernel(function, **options):
    if isinstance(function, Kernel):
        return Kernel(function.function, {**function.given, **options}, function.points)
    if set(options) - {"wrt", "memory", "tape_dtype", "snapshots", "threads", "fastmath", "cache"}:
        raise dfad.KernelTypeError(f"unknown options {sorted(options)}")
    if "import" in function.__code__.co_names or function.__name__ == "refused":
        code = function.__code__
        raise dfad.UnsupportedSyntax("not taken", filename=code.co_filename, line=code.co_firstlineno + 1, column=4)
    return Kernel(function, options)


def grad(kernel, **options):
    return Gradient(kernel.function, {**kernel.given, **options}, kernel.points)
