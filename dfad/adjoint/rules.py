"""The partial derivatives: operation -> what each operand's adjoint receives.

For y = f(x_0, ..., x_n) and the adjoint c of y, entry k of ``BY_OPERAND[f]`` gives c * df/dx_k from the operands; ``BY_RESULT[f]`` gives
it from the result y too, for the operations whose operands need not be kept then. Conventions at ties and edges are those of SEMANTICS
(docs/semantics.md): half to each side at a tie of ``maximum``; where a partial is singular an adjoint of 0 contributes 0.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from dfad.ir.algebra import (
    add,
    apply,
    choose,
    compare,
    constant,
    divide,
    multiply,
    negate,
    subtract,
    zero_like,
)
from dfad.ir.dtype import BOOL
from dfad.ir.nodes import Apply, Constant, Expression

Operands = tuple[Expression, ...]
"""The operands as the statement saw them."""
Rule = Callable[[Expression, Operands], Expression]
ResultRule = Callable[[Expression, Operands, Expression], Expression]


def _scaled(c: Expression, factor: float) -> Expression:
    return multiply(c, constant(factor, c.dtype))


def _square(x: Expression) -> Expression:
    return multiply(x, x)


def _over(c: Expression, divisor: Expression) -> Expression:
    """``c / divisor``; a product with the reciprocal of a constant, which a recurrence has in a third of the time, for half a unit in
    the last place."""
    if isinstance(divisor, Constant) and isfinite(divisor.value) and 1e-150 < abs(divisor.value) < 1e150 and divisor.dtype.bytes == 8:
        return multiply(c, constant(1.0 / divisor.value, c.dtype))
    return divide(c, divisor)


def _guarded(c: Expression, contribution: Expression) -> Expression:
    """0 where the adjoint is 0, whatever the partial is there."""
    return choose(compare("eq", c, zero_like(c)), zero_like(c), contribution)


def _zero(c: Expression, _: Operands) -> Expression:
    return zero_like(c)


def _power_base(c: Expression, x: Operands) -> Expression:
    base, exponent = x
    if isinstance(exponent, Constant):
        return _power_constant(c, base, float(exponent.value))
    reduced = apply("pow", base, subtract(exponent, constant(1.0, base.dtype)))
    slope = multiply(multiply(c, exponent), reduced)
    return choose(compare("eq", exponent, zero_like(exponent)), zero_like(c), _guarded(c, slope))


def _power_constant(c: Expression, base: Expression, exponent: float) -> Expression:
    if exponent == 0.0:
        return zero_like(c)
    if exponent == 1.0:
        return c
    if exponent == 2.0:
        return multiply(_scaled(c, 2.0), base)
    slope = multiply(_scaled(c, exponent), apply("pow", base, constant(exponent - 1.0, base.dtype)))
    return slope if exponent == int(exponent) and exponent > 1.0 else _guarded(c, slope)


def _power_exponent(c: Expression, x: Operands) -> Expression:
    base, exponent = x
    slope = _guarded(c, multiply(multiply(c, apply("pow", base, exponent)), apply("log", base)))
    at_zero = Apply("and", (compare("eq", base, zero_like(base)), compare("ge", exponent, zero_like(exponent))), BOOL)
    return choose(at_zero, zero_like(c), slope)


def _wins(sign: str, side: int) -> Rule:
    """maximum (``gt``) and minimum (``lt``): all to the winner, half to each at a tie."""

    def rule(c: Expression, x: Operands) -> Expression:
        mine, other = x[side], x[1 - side]
        tie = choose(compare("eq", mine, other), _scaled(c, 0.5), zero_like(c))
        return choose(compare(sign, mine, other), c, tie)

    return rule


def _python_choice(sign: str, side: int) -> Rule:
    """Builtin max (``gt``) and min (``lt``): the second operand only when it is strictly better."""

    def rule(c: Expression, x: Operands) -> Expression:
        second = compare(sign, x[1], x[0])
        return choose(second, c, zero_like(c)) if side == 1 else choose(second, zero_like(c), c)

    return rule


def _sqrt(c: Expression, x: Operands) -> Expression:
    return _guarded(c, divide(_scaled(c, 0.5), apply("sqrt", x[0])))


def _tan(c: Expression, x: Operands) -> Expression:
    return multiply(c, add(constant(1.0, c.dtype), _square(apply("tan", x[0]))))


def _arc(sign: float) -> Rule:
    def rule(c: Expression, x: Operands) -> Expression:
        one = constant(1.0, c.dtype)
        return _guarded(c, divide(_scaled(c, sign), apply("sqrt", multiply(subtract(one, x[0]), add(one, x[0])))))

    return rule


def _hypot(side: int) -> Rule:
    return lambda c, x: _guarded(c, divide(multiply(c, x[side]), apply("hypot", *x)))


def _arctan2(side: int) -> Rule:
    def rule(c: Expression, x: Operands) -> Expression:
        size = add(_square(x[0]), _square(x[1]))
        return _guarded(c, divide(multiply(c, x[1]) if side == 0 else negate(multiply(c, x[0])), size))

    return rule


def _area(inner: float) -> Rule:
    """arcsinh (``inner`` 1) and arccosh (-1): the root of x*x + inner, as a product where it would cancel."""

    def rule(c: Expression, x: Operands) -> Expression:
        one = constant(1.0, c.dtype)
        square = add(one, _square(x[0])) if inner > 0 else multiply(subtract(x[0], one), add(x[0], one))
        return _guarded(c, divide(c, apply("sqrt", square)))

    return rule


def _arctanh(c: Expression, x: Operands) -> Expression:
    one = constant(1.0, c.dtype)
    return _guarded(c, divide(c, multiply(subtract(one, x[0]), add(one, x[0]))))


def _cbrt(c: Expression, x: Operands) -> Expression:
    return _guarded(c, divide(c, _scaled(_square(apply("cbrt", x[0])), 3.0)))


def _error(sign: float) -> Rule:
    """erf and its complement: 2/sqrt(pi) * exp(-x*x), up to the sign."""
    return lambda c, x: multiply(_scaled(c, sign * 1.1283791670955126), apply("exp", negate(_square(x[0]))))


def _gamma(c: Expression, x: Operands) -> Expression:
    return _guarded(c, multiply(multiply(c, apply("gamma", x[0])), apply("digamma", x[0])))


def _log_gamma(c: Expression, x: Operands) -> Expression:
    return _guarded(c, multiply(c, apply("digamma", x[0])))


def _fmod_divisor(c: Expression, x: Operands) -> Expression:
    quotient = apply("rint", divide(subtract(x[0], apply("fmod", *x)), x[1]))
    return negate(multiply(c, quotient))


def _copysign(c: Expression, x: Operands) -> Expression:
    """The sign of the first operand times that of the second; 0 at 0, as of abs."""
    return multiply(c, multiply(apply("sign", x[0]), apply("copysign", constant(1.0, c.dtype), x[1])))


def _logarithm(scale: float) -> Rule:
    return lambda c, x: _guarded(c, divide(_scaled(c, scale), x[0]))


BY_OPERAND: dict[str, tuple[Rule, ...]] = {
    "add": (lambda c, x: c, lambda c, x: c),
    "sub": (lambda c, x: c, lambda c, x: negate(c)),
    "mul": (lambda c, x: multiply(c, x[1]), lambda c, x: multiply(c, x[0])),
    "div": (lambda c, x: _over(c, x[1]), lambda c, x: negate(divide(multiply(c, divide(x[0], x[1])), x[1]))),
    "neg": (lambda c, x: negate(c),),
    "mod": (lambda c, x: c, lambda c, x: negate(multiply(c, apply("floordiv", *x)))),
    "floordiv": (_zero, _zero),
    "pow": (_power_base, _power_exponent),
    "abs": (lambda c, x: multiply(c, apply("sign", x[0])),),
    "sign": (_zero,),
    "floor": (_zero,),
    "ceil": (_zero,),
    "rint": (_zero,),
    "trunc": (_zero,),
    "sqrt": (_sqrt,),
    "cbrt": (_cbrt,),
    "exp": (lambda c, x: multiply(c, apply("exp", x[0])),),
    "exp2": (lambda c, x: multiply(_scaled(c, 0.6931471805599453), apply("exp2", x[0])),),
    "expm1": (lambda c, x: multiply(c, apply("exp", x[0])),),
    "log": (_logarithm(1.0),),
    "log1p": (lambda c, x: _guarded(c, divide(c, add(constant(1.0, c.dtype), x[0]))),),
    "log2": (_logarithm(1.4426950408889634),),
    "log10": (_logarithm(0.4342944819032518),),
    "sin": (lambda c, x: multiply(c, apply("cos", x[0])),),
    "cos": (lambda c, x: negate(multiply(c, apply("sin", x[0]))),),
    "tan": (_tan,),
    "arcsin": (_arc(1.0),),
    "arccos": (_arc(-1.0),),
    "arctan": (lambda c, x: divide(c, add(constant(1.0, c.dtype), _square(x[0]))),),
    "sinh": (lambda c, x: multiply(c, apply("cosh", x[0])),),
    "cosh": (lambda c, x: multiply(c, apply("sinh", x[0])),),
    "tanh": (lambda c, x: divide(c, _square(apply("cosh", x[0]))),),
    "arcsinh": (_area(1.0),),
    "arccosh": (_area(-1.0),),
    "arctanh": (_arctanh,),
    "erf": (_error(1.0),),
    "erfc": (_error(-1.0),),
    "gamma": (_gamma,),
    "lgamma": (_log_gamma,),
    "fmod": (lambda c, x: c, _fmod_divisor),
    "copysign": (_copysign, _zero),
    "nextafter": (lambda c, x: c, _zero),
    "arctan2": (_arctan2(0), _arctan2(1)),
    "hypot": (_hypot(0), _hypot(1)),
    "maximum": (_wins("gt", 0), _wins("gt", 1)),
    "minimum": (_wins("lt", 0), _wins("lt", 1)),
    "python_max": (_python_choice("gt", 0), _python_choice("gt", 1)),
    "python_min": (_python_choice("lt", 0), _python_choice("lt", 1)),
}

BY_RESULT: dict[str, tuple[ResultRule, ...]] = {
    "exp": (lambda c, x, y: multiply(c, y),),
    "exp2": (lambda c, x, y: multiply(_scaled(c, 0.6931471805599453), y),),
    "sqrt": (lambda c, x, y: _guarded(c, divide(_scaled(c, 0.5), y)),),
    "div": (lambda c, x, y: _over(c, x[1]), lambda c, x, y: negate(divide(multiply(c, y), x[1]))),
}


def is_flat(operation: str) -> bool:
    """Whether the derivative is 0 with respect to every operand."""
    return operation in BY_OPERAND and all(rule is _zero for rule in BY_OPERAND[operation])
