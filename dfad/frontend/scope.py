"""Where lowering stands: the functions being lowered, outermost first, and what their names mean.

A `Frame` is one function in one call: its text, its variables, and the homes of those that a region carries. A `Context` is all of them
round one Builder; each lowering function takes it first.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FunctionType
from typing import NoReturn

from dfad.errors import KernelTypeError, Place, UnsupportedSyntax
from dfad.frontend.blocks import OpenBlock
from dfad.frontend.builder import Builder
from dfad.frontend.liveness import Liveness
from dfad.frontend.values import Deferred, Masked, Scalar, Selection, Shape, Tuple, Value, View, element, scalars, whole
from dfad.ir.dtype import Dtype
from dfad.ir.nodes import Array, IntegerSymbol, Read, ShapeSymbol
from dfad.ir.signature import ArgumentType
from dfad.ir.walk import walk_expression
from dfad.source import Location, SourceText


@dataclass(eq=False, slots=True)
class Home:
    """The array in which a region carries a variable; made at the first assignment when there is no value before.

    ``key`` names it across attempts: what an attempt learns of its type, the next one knows from the start. Where it ``selects``, the
    variable means one of the views of its ``selection``, of which ``own`` is an array for what is no view (selections.py), and ``buffers``
    are more of these, where several other variables may mean them (buffers.py); it ``resizes`` where the extents of the views differ,
    ``restrides`` where their strides do. Where it is ``exchanged``, its region only exchanges the variable, which keeps an array of its
    own, the caller's perhaps.
    """

    key: str
    block: OpenBlock
    array: Array | None = None
    weak: bool = False
    needs_start: bool = False
    fixed: Value | None = None
    selects: bool = False
    resizes: bool = False
    restrides: bool = False
    exchanged: bool = False
    selection: Selection | None = None
    own: Array | None = None
    buffers: tuple[Array, ...] = ()

    @property
    def variable(self) -> str:
        """The variable, with the path of its frame."""
        return self.key.rpartition("@")[0]

    @property
    def arrays(self) -> Iterator[Array]:
        """Every array that an assignment to the variable may write."""
        yield from (array for array in (self.array, self.own, *self.buffers) if array is not None)

    @property
    def value(self) -> Value | None:
        """What the variable stands for while the region runs; None before the first assignment."""
        if self.array is None:
            return self.selection or self.fixed
        return whole(self.array) if self.array.rank else element(self.array, self.weak)


HELD = "rows in region "
"""Begins the name under which a frame keeps what a loop runs over; no variable of a kernel has such a name."""


PENDING = "value to assign "
"""Begins the name under which a frame keeps a value until its target's turn comes."""


def is_held(name: str) -> bool:
    """Whether it names what a loop runs over."""
    return name.startswith(HELD)


def held_since(name: str) -> int:
    """The number of regions that were open when that loop began."""
    return int(name.removeprefix(HELD).split(", ")[0])


def spelled(name: str) -> str:
    """What an array is called that such a name, or a variable, means."""
    return name if name.isidentifier() else "rows"


@dataclass(frozen=True, slots=True)
class Computed:
    """A result whose shape the kernel computes: an array that grows, and the scalars that hold its extents (computed.py)."""

    array: Array
    extents: tuple[Array, ...]


@dataclass(eq=False, slots=True)
class Frame:
    """One function in one call. ``lent``: the arrays that its caller handed over, which others may be about to read. ``gives``: which
    result of the kernel its value is (computed.py), where it is one as it stands; ``returned``: the same of the variables that hold its
    results where it returns early (exits.py). ``called``: where the kernel calls it, if it is one of dfad's own texts (spelled.py): all
    that happens in these happens at the call."""

    source: SourceText
    liveness: Liveness
    path: str
    variables: dict[str, Value] = field(default_factory=dict)
    homes: dict[str, Home] = field(default_factory=dict)
    locations: dict[ast.AST, Location] = field(default_factory=dict)
    lent: frozenset[str] = frozenset()
    gives: str | None = None
    returned: Mapping[str, str] = field(default_factory=dict)
    called: Location | None = None
    calling: dict[ast.AST, bool] = field(default_factory=dict)
    statement: ast.stmt | None = None
    regions: int = 0
    result: Value | None = None

    @contextmanager
    def holding(self, values: Sequence[Value]) -> Iterator[list[str]]:
        """Keep what a loop runs over, alive to its end, under names of its own: whoever binds a variable anew sees them."""
        others = sum(name.startswith(f"{HELD}{self.regions}, ") for name in self.variables)  # of loops around that are unrolled
        names = [f"{HELD}{self.regions}, {place}" for place in range(others, others + len(values))]
        self.variables.update(zip(names, values, strict=True))
        yield names
        for name in names:
            self.variables.pop(name, None)

    def in_turn(self, values: Sequence[Value]) -> Iterator[Value]:
        """The values of an assignment to several names, each as the assignments before it leave it: what it means may have moved."""
        names = [f"{PENDING}{id(values)} {place}" for place in range(len(values))]
        self.variables.update(zip(names, values, strict=True))
        for name in names:
            yield self.variables.pop(name)

    def is_live(self, name: str) -> bool:
        """Whether a variable is read after the present statement or, where that is a region that begins, in it."""
        if self.statement is None or name.startswith((HELD, PENDING)):
            return True
        facts = self.liveness.regions.get(self.statement)
        return name in self.liveness.after.get(self.statement, {name}) or (facts is not None and name in facts.entering)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A variable whose array holds a copy of what may still be the variable itself (doubts.py).

    ``keys`` name the expressions that made the copies; None is among them where a copy was the only way. Where the copy ``has_moved``,
    other variables mean it. It ``is_early`` where it was made before a region that writes the origin on one path only. ``sources`` are the
    variables, with their frames, of whose doubts it came.
    """

    frame: Frame
    variable: str
    origins: frozenset[str]
    keys: frozenset[str | None] = frozenset()
    has_moved: bool = False
    is_early: bool = False
    sources: frozenset[tuple[Frame, str]] = frozenset()

    @property
    def is_live(self) -> bool:
        """Whether somebody still reads the copy."""
        return self.has_moved or self.frame.is_live(self.variable)


@dataclass(frozen=True, slots=True)
class Hidden:
    """A number or array that the function finds outside its parameters, read anew at every call; or how large a room is (rooms.py).

    Attributes
    ----------
    name : str
        Its parameter (or symbol) in the Program.
    variable : str
        What the source calls it.
    source : SourceText
        The function that reads it.
    get : callable
        Its value now.
    type : ArgumentType
        The type that was compiled.
    is_room : bool
        Whether the call itself says how large a room is to be.
    """

    name: str
    variable: str
    source: SourceText
    get: Callable[[], object]
    type: ArgumentType
    is_room: bool = False


@dataclass(frozen=True, slots=True)
class Resolved:
    """A function, module or constant that a name meant when the kernel was compiled; another object there needs a new compilation."""

    variable: str
    get: Callable[[], object]
    value: object

    def is_current(self) -> bool:
        """Whether the name still means the same object."""
        return self.get() is self.value


class Retry(Exception):
    """A variable has another type than this attempt took it for; the Context knows it now, the next attempt starts with it."""


@dataclass(frozen=True, slots=True)
class Items:
    """The variables of the items of one that is a tuple or list, and which of these it is (unpacked.py)."""

    names: tuple[str, ...]
    is_list: bool


@dataclass(eq=False, slots=True)
class Learned:
    """What an attempt at lowering a function learned, for the next one.

    Attributes
    ----------
    types : dict
        The dtype of a home, by its key, and whether it is weak.
    buffers : dict
        How many further buffers a variable has, with the path of its frame (buffers.py).
    viewed : set
        Keys of expressions that give a view, where a copy did not do (doubts.py).
    selected : set
        Variables, with the path of their frame, that are selections.
    resized : set
        Those of these whose views have different extents.
    restrided : set
        Those of these whose views have strides that the kernel computes.
    views : dict
        The views that a selection can mean, by the key of its home.
    rooms : dict
        The shapes, known outside, of values that go into the room of such a variable, by the key of its home (rooms.py).
    growing : set
        Variables of those, with the path of their frame, and the directions in which they outgrow these shapes.
    shared : set
        Variables, with the path of their frame, that keep meaning the array from before the region, where a copy in the room did not do.
    items : dict
        By the path of a frame, its variables that are tuples which change, and the variables of their items (unpacked.py).
    along : set
        Variables, with the path of their frame, that regions carry which do not bind them but may write what they mean.
    early : dict
        The shapes of variables that a loop reads, in its text, before it assigns them, by the key of their home (early.py).
    computed : set
        The results whose shape the kernel computes.
    elements : dict
        The types and shapes of the elements of comprehensions, by the path of the frame.
    """

    types: dict[str, tuple[Dtype, bool]] = field(default_factory=dict)
    buffers: dict[str, int] = field(default_factory=dict)
    viewed: set[str] = field(default_factory=set)
    selected: set[str] = field(default_factory=set)
    resized: set[str] = field(default_factory=set)
    restrided: set[str] = field(default_factory=set)
    views: dict[str, list[View]] = field(default_factory=dict)
    rooms: dict[str, list[Shape]] = field(default_factory=dict)
    growing: set[tuple[str, int]] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    items: dict[str, dict[str, Items]] = field(default_factory=dict)
    along: set[str] = field(default_factory=set)
    early: dict[str, Shape | None] = field(default_factory=dict)
    computed: set[str] = field(default_factory=set)
    elements: dict[str, tuple[Dtype, Shape]] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Context:
    """All that lowering carries about: the Builder, the frames, and what earlier attempts learned."""

    builder: Builder
    inline: Callable[[Context, FunctionType, Sequence[Value], Mapping[str, Value]], Value]
    side_by_side: Callable[[Context, Masked], View]
    as_array: Callable[[Context, Tuple, Dtype | None], Deferred]
    learned: Learned
    frames: list[Frame] = field(default_factory=list)
    hidden: dict[str, tuple[Hidden, Value]] = field(default_factory=dict)
    resolved: dict[tuple[int, str], Resolved] = field(default_factory=dict)
    doubts: dict[str, Doubt] = field(default_factory=dict)
    written: list[set[str]] = field(default_factory=list)
    inlined: dict[FunctionType, SourceText] = field(default_factory=dict)
    unknown: dict[str, Shape | None] = field(default_factory=dict)
    computed: dict[str, Computed] = field(default_factory=dict)
    returned: dict[str, Shape] = field(default_factory=dict)
    parameters: list[Array] = field(default_factory=list)
    symbols: list[ShapeSymbol | IntegerSymbol] = field(default_factory=list)
    place: ast.AST = field(default_factory=ast.Pass)

    @property
    def frame(self) -> Frame:
        """The function being lowered."""
        return self.frames[-1]

    def locate(self, node: ast.AST) -> Location:
        """The place of a node of the current function, or of the call where the function is dfad's own."""
        if self.frame.called is not None:
            return self.frame.called
        known = self.frame.locations.get(node)
        if known is None:
            known = self.frame.locations[node] = self.frame.source.locate(node)
        return known

    @property
    def spot(self) -> str:
        """Line and column of the present place in the text of its function, for keys."""
        place = self.frame.source.locate(self.place)
        return f"{place.line}.{place.column}"

    def stand_at(self, node: ast.AST) -> None:
        """What is built from here on belongs to that node of the source."""
        self.place = node
        self.builder.where = self.locate(node)

    def wrong_type(self, message: str, hint: str | None = None) -> NoReturn:
        """Refuse the program for a type, at the present place."""
        raise KernelTypeError(message, **self._place(hint))

    def unsupported(self, message: str, hint: str | None = None) -> NoReturn:
        """Refuse the program for something that dfad does not take, at the present place."""
        raise UnsupportedSyntax(message, **self._place(hint))

    def _place(self, hint: str | None) -> Place:
        place = self.locate(self.place).place()
        place["hint"] = hint
        return place

    def holders(self, array: str) -> Iterator[tuple[Frame, str]]:
        """The variables, of all frames, whose value reads the array of that name."""
        for frame in self.frames:
            for name, value in frame.variables.items():
                if any(_reads(part, array) for part in scalars(value)):
                    yield frame, name


def _reads(value: Scalar | View, array: str) -> bool:
    if isinstance(value, View):
        return value.array.name == array
    return any(isinstance(part, Read) and part.memlet.array == array for part in walk_expression(value.expression))
