"""Which old values a derivative may ask for: those that an expression reads in a way that is not linear, and those that tell its partial.

A rewrite that keeps a value apart from the one that overwrites it asks here whether anybody would want it. Activity is not looked at:
an answer of True may be needless, an answer of False is certain.
"""

from __future__ import annotations

from collections.abc import Callable

from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Apply, Expression, Read, Select
from dfad.ir.operations import TOLD_BY_RESULT
from dfad.ir.walk import walk_expression


def bends(expression: Expression, is_old: Callable[[Memlet], bool]) -> bool:
    """Whether some partial of the expression may depend on what it read where ``is_old`` holds."""
    match expression:
        case Apply(operation="add" | "sub" | "neg" | "cast"):
            return any(bends(operand, is_old) for operand in expression.operands)
        case Apply(operation="mul", operands=(first, second)) if not (_has_floats(first) and _has_floats(second)):
            return bends(first, is_old) or bends(second, is_old)
        case Apply(operation="div", operands=(above, below)) if not _has_floats(below):
            return bends(above, is_old)
        case Select():
            return bends(expression.chosen, is_old) or bends(expression.other, is_old)
        case Apply(dtype=dtype):
            return dtype.is_float and any(isinstance(part, Read) and is_old(part.memlet) for part in walk_expression(expression))
        case _:
            return False


def is_told_by_result(expression: Expression) -> bool:
    """Whether the partials of the expression may be taken from what it gives."""
    return isinstance(expression, Apply) and expression.dtype.is_float and expression.operation in TOLD_BY_RESULT


def _has_floats(expression: Expression) -> bool:
    return any(isinstance(part, Read) and part.dtype.is_float for part in walk_expression(expression))
