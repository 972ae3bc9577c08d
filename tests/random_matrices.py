"""Kernels written at random in which small matrices go through products, quotients and functions, trip after trip: filters, recursions.

`random_matrices(seed)` gives the text of a kernel `f(H, P, x, n)` of two matrices of two rows, a vector and a number of trips.
Products of several matrices and elements that go into nonlinear expressions stand in loops, branches and helpers, so that the reverse
sweep has to choose, for each, between what it keeps and what it computes again.
"""

import random

HELPERS = """
import numpy as np

def adjugate(S):
    d = 1.5 + (S[0, 0] * S[1, 1] - S[0, 1] * S[1, 0]) ** 2
    return np.array([[S[1, 1], -S[0, 1]], [-S[1, 0], S[0, 0]]]) / d

def corrected(P, v):
    K = P @ v / (1.5 + v @ P @ v * (v @ P @ v))
    return P - np.outer(K, v)

def scaled(Q):
    q = np.sqrt(1.0 + np.sum(Q * Q))
    Q = Q / q
    return Q

"""

MATRICES = ("S", "K", "P", "H")
VECTORS = ("y", "x", "{m}[{r}]", "{m}[:, {r}]")
MATRIX_VALUES = (
    "0.4 * {m} @ {m}", "0.3 * {m} @ {m} @ {m}", "0.3 * {m} @ {m} @ {m}.T + {m}", "np.outer({v}, {v})", "0.5 * {m} + np.eye(2)",
    "np.tanh({m} @ {m})", "{m} / (1.5 + {e} ** 2)", "np.ones((2, 2)) / (1.5 + ({e} * {e}) ** 2)", "np.array([[{e}, t], [{e} * {e}, {e}]])",
    "adjugate({m})", "adjugate(0.5 * {m} @ {m} @ {m})", "corrected({m}, {v})", "scaled({m})", "(np.eye(2) - 0.3 * {m} @ {m}) @ {m}",
    "np.sin({m}) * {e}", "{m}.T", "{m}[::-1]", "{m}.copy()",
)  # fmt: skip
VECTOR_VALUES = (
    "{m} @ {v}", "{v} @ {m} @ {m}", "np.sin({v}) * {e}", "{v} / (1.5 + {v} @ {v})", "np.sum({m} * {m}, axis=0)", "{m} @ {v} - t * {v}",
    "np.cumsum({v})", "{v}[::-1]",
)  # fmt: skip
NUMBER_VALUES = (
    "0.5 * t + np.sum({m} * {m})", "{e} * {e}", "np.trace({m}) * t", "np.cos(t) + {e}", "{v} @ {m} @ {v}",
    "np.sqrt(1.0 + {e} ** 2) / (1.0 + t * t)", "np.exp(-{e} ** 2)", "np.prod({v})",
)  # fmt: skip
WRITES = (
    "{own}[{r}, {c}] += t * {e}", "{own} *= 0.5", "{own}[{r}] = {v}", "{own}[:, {r}] -= 0.3 * {v}", "{own} += 0.2 * {m} @ {m}",
    "{own}[{r}, {c}] = {e} * {e}",
)  # fmt: skip
CONDITIONS = ("{e} > 0.3123", "t < 0.7123", "k % 2 == 0", "n > 2", "np.sum({v}) > 0.1123")


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []

    def filled(self, template: str) -> str:
        """The template with matrices, vectors, elements and conditions in their places."""
        pick = self.random.choice
        while "{" in template:
            for part, found in (
                ("{e}", "{m}[{r}, {c}]"), ("{v}", pick(VECTORS)), ("{m}", pick(MATRICES)), ("{own}", pick(MATRICES[:2])),
                ("{r}", pick("01")), ("{c}", pick("01")),
            ):  # fmt: skip
                template = template.replace(part, found, 1)
        return template

    def write(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + self.filled(text))

    def statement(self, depth: int, loops: int) -> None:
        chance, pick = self.random.random(), self.random.choice
        if chance < 0.45:
            self.write(depth, f"{pick(('S', 'K', 'P', 'P'))} = {pick(MATRIX_VALUES)}")
        elif chance < 0.58:
            self.write(depth, f"y = {pick(VECTOR_VALUES)}")
        elif chance < 0.72:
            self.write(depth, f"t = {pick(NUMBER_VALUES)}")
        elif chance < 0.84:
            self.write(depth, pick(WRITES))
        elif chance < 0.92:
            self.write(depth, f"if {pick(CONDITIONS)}:")
            self.block(depth + 1, loops)
            if self.random.random() < 0.5:
                self.write(depth, "else:")
                self.block(depth + 1, loops)
        elif loops < 2:
            self.write(depth, f"for {'ji'[loops - 1]} in range({pick(('2', 'n', '1'))}):")
            self.block(depth + 1, loops + 1)
        else:
            self.write(depth, "t = 0.5 * t")

    def block(self, depth: int, loops: int) -> None:
        for _ in range(self.random.randint(1, 4)):
            self.statement(depth, loops)


def random_matrices(seed: int) -> str:
    """The text of a kernel, with the helpers that it may call."""
    writer = _Writer(seed)
    for start in ("S = H * 0.5", "K = P @ H", "y = x * 1.0", "t = 0.5"):
        writer.write(1, start)
    writer.write(1, "for k in range(n):")
    writer.block(2, 1)
    writer.block(2, 1)
    writer.write(1, "return t + np.sum(P * P) + np.sum(S * K) + np.sum(np.sin(y))")
    return HELPERS + "\n".join(["def f(H, P, x, n):", *writer.lines]) + "\n"
