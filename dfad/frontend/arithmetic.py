"""Operations on numbers and elements: result types as NumPy 2 gives them, integers kept symbolic, constants folded.

In: an operation and expressions with their weakness. Out: a `Scalar`. Nothing is emitted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import and_, or_, xor

import numpy as np
import sympy

from dfad.frontend.builder import cast, constant
from dfad.frontend.values import Scalar
from dfad.ir.dtype import BOOL, F64, I64, SUPPORTED, Dtype
from dfad.ir.nodes import Apply, Constant, Expression, Integer, Select
from dfad.ir.operations import OPERATIONS

FLOATING = frozenset(
    {
        "div", "sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "arcsin", "arccos", "arctan",
        "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "erf", "erfc", "arctan2", "hypot", "floor", "ceil", "rint", "trunc",
        "gamma", "lgamma", "copysign", "nextafter",
    }
)  # fmt: skip
"""Operations whose result is a float also for integers (as NumPy's; `floor` and its like of floats only)."""

ROUNDING = frozenset({"floor", "ceil", "trunc"})
"""Operations that leave integers as they are."""

NUMERIC = frozenset({"sub", "neg", "pow", "floordiv", "mod", "fmod", "sign", "left_shift", "right_shift"})
"""Operations that NumPy has not on booleans, or answers with a type that dfad has not."""

OF_BOOLEANS = {"add": "or", "mul": "and", "maximum": "or", "minimum": "and"}
"""What arithmetic of NumPy's booleans means."""

COMPARED: dict[str, Callable[[sympy.Expr], bool]] = {
    "lt": lambda difference: difference < 0,
    "le": lambda difference: difference <= 0,
    "gt": lambda difference: difference > 0,
    "ge": lambda difference: difference >= 0,
    "eq": lambda difference: difference == 0,
    "ne": lambda difference: difference != 0,
}

SIGNS = {"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "left_shift": "<<", "right_shift": ">>", "invert": "~"}

BITWISE_HINTS = {
    "bitwise_and": "join conditions with and; convert with int(...)",
    "bitwise_or": "join conditions with or; convert with int(...)",
    "bitwise_xor": "use ** for a power",
    "left_shift": "multiply by a power of 2",
    "right_shift": "divide by a power of 2",
}

MOST_BITS = 62
"""A shift by fewer bits is a product with, or a quotient by, a power of 2 that an int64 holds."""

_WEAK_SAMPLES: dict[str, float] = {"f": 1.0, "i": 1, "b": True}


class TypeClash(Exception):
    """Two types do not meet, or the result has no type that dfad knows; `hint`: what to write instead."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def promote(values: Sequence[tuple[Dtype, bool]]) -> tuple[Dtype, bool]:
    """The common type of (dtype, weak) pairs; weak only when all are."""
    if all(pair == values[0] for pair in values):
        return values[0]
    weak = all(is_weak for _, is_weak in values)
    samples = [_WEAK_SAMPLES[dtype.kind] if is_weak else dtype.numpy for dtype, is_weak in values]
    if weak:
        kinds = {dtype.kind for dtype, _ in values}
        return (F64 if "f" in kinds else I64), True
    found = np.result_type(*samples).name
    if found not in SUPPORTED:
        raise TypeClash(f"{' and '.join(dtype.name for dtype, _ in values)} give {found}, which is not supported")
    return SUPPORTED[found], False


def result_dtype(operation: str, operands: Sequence[tuple[Dtype, bool]]) -> tuple[Dtype, bool]:
    """The type in which an operation computes."""
    dtype, weak = promote(operands)
    if operation in FLOATING and operation not in ROUNDING and not dtype.is_float:
        return F64, weak
    if dtype == BOOL and operation in NUMERIC:
        if not weak:
            raise TypeClash(f"{operation} of booleans is not supported")
        return I64, weak
    return dtype, weak


def apply(operation: str, *operands: Scalar) -> Scalar:
    """The operation on numbers, as NumPy does it on scalars of these types.

    Raises
    ------
    TypeClash
        When NumPy, or dfad, has no such operation on these types.
    """
    kind = OPERATIONS[operation].kind
    if kind == "logical":
        return _logical(operation, operands)
    if kind == "comparison":
        return _compare(operation, operands)
    if kind == "bitwise" and operation not in NUMERIC and all(operand.dtype == BOOL for operand in operands):
        return _bitwise_of_booleans(operation, operands)
    folded = _symbolic(operation, operands)
    if folded is not None:
        return folded
    dtype, weak = result_dtype(operation, [(operand.dtype, operand.weak) for operand in operands])
    if kind == "bitwise" and dtype.is_float:
        raise TypeClash(f"{SIGNS[operation]} takes integers and booleans", BITWISE_HINTS.get(operation))
    if operation in ROUNDING and not dtype.is_float:
        return operands[0]
    if dtype == BOOL:
        if weak and operation != "abs":
            dtype = I64
        elif operation in OF_BOOLEANS:
            return _logical(OF_BOOLEANS[operation], operands)
    if operation == "pow":
        return _power(operands[0], operands[1], dtype, weak)
    return Scalar(_applied(operation, [operand.expression for operand in operands], dtype), weak)


def _applied(operation: str, operands: Sequence[Expression], dtype: Dtype) -> Expression:
    converted = tuple(cast(operand, dtype) for operand in operands)
    if dtype.is_float and all(isinstance(operand, Constant) for operand in converted):
        with np.errstate(all="ignore"):
            values = [dtype.numpy.type(operand.value) for operand in converted if isinstance(operand, Constant)]
            return constant(float(OPERATIONS[operation].meaning(*values)), dtype)
    return Apply(operation, converted, dtype)


def _power(base: Scalar, exponent: Scalar, dtype: Dtype, weak: bool) -> Scalar:
    """``x**1`` is x, ``x**2`` is x*x where x is not computed twice for it; other powers stay."""
    match exponent.constant:
        case int() | float() if exponent.constant == 1:
            return Scalar(cast(base.expression, dtype), weak)
        case int() | float() if exponent.constant == 2 and not isinstance(base.expression, Apply | Select):
            return Scalar(_applied("mul", [base.expression, base.expression], dtype), weak)
        case _:
            return Scalar(_applied("pow", [base.expression, exponent.expression], dtype), weak)


def _compare(operation: str, operands: Sequence[Scalar]) -> Scalar:
    if len(operands) == 1:
        return Scalar(Apply(operation, (operands[0].expression,), BOOL))
    first, second = operands
    if first.integer is not None and second.integer is not None and (first.integer - second.integer).is_Integer:
        return Scalar(Constant(bool(COMPARED[operation](first.integer - second.integer)), BOOL), weak=True)
    if first.constant is not None and second.constant is not None:
        known = bool(OPERATIONS[operation].meaning(first.constant, second.constant))
        return Scalar(Constant(known, BOOL), weak=True)
    dtype, weak = promote([(first.dtype, first.weak), (second.dtype, second.weak)])
    return Scalar(Apply(operation, (cast(first.expression, dtype), cast(second.expression, dtype)), BOOL), weak)


def truth(value: Scalar) -> Scalar:
    """Whether the number is not 0."""
    if value.dtype == BOOL:
        return value
    zero = Scalar(constant(0, value.dtype), value.weak)
    return apply("ne", value, zero)


def _logical(operation: str, operands: Sequence[Scalar]) -> Scalar:
    values = [truth(operand) for operand in operands]
    known = [value.constant for value in values]
    match operation:
        case "not" if known[0] is not None:
            return Scalar(Constant(not known[0], BOOL), weak=True)
        case "and" | "or" if any(value is not None for value in known):
            decides = operation == "or"
            if any(value is not None and bool(value) == decides for value in known):
                return Scalar(Constant(decides, BOOL), weak=True)
            return next((value for value, constant in zip(values, known, strict=True) if constant is None), values[0])
        case _:
            weak = operation == "not" or all(value.weak for value in values)  # `not` gives a bool of Python's, whose + counts
            return Scalar(Apply(operation, tuple(value.expression for value in values), BOOL), weak)


def _bitwise_of_booleans(operation: str, operands: Sequence[Scalar]) -> Scalar:
    weak = all(operand.weak for operand in operands)
    match operation:
        case "bitwise_xor":
            found = _compare("ne", operands)
        case "invert":
            found = _logical("not", operands)
        case _:
            found = _logical("and" if operation == "bitwise_and" else "or", operands)
    return Scalar(found.expression, weak)


def _bits(operation: Callable[[int, int], int]) -> Callable[[sympy.Expr, sympy.Expr], sympy.Expr | None]:
    """The operation where both numbers are known."""
    return lambda a, b: sympy.Integer(operation(int(a), int(b))) if a.is_Integer and b.is_Integer else None


def _low_bits(value: sympy.Expr, mask: sympy.Expr) -> sympy.Expr | None:
    """``value & mask``: with a mask of the lowest bits, the remainder of a division by a power of 2."""
    if value.is_Integer and not mask.is_Integer:
        value, mask = mask, value
    if mask.is_Integer and mask > 0 and mask & (mask + 1) == 0:
        return sympy.Mod(value, mask + 1)
    return _bits(and_)(value, mask)


def _is_shift(bits: sympy.Expr) -> bool:
    return bool(bits.is_Integer and 0 <= bits < MOST_BITS)


_SYMBOLIC: dict[str, Callable[..., sympy.Expr | None]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: sympy.expand(a * b),
    "neg": lambda a: -a,
    "floordiv": lambda a, b: sympy.floor(a / b) if b.is_Integer and b > 0 else None,
    "mod": lambda a, b: sympy.Mod(a, b) if b.is_Integer and b > 0 else None,
    "pow": lambda a, b: sympy.expand(a**b) if (b.is_Integer and 0 <= b <= 4) or (a.is_Integer and b.is_Integer and b >= 0) else None,
    "python_max": lambda a, b: sympy.Max(a, b),
    "python_min": lambda a, b: sympy.Min(a, b),
    "maximum": lambda a, b: sympy.Max(a, b),
    "minimum": lambda a, b: sympy.Min(a, b),
    "abs": lambda a: abs(a) if a.is_Integer else sympy.Max(a, -a),
    "sign": lambda a: sympy.sign(a) if a.is_Integer else None,
    "floor": lambda a: a,
    "ceil": lambda a: a,
    "rint": lambda a: a,
    "trunc": lambda a: a,
    "bitwise_and": _low_bits,
    "bitwise_or": _bits(or_),
    "bitwise_xor": _bits(xor),
    "left_shift": lambda a, b: sympy.expand(a * 2**b) if _is_shift(b) else None,
    "right_shift": lambda a, b: sympy.floor(a / 2**b) if _is_shift(b) else None,
    "invert": lambda a: -a - 1,
}


def _symbolic(operation: str, operands: Sequence[Scalar]) -> Scalar | None:
    """Integer arithmetic on symbols; None where the operation or an operand has no symbolic form."""
    rule = _SYMBOLIC.get(operation)
    values = [operand.integer for operand in operands]
    if rule is None or any(value is None for value in values):
        return None
    found = rule(*values)
    return None if found is None else Scalar(Integer(found), all(operand.weak for operand in operands))


def divide_by_positive(operation: str, numerator: Scalar, denominator: Scalar) -> Scalar | None:
    """``//`` or ``%`` of symbolic integers, the denominator known to be positive; None for other numbers."""
    if numerator.integer is None or denominator.integer is None:
        return None
    found = sympy.Mod if operation == "mod" else _floor_of_quotient
    return Scalar(Integer(found(numerator.integer, denominator.integer)), numerator.weak and denominator.weak)


def _floor_of_quotient(numerator: sympy.Expr, denominator: sympy.Expr) -> sympy.Expr:
    return sympy.floor(numerator / denominator)


def select(condition: Scalar, chosen: Scalar, other: Scalar) -> Scalar:
    """``chosen if condition else other``; only the chosen side counts."""
    known = truth(condition)
    if known.constant is not None:
        return chosen if known.constant else other
    dtype, weak = promote([(chosen.dtype, chosen.weak), (other.dtype, other.weak)])
    return Scalar(Select(known.expression, cast(chosen.expression, dtype), cast(other.expression, dtype), dtype), weak)


def convert(value: Scalar, dtype: Dtype) -> Scalar:
    """The number in another type, as `int`, `float`, `bool` and NumPy's scalar types do it."""
    if dtype == BOOL:
        return truth(value)
    return Scalar(cast(value.expression, dtype), weak=False)
