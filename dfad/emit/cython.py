"""A program as the text of a Cython module.

    emit = names + layout + outline + memory, then for each loop that is a function its text, then the kernel that calls them.

In: a LOWERED Program. Out: `Emitted`. The text is a function of the program and the options alone. Every floating-point operation of the
kernel stands in it. Not supported: complex numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import sympy

from dfad.emit.declarations import declare
from dfad.emit.emitted import ArrayField, Emitted, ExtentField, Field, FloatField, GrownField, IntegerField, MadeField, ScalarResultField
from dfad.emit.fold import fold_conditions
from dfad.emit.function import function_text, local_variables, words_of
from dfad.emit.interrupt import FEW, needs_strips, polls
from dfad.emit.lines import Lines, indent
from dfad.emit.memory import allocated_inside, place
from dfad.emit.names import identifiers
from dfad.emit.outline import chosen_loops, name_functions, outline
from dfad.emit.scope import SHORT, Scope
from dfad.emit.statement import Surroundings, statements
from dfad.emit.vector_math import declare_vectors, width_flags
from dfad.ir.dtype import F32
from dfad.ir.nodes import Array, Check, Exchange, Loop, Program, Repetition, Role, ShapeSymbol, Tasklet
from dfad.ir.sums import accumulated
from dfad.ir.walk import all_arrays, walk

DIRECTIVES = (
    "language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, "
    "binding=False, embedsignature=False, auto_pickle=False"
)

_FASTMATH = ("-fassociative-math", "-fno-signed-zeros", "-freciprocal-math", "-ffp-contract=fast")


def emit(program: Program, *, fastmath: bool) -> Emitted:
    """Print a program as a Cython module.

    Parameters
    ----------
    program : Program
        A LOWERED program.
    fastmath : bool
        Whether the compiler may reorder floating-point operations.

    Returns
    -------
    Emitted
        The text and what a caller of the module must know.

    Raises
    ------
    CompilerBug
        When the program holds what this room cannot print.
    """
    program = fold_conditions(program)
    around = _surroundings(program)
    fields = _fields(program)
    functions = [line for function in around.functions.values() for line in ("", "", *function_text(function, around))]
    body = (*functions, "", "", *_kernel(program, fields, around))
    words = words_of(body)
    vectors = declare_vectors(words)
    return Emitted(
        pyx="\n".join((*_head(program), *indent(declare(body)), *body, *_address(), "")),
        header=_header(vectors),
        fields=fields,
        sites=tuple(around.sites),
        flags=(_FASTMATH if fastmath else ()) + width_flags(vectors),
        libraries=(("-lmvec",) if vectors else ()) + ("-lm",),
        uses_blas=any(word.startswith(("dfad_gemm", "dfad_gemv")) for word in words),
        is_parallel="dfad_share" in words,
    )


def _surroundings(program: Program) -> Surroundings:
    """All that is decided before the first line is printed."""
    arrays = all_arrays(program)
    fields = _fields(program)
    made = {field.array: number for number, field in enumerate(fields) if isinstance(field, MadeField)}
    chosen = tuple(chosen_loops(program.body, arrays, made))
    names = identifiers(program)
    titles = name_functions(program, chosen, names.values())
    events = place(program, [loop for loop in chosen if isinstance(loop, Loop) and loop.parallel is not None])
    exchanged = {name for node in walk(program.body) if isinstance(node, Exchange) for name in (node.first, node.second)}
    own = {loop: {array.name for array in allocated_inside(loop, events)} for loop in chosen}
    asked = {loop: polls(loop) for loop in chosen}
    return Surroundings(
        scope=Scope(arrays, names, wide=_wide(program, arrays, exchanged), extents=_extents(program)),
        functions={loop: outline(titles[loop], loop, arrays, own[loop]) for loop in chosen},
        events=events,
        sites={check: k for k, check in enumerate(node for node in walk(program.body) if isinstance(node, Check))},
        polls=_kernel_polls(program, chosen) | {loop: work for found in asked.values() for loop, work in found.items()},
        strips=frozenset(loop for loop in chosen if needs_strips(loop, asked[loop])),
        exchanged=frozenset(exchanged),
        growing={array.name: number for number, array in enumerate(array for array in arrays.values() if array.grows)},
        made=made,
    )


def _extents(program: Program) -> frozenset[str]:
    return frozenset(bound.symbol.name for bound in program.symbols if isinstance(bound, ShapeSymbol))


def _kernel_polls(program: Program, chosen: Collection[Repetition]) -> dict[Repetition, sympy.Expr]:
    """The loops that stay in the kernel: cheap to ask in each."""
    inside = {part for loop in chosen for part in walk(loop)}
    return {node: sympy.Integer(FEW) for node in walk(program.body) if isinstance(node, Repetition) and node not in inside}


def _wide(program: Program, arrays: Mapping[str, Array], exchanged: Collection[str]) -> frozenset[str]:
    """The float32 scalars that sums of free order are added into; exchanged ones keep their type."""
    sums = {node.write.array for node in walk(program.body) if isinstance(node, Tasklet) and accumulated(node) == "add"}
    return frozenset(name for name in sums.difference(exchanged) if arrays[name].rank == 0 and arrays[name].dtype == F32)


def _fields(program: Program) -> tuple[Field, ...]:
    symbols = tuple(
        ExtentField(bound.array, bound.dimension) if isinstance(bound, ShapeSymbol) else IntegerField(bound.parameter)
        for bound in program.symbols
    )
    made = {name for name, _ in program.extents}
    return symbols + tuple(MadeField(a.name, a.dtype) if a.name in made else _field(a) for a in program.parameters)


def _field(array: Array) -> Field:
    if array.grows and array.role == Role.RESULT:
        return GrownField(array.name, array.dtype)
    if array.rank > 0:
        return ArrayField(array.name, array.dtype, array.role)
    if array.role == Role.RESULT:
        return ScalarResultField(array.name, array.dtype)
    return FloatField(array.name, array.dtype) if array.dtype.is_float else IntegerField(array.name)


# ---------------------------------------------------------------- the kernel


def _kernel(program: Program, fields: Sequence[Field], around: Surroundings) -> Lines:
    """The function that the launcher calls: it unpacks the block, allocates, and runs the loops."""
    scope = around.scope
    body = statements(program.body, around)
    results = tuple(line for k, field in enumerate(fields) for line in _handed_over(k, field, scope))
    return (
        "cdef int64_t kernel(dfad_workspace* ws, int64_t* block) noexcept nogil:",
        *indent(_unpack(program, fields, around)),
        *indent(local_variables(program.body, body, _kernel_arrays(around), around)),
        *indent(body),
        *indent(results),
        "    return 0",
    )


def _handed_over(k: int, field: Field, scope: Scope) -> Lines:
    """What the kernel leaves in a slot of the block."""
    match field:
        case ScalarResultField(array):
            return (f"block[{k}] = {_as_bits(scope.arrays[array], scope.place(array))}",)
        case GrownField(array):
            return (f"block[{k}] = <int64_t> {scope.names[array]}",)
        case _:
            return ()


def _unpack(program: Program, fields: Sequence[Field], around: Surroundings) -> Lines:
    """The arguments as variables. Pointers are plain here, so that an Exchange can assign them."""
    scope = around.scope
    lines = [f"cdef int64_t {scope.names[bound.symbol.name]} = block[{k}]" for k, bound in enumerate(program.symbols)]
    for k, array in enumerate(program.parameters, start=len(program.symbols)):
        name, c_type = scope.names[array.name], scope.scalar_type(array)
        match fields[k]:
            case ArrayField():
                lines.append(f"cdef {array.dtype.c_name}* {name} = <{array.dtype.c_name}*> dfad_load_pointer(&block[{k}])")
            case GrownField():
                place = f"dfad_reserve(ws, {around.growing[array.name]}, block[{k}])"
                lines.append(f"cdef {array.dtype.c_name}* {name} = <{array.dtype.c_name}*> {place}")
                lines.append(f"if dfad_rare({name} == NULL): return 1")
            case MadeField():
                lines.append(f"cdef {array.dtype.c_name}* {name} = NULL")
            case ScalarResultField():
                lines.append(f"cdef {c_type} {name} = 0")
            case FloatField():
                lines.append(f"cdef {c_type} {name} = dfad_load_{SHORT[array.dtype.name]}(block[{k}])")
            case _:
                lines.append(f"cdef {c_type} {name} = block[{k}]")
    return tuple(lines)


def _as_bits(array: Array, text: str) -> str:
    return f"dfad_store_{SHORT[array.dtype.name]}({text})" if array.dtype.is_float else text


def _kernel_arrays(around: Surroundings) -> list[Array]:
    """The arrays that the kernel itself allocates."""
    events = around.events
    elsewhere = {array for loop in around.functions for array in allocated_inside(loop, events)}
    own = (array for arrays in (*events.before.values(), *events.entry.values(), *events.parts.values()) for array in arrays)
    return [array for array in own if array not in elsewhere]


# ---------------------------------------------------------------- the module


def _head(program: Program) -> Lines:
    return (
        f"# cython: {DIRECTIVES}",
        f"# Generated by dfad from {program.name}. A comment at the end of a line names the line of the source.",
        "",
        'cdef extern from "dfad.h" nogil:',
    )


def _address() -> Lines:
    return ("", "", "def address():", "    return <size_t> <void*> &kernel")


def _header(vectors: Lines) -> str:
    """dfad.h, with the vector functions that the module calls."""
    text = Path(__file__).with_name("dfad.h").read_text()
    return text.replace("#endif\n", "\n".join((*vectors, "", "#endif", "")))
