"""Binding names: where the value of a variable lives.

A variable that is assigned outside every loop and branch that carries it gets a fresh array at each assignment (`x`, `x_2`, ...):
written once. A variable that a region carries (liveness.py) lives in a *home*, one array outside the region, written by every
assignment inside. Known integers and constants need no array at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dfad.frontend.arrays import materialise, store
from dfad.frontend.builder import cast, constant
from dfad.frontend.computed import is_computed_on_return, write_returned
from dfad.frontend.doubts import note_copy, start_resizing
from dfad.frontend.early import note_type
from dfad.frontend.elementwise import have_other_extents, joined_type, operand_of, require_one_shape
from dfad.frontend.masks import keep_masked
from dfad.frontend.rooms import changes_inside, shape_outside
from dfad.frontend.scope import Context, Home, Retry
from dfad.frontend.selections import apart, bind_selection, release
from dfad.frontend.spread import may_stay_spread
from dfad.frontend.unpacked import start_unpacking
from dfad.frontend.values import Deferred, Lazy, Masked, OneOf, Scalar, Tuple, Value, View, element, kind_of, whole
from dfad.frontend.written import place_before
from dfad.ir.dtype import I64, Dtype
from dfad.ir.memlet import Memlet, symbol
from dfad.ir.nodes import Array, Constant, Expression, Integer, Read


def bind(context: Context, name: str, value: Value) -> None:
    """``name = value``."""
    frame = context.frame
    if name in frame.returned and is_computed_on_return(context, name, value):
        write_returned(context, name, value)
        return
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
        case OneOf():
            return value
        case Lazy() | Deferred():
            return _fresh_array(context, name, value)
        case Masked():
            return keep_masked(context, value) if may_stay_spread(context, name) else operand_of(context, value)
        case Tuple(items):
            return replace(value, items=tuple(fresh(context, f"{name}_{position}", item) for position, item in enumerate(items)))
        case _:
            return value


def _fresh_array(context: Context, name: str, value: Lazy | Deferred) -> View:
    found = materialise(context, value, name)
    note_copy(context, name, found.array, value)
    return found


def _fresh_scalar(context: Context, name: str, value: Scalar) -> Scalar:
    if isinstance(value.expression, Constant | Integer) or _is_settled(context, value.expression):
        return value
    array = context.builder.hold(name, value.expression)
    if array.dtype == I64:
        return Scalar(Integer(symbol(array.name)), value.weak)
    return element(array, value.weak)


def _is_settled(context: Context, expression: Expression) -> bool:
    """Whether it reads a scalar that is never written again."""
    homes = (array.name for frame in context.frames for home in frame.homes.values() for array in home.arrays)
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
        case Tuple() if _changes(context, home, value):
            start_unpacking(context, name, home, value)
        case Masked():
            return _assign_home(context, name, home, operand_of(context, value))
        case _ if home.array is None and (home.fixed is None or home.fixed == value):
            home.fixed = value
            return value
        case _:
            context.unsupported(
                f"{name} becomes {kind_of(value)} in a loop or branch that also gives it another value{place_before(context, name)}",
                hint="use a number or an array",
            )


def _changes(context: Context, home: Home, value: Tuple) -> bool:
    """Whether the variable is a tuple, and not the same all the time."""
    if home.value is None:
        return not _is_constant(context, value)
    return isinstance(home.fixed, Tuple) and home.fixed != value


def _is_constant(context: Context, value: Value) -> bool:
    """Whether numbers are known when the call begins."""
    match value:
        case Tuple(items):
            return all(_is_constant(context, item) for item in items)
        case Scalar(expression=Constant()):
            return True
        case Scalar():
            return value.integer is not None and value.integer.free_symbols <= context.builder.entry
        case _:
            return False


def _assign_scalar(context: Context, name: str, home: Home, value: Scalar) -> Scalar:
    if home.fixed is not None or home.selection is not None or (home.array is not None and home.array.rank):
        _refuse_change(context, name, home, value)
    array = home.array or _start_home(context, name, home, *learned_type(context, home, value))
    dtype, weak = _joined(context, [(array.dtype, home.weak), (value.dtype, value.weak)])
    if (dtype, weak) != (array.dtype, home.weak):
        context.learned.types[home.key] = (dtype, weak)
        raise Retry
    context.builder.tasklet(Memlet(array.name), cast(value.expression, dtype))
    return value if value.integer is not None and dtype == I64 else element(array, weak)


def _refuse_change(context: Context, name: str, home: Home, value: Value) -> None:
    before = kind_of(home.value) if home.value is not None else "nothing"
    context.wrong_type(
        f"{name} is {before}{place_before(context, name)} and {kind_of(value)} here, in a loop or branch",
        hint="a variable keeps one type there; use another name",
    )


def _joined(context: Context, types: Sequence[tuple[Dtype, bool]]) -> tuple[Dtype, bool]:
    """One type for all values of a variable; among Python's integers may be one that a short integer does not hold."""
    if (I64, True) in types and all(dtype.kind == "i" for dtype, _ in types) and any(not weak for _, weak in types):
        return I64, False
    return joined_type(context, types)


def learned_type(context: Context, home: Home, value: Scalar | View | Lazy | Deferred) -> tuple[Dtype, bool]:
    """The type of a new home: that of its value, joined with what an earlier attempt learned."""
    own = (value.dtype, isinstance(value, Scalar) and value.weak)
    known = context.learned.types.get(home.key)
    return own if known is None else _joined(context, [own, known])


def start_early(context: Context, name: str, home: Home) -> None:
    """Give a home that has no value before the region, and is read before it is assigned, the array that an earlier attempt found."""
    shape = context.learned.early.get(home.key)
    if shape is not None:
        dtype, weak = context.learned.types[home.key]
        if shape:
            home.array = context.builder.declare(context.builder.name(name), dtype, shape)
        else:
            _start_home(context, name, home, dtype, weak)


def _start_home(context: Context, name: str, home: Home, dtype: Dtype, weak: bool) -> Array:
    """The array of a scalar that has no value before the region: NaN (or 0) until it is assigned."""
    builder = context.builder
    note_type(context, home, dtype, weak, ())
    home.array = builder.declare(builder.name(name), dtype, (), home.block)
    home.weak = weak
    if home.needs_start:
        builder.tasklet(Memlet(home.array.name), constant(float("nan") if dtype.is_float else 0, dtype), block=home.block)
    return home.array


def _assign_array(context: Context, name: str, home: Home, value: View | Lazy | Deferred) -> Value:
    if home.fixed is not None or (home.array is not None and not home.array.rank):
        _refuse_change(context, name, home, value)
    if home.selects:
        return bind_selection(context, name, home, value)
    if home.array is None:
        dtype, _ = learned_type(context, home, value)
        shape = shape_outside(context, name, home, value.shape)
        note_type(context, home, dtype, False, shape)
        home.array = context.builder.declare(context.builder.name(name), dtype, shape, home.block)
    array = home.array
    if array.rank != len(value.shape):
        _refuse_change(context, name, home, value)
    if have_other_extents(context, array.shape, value.shape) or changes_inside(context, home, value.shape):
        start_resizing(context, context.frame, name)
    if array.dtype != value.dtype:
        context.learned.types[home.key] = _joined(context, [(array.dtype, False), (value.dtype, False)])
        raise Retry
    if isinstance(value, View) and value == whole(array):
        return value
    require_one_shape(context, home.variable, f"{name} may mean arrays", array.shape, value.shape)
    stored = apart(context, name, array, value)
    release(context, name, array)
    store(context, whole(array), stored)
    note_copy(context, name, array, value)
    return whole(array)
