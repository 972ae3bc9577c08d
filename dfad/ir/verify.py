"""Well-formedness of a Program, checked after every room.

In: a Program of any stage. Out: the same Program, or CompilerBug with its listing. What holds of a verified Program, by number:

1. Names of arrays are unique, and no symbol has the name of another array; a loop index is bound once in a PRIMAL Program and never
   shadows one that is in scope. Keys are unique. Each node stands in one place.
2. Arrays are used inside the Block that declares them, symbols where they are bound; an integer scalar is written exactly once, by a
   Tasklet that stands before the use in the same or an enclosing Block, plain Blocks in it included. In an ADJOINT Program it is
   bound inside the loops around that Tasklet everywhere.
3. Subsets have the rank of their array; Memlets of Tasklets and of expressions hold no Range; ranks of Library operands fit.
4. Dtypes of reads are those of the arrays; guards, conditions and logical operands are bool; comparisons give bool.
5. Demands stand in ADJOINT Programs only, name a node that has their key, and stand inside every loop index of that node. Adjoints and
   tapes are no part of a PRIMAL Program. Exchanged arrays have equal dtype and shape.

It does not prove subsets in range, nor that a read sees a defined value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import sympy

from dfad.errors import CompilerBug
from dfad.ir.dtype import BOOL, I64
from dfad.ir.lifetimes import used_names
from dfad.ir.memlet import Memlet, Range
from dfad.ir.nodes import (
    Apply,
    Array,
    Block,
    Branch,
    Check,
    Constant,
    Demand,
    Exchange,
    Expression,
    Integer,
    Library,
    Loop,
    Node,
    Program,
    Read,
    Repetition,
    Role,
    Select,
    ShapeSymbol,
    Stage,
    Tasklet,
    While,
)
from dfad.ir.operations import OPERATIONS
from dfad.ir.show import show, show_memlet
from dfad.ir.walk import all_arrays, children, expressions, walk, walk_expression, writes

PARAMETER_ROLES = {Role.ARGUMENT, Role.RESULT}
REVERSE_ROLES = {Role.ADJOINT, Role.TAPE}
CHECKED_ERRORS = {"index", "assertion", "entry", "room", "extents"}
MOST_REPORTED = 5

Problems = Iterator[str]

_NOWHERE = frozenset({"no loop"})
"""The loops around the definition of what is no integer scalar."""


def verify(program: Program) -> Program:
    """Check the Program and return it.

    Raises
    ------
    CompilerBug
        With the broken rules and the listing.
    """
    problems = list(_structure(program)) or list(_meaning(program))
    if problems:
        raise CompilerBug("ill-formed program: " + "; ".join(problems[:MOST_REPORTED]), show(program))
    return program


# ---------------------------------------------------------------- rule 1: names, keys, places


def _structure(program: Program) -> Problems:
    nodes = list(walk(program.body))
    yield from _repeated("the node {} stands in two places", [id(node) for node in nodes])
    keys = [key for node in nodes if (key := _key(node)) is not None]
    yield from _repeated("the key {} names two nodes", keys)
    declared = [array for node in nodes if isinstance(node, Block) for array in node.arrays]
    names = [array.name for array in (*program.parameters, *declared)]
    bound = [symbol.symbol.name for symbol in program.symbols]
    indices = [node.index.name for node in nodes if isinstance(node, Repetition)]
    once = indices if program.stage is Stage.PRIMAL else sorted(set(indices))
    yield from _repeated("the name {} is declared twice", [*names, *bound, *once])
    yield from _roles(program, declared)
    yield from _interface(program)


def _key(node: Node) -> str | None:
    return None if isinstance(node, Block) else node.key


def _repeated(message: str, values: list[str] | list[int]) -> Problems:
    counts = Counter[str | int](values)
    yield from (message.format(value) for value, count in counts.items() if count > 1)


def _roles(program: Program, declared: list[Array]) -> Problems:
    yield from (f"{a.name} is a parameter of role {a.role.value}" for a in program.parameters if a.role not in PARAMETER_ROLES)
    yield from (f"{a.name} has role {a.role.value} but is no parameter" for a in declared if a.role in PARAMETER_ROLES)
    if program.stage is Stage.PRIMAL:
        yield from (f"{a.name} has role {a.role.value} in a primal program" for a in declared if a.role in REVERSE_ROLES)


def _interface(program: Program) -> Problems:
    parameters = {array.name: array for array in program.parameters}
    yield from (f"the result {name} is no parameter" for name in program.results if name not in parameters)
    for name, extents in program.extents:
        if name not in program.results or not parameters[name].grows or not all(_is_integer(parameters.get(extent)) for extent in extents):
            yield f"{name} is no result that grows, or its extents are no int64 scalars among the parameters"
    for bound in program.symbols:
        if isinstance(bound, ShapeSymbol):
            array = parameters.get(bound.array)
            if array is None or bound.dimension >= array.rank:
                yield f"{bound.symbol} is the extent of no dimension of a parameter"


# ---------------------------------------------------------------- rules 2 to 5: one walk with the scope


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is the same everywhere in the Program."""

    stage: Stage
    arrays: Mapping[str, Array]
    times_written: Counter[str]
    indices_of_key: Mapping[str, frozenset[str]]
    indices_of_integer: Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class _Scope:
    """What is in scope at a node.

    ``integers`` grows as the statements of a Block define integer scalars; ``pending``: outside all loops and branches, the arrays
    declared and not yet used; None inside.
    """

    facts: _Facts
    arrays: frozenset[str]
    symbols: frozenset[str]
    indices: frozenset[str] = frozenset()
    integers: set[str] = field(default_factory=set)
    pending: dict[str, Array] | None = None

    def with_arrays(self, arrays: tuple[Array, ...]) -> _Scope:
        return replace(self, arrays=self.arrays.union(array.name for array in arrays), integers=set(self.integers))

    def inside(self, index: str | None = None) -> _Scope:
        more = frozenset() if index is None else frozenset({index})
        return replace(self, indices=self.indices | more, integers=set(self.integers), pending=None)


def _meaning(program: Program) -> Problems:
    written = Counter(memlet.array for node in walk(program.body) for memlet in writes(node))
    arrays, indices = all_arrays(program), dict(_indices_of_keys(program.body, frozenset()))
    facts = _Facts(program.stage, arrays, written, indices, _indices_of_integers(program, arrays, indices))
    names = frozenset(array.name for array in program.parameters)
    growing = {array.name: array for array in program.parameters if array.grows}
    scope = _Scope(facts, names, frozenset(bound.symbol.name for bound in program.symbols), pending=growing)
    yield from (problem for array in program.parameters if not array.grows for problem in _shape(array, scope))
    yield from _node(program.body, scope)


def _indices_of_keys(node: Node, indices: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    key = _key(node)
    if key is not None:
        yield key, indices
    below = indices | {node.index.name} if isinstance(node, Repetition) else indices
    for child in children(node):
        yield from _indices_of_keys(child, below)


def _indices_of_integers(
    program: Program, arrays: Mapping[str, Array], indices: Mapping[str, frozenset[str]]
) -> dict[str, frozenset[str]]:
    """The integer scalars that an ADJOINT Program may name outside their Block, with the loops that must be around."""
    tasklets = [node for node in walk(program.body) if isinstance(node, Tasklet) and _is_integer(arrays.get(node.write.array))]
    return {node.write.array: indices[node.key] for node in tasklets} if program.stage is Stage.ADJOINT else {}


def _is_integer(array: Array | None) -> bool:
    return array is not None and array.rank == 0 and array.dtype == I64


def _node(node: Node, scope: _Scope) -> Problems:
    for expression in expressions(node):
        yield from _expression(expression, scope)
    match node:
        case Block():
            yield from _block(node, scope)
        case Loop():
            yield from _loop(node, scope)
        case While():
            yield from _is_bool(node.guard, f"the guard of {node.key}")
            yield from _repeated_body(node, scope)
        case Branch():
            yield from _is_bool(node.guard, f"the guard of {node.key}")
            yield from _node(node.then, scope.inside())
            yield from _node(node.orelse, scope.inside())
        case Tasklet():
            yield from _memlet(node.write, scope, only_elements=True)
            _define(node, scope)
        case Library():
            is_open = scope.facts.stage is Stage.ADJOINT and "demands" in dict(node.attributes)
            seen = replace(scope, arrays=frozenset(scope.facts.arrays)) if is_open else scope
            for memlet, where in (*((read, seen) for read in node.reads), (node.write, scope)):
                yield from _memlet(memlet, where)
            yield from _library(node)
            if node.operation == "grow" and not scope.facts.arrays[node.write.array].grows:
                yield f"{node.key}: {node.write.array} does not grow"
        case Exchange():
            yield from _exchange(node, scope)
        case Check():
            yield from _check(node)
        case _:
            raise CompilerBug(f"no such node: {node!r}")


def _block(block: Block, scope: _Scope) -> Problems:
    inner = scope.with_arrays(block.arrays)
    if scope.pending is None:
        for array in block.arrays:
            yield from _shape(array, scope)
    else:
        scope.pending.update((array.name, array) for array in block.arrays)
    for child in block.body:
        yield from _first_uses(child, inner)
        yield from _node(child, inner)
    scope.integers.update(inner.integers)


def _first_uses(step: Node, scope: _Scope) -> Problems:
    """Outside all loops an array is allocated before its first use: its shape is known there."""
    if scope.pending and not isinstance(step, Block):
        for name in sorted(used_names(step) & scope.pending.keys()):
            yield from _shape(scope.pending.pop(name), scope)


def _loop(loop: Loop, scope: _Scope) -> Problems:
    yield from _integer(loop.start, scope)
    yield from _integer(loop.stop, scope)
    yield from [f"the step of {loop.key} is 0"] if loop.step == 0 else []
    yield from _repeated_body(loop, scope)


def _repeated_body(region: Repetition, scope: _Scope) -> Problems:
    if region.index.name in scope.indices:
        yield f"the index {region.index} shadows that of a loop around it"
    yield from _node(region.body, scope.inside(index=region.index.name))


def _define(node: Tasklet, scope: _Scope) -> None:
    array = scope.facts.arrays.get(node.write.array)
    if array is not None and _is_integer(array) and not node.accumulate:
        scope.integers.add(array.name)


def _library(node: Library) -> Problems:
    ranks = [len(memlet.ranges) for memlet in node.reads]
    attributes, rank = dict(node.attributes), len(node.write.ranges)
    match node.operation:
        case "matmul":
            if len(ranks) != 2 or not set(ranks) <= {1, 2} or rank != sum(ranks) - 2:
                yield f"{node.key}: matmul of ranks {ranks} gives no rank {rank}"
        case "reduce_max" | "reduce_min":
            axes = attributes.get("axes")
            if not isinstance(axes, tuple) or len(ranks) != 1 or rank != ranks[0] - len(axes):
                yield f"{node.key}: {node.operation} of ranks {ranks} over axes {axes} gives no rank {rank}"
        case "grow":
            if node.reads or not node.write.ranges or len(node.write.ranges) != len(node.write.subset):
                yield f"{node.key}: grow gives memory to whole rows"
        case _:
            yield f"{node.key}: no library operation {node.operation}"


def _exchange(node: Exchange, scope: _Scope) -> Problems:
    for name in (node.first, node.second):
        if name not in scope.arrays:
            yield f"{node.key} exchanges {name}, which is not in scope"
    first, second = (scope.facts.arrays.get(name) for name in (node.first, node.second))
    if first is not None and second is not None and (first.dtype, first.shape) != (second.dtype, second.shape):
        yield f"{node.key} exchanges {node.first} and {node.second} of different dtype or shape"


def _check(node: Check) -> Problems:
    yield from _is_bool(node.condition, f"the condition of {node.key}")
    yield from () if node.error in CHECKED_ERRORS else [f"{node.key} checks for an unknown error {node.error}"]


# ---------------------------------------------------------------- expressions, memlets, integers


def _expression(expression: Expression, scope: _Scope) -> Problems:
    for part in walk_expression(expression):
        match part:
            case Constant():
                yield from _constant(part)
            case Integer():
                yield from _integer(part.value, scope)
            case Read():
                yield from _memlet(part.memlet, scope, only_elements=True)
                yield from _is_dtype(part, scope)
            case Demand():
                yield from _demand(part, scope)
            case Apply():
                yield from _apply(part)
            case Select():
                yield from _is_bool(part.condition, "the condition of a Select")
            case _:
                raise CompilerBug(f"no such expression: {part!r}")


def _constant(constant: Constant) -> Problems:
    kinds: dict[str, tuple[type, ...]] = {"f": (int, float), "i": (int,), "b": (bool,)}
    if not isinstance(constant.value, kinds[constant.dtype.kind]) or isinstance(constant.value, bool) is not (constant.dtype == BOOL):
        yield f"the constant {constant.value!r} is no {constant.dtype}"


def _apply(part: Apply) -> Problems:
    operation = OPERATIONS.get(part.operation)
    if operation is None:
        yield f"no operation {part.operation}"
        return
    if len(part.operands) != operation.arity:
        yield f"{part.operation} of {len(part.operands)} operands"
    if not part.dtype.name.startswith(given := {"comparison": "bool", "logical": "bool", "bitwise": "int"}.get(operation.kind, "")):
        yield f"{part.operation} gives {given}, not {part.dtype}"
    if operation.kind == "logical":
        for operand in part.operands:
            yield from _is_bool(operand, f"an operand of {part.operation}")


def _demand(part: Demand, scope: _Scope) -> Problems:
    if scope.facts.stage is not Stage.ADJOINT:
        yield f"an open demand of {show_memlet(part.memlet)} in a {scope.facts.stage.value} program"
    indices = scope.facts.indices_of_key.get(part.key)
    if indices is None:
        yield f"a demand names the key {part.key}, which no node has"
    elif not indices <= scope.indices:
        yield f"a demand of {show_memlet(part.memlet)} at {part.key} stands outside the loops {sorted(indices - scope.indices)}"
    yield from _memlet(part.memlet, replace(scope, arrays=frozenset(scope.facts.arrays)), only_elements=True)
    yield from _is_dtype(part, scope)


def _is_dtype(part: Read | Demand, scope: _Scope) -> Problems:
    array = scope.facts.arrays.get(part.memlet.array)
    if array is not None and array.dtype != part.dtype:
        yield f"{show_memlet(part.memlet)} is read as {part.dtype} and is {array.dtype}"


def _is_bool(expression: Expression, what: str) -> Problems:
    if expression.dtype != BOOL:
        yield f"{what} is {expression.dtype}, not bool"


def _memlet(memlet: Memlet, scope: _Scope, only_elements: bool = False) -> Problems:
    if memlet.array not in scope.arrays:
        yield f"{show_memlet(memlet)}: {memlet.array} is not in scope"
        return
    rank = scope.facts.arrays[memlet.array].rank
    if len(memlet.subset) != rank:
        yield f"{show_memlet(memlet)} has {len(memlet.subset)} indices and {memlet.array} rank {rank}"
    if only_elements and memlet.ranges:
        yield f"{show_memlet(memlet)} is a range where an element must stand"
    for index in memlet.subset:
        for value in (index.start, index.stop, index.step) if isinstance(index, Range) else (index,):
            yield from _integer(value, scope)


def _shape(array: Array, scope: _Scope) -> Problems:
    for extent in array.shape[1:] if array.grows else array.shape:
        yield from _integer(extent, scope)


def _integer(value: sympy.Expr, scope: _Scope) -> Problems:
    for name in sorted(part.name for part in value.free_symbols):
        if name in scope.symbols or name in scope.indices:
            continue
        is_bound = name in scope.integers and name in scope.arrays
        if not is_bound and not scope.facts.indices_of_integer.get(name, _NOWHERE) <= scope.indices:
            yield f"the symbol {name} in {value} is not bound there"
        elif scope.facts.times_written[name] > 1:
            yield f"the integer scalar {name} is written {scope.facts.times_written[name]} times"
    if value.is_integer is False:
        yield f"{value} is no integer"
