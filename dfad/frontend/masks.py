"""Boolean masks as indices: `x[mask]` and `x[mask] = value`.

How many elements a mask lets through is known only when the kernel runs. So `x[mask]` stays spread out over the shape of x: elementwise
functions, sums and assignments under the same mask need no more, each element being a branch on the mask. What needs the elements side by
side gets an array of them (packing.py).
"""

from __future__ import annotations

from contextlib import ExitStack

import sympy

from dfad.frontend.arithmetic import apply
from dfad.frontend.arrays import in_temporary, nest, reads_of, reads_since, store, turns_of
from dfad.frontend.blocks import OpenBlock
from dfad.frontend.builder import cast, constant
from dfad.frontend.elementwise import apply_all, have_one_mask, is_at_most_one, is_stretched, number_of, require_equal, settle
from dfad.frontend.scope import Context
from dfad.frontend.values import (
    ONE,
    ZERO,
    Deferred,
    Indices,
    Lazy,
    Masked,
    MaskedCells,
    Scalar,
    Value,
    View,
    element,
    integer,
    kind_of,
    whole,
)
from dfad.ir.dtype import F32, F64, I64, Dtype
from dfad.ir.nodes import Expression, Read


def masked_part(context: Context, owner: View | Lazy, mask: View | Lazy) -> Masked:
    """``owner[mask]``: the mask stands for the first axes of the owner."""
    _check_mask(context, owner, mask)
    return Masked(mask, owner.shape, owner.dtype, owner.at)


def masked_cells(context: Context, owner: View, mask: View | Lazy) -> MaskedCells:
    """The cells that ``owner[mask] = ...`` writes."""
    _check_mask(context, owner, mask)
    return MaskedCells(owner, mask)


def _check_mask(context: Context, owner: View | Lazy, mask: View | Lazy) -> None:
    if len(mask.shape) > len(owner.shape):
        context.wrong_type(f"a mask of rank {len(mask.shape)} does not fit {kind_of(owner)}")
    for own, other in zip(owner.shape, mask.shape, strict=False):
        require_equal(context, own, other)


def lets_through(mask: View | Lazy, indices: Indices) -> Expression:
    """Whether the mask is true where the indices of the owner lie."""
    return mask.at(indices[: len(mask.shape)])


# ---------------------------------------------------------------- stores


def is_spread(context: Context, cells: MaskedCells, value: Value) -> bool:
    """Whether the value is a number, or elements that stand where the cells are: under the same mask."""
    if isinstance(value, Masked):
        return have_one_mask(context, cells.mask, value.mask) and len(value.shape) == len(cells.owner.shape)
    return isinstance(value, Scalar) or (isinstance(value, View | Lazy | Deferred) and not value.shape)


def store_masked(context: Context, cells: MaskedCells, value: Value) -> None:
    """``owner[mask] = value``: a number, or elements under the same mask."""
    if isinstance(value, Masked):
        _store(context, cells, _fitted(context, cells, value))
    else:
        number = settle(context, number_of(context, value))
        _store(context, cells, Masked(cells.mask, cells.owner.shape, number.dtype, lambda indices: number.expression))


def _fitted(context: Context, cells: MaskedCells, value: Masked) -> Masked:
    """The elements broadcast to the cells along the axes that the mask does not stand for."""
    first, shape = len(cells.mask.shape), cells.owner.shape
    if shape[first:] == value.shape[first:]:
        return value
    for own, other in zip(shape[first:], value.shape[first:], strict=True):
        if other != 1:
            require_equal(context, ONE if is_at_most_one(other) and not is_at_most_one(own) else own, other)

    def element(indices: Indices) -> Expression:
        pairs = zip(indices[first:], value.shape[first:], shape[first:], strict=True)
        return value.at((*indices[:first], *(ZERO if is_stretched(extent, common) else index for index, extent, common in pairs)))

    return Masked(value.mask, shape, value.dtype, element)


def _store(context: Context, cells: MaskedCells, value: Masked) -> None:
    """One branch for each element; what is read is kept first where an earlier element's write would change it."""
    with ExitStack() as stack:
        indices, headers = nest(context, cells.owner.shape, stack)
        before = len(context.builder.block.body)
        guard = lets_through(cells.mask, indices)
        write = cells.owner.memlet(indices)
        with context.builder.nested() as then:
            expression = cast(value.at(indices), cells.owner.dtype)
            read = [*reads_of(guard), *reads_of(expression), *reads_since(context.builder.block, 0)]
            context.builder.tasklet(write, expression)
        turns = turns_of(write, [header.index for header in headers], [*read, *reads_since(context.builder.block, before)])
        if turns is not None:
            for header, turned in zip(headers, turns, strict=True):
                if turned:
                    header.turn()
            _branch(context, guard, then)
    if turns is None:
        kept = keep_masked(context, value)
        _store(context, MaskedCells(cells.owner, kept.mask), kept)


def _branch(context: Context, guard: Expression, then: OpenBlock) -> None:
    with context.builder.nested() as orelse:
        pass
    context.builder.branch(guard, then, orelse)


def keep_masked(context: Context, value: Masked) -> Masked:
    """The elements as they are now, in arrays of their own."""
    mask = in_temporary(context, Lazy(value.mask.shape, value.mask.dtype, value.mask.at))
    held = context.builder.temporary("tmp", value.dtype, value.shape)
    with ExitStack() as stack:
        indices, _ = nest(context, value.shape, stack)
        guard = lets_through(mask, indices)
        with context.builder.nested() as then:
            context.builder.tasklet(held.memlet(indices), value.at(indices))
        _branch(context, guard, then)
    return Masked(mask, value.shape, value.dtype, held.at)


def masked_content(cells: MaskedCells) -> Masked:
    """What the cells hold."""
    return Masked(cells.mask, cells.owner.shape, cells.owner.dtype, cells.owner.at)


# ---------------------------------------------------------------- reductions


def masked_sum(context: Context, value: Masked) -> Deferred:
    """The sum of the elements that the mask lets through."""
    return _folded(context, value, "add", 0)


def masked_product(context: Context, value: Masked) -> Deferred:
    """Their product."""
    return _folded(context, value, "mul", 1)


def masked_count(context: Context, value: Masked) -> Scalar:
    """How many there are."""
    ones = Masked(value.mask, value.shape, I64, lambda indices: constant(1, I64))
    counted = context.builder.declare(context.builder.name(context.builder.unused("count")), I64)
    masked_sum(context, ones).write(whole(counted), False)
    return element(counted, weak=True)


def masked_mean(context: Context, value: Masked) -> Value:
    """Their mean."""
    return apply_all(context, "div", masked_sum(context, value), masked_count(context, value))


def _folded(context: Context, value: Masked, operation: str, start: int) -> Deferred:
    dtype = I64 if value.dtype.kind in "bi" else value.dtype

    def write(target: View, accumulate: bool) -> None:
        wide = F64 if dtype == F32 else dtype
        if accumulate or target.dtype != wide:
            held = context.builder.temporary("tmp", wide, ())
            _fold(context, held, value, operation, start, wide)
            store(context, target, Scalar(held.at(())), accumulate)
        else:
            _fold(context, target, value, operation, start, wide)

    return Deferred((), dtype, None, write)


def _fold(context: Context, target: View, value: Masked, operation: str, start: int, dtype: Dtype) -> None:
    cell = target.memlet(())
    context.builder.tasklet(cell, constant(start, dtype))
    with ExitStack() as stack:
        indices, _ = nest(context, value.shape, stack)
        guard = lets_through(value.mask, indices)
        with context.builder.nested() as then:
            expression = cast(value.at(indices), dtype)
            if operation == "add":
                context.builder.tasklet(cell, expression, accumulate=True, reassociable=dtype.is_float)
            else:
                context.builder.tasklet(cell, apply(operation, Scalar(Read(cell, dtype)), Scalar(expression)).expression)
        _branch(context, guard, then)


def masked_shape(context: Context, value: Masked) -> tuple[Scalar, ...]:
    """The shape of what the mask lets through."""
    rest = (integer(sympy.sympify(extent)) for extent in value.shape[len(value.mask.shape) :])
    return (masked_count(context, Masked(value.mask, value.mask.shape, value.dtype, value.at)), *rest)
