"""Stores to arrays: one Loop nest round one Tasklet, evaluated as if the right side were complete before the left is written.

A temporary stands between only when cells really conflict. Let iteration i of the nest write cell g(i) and read cell f(i) of the
same array. With f(i) = g(i + d) for a constant vector d, the cell that i reads is written by iteration i + d: the nest is right in
every order in which i comes before i + d, that is when d is lexicographically >= 0 after turning round some of the loops. Anything
else gets the temporary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import product

import sympy

from dfad.frontend.affine import linear
from dfad.frontend.blocks import Header, OpenBlock
from dfad.frontend.builder import cast
from dfad.frontend.elementwise import Operand, element_at, is_at_most_one, operand_of, require_equal, require_stretched, settle
from dfad.frontend.scope import Context
from dfad.frontend.values import (
    ZERO,
    Deferred,
    Indices,
    Lazy,
    Masked,
    OneOf,
    Scalar,
    Shape,
    Target,
    Tuple,
    Value,
    View,
    kind_of,
    whole,
)
from dfad.ir.dtype import Dtype
from dfad.ir.memlet import Memlet, Range
from dfad.ir.nodes import Expression, Read
from dfad.ir.walk import reads, walk, walk_expression

AXES = "i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7"
"""Base names of the indices of a nest, outermost first."""


def nest(context: Context, shape: Shape, stack: ExitStack) -> tuple[Indices, list[Header]]:
    """Open one loop for each extent other than 1; the `with` statement of the stack closes them."""
    indices, headers = list[sympy.Expr](), list[Header]()
    for base, extent in zip(AXES, shape, strict=False):
        if extent == 1:
            indices.append(ZERO)
            continue
        header = stack.enter_context(context.builder.loop(base, ZERO, extent))
        indices.append(header.index)
        headers.append(header)
    return tuple(indices), headers


def store(context: Context, target: Target, value: Value, accumulate: bool = False) -> None:
    """``target[...] = value`` or, with `accumulate`, ``+=``."""
    if isinstance(value, Tuple):
        rows = context.as_array(context, _with_values_computed(context, value), None)
        if isinstance(target, View) and not accumulate and _takes_rows(context, target, rows.shape):
            rows.write(target, False)
            return
        value = rows
    if isinstance(value, Deferred):
        if _takes_directly(context, target, value, accumulate):
            assert isinstance(target, View)
            value.write(target, accumulate)
            return
        value = operand_of(context, value)
    found = operand_of(context, value)
    if not target.shape:
        if found.shape:
            context.wrong_type(f"{kind_of(found)} cannot be stored in one element")
        element = found if isinstance(found, Scalar) else Scalar(found.at(()))
        context.builder.tasklet(target.memlet(()), cast(element.expression, target.dtype), accumulate)
        return
    if isinstance(found, Scalar):
        found = settle(context, found)
    _check_shapes(context, target, found)
    _store_elements(context, target, found, accumulate)


def _with_values_computed(context: Context, rows: Tuple) -> Tuple:
    """The sequence with its expressions evaluated: they do not see what is stored, as views do."""

    def computed(item: Value) -> Value:
        match item:
            case Tuple():
                return _with_values_computed(context, item)
            case Lazy() | Deferred() if item.shape and not isinstance(item, OneOf):
                return in_temporary(context, item)
            case _:
                return item

    return Tuple(tuple(computed(item) for item in rows.items), rows.is_list)


def _takes_rows(context: Context, target: View, shape: Shape) -> bool:
    """Whether NumPy stores a sequence of that shape row by row, each read when those before it are written."""
    if len(shape) != len(target.shape) or any(extent == 1 and own != 1 for own, extent in zip(target.shape, shape, strict=True)):
        return False
    for own, extent in zip(target.shape, shape, strict=True):
        require_equal(context, own, extent)
    return True


def _takes_directly(context: Context, target: Target, value: Deferred, accumulate: bool) -> bool:
    """Whether a deferred operation may write to the target itself."""
    if value.dtype != target.dtype or len(value.shape) != len(target.shape) or target.subset() is None:
        return False
    if value.reads is None or target.array.name in value.reads:
        return False
    for own, other in zip(target.shape, value.shape, strict=True):
        require_equal(context, own, other)
    return True


def _check_shapes(context: Context, target: Target, value: Operand) -> None:
    shape = value.shape
    while len(shape) > len(target.shape) and shape[0] == 1:
        shape = shape[1:]
    if len(shape) > len(target.shape):
        context.wrong_type(f"{kind_of(value)} does not fit into cells of rank {len(target.shape)}")
    for own, other in zip(target.shape[len(target.shape) - len(shape) :], shape, strict=True):
        if other != 1 and is_at_most_one(other) and not is_at_most_one(own):
            require_stretched(context, other, own)
        elif other != 1:
            require_equal(context, own, other)


def _store_elements(context: Context, target: Target, value: Operand, accumulate: bool) -> None:
    outside = context.builder.block
    with ExitStack() as stack:
        indices, headers = nest(context, target.shape, stack)
        before = len(context.builder.block.body)
        element = cast(element_at(value, _padded(target, value), indices).expression, target.dtype)
        found = [*reads_of(element), *reads_since(context.builder.block, before)]
        write = target.memlet(indices)
        turns = turns_of(write, [header.index for header in headers], found)
        held = None
        if turns is None:
            held = context.builder.temporary("tmp", target.dtype, target.shape, outside)
            context.builder.tasklet(held.memlet(indices), element)
        else:
            for header, turned in zip(headers, turns, strict=True):
                if turned:
                    header.turn()
            context.builder.tasklet(write, element, accumulate)
    if held is not None:
        _store_elements(context, target, held, accumulate)


def _padded(target: Target, value: Operand) -> Shape:
    """The shape that the value is broadcast to: the target's, with the leading ones that the value has beyond it."""
    return (
        target.shape
        if len(value.shape) <= len(target.shape)
        else (sympy.Integer(1),) * (len(value.shape) - len(target.shape)) + target.shape
    )


def reads_of(expression: Expression) -> Iterator[Memlet]:
    """What an expression reads."""
    return (part.memlet for part in walk_expression(expression) if isinstance(part, Read))


def reads_since(block: OpenBlock, position: int) -> Iterator[Memlet]:
    """What the statements of a block from a position on read: temporaries that the element is made of."""
    for node in block.body[position:]:
        for part in walk(node):
            yield from reads(part)


def turns_of(write: Memlet, indices: Sequence[sympy.Symbol], read: Sequence[Memlet]) -> tuple[bool, ...] | None:
    """Which loops to turn round so that no iteration reads what an earlier one wrote; None when no choice is proven right."""
    distances = list[tuple[int, ...]]()
    for memlet in read:
        if memlet.array == write.array:
            distance = _distance(write, memlet, indices)
            if distance is None:
                return None
            distances.extend(distance)
    for turns in product((False, True), repeat=len(indices)):
        if all(_comes_later(distance, turns) for distance in distances):
            return turns
    return None


def _comes_later(distance: Sequence[int], turns: Sequence[bool]) -> bool:
    """Whether the distance is lexicographically >= 0 in the order of the (turned) loops."""
    ordered = (-step if turned else step for step, turned in zip(distance, turns, strict=True))
    return next((step for step in ordered if step != 0), 0) >= 0


def _distance(write: Memlet, read: Memlet, indices: Sequence[sympy.Symbol]) -> list[tuple[int, ...]] | None:
    """The d with read(i) = write(i + d): none when the cells are never the same, one, or None when it is not a constant."""
    found: dict[sympy.Symbol, int] = {}
    for ours, theirs in zip(write.subset, read.subset, strict=True):
        if isinstance(ours, Range) or isinstance(theirs, Range):
            return None
        form, difference = linear(sympy.expand(ours)), sympy.expand(theirs - ours)
        if not difference.is_Integer or form is None:
            return None
        here = [(index, form.coefficient(index)) for index in indices if form.coefficient(index)]
        if len(here) > 1 or any(atom.free_symbols & set(indices) for atom, _ in form.terms if atom not in indices):
            return None
        if not here:
            if difference != 0:
                return []
            continue
        index, stride = here[0]
        if difference % stride:
            return []
        step = int(difference) // stride
        if found.setdefault(index, step) != step:
            return []
    if len(found) < len(indices):
        return None
    return [tuple(found[index] for index in indices)]


# ---------------------------------------------------------------- new arrays


def materialise(context: Context, value: Value, name: str, block: OpenBlock | None = None) -> View:
    """A fresh array of that base name that holds the value."""
    if isinstance(value, Scalar):
        context.wrong_type("an array is needed here, and this is a number")
    found = value if isinstance(value, Deferred) else operand_of(context, value)
    shape = tuple(context.builder.natural(extent) for extent in found.shape)
    view = whole(context.builder.declare(context.builder.name(name), found.dtype, shape, block))
    store(context, view, found)
    return view


def in_temporary(context: Context, value: Value) -> View:
    """A temporary array that holds the value."""
    return materialise(context, value, context.builder.unused("tmp"))


def as_view(context: Context, value: Value) -> View:
    """The value as cells of an array: itself, or a temporary that holds it."""
    match value:
        case View():
            return value
        case Lazy() | Deferred():
            return in_temporary(context, value)
        case Masked():
            return context.side_by_side(context, value)
        case Tuple():
            return in_temporary(context, context.as_array(context, value, None))
        case _:
            context.wrong_type(f"an array is needed here, and this is {kind_of(value)}")


def filled(shape: Shape, value: Scalar, dtype: Dtype) -> Lazy:
    """An array of one number."""
    expression = cast(value.expression, dtype)
    return Lazy(shape, dtype, lambda indices: expression)
