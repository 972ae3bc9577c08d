"""Homes: the arrays in which loops and branches carry variables (variables.py says what lives in one).

A number gets its home, with its value, before the region. So does an array before a loop. In a branch an array variable keeps its
array until a path binds it anew; where the paths meet, those that did not bind it copy its content into the home.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from dfad.frontend.arrays import materialise, store
from dfad.frontend.blocks import OpenBlock
from dfad.frontend.builder import cast
from dfad.frontend.doubts import note_copy, start_resizing
from dfad.frontend.elementwise import have_other_extents, require_one_shape
from dfad.frontend.liveness import Facts, is_augmented, is_exchange, plainly_assigned
from dfad.frontend.rooms import is_its_own
from dfad.frontend.scope import Context, Home
from dfad.frontend.selections import is_selected, open_selections, release
from dfad.frontend.values import Lazy, OneOf, Scalar, Selection, Value, View, arrays_of, whole
from dfad.frontend.variables import learned_type, start_early
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Array, Read, Role

Variables = dict[str, Value]


def open_homes(context: Context, region: ast.stmt, exempt: frozenset[str] = frozenset()) -> list[str]:
    """Give homes to the variables that a region carries and that have none yet, but for those that need none; a selection's home also to
    what it is exchanged with, whose array has to live as long."""
    frame, facts = context.frame, context.frame.liveness.regions[region]
    opened = _open_along(context, region)
    carried = sorted(facts.carried - exempt)
    asked = {name for name in carried if name not in frame.homes and is_selected(context, name, region)}
    within = sorted(facts.assigned - facts.carried - exempt) if asked else []
    selected = [name for name in (*carried, *within) if name not in frame.homes and asked & _exchanged_with(region, name)]
    for name in carried:
        if name in selected:
            continue
        if name in frame.homes:
            _settle(context, name, region)
            continue
        home = _home(context, name, region, facts)
        if home is not None:
            frame.homes[name] = home
            opened.append(name)
            if home.value is not None:
                frame.variables[name] = home.value
    homes = {name: Home(_key(context, name, region), context.builder.block) for name in selected}
    frame.homes |= homes
    open_selections(context, homes)
    return [*opened, *selected]


def _open_along(context: Context, region: ast.stmt) -> list[str]:
    """Selections of variables that the region does not bind, where it binds one anew whose own array they mean."""
    frame = context.frame
    written = [home.own if home.selects else home.array for name, home in frame.homes.items() if any(plainly_assigned([region], name))]
    names = {array.name for array in written if array is not None}
    asked = [name for name in frame.variables if f"{frame.path}{name}" in context.learned.along and name not in frame.homes]
    selected = [name for name in asked if frame.is_live(name) and names & arrays_of([frame.variables[name]])]
    homes = {name: Home(_key(context, name, region), context.builder.block) for name in selected}
    frame.homes |= homes
    open_selections(context, homes)
    return selected


def _key(context: Context, name: str, region: ast.stmt) -> str:
    return f"{context.frame.path}{name}@{region.lineno}.{region.col_offset}"


def _settle(context: Context, name: str, region: ast.stmt) -> None:
    """Before a loop a variable is in its home, also where an outer branch has left it elsewhere so far."""
    frame, home = context.frame, context.frame.homes[name]
    value = frame.variables.get(name)
    own = home.own if home.selects else home.array
    if own is not None and own.rank and not home.buffers and any(plainly_assigned([region], name)):
        release(context, name, own, frame.liveness.regions[region].entering)
    if isinstance(region, ast.If) or home.selects:
        return
    if isinstance(value, Scalar) and home.value is not None:
        frame.variables[name] = home.value
    if not isinstance(value, View) or not any(plainly_assigned([region], name)):
        return
    if home.array is None:
        home.array = context.builder.declare(context.builder.name(name), value.dtype, value.shape, home.block)
    if home.array.rank and value != home.value:
        _copy_home(context, name, home.array, value)
        frame.variables[name] = whole(home.array)


def _copy_home(context: Context, name: str, array: Array, value: View) -> None:
    if len(value.shape) == array.rank:
        require_one_shape(context, context.frame.homes[name].variable, f"{name} may mean arrays", array.shape, value.shape)
    store(context, whole(array), Lazy(value.shape, array.dtype, lambda indices: cast(value.at(indices), array.dtype)))
    note_copy(context, name, array, value, on_all_paths=False)


def merge_paths(context: Context, paths: Sequence[tuple[OpenBlock, Variables]]) -> None:
    """Where the paths of a branch meet: an array variable that one path bound anew is in its home on all of them."""
    frame = context.frame
    for name, home in frame.homes.items():
        at_home = [variables.get(name) == home.value for _, variables in paths]
        if home.array is None or not home.array.rank or not any(at_home):
            continue
        for (block, variables), is_home in zip(paths, at_home, strict=True):
            value = variables.get(name)
            if not is_home and isinstance(value, View):
                if len(value.shape) == home.array.rank and have_other_extents(context, home.array.shape, value.shape):
                    start_resizing(context, frame, name)
                with context.builder.inside(block):
                    _copy_home(context, name, home.array, value)
        frame.variables[name] = whole(home.array)


def close_homes(context: Context, region: ast.stmt, opened: Sequence[str]) -> None:
    """What the variables mean after the region: those it carries their homes, the others it assigned nothing."""
    frame = context.frame
    for name in frame.liveness.regions[region].assigned:
        home = frame.homes.get(name)
        if home is None:
            if any(plainly_assigned([region], name)):
                frame.variables.pop(name, None)
        elif home.value is None and not isinstance(frame.variables.get(name), View):
            frame.variables.pop(name, None)
        elif home.value is not None and not isinstance(frame.variables.get(name), View):
            frame.variables[name] = home.value
    for name in opened:
        frame.homes.pop(name)


def _home(context: Context, name: str, region: ast.stmt, facts: Facts) -> Home | None:
    frame, builder = context.frame, context.builder
    key = _key(context, name, region)
    value = frame.variables.get(name)
    match value:
        case None:
            home = Home(key, builder.block, needs_start=name in facts.entering)
            start_early(context, name, home)
            return home
        case Scalar():
            return _scalar_home(context, name, value, Home(key, builder.block), name in facts.entering)
        case View() | OneOf() | Selection() if not any(plainly_assigned([region], name)):
            return None
        case View():
            return _array_home(context, name, value, Home(key, builder.block), region, facts)
        case _:
            is_bound = any(plainly_assigned([region], name)) or is_augmented([region], name)
            return Home(key, builder.block, fixed=value) if is_bound else None


def _scalar_home(context: Context, name: str, value: Scalar, home: Home, enters: bool) -> Home:
    dtype, home.weak = learned_type(context, home, value)
    own = _own_array(context, name, value)
    if own is not None and own.dtype == dtype:
        home.array = own
        return home
    home.array = context.builder.declare(context.builder.name(name), dtype)
    if enters:
        context.builder.tasklet(Memlet(home.array.name), cast(value.expression, dtype))
    return home


def _own_array(context: Context, name: str, value: Scalar) -> Array | None:
    """The array of a scalar, when it is declared here and this variable alone means it."""
    match value.expression:
        case Read(Memlet(array, ())):
            declared = [known for known in context.builder.block.arrays if known.name == array]
            others = [holder for holder in context.holders(array) if holder != (context.frame, name)]
            return declared[0] if declared and not others else None
        case _:
            return None


def _array_home(context: Context, name: str, value: View, home: Home, region: ast.stmt, facts: Facts) -> Home:
    """Exchanged names keep their own arrays; a name that is bound to new arrays needs one that nobody else sees."""
    if _is_only_exchanged(context, name, region, facts):
        home.array, home.exchanged = value.array, True
        return home
    dtype, _ = learned_type(context, home, value)
    if value.dtype == dtype and is_its_own(context, name, value):
        home.array = value.array
    elif name in facts.entering and not isinstance(region, ast.If):
        home.array = materialise(context, Lazy(value.shape, dtype, lambda indices: cast(value.at(indices), dtype)), name).array
        note_copy(context, name, home.array, value)
    return home


def _is_only_exchanged(context: Context, name: str, region: ast.stmt, facts: Facts) -> bool:
    """Whether the region does nothing but exchange the name, and those that it is exchanged with: all arrays that it carries."""
    group = _exchanged_with(region, name)
    bound = [statement for other in group for statement in plainly_assigned([region], other)]
    if not all(is_exchange(statement) for statement in bound):
        return False
    return all(other in facts.carried and _stays(context, other) for other in group) and not _may_lose_the_callers(context, group)


def _may_lose_the_callers(context: Context, group: set[str]) -> bool:
    """Whether an exchange would put the caller's array into a home that an outer region also writes by itself."""
    homes = [context.frame.homes[name] for name in group if name in context.frame.homes]
    values = [context.frame.variables.get(name) for name in group]
    has_callers = any(isinstance(value, View) and value.array.role == Role.ARGUMENT for value in values)
    return has_callers and any(home.array is not None and not home.exchanged for home in homes)


def _stays(context: Context, name: str) -> bool:
    """Whether a variable is a whole array, where an outer region, if one carries it, expects it."""
    home, value = context.frame.homes.get(name), context.frame.variables.get(name)
    return isinstance(value, View) and value.is_whole and (home is None or home.value == value)


def _exchanged_with(region: ast.stmt, name: str) -> set[str]:
    """The names that a region exchanges with the name, or with one of these; the name itself among them."""
    group, reached = {name}, [name]
    while reached:
        for statement in plainly_assigned([region], reached.pop()):
            if is_exchange(statement):
                names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
                reached += names - group
                group |= names
    return group
