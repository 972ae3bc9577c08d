"""Where an element lies: arrays are C-contiguous, element (i, j, k) of shape (a, b, c) is number (i*b + j)*c + k."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import sympy

from dfad.emit.flat import is_flat
from dfad.emit.integer import PRODUCT
from dfad.emit.scope import Scope
from dfad.errors import CompilerBug
from dfad.ir.lifetimes import bytes_of
from dfad.ir.memlet import Index, Memlet, Range
from dfad.ir.nodes import Array


def element(memlet: Memlet, scope: Scope) -> str:
    """The element that a memlet without ranges names."""
    array = scope.arrays[memlet.array]
    if array.rank == 0:
        return scope.place(array.name)
    if scope.flat and is_flat(memlet.subset, array.shape, scope.flat):
        return f"{scope.names[array.name]}[{scope.names[scope.flat[-1].name]}]"
    return f"{scope.names[array.name]}[{offset(memlet.subset, array, scope)}]"


def offset(subset: Sequence[Index], array: Array, scope: Scope) -> str:
    """The number of an element, by Horner's rule; of a range, its first element counts."""
    text = ""
    for index, extent in zip(subset, array.shape, strict=True):
        first = index.start if isinstance(index, Range) else index
        below = scope.integer(first)
        if text and extent == 1 and first == 0:
            continue
        if text:
            text = f"({text})" if is_sum(text) else text
            text = f"{text}*{scope.integer(extent, PRODUCT + 1)}" + ("" if first == 0 else f" + {_term(below)}")
        elif first != 0:
            text = below
    return text or "0"


def is_sum(text: str) -> bool:
    """Whether a text has a sign outside parentheses."""
    while (flat := re.sub(r"\([^()]*\)", "", text)) != text:
        text = flat
    return "+" in text or "-" in text


def _term(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def stride(array: Array, dimension: int) -> sympy.Expr:
    """How many elements lie from one index of the dimension to the next."""
    if not 0 <= dimension < array.rank:
        raise CompilerBug(f"{array.name} has no dimension {dimension}")
    return sympy.prod(array.shape[dimension + 1 :], start=sympy.Integer(1))


def size(array: Array) -> sympy.Expr:
    """The number of elements."""
    return sympy.prod(array.shape, start=sympy.Integer(1))


def bytes_text(array: Array, scope: Scope, rows: sympy.Expr | None = None) -> str:
    """The bytes of an array, or of so many rows of one that grows.

    Where other integers than extents of arguments decide, 64 bits may not count them: then it asks for more than there are.
    """
    shape = array.shape if rows is None else (rows, *array.shape[1:])
    factors = [factor for extent in shape for factor in sympy.Mul.make_args(extent)]
    if {part.name for factor in factors for part in factor.free_symbols} <= scope.extents:
        return scope.integer(bytes_of(replace(array, shape=shape)))
    text = str(array.dtype.bytes)
    for factor in factors:
        text = text if factor == 1 else f"dfad_bytes({text}, {scope.integer(factor)})"
    return text
