"""Powers: Python gives a float for an integer to a negative power, NumPy refuses it for its own integers."""

from __future__ import annotations

from dfad.frontend import bounds
from dfad.frontend.builder import cast
from dfad.frontend.elementwise import apply_all, operand_of
from dfad.frontend.scope import Context
from dfad.frontend.values import Masked, Scalar, Value
from dfad.ir.dtype import F64


def power(context: Context, base: Value, exponent: Value) -> Value:
    """``base ** exponent``; of integers with an exponent that is known only when the kernel runs: an integer, or the call ends."""
    if isinstance(base, Masked) or isinstance(exponent, Masked):
        return apply_all(context, "pow", base, exponent)
    first, second = operand_of(context, base), operand_of(context, exponent)
    if first.dtype.is_float or second.dtype.is_float or not isinstance(second, Scalar):
        return apply_all(context, "pow", first, second)
    amount = context.builder.pin_integer(second)
    if not amount.is_Integer:
        message = "an integer to the power {0} is no integer: make it a float before"
        bounds.require(context.builder, amount, "index", message, (amount,))
    elif amount < 0:
        if not (isinstance(first, Scalar) and first.weak and second.weak):
            context.wrong_type("NumPy takes no integers to negative powers", hint="write a float, such as 2.0 ** -k")
        first = Scalar(cast(first.expression, F64), weak=True)
    return apply_all(context, "pow", first, second)
