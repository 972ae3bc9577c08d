"""Binding names: where the value of a variable lives.

A variable that is assigned outside every loop and branch that carries it gets a fresh array at each assignment (`x`, `x_2`, ...): written once. A
variable that a region carries (liveness.py) lives in a *home*, one array outside the region, written by every assignment inside. Known
integers and constants need no array at all.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import sympy

from dfad.frontend.arithmetic import TypeClash, promote
from dfad.frontend.arrays import materialise, store
from dfad.frontend.builder import cast, constant
from dfad.frontend.elementwise import operand_of
from dfad.frontend.liveness import Facts, is_exchange, plainly_assigned
from dfad.frontend.scope import Context, Home, Retry
from dfad.frontend.values import Deferred, Lazy, Scalar, Tuple, Value, View, element, kind_of, whole
from dfad.ir.dtype import I64, Dtype
from dfad.ir.memlet import Memlet, symbol
from dfad.ir.nodes import Array, Constant, Expression, Integer, Read, Role


def bind(context: Context, name: str, value: Value) -> None:
    """``name = value``."""
    frame = context.frame
    home = frame.homes.get(name)
    frame.variables[name] = fresh(context, name, value) if home is None else _assign_home(context, name, home, value)


def fresh(context: Context, name: str, value: Value) -> Value:
    """The value under a new name: a new array where it needs one."""
    match value:
        case Scalar():
            return _fresh_scalar(context, name, value)
        case Deferred() if not value.shape:
            array = context.builder.declare(context.builder.name(name), value.dtype)
            value.write(whole(array), False)
            return element(array, value.weak)
        case Lazy() | Deferred():
            return materialise(context, value, name)
        case Tuple(items):
            return Tuple(tuple(fresh(context, f"{name}_{position}", item) for position, item in enumerate(items)))
        case _:
            return value


def _fresh_scalar(context: Context, name: str, value: Scalar) -> Scalar:
    if isinstance(value.expression, Constant | Integer) or _is_settled(context, value.expression):
        return value
    array = context.builder.hold(name, value.expression)
    if array.dtype == I64:
        return Scalar(Integer(symbol(array.name)), value.weak)
    return element(array, value.weak)


def _is_settled(context: Context, expression: Expression) -> bool:
    """Whether it reads a scalar that is never written again."""
    homes = (home.array.name for frame in context.frames for home in frame.homes.values() if home.array is not None)
    return isinstance(expression, Read) and not expression.memlet.subset and expression.memlet.array not in set(homes)


# ---------------------------------------------------------------- homes


def _assign_home(context: Context, name: str, home: Home, value: Value) -> Value:
    match value:
        case Scalar():
            return _assign_scalar(context, name, home, value)
        case View() | Lazy() | Deferred() if value.shape:
            return _assign_array(context, name, home, value)
        case View() | Lazy() | Deferred():
            found = operand_of(context, value)
            return _assign_scalar(context, name, home, found if isinstance(found, Scalar) else Scalar(found.at(())))
        case _ if home.array is None and (home.fixed is None or home.fixed == value):
            home.fixed = value
            return value
        case _:
            context.unsupported(
                f"{name} becomes {kind_of(value)} in a loop or branch that also gives it another value", hint="use a number or an array"
            )


def _assign_scalar(context: Context, name: str, home: Home, value: Scalar) -> Scalar:
    if home.fixed is not None or (home.array is not None and home.array.rank):
        _refuse_change(context, name, home, value)
    array = home.array or _start_home(context, name, home, *_learned(context, home, value))
    dtype, weak = _joined(context, [(array.dtype, home.weak), (value.dtype, value.weak)])
    if (dtype, weak) != (array.dtype, home.weak):
        context.learned[home.key] = (dtype, weak)
        raise Retry
    context.builder.tasklet(Memlet(array.name), cast(value.expression, dtype))
    return element(array, weak)


def _refuse_change(context: Context, name: str, home: Home, value: Value) -> None:
    before = kind_of(home.value) if home.value is not None else "nothing"
    context.wrong_type(
        f"{name} is {before} before and {kind_of(value)} here, in a loop or branch",
        hint="a variable keeps one type there; use another name",
    )


def _joined(context: Context, types: Sequence[tuple[Dtype, bool]]) -> tuple[Dtype, bool]:
    try:
        return promote(types)
    except TypeClash as clash:
        context.wrong_type(str(clash))


def _learned(context: Context, home: Home, value: Scalar | View | Lazy | Deferred) -> tuple[Dtype, bool]:
    """The type of a new home: that of its value, joined with what an earlier attempt learned."""
    own = (value.dtype, isinstance(value, Scalar) and value.weak)
    known = context.learned.get(home.key)
    return own if known is None else _joined(context, [own, known])


def _start_home(context: Context, name: str, home: Home, dtype: Dtype, weak: bool) -> Array:
    """The array of a scalar that has no value before the region: NaN (or 0) until it is assigned."""
    builder = context.builder
    home.array = builder.declare(builder.name(name), dtype, (), home.block)
    home.weak = weak
    if home.needs_start:
        builder.tasklet(Memlet(home.array.name), constant(float("nan") if dtype.is_float else 0, dtype), block=home.block)
    return home.array


def _assign_array(context: Context, name: str, home: Home, value: View | Lazy | Deferred) -> View:
    if home.fixed is not None or (home.array is not None and not home.array.rank):
        _refuse_change(context, name, home, value)
    if home.array is None:
        dtype, _ = _learned(context, home, value)
        home.array = context.builder.declare(
            context.builder.name(name), dtype, _shape_outside(context, name, home, value.shape), home.block
        )
    array = home.array
    if array.rank != len(value.shape):
        _refuse_change(context, name, home, value)
    if array.dtype != value.dtype:
        context.learned[home.key] = _joined(context, [(array.dtype, False), (value.dtype, False)])
        raise Retry
    if isinstance(value, View) and value == whole(array):
        return value
    _release(context, name, array)
    store(context, whole(array), value)
    return whole(array)


def _shape_outside(context: Context, name: str, home: Home, shape: Sequence[sympy.Expr]) -> tuple[sympy.Expr, ...]:
    extents = tuple(context.builder.natural(extent) for extent in shape)
    inner = context.builder.blocks[context.builder.blocks.index(home.block) + 1 :]
    if any(block.binds(extent) for block in inner for extent in extents):
        context.unsupported(
            f"the shape of {name} changes in a loop that carries it", hint="make an array of the final shape before the loop"
        )
    return extents


def _release(context: Context, name: str, array: Array) -> None:
    """Before an array is written because its variable is bound anew: other variables that still mean it get a copy."""
    for frame, other in list(context.holders(array.name)):
        value = frame.variables[other]
        if (frame is context.frame and other == name) or not isinstance(value, View) or not frame.is_live(other):
            continue
        copy = Lazy(value.shape, value.dtype, value.at)
        frame.variables[other] = materialise(context, copy, other)


def open_homes(context: Context, region: ast.stmt) -> list[str]:
    """Give homes to the variables that a region carries and that have none yet."""
    frame, opened = context.frame, list[str]()
    facts = frame.liveness.regions[region]
    for name in sorted(facts.carried - frame.homes.keys()):
        home = _home(context, name, region, facts)
        if home is not None:
            frame.homes[name] = home
            opened.append(name)
            if home.value is not None:
                frame.variables[name] = home.value
    return opened


def close_homes(context: Context, region: ast.stmt, opened: Sequence[str]) -> None:
    """What the variables mean after the region: those it carries their homes, the others it assigned nothing."""
    frame = context.frame
    for name in frame.liveness.regions[region].assigned:
        home = frame.homes.get(name)
        if home is None:
            if any(plainly_assigned([region], name)):
                frame.variables.pop(name, None)
        elif home.value is None:
            frame.variables.pop(name, None)
        else:
            frame.variables[name] = home.value
    for name in opened:
        del frame.homes[name]


def _home(context: Context, name: str, region: ast.stmt, facts: Facts) -> Home | None:
    frame, builder = context.frame, context.builder
    key = f"{frame.path}{name}@{region.lineno}.{region.col_offset}"
    value = frame.variables.get(name)
    match value:
        case None:
            return Home(key, builder.block, needs_start=name in facts.entering)
        case Scalar():
            return _scalar_home(context, name, value, Home(key, builder.block), name in facts.entering)
        case View() if not any(plainly_assigned([region], name)):
            return None
        case View():
            return _array_home(context, name, value, Home(key, builder.block), region, facts)
        case _:
            return Home(key, builder.block, fixed=value) if any(plainly_assigned([region], name)) else None


def _scalar_home(context: Context, name: str, value: Scalar, home: Home, enters: bool) -> Home:
    dtype, home.weak = _learned(context, home, value)
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
    if _is_only_exchanged(context, name, region, facts) and value.is_whole:
        home.array = value.array
        return home
    dtype, _ = _learned(context, home, value)
    others = [holder for holder in context.holders(value.array.name) if holder != (context.frame, name) and holder[0].is_live(holder[1])]
    if value.is_whole and value.array.role == Role.LOCAL and not others and value.dtype == dtype:
        home.array = value.array
    elif name in facts.entering:
        home.array = materialise(context, Lazy(value.shape, dtype, lambda indices: cast(value.at(indices), dtype)), name).array
    return home


def _is_only_exchanged(context: Context, name: str, region: ast.stmt, facts: Facts) -> bool:
    for statement in plainly_assigned([region], name):
        if not is_exchange(statement):
            return False
        names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        if not all(other in facts.carried and isinstance(context.frame.variables.get(other), View) for other in names):
            return False
    return True


# ---------------------------------------------------------------- exchanges


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
        _unify(context, first, array)
        _refuse_aliases(context, set(targets), array)
    holding = {name: name for name in targets}
    for target, source in zip(targets, sources, strict=True):
        at = next(name for name, content in holding.items() if content == source)
        if at != target:
            context.builder.exchange(arrays[target], arrays[at])
            holding[target], holding[at] = holding[at], holding[target]
    return True


def _unify(context: Context, first: Array, second: Array) -> None:
    """Make sure that two arrays have one shape and type."""
    if first.dtype != second.dtype or first.rank != second.rank:
        context.wrong_type(f"{first.name} ({first.dtype}, rank {first.rank}) and {second.name} ({second.dtype}, rank {second.rank}) differ")
    if first.name != second.name and not context.builder.unify(first, second):
        context.unsupported(
            f"{first.name} and {second.name} are exchanged and may differ in shape",
            hint=f"make one like the other: np.empty_like({first.name})",
        )


def _refuse_aliases(context: Context, names: set[str], array: Array) -> None:
    others = [name for frame, name in context.holders(array.name) if frame is not context.frame or name not in names]
    if any(frame.is_live(name) for frame, name in context.holders(array.name) if name in others):
        context.unsupported(f"{', '.join(sorted(others))} still means an array that is exchanged in a loop", hint="copy it first: .copy()")
