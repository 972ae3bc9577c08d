"""What arrays and symbols are called in generated code: their own names, unless Cython, C or the generated code itself uses them."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator

from dfad.emit.declarations import DECLARATIONS
from dfad.ir.nodes import Block, Loop, Program, While
from dfad.ir.walk import walk

_CYTHON = """
NULL bint by ccall cdef char cimport const cpdef ctypedef cppclass DEF double ELIF ELSE enum extern float fused gil IF
include inline int long namespace nogil noexcept object packed public readonly register short signed sizeof size_t
ssize_t struct template typeid union unsigned void volatile prange print exec range abs min max len round sum pow divmod
bool complex list tuple dict set str bytes
"""

_OURS = "address block kernel lane part parts status strip swap ws wide rest first last thread given its"

_ENDINGS = ("_part", "_parts", "_strip", "_lanes", "_memory", "_out")

_RESERVED = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | {*_CYTHON.split(), *_OURS.split(), *DECLARATIONS}


def identifiers(program: Program) -> dict[str, str]:
    """Arrays and symbols of the program -> identifiers of generated code, different for different names."""
    names = tuple(dict.fromkeys(_names(program)))
    derived = {_plain(name) + ending for name in names for ending in _ENDINGS}
    found: dict[str, str] = {}
    for name in names:
        found[name] = _fresh(_plain(name), derived.union(found.values()))
    return found


def _names(program: Program) -> Iterator[str]:
    yield from (bound.symbol.name for bound in program.symbols)
    yield from (array.name for array in program.parameters)
    for node in walk(program.body):
        match node:
            case Block():
                yield from (array.name for array in node.arrays)
            case Loop() | While():
                yield node.index.name


def _plain(name: str) -> str:
    """The name in the letters that C knows."""
    text = "".join(letter if letter.isascii() else f"u{ord(letter):x}" for letter in name)
    text = re.sub(r"\W", "_", text)
    return text if text[:1].isalpha() else f"v{text}"


def _fresh(name: str, taken: set[str]) -> str:
    """The name, or the name with underscores: none that is reserved or taken."""
    while name in _RESERVED or name in taken or name.startswith(("dfad_", "__")):
        name += "_"
    return name
