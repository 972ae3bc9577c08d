"""`check_grad`: whether the gradient of a kernel agrees with differences of its values, argument by argument.

Two tests along a random direction v with a random cotangent w, both of phi(h) = <w, f(x + h*v)> and of the gradient g of phi(0):

- dot product: <g, v> against phi'(0) by central differences, extrapolated twice (Richardson);
- Taylor: phi(h) - phi(0) - h*<g, v> shrinks with the square of h (Griewank and Walther, Evaluating Derivatives, 2008).

Where they fail, the statement is looked for whose derivative differs from what nearby runs show. Both tests are of compiled values; that
these are the function's own is tested once, by a run of the function itself.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from dfad.api import Kernel, kernel, vjp
from dfad.errors import DfadError, KernelTypeError
from dfad.options import merge
from dfad.run.call import bind
from dfad.run.transform import parameter_named

STEPS = tuple(2.0**-k for k in range(10, 16))
"""Steps along a direction, relative to the size of the argument; of float32 arguments 64 times as long."""

TOLERANCES = {8: 1e-6, 4: 5e-3}
"""Of the dot products, by the bytes of a number: what rounding and the differences leave."""


@dataclass(frozen=True)
class ArgumentCheck:
    """The tests of one argument.

    Attributes
    ----------
    argument : str
        Its name.
    dot_product : float
        |<g, v> - phi'(0)| over the sum of |g * v|; 0 when both are 0.
    order : float or None
        The power of h with which the remainder of the Taylor expansion shrinks: 2 for a right gradient, 1 for a wrong one. None where the
        remainder is rounding only, as for a linear function.
    is_right : bool
    where : DfadError or None
        On failure the statement, with its line, and what is the matter with it.
    """

    argument: str
    dot_product: float
    order: float | None
    is_right: bool
    where: DfadError | None = None

    def __str__(self) -> str:
        order = "-" if self.order is None else f"{self.order:.2f}"
        return f"{self.argument:<16}{self.dot_product:<14.1e}{order:<8}{'right' if self.is_right else 'WRONG, or no derivative here'}"


@dataclass(frozen=True)
class GradientCheck:
    """What `check_grad` found; true when the values and every argument's gradient are right. Printed, it is a table.

    Attributes
    ----------
    name : str
        The kernel's.
    arguments : tuple of ArgumentCheck
    strayed : float or None
        The largest difference of a compiled output from the function's own, relative to the largest element of that; None where the
        function does not run by itself, or writes to arrays that are no arguments.
    has_strayed : bool
        Whether that is more than rounding.
    """

    name: str
    arguments: tuple[ArgumentCheck, ...]
    strayed: float | None = None
    has_strayed: bool = False

    def __bool__(self) -> bool:
        return not self.has_strayed and all(one.is_right for one in self.arguments)

    def __str__(self) -> str:
        verdict = "agrees with differences" if all(one.is_right for one in self.arguments) else "does not agree with differences"
        lines = [f"the gradient of {self.name} {verdict}"]
        if self.has_strayed:
            lines += [f"THE VALUES ARE NOT THE FUNCTION'S OWN: they differ by {self.strayed:.1e}, relative; please report it"]
        lines += [f"{'argument':<16}{'dot product':<14}{'Taylor':<8}verdict"]
        lines += [str(one) for one in self.arguments]
        lines += [f"\n{one.argument}: {one.where}" for one in self.arguments if one.where is not None]
        return "\n".join(lines)

    __repr__ = __str__


def check_grad(
    function: Callable[..., Any],
    *args: Any,
    wrt: str | int | Sequence[str | int] | None = None,
    of: str | Sequence[str] | None = None,
    seed: int = 0,
    **options: Any,
) -> GradientCheck:
    """Test the gradient of a kernel against differences of its values.

    Parameters
    ----------
    function : callable
        A kernel, or a function to make one of.
    *args
        Its arguments; they are not changed.
    wrt : optional
        The arguments to test, as for `grad`; default: every floating-point argument.
    of : optional
        What is differentiated, as for `vjp`.
    seed : int
        Of the random directions and cotangents.
    **options
        As for `kernel`.

    Returns
    -------
    GradientCheck
        True when all is right; its text has a row for each argument and names, on failure, the statement. A kernel at a kink has no
        derivative that differences could confirm: that is told as a failure too, with the condition that decides.

    Raises
    ------
    KernelTypeError
        When there is no floating-point argument, or the kernel cannot be differentiated so.
    """
    made = function if isinstance(function, Kernel) else kernel(function)
    made = kernel(made, **{**options, "wrt": _tested(made, args, wrt)})
    names = made.options.wrt
    assert isinstance(names, tuple)
    rng = np.random.default_rng(seed)
    strayed, tolerance = _strayed(made, args, of)
    checks = tuple(_checked(made, args, str(name), of, rng) for name in names)
    return GradientCheck(made.__name__, checks, strayed, strayed is not None and not strayed <= tolerance)


def _strayed(made: Kernel, args: Sequence[Any], of: str | Sequence[str] | None) -> tuple[float | None, float]:
    """How far the compiled values are from the function's own, and how far they may be."""
    values = copy.deepcopy(bind(made.__name__, made.__signature__, args, {}))
    found, _ = vjp(made, *values, of=of)
    inputs = made._primal.specialise(values).recipe.inputs
    if any(one.is_written for one in inputs[len(values) :]):
        return None, 0.0
    try:
        with np.errstate(all="ignore"):
            own = made.__wrapped__(*values)
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, AssertionError):  # taken another way by compiled code
        return None, 0.0
    if of is not None:
        updated = dict(zip(made.__signature__.parameters, values, strict=True))
        own = tuple(updated[name] for name in ((of,) if isinstance(of, str) else of))
    elif own is None:
        own = tuple(value for one, value in zip(inputs, values, strict=False) if one.is_updated)
    if len(_floats(found)) != len(_floats(own)):  # an integer of Python's where a loop does not run
        return None, 0.0
    pairs = list(zip(_floats(found), _floats(own), strict=True))
    width = min((one.dtype.itemsize for one, _ in pairs), default=8)
    return max((_distance(one, other) for one, other in pairs), default=0.0), TOLERANCES[width]


def _floats(outputs: Any) -> list[np.ndarray[Any, Any]]:
    """Those of the outputs that are of floating-point numbers."""
    if isinstance(outputs, tuple):
        return [array for output in outputs for array in _floats(output)]
    return [np.asarray(outputs)] if np.asarray(outputs).dtype.kind == "f" else []


def _distance(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> float:
    """The largest difference of two arrays, relative to the largest element of the second; inf where their shapes differ."""
    if one.shape != other.shape:
        return float("inf")
    equal = (one == other) | (np.isnan(one) & np.isnan(other))
    scale = float(np.max(np.abs(other), initial=0.0, where=np.isfinite(other))) or 1.0
    return float(np.max(np.abs(one - other), initial=0.0, where=~equal)) / scale


def _tested(made: Kernel, args: Sequence[Any], wrt: str | int | Sequence[str | int] | None) -> tuple[str, ...]:
    """The names of the arguments to test."""
    if wrt is not None:
        asked = (wrt,) if isinstance(wrt, str | int) else tuple(wrt)
        merge(made.options, wrt=asked)
        return tuple(parameter_named(made._source, name) for name in asked)
    values = bind(made.__name__, made.__signature__, args, {})
    found = tuple(name for name, value in zip(made.__signature__.parameters, values, strict=True) if _is_float(value))
    if not found:
        raise KernelTypeError(f"{made.__name__} has no floating-point argument to differentiate by")
    return found


def _is_float(value: object) -> bool:
    return isinstance(value, float | np.floating) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")


def _checked(made: Kernel, args: Sequence[Any], name: str, of: str | Sequence[str] | None, rng: np.random.Generator) -> ArgumentCheck:
    values = list(bind(made.__name__, made.__signature__, args, {}))
    place = list(made.__signature__.parameters).index(name)
    start = np.asarray(values[place])
    out, pullback = vjp(made, *values, of=of, wrt=name)
    outputs = out if isinstance(out, tuple) else (out,)
    cotangents = tuple(rng.uniform(0.5, 1.5, np.shape(output)) for output in outputs)
    cotangents = tuple(w.astype(np.asarray(output).dtype) for w, output in zip(cotangents, outputs, strict=True))
    gradient = np.asarray(pullback(cotangents if len(cotangents) > 1 else cotangents[0]), np.float64)
    size = float(np.max(np.abs(start), initial=0.0, where=np.isfinite(start))) or 1.0
    direction = rng.standard_normal(start.shape) * size

    def phi(h: float) -> float:
        moved = (start + h * direction).astype(start.dtype) if start.shape else float(start + h * direction)
        found, _ = vjp(made, *values[:place], moved, *values[place + 1 :], of=of, wrt=name)
        parts = zip(cotangents, found if isinstance(found, tuple) else (found,), strict=True)
        return sum(float(np.sum(np.asarray(w, np.float64) * part)) for w, part in parts)

    return _verdict(made, values, name, gradient, direction, phi, 4 if start.dtype == np.float32 else 8)


def _verdict(
    made: Kernel,
    values: Sequence[Any],
    name: str,
    gradient: np.ndarray[Any, np.dtype[np.float64]],
    direction: np.ndarray[Any, np.dtype[np.float64]],
    phi: Callable[[float], float],
    width: int,
) -> ArgumentCheck:
    steps = [step * (64.0 if width == 4 else 1.0) for step in STEPS]
    slope = float(np.sum(gradient * direction))
    scale = float(np.sum(np.abs(gradient * direction)))
    quotients = [(phi(h) - phi(-h)) / (2.0 * h) for h in steps[:3]]
    difference = _extrapolated(quotients) - slope
    if not np.isfinite(difference):
        dot_product = float("inf")
    else:
        dot_product = 0.0 if difference == 0.0 else abs(difference) / max(scale, abs(_extrapolated(quotients)))
    base = phi(0.0)
    remainders = [abs(phi(h) - base - h * slope) for h in steps]
    rounding = 50.0 * float(np.finfo(np.float32 if width == 4 else np.float64).eps) * max(abs(base), scale, 1e-300)
    order = _order(steps, remainders, rounding)
    is_right = dot_product <= TOLERANCES[width] and (order is None or order > 1.5)
    if is_right:
        return ArgumentCheck(name, dot_product, order, True)
    return ArgumentCheck(name, dot_product, order, False, _where(made, values, name, direction, steps[-1]))


def _extrapolated(quotients: Sequence[float]) -> float:
    """Central differences at h, h/2, h/4 without their h**2 and h**4 terms."""
    first = [(4.0 * fine - coarse) / 3.0 for coarse, fine in pairwise(quotients)]
    return (16.0 * first[1] - first[0]) / 15.0


def _order(steps: Sequence[float], remainders: Sequence[float], rounding: float) -> float | None:
    """The slope of log(remainder) over log(h), where the remainder stands out of the rounding."""
    clear = [(h, remainder) for h, remainder in zip(steps, remainders, strict=True) if remainder > 20.0 * rounding]
    if len(clear) < 2:
        return None
    over, of = np.log(np.array(clear, np.float64)).T
    return float(np.polyfit(over, of, 1)[0])


def _where(made: Kernel, values: Sequence[Any], name: str, direction: np.ndarray[Any, Any], h: float) -> DfadError:
    from dfad.pipeline import locate_request

    return locate_request(made._primal.request_for(tuple(values), {}), values, {name: direction}, h)


__all__ = ["ArgumentCheck", "GradientCheck", "check_grad"]
