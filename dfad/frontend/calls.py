"""Calls: which functions the language knows, and what each becomes.

In: the callee and its arguments, evaluated. Out: a value. The tables are keyed by the function objects themselves, so that it does not
matter what the source calls them; a Python function that is in no table is inlined.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
import sympy

from dfad.frontend import composed, creation, grids, products, reductions, scans, shapes, shifted
from dfad.frontend.arrays import store
from dfad.frontend.builtin import BUILTINS
from dfad.frontend.doubts import check_write_in_place
from dfad.frontend.einsum import einsum
from dfad.frontend.elementwise import apply_all, number_of, operand_of, where
from dfad.frontend.functions import ELEMENTWISE, as_given, is_numpys
from dfad.frontend.indexing import part_of
from dfad.frontend.inner import Bound
from dfad.frontend.keywords import put, without_shared
from dfad.frontend.names import is_inlined, plain_function
from dfad.frontend.oneof import in_each, mapped
from dfad.frontend.packing import nonzero
from dfad.frontend.scope import Context
from dfad.frontend.tables import METHODS, NUMPYS, VIEWS
from dfad.frontend.values import (
    Deferred,
    Known,
    Lazy,
    MaskedCells,
    Method,
    OneOf,
    Scalar,
    Target,
    Tuple,
    Value,
    View,
    integer,
    kind_of,
)
from dfad.frontend.written import callee_of, instead_of
from dfad.ir.dtype import SUPPORTED, Dtype

Handler = Callable[..., Value]


def call(context: Context, callee: Value, arguments: list[Value], keywords: Mapping[str, Value]) -> Value:
    """``callee(*arguments, **keywords)``."""
    if isinstance(callee, Method):
        handler = METHOD_HANDLERS.get(callee.name)
        if handler is None:
            context.unsupported(f"the method {callee.name} is not yet supported")
        if handler in VIEWING and isinstance(callee.owner, OneOf):
            return mapped(callee.owner, lambda view: call(context, Method(view, callee.name), arguments, keywords))
        return _bound(context, handler, callee.name, callee.name, [callee.owner, *arguments], keywords)
    if not isinstance(callee, Known):
        context.wrong_type(f"{kind_of(callee)} cannot be called")
    function = callee.value
    known = _handler(function)
    if known in VIEWING and arguments and isinstance(arguments[0], OneOf):
        return mapped(arguments[0], lambda view: call(context, callee, [view, *arguments[1:]], keywords))
    if known is not None:
        return as_given(function, _bound(context, known, function, _shown(function), arguments, keywords))
    if is_inlined(function):
        plain = plain_function(function)
        assert plain is not None
        captured = function.captured if isinstance(function, Bound) else {}
        return context.inline(context, plain, arguments, {**keywords, **captured})
    written = callee_of(context) or _shown(function)
    hint = instead_of(f"{getattr(function, '__module__', '')}.{_shown(function)}.{written}")
    context.unsupported(f"{written} is not part of the language", hint=hint)


def _handler(function: object) -> Handler | None:
    try:
        return HANDLERS.get(function)
    except TypeError:
        return None


def _shown(function: object) -> str:
    module, name = getattr(function, "__module__", None), getattr(function, "__name__", None)
    if is_numpys(function):
        return f"np.{name}"
    if name is None:
        return f"an object of type {type(function).__name__}"
    return name if module in (None, "builtins") else f"{module}.{name}"


@cache
def _signature(handler: Handler) -> inspect.Signature:
    return inspect.signature(handler)


def _bound(
    context: Context, handler: Handler, function: object, shown: str, arguments: list[Value], keywords: Mapping[str, Value]
) -> Value:
    given, rest, out = without_shared(context, function, arguments, keywords)
    try:
        _signature(handler).bind(context, *given, **rest)
    except TypeError as error:
        context.unsupported(f"{shown}: {error}", hint="dfad takes fewer arguments here than NumPy does")
    value = handler(context, *given, **rest)
    return value if out is None else put(context, function, out, value)


# ---------------------------------------------------------------- methods and the rest


def _typed_number(dtype: Dtype) -> Handler:
    return lambda context, x: creation.copied(context, x, Known(dtype.numpy))


def _fill(context: Context, owner: Value, value: Value) -> Value:
    if not isinstance(owner, View | OneOf):
        context.wrong_type("only an array that has a name can be filled")
    check_write_in_place(context, owner)
    in_each(context, owner, lambda view: store(context, view, creation.fill(context, view, value)))
    return Known(None)


def _add_at(context: Context, a: Value, indices: Value, b: Value) -> Value:
    """``np.add.at``: every contribution counts, one after the other."""
    if not isinstance(a, View | OneOf):
        context.wrong_type("np.add.at adds to an array that has a name")
    check_write_in_place(context, a)
    items = indices.items if isinstance(indices, Tuple) else (indices,)
    added = b if isinstance(a, View) else operand_of(context, b)
    in_each(context, a, lambda view: _add_to(context, part_of(context, view, items), added))
    return Known(None)


def _add_to(context: Context, cells: Target | MaskedCells, added: Value) -> None:
    if isinstance(cells, MaskedCells):
        context.unsupported("np.add.at with a mask is not part of the language", hint="write a[mask] += b")
    store(context, cells, added, accumulate=True)


def _where(context: Context, condition: Value, x: Value = reductions.NOTHING, y: Value = reductions.NOTHING) -> Value:
    """``np.where``: a choice for each element, or the places where the condition holds."""
    return nonzero(context, condition) if isinstance(x, Known) and isinstance(y, Known) else where(context, condition, x, y)


def _clip(
    context: Context,
    a: Value,
    a_min: Value = reductions.NOTHING,
    a_max: Value = reductions.NOTHING,
    *,
    min: Value = reductions.NOTHING,
    max: Value = reductions.NOTHING,
) -> Value:
    """The minimum of the maximum; the bounds have two names each."""
    bounds = ((a_min, "maximum"), (min, "maximum"), (a_max, "minimum"), (max, "minimum"))
    for bound, operation in bounds:
        if not (isinstance(bound, Known) and bound.value is None):
            a = apply_all(context, operation, a, bound)
    return a


def _clipped(context: Context, a: Value, min: Value = reductions.NOTHING, max: Value = reductions.NOTHING) -> Value:
    return _clip(context, a, min, max)


def _item(context: Context, a: Value) -> Value:
    value = number_of(context, a)
    return Scalar(value.expression, weak=True)


def _count(context: Context, a: Value) -> Value:
    found = operand_of(context, a)
    return integer(sympy.Mul(*(context.builder.natural(extent) for extent in found.shape)))


def _shape(context: Context, a: Value) -> Value:
    found: Scalar | View | Lazy | Deferred = operand_of(context, a)
    return Tuple(tuple(integer(context.builder.natural(extent)) for extent in found.shape))


HANDLERS: dict[object, Handler] = {
    **ELEMENTWISE,
    **BUILTINS,
    **NUMPYS,
    np.sum: reductions.total,
    np.prod: reductions.product,
    np.mean: reductions.mean,
    np.max: reductions.maximum,
    np.amax: reductions.maximum,
    np.min: reductions.minimum,
    np.amin: reductions.minimum,
    np.all: reductions.all_of,
    np.any: reductions.any_of,
    np.dot: products.dot,
    np.matmul: products.matmul,
    np.outer: products.outer,
    np.einsum: einsum,
    np.cov: composed.covariance,
    np.meshgrid: grids.meshgrid,
    np.repeat: grids.repeat,
    np.transpose: shapes.transpose_axes,
    np.swapaxes: shapes.swapaxes,
    np.moveaxis: shapes.moveaxis,
    np.expand_dims: shapes.expand_dims,
    np.squeeze: shapes.squeeze,
    np.var: scans.variance,
    np.std: scans.deviation,
    np.linalg.norm: scans.norm,
    np.trace: scans.trace,
    np.cumsum: scans.running_sum,
    np.cumprod: scans.running_product,
    np.argmax: scans.place_of_maximum,
    np.argmin: scans.place_of_minimum,
    np.diff: shifted.difference,
    np.concatenate: shapes.concatenate,
    np.stack: shapes.stack,
    np.vstack: shapes.vstack,
    np.hstack: shapes.hstack,
    np.column_stack: shapes.column_stack,
    np.flip: shapes.flip,
    np.flipud: lambda context, m: shapes.flip(context, m, integer(0)),
    np.fliplr: lambda context, m: shapes.flip(context, m, integer(1)),
    np.triu: shapes.upper,
    np.tril: shapes.lower,
    np.identity: creation.eye,
    np.roll: shifted.roll,
    np.reshape: shapes.reshape,
    np.ravel: shapes.ravel,
    np.where: _where,
    np.nonzero: nonzero,
    np.flatnonzero: lambda context, a: nonzero(context, shapes.ravel(context, a)).items[0],
    np.count_nonzero: reductions.nonzeros,
    np.clip: _clip,
    np.histogram: composed.histogram,
    np.add.at: _add_at,
    np.zeros: creation.zeros,
    np.ones: creation.ones,
    np.full: creation.full,
    np.empty: creation.empty,
    np.zeros_like: creation.zeros_like,
    np.ones_like: creation.ones_like,
    np.empty_like: creation.empty_like,
    np.full_like: creation.full_like,
    np.copy: creation.copied,
    np.array: creation.copied,
    np.arange: creation.arange,
    np.linspace: creation.linspace,
    np.eye: creation.eye,
    np.size: _count,
    np.shape: _shape,
    **{dtype.numpy.type: _typed_number(dtype) for dtype in SUPPORTED.values()},
}

METHOD_HANDLERS: dict[str, Handler] = {
    **METHODS,
    "sum": reductions.total,
    "prod": reductions.product,
    "mean": reductions.mean,
    "max": reductions.maximum,
    "min": reductions.minimum,
    "all": reductions.all_of,
    "any": reductions.any_of,
    "copy": creation.copied,
    "astype": creation.copied,
    "dot": products.dot,
    "transpose": shapes.transpose_axes,
    "swapaxes": shapes.swapaxes,
    "squeeze": shapes.squeeze,
    "var": scans.variance,
    "std": scans.deviation,
    "cumsum": scans.running_sum,
    "cumprod": scans.running_product,
    "argmax": scans.place_of_maximum,
    "argmin": scans.place_of_minimum,
    "reshape": shapes.reshape,
    "ravel": shapes.ravel,
    "flatten": lambda context, a: creation.copied(context, shapes.ravel(context, a)),
    "clip": _clipped,
    "repeat": grids.repeat,
    "fill": _fill,
    "item": _item,
}

VIEWING: frozenset[Handler] = VIEWS | frozenset(
    {
        shapes.transpose_axes, shapes.swapaxes, shapes.moveaxis, shapes.expand_dims, shapes.squeeze, shapes.flip, shapes.reshape,
        shapes.ravel,
    }
)  # fmt: skip
"""What gives a view of its first argument."""
