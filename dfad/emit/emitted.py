"""What this room hands over: the text of a Cython module and all that a caller of it must know."""

from __future__ import annotations

from dataclasses import dataclass

from dfad.ir.dtype import Dtype
from dfad.ir.nodes import Check, Role


@dataclass(frozen=True, slots=True)
class ExtentField:
    """The extent of a dimension of an array argument."""

    array: str
    dimension: int


@dataclass(frozen=True, slots=True)
class IntegerField:
    """The value of an integer parameter."""

    parameter: str


@dataclass(frozen=True, slots=True)
class FloatField:
    """The bits of a rank-0 argument: a double, or a float in the lower half."""

    array: str
    dtype: Dtype


@dataclass(frozen=True, slots=True)
class ArrayField:
    """The address of the first element of a C-contiguous, aligned array."""

    array: str
    dtype: Dtype
    role: Role


@dataclass(frozen=True, slots=True)
class ScalarResultField:
    """A rank-0 result: the kernel writes its bits here (an integer or a bool as an int64)."""

    array: str
    dtype: Dtype


@dataclass(frozen=True, slots=True)
class GrownField:
    """A result that grows: the kernel finds the class of its memory here, and leaves the address, which the caller then owns."""

    array: str
    dtype: Dtype


@dataclass(frozen=True, slots=True)
class MadeField:
    """A result whose shape the kernel computes: the kernel finds here which one it is, and asks for its memory with that."""

    array: str
    dtype: Dtype


Field = GrownField | MadeField | ExtentField | IntegerField | FloatField | ArrayField | ScalarResultField


@dataclass(frozen=True, slots=True)
class Emitted:
    """A kernel as text.

    The module defines ``address()``, the address of

        int64_t kernel(dfad_workspace* ws, int64_t* block)

    where ``block[k]`` is the slot of ``fields[k]``. It answers with a status: 0 all went well, 1 out of memory, 2 a Check failed
    (``ws->site`` is its position in ``sites``, ``ws->values`` its values), 3 interrupted. ``dfad.h`` describes the workspace.

    Attributes
    ----------
    pyx : str
        The Cython module.
    header : str
        The text of the file ``dfad.h`` that it includes.
    fields : tuple of Field
        What each slot of the block holds.
    sites : tuple of Check
        The checks that can end the call.
    flags : tuple of str
        What the C compiler is given beside the usual flags.
    libraries : tuple of str
        What the linker is given, such as ``-lmvec``.
    uses_blas : bool
        Whether the kernel calls through ``ws->blas``.
    is_parallel : bool
        Whether it asks ``ws->team`` for threads.
    """

    pyx: str
    header: str
    fields: tuple[Field, ...]
    sites: tuple[Check, ...]
    flags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    uses_blas: bool = False
    is_parallel: bool = False
