"""Python's builtin functions, by the function objects themselves.

In: values. Out: a number, a range, or what a loop runs over. `BUILTINS` is a part of the table of calls.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Sequence
from functools import partial, reduce

import sympy

from dfad.frontend import masks, reductions, shapes
from dfad.frontend.arithmetic import apply, convert
from dfad.frontend.elementwise import apply_all, number_of, operand_of, typed
from dfad.frontend.functions import rounded, to_decimals
from dfad.frontend.powers import power
from dfad.frontend.scope import Context
from dfad.frontend.spelled import spelled
from dfad.frontend.values import (
    Deferred,
    Known,
    Lazy,
    Masked,
    RangeOf,
    Scalar,
    Together,
    Tuple,
    Value,
    View,
    integer,
    kind_of,
    number,
)
from dfad.ir.dtype import BOOL, F64, I64

Handler = Callable[..., Value]


def _range(context: Context, *bounds: Value) -> Value:
    given = [number_of(context, bound) for bound in bounds]
    numbers = [integer(int(bound.constant)) if isinstance(bound.constant, bool) else bound for bound in given]
    if not 1 <= len(numbers) <= 3:
        context.wrong_type("range takes start, stop and step")
    if any(number.dtype.kind != "i" for number in numbers):
        context.wrong_type("range takes integers", hint="write int(...) or // for an integer quotient")
    match numbers:
        case [stop]:
            return RangeOf(integer(0), stop, integer(1))
        case [start, stop]:
            return RangeOf(start, stop, integer(1))
        case _:
            return RangeOf(*numbers)


def _enumerate(context: Context, iterable: Value, start: Value = integer(0)) -> Value:  # noqa: B008
    first = number_of(context, start)
    if isinstance(iterable, Tuple):
        counts = (typed(context, partial(apply, "add"), first, integer(place)) for place in range(len(iterable.items)))
        return Tuple(tuple(Tuple(pair) for pair in zip(counts, iterable.items, strict=True)))
    return Together((iterable,), first)


def _zip(context: Context, *iterables: Value, strict: Value = number(False)) -> Value:  # noqa: B008
    if reductions.is_set(context, strict):
        context.unsupported("zip with strict=True is not part of the language", hint="assert that the lengths are equal")
    if all(isinstance(iterable, Tuple) for iterable in iterables):
        rows = zip(*(iterable.items for iterable in iterables if isinstance(iterable, Tuple)), strict=False)
        return Tuple(tuple(Tuple(row) for row in rows))
    return Together(iterables)


def _length(context: Context, a: Value) -> Value:
    if isinstance(a, Tuple):
        return integer(len(a.items))
    if isinstance(a, Masked):
        return masks.masked_shape(context, a)[0]
    if isinstance(a, RangeOf):
        return _length_of_range(context, a)
    found = operand_of(context, a)
    if not found.shape:
        context.wrong_type(f"{kind_of(found)} has no len")
    return integer(context.builder.natural(found.shape[0]))


def trips_of(iterable: Iterable[object]) -> int:
    """How many trips a loop over it has: a name for what a comprehension needs."""
    raise NotImplementedError


def _trips(context: Context, iterable: Value) -> Value:
    if not isinstance(iterable, Together):
        return _length(context, iterable)
    counts = [number_of(context, _trips(context, part)) for part in iterable.parts]
    return integer(context.builder.natural(sympy.Min(*(context.builder.pin_integer(count) for count in counts))))


def _length_of_range(context: Context, over: RangeOf) -> Value:
    step = over.step.constant
    if not isinstance(step, int) or step == 0:
        context.unsupported("the length of a range with a step that is no constant is not part of the language", hint="write a for loop")
    start, stop = (context.builder.pin_integer(bound) for bound in (over.start, over.stop))
    return integer(context.builder.natural(trips_between(start, stop, step)))


def trips_between(start: sympy.Expr, stop: sympy.Expr, step: int) -> sympy.Expr:
    """How many trips a range with a constant step has; negative where it has none."""
    return sympy.floor((stop - start + step - (1 if step > 0 else -1)) / step)


def _largest(iterable: Sequence[float], /) -> float:
    assert len(iterable) > 0, "max() arg is an empty sequence"
    largest = iterable[0]
    for item in iterable[1:]:
        largest = max(largest, item)
    return largest


def _smallest(iterable: Sequence[float], /) -> float:
    assert len(iterable) > 0, "min() arg is an empty sequence"
    smallest = iterable[0]
    for item in iterable[1:]:
        smallest = min(smallest, item)
    return smallest


def _fold(operation: str, of_array: Handler) -> Handler:
    """Builtin `max` and `min` of numbers, or of the elements of an array: the earlier one wins a tie."""

    def handler(context: Context, *values: Value) -> Value:
        items = values[0].items if len(values) == 1 and isinstance(values[0], Tuple) else values
        if len(items) == 1 and not isinstance(items[0], Scalar):
            return of_array(context, items[0])
        numbers = [number_of(context, item) for item in items]
        return typed(context, lambda *all_: reduce(partial(apply, operation), all_), *numbers)

    return handler


def _absolute(context: Context, x: Value) -> Value:
    return apply_all(context, "abs", x)


def _integer_of(context: Context, x: Value = integer(0)) -> Value:  # noqa: B008
    value = number_of(context, x)
    return Scalar(convert(value, I64).expression, weak=True)


def _float_of(context: Context, x: Value = integer(0)) -> Value:  # noqa: B008
    if isinstance(x, Known) and x.value in ("inf", "-inf", "nan"):
        return number(float(str(x.value)))
    return Scalar(convert(number_of(context, x), F64).expression, weak=True)


def _round(context: Context, number: Value, ndigits: Value = reductions.NOTHING) -> Value:
    if isinstance(ndigits, Known):
        return rounded("rint")(context, number)
    if isinstance(number, Scalar) and number.weak:
        context.unsupported("round of a Python number to decimals is not part of the language", hint="write np.round(x, decimals)")
    return to_decimals(context, number, ndigits)


def _reversed(context: Context, sequence: Value) -> Value:
    """``reversed`` of a range with a constant step, of a tuple, of an array's rows."""
    match sequence:
        case Tuple(items, is_list):
            return Tuple(items[::-1], is_list)
        case RangeOf(start, stop, Scalar(constant=int() as step)) if step:
            first, end = (context.builder.pin_integer(bound) for bound in (start, stop))
            last = sympy.expand(first + (trips_between(first, end, step) - 1) * step)
            return RangeOf(integer(last), integer(first - step), integer(-step))
        case View() | Lazy() | Deferred() if sequence.shape:
            return shapes.flip(context, sequence, integer(0))
        case _:
            context.wrong_type(f"reversed takes a range with a constant step, a tuple or an array, not {kind_of(sequence)}")


BUILTINS: dict[object, Handler] = {
    builtins.range: _range,
    builtins.enumerate: _enumerate,
    builtins.zip: _zip,
    builtins.len: _length,
    trips_of: _trips,
    builtins.max: _fold("python_max", spelled(_largest)),
    builtins.min: _fold("python_min", spelled(_smallest)),
    builtins.abs: _absolute,
    builtins.int: _integer_of,
    builtins.float: _float_of,
    builtins.bool: lambda context, x: typed(context, partial(convert, dtype=BOOL), number_of(context, x)),
    builtins.round: _round,
    builtins.reversed: _reversed,
    builtins.pow: power,
}
