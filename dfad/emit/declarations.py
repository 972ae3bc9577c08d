"""The C functions and types that generated code may name; a module declares those that it uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_TYPES = {
    "int64_t": "ctypedef long int64_t",
    "int32_t": "ctypedef int int32_t",
    "int8_t": "ctypedef signed char int8_t",
    "uint8_t": "ctypedef unsigned char uint8_t",
    "f64p": 'ctypedef double* f64p "dfad_f64p"',
    "f32p": 'ctypedef float* f32p "dfad_f32p"',
    "i64p": 'ctypedef int64_t* i64p "dfad_i64p"',
    "i32p": 'ctypedef int32_t* i32p "dfad_i32p"',
    "i8p": 'ctypedef int8_t* i8p "dfad_i8p"',
    "u8p": 'ctypedef uint8_t* u8p "dfad_u8p"',
    "dfad_workspace": "ctypedef struct dfad_workspace:\n    pass",
}

_RUNTIME = {
    "dfad_rare": "bint dfad_rare(bint)",
    "dfad_poll": "bint dfad_poll(dfad_workspace*, int64_t)",
    "dfad_allocate": "void* dfad_allocate(dfad_workspace*, int64_t, int64_t)",
    "dfad_reserve": "void* dfad_reserve(dfad_workspace*, int64_t, int64_t)",
    "dfad_make": "void* dfad_make(dfad_workspace*, int64_t, int64_t)",
    "dfad_grow": "bint dfad_grow(dfad_workspace*, void*, int64_t)",
    "dfad_release": "void dfad_release(dfad_workspace*, void*)",
    "dfad_clear": "void dfad_clear(void*, int64_t)",
    "dfad_copy": "void dfad_copy(void*, void*, int64_t)",
    "dfad_fail": "int64_t dfad_fail(dfad_workspace*, int64_t, int64_t, int64_t, int64_t, int64_t)",
    "dfad_load_pointer": "void* dfad_load_pointer(int64_t*)",
    "dfad_load_f64": "double dfad_load_f64(int64_t)",
    "dfad_load_f32": "float dfad_load_f32(int64_t)",
    "dfad_store_f64": "int64_t dfad_store_f64(double)",
    "dfad_store_f32": "int64_t dfad_store_f32(float)",
    "dfad_trips": "int64_t dfad_trips(int64_t, int64_t, int64_t)",
    "dfad_whole": "int64_t dfad_whole(int64_t, int64_t)",
    "dfad_part": "ctypedef int64_t (*dfad_part)(dfad_workspace*, int64_t, int64_t, int64_t, void*) noexcept",
    "dfad_parts": "int64_t dfad_parts(dfad_workspace*, int64_t, int64_t, bint)",
    "dfad_share": "int64_t dfad_share(dfad_workspace*, int64_t, bint, dfad_part, void*)",
    "dfad_cut": "int64_t dfad_cut(int64_t, int64_t, int64_t, int64_t, int64_t)",
    "dfad_for_all": "int64_t dfad_for_all(dfad_workspace*, int64_t, int64_t)",
    "dfad_own": "void* dfad_own(void*, int64_t, int64_t)",
    "dfad_fail_in": "int64_t dfad_fail_in(dfad_workspace*, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t)",
    "dfad_poll_in": "bint dfad_poll_in(dfad_workspace*, int64_t, int64_t)",
}

_INTEGERS = {
    name: f"int64_t {name}({', '.join(['int64_t'] * arity)})"
    for name, arity in {
        "dfad_bytes": 2,
        "dfad_floordiv": 2,
        "dfad_mod": 2,
        "dfad_fmod": 2,
        "dfad_min": 2,
        "dfad_max": 2,
        "dfad_power": 2,
        "dfad_xor": 2,
        "dfad_left_shift": 2,
        "dfad_right_shift": 2,
        "dfad_abs": 1,
        "dfad_sign": 1,
        "dfad_invert": 1,
    }.items()
}

LIBM = {
    "acos": 1, "acosh": 1, "asin": 1, "asinh": 1, "atan": 1, "atan2": 2, "atanh": 1, "cbrt": 1, "ceil": 1, "copysign": 2, "cos": 1,
    "cosh": 1, "erf": 1, "erfc": 1, "exp": 1, "exp2": 1, "expm1": 1, "fabs": 1, "floor": 1, "fmod": 2, "hypot": 2, "lgamma": 1, "log": 1,
    "log10": 1, "log1p": 1, "log2": 1, "nextafter": 2, "pow": 2, "rint": 1, "sin": 1, "sinh": 1, "sqrt": 1, "tan": 1, "tanh": 1,
    "tgamma": 1, "trunc": 1,
}  # fmt: skip
"""The functions of C's mathematical library that operations become, with their arity; the float version has the suffix ``f``."""

_OWN = {
    "maximum": 2, "minimum": 2, "python_max": 2, "python_min": 2, "mod": 2, "floordiv": 2, "sign": 1, "square": 1, "cube": 1, "fourth": 1,
    "digamma": 1,
}  # fmt: skip


def _routine(name: str, signature: str) -> str:
    """A routine on a workspace; the signature counts integers and names the elements of arrays between them."""
    words = (["int64_t"] * int(word) if word.isdigit() else [f"{word}*"] for word in signature.split())
    return f"void {name}(dfad_workspace*, {', '.join(word for part in words for word in part)})"


def _floating() -> dict[str, str]:
    table = {"INFINITY": "double INFINITY", "NAN": "double NAN", "isnan": "bint isnan(double)"}
    for real, dtype, suffix in (("double", "f64", ""), ("float", "f32", "f")):
        for name, arity in LIBM.items():
            table[name + suffix] = f"{real} {name}{suffix}({', '.join([real] * arity)})"
        for name, arity in _OWN.items():
            table[f"dfad_{name}_{dtype}"] = f"{real} dfad_{name}_{dtype}({', '.join([real] * arity)})"
        table[f"dfad_isinf_{dtype}"] = f"bint dfad_isinf_{dtype}({real})"
        table[f"dfad_gemm_{dtype}"] = _routine(f"dfad_gemm_{dtype}", f"5 {real} 1 {real} 2 {real} 1")
        table[f"dfad_gemv_{dtype}"] = _routine(f"dfad_gemv_{dtype}", f"3 {real} 1 {real} 2 {real} 1")
    return table


DECLARATIONS: Mapping[str, str] = _TYPES | _RUNTIME | _INTEGERS | _floating()
"""Name -> its declaration in Cython, in the order in which they can stand."""


def declare(lines: Iterable[str]) -> tuple[str, ...]:
    """The declarations of what the lines name."""
    named = {word for line in lines for word in re.findall(r"\w+", line.partition("#")[0])} | {"int64_t", "dfad_workspace"}
    pointers = {"i32p": "int32_t", "i8p": "int8_t", "u8p": "uint8_t"}
    named |= {pointers[word] for word in named & pointers.keys()} | ({"dfad_part"} if "dfad_share" in named else set())
    return tuple(line for name, text in DECLARATIONS.items() if name in named for line in text.splitlines())
