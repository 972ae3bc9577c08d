"""Exchanges of arrays: `a, b = b, a` in a loop or branch that carries both names changes their buffers; nothing is copied."""

from __future__ import annotations

from collections.abc import Sequence

from dfad.frontend.bounds import unify
from dfad.frontend.doubts import check_not_in_doubt, start_selecting
from dfad.frontend.elementwise import assumed
from dfad.frontend.scope import Context
from dfad.frontend.values import whole
from dfad.ir.nodes import Array


def exchange_homes(context: Context, targets: Sequence[str], sources: Sequence[str]) -> bool:
    """``a, b = b, a`` of arrays that have homes: exchange buffers, as a row of transpositions. False when it is something else."""
    frame = context.frame
    homes = [frame.homes.get(name) for name in targets]
    arrays = {
        name: home.array
        for name, home in zip(targets, homes, strict=True)
        if home is not None and home.array is not None and home.array.rank
    }
    if len(arrays) < len(targets) or any(frame.variables.get(name) != whole(array) for name, array in arrays.items()):
        return False
    first = arrays[targets[0]]
    for array in arrays.values():
        check_not_in_doubt(context, array)
        _unify(context, targets[0], first, array)
        _refuse_aliases(context, set(targets), array)
    holding = {name: name for name in targets}
    for target, source in zip(targets, sources, strict=True):
        at = next(name for name, content in holding.items() if content == source)
        if at != target:
            context.builder.exchange(arrays[target], arrays[at])
            holding[target], holding[at] = holding[at], holding[target]
    return True


def _unify(context: Context, name: str, first: Array, second: Array) -> None:
    """Make sure that two arrays, which are exchanged with the variable's, have one shape and type."""
    if first.dtype != second.dtype or first.rank != second.rank:
        context.wrong_type(f"{first.name} ({first.dtype}, rank {first.rank}) and {second.name} ({second.dtype}, rank {second.rank}) differ")
    if first.name != second.name and not unify(context.builder, first, second, assumed(context, f"{context.frame.path}{name}")):
        context.unsupported(
            f"{first.name} and {second.name} are exchanged and may differ in shape",
            hint=f"make one like the other: np.empty_like({first.name})",
        )


def _refuse_aliases(context: Context, names: set[str], array: Array) -> None:
    others = [name for frame, name in context.holders(array.name) if frame is not context.frame or name not in names]
    if any(frame.is_live(name) for frame, name in context.holders(array.name) if name in others):
        start_selecting(context, context.frame, sorted(names))
        context.unsupported(f"{', '.join(sorted(others))} still means an array that is exchanged in a loop", hint="copy it first: .copy()")
