"""A loop as a function of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from dfad.emit.bulk import bulk_text, is_bulk
from dfad.emit.lines import Lines, indent
from dfad.emit.memory import allocated_inside
from dfad.emit.outline import Function
from dfad.emit.parts import MOST_PARTS, WHERE, part_text, struct_text
from dfad.emit.scope import Scope, pointer
from dfad.emit.statement import Surroundings, flattened, loop_text, while_text
from dfad.emit.sums import LANES
from dfad.ir.nodes import Array, Block, Loop, Node, Repetition, While
from dfad.ir.walk import walk

_COUNTERS = ("status", "part", "parts", "wide", "rest", "lane", "first", "last")


def function_text(function: Function, around: Surroundings) -> Lines:
    """A loop as a function. Scalars that it changes are held in locals and written back at the end."""
    scope, names = around.scope, around.scope.names
    others = {loop: other for loop, other in around.functions.items() if loop is not function.loop}
    inner = replace(around, functions=others, parallel=function.is_parallel)
    body = _text(function.loop, inner)
    updated = [f"cdef {scope.scalar_type(scope.arrays[name])} {names[name]} = {names[name]}_out[0]" for name in function.updated]
    return (
        f"cdef int64_t {function.name}({_parameters(function, scope)}) noexcept nogil:",
        *indent(local_variables(function.loop, body, allocated_inside(function.loop, around.events), around)),
        *indent(updated),
        *indent(body),
        *indent(f"{names[name]}_out[0] = {names[name]}" for name in function.updated),
        "    return 0",
        *(("", "", *struct_text(function, scope, around.events.parts[function.loop])) if function.is_parallel else ()),
    )


def _text(loop: Repetition, around: Surroundings) -> Lines:
    if isinstance(loop, While):
        return while_text(loop, around)
    return _part_text(loop, around) if around.parallel else loop_text(loop, around)


def _parameters(function: Function, scope: Scope) -> str:
    arrays, names = scope.arrays, scope.names
    return ", ".join(
        (
            "dfad_workspace* ws",
            *(f"int64_t {word}" for word in (WHERE if function.is_parallel else ())),
            *(f"int64_t {names[name]}" for name in function.integers),
            *(f"{scope.scalar_type(arrays[name])} {names[name]}" for name in function.scalars),
            *(f"{'f64p' if name in scope.wide else pointer(arrays[name].dtype)} {names[name]}_out" for name in function.updated),
            *(f"{pointer(arrays[name].dtype)} {names[name]}" for name in function.arrays),
        )
    )


def _part_text(loop: Loop, around: Surroundings) -> Lines:
    flat, inside = flattened(loop, around)
    if flat.step == 1 and is_bulk(loop, around.scope.arrays):
        return part_text(flat, around.scope, lambda bounds: (bulk_text(loop, around.scope, bounds),))
    return part_text(flat, inside.scope, lambda bounds: loop_text(flat, inside, bounds))


def local_variables(node: Node, body: Lines, own: Iterable[Array], around: Surroundings) -> Lines:
    """The declarations of what the lines set: loop indices, scalars, the arrays that they allocate (``own``), and emit's own variables."""
    scope, words = around.scope, words_of(body)
    given = WHERE if isinstance(node, Loop) and node.parallel is not None else ()
    types: dict[str, list[str]] = {"int64_t": [name for name in _COUNTERS if name in words and name not in given]}
    for part in walk(node):
        match part:
            case Loop() | While():
                name = around.functions[part].name if part in around.functions else ""
                types.setdefault(f"{name}_given", []).extend([f"{name}_all"] if f"{name}_all" in words else [])
                index = scope.names[part.index.name]
                types["int64_t"] += [name for name in (index, f"{index}_strip", f"{index}_lanes") if name in words]
            case Block():
                for array in (array for array in part.arrays if array.rank == 0 and scope.names[array.name] in words):
                    types.setdefault(scope.scalar_type(array), []).append(scope.names[array.name])
    for array in own:
        name = scope.names[array.name]
        types.setdefault(array.dtype.c_name, []).extend(f"*{text}" for text in (name, f"{name}_memory") if text in words)
    for array in scope.arrays.values():
        name = scope.names[array.name]
        for ending, count in (("part", LANES), ("parts", MOST_PARTS)):
            if f"{name}_{ending}" in words:
                types.setdefault(scope.scalar_type(array), []).append(f"{name}_{ending}[{count}]")
    return tuple(f"cdef {c_type} {', '.join(dict.fromkeys(names))}" for c_type, names in types.items() if names)


def words_of(lines: Iterable[str]) -> set[str]:
    """The identifiers in the lines, comments aside."""
    return {word for line in lines for word in re.findall(r"\w+", line.partition("#")[0])}
