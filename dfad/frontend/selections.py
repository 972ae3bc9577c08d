"""Selections: variables that mean one of several arrays, which one only the running kernel knows.

``cur, other = other, cur`` where a third name means one of the arrays too, ``row = A[k]`` under a condition, ``if c: x = x + 1`` before
``x[0] = 5``: such a name means one of finitely many views of one shape. Where a copy will not do (doubts.py), lowering starts again with
the variable as a selection: in a region that binds it anew, an integer scalar tells which view it means, others where in its array the
view lies. A read chooses per element, a write is a Branch over the views; no content moves.

The views are found by lowering: one that is not known yet ends the attempt, and the next one starts with it. What is no view of an array
that lives as long as the variable (a new value, a part of an array that a loop's body makes) goes into an array of the variable's own, one
more view; what another variable still means of that array moves away first, into an array of that one's own. Where several may mean it
there are buffers instead (buffers.py).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import sympy

from dfad.frontend.arrays import in_temporary, materialise, store
from dfad.frontend.blocks import OpenBlock
from dfad.frontend.buffers import in_free_buffer, open_buffers, start_buffers
from dfad.frontend.builder import cast, constant
from dfad.frontend.doubts import follow, note_copy, note_early_copy, start_resizing
from dfad.frontend.elementwise import have_other_extents, require_one_shape
from dfad.frontend.holes import declare_holes, template_of, without_strides
from dfad.frontend.liveness import plainly_assigned
from dfad.frontend.oneof import branch_over, moved, parts_of, read_selection
from dfad.frontend.rooms import changes_inside, is_known_here, learn_room, open_room, part_of_room, refuse_shape, shape_outside, start_room
from dfad.frontend.scope import Context, Frame, Home, Retry, held_since, is_held, spelled
from dfad.frontend.values import ZERO, Deferred, Indices, Lazy, OneOf, Selection, Shape, Value, View, kind_of, whole
from dfad.frontend.written import place_before
from dfad.ir.dtype import I64, Dtype
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Array, Expression, Integer

OWN = ""
"""Stands for the name of a variable's own array where an attempt hands a view on to the next."""

MOST_VIEWS = 20
"""Of one variable in one region: more are made where each trip makes another kind of view."""

MOST_STRIDES = 2
"""Beyond that many other strides of views of one kind, as `u = u[::2]` makes them, the kernel computes them."""

Bound = tuple[int, tuple[sympy.Expr, ...]]
"""A view of a selection: its place, and the values of its holes."""


def either(context: Context, sides: Sequence[tuple[OpenBlock, View | OneOf]], resizes: bool = False) -> Selection:
    """What the sides of a Branch give, of which one runs: each tells in its block which view, and how long, where it ``resizes``."""
    found = [(block, *parts_of(value)) for block, value in sides]
    views, places = list[View](), list[tuple[sympy.Expr, ...]]()
    for view in (view for _, _, parts in found for view in parts):
        template = template_of(context, view, resizes) or template_of(context, view, resizes, restrides=True)
        if template is None:
            context.unsupported("a part that the kernel computes is chosen here and written", hint="write an if statement")
        views.append(template[0])
        places.append(template[1])
    selector = context.builder.hold(context.builder.unused("chosen_is"), constant(0, I64))
    selection = Selection(selector, tuple(views), tuple(declare_holes(context, "chosen", view) for view in views))
    first = 0
    for block, which, parts in found:
        acts = [partial(_tell, context, selection, place, places[place]) for place in range(first, first + len(parts))]
        with context.builder.inside(block):
            branch_over(context, which, 0, acts)
        first += len(parts)
    return selection


def is_selected(context: Context, name: str, region: ast.stmt) -> bool:
    """Whether a region that binds the variable anew carries it as a selection."""
    value = context.frame.variables.get(name)
    if value is not None and not isinstance(value, View | OneOf | Selection):
        return False
    asked = f"{context.frame.path}{name}" in context.learned.selected or isinstance(value, OneOf | Selection)
    return asked and any(plainly_assigned([region], name))


def open_selections(context: Context, homes: Mapping[str, Home]) -> None:
    """Let the homes carry selections of the views that earlier attempts found, the variable's value now among them."""
    builder = context.builder
    for name, home in homes.items():
        home.selects = True
        home.resizes = f"{context.frame.path}{name}" in context.learned.resized
        home.restrides = f"{context.frame.path}{name}" in context.learned.restrided
        if home.key in context.learned.rooms:
            home.own = open_room(context, name, home, _meant(context, name))
        owns = [view for view in context.learned.views.get(home.key, ()) if view.array.name == OWN]
        shape = _one_shape(context, name, home)
        if owns and shape is not None and home.own is None:
            home.own = builder.declare(builder.name(spelled(name)), owns[0].dtype, shape)
        open_buffers(context, home)
    for name, home in homes.items():
        views = tuple(_known_views(context, home))
        shape = _one_shape(context, name, home)
        if shape is not None and not home.resizes:
            views = tuple(replace(view, shape=shape) for view in views)
        if views:
            selector = builder.hold(builder.unused(f"{spelled(name)}_is"), constant(0, I64))
            home.selection = Selection(selector, views, tuple(declare_holes(context, spelled(name), view) for view in views))
    for name, home in homes.items():
        value = _meant(context, name)
        if value is not None and home.key in context.learned.rooms:
            context.frame.variables[name] = _begin_in_room(context, name, home, value)
        elif value is not None:
            context.frame.variables[name] = bind_selection(context, name, home, value)
        elif home.selection is not None:
            context.frame.variables[name] = home.selection


def _one_shape(context: Context, name: str, home: Home) -> Shape | None:
    """The shape of all views of a selection that does not resize: that of its value, else of the first view known here."""
    value = _meant(context, name)
    if value is not None:
        return value.shape
    known = (view.shape for view in context.learned.views.get(home.key, ()) if is_known_here(context, view.shape))
    return next(known, None)


def _meant(context: Context, name: str) -> View | OneOf | None:
    """What a variable means that is an array, or one of several."""
    value = context.frame.variables.get(name)
    value = read_selection(context, value) if isinstance(value, Selection) else value
    return value if isinstance(value, View | OneOf) else None


def _begin_in_room(context: Context, name: str, home: Home, value: View | OneOf) -> Selection:
    """The variable's value before the region, in its room; where that it was a copy would show, it stays where it is."""
    assert home.selection is not None
    if isinstance(value, View) and home.own is not None and value.array.name == home.own.name:
        _tell_part(context, home, value)
    elif f"{context.frame.path}{name}" in context.learned.shared:
        bind_selection(context, name, home, value)
    else:
        _bind_own(context, name, home, value)
    return home.selection


def _known_views(context: Context, home: Home) -> Iterator[View]:
    """The views that earlier attempts found, as far as their arrays are declared by now; parts of the room, where there is one, first."""
    if home.key in context.learned.rooms and home.own is not None:
        for buffer in (home.own, *home.buffers):
            yield _part_template(context, home, whole(buffer))[0]
    for view in context.learned.views.get(home.key, ()):
        if view.array.name == OWN:
            if home.own is not None:
                yield from map(whole, (home.own, *home.buffers))
        elif _is_in_scope(context, home, view.array) and is_known_here(context, view.shape):
            yield view


def _is_in_scope(context: Context, home: Home, array: Array) -> bool:
    blocks = context.builder.blocks
    return array in context.parameters or any(array in block.arrays for block in blocks[: blocks.index(home.block) + 1])


def bind_selection(context: Context, name: str, home: Home, value: View | Lazy | Deferred) -> Value:
    """``name = value``: tell which view it is; what is no view of the selection is copied into the variable's own array."""
    selector, views = parts_of(value) if isinstance(value, View | OneOf) else (ZERO, ())
    bound = [_bound(context, name, home, view) for view in views]
    known = [found for found in bound if found is not None]
    if known and len(known) == len(bound):
        assert home.selection is not None
        branch_over(context, selector, 0, [partial(_tell, context, home.selection, *found) for found in known])
    else:
        _bind_own(context, name, home, value)
    assert home.selection is not None
    return home.selection


def _bound(context: Context, name: str, home: Home, view: View) -> Bound | None:
    """The place of a view in the selection, and what its holes stand for; None where its array does not live as long."""
    template = template_of(context, view, home.resizes, home.restrides) if _is_in_scope(context, home, view.array) else None
    place = None if template is None else _place_in(context, name, home, template[0])
    return None if template is None or place is None else (place, template[1])


def _place_in(context: Context, name: str, home: Home, view: View) -> int | None:
    """The place of a view; a new one is for the next attempt. None for one that was not declared when the region began."""
    if home.selection is not None:
        first = home.selection.views[0]
        _require_alike(context, name, home, first, view)
        view = view if home.resizes else replace(view, shape=first.shape)
        if view in home.selection.views:
            return home.selection.views.index(view)
    elif not home.resizes:
        view = replace(view, shape=shape_outside(context, name, home, view.shape))
    known = context.learned.views.setdefault(home.key, [])
    if view in known:
        return None
    if sum(other != view and without_strides(other) == without_strides(view) for other in known) >= MOST_STRIDES:
        context.learned.restrided.add(f"{context.frame.path}{name}")
        known.clear()
        raise Retry
    if len(known) == MOST_VIEWS:
        context.unsupported(f"{name} may mean more than {MOST_VIEWS} kinds of view", hint="use another name for some of them")
    known.append(view)
    raise Retry


def _require_alike(context: Context, name: str, home: Home, first: View, other: View | Lazy | Deferred) -> None:
    if first.dtype != other.dtype or len(first.shape) != len(other.shape):
        context.wrong_type(
            f"{name} is {kind_of(first)}{place_before(context, name)} and {kind_of(other)} here, in a loop or branch",
            hint="a variable keeps one type there; use another name",
        )
    if home.resizes and isinstance(other, View):
        return
    if isinstance(other, View) and (have_other_extents(context, first.shape, other.shape) or changes_inside(context, home, other.shape)):
        start_resizing(context, context.frame, name)
    require_one_shape(context, home.variable, f"{name} may mean arrays", first.shape, other.shape)


def _tell(context: Context, selection: Selection, place: int, values: Sequence[sympy.Expr]) -> None:
    """Let the selection mean the view at that place."""
    context.builder.tasklet(Memlet(selection.selector.name), constant(place, I64))
    for array, value in zip(selection.holes[place], values, strict=True):
        context.builder.tasklet(Memlet(array.name), Integer(value))


def _bind_own(
    context: Context, name: str, home: Home, value: View | Lazy | Deferred, moving: frozenset[str] = frozenset(), on_all_paths: bool = True
) -> None:
    """A new value, or a copy of a view, in the variable's own array; ``moving``: variables known to mean other arrays by now;
    ``on_all_paths``: not only where a selection means one of its views."""
    if home.resizes:
        _bind_in_room(context, name, home, value, moving, on_all_paths)
        return
    if home.own is None or home.selection is None:
        known = context.learned.views.setdefault(home.key, [])
        shape = known[0].shape if known else shape_outside(context, name, home, value.shape)
        if any(view.array.name == OWN for view in known):
            refuse_shape(context, name)
        known.append(whole(Array(OWN, value.dtype, shape)))
        raise Retry
    own, selection = whole(home.own), home.selection
    _require_alike(context, name, home, own, Lazy(value.shape, value.dtype, value.at) if isinstance(value, View) else value)

    def tell(buffer: Array) -> None:
        _tell(context, selection, selection.views.index(whole(buffer)), ())

    _write_own(context, name, home, value, whole, tell, moving, on_all_paths)


def _bind_in_room(
    context: Context, name: str, home: Home, value: View | Lazy | Deferred, moving: frozenset[str], on_all_paths: bool
) -> None:
    """The same with the part of the own array that has the value's extents."""
    if home.own is None or home.selection is None:
        start_room(context, home, value)
    learn_room(context, home, value)
    part = part_of_room(context, name, home.own, value)

    def part_of(buffer: Array) -> View:
        return replace(part, array=buffer)

    _write_own(context, name, home, value, part_of, lambda buffer: _tell_part(context, home, part_of(buffer)), moving, on_all_paths)


def _write_own(
    context: Context,
    name: str,
    home: Home,
    value: View | Lazy | Deferred,
    part_of: Callable[[Array], View],
    tell: Callable[[Array], None],
    moving: frozenset[str],
    on_all_paths: bool,
) -> None:
    """The value goes to a part of the variable's own array, from where another variable's content is moved away, or of a buffer."""
    own, stored = home.own, value
    assert own is not None
    if value.dtype != own.dtype or home.buffers or _moves_others(context, name, own, moving):
        temporary = in_temporary(context, value)  # what it reads may be where another variable's content goes
        stored = Lazy(temporary.shape, own.dtype, partial(_cast_element, temporary, own.dtype))

    def put(buffer: Array) -> None:
        store(context, part_of(buffer), stored)
        tell(buffer)
        note_copy(context, name, buffer, value, on_all_paths and not home.buffers)

    if home.buffers:
        in_free_buffer(context, name, home, moving, put)
    else:
        release(context, name, own, moving=moving)
        put(own)


def apart(context: Context, name: str, array: Array, value: View | Lazy | Deferred) -> View | Lazy | Deferred:
    """A value that goes into the variable's array, computed before the content of selections that mean the array moves away from there."""
    return in_temporary(context, value) if _moves_others(context, name, array) else value


def _moves_others(context: Context, name: str, array: Array, moving: frozenset[str] = frozenset()) -> bool:
    """Whether selections mean the array now, whose content then goes to arrays of their own."""
    return any(_is_carried(*holder) for holder in _others_that_mean(context, name, array, moving=moving))


def _cast_element(view: View, dtype: Dtype, indices: Indices) -> Expression:
    return cast(view.at(indices), dtype)


def _tell_part(context: Context, home: Home, part: View) -> None:
    """Let the variable mean a part of its room."""
    assert home.selection is not None
    template, holes = _part_template(context, home, part)
    _tell(context, home.selection, home.selection.views.index(template), holes)


def _part_template(context: Context, home: Home, part: View) -> tuple[View, tuple[sympy.Expr, ...]]:
    template = template_of(context, part, resizes=True, restrides=home.restrides)
    assert template is not None
    return template


# ---------------------------------------------------------------- arrays of variables


def release(
    context: Context, name: str, array: Array, entering: frozenset[str] = frozenset(), moving: frozenset[str] = frozenset()
) -> None:
    """Before an array is written because its variable is bound anew: other variables that still mean it get a copy, the same one.

    ``entering``: variables live at the head of a region that may bind the variable. What it does on one path only is known before the
    paths part, so that the copy is made there; selections tell themselves on which path they are.
    """
    others = _others_that_mean(context, name, array, entering, moving)
    if not others:
        return
    carried = [other for other in others if _is_carried(*other)]
    stay = [other for other in others if other not in carried and _has_to_stay(*other, moving)]
    if stay or (carried and len(others) > 1):
        start_buffers(context, context.frame, name, len(others))
    base = next((other for _, other in others if other.isidentifier()), name)
    kept = materialise(context, Lazy(array.shape, array.dtype, whole(array).at), base).array
    follow(context, array, kept)
    for owner, other in others:
        if _is_carried(owner, other):
            _rescue(context, other, owner.homes[other], array, kept, moving | {name, other})
        else:
            owner.variables[other] = moved(context, owner.variables[other], array, kept)
    if entering:
        note_early_copy(context, *others[0], kept, array)


def _has_to_stay(owner: Frame, other: str, moving: frozenset[str]) -> bool:
    """Whether what a variable means, or what a loop goes over, would move on one path only."""
    return bool(moving) or (is_held(other) and owner.regions > held_since(other))


def _others_that_mean(
    context: Context, name: str, array: Array, entering: frozenset[str] = frozenset(), moving: frozenset[str] = frozenset()
) -> list[tuple[Frame, str]]:
    """Which other variables, that are still read, may mean the array; as for `release`."""
    frame, others = context.frame, list[tuple[Frame, str]]()
    for owner, other in context.holders(array.name):
        is_meant = not (owner is frame and other in {name, *moving}) and not (entering and _is_carried(owner, other))
        if is_meant and (owner.is_live(other) or (owner is frame and other in entering)):
            others.append((owner, other))
    return others


def _is_carried(frame: Frame, name: str) -> bool:
    """Whether the region carries the variable as a selection."""
    home = frame.homes.get(name)
    return home is not None and home.selection is not None and home.selection is frame.variables.get(name)


def _rescue(context: Context, name: str, home: Home, array: Array, kept: Array, moving: frozenset[str]) -> None:
    """Where a selection means a view of that array now, its variable gets the view's content in its own array."""
    assert home.selection is not None
    selector, views = parts_of(read_selection(context, home.selection))

    def move(view: View) -> None:
        if view.array.name == array.name:
            _bind_own(context, name, home, replace(view, array=kept), moving, on_all_paths=len(views) == 1)

    branch_over(context, selector, 0, [partial(move, view) for view in views])
