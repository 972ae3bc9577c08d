"""Doubts: where a name may mean one of two arrays when the kernel runs.

After ``if c: x = x + 1`` the name x means a new array or the caller's own. dfad keeps one array for it, with the right content on
both paths; that is all that reads can see. A write in place would have to reach the caller's array on one path only: it is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from dfad.frontend.scope import Context, Doubt, Frame, Retry, is_held
from dfad.frontend.values import Lazy, OneOf, Sharing, Value, View, arrays_of
from dfad.ir.nodes import Array, Role


def note_copy(context: Context, name: str, array: Array, value: Value, on_all_paths: bool = True) -> None:
    """The variable's own array now holds the value: a copy, where that is cells which other names, or the caller, may see too. What is in
    doubt of these cells is in doubt of it, and what it held before no longer, unless it still does so on another path."""
    inherited = [context.doubts[cells.array.name] for cells in cells_of(value) if cells.array.name in context.doubts]
    if on_all_paths:
        context.doubts = {other: doubt for other, doubt in context.doubts.items() if other != array.name}
    if isinstance(value, View):
        _note_origin(context, name, array, value)
    elif isinstance(value, OneOf):
        note_share(context, name, array, value.views)
    elif isinstance(value, Lazy) and value.shares is not None:
        note_share(context, name, array, value.shares.cells, value.shares.key)
    for doubt in inherited:
        keys = doubt.keys if isinstance(value, Lazy) and not isinstance(value, OneOf) else doubt.keys | {None}
        sources = doubt.sources | {(doubt.frame, doubt.variable)}
        own = Doubt(context.frame, name, doubt.origins, keys, sources=sources)
        context.doubts = join_doubts(context.doubts, {array.name: own})


def cells_of(value: Value) -> Sequence[View]:
    """The cells that the value is, or may be, in NumPy."""
    match value:
        case View():
            return [value]
        case OneOf():
            return value.views
        case Lazy(shares=Sharing(cells=cells)):
            return cells
        case _:
            return []


def _note_origin(context: Context, name: str, array: Array, origin: View) -> None:
    others = [holder for holder in context.holders(origin.array.name) if holder != (context.frame, name) and holder[0].is_live(holder[1])]
    if origin.array.role == Role.ARGUMENT or others:
        note_share(context, name, array, (origin,))


def note_share(context: Context, name: str, array: Array, origins: Sequence[View], key: str | None = None) -> None:
    """The variable's own array is a copy of cells that it would share in NumPy; ``key``: of an expression that can give a view."""
    own = {array.name: Doubt(context.frame, name, frozenset(origin.array.name for origin in origins), frozenset({key}))}
    context.doubts = join_doubts(context.doubts, own)


def note_early_copy(context: Context, frame: Frame, name: str, kept: Array, array: Array) -> None:
    """Before a region that may or may not write an array anew, a variable that means it got a copy."""
    own = {kept.name: Doubt(frame, name, frozenset({array.name}), frozenset({None}), is_early=True)}
    context.doubts = join_doubts(context.doubts, own)


def join_doubts(first: Mapping[str, Doubt], second: Mapping[str, Doubt]) -> dict[str, Doubt]:
    """The doubts after either of two paths."""
    joined = dict(first)
    for array, doubt in second.items():
        known = joined.get(array)
        joined[array] = doubt if known is None else _joined(known, doubt)
    return joined


def _joined(first: Doubt, second: Doubt) -> Doubt:
    return replace(
        first,
        origins=first.origins | second.origins,
        keys=first.keys | second.keys,
        has_moved=first.has_moved or second.has_moved,
        is_early=first.is_early and second.is_early,
        sources=first.sources | second.sources,
    )


def follow(context: Context, array: Array, kept: Array) -> None:
    """The content of an array has moved: what is in doubt of the one is in doubt of the other."""
    for name, doubt in context.doubts.items():
        if array.name in doubt.origins:
            context.doubts = {**context.doubts, name: replace(doubt, origins=doubt.origins | {kept.name})}
    if array.name in context.doubts:
        context.doubts = {**context.doubts, kept.name: replace(context.doubts[array.name], has_moved=True)}


def check_write_in_place(context: Context, target: View | OneOf) -> None:
    """Refuse a write that may or may not have to reach a second array; the loops around remember the others."""
    names = arrays_of([target])
    for written in context.written:
        written.update(names)
    for array, doubt in context.doubts.items():
        if array in names or (names & doubt.origins and _is_live(context, array, doubt)):
            _refuse(context, doubt, "a write in place")


def _is_live(context: Context, array: str, doubt: Doubt) -> bool:
    """Whether somebody still reads the copy: its variable, or one that has come to mean it since."""
    return doubt.is_live or any(frame.is_live(name) for frame, name in context.holders(array))


def check_next_trip(context: Context, before: Mapping[str, Doubt]) -> None:
    """At the end of a loop's body: doubts that arose in it hold in the next trip too, for the writes that stand before them."""
    written = context.written[-1]
    for array, doubt in context.doubts.items():
        is_new = array not in before or not doubt.origins <= before[array].origins
        if is_new and (array in written or (doubt.origins & written and _is_live(context, array, doubt))):
            _refuse(context, doubt, "a write in place in the next trip")


def check_not_in_doubt(context: Context, target: Array) -> None:
    """Refuse an exchange of a name that may mean one of two arrays."""
    for written in context.written:
        written.add(target.name)
    for array, doubt in context.doubts.items():
        if target.name == array or target.name in doubt.origins:
            _refuse(context, doubt, "an exchange")


def demand_view(context: Context, value: Value) -> None:
    """Where the cells themselves are needed and a copy stands for them, lowering starts again with a view."""
    if isinstance(value, Lazy) and value.shares is not None and value.shares.key is not None:
        context.learned.viewed.add(value.shares.key)
        raise Retry


def _refuse(context: Context, doubt: Doubt, what: str) -> None:
    """Where views can stand for the copies, lowering starts again with them."""
    keys = {key for key in doubt.keys if key is not None}
    if None not in doubt.keys and not keys <= context.learned.viewed:
        context.learned.viewed |= keys
        raise Retry
    homes = [name for name, home in doubt.frame.homes.items() if home.array is not None and home.array.name in doubt.origins]
    start_selecting(context, doubt.frame, [doubt.variable, *homes])
    for frame, variable in sorted(doubt.sources, key=lambda source: (source[0].path, source[1])):
        start_selecting(context, frame, [variable])
    start_sharing(context, doubt.frame, doubt.variable)
    start_restriding(context, doubt.frame, doubt.variable)
    start_carrying_along(context, [f"{doubt.frame.path}{doubt.variable}"] if doubt.is_early else [])
    if is_held(doubt.variable):
        context.unsupported(f"what the loop runs over may be two arrays here, so {what} is ambiguous", hint="loop over a copy of it")
    context.unsupported(
        f"{doubt.variable} may be a new array here or share another one, so {what} is ambiguous",
        hint=f"write {doubt.variable} = {doubt.variable}.copy() where it gets its value",
    )


def start_selecting(context: Context, frame: Frame, names: Sequence[str]) -> None:
    """Let lowering start again with the variables as selections (selections.py), unless it has already."""
    asked = {f"{frame.path}{name}" for name in names}
    if not asked <= context.learned.selected:
        context.learned.selected |= asked
        raise Retry


def start_sharing(context: Context, frame: Frame, name: str) -> None:
    """Let lowering start again with a variable that resizes and means the array from before the region, not a copy in its room."""
    asked = f"{frame.path}{name}"
    if asked in context.learned.resized and asked not in context.learned.shared:
        context.learned.shared.add(asked)
        raise Retry


def start_restriding(context: Context, frame: Frame, name: str) -> None:
    """Let lowering start again with a selection that means views whose strides the kernel computes, not copies of them."""
    asked = f"{frame.path}{name}"
    if asked in context.learned.selected and asked not in context.learned.restrided:
        context.learned.restrided.add(asked)
        for key, known in context.learned.views.items():
            if key.startswith(f"{asked}@"):
                known.clear()
        raise Retry


def start_carrying_along(context: Context, asked: Collection[str]) -> None:
    """Let lowering start again with variables, with the path of their frame, as selections also in regions that do not bind them, but may
    write the array that they mean; of views with any strides, as those whose array it is may have them."""
    if not context.learned.along.issuperset(asked):
        context.learned.along.update(asked)
        context.learned.restrided.update(asked)
        raise Retry


def start_resizing(context: Context, frame: Frame, name: str) -> None:
    """Let lowering start again with the variable as a selection of views with different extents."""
    context.learned.resized.add(f"{frame.path}{name}")
    context.learned.selected.add(f"{frame.path}{name}")
    raise Retry
