"""Results whose shape only the running kernel knows: ``return x[x > 0]``, ``return y[:k]``, early returns of different shapes.

    length = k; grow result[0:k]; for i: result[i] = y[i]

Such a result is an array that grows, with its extents in integer scalars beside it (grammar.md). What a `return` gives is written there
where the `return` stands, one time in each path. An early return is an assignment to a variable (exits.py): where it gives a shape
that is computed, or not that of another `return`, lowering starts again with that variable as such a result. So it does
where the variable is that of an inlined function whose value is the kernel's result as it stands.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

import sympy

from dfad.frontend.arrays import store
from dfad.frontend.blocks import Checks
from dfad.frontend.builder import constant
from dfad.frontend.elementwise import operand_of
from dfad.frontend.packing import pack
from dfad.frontend.scope import Computed, Context, Frame, Retry
from dfad.frontend.values import AXES, ONE, ZERO, Along, Deferred, Lazy, Masked, Mixed, Shape, Tuple, Value, View, kind_of, whole
from dfad.ir.dtype import I64, Dtype
from dfad.ir.memlet import Memlet, Range
from dfad.ir.nodes import Array, Integer


def is_computed(context: Context, value: Value) -> bool:
    """Whether the value is an array whose shape does not follow from the arguments."""
    match value:
        case Masked():
            return True
        case View() | Lazy() | Deferred():
            return not _is_known(context, value.shape)
        case _:
            return False


def computed_result(context: Context, value: View | Lazy | Deferred | Masked, base: str) -> Array:
    """The result that holds the value."""
    if isinstance(value, View) and _may_leave(context, value):
        return _let_leave(context, value.array)
    rest = value.shape[1:]
    if isinstance(value, Masked):
        rest = value.shape[len(value.mask.shape) :]
    rank = 1 + len(rest)
    computed = _declare(context, base, value.dtype, rank, rest if _is_known(context, rest) else None)
    context.computed[computed.array.name] = computed
    _write(context, computed, value)
    return computed.array


def _is_known(context: Context, shape: Shape) -> bool:
    known = {bound.symbol for bound in context.symbols}
    return all(extent.free_symbols <= known for extent in shape)


def _may_leave(context: Context, view: View) -> bool:
    """Whether an array of the function's can be the result itself. A gradient keeps them apart: what it reads is not the caller's."""
    builder = context.builder
    is_own = view.is_whole and view.array in builder.blocks[0].arrays and view.array.name not in builder.exchanged
    return is_own and builder.checks is not Checks.OUTSIDE and _is_known(context, view.shape[1:])


def _let_leave(context: Context, array: Array) -> Array:
    """The array as a result: from where its shape is known it has memory that the caller keeps."""
    builder, outside = context.builder, context.builder.blocks[0]
    start = builder.start_of(array)
    leaving = replace(array, shape=(sympy.oo, *array.shape[1:]))
    outside.arrays[outside.arrays.index(array)] = leaving
    computed = context.computed[array.name] = Computed(leaving, _declare_extents(context, array.name, array.rank))
    with builder.nested() as opened:
        _room(context, computed, array.shape)
    outside.body[start:start] = opened.body
    return leaving


def _declare(context: Context, base: str, dtype: Dtype, rank: int, rest: Shape | None) -> Computed:
    """A result of that rank; without the shape of its rows its elements lie in a row."""
    builder, outside = context.builder, context.builder.blocks[0]
    array = builder.declare(builder.name(base), dtype, (sympy.oo, *(rest or ())), outside)
    return Computed(array, _declare_extents(context, array.name, rank))


def _declare_extents(context: Context, name: str, rank: int) -> tuple[Array, ...]:
    builder, outside = context.builder, context.builder.blocks[0]
    endings = ("length",) if rank == 1 else tuple(f"extent_{axis}" for axis in range(rank))
    names = [builder.name(builder.unused(f"{name}_{ending}")) for ending in endings]
    return tuple(builder.declare(name, I64, (), outside) for name in names)


def _write(context: Context, computed: Computed, value: Value) -> None:
    """Give the result its memory and its elements."""
    if isinstance(value, Masked):
        pack(context, value, lambda shape: _room(context, computed, shape))
        return
    found = operand_of(context, value)
    shape = tuple(context.builder.natural(extent) for extent in found.shape)
    store(context, _room(context, computed, shape), found)


def _room(context: Context, computed: Computed, shape: Shape) -> View:
    """The memory of a result of that shape."""
    array, builder = computed.array, context.builder
    for scalar, extent in zip(computed.extents, shape, strict=True):
        builder.tasklet(Memlet(scalar.name), Integer(extent))
    has_rows = array.rank == len(shape)
    rows = shape[0] if has_rows else sympy.Mul(*shape)
    ranges = (Range(ZERO, extent) for extent in (rows, *array.shape[1:]))
    builder.library("grow", (), Memlet(array.name, tuple(ranges)), {})
    if has_rows:
        return View(array, tuple(Along(axis, ZERO, ONE) for axis in range(array.rank)), shape)
    number: sympy.Expr = ZERO
    for axis, extent in enumerate(shape):
        number = number * extent + AXES[axis]
    return View(array, (Mixed(number),), shape)


# ---------------------------------------------------------------- early returns


def returned_variables(written: ast.FunctionDef, tree: ast.FunctionDef, gives: str | None) -> dict[str, str]:
    """The variables that a function returns at its end where it has early returns, so that its tree is another one than was ``written``;
    and which result of the kernel each is."""
    if tree is written or gives is None:
        return {}
    match tree.body[-1]:
        case ast.Return(value=ast.Name(id=name)):
            return {name: gives}
        case ast.Return(value=ast.Tuple(elts=parts)):
            return {part.id: f"{gives}.{position}" for position, part in enumerate(parts) if isinstance(part, ast.Name)}
        case _:
            return {}


def given_by(frame: Frame, call: ast.AST) -> str | None:
    """Which result of the kernel a call is, where the present statement returns its value as it stands: "" is all, ".1" the second."""
    match frame.statement:
        case ast.Return(value=value) if frame.gives is not None and value is call:
            return frame.gives
        case ast.Return(value=ast.Tuple(elts=parts)) if frame.gives is not None and call in parts:
            return f"{frame.gives}.{parts.index(call)}"
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call:
            return frame.returned.get(name)
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=name), *_])], value=value) if value is call and name in frame.returned:
            return frame.gives
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=parts)) if call in parts:
            target = names[parts.index(call)]
            return frame.returned.get(target.id) if isinstance(target, ast.Name) else None
        case _:
            return None


def is_computed_on_return(context: Context, name: str, value: Value) -> bool:
    """Whether the variable is a result whose shape the kernel computes; an attempt that did not know starts again."""
    result = context.frame.returned[name]
    if result in context.learned.computed:
        return True
    if not isinstance(value, View | Lazy | Deferred | Masked) or not value.shape:
        return False
    other = context.returned.setdefault(result, value.shape)
    pairs = list(zip(other, value.shape, strict=False))
    is_alike = len(other) == len(value.shape) and all(context.builder.are_equal(*pair) for pair in pairs)
    if is_alike and not is_computed(context, value):
        return False
    context.learned.computed.add(result)
    raise Retry


def write_returned(context: Context, name: str, value: Value) -> None:
    """``return value`` where the kernel may go on, for a result whose shape it computes."""
    if not isinstance(value, View | Lazy | Deferred | Masked) or not value.shape:
        context.wrong_type(
            f"the kernel returns {kind_of(value)} here and an array elsewhere", hint="return values of one type on all paths"
        )
    rank = len(value.shape) if not isinstance(value, Masked) else 1 + len(value.shape) - len(value.mask.shape)
    result = context.frame.returned[name]
    computed = context.computed.get(result)
    if computed is not None and isinstance(value, View) and value.array == computed.array:
        return
    if computed is None:
        base = context.builder.unused(f"result{result.replace('.', '_')}")
        computed = context.computed[result] = _declare(context, base, value.dtype, rank, None)
        for scalar in computed.extents:
            context.builder.tasklet(Memlet(scalar.name), constant(0, I64), block=context.builder.blocks[0])
    if computed.array.dtype != value.dtype or len(computed.extents) != rank:
        before = f"a {computed.array.dtype} array of rank {len(computed.extents)}"
        context.wrong_type(
            f"the kernel returns {kind_of(value)} here and {before} elsewhere", hint="return values of one type on all paths"
        )
    _write(context, computed, value)


def returned_value(context: Context, value: ast.expr, evaluate: Callable[[Context, ast.expr], Value]) -> Value:
    """What a function returns at its end; results of computed shape are where its early returns wrote them."""
    match value:
        case ast.Name(id=name) if context.frame.returned.get(name) in context.computed:
            return whole(context.computed[context.frame.returned[name]].array)
        case ast.Tuple(elts=parts) if context.frame.returned:
            return Tuple(tuple(returned_value(context, part, evaluate) for part in parts))
        case _:
            return evaluate(context, value)
