"""Nodes as statements: each function takes a node and gives lines of Cython, not indented."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import sympy

from dfad.emit.bulk import bulk_text, is_bulk
from dfad.emit.flat import flatten
from dfad.emit.integer import PRODUCT
from dfad.emit.interrupt import STRIP
from dfad.emit.layout import bytes_text, element, is_sum
from dfad.emit.library import library_text
from dfad.emit.lines import Lines, indent
from dfad.emit.memory import CLASSES, Events
from dfad.emit.outline import Function, used_names
from dfad.emit.parts import parts_call
from dfad.emit.scalar import expression_text
from dfad.emit.scope import Scope
from dfad.emit.sums import FEW_LANES, LANES, Partial, combine, first_values, is_innermost, partials
from dfad.errors import CompilerBug
from dfad.ir.lifetimes import used_names as used_arrays
from dfad.ir.nodes import Array, Block, Branch, Check, Exchange, Library, Loop, Node, Repetition, Tasklet, While, is_true
from dfad.source import Location

NEST_WORK = 1 << 14
"""What a nest counts for between two questions about interrupts, beside those that its loops ask: the launcher's first stride."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What statements need to know of the module that they stand in.

    ``functions`` are the loops that are called; ``polls`` those whose iterations begin with a poll; ``parallel`` says that the text is
    that of one part; ``strips`` are long loops that must be cut to be stopped; ``growing`` numbers the arrays that grow,
    ``made`` says where in the block the results of computed shape are.
    """

    scope: Scope
    functions: Mapping[Repetition, Function]
    events: Events
    sites: Mapping[Check, int]
    polls: Mapping[Repetition, sympy.Expr]
    parallel: bool = False
    strips: frozenset[Repetition] = frozenset()
    exchanged: frozenset[str] = frozenset()
    growing: Mapping[str, int] = field(default_factory=dict)
    made: Mapping[str, int] = field(default_factory=dict)
    partial: tuple[Partial, ...] = ()

    def with_places(self, places: Mapping[str, str]) -> Surroundings:
        """The surroundings in which those scalars stand for those texts."""
        return replace(self, scope=self.scope.with_places(places))


def statements(block: Block, around: Surroundings) -> Lines:
    """The body of a block, with the allocations that belong to it and to its nodes."""
    lines: list[str] = []
    waiting = list(around.events.entry.get(block, ()))
    for node in block.body:
        needed = [array for array in waiting if array.name in used_arrays(node)]
        waiting = [array for array in waiting if array not in needed]
        lines += allocate((*around.events.before.get(node, ()), *needed), around)
        lines += statement(node, around)
        lines += release(around.events.after.get(node, ()), around)
    lines += release((array for array in around.events.entry.get(block, ()) if array not in waiting), around)
    return tuple(lines) or ("pass",)


def allocate(arrays: Iterable[Array], around: Surroundings) -> Lines:
    """The statements that give arrays their memory; of those that are exchanged the address is kept in a variable of its own."""
    lines: list[str] = []
    for array in arrays:
        name, c_type = around.scope.names[array.name], array.dtype.c_name
        kept = f"{name}_memory = " if array.name in around.exchanged else ""
        size = "" if array.grows else bytes_text(array, around.scope)
        place = f"dfad_reserve(ws, {around.growing[array.name]}, " if array.grows else f"dfad_allocate(ws, {size}, "
        lines.append(f"{name} = {kept}<{c_type}*> {place}{CLASSES[array.role]})  # {array.role.value}")
        lines.append(f"if dfad_rare({name} == NULL): return 1")
    return tuple(lines)


def release(arrays: Iterable[Array], around: Surroundings) -> Lines:
    """The statements that give their memory back."""
    names = ((array.name, around.scope.names[array.name]) for array in arrays)
    return tuple(f"dfad_release(ws, {text}{'_memory' if name in around.exchanged else ''})" for name, text in names)


def statement(node: Node, around: Surroundings) -> Lines:
    """A node as text."""
    match node:
        case Tasklet():
            return (_tasklet(node, around.scope),)
        case Loop() | While() if node in around.functions:
            return _call(around.functions[node], around)
        case Loop() if is_bulk(node, around.scope.arrays):
            return (bulk_text(node, around.scope),)
        case Loop():
            return loop_text(node, around)
        case While():
            return while_text(node, around)
        case Branch():
            return _branch(node, around)
        case Block():
            return statements(node, around)
        case Library(operation="grow") if node.write.array in around.made:
            return _make(node, around)
        case Library():
            return (library_text(node, around.scope),)
        case Exchange(first=first, second=second):
            a, b = around.scope.names[first], around.scope.names[second]
            return (f"{a}, {b} = {b}, {a}  {_line(node.where)}",)
        case Check():
            return _check(node, around)
        case _:
            raise CompilerBug(f"emit cannot print {node!r}")


def _make(node: Library, around: Surroundings) -> Lines:
    """The memory of a result of computed shape, from the launcher."""
    array = around.scope.arrays[node.write.array]
    name, size = around.scope.names[array.name], bytes_text(array, around.scope, node.write.ranges[0].stop)
    return (
        f"{name} = <{array.dtype.c_name}*> dfad_make(ws, block[{around.made[array.name]}], {size})  {_line(node.where)}",
        f"if dfad_rare({name} == NULL): return 1",
    )


def _line(where: Location) -> str:
    return f"# line {where.line}"


def _tasklet(tasklet: Tasklet, scope: Scope) -> str:
    value = expression_text(tasklet.value, scope)
    target = scope.arrays[tasklet.write.array].dtype
    if tasklet.value.dtype != target and target.kind != "b":
        value = f"<{target.c_name}> {expression_text(tasklet.value, scope, PRODUCT + 1)}"
    sign = "+=" if tasklet.accumulate else "="
    return f"{element(tasklet.write, scope)} {sign} {value}  {_line(tasklet.where)}"


def _branch(branch: Branch, around: Surroundings) -> Lines:
    head = f"if {expression_text(branch.guard, around.scope)}:  {_line(branch.where)}"
    lines = (head, *indent(statements(branch.then, around)))
    if branch.orelse.body:
        lines += ("else:", *indent(statements(branch.orelse, around)))
    return lines


def _check(check: Check, around: Surroundings) -> Lines:
    if is_true(check.condition):
        return ()
    if len(check.values) > 4:
        raise CompilerBug(f"a check tells at most four values, not {len(check.values)}")
    values = [expression_text(value, around.scope) for value in check.values] + ["0"] * (4 - len(check.values))
    condition = expression_text(check.condition, around.scope)
    return (
        f"if dfad_rare(not ({condition})):  {_line(check.where)}",
        f"    return {'dfad_fail_in(ws, part' if around.parallel else 'dfad_fail(ws'}, {around.sites[check]}, {', '.join(values)})",
    )


# ---------------------------------------------------------------- loops


def loop_text(loop: Loop, around: Surroundings, bounds: tuple[str, str] | None = None) -> Lines:
    """A loop; ``bounds`` stand in place of its own."""
    if bounds is None:
        loop, around = flattened(loop, around)
    scope = around.scope
    both = bounds or (scope.integer(loop.start), scope.integer(loop.stop))
    if loop in around.strips:
        return _in_strips(loop, both, around)
    parts = partials(loop, scope.arrays)
    fresh = tuple(part for part in parts if part not in around.partial)
    if fresh:
        inside = replace(around, partial=around.partial + fresh)
        if is_innermost(loop):
            return _by_lanes(loop, both, fresh, inside)
        return (*first_values(fresh, scope), *loop_text(loop, inside, both), *combine(fresh, scope))
    if parts and is_innermost(loop):
        return (*_in_lanes(loop, both, parts, around), *_plain_loop(loop, ("rest", both[1]), around))
    return _plain_loop(loop, both, around)


def flattened(loop: Loop, around: Surroundings) -> tuple[Loop, Surroundings]:
    """The loop as one over elements (flat.py), and the surroundings that spell them; both as given where it is none of that kind.

    It is cut into strips where a loop of the nest would have asked about interrupts.
    """
    flat = flatten(loop, around.scope.arrays)
    if flat is None:
        return loop, around
    strips = around.strips | {flat.loop} if loop in around.polls else around.strips
    return flat.loop, replace(around, scope=replace(around.scope, flat=flat.indices), strips=strips)


def _by_lanes(loop: Loop, bounds: tuple[str, str], parts: tuple[Partial, ...], around: Surroundings) -> Lines:
    """An innermost loop that has its partial sums to itself, and only where there is something to add."""
    inside = (*first_values(parts, around.scope), *_in_lanes(loop, bounds, around.partial, around), *combine(parts, around.scope))
    head = (f"rest = {bounds[0]}", f"if {_trips(loop, bounds)} >= {LANES}:")
    return (*head, *indent(inside), *_plain_loop(loop, ("rest", bounds[1]), around))


def _trips(loop: Loop, bounds: tuple[str, str]) -> str:
    """The iterations of a loop of step 1 or -1; negative for an empty one."""
    start, stop = bounds if loop.step > 0 else bounds[::-1]
    return stop if start == "0" else f"{stop} - ({start})" if is_sum(start) else f"{stop} - {start}"


def _plain_loop(loop: Loop, bounds: tuple[str, str], around: Surroundings) -> Lines:
    index = around.scope.names[loop.index.name]
    return (f"for {index} in {_range(*bounds, loop.step)}:  {_line(loop.where)}", *indent(_body(loop, around)))


def while_text(loop: While, around: Surroundings) -> Lines:
    """A loop of unknown length; its trips are counted where something names their number."""
    body, index = _body(loop, around), around.scope.names[loop.index.name]
    head = f"while {expression_text(loop.guard, around.scope)}:  {_line(loop.where)}"
    if loop.index.name not in used_names(loop.body, around.scope.arrays):
        return (head, *indent(body))
    return (f"{index} = 0", head, *indent((*body, f"{index} += 1")))


def _body(loop: Repetition, around: Surroundings) -> Lines:
    """The body, with the question about interrupts in front where this loop asks it."""
    body = statements(loop.body, around)
    return (_poll(around.scope.integer(around.polls[loop] + 1), around), *body) if loop in around.polls else body


def _range(start: str, stop: str, step: int) -> str:
    if step != 1:
        return f"range({start}, {stop}, {step})"
    return f"range({stop})" if start == "0" else f"range({start}, {stop})"


def _poll(iterations: str, around: Surroundings) -> str:
    return f"if dfad_poll_in(ws, thread, {iterations}): return 3" if around.parallel else f"if dfad_poll(ws, {iterations}): return 3"


def _in_strips(loop: Loop, bounds: tuple[str, str], around: Surroundings) -> Lines:
    """A long loop, so that it can be stopped."""
    index, (start, stop) = around.scope.names[loop.index.name], bounds
    first, length = f"{index}_strip", STRIP * abs(loop.step)
    end = f"dfad_min({first} + {length}, {stop})" if loop.step > 0 else f"dfad_max({first} - {length}, {stop})"
    inner = loop_text(loop, replace(around, strips=around.strips - {loop}), (first, end))
    return (
        f"for {first} in {_range(start, stop, length if loop.step > 0 else -length)}:  # lets the call be stopped",
        *indent((_poll(f"dfad_min({STRIP}, {_trips(loop, (first, stop))})", around), *inner)),
    )


def _in_lanes(loop: Loop, bounds: tuple[str, str], parts: tuple[Partial, ...], around: Surroundings) -> Lines:
    """An innermost loop up to ``rest``, where less than a narrow strip is left; sums of free order go to their parts (sums.py)."""
    scope, (start, _) = around.scope, bounds
    index, sign = scope.names[loop.index.name], "+" if loop.step > 0 else "-"
    lanes = around.with_places({part.array.name: part.cell(scope, "lane") for part in parts})
    body = (f"{index} = {index}_lanes {sign} lane", *statements(loop.body, lanes))
    lines: list[str] = []
    for first, end, width in ((start, "wide", LANES), ("wide", "rest", FEW_LANES)):
        whole = f"dfad_whole({_trips(loop, bounds)}, {width})"
        lines.append(f"{end} = {start} {sign} {whole}" if start != "0" else f"{end} = {sign.strip('+')}{whole}")
        lines.append(f"for {index}_lanes in {_range(first, end, width * loop.step)}:  {_line(loop.where)}")
        lines += indent((f"for lane in range({width}):", *indent(body)))
    return tuple(lines)


# ---------------------------------------------------------------- calls


def _call(function: Function, around: Surroundings) -> Lines:
    """The call of a loop that is a function."""
    scope = around.scope
    if isinstance(function.loop, Loop) and function.loop.parallel is not None:
        loop, _ = flattened(function.loop, around)
        call = parts_call(function, loop, scope, around.events.parts[function.loop])
    else:
        names = [scope.names[name] for name in (*function.integers, *function.scalars)]
        names += [f"&{scope.names[name]}" for name in function.updated]
        names += [scope.names[name] for name in function.arrays]
        call = (f"status = {function.name}({', '.join(['ws', *names])})  {_line(function.loop.where)}",)
    return (*call, "if dfad_rare(status): return status", f"if dfad_poll(ws, {NEST_WORK}): return 3")
