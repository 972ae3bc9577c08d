"""Kernels written at random in which names are bound to views, copies and each other, and written through.

`random_aliases(seed)` gives the text of a kernel `f(x, y, A, k)` of two vectors of two elements, a matrix of four, and an integer. The
names u, v and w change what they mean in loops, in branches and by exchanges; which array a write reaches is all that counts.
"""

import random

HELPERS = """
import numpy as np

def turned(z):
    return z[::-1]

def same(z):
    return z

def bump(z):
    z[0] = z[0] + 1.0
    return z

def shifted(z):
    z = z[::-1]
    z[0] += 0.5
    return z

def larger(a, b):
    if a[0] > b[0]:
        return a
    return b

def last(a, b):
    for i in range(3):
        a, b = b, a
    return a
"""

NAMES = ("u", "v", "w")
CONDITIONS = ("x[0] > 0", "k > 1", "i % 2 == 0", "y[-1] > 0.2", "i > 0")
STARTS = (
    ("t = 0.5",), ("i = 0",), ("s = 1", "s = -1", "s = 1 if k > 1 else -1"), ("u = x", "u = x[::-1]", "u = x.copy()", "u = A[0]"),
    ("v = y", "v = x", "v = u", "v = u[::-1]"), ("w = y", "w = u", "w = v[:]", "w = v * 2.0"),
)  # fmt: skip
VALUES = (
    "{a}", "{a}", "{a}[::-1]", "{a}[:]", "{a}.copy()", "{a} * 1.5", "{x}.reshape(-1)", "{x}.ravel()", "{a}[None][0]", "np.flip({a})",
    "turned({a})", "same({a})", "bump({a})", "shifted({a})", "larger({a}, {n})",
    "last({a}, {n})", "A[{r}]", "A[:, {r}]", "A.T[{r}]", "({a} if {c} else {n})", "({a}, {n})[{r}]", "{a}[::s]",
    "{a}[k - k:]",
)  # fmt: skip
WRITES = ("{a}[0] = {n}[-1] + 0.5", "{a} *= 0.5", "{a}[1:] = 0.0 + {n}[:-1]", "{a} += {n}", "{a}[:] = 0.25 + {n}")


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []

    def filled(self, template: str) -> str:
        """The template with an array, a name, an argument, a row and a condition in their places."""
        pick = self.random.choice
        return template.format(
            a=pick((*NAMES, "x", "y")), n=pick(NAMES), x=pick("xy"), r=pick(("0", "1", "k % 2", "i % 2")), c=pick(CONDITIONS)
        )

    def statement(self, depth: int) -> None:
        """One statement, of which a third are loops and branches with some more."""
        pick, kind, margin = self.random.choice, self.random.random(), "    " * depth
        if kind < 0.42:
            self.lines.append(f"{margin}{pick(NAMES)} = {self.filled(pick(VALUES))}")
        elif kind < 0.6:
            self.lines.append(margin + self.filled(pick(WRITES)))
        elif kind < 0.68:
            first, second = self.random.sample(NAMES, 2)
            self.lines.append(f"{margin}{first}, {second} = {second}, {first}")
        elif kind < 0.74 or depth == 4:
            self.lines.append(f"{margin}t += {pick(NAMES)}[0] * {pick(NAMES)}[-1]")
        elif kind < 0.87:
            self.block(depth, f"for i in range({pick(('k', '2', '3'))}):", 3)
        else:
            self.block(depth, f"if {pick(CONDITIONS)}:", 2)
            if self.random.random() < 0.4:
                self.block(depth, "else:", 1)

    def block(self, depth: int, head: str, most: int) -> None:
        """A head and up to so many statements below it."""
        self.lines.append("    " * depth + head)
        for _ in range(self.random.randint(1, most)):
            self.statement(depth + 1)


def random_aliases(seed: int) -> str:
    """The text of a kernel, with the helpers that it calls."""
    writer = _Writer(seed)
    writer.lines += [f"    {writer.random.choice(choices)}" for choices in STARTS]
    for _ in range(writer.random.randint(2, 5)):
        writer.statement(1)
    return HELPERS + "\n\ndef f(x, y, A, k):\n" + "\n".join([*writer.lines, "    return t, u * 1.0, v * 1.0, w * 1.0"]) + "\n"


MEANT = ("u", "v", "x", "y")
IN_TRIP = (
    "{a} = {b} * 1.5", "{a} = {b} * 1.5", "{a} = {b}", "{a} = {b}", "{a}, {b} = {b}, {a}", "{a}[0] += 1.0", "{a} *= 1.25",
    "{a}[-1] = t * 0.01", "t += {a}[0] * {b}[-1]", "t += {a}[-1]", "{a} = {b}[::-1]", "{a} = ({b} if {c} else {d})",
    "{a} = doubled({b})", "{a}[{a} > 4] -= 2.0",
)  # fmt: skip
ON_SOME_TRIPS = ("i % 2 == 0", "i % 3 == 1", "i > 2", "t > 9")


def random_exchanges(seed: int) -> str:
    """The text of a kernel `f(x, y, n)`: in a loop, two or three names come to mean each other's arrays while these are bound anew."""
    chance = random.Random(seed)

    def filled() -> str:
        a, b, d = chance.sample(MEANT, 3)
        return chance.choice(IN_TRIP).format(a=a, b=b, c=chance.choice(ON_SOME_TRIPS), d=d)

    lines = ["t = 0.5", f"u = {chance.choice(('x', 'y', 'x[::-1]', 'x * 2.0'))}", f"v = {chance.choice(('x', 'y', 'u', 'y[::-1]'))}"]
    lines.append("for i in range(n):")
    for _ in range(chance.randint(3, 7)):
        kind = chance.random()
        if kind < 0.25:
            lines += [f"    if {chance.choice(ON_SOME_TRIPS)}:", f"        {filled()}"]
        elif kind < 0.32:
            lines += [f"    for q in {chance.choice(MEANT)}:", "        t += q * 0.1", *(f"        {filled()}" for _ in range(2))]
        else:
            lines.append(f"    {filled()}")
    body = "".join(f"    {line}\n" for line in [*lines, "return t, u * 1.0, v * 1.0, x * 1.0, y * 1.0"])
    return f"import numpy as np\n\ndef doubled(z):\n    z = z * 2.0\n    z[0] = 1.0\n    return z\n\n\ndef f(x, y, n):\n{body}"
