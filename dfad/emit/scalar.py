"""Expressions as text: how each operation is spelled, in the order of the source, with no more parentheses than are needed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dfad.emit.integer import ATOM, PRODUCT, SUM, UNARY
from dfad.emit.layout import element
from dfad.emit.scope import SHORT, Scope
from dfad.errors import CompilerBug
from dfad.ir.dtype import BOOL, F32, F64, I32, I64, Dtype
from dfad.ir.nodes import Apply, Constant, Expression, Integer, Read, Select
from dfad.ir.operations import OPERATIONS

COMPARISON, OR, AND = SUM - 3, SUM - 2, SUM - 1
"""In Python ``&`` and ``|`` hold tighter than comparisons."""


@dataclass(frozen=True, slots=True)
class Infix:
    """``a + b``; the right operand holds tighter than the whole, so that the order of evaluation is that of the tree."""

    sign: str
    level: int


@dataclass(frozen=True, slots=True)
class Call:
    """A function of C's library, ``exp`` or ``expf``; ``integer`` is the function for int64."""

    name: str
    integer: str | None = None


@dataclass(frozen=True, slots=True)
class OwnCall:
    """A function of dfad.h, ``dfad_maximum_f64``; ``integer`` is the function for int64."""

    name: str
    integer: str | None = None


Spelling = Infix | Call | OwnCall

SPELLINGS: Mapping[str, Spelling] = {
    "add": Infix(" + ", SUM),
    "sub": Infix(" - ", SUM),
    "mul": Infix("*", PRODUCT),
    "div": Infix("/", PRODUCT),
    "floordiv": OwnCall("floordiv", "dfad_floordiv"),
    "mod": OwnCall("mod", "dfad_mod"),
    "pow": Call("pow", "dfad_power"),
    "abs": Call("fabs", "dfad_abs"),
    "sign": OwnCall("sign", "dfad_sign"),
    "floor": Call("floor"),
    "ceil": Call("ceil"),
    "rint": Call("rint"),
    "trunc": Call("trunc"),
    "sqrt": Call("sqrt"),
    "cbrt": Call("cbrt"),
    "exp": Call("exp"),
    "exp2": Call("exp2"),
    "expm1": Call("expm1"),
    "log": Call("log"),
    "log1p": Call("log1p"),
    "log2": Call("log2"),
    "log10": Call("log10"),
    "sin": Call("sin"),
    "cos": Call("cos"),
    "tan": Call("tan"),
    "arcsin": Call("asin"),
    "arccos": Call("acos"),
    "arctan": Call("atan"),
    "sinh": Call("sinh"),
    "cosh": Call("cosh"),
    "tanh": Call("tanh"),
    "arcsinh": Call("asinh"),
    "arccosh": Call("acosh"),
    "arctanh": Call("atanh"),
    "erf": Call("erf"),
    "erfc": Call("erfc"),
    "arctan2": Call("atan2"),
    "hypot": Call("hypot"),
    "gamma": Call("tgamma"),
    "lgamma": Call("lgamma"),
    "digamma": OwnCall("digamma"),
    "fmod": Call("fmod", "dfad_fmod"),
    "copysign": Call("copysign"),
    "nextafter": Call("nextafter"),
    "maximum": OwnCall("maximum", "dfad_max"),
    "minimum": OwnCall("minimum", "dfad_min"),
    "python_max": OwnCall("python_max", "dfad_max"),
    "python_min": OwnCall("python_min", "dfad_min"),
    "lt": Infix(" < ", COMPARISON),
    "le": Infix(" <= ", COMPARISON),
    "gt": Infix(" > ", COMPARISON),
    "ge": Infix(" >= ", COMPARISON),
    "eq": Infix(" == ", COMPARISON),
    "ne": Infix(" != ", COMPARISON),
    "and": Infix(" & ", AND),
    "or": Infix(" | ", OR),
    "bitwise_and": Infix(" & ", AND),
    "bitwise_or": Infix(" | ", OR),
    "bitwise_xor": OwnCall("bitwise_xor", "dfad_xor"),
    "left_shift": OwnCall("left_shift", "dfad_left_shift"),
    "right_shift": OwnCall("right_shift", "dfad_right_shift"),
    "invert": OwnCall("invert", "dfad_invert"),
}
"""Operation -> spelling; ``neg``, ``not``, ``cast``, ``isnan`` and ``isinf`` have functions of their own below."""

_POWERS = {1.0: "", 2.0: "dfad_square", 3.0: "dfad_cube", 4.0: "dfad_fourth"}

Text = tuple[str, int]


def expression_text(expression: Expression, scope: Scope, level: int = COMPARISON) -> str:
    """The expression as text that can stand as an operand of that level."""
    text, own = _spell(expression, scope)
    return text if own >= level else f"({text})"


def _spell(expression: Expression, scope: Scope) -> Text:
    match expression:
        case Constant():
            return _constant(expression)
        case Integer(value=value):
            return scope.integer(value), ATOM if value.is_Symbol or (value.is_nonnegative and value.is_Integer) else SUM
        case Read():
            text = element(expression.memlet, scope)
            return (f"<float> {text}", UNARY) if expression.memlet.array in scope.wide else (text, ATOM)
        case Select():
            chosen, other = (_operand(side, expression.dtype, scope, SUM) for side in (expression.chosen, expression.other))
            if expression.dtype == BOOL:  # Cython makes an object of a choice between bint and int
                chosen, other = f"<int> ({chosen})", f"<int> ({other})"
            return f"({chosen} if {expression_text(expression.condition, scope)} else {other})", ATOM
        case Apply():
            return _apply(expression, scope)
        case _:
            raise CompilerBug(f"emit cannot print {expression!r}")


def _constant(constant: Constant) -> Text:
    value = constant.value
    if constant.dtype == BOOL:
        return str(int(bool(value))), ATOM
    if not constant.dtype.is_float:
        number = int(value)
        text = str(number) if abs(number) < 2**31 else f"<int64_t> {number}"
        return text, ATOM if number >= 0 and abs(number) < 2**31 else UNARY
    text = _float_text(float(value))
    if constant.dtype == F32:
        return f"<float> {text}", UNARY
    return text, UNARY if text.startswith("-") else ATOM


def _float_text(value: float) -> str:
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(value)


def _apply(apply: Apply, scope: Scope) -> Text:
    special = _SPECIAL.get(apply.operation)
    if special is not None:
        return special(apply, scope)
    spelling = SPELLINGS.get(apply.operation)
    match spelling:
        case Infix():
            return _infix(apply, spelling, scope)
        case Call() | OwnCall():
            return _call(apply, spelling, scope), ATOM
        case _:
            raise CompilerBug(f"emit has no spelling for the operation {apply.operation!r}")


def _infix(apply: Apply, spelling: Infix, scope: Scope) -> Text:
    a, b = apply.operands
    level = spelling.level
    if level == COMPARISON:
        left, right = (_operand(side, _compared_as(side.dtype, other.dtype), scope, SUM) for side, other in ((a, b), (b, a)))
    elif level < SUM:
        left, right = expression_text(a, scope, level), expression_text(b, scope, level + 1)
    else:
        left, right = _operand(a, apply.dtype, scope, level), _operand(b, apply.dtype, scope, level + 1)
    text = f"{left}{spelling.sign}{right}"
    return (f"<int32_t> ({text})", UNARY) if apply.dtype == I32 else (text, level)


def _compared_as(dtype: Dtype, other: Dtype) -> Dtype:
    """C compares integers with floats in single precision, NumPy in double."""
    return F64 if {dtype.kind, other.kind} == {"i", "f"} else dtype


def _operand(expression: Expression, dtype: Dtype, scope: Scope, level: int = COMPARISON) -> str:
    """The operand, cast to the dtype in which the operation computes."""
    if expression.dtype == dtype:
        return expression_text(expression, scope, level)
    if isinstance(expression, Constant):
        return expression_text(Constant(expression.value, dtype), scope, level)
    text = f"<{dtype.c_name}> {expression_text(expression, scope, UNARY)}"
    return f"({text})" if level > UNARY else text


def _call(apply: Apply, spelling: Call | OwnCall, scope: Scope) -> str:
    texts = ", ".join(_operand(operand, apply.dtype, scope) for operand in apply.operands)
    if not apply.dtype.is_float:
        if spelling.integer is None:
            raise CompilerBug(f"{apply.operation} of {apply.dtype} has no meaning in C")
        return f"<{apply.dtype.c_name}> {spelling.integer}({texts})" if apply.dtype != I64 else f"{spelling.integer}({texts})"
    if isinstance(spelling, OwnCall):
        return f"dfad_{spelling.name}_{SHORT[apply.dtype.name]}({texts})"
    return f"{spelling.name}{'f' if apply.dtype == F32 else ''}({texts})"


def _power(apply: Apply, scope: Scope) -> Text:
    """Small constant powers are products, as in NumPy for squares; the others are left to C."""
    base, exponent = apply.operands
    if apply.dtype.is_float and isinstance(exponent, Constant):
        value = float(exponent.value)
        if value == 1.0:
            return _operand(base, apply.dtype, scope, ATOM), ATOM
        if value == 0.5:
            return _call(Apply("sqrt", (base,), apply.dtype), Call("sqrt"), scope), ATOM
        if value in _POWERS:
            return f"{_POWERS[value]}_{SHORT[apply.dtype.name]}({_operand(base, apply.dtype, scope)})", ATOM
    return _call(apply, Call("pow", "dfad_power"), scope), ATOM


def _negate(apply: Apply, scope: Scope) -> Text:
    text = f"-{_operand(apply.operands[0], apply.dtype, scope, ATOM)}"
    return (f"<int32_t> ({text})" if apply.dtype == I32 else text), UNARY


def _not(apply: Apply, scope: Scope) -> Text:
    return f"(not {expression_text(apply.operands[0], scope, SUM)})", ATOM


def _cast(apply: Apply, scope: Scope) -> Text:
    (operand,) = apply.operands
    if apply.dtype == BOOL and operand.dtype != BOOL:
        return f"{expression_text(operand, scope, SUM)} != 0", COMPARISON
    if operand.dtype == apply.dtype:
        return _spell(operand, scope)
    return _operand(operand, apply.dtype, scope), UNARY


def _isnan(apply: Apply, scope: Scope) -> Text:
    return f"isnan({expression_text(apply.operands[0], scope)})", ATOM


def _isinf(apply: Apply, scope: Scope) -> Text:
    (operand,) = apply.operands
    dtype = operand.dtype if operand.dtype.is_float else F64
    return f"dfad_isinf_{SHORT[dtype.name]}({_operand(operand, dtype, scope)})", ATOM


_SPECIAL: dict[str, Callable[[Apply, Scope], Text]] = {
    "pow": _power,
    "neg": _negate,
    "not": _not,
    "cast": _cast,
    "isnan": _isnan,
    "isinf": _isinf,
}


def unspelled() -> set[str]:
    """The operations that this room cannot print: none."""
    return set(OPERATIONS) - set(SPELLINGS) - set(_SPECIAL)
