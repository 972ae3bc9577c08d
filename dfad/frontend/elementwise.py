"""Elementwise operations on arrays and numbers, with NumPy's broadcasting.

In: values. Out: a number, or a `Lazy` array whose element is the operation on the operands' elements. Numbers that cost something, and
operations that wait for a place, are computed once, here, before the array that uses them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

import sympy

from dfad.frontend import bounds
from dfad.frontend.affine import linear
from dfad.frontend.arithmetic import TypeClash, apply, divide_by_positive, promote, select
from dfad.frontend.builder import without_floor
from dfad.frontend.scope import Context
from dfad.frontend.values import ONE, ZERO, Deferred, Indices, Lazy, Masked, Scalar, Shape, Tuple, Value, View, element, kind_of
from dfad.frontend.written import operation_of, origin_of
from dfad.ir.dtype import Dtype
from dfad.ir.memlet import Memlet, symbol
from dfad.ir.nodes import Constant, Expression, Integer, Read

Operand = Scalar | View | Lazy


def operand_of(context: Context, value: Value) -> Operand:
    """The value as an operand: a deferred operation gets its place now."""
    match value:
        case Scalar() | View() | Lazy():
            return value
        case Deferred():
            return place(context, value)
        case Masked():
            return context.side_by_side(context, value)
        case Tuple():
            return place(context, context.as_array(context, value, None))
        case _:
            context.wrong_type(f"{origin_of(context, value)} neither a number nor an array")


def number_of(context: Context, value: Value) -> Scalar:
    """The value as a number; arrays are refused."""
    found = operand_of(context, value)
    if isinstance(found, Scalar):
        return found
    if not found.shape:
        return Scalar(found.at(()))
    context.wrong_type(f"a number is needed here, and this is {kind_of(found)}", hint="take an element, or np.sum of it")


def place(context: Context, value: Deferred) -> Scalar | View:
    """Let a deferred operation write to a temporary."""
    target = context.builder.temporary("tmp", value.dtype, value.shape)
    value.write(target, False)
    return target if value.shape else element(target.array, value.weak)


def settle(context: Context, value: Scalar) -> Scalar:
    """The number as something that costs nothing to read again and that no later write of an array changes."""
    match value.expression:
        case Constant() | Integer():
            return value
        case Read(memlet) if not memlet.subset:
            return value
        case _:
            return pin(context, value)


def pin(context: Context, value: Scalar) -> Scalar:
    """The number, computed now: a temporary scalar, or a symbol for an integer."""
    if value.dtype.kind == "i" and value.dtype.bytes == 8:
        return Scalar(Integer(context.builder.pin_integer(value)), value.weak)
    target = context.builder.hold(context.builder.unused("tmp"), value.expression)
    return element(target, value.weak)


def broadcast_shapes(context: Context, shapes: Sequence[Shape]) -> Shape:
    """The common shape; extents that only the running program can compare are checked there."""
    rank = max(len(shape) for shape in shapes)
    padded = [(ONE,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(_common_extent(context, extents) for extents in zip(*padded, strict=True))


def _common_extent(context: Context, extents: Sequence[sympy.Expr]) -> sympy.Expr:
    others = [extent for extent in extents if extent != 1]
    if len(set(others)) > 1:
        stretched = [extent for extent in others if is_at_most_one(extent)]
        others = [extent for extent in others if not is_at_most_one(extent)]
        if not others:
            return context.builder.natural(sympy.Min(*(context.builder.natural(extent) for extent in stretched)))
        for extent in stretched:
            require_stretched(context, extent, others[0])
    if not others:
        return ONE
    for extent in others[1:]:
        require_equal(context, others[0], extent)
    return others[0]


def is_at_most_one(extent: sympy.Expr) -> bool:
    """Whether an extent is that of a clipped slice of one element, like ``0:1`` or ``k:k+1``; where it meets another, it must be 1."""
    if isinstance(extent, sympy.Max):
        return all((part.is_Integer and part <= 1) or is_at_most_one(part) for part in extent.args)
    return not extent.is_Integer and any(bound.is_Integer and bound <= 1 for bound in _bounds_above(extent))


def _bounds_above(extent: sympy.Expr) -> Iterator[sympy.Expr]:
    """Expressions that the extent does not exceed: with one of its parts in place of each minimum that is added."""
    form = linear(sympy.expand(extent))
    if form is None:
        return
    terms = [
        [factor * part for part in (atom.args if isinstance(atom, sympy.Min) and factor > 0 else (atom,))] for atom, factor in form.terms
    ]
    for parts in product(*terms):
        yield sympy.expand(sympy.Add(form.constant, *parts))


def require_equal(context: Context, first: sympy.Expr, second: sympy.Expr) -> None:
    """Make sure that two extents are equal."""
    first, second = (sympy.Integer(0) if extent.is_Integer and extent < 0 else without_floor(extent) for extent in (first, second))
    if first == second or context.builder.are_equal(first, second):
        return
    if (first - second).is_Integer and not context.builder.proves(-first) and not context.builder.proves(-second):
        context.wrong_type(f"the shapes do not fit{operation_of(context)}: extents {first} and {second}")
    bounds.require_equal(context.builder, first, second, "index", f"the shapes do not fit{operation_of(context)}: extents {{0}} and {{1}}")


def require_one_shape(context: Context, variable: str, what: str, first: Shape, second: Shape) -> None:
    """Make sure that two shapes of one rank are equal: of what a variable, with the path of its frame, may mean, ``what`` in a message.

    Where the arguments alone decide, and they differ, the call begins again with code that lets them (`Learned.resized`).
    """
    for own, other in zip(first, second, strict=True):
        if own.is_Integer and other.is_Integer:
            require_equal(context, own, other)
        elif own != other and not context.builder.are_equal(own, other):
            by_arguments = own.free_symbols | other.free_symbols <= context.builder.entry
            message = f"{what} of different extents, {{0}} and {{1}}; give one of them another name"
            told = assumed(context, variable) if by_arguments else None
            bounds.require_assumed(context.builder, without_floor(own), without_floor(other), told, message)


def assumed(context: Context, variable: str) -> str | None:
    """The variable, where code without the assumption that what it means has one shape is still to be tried."""
    return None if variable in context.learned.resized else variable


def require_stretched(context: Context, extent: sympy.Expr, common: sympy.Expr) -> None:
    """Make sure that an extent of at most one fits the other, as NumPy broadcasts it."""
    message = f"the shapes do not fit{operation_of(context)}: extents {{0}} and {{1}}"
    bounds.require_stretched(context.builder, extent, common, "index", message)


def have_other_extents(context: Context, first: Shape, second: Shape) -> bool:
    """Whether shapes of one rank differ in general: an extent is another expression of the same integers, or only one is a constant, or
    they certainly differ by what is known."""
    return any(_differ(context, _unclamped(own), _unclamped(other)) for own, other in zip(first, second, strict=True))


def _differ(context: Context, first: sympy.Expr, second: sympy.Expr) -> bool:
    is_related = first.free_symbols == second.free_symbols or not first.free_symbols or not second.free_symbols
    if is_related:
        return bool(sympy.expand(first - second) != 0)
    return context.builder.proves(first - second - 1) or context.builder.proves(second - first - 1)


def _unclamped(extent: sympy.Expr) -> sympy.Expr:
    match extent:
        case sympy.Max(args=(zero, other)) if zero == 0:
            return other
        case _:
            return extent


def element_at(value: Operand, shape: Shape, indices: Indices) -> Scalar:
    """The element of a value that was broadcast to a shape."""
    if isinstance(value, Scalar):
        return value
    missing = len(shape) - len(value.shape)
    own = zip(value.shape, shape[missing:], indices[missing:], strict=True)
    picked = tuple(ZERO if is_stretched(extent, common) else index for extent, common, index in own)
    return Scalar(value.at(picked))


def is_stretched(extent: sympy.Expr, common: sympy.Expr) -> bool:
    """Whether the one element on an axis stands for all of the common extent."""
    return bool(extent == 1 or (extent != common and is_at_most_one(extent)))


def lift(context: Context, operation: Callable[..., Scalar], operands: Sequence[Value]) -> Scalar | Lazy | Masked:
    """The operation on numbers done elementwise on what may be arrays; all numbers give a number."""
    if any(isinstance(operand, Masked) for operand in operands):
        found = _lift_masked(context, operation, operands)
        if found is not None:
            return found
    values = [operand_of(context, operand) for operand in operands]
    if all(isinstance(value, Scalar) for value in values):
        return typed(context, operation, *values)
    values = [settle(context, value) if isinstance(value, Scalar) else value for value in values]
    shape = broadcast_shapes(context, [value.shape for value in values])
    sample = typed(context, operation, *(value if isinstance(value, Scalar) else _some_element(value) for value in values))
    return Lazy(shape, sample.dtype, lambda indices: operation(*(element_at(value, shape, indices) for value in values)).expression)


def _lift_masked(context: Context, operation: Callable[..., Scalar], operands: Sequence[Value]) -> Masked | None:
    """The operation on the elements that one mask lets through, in their places; None where they meet others than these and numbers."""
    first = next(operand for operand in operands if isinstance(operand, Masked))
    if not all(_is_under(context, first, operand) for operand in operands):
        return None
    values = [operand if isinstance(operand, Masked) else settle(context, number_of(context, operand)) for operand in operands]
    for operand in values:
        if isinstance(operand, Masked):
            for own, other in zip(first.shape, operand.shape, strict=True):
                require_equal(context, own, other)
    sample = typed(context, operation, *(value if isinstance(value, Scalar) else _some_element(value) for value in values))

    def element(indices: Indices) -> Expression:
        return operation(*(value if isinstance(value, Scalar) else Scalar(value.at(indices)) for value in values)).expression

    return Masked(first.mask, first.shape, sample.dtype, element)


def _is_under(context: Context, first: Masked, operand: Value) -> bool:
    """Whether the operand is a number, or under the same mask."""
    match operand:
        case Masked():
            return len(operand.shape) == len(first.shape) and have_one_mask(context, first.mask, operand.mask)
        case View() | Lazy() | Deferred():
            return not operand.shape
        case _:
            return True


def have_one_mask(context: Context, first: View | Lazy, second: View | Lazy) -> bool:
    """Whether two masks are the same cells, or the same expression of them."""
    if first is second or first == second:
        return True
    if first.shape != second.shape:
        return False
    probe = tuple(symbol(f"probe{axis}") for axis in range(len(first.shape)))
    with context.builder.nested():
        return first.at(probe) == second.at(probe)


def _some_element(value: View | Lazy | Masked) -> Scalar:
    """A stand-in for an element, where only types matter: nothing is computed."""
    return Scalar(Read(Memlet(""), value.dtype))


def typed(context: Context, operation: Callable[..., Scalar], *operands: Operand) -> Scalar:
    """The operation; a clash of types is the user's, at the present place."""
    try:
        return operation(*operands)
    except TypeClash as clash:
        context.wrong_type(str(clash), hint=clash.hint)


def apply_all(context: Context, operation: str, *operands: Value) -> Scalar | Lazy | Masked:
    """An operation of the IR's table, elementwise."""
    if operation == "pow" and isinstance(operands[1], Scalar) and not isinstance(operands[0], Scalar):
        return _array_power(context, operands[0], operands[1])
    if operation == "pow" and isinstance(operands[0], Scalar) and isinstance(operands[1], Scalar) and operands[1].constant == 2:
        return typed(context, lambda base, power: apply("pow", base, power), settle(context, operands[0]), operands[1])
    if operation in ("mod", "floordiv"):
        found = _symbolic_quotient(context, operation, *operands)
        if found is not None:
            return found
    return lift(context, lambda *values: apply(operation, *values), operands)


def _symbolic_quotient(context: Context, operation: str, numerator: Value, denominator: Value) -> Scalar | None:
    """``//`` and ``%`` by an integer that is proven positive stay symbolic."""
    if not isinstance(numerator, Scalar) or not isinstance(denominator, Scalar) or denominator.integer is None:
        return None
    return divide_by_positive(operation, numerator, denominator) if context.builder.proves(denominator.integer - 1) else None


def _array_power(context: Context, base: Value, exponent: Scalar) -> Scalar | Lazy | Masked:
    """NumPy's short cuts for powers of arrays: 0.5 is a square root, 2 a product."""
    match exponent.constant:
        case 0.5:
            return apply_all(context, "sqrt", base)
        case 2:
            return lift(context, lambda value: _square(context, value), (base,))
        case _:
            return lift(context, lambda value, power: apply("pow", value, power), (base, exponent))


def _square(context: Context, value: Scalar) -> Scalar:
    """x*x with x computed once."""
    once = settle_element(context, value)
    return apply("mul", once, once)


def settle_element(context: Context, value: Scalar) -> Scalar:
    """An element as something that costs nothing to read twice in one statement."""
    return value if isinstance(value.expression, Constant | Integer | Read) else pin(context, value)


def where(context: Context, condition: Value, chosen: Value, other: Value) -> Scalar | Lazy | Masked:
    """``np.where``: a choice per element."""
    return lift(context, select, (condition, chosen, other))


def common_dtype(context: Context, values: Sequence[Operand | Deferred]) -> tuple[Dtype, bool]:
    """The type that several values take together, and whether it is weak."""
    return joined_type(context, [(value.dtype, isinstance(value, Scalar) and value.weak) for value in values])


def joined_type(context: Context, types: Sequence[tuple[Dtype, bool]]) -> tuple[Dtype, bool]:
    """The same for types, each with whether it is weak."""
    try:
        return promote(types)
    except TypeClash as clash:
        context.wrong_type(str(clash), hint=clash.hint)
