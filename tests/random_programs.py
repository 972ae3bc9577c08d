"""Kernels written at random: loops, branches, slices with overlaps, views, exchanges, early exits, masks, index arrays, helpers.

`random_program(seed)` gives the text of a kernel `f(x, y, A, c, m, n, idx, g, p, b)` of two vectors, a matrix, a number, two integers, an
index array, and vectors of float32, int64 and bool. The same seed gives the same text. Programs may run into an IndexError: then the
compiled kernel has to as well. `is_exact` tells of which programs NumPy's bits are asked: those without sums and products of matrices.
"""

import ast
import random
from collections import Counter

HELPERS = """
import numpy as np

def scale_first(v, z):
    z[0] = z[0] * 0.5
    return v + z[0]

def add_to_all(z, v):
    for i in range(len(z)):
        z[i] = z[i] + v

def doubled(z):
    z = z * 2.0
    z[0] = 1.0
    return z

def search(v, w):
    for i in range(3):
        if v > w:
            return v - w
        v = v * 2.0
        if v < 0.1:
            continue
        v += 0.1
        if w > 1.0:
            break
    return v
"""

SLICES = (":", "1:", ":-1", "1:-1", "::2", "::-1", "1:3", "-3:", "2:", "-2:0:-1", "{i}:", ":{i}")
RANGES = (
    "n", "1, n", "1, n - 1", "n - 1, -1, -1", "0, n, 2", "3", "k, n", "m", "{i}, {i}", "n - 2, 0, -2", "abs(idx[0])", "p[0] % 4",
    "idx[-1], n",
)  # fmt: skip
INTEGERS = (
    "{b} - 1", "{b} + 1", "({b} + 1) % n", "({b} - 1) % n", "{b} // 2", "-{b}", "({b} % 3)", "n - 1 - {b}", "{b}", "{b}", "{b}",
    "({b} & 3)", "({b} ^ 1)", "({b} >> 1)", "(~{b} | 1)",
)  # fmt: skip
WHOLE = (
    "A[:] = A.T", "A[1:] = A[:-1]", "A[:, 1:] += A[:, :-1]", "A[1:, :-1] = A[:-1, 1:]", "A += 1.0", "A[:] = A * x", "y = x.copy()",
    "x = x + 1.0", "y = x", "x = y * 0.5", "y = A[0].copy()", "y[:] = A @ x", "x[:] = x - np.max(x)", "y = doubled(x)", "y = doubled(y)",
    "x, y = y, x", "x, y = y, x", "k, m = m, k + 1", "s, t = t, s",
)  # fmt: skip
CHOICES = (
    "x[x > {s}] = {s}", "x[x > 0] = np.sqrt(x[x > 0])", "y[x > 0] += x[x > 0]", "A[A > {s}] *= 0.5", "s += np.sum(x[y > 0] * y[y > 0])",
    "A[x > 0] = 0.25", "x[1:][x[:-1] > 0] = 1.0", "mask = x > y; s += np.sum(mask); t += len(x[mask])", "x[idx] = y", "x[idx] += y",
    "x[:] = x[idx]", "y[idx] *= x", "A[idx] = A[::-1]", "s += np.sum(A[idx, idx])", "A[idx, 0] = x", "np.add.at(x, idx, y)",
    "x = y[idx]", "s += x[idx[{i} % n]]",
)  # fmt: skip
TYPED = (
    "g[:] = g * 0.5 + g", "g[{i}] = {s}", "s += float(g[{i}])", "x += g", "g += x", "g[1:] += g[:-1]", "g[:] = np.sqrt(abs(g)) / 3",
    "g *= float({s})", "g *= x[{i}] * {s}",  # {s} may be Python's number on one path, NumPy's on the other
    "t = float(g[{i}]) / 3", "g[:] = np.where(b, g, x)", "p[:] = p * 2 - p // 3", "p[{i}] = {i} // 2", "k = p[{i}] % n",
    "s += p[{i}] * 0.5", "p[:] = p % 3 - (-p) // 4", "p[{i}] += k", "p[:] = np.maximum(p, 1 - p)", "k = np.sum(p) % 5", "k += np.sum(b)",
    "x[:] = p / 4", "p[1:] = p[:-1] - 7 // n", "p[b] += 1", "p[:] = idx[::-1]", "k = (3 * p[{i}] - 7) // 4 % n", "x[p % n] = y",
    "s += x[p[{i}] % n]", "b[:] = x > y", "b[{i}] = {s} > {s}", "b[:] = b & ~(g > 0.5)", "x[b] = {s}", "b[1:] = b[:-1]", "b |= p > 1",
    "A[b] += 0.5", "x[:] = x.astype(np.float32)", "p[:] = (x * 4).astype(np.int64)", "k = int({s}) if abs({s}) < 9 else 2",
    "g, first = g * 2, float(g[0]); s -= first",
)  # fmt: skip
SEQUENCES = (
    "x[[0, -1]] = x[[-1, 0]]", "x[[{i}, 0]] += {s}", "A[[0, -1]] = A[[-1, 0]]", "A[:, [0, -1]] *= 0.5", "s += A[[0, -1], {i}][1]",
    "A[{i}, [0]] = y[[-1]]", "x[-1:] = [{s}]", "y[:1] += (t,)", "s = (s, t)[k % 2]", "t = ((0.5, s), (t, 2.0))[k % 2][({i}) % 2]",
    "(x, y)[k % 2][0] = {s}", "(x, y)[({i}) % 2][:] = 0.5 * A[0]", "pos = (k % n, m % n); A[pos] *= 0.5", "A[x > {s}, 0] = {s}",
    "pr = (s, t); s, t = pr[1], pr[0] * 0.5", "A[x > 0, {i}] += x[x > 0]", "A[{i}, y > 0] *= 0.5", "A[:, x > 0] = {s}",
    "A[x > 0, 1:] *= 0.5", "A[1:, y > {s}] += 1.0", "x[idx[idx > 0]] = {s}", "x[p > 0] = y[p > 0]", "A[x > 0, idx[x > 0]] += {s}",
    "s += x[x > -9.0][{i}]", "y[np.nonzero(x > 0)[0]] += 1.0", "k = len(np.nonzero(x > {s})[0])", "x[idx][0] = {s}",
    "A[:] = np.roll(A, ({i}, 1), axis=(0, 1))", "A[:] = np.roll(A, k)", "A[1:] = np.diff(A, axis=0)", "A[idx, [0]] = x",
    "part = x[1:] if {c} else x[:-1]; part *= 0.5", "part = x[1:] if {c} else x[:1]; s += len(part)", "s = max([s, t, {s}])",
    "for v in reversed(x): s = 0.5 * s + v",
)  # fmt: skip
AXES = (
    "x[:] = np.max(A, axis=1)", "y[:] = np.min(A, axis=0) + x", "s = np.min(x)", "k = np.argmax(x)", "b[:] = np.any(A > {s}, axis=0)",
    "p[:] = np.sum(A > 0, axis=1)", "A -= np.max(A, axis=1, keepdims=True)", "y[:] = np.sum(A, axis=0)", "x[:] = A.mean(axis=1)",
    "b[:] = np.all(A < {s}, axis=1)", "p[:] = np.argmin(A, axis=0)",
)  # fmt: skip
VIEWS = (
    ("r = A[{i}]", "r[0] = {s}", "s += r[-1]", "r *= 0.5", "x[:] = r[::-1]", "r[1:] = 0.0 + r[:-1]"),
    ("T = A.T", "T[0] += x", "T[{i}, {i}] = {s}", "A[:] = 0.5 * T", "x -= T[-1]"),
    ("u = x[1:]", "u *= 0.5", "u += y[1:]", "s += u[-1]", "x[:-1] = 0.0 + u", "u[:] = 0.25"),
    ("h = A[:, 0][::-1]", "h[:] = x", "h[0] = {s}", "y -= h", "A[0] += 0.0 + h"),
    ("R = A[::-1, 1:]; V = R[0]", "V += 1.0", "R[{i}] *= {s}", "V[:] = 0.0 + y[1:]", "s += R[-1, -1]"),
    ("W = x if {c} else y", "W[0] = {s}", "s += W[-1]", "y[:] = W * 0.5"),
)
"""What binds a view, and what is done with it."""
OVER = (
    "for {j}, v in enumerate(x)", "for v, w in zip(x, y)", "for v, w in zip(y[::-1], idx)", "for {j}, row in enumerate(A)",
    "for row in A.T", "for v in (0.5, -2.0)", "for {j}, (v, w) in enumerate(zip(x, p))",
)  # fmt: skip
OVER_BODIES = {
    "row": ("row[0] = {s}", "row *= 0.5", "s += row[-1]", "row += x"),
    "v": ("s += v", "t = v * 0.5", "x[0] = v", "y[-1] -= v * v"),
}
BARE_RANGES = (
    "n", "m", "3", "{o}", "{o} + 1", "{o}, n", "n - {o}", "{o}, -1, -1", "min(k, 6) - 2", "2 - m", "{o} * {o} % 5", "0, n, abs({o}) + 1",
    "p[{o} % n] % 3",
)  # fmt: skip
"""Ranges of nests whose bodies name no index; {o}: the index of the loop around."""
BARE_BODIES = (
    "k += 1", "k = (3 * k + 1) % 7", "s += 0.5", "s += c", "s = 0.5 * s + c", "x[0] += 0.25", "p[0] += 1", "t -= x[0]", "s, t = t, s",
    "x, y = y, x", "g[0] = g[0] * 0.5", "b[0] = not b[0]", "A[0, 0] += s", "s = half(s)", "k ^= 1",
)  # fmt: skip
INNER = (
    "half = lambda v: 0.5 * v + c", "half = lambda v, w=0.25: v * w + s", "half = lambda v: v * 0.5 + x[0]",
    "def half(v):\n        z = v * 0.5\n        return z - t if z > c else z",
    "def half(v):\n        y[0] = v * 0.25\n        return y[0] + s",
)  # fmt: skip
"""What a kernel may define for itself; what it reads of the kernel is that of the moment of the call."""
RETURN = "return s, t, k, x * 1.0, y * 1.0, A[0] * 1.0"
INEXACT = ("np.sum(", "@", ".mean(")


class Writer:
    """One program in the making."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.indices: list[str] = []

    def choose(self, *weighted: tuple[float, object]) -> object:
        """One of (weight, thing)."""
        things = [thing for _, thing in weighted]
        return self.random.choices(things, [weight for weight, _ in weighted])[0]

    def fill(self, template: str) -> str:
        """A template with its holes filled: i an integer, s a number."""
        while "{i}" in template:
            template = template.replace("{i}", self.integer(), 1)
        while "{s}" in template:
            template = template.replace("{s}", self.number(1), 1)
        while "{c}" in template:
            template = template.replace("{c}", self.condition(1), 1)
        return template

    def integer(self) -> str:
        if self.random.random() < 0.15:
            return str(self.random.randint(-2, 3))
        base = self.random.choice(self.indices) if self.indices and self.random.random() < 0.7 else self.random.choice("km")
        return self.random.choice(INTEGERS).format(b=base)

    def index(self) -> str:
        return self.integer() if self.indices else self.random.choice(("0", "-1", "k % n", "m % n", self.integer()))

    def part(self) -> str:
        return self.fill(self.random.choice(SLICES))

    def number(self, depth: int = 0) -> str:
        if depth > 2:
            return self.random.choice(("s", "t", "c", "0.5", "2.0"))
        a, b = self.number(depth + 1), self.number(depth + 1)
        sign = self.random.choice("+-*")
        return str(
            self.choose(
                (2, self.random.choice(("s", "t", "c", "0.5", "2.0"))),
                (2, f"x[{self.index()}]"),
                (1, f"y[{self.index()}]"),
                (1, f"A[{self.index()}, {self.index()}]"),
                (2.5, f"({a} {sign} {b})"),
                (0.5, f"max({a}, {b})"),
                (0.4, f"({a} if {self.condition(depth + 1)} else {b})"),
                (0.3, f"np.sum({self.vector(self.part(), depth + 1)})"),
                (0.2, f"float({self.integer()})"),
                (0.3, f"scale_first({a}, {self.random.choice(('x', 'y', 'A[0]'))})"),
                (0.2, f"search({a}, {b})"),
                (0.3, f"half({a})"),
                (0.3, f"abs({a})"),
                (0.3, f"{a} / 3.0"),
                (0.3, f"np.sqrt(abs({a}))"),
            )
        )

    def condition(self, depth: int = 0) -> str:
        compare = f"{self.integer()} {self.random.choice(('<', '>', '==', '!=', '>='))} {self.integer()}"
        if depth > 1:
            return compare
        return str(
            self.choose(
                (4, f"{self.number(depth + 1)} > {self.number(depth + 1)}"),
                (3, compare),
                (1.5, f"({self.condition(depth + 1)} {self.random.choice(('and', 'or'))} {self.condition(depth + 1)})"),
                (0.5, f"not ({self.condition(depth + 1)})"),
                (1, f"{self.integer()} < {self.integer()} <= {self.integer()}"),
            )
        )

    def vector(self, part: str, depth: int = 0) -> str:
        simple = self.random.choice((f"x[{part}]", f"y[{part}]", f"A[{self.index()}, {part}]", f"x[::-1][{part}]"))
        if depth > 1:
            return simple
        a, b = self.vector(part, depth + 1), self.vector(part, depth + 1)
        return str(
            self.choose(
                (5, simple),
                (3, f"({a} {self.random.choice('+-*')} {b})"),
                (1, f"({a} * {self.number(2)})"),
                (0.5, f"np.where({a} > 0, {b}, {self.number(2)})"),
                (0.5, f"np.maximum({a}, 0.1)"),
            )
        )

    def statements(self, depth: int) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth)

    def emit(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def statement(self, depth: int) -> None:
        write = self.choose(
            (3, self.scalar_statement),
            (3, self.element_statement),
            (3, self.slice_statement),
            (1.5, lambda level: self.emit(level, self.random.choice(WHOLE))),
            (0.8, lambda level: self.emit(level, "x, y = y, x")),
            (1, lambda level: self.emit(level, self.fill(self.random.choice(CHOICES)))),
            (1.5, lambda level: self.emit(level, self.fill(self.random.choice(TYPED)))),
            (0.8, lambda level: self.emit(level, self.fill(self.random.choice(AXES)))),
            (1.2, lambda level: self.emit(level, self.fill(self.random.choice(SEQUENCES)))),
            (1, self.view),
            (1 if depth < 4 else 0, self.loop_over),
            (1.2 if depth < 4 else 0, self.loop_until),
            (0.3, lambda level: self.emit(level, f"add_to_all({self.random.choice(('x', 'A[0]', 'A[:, 0]'))}, {self.number(1)})")),
            (2.5 if depth < 4 else 0, self.branch),
            (3 if depth < 4 and len(self.indices) < 3 else 0, self.loop),
            (0.6 if depth < 4 else 0, self.bare_nest),
            (1.5 if self.indices else 0.3, self.exit),
        )
        write(depth)

    def scalar_statement(self, depth: int) -> None:
        self.emit(
            depth,
            str(
                self.choose(
                    (3, f"s {self.random.choice(('=', '+=', '-=', '*='))} {self.number()}"),
                    (2, f"t = {self.number()}"),
                    (1, f"k = {self.integer()}"),
                    (0.5, f"k += {self.integer()}"),
                )
            ),
        )

    def element_statement(self, depth: int) -> None:
        target = self.random.choice((f"x[{self.index()}]", f"y[{self.index()}]", f"A[{self.index()}, {self.index()}]"))
        self.emit(depth, f"{target} {self.random.choice(('=', '+=', '-=', '*='))} {self.number()}")

    def slice_statement(self, depth: int) -> None:
        part = self.part()
        target = self.random.choice((f"x[{part}]", f"y[{part}]", f"A[{self.index()}, {part}]"))
        # NumPy copies a column onto an overlapping row wrongly; 0.0 + ... makes it take a temporary.
        self.emit(depth, f"{target} {self.random.choice(('=', '+=', '-='))} 0.0 + {self.vector(part)}")

    def branch(self, depth: int) -> None:
        self.emit(depth, f"if {self.condition()}:")
        self.statements(depth + 1)
        if self.random.random() < 0.5:
            self.emit(depth, "else:")
            self.statements(depth + 1)

    def loop(self, depth: int) -> None:
        index = "ijl"[len(self.indices)]
        self.emit(depth, f"for {index} in range({self.fill(self.random.choice(RANGES))}):")
        self.indices.append(index)
        self.statements(depth + 1)
        self.indices.pop()
        if self.random.random() < 0.1:
            self.emit(depth, "else:")
            self.statements(depth + 1)

    def bare_nest(self, depth: int) -> None:
        """Nested loops whose bodies name no index, though the inner ranges may depend on the outer ones."""
        outer = self.indices[-1] if self.indices else "k % n"
        for name in ("u1", "u2", "u3")[: self.random.choice((1, 2, 2, 3))]:
            self.emit(depth, f"for {name} in range({self.random.choice(BARE_RANGES).format(o=outer)}):")
            depth, outer = depth + 1, name
        for _ in range(self.random.randint(1, 2)):
            self.emit(depth, self.random.choice(BARE_BODIES))

    def view(self, depth: int) -> None:
        """A name bound to a part of an array, and some statements through it."""
        bind, *uses = self.random.choice(VIEWS)
        self.emit(depth, self.fill(bind))
        for _ in range(self.random.randint(1, 3)):
            self.emit(depth, self.fill(self.random.choice(uses)))
            if self.random.random() < 0.3:
                self.statement(depth)

    def loop_over(self, depth: int) -> None:
        """A loop over the elements or rows of arrays."""
        text, index = self.random.choice(OVER), "qdo"[depth % 3]
        self.emit(depth, f"{text.format(j=index)}:")
        self.emit(depth + 1, self.fill(self.random.choice(OVER_BODIES["row" if "row" in text else "v"])))
        self.indices += [index] if "{j}" in text else []
        self.statements(depth + 1)
        if "{j}" in text:
            self.indices.pop()

    def loop_until(self, depth: int) -> None:
        """A `while` that counts, or until a value is small."""
        name = f"z{len(self.lines)}"
        counts = self.random.random() < 0.5
        self.emit(depth, f"{name} = 0" if counts else f"{name} = 1.0 + min(abs({self.number(1)}), 4.0)")
        more = f" and {self.condition(1)}" if self.random.random() < 0.3 else ""
        self.emit(depth, f"while {name} < {self.random.choice(('3', 'n', 'min(m, 9)'))}{more}:" if counts else f"while {name} > 0.3{more}:")
        self.emit(depth + 1, f"{name} += 1" if counts else f"{name} *= 0.4")
        self.indices += [name] if counts else []
        self.statements(depth + 1)
        if self.random.random() < 0.4:
            self.exit(depth + 1, inside=True)
        if counts:
            self.indices.pop()

    def exit(self, depth: int, inside: bool = False) -> None:
        self.emit(depth, f"if {self.condition()}:")
        if self.random.random() < 0.4:
            self.scalar_statement(depth + 1)
        self.emit(depth + 1, self.random.choice(("break", "break", "continue", RETURN)) if self.indices or inside else RETURN)


def random_program(seed: int) -> str:
    """The text of a kernel, with the helpers that it calls."""
    writer = Writer(seed)
    for text in ("s = 0.25", "t = 1.5", "k = 1"):
        writer.emit(1, text)
    writer.emit(1, writer.random.choice(INNER))
    for _ in range(writer.random.randint(2, 5)):
        writer.statement(1)
    writer.emit(1, RETURN)
    return HELPERS + "\n\ndef f(x, y, A, c, m, n, idx, g, p, b):\n" + "\n".join(writer.lines) + "\n"


def is_exact(text: str) -> bool:
    """Whether the program only does what NumPy and the compiler round alike."""
    return not any(name in text.split("def f(")[1] for name in INEXACT)


def features(text: str) -> Counter[str]:
    """Which features a program has."""
    body = text.split("def f(")[1]
    tree = ast.parse("def f(" + body)
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)]
    inner = [part for loop in loops for node in loop.body for part in ast.walk(node)]
    found = {
        "loop": bool(loops),
        "nested loop": any(isinstance(node, ast.For | ast.While) for node in inner),
        "branch in a loop": any(isinstance(node, ast.If) for node in inner),
        "while": any(isinstance(node, ast.While) for node in loops),
        "zip, enumerate or rows": any(name in body for name in ("zip(", "enumerate(", "in A.T:")),
        "slice": any(isinstance(node, ast.Slice) for node in ast.walk(tree)),
        "view": "::-1" in body or any(f"{bind.split(' =')[0]} = " in body for bind, *_ in VIEWS),
        "break": any(isinstance(node, ast.Break) for node in inner),
        "early return": body.count("return ") > 1,
        "exchange": "x, y = y, x" in body,
        "mask": any(name in body for name in ("> 0]", "[mask", "[b]", "[x >", "[A >", "[y >")),
        "list or tuple": any(name in body for name in ("[[", "([", "= [", "(s, t)", "(x, y)", "(t,")),
        "index array": "[idx" in body or "[p %" in body,
        "call": any(name in body for name in ("scale_first", "add_to_all", "doubled", "search")),
        "function of the kernel's own": body.count("half(") > body.count("def half("),
        "bits": any(sign in body for sign in (" & ", " | ", " ^ ", " >> ", "^=")),
        "nest without its indices": "for u2" in body,
        "integer arithmetic": "//" in body or "%" in body,
        "float32": any(name in body for name in ("g[", "g *=", "g +=", "g, q", " g)")),
        "integers": any(name in body for name in (" p[", "(p[", "p % ", " p)")),
        "booleans": any(name in body for name in (" b[", "[b", "b |=", "(b", "~")),
        "square root or quotient": "np.sqrt(" in body or " / " in body,
        "NumPy's bits": is_exact(text),
    }
    return Counter(name for name, has in found.items() if has)
