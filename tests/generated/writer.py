"""A random kernel as Python source text, with the features that it has.

Every kernel has the signature `kernel(x, y, A, B, c, idx, steps)`: vectors of n, matrices of n by n, a float, integers in range(n), a
number of steps. Values stay small whatever is composed: products go through sines or are scaled, and loops are short. Kinks are compared
with constants that no value meets. Indices are in range by construction; some wrap round from the end, as in Python.
"""

from __future__ import annotations

import linecache
import math
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tests.generated import forms, loops
from tests.generated.scope import Scope

PARAMETERS = "x, y, A, B, c, idx, steps"
HELPERS = """
def damp(v):
    return 0.5 * v / (1.0 + v * v)


def relax(w, q):
    for p in range(1, len(w)):
        w[p] = 0.5 * w[p] + 0.25 * w[p - 1] * math.sin(q * w[p])
    return w[0]


def search(v, q):
    if v > 0.8134567:
        return 0.3 * v * q
    for p in range(3):
        v = 0.5 * v + math.sin(q * v)
        if v < -0.2134567:
            return v
    return 0.5 * v
"""


@dataclass(frozen=True)
class Kernel:
    """The text of a generated kernel, the function made of it, and what it contains."""

    text: str
    function: Callable[..., Any]
    features: frozenset[str]


class Writer:
    """Writes one kernel."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0
        self.features: set[str] = set()
        self.protected: set[str] = set()

    def kernel(self) -> str:
        """The text of the whole kernel."""
        self.put("n = len(x)")
        self.put("s = 0.3 * c")
        scope = Scope()
        for _ in range(self.rng.randint(2, 4)):
            self.statement(scope, 0)
        self.put(f"return {self.result(scope)}")
        return HELPERS + f"\n\ndef kernel({PARAMETERS}):\n" + "\n".join(self.lines) + "\n"

    # ------------------------------------------------------------ text

    def put(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    @contextmanager
    def indented(self) -> Iterator[None]:
        self.depth += 1
        yield
        self.depth -= 1

    def fresh(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def chance(self, part: float) -> bool:
        return self.rng.random() < part

    # ------------------------------------------------------------ statements

    def statement(self, scope: Scope, level: int) -> None:
        in_loop = bool(scope.indices)
        kinds: list[tuple[float, Callable[[Scope, int], None]]] = [
            (5 if in_loop else 1, self.assign_element),
            (3 if in_loop else 1, self.assign_scalar),
            (3.5, self.assign_slice),
            (1, self.view),
            (1.2 if level < 3 else 0, self.exchange),
            (2 if level < 3 else 0, self.branch),
            (1, self.new_array),
            (2 if in_loop else 0, self.new_integer),
            (1, self.call),
            (5 if level == 0 else (2.5 if level < 3 else 0), partial(loops.counted, self)),
            (0.8 if level < 3 else 0, partial(loops.over_elements, self)),
            (0.8 if level < 3 else 0, partial(loops.while_counting, self)),
            (0.8 if level < 3 else 0, partial(loops.while_large, self)),
            (0.4 if level < 3 else 0, self.leave),
        ]
        weights, choices = zip(*kinds, strict=True)
        self.rng.choices(choices, weights)[0](scope, level)

    def body(self, scope: Scope, level: int, way_round: bool = False) -> None:
        with self.indented():
            if way_round:
                self.features.add("continue")
                self.put(f"if {self.expression(scope, 1)} > 0.4342944:")
                with self.indented():
                    self.put("continue")
            for _ in range(self.rng.randint(1, 3)):
                self.statement(scope, level + 1)

    def branch(self, scope: Scope, level: int) -> None:
        condition, on_data = self.condition(scope)
        if on_data and scope.indices:
            self.features.add("branch in loop")
        self.put(f"if {condition}:")
        self.body(scope.inside(conditional=on_data), level)
        if self.chance(0.5):
            self.put("else:")
            self.body(scope.inside(conditional=on_data), level)

    def condition(self, scope: Scope) -> tuple[str, bool]:
        if scope.indices and self.chance(0.3):
            i = self.rng.choice(scope.indices).name
            j = self.rng.choice(scope.indices).name
            return self.rng.choice([f"{i} % 2 == 0", f"{i} > 0", f"{i} <= {j}", f"{i} == 1", f"{i} != {j} and {i} > 0"]), False
        first = f"{self.expression(scope, 1)} > 0.31830988"
        if self.chance(0.2):
            return f"{first} or {self.expression(scope, 0)} < -0.2718281", True
        return first, True

    def assign_element(self, scope: Scope, level: int) -> None:
        target = self.element(scope)
        how = self.rng.choice(["=", "=", "=", "+=", "-=", "*="])
        value = self.expression(scope, 2)
        if how == "*=":
            value = f"math.sin({value})"
        elif how == "=":
            value = self.bounded(value)
        self.put(f"{target} {how} {value}")

    def assign_scalar(self, scope: Scope, level: int) -> None:
        value = self.expression(scope, 2)
        if self.chance(0.4):
            name = self.fresh("t")
            self.put(f"{name} = {self.bounded(value)}")
            scope.scalars.append(name)
            return
        own = [name for name in scope.scalars if name != "c" and name not in self.protected]
        name = self.rng.choice(own)
        self.put(self.rng.choice([f"{name} += {value}", f"{name} = 0.5 * {name} + {value}", f"{name} = math.sin({name} * {value})"]))
        self.features.add("carried scalar" if scope.indices and name == "s" else "scalar")

    def assign_slice(self, scope: Scope, level: int) -> None:
        v, w = self.rng.choice(scope.vectors), self.rng.choice(scope.vectors)
        A, B = self.rng.choice(scope.matrices), self.rng.choice(scope.matrices)
        kind = self.rng.choices(["slice", "library", "gather", "mask", "index"], [4, 4, 2.5, 3, 2])[0]
        inside = [index for index in scope.indices if index.inside]
        if kind == "index" and inside:
            text = self.rng.choice(forms.at_index(v, w, A, B, self.rng.choice(inside).name))
        else:
            table = {"library": forms.libraries, "gather": forms.gathers, "mask": forms.masks}.get(kind, forms.slices)
            text = self.rng.choice(table(v, w, A, B, self.scalar(scope)))
        self.features |= {"slice", kind} | ({"axis"} if "axis" in text else set())
        left, _, right = text.partition("=")
        if left.strip(" +-*").split("[")[0] in right:
            self.features.add("slice overlap")
        self.put(text)

    def view(self, scope: Scope, level: int) -> None:
        """A name for a part of an array; what is written through it reaches the array."""
        self.features.add("view")
        v, w, A = self.rng.choice(scope.vectors), self.rng.choice(scope.vectors), self.rng.choice(scope.matrices)
        r, q, f = self.fresh("r"), self.fresh("r"), self.scalar(scope)
        kind = self.rng.randint(0, 3)
        if kind < 2:
            i = self.rng.choice(["0", "-1", *(index.name for index in scope.indices if index.inside)])
            self.put(f"{r} = {self.rng.choice(forms.vectors_seen(v, A, i))}")
            scope.vectors.append(r)
            self.put(self.rng.choice([f"{r}[:] = 0.5 * {w} * {r}", f"{r}[{self.index(scope)}] = np.sin({f})", f"{r} *= 0.5"]))
            return
        bind, uses = forms.through_view(r, v, w, A, f) if kind == 2 else forms.through_matrix(r, q, v, w, A, f)
        self.put(bind)
        for _ in range(self.rng.randint(1, 3)):
            self.put(self.rng.choice(uses))

    def exchange(self, scope: Scope, level: int) -> None:
        names = self.rng.choice([scope.vectors[:2], self.rng.sample(scope.own, 2), scope.matrices[:2]])
        self.features.add("exchange that depends on data" if scope.conditional else "exchange")
        self.put(f"{names[0]}, {names[1]} = {names[1]}, {names[0]}")

    def new_array(self, scope: Scope, level: int) -> None:
        name, v, w = self.fresh("w"), self.rng.choice(scope.vectors), self.rng.choice(scope.vectors)
        forms = [f"{v}.copy()", "np.zeros(n)", f"0.5 * {v} + {w}", f"np.sin({v}) * {self.scalar(scope)}", f"np.zeros_like({v})"]
        self.put(f"{name} = {self.rng.choice(forms)}")
        self.features.add("array in a loop" if scope.indices else "array")
        scope.vectors.append(name)

    def new_integer(self, scope: Scope, level: int) -> None:
        name, i = self.fresh("k"), self.rng.choice(scope.indices).name
        inner = [index.name for index in scope.indices if index.inside]
        forms = [f"(2 * {i} + 1) % n", f"{i} % n", f"({i} * {i}) % n", f"(3 * {i} - 7) // 2 % n", f"-{i} // 2 % n"]
        forms += [f"idx[{j}]" for j in inner]
        self.put(f"{name} = {self.rng.choice(forms)}")
        self.features.add("computed index")
        scope.integers.append(name)

    def leave(self, scope: Scope, level: int) -> None:
        """A return where data say so."""
        self.features.add("early return")
        self.put(f"if {self.expression(scope, 1)} > 0.6180339:")
        with self.indented():
            self.put(f"return {self.result(scope)}")

    def call(self, scope: Scope, level: int) -> None:
        self.features.add("call")
        if self.chance(0.3):
            self.put(f"s += search({self.expression(scope, 1)}, {self.scalar(scope)})")
        elif self.chance(0.5):
            self.put(f"s += relax({self.rng.choice(scope.vectors)}, {self.scalar(scope)})")
        else:
            self.put(f"s += damp({self.expression(scope, 1)})")

    def result(self, scope: Scope) -> str:
        (x, y), (A, B) = scope.vectors[:2], scope.matrices[:2]
        return f"s + np.sum({x}) - 0.5 * np.sum(np.sin({y})) + np.sum({A} * {B})"

    # ------------------------------------------------------------ expressions

    def bounded(self, value: str) -> str:
        return self.rng.choice([f"math.sin({value})", f"0.5 * ({value})", f"damp({value})"])

    def expression(self, scope: Scope, depth: int) -> str:
        if depth == 0 or self.chance(0.15):
            return self.leaf(scope)
        a, b = self.expression(scope, depth - 1), self.expression(scope, depth - 1)
        plain = [
            f"(0.5 * {a} + {b})",
            f"({a} - 0.25 * {b})",
            f"math.sin({a} * {b})",
            f"math.cos({a} + {b})",
            f"math.sin({a}) * {b}",
            f"{a} / (1.5 + {b} ** 2)",
            f"math.exp(-({a}) ** 2) * {b}",
            f"math.sqrt(1.0 + {a} * {a})",
            f"math.tanh({a})",
            f"0.3 * max({a}, 0.1234567)",
            f"min({a}, 0.7654321) * 0.5",
            f"0.5 * abs({a} + 0.0123456)",
            f"damp({a})",
            f"0.4 * np.maximum({a}, -0.2345678)",
        ]
        if self.chance(0.08):
            condition, _ = self.condition(scope)
            self.features.add("conditional expression")
            return f"({a} if {condition} else {b})"
        return self.rng.choice(plain)

    def leaf(self, scope: Scope) -> str:
        if self.chance(0.6):
            return self.element(scope)
        return self.scalar(scope) if self.chance(0.8) else str(self.rng.choice([0.5, -0.25, 1.0, 0.75]))

    def scalar(self, scope: Scope) -> str:
        return self.rng.choice(scope.scalars)

    def element(self, scope: Scope) -> str:
        if self.chance(0.5):
            return f"{self.rng.choice(scope.vectors)}[{self.index(scope)}]"
        return f"{self.rng.choice(scope.matrices)}[{self.index(scope)}, {self.index(scope)}]"

    def index(self, scope: Scope) -> str:
        choices = ["0", "-1"]
        for index in scope.indices:
            i = index.name
            if not index.inside:
                choices += [f"{i} % n"]
                continue
            choices += [i] * 6 + [f"n - 1 - {i}", f"({i} + 1) % n", f"{i} - 1"]
            choices += [f"{i} - 1"] * 4 if index.below else []
            choices += [f"{i} + 1"] * 4 if index.above else []
            if self.chance(0.1):
                choices += [f"idx[{i}]"]
        choices += scope.integers * 3
        return self.rng.choice(choices)


NUMBER = [0]


def generate(rng: random.Random) -> Kernel:
    """A kernel made of the choices of `rng`."""
    writer = Writer(rng)
    text = writer.kernel()
    return Kernel(text, compiled(text), frozenset(writer.features))


def compiled(text: str) -> Callable[..., Any]:
    """The function of a kernel's text, with a source that `inspect` finds."""
    NUMBER[0] += 1
    name = f"<generated {NUMBER[0]}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"np": np, "math": math, "__name__": "tests.generated.kernels"}
    exec(compile(text, name, "exec"), names)
    return names["kernel"]


def arguments(n: int, steps: int, seed: int) -> tuple[Any, ...]:
    """Arguments of that size."""
    random_ = np.random.default_rng(seed)
    vector, matrix = (lambda: random_.uniform(-1, 1, n)), (lambda: random_.uniform(-1, 1, (n, n)))
    return (vector(), vector(), matrix(), matrix(), float(random_.uniform(0.5, 1.5)), random_.integers(0, n, n), steps)
