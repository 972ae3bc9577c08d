"""The plan of a call, as plain data: what goes into the block of a compiled kernel and what comes back.

A `Recipe` is made from a Program by `describe`, kept beside the compiled code, and carried out by `launcher/`. It needs no room of
the compiler to be read.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any

INPUT_KINDS = ("array", "integer", "float", "constant")
"""Kinds of inputs, as `launcher/` numbers them."""

ROOM = -1
"""Stands for the function of a hidden argument that says how much room there is for an array that grows (frontend/rooms.py)."""

SLOT_KINDS = ("extent", "number", "bits", "address", "scalar", "grown", "made")
"""What can stand in a slot of the block, as `launcher/` numbers them."""

SCALARS = ("double", "float", "integer", "bool", "float64", "float32")
"""How a scalar result is read from its bits: as a Python float (from a double or a float), int or bool, or as a NumPy scalar."""

Returns = int | None | tuple["Returns", ...]
"""What a call gives: positions among the inputs and then the outputs, nested as the result is."""


@dataclass(frozen=True, slots=True)
class Input:
    """A value that the call hands over: an argument of the kernel or one of its hidden arguments.

    Attributes
    ----------
    name : str
        The parameter, or the global or closure variable.
    kind : str
        One of `INPUT_KINDS`.
    dtype : str
        Of an array, by its NumPy name; else empty.
    ones : tuple of bool or None
        For each dimension of an array, whether its extent is 1; None when it may be or not.
    is_updated : bool
        Whether the function updates the array, be it in a copy here: no other argument may share its memory.
    is_written : bool
        Whether the kernel writes to the array.
    constant : None, bool or str
        The value of a constant.
    """

    name: str
    kind: str
    dtype: str = ""
    ones: tuple[bool | None, ...] = ()
    is_written: bool = False
    is_updated: bool = False
    constant: bool | str | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """An array that the launcher makes for the kernel to fill in, or a scalar that comes out of the block.

    Attributes
    ----------
    name : str
        The parameter of the Program.
    dtype : str
        NumPy name of the element type.
    like : int
        The input whose shape it has; -1 when its shape is an expression, -2 for a scalar, -3 for memory that the kernel makes, -4 for an
        array whose shape the kernel computes.
    memory : int
        The memory class that its bytes count in.
    read : int
        For a scalar: position in `SCALARS`.
    extents : tuple of int
        Where the kernel computes the shape: the scalars that it leaves it in, by their positions among the inputs and outputs.
    """

    name: str
    dtype: str
    like: int
    memory: int
    read: int = 0
    extents: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Slot:
    """What stands in one place of the block: a kind of `SLOT_KINDS`, the input or output, and for an extent the dimension."""

    kind: int
    which: int
    part: int = 0


ORIGINS = ("kept", "seed", "value", "extent")
"""Where an input of a reverse sweep comes from."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an input of a reverse sweep comes from.

    Attributes
    ----------
    kind : str
        One of `ORIGINS`: the forward sweep's kept array, the cotangent, an argument of the forward sweep, or an extent of one.
    which : int
        Its number among the kept arrays, the outputs, or the inputs of the forward sweep.
    part : int
        For an extent: the dimension.
    """

    kind: str
    which: int
    part: int = 0


@dataclass(frozen=True, slots=True)
class Site:
    """A check that can end the call, and its place: the function by its number among those inlined, lines and columns."""

    error: str
    message: str
    function: int
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that a call needs to know of a compiled kernel.

    Attributes
    ----------
    name : str
        The kernel's name.
    inputs : tuple of Input
        The kernel's parameters in order, then its hidden arguments.
    hidden : tuple of (int, str)
        For each hidden argument: the function, by its number among those inlined, and the name in that function; `ROOM` and the name of
        the input where the call itself says how large a room is.
    outputs : tuple of Output
    slots : tuple of Slot
        The block.
    symbols : tuple of Slot
        The integers that `shapes` takes.
    shapes : str
        A Python expression, a function of the integers: the shapes of all outputs. Empty when no shape needs it.
    returns : Returns
    sites : tuple of Site
    library : str
        The key of the compiled code.
    uses_blas : bool
        Whether there are matrix products.
    is_parallel : bool
        Whether threads may share a loop.
    origins : tuple of Origin
        For a reverse sweep: where each of its inputs comes from.
    sizes : tuple of int or None
        The values of `symbols` for which the code was planned; None when it serves all sizes.
    """

    name: str
    inputs: tuple[Input, ...]
    hidden: tuple[tuple[int, str], ...]
    outputs: tuple[Output, ...]
    slots: tuple[Slot, ...]
    symbols: tuple[Slot, ...]
    shapes: str
    returns: Returns
    sites: tuple[Site, ...]
    library: str
    uses_blas: bool
    is_parallel: bool
    origins: tuple[Origin, ...] = ()
    sizes: tuple[int, ...] | None = None

    @property
    def writes_again(self) -> bool:
        """Whether the kernel may have to begin again, for want of room or with other extents, after it has written to arguments."""
        may_begin_again = any(site.error in {"room", "extents"} for site in self.sites)
        return may_begin_again and any(expected.is_written for expected in self.inputs)


def to_text(recipe: Recipe) -> str:
    """The recipe as JSON."""
    return json.dumps(asdict(recipe))


def from_text(text: str) -> Recipe:
    """The recipe from `to_text`'s JSON; ValueError, KeyError or TypeError when it is none."""
    plain: dict[str, Any] = {name: _frozen(value) for name, value in json.loads(text).items()}
    for name, kind in (("inputs", Input), ("outputs", Output), ("slots", Slot), ("symbols", Slot), ("sites", Site), ("origins", Origin)):
        plain[name] = tuple(kind(**dict(part)) for part in plain[name])
    return Recipe(**plain)


def _frozen(value: Any) -> Any:
    """Lists as tuples, all the way down."""
    if isinstance(value, dict):
        return {name: _frozen(part) for name, part in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
