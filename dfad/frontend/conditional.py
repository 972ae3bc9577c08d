"""What `a if c else b` is, where c is known only while the kernel runs: a number, one of two arrays, a sequence of choices."""

from __future__ import annotations

from collections.abc import Sequence

from dfad.frontend.arithmetic import select
from dfad.frontend.arrays import store
from dfad.frontend.blocks import OpenBlock
from dfad.frontend.builder import cast
from dfad.frontend.doubts import cells_of, demand_view
from dfad.frontend.elementwise import Operand, common_dtype, have_other_extents, number_of, operand_of, pin, require_one_shape, typed
from dfad.frontend.oneof import parts_of, read_selection
from dfad.frontend.scope import Context
from dfad.frontend.selections import either
from dfad.frontend.values import Lazy, OneOf, Scalar, Sharing, Tuple, Value, View, element, kind_of
from dfad.ir.memlet import Memlet


def chosen_sequence(context: Context, guard: Scalar, first: Value, second: Value) -> Value:
    """The choice between two sequences of one length: of each two items; a list is one of two lists."""
    match first, second:
        case Tuple(items, is_list), Tuple(others, other_is_list) if len(items) == len(others) and is_list == other_is_list:
            return Tuple(tuple(chosen_sequence(context, guard, *pair) for pair in zip(items, others, strict=True)), is_list, identity=None)
        case (Tuple(), _) | (_, Tuple()):
            context.unsupported(f"the sides are {kind_of(first)} and {kind_of(second)}", hint="write np.array(...) round a sequence")
        case _:
            sides = []
            for value in (first, second):
                with context.builder.nested() as block:
                    sides.append((block, operand_of(context, value)))
            return chosen_of(context, guard, *sides)


def chosen_of(context: Context, guard: Scalar, *sides: tuple[OpenBlock, Operand]) -> Value:
    """The choice between two values, each with the block that computes it."""
    (then, first), (orelse, second) = sides
    if first.shape or second.shape:
        return _array_branch(context, guard, *sides)
    chosen, other = number_of(context, first), number_of(context, second)
    if then.body or orelse.body:
        return branch_of(context, guard, then, chosen, orelse, other)
    return typed(context, select, guard, chosen, other)


def branch_of(context: Context, guard: Scalar, then: OpenBlock, chosen: Scalar, orelse: OpenBlock, other: Scalar) -> Scalar:
    """The choice as a Branch that leaves its value in a temporary."""
    builder = context.builder
    dtype, weak = common_dtype(context, (chosen, other))
    target = builder.declare(builder.name(builder.unused("chosen")), dtype)
    for block, value in ((then, chosen), (orelse, other)):
        builder.tasklet(Memlet(target.name), cast(value.expression, dtype), block=block)
    builder.branch(guard.expression, then, orelse)
    found = element(target, weak)
    return pin(context, found) if target.dtype.kind == "i" else found


def _array_branch(context: Context, guard: Scalar, *sides: tuple[OpenBlock, Operand]) -> View | Lazy:
    """The choice between two arrays of one shape: a copy of the chosen one, or that array itself where a copy will not do."""
    builder, (first, second) = context.builder, [value for _, value in sides]
    if len(first.shape) != len(second.shape) or first.dtype != second.dtype:
        context.unsupported(
            f"the sides are {kind_of(first)} and {kind_of(second)}, not arrays of one shape and type", hint="write an if statement"
        )
    is_inner = any(block.binds(name) for block, value in sides for extent in value.shape for name in extent.free_symbols)
    are_views = all(_view_of(*side) is not None for side in sides)
    has_constants = any(extent.is_Integer for value in (first, second) for extent in value.shape)
    key = f"{context.frame.path}choice@{context.spot}"
    differ = (are_views or not has_constants) and have_other_extents(context, first.shape, second.shape)
    if is_inner or differ or (are_views and key in context.learned.resized):
        return _resized(context, guard, sides)
    require_one_shape(context, key, "the sides are arrays", first.shape, second.shape)
    itself = key in context.learned.viewed
    for _, value in sides if itself else ():
        demand_view(context, value)
    target = builder.temporary("chosen", first.dtype, first.shape)
    for block, value in sides:
        if not itself or _view_of(block, value) is None:
            with builder.inside(block):
                store(context, target, value)
    chosen = None
    if itself:
        chosen = either(context, [(block, _view_of(block, value) or target) for block, value in sides])
    builder.branch(guard.expression, *(block for block, _ in sides))
    if chosen is not None:
        return read_selection(context, chosen)
    shared = tuple(view for value in (first, second) for view in cells_of(value))
    return Lazy(first.shape, first.dtype, target.at, Sharing(shared, key) if shared else None)


def _view_of(block: OpenBlock, value: Operand) -> View | OneOf | None:
    """The value where it is part of arrays that outlive the block in which it was evaluated, so that it may be written through."""
    if isinstance(value, View | OneOf) and all(view.array not in block.arrays for view in parts_of(value)[1]):
        return value
    return None


def _resized(context: Context, guard: Scalar, sides: Sequence[tuple[OpenBlock, Operand]]) -> View | Lazy:
    """The choice between two views of different extents."""
    views = [(block, view) for block, value in sides if (view := _view_of(block, value)) is not None]
    if len(views) < len(sides) or any(block.binds(extent) for block, value in views for extent in parts_of(value)[1][0].array.shape):
        context.unsupported("the sides have lengths of their own, which only views may have", hint="compute what needs them on each path")
    chosen = either(context, views, resizes=True)
    context.builder.branch(guard.expression, *(block for block, _ in sides))
    return read_selection(context, chosen)
