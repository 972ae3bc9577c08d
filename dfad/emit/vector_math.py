"""Functions of C's library that come in vectors.

glibc's libmvec has variants of many functions for 2 to 16 arguments at once, but its header declares them for -ffast-math only. Declared
again with the attribute ``simd`` they serve every loop that GCC vectorises. What a library does not have must not be declared so:
the module would not load. So the library's own symbols are asked, for every instruction set that the declaration promises.
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Iterable, Mapping
from functools import cache

from dfad.emit.declarations import LIBM
from dfad.emit.scalar import SPELLINGS, Call

# Instruction set letter -> bytes of a vector, as in the vector function ABI of the architecture.
_WIDTHS: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    "x86_64": {"b": (16,), "c": (32,), "d": (32,), "e": (64,)},
    "aarch64": {"n": (8, 16)},
}

INLINE = frozenset({"floor", "ceil", "rint", "trunc", "sqrt", "fabs"})
"""Functions that are one instruction, for vectors too."""


@cache
def vector_functions() -> frozenset[str]:
    """The names (``exp``, ``expf``) that this machine's libmvec has in every width that GCC may call."""
    try:
        library = ctypes.CDLL("libmvec.so.1")
    except OSError:
        return frozenset()
    widths = _WIDTHS.get(platform.machine(), {})
    found = set()
    for name, arity in LIBM.items():
        for spelled, size in ((name, 8), (f"{name}f", 4)):
            symbols = [
                f"_ZGV{letter}N{width // size}{'v' * arity}_{spelled}"
                for letter, sizes in widths.items()
                for width in sizes
                if width > size
            ]
            if symbols and all(hasattr(library, symbol) for symbol in symbols):
                found.add(spelled)
    return frozenset(found)


@cache
def slow_operations() -> frozenset[str]:
    """The operations that GCC computes one by one on this machine: a loop with one of them does not run in vectors."""
    calls = {name: spelling.name for name, spelling in SPELLINGS.items() if isinstance(spelling, Call) and spelling.name in LIBM}
    return frozenset(name for name, spelled in calls.items() if spelled not in vector_functions() | INLINE) | {"mod", "floordiv"}


def declare_vectors(names: Iterable[str]) -> tuple[str, ...]:
    """The C declarations that let GCC call the vector variants of those functions that have them."""
    lines = []
    for name in sorted(set(names) & vector_functions()):
        single = name.endswith("f") and name not in LIBM
        real, arity = ("float", LIBM[name[:-1]]) if single else ("double", LIBM[name])
        lines.append(f'__attribute__((simd("notinbranch"), const)) {real} {name}({", ".join([real] * arity)});')
    return tuple(lines)


def width_flags(declared: Iterable[str]) -> tuple[str, ...]:
    """How wide vectors are: 64 bytes pay for mathematical functions, 32 for the rest.

    A stencil reads neighbours, which are not aligned: every load of 64 bytes touches two cache lines, of 32 bytes every other one
    (jacobi_2d 8 % faster with 32, exp*tanh 25 % slower); and GCC is done sooner.
    """
    return () if platform.machine() != "x86_64" or tuple(declared) else ("-mprefer-vector-width=256",)
