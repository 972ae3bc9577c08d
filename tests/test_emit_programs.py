"""Random loop programs: compiled, with the last rewrites before, they give what the interpreter gives."""

import numpy as np
import pytest

from dfad.ir.evaluate import evaluate
from dfad.ir.verify import verify
from dfad.optimise.last import optimise_last
from tests.emitted_kernels import Launcher
from tests.ir_text import build

pytestmark = pytest.mark.slow

RANGES = ["0, N", "N - 1, -1, -1", "1, N", "0, N, 2", "0, {i} + 1", "{i}, -1, -1", "2, N - 1"]


class Writer:
    """Writes programs over A, B, C (N x N), x, y (N) and the scalars s0, t; branches look at G, which nobody writes."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.count = 0

    def pick(self, options):
        return options[self.random.integers(len(options))]

    def program(self):
        head = "def f(A: f8[N, N], B: f8[N, N], x: f8[N], y: f8[N], G: f8[N]):\n    s0: f8 = result\n    t: f8\n    C: f8[N, N]"
        start = "    s0 = 0.0\n    t = 0.5\n    for c in range(0, N):\n        for d in range(0, N):\n            C[c, d] = 0.0"
        return f"{head}\n{start}\n{self.block((), 1, 4)}\n    return s0"

    def block(self, indices, level, length):
        lines = [self.statement(indices, level) for _ in range(self.random.integers(1, length + 1))]
        return "\n".join(lines)

    def statement(self, indices, level):
        pad, kind = "    " * level, self.random.random()
        if len(indices) < 3 and self.count < 8 and (kind < 0.45 or not indices):
            self.count += 1
            index = f"i{self.count}"
            bounds = self.pick(RANGES if indices else [bound for bound in RANGES if "{" not in bound])
            head = f"{pad}for {index} in range({bounds.format(i=self.pick(indices or ['0']))}):"
            return f"{head}\n{self.block((*indices, index), level + 1, 3)}"
        if kind < 0.55:
            guard = f"G[{self.pick([*indices, '0'])}] {self.pick(['<', '>='])} 0.0"
            return f"{pad}if {guard}:\n{self.block(indices, level + 1, 2)}"
        if kind < 0.6 and indices:
            return f"{pad}C, B = B, C"
        target = self.pick([*(self.cell(indices) for _ in range(4)), "s0", "t"])
        return f"{pad}{target} {self.pick(['=', '+='])} {self.value(indices)}"

    def cell(self, indices):
        index = lambda: self.pick([*indices, "0"])  # noqa: E731
        name = self.pick(["A", "B", "C", "x", "y"])
        return f"{name}[{index()}]" if name in "xy" else f"{name}[{index()}, {index()}]"

    def value(self, indices):
        a, b, c = (self.cell(indices) for _ in range(3))
        return self.pick([f"0.5*{a} - 0.25*{b}", f"0.3*{a}*{b}", f"sin({a}) + 0.1*{c}", "0.0", a, f"0.1*s0 - 0.5*{a}", f"0.2*t + 0.3*{b}",
                          f"maximum({a}, {b})*0.5"])  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed):
    program = build(Writer(seed).program())
    lowered = verify(optimise_last(verify(program)))
    launcher = Launcher(lowered)
    for n in (1, 2, 5, 36):
        random = np.random.default_rng(n)
        shapes = {"A": (n, n), "B": (n, n), "x": (n,), "y": (n,), "G": (n,)}
        given = {name: random.uniform(-1, 1, shape) for name, shape in shapes.items()}
        expected = {name: value.copy() for name, value in given.items()}
        run = launcher(**given)
        with np.errstate(all="ignore"):
            results = evaluate(program, expected)
        assert (run.status, run.left) == (0, 0)
        for name, value in (results | expected).items():
            np.testing.assert_allclose((run.results | given)[name], value, rtol=1e-9, atol=1e-9, err_msg=f"{name} n={n}")
