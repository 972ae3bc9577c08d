"""Statements over whole arrays, as text: slices, gathers and scatters, masks, reductions, views.

`v, w` are vectors of n, `A, B` matrices of n by n, `f` a number, `i` an index in range(n) or a constant one. Whatever is written stays
small; kinks and masks compare with constants that no value meets.
"""

from __future__ import annotations


def slices(v: str, w: str, A: str, B: str, f: str) -> list[str]:
    """Parts of arrays, with overlaps and without."""
    return [
        f"{v}[1:] = 0.5 * {w}[:-1] + np.sin({v}[1:])",
        f"{v}[:-1] = {v}[1:] * {f} * 0.5",
        f"{v}[1:-1] = 0.25 * {w}[:-2] * {v}[2:] + 0.5 * {v}[1:-1]",
        f"{v}[:] = 0.5 * {w}[::-1] + 0.25 * {v} * {v}",
        f"{v}[::2] = np.cos({w}[::2])",
        f"{v}[:] = {f}",
        f"{v} += 0.25 * {w} * {w}",
        f"{v}[1:] += 0.5 * {v}[:-1]",
        f"{A}[1:-1, 1:-1] = 0.2 * ({B}[:-2, 1:-1] + {B}[2:, 1:-1] + {A}[1:-1, :-2] * {A}[1:-1, 2:])",
        f"{A}[:] = np.where({B} > 0.1234567, {B} * 0.5, {A} * {A} * 0.5)",
        f"{A}[:] = 0.5 * {B}.T",
        f"{A}[:, 0] = 0.5 * {A}[0, :] + {v}",
        f"{A}[1:] = np.sin({A}[:-1]) + 0.1 * {v}",
        f"{v}[:] = 0.3 * np.maximum({w}, 0.1415926)",
        f"{v}[1:] -= 0.25 * np.diff({w} * {v})",
        f"{v}[:] = 0.5 * np.roll({v} * {w}, 1)",
        f"{v}[:] = np.clip({w}, -0.3141592, 0.5358979) * {v}",
        f"{A} += 0.1 * np.outer({v}, {w})",
        f"{v}[:] = 0.5 * np.concatenate(({v}[1:], {w}[:1]))",
    ]


def libraries(v: str, w: str, A: str, B: str, f: str) -> list[str]:
    """Products and reductions."""
    return [
        f"{v}[:] = np.tanh({A} @ {w})",
        f"{v}[:] = 0.5 * np.sin({w} @ {B})",
        f"{A}[:] = np.sin({A} @ {B})",
        f"s += 0.25 * np.dot({v}, {w})",
        f"s += 0.25 * np.dot({A}[0], {B}[-1])",
        f"s += 0.5 * np.sin(np.sum({v} * {v}))",
        f"{v}[:] = np.sin(np.sum({A}, axis=0))",
        f"{v}[:] = 0.5 * np.max({A}, axis=1)",
        f"s += 0.5 * np.max({v}) * np.min({w})",
        f"{v}[:] = 0.5 * np.mean({A} * {B}, axis=1)",
        f"{A} -= 0.5 * np.mean({A}, axis=0, keepdims=True) * {f}",
        f"{v}[:] = np.tanh(np.cumsum({w} * {v}))",
        f"s += 0.1 * np.prod(0.5 + 0.3 * np.sin({v}))",
        f"s += 0.2 * np.var({v}) * {f}",
        f"{v}[:] = np.sqrt(0.5 + np.var({A}, axis=1))",
    ]


def gathers(v: str, w: str, A: str, B: str, f: str) -> list[str]:
    """Elements that an array of integers chooses, read and written; integers repeat."""
    return [
        f"{v}[:] = 0.5 * {w}[idx] * {v}",
        f"{v}[:] = np.sin({v}[idx])",
        f"{v}[idx] += 0.25 * {w} * {v}",
        f"{v}[idx] = 0.5 * {w}",
        f"{v}[idx] = np.cos({v})",
        f"np.add.at({v}, idx, 0.25 * {w} * {v})",
        f"np.add.at({v}, idx, {f})",
        f"{A}[idx] = 0.5 * {B}",
        f"{A}[:, idx] *= 0.5 * {f}",
        f"s += 0.25 * np.sum({A}[idx, idx] * {v})",
        f"{v}[idx // 2] -= 0.25 * {w} * {w}",
        f"{v}[:] = 0.5 * {A}[idx, (idx + 1) % n]",
    ]


def masks(v: str, w: str, A: str, B: str, f: str) -> list[str]:
    """Elements that a condition chooses."""
    return [
        f"{v}[{v} > 0.1234567] = 0.5 * {f}",
        f"{v}[{w} > 0.1234567] *= 0.5 * {f}",
        f"{v}[{v} > 0.2345678] = np.sin({v}[{v} > 0.2345678])",
        f"{v}[{w} < -0.0345678] += {w}[{w} < -0.0345678] * {f}",
        f"{A}[{B} > 0.1234567] *= 0.5",
        f"s += 0.25 * np.sum({v}[{w} > 0.0567891] * {w}[{w} > 0.0567891])",
        f"{A}[{v} > 0.1234567] = 0.5 * {w}",
        f"{v}[:] = np.where({w} > 0.1234567, {v} * {w}, np.sin({v}))",
        f"{v}[1:][{w}[:-1] > 0.0987654] = {f}",
    ]


def at_index(v: str, w: str, A: str, B: str, i: str) -> list[str]:
    """Rows, columns and ends of arrays at an index of a loop."""
    return [
        f"{A}[{i}, :] = 0.5 * {B}[{i}] + 0.25 * {v} * {A}[{i}]",
        f"{A}[:, {i}] = np.sin({v})",
        f"{A}[{i}, 1:] -= 0.5 * {A}[{i}, :-1]",
        f"{v}[{i}:] = 0.5 * {v}[{i}:]",
        f"{A}[idx[{i}]] += 0.25 * {v} * {A}[{i}]",
        f"{v}[:{i}] -= 0.5 * {v}[:{i}] * {w}[:{i}]",
    ]


def vectors_seen(v: str, A: str, i: str) -> list[str]:
    """Views of n elements."""
    return [f"{A}[{i}]", f"{A}[:, {i}]", f"{v}[::-1]", f"{A}.T[{i}]", f"{A}[::-1][{i}, ::-1]", f"{A}[::-1, {i}]"]


def through_view(r: str, v: str, w: str, A: str, f: str) -> tuple[str, list[str]]:
    """What binds `r` to a view that is no vector of n, and what is done through it."""
    return f"{r} = {v}[1:]", [
        f"{r} *= 0.5 * {f}",
        f"{r}[:] = 0.5 * {w}[:-1] * {r}",
        f"{v}[:-1] -= 0.25 * {r} * {r}",
        f"s += 0.3 * np.sum({r} * {w}[1:])",
    ]


def through_matrix(r: str, q: str, v: str, w: str, A: str, f: str) -> tuple[str, list[str]]:
    """A turned matrix, and a row of it."""
    uses = [
        f"{q}[:] = 0.5 * {v} * {q}",
        f"{r}[0] += 0.25 * {w} * {q}",
        f"{A}[-1] = np.sin({q})",
        f"{r} *= 0.5 * {f}",
        f"{v}[:] = 0.5 * {r}[:, 0]",
    ]
    return f"{r} = {A}.T; {q} = {r}[-1]", uses
