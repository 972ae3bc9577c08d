"""What the printers know where they print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import sympy

from dfad.emit.integer import SUM, integer_text
from dfad.ir.dtype import Dtype
from dfad.ir.nodes import Array

POINTERS = {"float64": "f64p", "float32": "f32p", "int64": "i64p", "int32": "i32p", "int8": "i8p", "bool": "u8p"}
"""The restrict pointer type to elements of a dtype."""

SHORT = {"float64": "f64", "float32": "f32", "int64": "i64", "int32": "i32", "int8": "i8", "bool": "u8"}
"""How helper functions name a dtype."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The arrays of a program by name and how names are spelled.

    Attributes
    ----------
    arrays : mapping
        Every array of the program.
    names : mapping
        Array or symbol -> identifier.
    wide : frozenset
        Float32 scalars that sums are added into: held as doubles.
    places : mapping
        Scalars that stand for something else at the moment, such as a partial sum.
    flat : tuple of Symbol
        Loop indices of which the last stands for all: the number of an element (flat.py).
    extents : frozenset
        The symbols that are extents of arguments.
    """

    arrays: Mapping[str, Array]
    names: Mapping[str, str]
    wide: frozenset[str] = frozenset()
    places: Mapping[str, str] = field(default_factory=dict)
    flat: tuple[sympy.Symbol, ...] = ()
    extents: frozenset[str] = frozenset()

    def integer(self, value: sympy.Expr, level: int = SUM) -> str:
        """A symbolic integer as text."""
        return integer_text(value, self.names, level)

    def scalar_type(self, array: Array) -> str:
        """The C type of a rank-0 array."""
        return "double" if array.name in self.wide else array.dtype.c_name

    def place(self, name: str) -> str:
        """A rank-0 array as text."""
        return self.places.get(name, self.names[name])

    def with_places(self, places: Mapping[str, str]) -> Scope:
        """The scope in which those scalars stand for those texts."""
        return replace(self, places={**self.places, **places})


def pointer(dtype: Dtype) -> str:
    """The restrict pointer type to elements of the dtype."""
    return POINTERS[dtype.name]
