"""A parallel loop: the function of one part, the same with its arguments in a struct, and the call of all parts.

    parts = dfad_parts(ws, dfad_trips(0, N, 1), 12*N*M, True)       1 where there is little to do
    smooth_4_all = smooth_4_given(N, M, A, B)
    status = dfad_share(ws, parts, False, smooth_4_part, &smooth_4_all)

One part alone is the loop as it stands. Of a sum each part has a partial sum, the first one begins with what is there; they are added in
the order of the parts, so that the same number of threads gives the same bits, and one part those of the plain loop. dfad.h says how a
range is cut and what happens when a part ends early. Only dfad_share calls parts, through their address: a second call would have GCC
compile the loop twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dfad.emit.lines import Lines, indent
from dfad.emit.memory import CLASSES
from dfad.emit.outline import Function
from dfad.emit.scope import Scope
from dfad.emit.sums import Partial
from dfad.errors import CompilerBug
from dfad.ir.lifetimes import bytes_of
from dfad.ir.nodes import Array, Loop, Parallel, Repetition
from dfad.ir.sums import accumulations, summed
from dfad.ir.walk import walk

MOST_PARTS = 256
"""As in dfad.h."""

WHERE = ("thread", "part", "parts")
"""What tells a part which one it is."""


def parallel_of(loop: Repetition) -> Parallel:
    """The loop's mark."""
    if not isinstance(loop, Loop) or loop.parallel is None:
        raise CompilerBug(f"the loop of line {loop.where.line} is not parallel")
    return loop.parallel


def part_text(loop: Loop, scope: Scope, body: Callable[[tuple[str, str]], Lines]) -> Lines:
    """What one part does; ``body`` is the text of the loop between given bounds."""
    ends = (("first", "part"), ("last", "part + 1"))
    return (*(f"{end} = dfad_cut({_range(loop, scope)}, {at}, parts)" for end, at in ends), *body(("first", "last")))


def struct_text(function: Function, scope: Scope, own: Sequence[Array]) -> Lines:
    """The struct of a function's arguments, and the function of one part that takes it."""
    name, arrays, names = function.name, scope.arrays, scope.names
    fields = [f"int64_t {names[integer]}" for integer in function.integers]
    fields += [f"{scope.scalar_type(arrays[scalar])} {names[scalar]}" for scalar in function.scalars]
    fields += [f"{scope.scalar_type(arrays[scalar])}* {names[scalar]}_parts" for scalar in function.updated]
    fields += [f"{arrays[array].dtype.c_name}* {names[array]}" for array in function.arrays]
    given = (*function.integers, *function.scalars, *function.arrays)
    there = replace(scope, names={**names, **{word: f"its.{names[word]}" for word in given}})
    own_of = {array.name: array for array in own}
    texts = [f"its.{names[word]}" for word in (*function.integers, *function.scalars)]
    texts += [f"&its.{names[scalar]}_parts[part]" for scalar in function.updated]
    texts += [_own_text(own_of[word], there) if word in own_of else f"its.{names[word]}" for word in function.arrays]
    return (
        f"cdef struct {name}_given:",
        *indent(fields or ("int64_t nothing",)),
        "",
        "",
        f"cdef int64_t {name}_part(dfad_workspace* ws, int64_t thread, int64_t part, int64_t parts, void* given) noexcept nogil:",
        f"    cdef {name}_given* its = <{name}_given*> given",
        f"    return {name}({', '.join(('ws', *WHERE, *texts))})",
    )


def _own_text(array: Array, scope: Scope) -> str:
    return f"<{array.dtype.c_name}*> dfad_own({scope.names[array.name]}, thread, {scope.integer(bytes_of(array))})"


def parts_call(function: Function, loop: Loop, scope: Scope, own: Sequence[Array]) -> Lines:
    """The call of all parts; ``loop`` is the function's, perhaps as one loop over elements, ``own`` the arrays that each thread has."""
    parallel, names, sums = parallel_of(loop), scope.names, _sums(function, scope)
    work = scope.integer(parallel.work)
    given = [names[name] for name in (*function.integers, *function.scalars)]
    given += [f"&{names[name]}_parts[0]" for name in function.updated]
    given += [names[name] for name in function.arrays]
    return (
        f"parts = dfad_parts(ws, dfad_trips({_range(loop, scope)}), {work}, {parallel.is_even})  # line {loop.where.line}",
        *_allocate(own, scope),
        *(f"{one.text}_parts[0] = {one.text}" for one in sums),
        *(f"for part in range(1, parts): {one.text}_parts[part] = {one.start}" for one in sums),
        f"{function.name}_all = {function.name}_given({', '.join(given) or '0'})",
        f"status = dfad_share(ws, parts, {loop.step < 0}, {function.name}_part, &{function.name}_all)",
        *(f"{one.text} = {one.text}_parts[0]" for one in sums),
        *(f"for part in range(1, parts): {one.joined}" for one in sums),
        *(f"dfad_release(ws, {names[array.name]})" for array in own),
    )


def _range(loop: Loop, scope: Scope) -> str:
    return f"{scope.integer(loop.start)}, {scope.integer(loop.stop)}, {loop.step}"


def _allocate(own: Sequence[Array], scope: Scope) -> Lines:
    lines: list[str] = []
    for array in own:
        name, size = scope.names[array.name], scope.integer(bytes_of(array))
        memory = f"dfad_allocate(ws, dfad_for_all(ws, parts, {size}), {CLASSES[array.role]})"
        lines += (f"{name} = <{array.dtype.c_name}*> {memory}  # {array.role.value}", f"if dfad_rare({name} == NULL): return 1")
    return tuple(lines)


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum over the parts: the scalar, what partial sums behind the first start from, the statement that joins one to the scalar."""

    text: str
    start: str
    joined: str


def _sums(function: Function, scope: Scope) -> tuple[_Sum, ...]:
    if set(function.updated) != set(parallel_of(function.loop).sums):
        raise CompilerBug(f"the parallel loop of line {function.loop.where.line} writes {', '.join(function.updated)}")
    kinds = accumulations(walk(function.loop.body), summed)
    return tuple(_sum(name, kinds[name][0], scope) for name in function.updated)


def _sum(name: str, operation: str, scope: Scope) -> _Sum:
    text, partial = scope.names[name], Partial(scope.arrays[name], operation)
    zero = "0.0" if scope.arrays[name].dtype.is_float else "0"
    return _Sum(text, zero if operation == "add" else text, partial.joined(text, f"{text}_parts[part]"))
