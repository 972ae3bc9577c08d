"""The nodes of a Program, as grammar.md defines them: data only, frozen.

Regions and leaves compare by identity and stand in one place of the tree; arrays, expressions and memlets compare by value.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import sympy

from dfad.ir.dtype import BOOL, I64, Dtype
from dfad.ir.memlet import Memlet
from dfad.source import Location


class Role(Enum):
    """What an array is for; the classes of ``.memory`` follow from it."""

    ARGUMENT = "argument"
    RESULT = "result"
    LOCAL = "local"
    ADJOINT = "adjoint"
    TAPE = "tape"
    COPY = "copy"


class Stage(Enum):
    """How far a Program has come."""

    PRIMAL = "primal"
    ADJOINT = "adjoint"
    PLANNED = "planned"
    LOWERED = "lowered"


@dataclass(frozen=True, slots=True)
class Array:
    """A named array; rank 0 is a scalar. ``shape`` holds symbolic integers; the first is ``oo`` where the array grows."""

    name: str
    dtype: Dtype
    shape: tuple[sympy.Expr, ...] = ()
    role: Role = Role.LOCAL

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def grows(self) -> bool:
        """Whether the number of its rows is not known before it has them."""
        return bool(self.shape) and self.shape[0] == sympy.oo


# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Constant:
    """A number written in the source, or made by a rule."""

    value: float | int | bool
    dtype: Dtype


@dataclass(frozen=True, slots=True)
class Integer:
    """The value of a symbolic integer."""

    value: sympy.Expr
    dtype: Dtype = I64


@dataclass(frozen=True, slots=True)
class Read:
    """The element that the memlet names, as it is now."""

    memlet: Memlet
    dtype: Dtype


@dataclass(frozen=True, slots=True)
class Apply:
    """An elementary operation (operations.py) on scalars; ``dtype`` is that of the result and of the arithmetic."""

    operation: str
    operands: tuple[Expression, ...]
    dtype: Dtype


@dataclass(frozen=True, slots=True)
class Select:
    """``chosen if condition else other``; only the chosen side counts."""

    condition: Expression
    chosen: Expression
    other: Expression
    dtype: Dtype


@dataclass(frozen=True, slots=True)
class Demand:
    """The value that the statement ``key`` saw in ``memlet`` (``after``: left there) in this instance of the loops."""

    memlet: Memlet
    key: str
    dtype: Dtype
    after: bool = False


Expression = Constant | Integer | Read | Apply | Select | Demand


# ---------------------------------------------------------------- leaves


@dataclass(frozen=True, slots=True, eq=False)
class Tasklet:
    """``write = value``, or ``write += value``: one assignment of one element."""

    write: Memlet
    value: Expression
    where: Location
    key: str
    accumulate: bool = False
    reassociable: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Library:
    """An operation on whole subsets, such as ``matmul``; attributes are sorted (name, value) pairs."""

    operation: str
    reads: tuple[Memlet, ...]
    write: Memlet
    where: Location
    key: str
    attributes: tuple[tuple[str, object], ...] = ()
    accumulate: bool = False

    def attribute(self, name: str) -> object:
        """The attribute's value; KeyError when there is none."""
        return dict(self.attributes)[name]


@dataclass(frozen=True, slots=True, eq=False)
class Exchange:
    """The two names change their buffers."""

    first: str
    second: str
    where: Location
    key: str


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """When the condition is false the call ends with ``error``: ``"index"``, ``"assertion"``, ``"entry"``, ``"room"`` or
    ``"extents"``.

    ``"entry"``: nothing has run yet, and an index may go out of range; a Program that checks at the accesses tells. ``"room"``: an array
    outgrows its room, and the call begins again with a larger one; ``message`` names the room, the value is the extent that it would
    take. ``"extents"``: a variable, which ``message`` names, means arrays of different extents, and the call begins again with code that
    lets it. Else ``message`` is a format string for the integer ``values``.
    """

    condition: Expression
    error: str
    message: str
    where: Location
    key: str
    values: tuple[Expression, ...] = ()


# ---------------------------------------------------------------- regions


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Statements in order, and the arrays that live while they run."""

    arrays: tuple[Array, ...]
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Parallel:
    """What threads that share the trips of a loop need to know.

    Attributes
    ----------
    work : sympy.Expr
        How much all trips have to do, in the units of analysis/work.py; an integer of symbols that the loop's own bounds may name.
    sums : tuple of str
        The scalars from outside that the trips accumulate into and do nothing else with.
    is_even : bool
        Whether all trips have about the same to do.
    """

    work: sympy.Expr
    sums: tuple[str, ...] = ()
    is_even: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """``for index in range(start, stop, step)``; the step is a constant other than 0. ``parallel``: threads may share the trips."""

    index: sympy.Symbol
    start: sympy.Expr
    stop: sympy.Expr
    step: int
    body: Block
    where: Location
    key: str
    parallel: Parallel | None = None


@dataclass(frozen=True, slots=True, eq=False)
class While:
    """``while guard: body``; ``index`` counts the trips from 0, and nothing bounds it.

    The guard is evaluated before each trip, outside the body: it names neither the index nor what the body declares.
    """

    index: sympy.Symbol
    guard: Expression
    body: Block
    where: Location
    key: str


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """``if guard: then else: orelse``."""

    guard: Expression
    then: Block
    orelse: Block
    where: Location
    key: str


Leaf = Tasklet | Library | Exchange | Check
Repetition = Loop | While  # what binds an index and runs its body again and again
Statement = Leaf | Repetition | Branch  # what has a key and a location
Node = Statement | Block


# ---------------------------------------------------------------- the whole


@dataclass(frozen=True, slots=True)
class ShapeSymbol:
    """The symbol is the extent of that dimension of that argument."""

    symbol: sympy.Symbol
    array: str
    dimension: int


@dataclass(frozen=True, slots=True)
class IntegerSymbol:
    """The symbol is the value of that integer parameter."""

    symbol: sympy.Symbol
    parameter: str


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A kernel: what comes in, what runs, what goes out.

    ``parameters`` holds the arrays that the caller of the generated code hands over: arguments (also float scalars, rank 0) and
    results. ``results`` names, in the order of the return statement, the parameters that hold what the kernel returns: arrays of role
    RESULT, or of role ARGUMENT where the kernel returns the caller's own array. ``returns_tuple``: whether the source returned a tuple.
    ``extents``: for each result whose shape the kernel computes, the int64 scalars of role RESULT that hold it, one for each dimension.
    """

    name: str
    symbols: tuple[ShapeSymbol | IntegerSymbol, ...]
    parameters: tuple[Array, ...]
    body: Block
    results: tuple[str, ...]
    returns_tuple: bool = False
    stage: Stage = Stage.PRIMAL
    extents: tuple[tuple[str, tuple[str, ...]], ...] = ()


def is_true(expression: Expression) -> bool:
    """Whether the expression is the constant True."""
    return isinstance(expression, Constant) and expression.dtype == BOOL and bool(expression.value)
