"""Random stencils as Python text: loops and slices in one and two dimensions, in place or from array to array, at every distance.

`kernel(u, v, A, B, c, steps)`; all ranges keep the stencil inside, so domains narrower than it have no trip.
"""

from __future__ import annotations

import random

from tests.generated.writer import Kernel, compiled


def stencil_kernel(rng: random.Random) -> Kernel:
    """A kernel of one to three stencils, perhaps in a time loop, perhaps with exchanges."""
    features: set[str] = set()
    lines = ["n = A.shape[0]", "m = A.shape[1]"]
    body: list[str] = []
    for number in range(rng.randint(1, 3)):
        body += rng.choice([loop_1d, loop_2d, loop_2d, slice_1d, slice_2d])(rng, number, features)
    if rng.random() < 0.3:
        features.add("exchange")
        body.append(rng.choice(["u, v = v, u", "A, B = B, A"]))
    if rng.random() < 0.6:
        lines += ["for _t in range(steps):", *("    " + line for line in body)]
    else:
        lines += body
    lines.append("return np.sum(np.sin(A)) + np.sum(A * B) + np.sum(u * np.cos(v))")
    text = "\ndef kernel(u, v, A, B, c, steps):\n" + "\n".join("    " + line for line in lines) + "\n"
    return Kernel(text, compiled(text), frozenset(features))


def _offsets(rng: random.Random, rank: int) -> list[tuple[int, ...]]:
    return [tuple(rng.randint(-2, 2) for _ in range(rank)) for _ in range(rng.randint(2, 5))]


def _index(name: str, offset: int) -> str:
    return name if offset == 0 else f"{name} {'+' if offset > 0 else '-'} {abs(offset)}"


def _coefficient(rng: random.Random) -> str:
    return rng.choice(["0.25", "0.1", "-0.2", "c", "0.5 * c"])


def _combined(rng: random.Random, terms: list[str], features: set[str]) -> str:
    """A linear combination, or one with a product, a quotient or a sine among it."""
    parts = [f"{_coefficient(rng)} * {term}" for term in terms]
    kind = rng.randint(0, 5)
    if kind == 0:
        features.add("product")
        parts.append(f"0.1 * {terms[0]} * {terms[-1]}")
    elif kind == 1:
        features.add("sine")
        parts.append(f"np.sin({terms[0]} * {terms[-1]})")
    elif kind == 2:
        features.add("quotient")
        return f"({' + '.join(parts)}) / 3.0"
    elif kind == 3:
        features.add("maximum")
        parts.append(f"0.2 * np.maximum({terms[0]}, 0.1234567) * {terms[1]}")
    return " + ".join(parts)


def _range(rng: random.Random, low: int, high: str, features: set[str]) -> str:
    form = rng.randint(0, 4)
    if form == 0:
        features.add("downwards")
        return f"range({high} - 1, {low - 1}, -1)"
    if form == 1 and rng.random() < 0.5:
        features.add("step")
        return f"range({low}, {high}, 2)"
    return f"range({low}, {high})"


def loop_1d(rng: random.Random, number: int, features: set[str]) -> list[str]:
    source, target = rng.choice(["u", "v"]), rng.choice(["u", "v"])
    features.add("in place" if source == target else "out of place")
    offsets = [offset for (offset,) in _offsets(rng, 1)]
    shift = rng.choice([0, 0, 0, 1, -1])
    terms = [f"{source}[{_index('i', offset)}]" for offset in offsets]
    low, high = -min(0, shift, *offsets), max(0, shift, *offsets)
    how = rng.choice(["=", "=", "+=", "-="])
    line = f"{target}[{_index('i', shift)}] {how} {_combined(rng, terms, features)}"
    return [f"for i in {_range(rng, low, f'n - {high}' if high else 'n', features)}:", *_guarded(rng, line, "i", "v", features)]


def loop_2d(rng: random.Random, number: int, features: set[str]) -> list[str]:
    source, target = rng.choice(["A", "B"]), rng.choice(["A", "B"])
    features.add("in place" if source == target else "out of place")
    offsets = _offsets(rng, 2)
    terms = [f"{source}[{_index('i', p)}, {_index('j', q)}]" for p, q in offsets]
    if rng.random() < 0.3:
        terms.append(f"u[{_index('i', offsets[0][0])}]")
    low = [-min(0, *(offset[k] for offset in offsets)) for k in range(2)]
    high = [max(0, *(offset[k] for offset in offsets)) for k in range(2)]
    how = rng.choice(["=", "=", "+=", "-="])
    line = f"{target}[i, j] {how} {_combined(rng, terms, features)}"
    outer = _range(rng, low[0], f"n - {high[0]}", features)
    inner = _range(rng, low[1], f"m - {high[1]}", features)
    return [f"for i in {outer}:", f"    for j in {inner}:", *("    " + part for part in _guarded(rng, line, "i", "B", features))]


def _guarded(rng: random.Random, line: str, index: str, other: str, features: set[str]) -> list[str]:
    """The statement as it is, through a scalar, or under a condition."""
    left, how, right = line.partition(rng.choice([" = "])) if " = " in line else (line, "", "")
    kind = rng.random()
    if kind < 0.15:
        features.add("guard on index")
        return [f"    if {index} % 2 == 0:", f"        {line}"]
    if kind < 0.3 and how:
        features.add("scalar")
        return [f"    w = {right}", f"    {left} = w + 0.1 * w * w"]
    return [f"    {line}"]


def slice_1d(rng: random.Random, number: int, features: set[str]) -> list[str]:
    source, target = rng.choice(["u", "v"]), rng.choice(["u", "v"])
    features.add("in place" if source == target else "out of place")
    offsets = [offset for (offset,) in _offsets(rng, 1)]
    low, high = -min(0, *offsets), max(0, *offsets)
    terms = [f"{source}[{low + offset}:n - {high - offset}]" for offset in offsets]
    return ["if n >= 5:", f"    {target}[{low}:n - {high}] {rng.choice(['=', '+='])} {_combined(rng, terms, features)}"]


def slice_2d(rng: random.Random, number: int, features: set[str]) -> list[str]:
    source, target = rng.choice(["A", "B"]), rng.choice(["A", "B"])
    features.add("in place" if source == target else "out of place")
    offsets = _offsets(rng, 2)
    low = [-min(0, *(offset[k] for offset in offsets)) for k in range(2)]
    high = [max(0, *(offset[k] for offset in offsets)) for k in range(2)]
    terms = [f"{source}[{low[0] + p}:n - {high[0] - p}, {low[1] + q}:m - {high[1] - q}]" for p, q in offsets]
    left = f"{target}[{low[0]}:n - {high[0]}, {low[1]}:m - {high[1]}]"
    return ["if n >= 5 and m >= 5:", f"    {left} {rng.choice(['=', '+='])} {_combined(rng, terms, features)}"]
