"""What a name or an expression stands for while a function is lowered.

A `Scalar` is an expression of the IR; an array is a `View` of a declared array, a `Lazy` elementwise expression that no array holds
yet, or a `Deferred` operation that still needs a place to write to. Everything known before the code runs is a `Known`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import sympy

from dfad.ir.dtype import BOOL, F64, I64, Dtype
from dfad.ir.memlet import Memlet, Range, symbol
from dfad.ir.nodes import Array, Constant, Expression, Integer, Read

Shape = tuple[sympy.Expr, ...]
Indices = tuple[sympy.Expr, ...]

ZERO, ONE = sympy.Integer(0), sympy.Integer(1)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number: an expression of the IR. ``weak``: Python's own number, which takes the dtype of the array that it meets."""

    expression: Expression
    weak: bool = False

    @property
    def dtype(self) -> Dtype:
        """Its type; that of a weak float is float64, of a weak integer int64."""
        return self.expression.dtype

    @property
    def integer(self) -> sympy.Expr | None:
        """Its value as a symbolic integer, when it is one."""
        return self.expression.value if isinstance(self.expression, Integer) else None

    @property
    def constant(self) -> float | int | bool | None:
        """Its value, when that is known now."""
        match self.expression:
            case Constant(value):
                return value
            case Integer(value) if value.is_Integer:
                return int(value)
            case _:
                return None

    @property
    def shape(self) -> Shape:
        """That of a rank-0 array."""
        return ()

    def at(self, indices: Indices) -> Expression:
        """The expression: a scalar looks the same from everywhere."""
        return self.expression


@dataclass(frozen=True, slots=True)
class Along:
    """A dimension of an array that a view runs along: index = offset + stride * (the view's index on that axis)."""

    axis: int
    offset: sympy.Expr
    stride: sympy.Expr


AXES = tuple(symbol(f"axis {axis}") for axis in range(32))
"""What stands for the index on each axis in a ``Mixed`` dimension; no variable of a kernel has such a name."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """A dimension of an array whose index follows several axes of a view, or a part of one: an expression over AXES (reshapes)."""

    index: sympy.Expr


Dimension: TypeAlias = sympy.Expr | Along | Mixed


@dataclass(frozen=True, slots=True)
class View:
    """Cells of a declared array, as NumPy's view: each dimension of the array is fixed or runs along axes of the view.

    An axis that no dimension runs along has extent 1 (``None`` in an index). An extent may be negative, which means 0.
    """

    array: Array
    dimensions: tuple[Dimension, ...]
    shape: Shape

    @property
    def dtype(self) -> Dtype:
        """The element type."""
        return self.array.dtype

    @property
    def is_whole(self) -> bool:
        """Whether it is the array itself."""
        axes = tuple(Along(axis, ZERO, ONE) for axis in range(self.array.rank))
        return self.dimensions == axes and self.shape == self.array.shape

    def memlet(self, indices: Indices) -> Memlet:
        """The cell of the array at the view's indices."""
        return Memlet(self.array.name, tuple(_place(dimension, indices) for dimension in self.dimensions))

    def at(self, indices: Indices) -> Expression:
        """The element at the view's indices."""
        return Read(self.memlet(indices), self.dtype)

    def subset(self) -> Memlet | None:
        """The view as one memlet with ranges; None when its axes do not run forwards along the array's, in the same order."""
        if any(isinstance(dimension, Mixed) for dimension in self.dimensions):
            return None
        axes = [dimension.axis for dimension in self.dimensions if isinstance(dimension, Along)]
        strides = [dimension.stride for dimension in self.dimensions if isinstance(dimension, Along)]
        if axes != list(range(len(self.shape))) or not all(stride.is_Integer and stride >= 1 for stride in strides):
            return None
        return Memlet(self.array.name, tuple(_span(dimension, self.shape) for dimension in self.dimensions))


def _place(dimension: Dimension, indices: Indices) -> sympy.Expr:
    match dimension:
        case Along(axis, offset, stride):
            return offset + stride * indices[axis]
        case Mixed(index):
            return index.xreplace(dict(zip(AXES, indices, strict=False)))
        case _:
            return dimension


def renumbered(dimension: Dimension, places: Sequence[int]) -> Dimension:
    """The dimension in a view whose axis ``places[k]`` is axis k of the old one."""
    match dimension:
        case Along(axis, offset, stride):
            return Along(places[axis], offset, stride)
        case Mixed(index):
            return Mixed(index.xreplace({AXES[old]: AXES[new] for old, new in enumerate(places)}))
        case _:
            return dimension


def _span(dimension: Dimension, shape: Shape) -> sympy.Expr | Range:
    assert not isinstance(dimension, Mixed)
    if not isinstance(dimension, Along):
        return dimension
    last = dimension.offset + dimension.stride * (shape[dimension.axis] - 1)
    return Range(dimension.offset, last + 1, dimension.stride)


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """Cells of a declared array that index arrays choose, to be written; ``place`` emits the reads of the index arrays."""

    array: Array
    shape: Shape
    place: Callable[[Indices], Memlet]

    @property
    def dtype(self) -> Dtype:
        """The element type."""
        return self.array.dtype

    def memlet(self, indices: Indices) -> Memlet:
        """The cell of the array at the indices of the choice."""
        return self.place(indices)

    def at(self, indices: Indices) -> Expression:
        """The element at the indices of the choice."""
        return Read(self.memlet(indices), self.dtype)

    def subset(self) -> None:
        """Chosen cells are no memlet with ranges."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """The cells that a copy has in common with NumPy's result; ``key``: of an expression that can give the view itself."""

    cells: tuple[View, ...]
    key: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Lazy:
    """An elementwise expression: ``element`` gives the element at some indices. It is evaluated where it is first needed.

    ``shares``: what NumPy's result would share, where dfad makes a copy.
    """

    shape: Shape
    dtype: Dtype
    element: Callable[[Indices], Expression]
    shares: Sharing | None = None

    def at(self, indices: Indices) -> Expression:
        """The element at those indices."""
        return self.element(indices)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OneOf(Lazy):
    """One of several views of one shape: the one whose place ``selector`` gives (selections.py)."""

    selector: sympy.Expr
    views: tuple[View, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """A variable that means one of several views, in a region that may bind it anew: read it, and it is a `OneOf`.

    ``selector`` holds the place of the view; ``holes`` what the symbols HOLES of each view stand for.
    """

    selector: Array
    views: tuple[View, ...]
    holes: tuple[tuple[Array, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Deferred:
    """An operation whose result needs a place: ``write(target, accumulate)`` emits it.

    ``reads``: the arrays that it reads; None for any.
    """

    shape: Shape
    dtype: Dtype
    reads: frozenset[str] | None
    write: Callable[[View, bool], None]
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Tuple:
    """A tuple of values, or a list of them: the two are told apart between brackets, and where a list changes in place (lists.py).
    ``identity`` is what two lists of the same values differ in; None where it is one of several."""

    items: tuple[Value, ...]
    is_list: bool = False
    identity: object = field(default_factory=object, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Known:
    """A Python object that is known now: None, a string, a module, a function, a dtype."""

    value: object


@dataclass(frozen=True, slots=True)
class RangeOf:
    """``range(start, stop, step)``."""

    start: Scalar
    stop: Scalar
    step: Scalar


@dataclass(frozen=True, slots=True)
class Together:
    """``zip(a, b, ...)`` or, with ``first``, ``enumerate(a, first)``: what a loop takes one from each at a time."""

    parts: tuple[Value, ...]
    first: Scalar | None = None


@dataclass(frozen=True, slots=True)
class SliceOf:
    """``start:stop:step`` in an index."""

    start: Scalar | None
    stop: Scalar | None
    step: Scalar | None


@dataclass(frozen=True, slots=True)
class Method:
    """A method of an array, not yet called."""

    owner: Scalar | Elements | Masked
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Masked:
    """The elements of something of that shape that a mask over its first axes lets through (masks.py)."""

    mask: View | Lazy
    shape: Shape
    dtype: Dtype
    element: Callable[[Indices], Expression]

    def at(self, indices: Indices) -> Expression:
        """The element at those indices, which the mask lets through."""
        return self.element(indices)


@dataclass(frozen=True, slots=True)
class MaskedCells:
    """Cells of a view that a mask over its first axes lets through, to be written."""

    owner: View
    mask: View | Lazy


Elements = View | Lazy | Deferred
Target = View | Chosen
Value = Scalar | Elements | Selection | Masked | Tuple | Known | RangeOf | Together | SliceOf | Method


def whole(array: Array) -> View:
    """The view that is the array itself."""
    return View(array, tuple(Along(axis, ZERO, ONE) for axis in range(array.rank)), array.shape)


def integer(value: sympy.Expr | int) -> Scalar:
    """A symbolic integer as a Python integer."""
    return Scalar(Integer(sympy.sympify(value)), weak=True)


def number(value: float) -> Scalar:
    """A Python number (or bool) as a scalar."""
    match value:
        case bool():
            return Scalar(Constant(value, BOOL), weak=True)
        case int():
            return integer(value)
        case _:
            return Scalar(Constant(float(value), F64), weak=True)


def element(array: Array, weak: bool = False) -> Scalar:
    """What a rank-0 array holds."""
    return Scalar(Read(Memlet(array.name), array.dtype), weak)


def scalars(value: Value) -> Iterator[Scalar | View]:
    """The scalars and views that a value is made of, those of tuples too."""
    match value:
        case Tuple(items) | Together(items):
            for item in items:
                yield from scalars(item)
        case OneOf(views=views) | Selection(views=views):
            yield from views
        case Known(value=known):
            for captured in getattr(known, "captured", {}).values():
                yield from scalars(captured)
        case Scalar() | View():
            yield value
        case _:
            return


def arrays_of(values: Iterable[Value]) -> set[str]:
    """The names of the arrays that views among the values see."""
    return {part.array.name for value in values for part in scalars(value) if isinstance(part, View)}


def kind_of(value: Value) -> str:
    """What an error message calls the value."""
    match value:
        case Scalar(weak=True) if value.dtype == BOOL:
            return "a bool"
        case Scalar() if value.dtype == I64:
            return "an integer"
        case Scalar():
            return f"a {value.dtype} number"
        case View() | Lazy() | Deferred():
            return f"a {value.dtype} array of rank {len(value.shape)}" if value.shape else f"a {value.dtype} number"
        case Selection(views=views):
            return kind_of(views[0])
        case Masked():
            return "elements chosen by a mask"
        case Tuple(items, is_list):
            return f"a {'list' if is_list else 'tuple'} of {len(items)}"
        case RangeOf():
            return "a range"
        case Together():
            return "a zip or enumerate"
        case SliceOf():
            return "a slice"
        case Method(_, name):
            return f"the method {name}"
        case Known(None):
            return "None"
        case Known(str() as text):
            return f"the text {text!r}"
        case Known(known):
            return f"the {type(known).__name__} {getattr(known, '__name__', known)!s}"
