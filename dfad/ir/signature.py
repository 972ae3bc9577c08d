"""The types of a call's arguments: all that a compilation depends on besides the source and the options."""

from __future__ import annotations

from dataclasses import dataclass

from dfad.ir.dtype import Dtype


@dataclass(frozen=True, slots=True)
class ArrayType:
    """A NumPy array: element type, and for each dimension whether its extent is 1 (it then broadcasts)."""

    dtype: Dtype
    ones: tuple[bool, ...]

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.ones)


@dataclass(frozen=True, slots=True)
class IntegerType:
    """A Python or NumPy integer: a symbol of the Program."""


@dataclass(frozen=True, slots=True)
class FloatType:
    """A Python or NumPy float: a rank-0 float64 argument."""


@dataclass(frozen=True, slots=True)
class ConstantType:
    """None, a bool or a string: part of the code."""

    value: bool | str | None


ArgumentType = ArrayType | IntegerType | FloatType | ConstantType
