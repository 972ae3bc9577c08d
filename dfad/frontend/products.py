"""Products of matrices and vectors: `@`, `np.dot`, `np.matmul` become a `matmul` of the IR, `np.outer` an elementwise product."""

from __future__ import annotations

from contextlib import ExitStack

from dfad.frontend.arithmetic import TypeClash, apply, promote
from dfad.frontend.arrays import as_view, in_temporary, nest
from dfad.frontend.builder import cast
from dfad.frontend.elementwise import apply_all, broadcast_shapes, is_stretched, operand_of, require_equal
from dfad.frontend.scope import Context
from dfad.frontend.values import ZERO, Along, Deferred, Indices, Lazy, Scalar, Shape, Value, View, kind_of, renumbered
from dfad.ir.dtype import Dtype
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Expression


def matmul(context: Context, left: Value, right: Value) -> Deferred:
    """``left @ right`` of vectors, matrices and stacks of them."""
    first, second = as_view(context, left), as_view(context, right)
    if not first.shape or not second.shape:
        context.wrong_type(f"@ takes arrays, not {kind_of(first)} and {kind_of(second)}")
    require_equal(context, first.shape[-1], second.shape[max(0, len(second.shape) - 2)])
    try:
        dtype, _ = promote([(first.dtype, False), (second.dtype, False)])
    except TypeClash as clash:
        context.wrong_type(str(clash), hint=clash.hint)
    left_side, left_turned = _operand(context, first, dtype)
    right_side, right_turned = _operand(context, second, dtype)
    stack = broadcast_shapes(context, [first.shape[:-2], second.shape[:-2]])
    shape = (*stack, *first.shape[max(0, len(first.shape) - 2) : -1], *(second.shape[-1:] if len(second.shape) > 1 else ()))
    return _deferred(context, (left_side, right_side), (left_turned, right_turned), stack, shape, dtype)


def _deferred(context: Context, sides: tuple[View, View], turned: tuple[bool, bool], stack: Shape, shape: Shape, dtype: Dtype) -> Deferred:
    def write(target: View, accumulate: bool) -> None:
        with ExitStack() as loops:
            indices, _ = nest(context, stack, loops)
            memlets = tuple(_of_stack(side, stack, indices) for side in sides)
            cells = _at_front(target, indices).subset()
            if cells is None:
                context.unsupported("a product cannot be written to a reversed view", hint="bind it to a name first")
            attributes = {"transpose_a": turned[0], "transpose_b": turned[1]}
            context.builder.library("matmul", memlets, cells, attributes, accumulate)

    return Deferred(shape, dtype, frozenset(side.array.name for side in sides), write)


def _of_stack(side: View, stack: Shape, indices: Indices) -> Memlet:
    """The vector or matrix of a (broadcast) stack at those indices."""
    own = side.shape[:-2]
    broadcast = zip(own, stack[len(stack) - len(own) :], indices[len(stack) - len(own) :], strict=True)
    found = _at_front(side, tuple(ZERO if is_stretched(extent, common) else index for extent, common, index in broadcast)).subset()
    assert found is not None
    return found


def _at_front(view: View, indices: Indices) -> View:
    """The part of a view at those indices on its first axes."""
    count = len(indices)
    fixed = tuple(
        dimension.offset + dimension.stride * indices[dimension.axis]
        if isinstance(dimension, Along) and dimension.axis < count
        else renumbered(dimension, [axis - count for axis in range(len(view.shape))])
        for dimension in view.dimensions
    )
    return View(view.array, fixed, view.shape[count:])


def _operand(context: Context, view: View, dtype: Dtype) -> tuple[View, bool]:
    """The operand as a forward view of its type, and whether it is read transposed."""
    if view.dtype != dtype:
        return _copied(context, view, dtype), False
    if view.subset() is not None and _fills_its_axes(view):
        return view, False
    turned = transposed(view)
    if len(view.shape) == 2 and turned.subset() is not None and _fills_its_axes(turned):
        return turned, True
    return _copied(context, view, dtype), False


def _fills_its_axes(view: View) -> bool:
    return sum(isinstance(dimension, Along) for dimension in view.dimensions) == len(view.shape)


def _copied(context: Context, view: View, dtype: Dtype) -> View:
    lazy = Lazy(view.shape, dtype, lambda indices: cast(view.at(indices), dtype))
    return in_temporary(context, lazy)


def transposed(view: View) -> View:
    """The view with its axes in reverse order."""
    last = len(view.shape) - 1
    turned = tuple(renumbered(dimension, range(last, -1, -1)) for dimension in view.dimensions)
    return View(view.array, turned, view.shape[::-1])


def transpose(context: Context, value: Value) -> Value:
    """``value.T``: a view of a view, a lazy array of a lazy one."""
    match value:
        case View():
            return transposed(value)
        case Scalar():
            return value
        case Lazy():
            return Lazy(value.shape[::-1], value.dtype, lambda indices: value.at(indices[::-1]), value.shares)
        case _:
            return transposed(as_view(context, value))


def dot(context: Context, a: Value, b: Value) -> Value:
    """``np.dot``: a product of numbers, vectors and matrices."""
    left, right = operand_of(context, a), operand_of(context, b)
    if not left.shape or not right.shape:
        return apply_all(context, "mul", left, right)
    if len(right.shape) > 2:
        context.unsupported(f"np.dot takes vectors and matrices on the right, not {kind_of(right)}", hint="write @, or np.einsum")
    return matmul(context, left, right)


def outer(context: Context, a: Value, b: Value) -> Value:
    """``np.outer`` of two vectors."""
    left, right = as_view(context, a), as_view(context, b)
    if len(left.shape) != 1 or len(right.shape) != 1:
        context.wrong_type("np.outer takes two vectors")

    def element(indices: Indices) -> Expression:
        return apply("mul", Scalar(left.at(indices[:1])), Scalar(right.at(indices[1:]))).expression

    dtype, _ = promote([(left.dtype, False), (right.dtype, False)])
    return Lazy((left.shape[0], right.shape[0]), dtype, element)
