"""The elementary operations: an open table, name -> arity and meaning on NumPy scalars.

Their partial derivatives are in ``adjoint/rules.py``, their spelling in generated code in ``emit/scalar.py``: each room adds its own
column, keyed by the same name. An operation computes in the dtype of its Apply node; operands are cast to it first, except
for comparisons and ``cast``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dfad.ir import special


@dataclass(frozen=True, slots=True)
class Operation:
    """An elementary operation.

    Attributes
    ----------
    name : str
        Its name in listings and tables.
    arity : int
        Number of operands.
    meaning : callable
        NumPy scalars in, NumPy scalar out.
    kind : str
        ``"arithmetic"`` (result and operands have the Apply's dtype), ``"bitwise"`` (the same, an integer), ``"comparison"`` (operands are
        promoted together, the result is bool), ``"logical"`` (bool in, bool out) or ``"cast"``.
    """

    name: str
    arity: int
    meaning: Callable[..., Any]
    kind: str = "arithmetic"


def _python_max(a: Any, b: Any) -> Any:
    return b if b > a else a


def _python_min(a: Any, b: Any) -> Any:
    return b if b < a else a


def _of_math(function: Callable[[float], float]) -> Callable[[Any], Any]:
    """A function that NumPy has not, in the dtype of its operand."""
    return lambda a: np.asarray(a).dtype.type(function(float(a)))


_ARITHMETIC: dict[str, tuple[int, Callable[..., Any]]] = {
    "add": (2, np.add),
    "sub": (2, np.subtract),
    "mul": (2, np.multiply),
    "div": (2, np.true_divide),
    "floordiv": (2, np.floor_divide),
    "mod": (2, np.mod),
    "pow": (2, np.power),
    "neg": (1, np.negative),
    "abs": (1, np.abs),
    "sign": (1, np.sign),
    "floor": (1, np.floor),
    "ceil": (1, np.ceil),
    "rint": (1, np.rint),
    "trunc": (1, np.trunc),
    "sqrt": (1, np.sqrt),
    "cbrt": (1, np.cbrt),
    "exp": (1, np.exp),
    "exp2": (1, np.exp2),
    "expm1": (1, np.expm1),
    "log": (1, np.log),
    "log1p": (1, np.log1p),
    "log2": (1, np.log2),
    "log10": (1, np.log10),
    "sin": (1, np.sin),
    "cos": (1, np.cos),
    "tan": (1, np.tan),
    "arcsin": (1, np.arcsin),
    "arccos": (1, np.arccos),
    "arctan": (1, np.arctan),
    "sinh": (1, np.sinh),
    "cosh": (1, np.cosh),
    "tanh": (1, np.tanh),
    "arcsinh": (1, np.arcsinh),
    "arccosh": (1, np.arccosh),
    "arctanh": (1, np.arctanh),
    "erf": (1, _of_math(math.erf)),
    "erfc": (1, _of_math(math.erfc)),
    "gamma": (1, _of_math(special.gamma)),
    "lgamma": (1, _of_math(special.log_gamma)),
    "digamma": (1, _of_math(special.digamma)),
    "arctan2": (2, np.arctan2),
    "hypot": (2, np.hypot),
    "fmod": (2, np.fmod),
    "copysign": (2, np.copysign),
    "nextafter": (2, np.nextafter),
    "maximum": (2, np.maximum),
    "minimum": (2, np.minimum),
    "python_max": (2, _python_max),
    "python_min": (2, _python_min),
}

_BITWISE: dict[str, tuple[int, Callable[..., Any]]] = {
    "bitwise_and": (2, np.bitwise_and),
    "bitwise_or": (2, np.bitwise_or),
    "bitwise_xor": (2, np.bitwise_xor),
    "left_shift": (2, np.left_shift),
    "right_shift": (2, np.right_shift),
    "invert": (1, np.invert),
}

_COMPARISONS: dict[str, Callable[..., Any]] = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}

_LOGICAL: dict[str, tuple[int, Callable[..., Any]]] = {
    "and": (2, np.logical_and),
    "or": (2, np.logical_or),
    "not": (1, np.logical_not),
}


def _table() -> dict[str, Operation]:
    table = {name: Operation(name, arity, meaning) for name, (arity, meaning) in _ARITHMETIC.items()}
    table |= {name: Operation(name, 2, meaning, "comparison") for name, meaning in _COMPARISONS.items()}
    table |= {name: Operation(name, arity, meaning, "logical") for name, (arity, meaning) in _LOGICAL.items()}
    table |= {name: Operation(name, arity, meaning, "bitwise") for name, (arity, meaning) in _BITWISE.items()}
    table["isnan"] = Operation("isnan", 1, np.isnan, "comparison")
    table["isinf"] = Operation("isinf", 1, np.isinf, "comparison")
    table["cast"] = Operation("cast", 1, lambda a: a, "cast")
    return table


OPERATIONS = _table()

TOLD_BY_RESULT = frozenset({"exp", "exp2", "sqrt", "div"})
"""Operations whose partials may be taken from what they give; ``BY_RESULT`` of ``adjoint/rules.py`` has how."""

COSTLY = frozenset(
    {"div", "sqrt", "cbrt", "pow", "hypot", "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "erf", "erfc", "gamma", "lgamma"}
    | {"sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh"}
    | {"digamma", "fmod"}
)
"""Operations that take tens of cycles, where others take a few: worth a place in memory rather than a second time."""

# What np.sqrt and friends are called in NumPy and in the module math, where the name differs from ours.
NUMPY_NAMES = {
    "absolute": "abs",
    "fabs": "abs",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "power": "pow",
    "negative": "neg",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "round": "rint",
    "bitwise_not": "invert",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
}
