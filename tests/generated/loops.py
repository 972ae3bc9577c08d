"""Loops of a generated kernel: counted, over rows and elements, while they count, until a value is small; and the ways out of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.generated.scope import Index, Scope

if TYPE_CHECKING:
    from tests.generated.writer import Writer


def counted(writer: Writer, scope: Scope, level: int) -> None:
    """A `for` over a range: up, down, in steps, triangular, from data."""
    name = writer.fresh("i")
    forms = [
        ("range(n)", Index(name)),
        ("range(1, n - 1)", Index(name, below=True, above=True)),
        ("range(1, n)", Index(name, below=True)),
        ("range(n - 1, -1, -1)", Index(name)),
        ("range(0, n, 2)", Index(name)),
        ("range(n - 2, 0, -2)", Index(name, below=True, above=True)),
        ("range(n - 1, -1, -3)", Index(name)),
        ("range(steps)", Index(name, inside=False)),
        ("range(steps)", Index(name, inside=False)),
        ("range(2, 2 + steps, 2)", Index(name, inside=False)),
        ("range(4, 4 - steps, -1)", Index(name, inside=False)),
    ]
    outer = [index for index in scope.indices if index.inside]
    if outer:
        other = writer.rng.choice(outer).name
        forms += [(f"range({other}, n)", Index(name)), (f"range({other})", Index(name)), (f"range({other}, -1, -1)", Index(name))]
    if scope.integers and writer.chance(0.2):
        forms = [(f"range({writer.rng.choice(scope.integers)})", Index(name))]
        writer.features.add("bound from data")
    text, index = writer.rng.choice(forms)
    _note(writer, text, bool(outer))
    if outer and writer.chance(0.15):
        text, index = f"range(idx[{writer.rng.choice(outer).name}])", Index(name)
        writer.features.add("bound from data")
    writer.put(f"for {name} in {text}:")
    writer.body(scope.inside(index), level, way_round=writer.chance(0.12))
    way_out(writer, scope, 0.15, level)


def _note(writer: Writer, text: str, nested: bool) -> None:
    if "-1)" in text or "-2)" in text or "-3)" in text:
        writer.features.add("downwards")
    if ", 2)" in text or "-2)" in text or "-3)" in text:
        writer.features.add("step")
    if "steps" in text:
        writer.features.add("time loop")
    if nested and "n)" not in text:
        writer.features.add("triangular")


def over_elements(writer: Writer, scope: Scope, level: int) -> None:
    """A `for` over arrays: their elements, with or without a count, or their rows."""
    writer.features.add("zip, enumerate or rows")
    i, q, p = writer.fresh("i"), writer.fresh("q"), writer.fresh("q")
    v, w, A = writer.rng.choice(scope.vectors), writer.rng.choice(scope.vectors), writer.rng.choice(scope.matrices)
    inner = scope.inside(Index(i))
    match writer.rng.randint(0, 3):
        case 0:
            writer.put(f"for {i}, {q} in enumerate({v}):")
            inner.scalars.append(q)
        case 1:
            writer.put(f"for {i}, ({q}, {p}) in enumerate(zip({v}, {w})):")
            inner.scalars += [q, p]
        case 2:
            inner = scope.inside(Index(i, inside=False))
            inner.indices.pop()
            writer.put(f"for {q} in {writer.rng.choice([A, A + '.T'])}:")
            inner.vectors.append(q)
        case _:
            inner = scope.inside()
            writer.put(f"for {q}, {p} in zip({v}, {w}[::-1]):")
            inner.scalars += [q, p]
    writer.body(inner, level)


def while_counting(writer: Writer, scope: Scope, level: int) -> None:
    """A `while` of at most a few trips, for as long as data say, or that counts alone."""
    name = writer.fresh("k")
    writer.features.add("while")
    writer.put(f"{name} = 0")
    more = f" and {writer.expression(scope, 1)} > -0.7182818" if writer.chance(0.7) else ""
    writer.put(f"while {name} < {writer.rng.choice(['3', 'steps', '2 + n % 2'])}{more}:")
    writer.body(scope.inside(Index(name, inside=False), conditional=bool(more)), level)
    way_out(writer, scope, 0.25, level, f"{name} += 1")


def while_large(writer: Writer, scope: Scope, level: int) -> None:
    """A `while` that ends when a value is small: at most five trips."""
    name = writer.fresh("z")
    writer.features.add("while")
    writer.put(f"{name} = 1.0 + math.sin({writer.expression(scope, 1)})")
    writer.put(f"while {name} > 0.1732050:")
    with writer.indented():
        writer.put(f"{name} *= {writer.rng.choice(['0.6', f'0.5 + 0.1 * math.cos({writer.expression(scope, 1)})'])}")
    inner = scope.inside(conditional=True)
    inner.scalars.append(name)
    writer.protected.add(name)
    writer.body(inner, level, way_round=writer.chance(0.2))
    way_out(writer, scope, 0.25, level)


def way_out(writer: Writer, scope: Scope, part: float, level: int, last: str | None = None) -> None:
    """Sometimes a break or a return at the end of a body, where data say so; `last` comes behind it. A break may have an `else`."""
    leaves = writer.chance(part)
    returns = leaves and writer.chance(0.3)
    with writer.indented():
        if leaves:
            writer.put(f"if {writer.expression(scope, 1)} > 0.5772156:")
            with writer.indented():
                writer.put(f"return {writer.result(scope)}" if returns else "break")
            writer.features.add("early return" if returns else "break")
        if last:
            writer.put(last)
    if leaves and writer.chance(0.3):
        writer.features.add("loop else")
        writer.put("else:")
        writer.body(scope.inside(conditional=True), level)
