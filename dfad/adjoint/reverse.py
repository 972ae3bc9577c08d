"""The reverse sweep: every region turned round, every statement replaced by its adjoint.

In: a PRIMAL Program. Out: an ADJOINT Program whose body is ``Block(arrays, (forward, reverse))``. The reverse Block mirrors the forward one
node for node: its first node is a prelude, and node k of the forward Block has its reverse at position -k; a Loop's body and a Branch's
sides mirror theirs in the same way, a leaf's reverse is a Block. The adjoint of a result whose shape the kernel computes is its
cotangent itself. What stays true: the values of the forward sweep. What it does not do: meet demands (plan/record.py), or move anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import sympy

from dfad.adjoint.accumulate import adjoint_of
from dfad.adjoint.collector import Setting
from dfad.adjoint.exchanges import reversed_range, with_partners, wound
from dfad.adjoint.exits import tell_exits
from dfad.adjoint.nests import nest
from dfad.adjoint.places import with_places
from dfad.adjoint.rules import is_flat
from dfad.adjoint.trips import count_trips
from dfad.analysis.activity import active_arrays
from dfad.errors import CompilerBug
from dfad.ir.memlet import Memlet, Range
from dfad.ir.names import names_of
from dfad.ir.nodes import (
    Array,
    Block,
    Branch,
    Check,
    Constant,
    Exchange,
    Expression,
    Library,
    Loop,
    Node,
    Program,
    Read,
    Role,
    Stage,
    Tasklet,
    While,
)
from dfad.ir.walk import all_arrays, changed_arrays, first_location, reads, walk, writes
from dfad.source import Location


@dataclass(frozen=True, slots=True)
class Request:
    """What is differentiated.

    Attributes
    ----------
    wrt : tuple of str
        Arguments whose gradients are results, named ``<name>_bar`` where that is free.
    of : tuple of str
        Arguments (as updated) or results that are differentiated. Each has a cotangent argument, named ``<name>_seed``
        where that is free, unless ``unit_seed``.
    unit_seed : bool
        The cotangent is 1: for a single scalar result.
    """

    wrt: tuple[str, ...]
    of: tuple[str, ...]
    unit_seed: bool = False


class _Reversal:
    """The reversal of one Program."""

    def __init__(self, program: Program, request: Request, trips: dict[str, sympy.Symbol], guards: dict[str, Expression]) -> None:
        self.request, self.trips, self.guards = request, trips, guards
        self.arrays = all_arrays(program)
        self.where = first_location(program.body) or Location(program.name, 1, 0, 1, 0)
        self.names = names_of(program)
        active = active_arrays(program.body, self.arrays, request.wrt, request.of, is_flat)
        moving = with_partners(active.union(request.of), program.body)
        wanted = with_partners(active.union(request.wrt, request.of), program.body)
        floats = [array.name for array in self.arrays.values() if array.name in wanted and array.dtype.is_float]
        self.bars = {name: self.names.fresh(f"{name}_bar") for name in floats}
        written = changed_arrays(program.body)
        self.computed = {name: self.seed_of(self.arrays[name]) for name, _ in program.extents if name in self.bars}
        self.bars |= {name: seed.name for name, seed in self.computed.items()}
        self.final = _only_assigned(program) & self.computed.keys()
        self.outer = frozenset(array.name for array in (*program.parameters, *program.body.arrays))
        moved = {name: bar for name, bar in self.bars.items() if name in moving}
        self.setting = Setting(self.arrays, moved, self.outer - written, self.names)
        self.count = 0

    def key(self, wish: str) -> str:
        self.count += 1
        return f"~{wish}{self.count}"

    # ------------------------------------------------------------ regions

    def block(self, block: Block) -> Block:
        """The reverse of a Block: the adjoints of its arrays begin at 0."""
        bars = tuple(self.bar_of(array) for array in block.arrays if array.name in self.bars)
        prelude = Block((), tuple(node for bar in bars for node in self.zero(bar)))
        fresh = _written_once(block) | self.final
        return Block(bars, (prelude, *(self.node(node, fresh) for node in reversed(block.body))))

    def node(self, node: Node, fresh: frozenset[str]) -> Node:
        match node:
            case Block():
                return self.block(node)
            case Loop():
                start, stop = reversed_range(node)
                body = self.block(node.body)
                return replace(node, start=start, stop=stop, step=-node.step, body=body, key=f"~{node.key}", parallel=None)
            case While():
                last = self.trips[node.key] - 1
                return Loop(node.index, last, sympy.Integer(-1), -1, self.block(node.body), node.where, f"~{node.key}")
            case Branch():
                then, orelse = self.block(node.then), self.block(node.orelse)
                guard = self.guards.get(node.key) or self.setting.demanded(node.guard, node.key)
                return replace(node, guard=guard, then=then, orelse=orelse, key=f"~{node.key}")
            case Tasklet() | Library():
                is_memory = isinstance(node, Library) and node.operation == "grow"
                return Block((), ()) if is_memory else adjoint_of(node, self.setting, node.write.array in fresh)
            case Exchange():
                return Block((), self.exchange(node))
            case Check():
                return Block((), ())
            case _:
                raise CompilerBug(f"no such node: {node!r}")

    def exchange(self, node: Exchange) -> tuple[Node, ...]:
        """The exchange undone, of the adjoints, and of the arrays unless they are gone: an inner Block's are left to plan/record.py."""
        nodes: list[Node] = []
        if node.first in self.outer:
            nodes.append(replace(node, key=self.key(node.key)))
        if node.first in self.bars:
            nodes.append(self.exchange_bars(node))
        return tuple(nodes)

    def exchange_bars(self, node: Exchange) -> Exchange:
        return replace(node, first=self.bars[node.first], second=self.bars[node.second], key=self.key(node.key))

    # ------------------------------------------------------------ the whole

    def bar_of(self, array: Array) -> Array:
        return Array(self.bars[array.name], array.dtype, array.shape, Role.ADJOINT)

    def fill(self, array: Array, value: Callable[[tuple[sympy.Expr, ...]], Expression]) -> tuple[Node, ...]:
        """The whole array set, cell by cell."""
        ranges = tuple(Range(sympy.Integer(0), extent) for extent in array.shape)

        def cell(indices: tuple[sympy.Expr, ...]) -> tuple[Node, ...]:
            return (Tasklet(Memlet(array.name, indices), value(indices), self.where, self.key("fill")),)

        return nest(ranges, cell, self.names, self.where, self.key("fill"))

    def zero(self, array: Array) -> tuple[Node, ...]:
        """The whole array set to 0."""
        return self.fill(array, lambda _: Constant(0.0, array.dtype))

    def seed_of(self, array: Array) -> Array:
        return Array(self.names.fresh(f"{array.name}_seed"), array.dtype, array.shape, Role.ARGUMENT)

    def seed(self, array: Array) -> tuple[tuple[Node, ...], Array | None]:
        """What sets the adjoint of an output to its cotangent, and the argument that holds it."""
        bar = self.bar_of(array)
        if self.request.unit_seed:
            return self.fill(bar, lambda _: Constant(1.0, array.dtype)), None
        seed = self.seed_of(array)
        return self.fill(bar, lambda indices: Read(Memlet(seed.name, indices), array.dtype)), seed


def differentiate(program: Program, request: Request) -> Program:
    """The ADJOINT Program of a PRIMAL one.

    Parameters
    ----------
    program : Program
        PRIMAL; no guard of a Branch reads an array other than a scalar of its own (optimise/guards.py).
    request : Request
        What is differentiated with respect to what.

    Returns
    -------
    Program
        ADJOINT. Its parameters are those of ``program``, then the cotangents in the order of ``request.of``, then the gradients in the
        order of ``request.wrt``; its results are those of ``program``, then the gradients.
    """
    program, guards = tell_exits(with_places(program))
    program, trips = count_trips(program)
    state = _Reversal(program, request, trips, guards)
    outer = [array for array in (*program.parameters, *program.body.arrays) if array.name in state.bars]
    prelude: list[Node] = []
    seeds: dict[str, Array] = {}
    for array in outer:
        if array.name in state.computed:
            seeds[array.name] = state.computed[array.name]
            continue
        if array.name in request.of:
            nodes, seed = state.seed(array)
            seeds |= {array.name: seed} if seed is not None else {}
        else:
            nodes = state.zero(state.bar_of(array))
        prelude += nodes
    prelude += wound(program.body, {array.name: state.bars[array.name] for array in outer}, "~>", state.names)
    reverse = state.block(replace(program.body, arrays=()))
    reverse = Block(reverse.arrays, (Block((), tuple(prelude)), *reverse.body[1:]))
    gradients = tuple(replace(state.bar_of(state.arrays[name]), role=Role.RESULT) for name in request.wrt)
    adjoints = tuple(state.bar_of(array) for array in outer if array.name not in {*request.wrt, *state.computed})
    body = Block((*program.body.arrays, *adjoints), (replace(program.body, arrays=()), reverse))
    return replace(
        program,
        parameters=(*program.parameters, *(seeds[name] for name in dict.fromkeys(request.of) if name in seeds), *gradients),
        results=(*program.results, *(gradient.name for gradient in gradients)),
        returns_tuple=program.returns_tuple,
        body=body,
        stage=Stage.ADJOINT,
    )


def _only_assigned(program: Program) -> frozenset[str]:
    """The arrays that assignments alone write, and nothing reads."""
    nodes = [node for node in walk(program.body) if not (isinstance(node, Library) and node.operation == "grow")]
    plain = {node.write.array for node in nodes if isinstance(node, Tasklet) and not node.accumulate}
    others = [node for node in nodes if not isinstance(node, Tasklet) or node.accumulate]
    moved = [memlet for node in nodes for memlet in reads(node)] + [memlet for node in others for memlet in writes(node)]
    return frozenset(plain - {memlet.array for memlet in moved})


def _written_once(block: Block) -> frozenset[str]:
    """The scalars of the Block that exactly one statement writes, standing directly in the Block."""
    counts = Counter(memlet.array for node in walk(block) for memlet in writes(node))
    direct = {node.write.array for node in block.body if isinstance(node, Tasklet | Library) and not node.accumulate}
    return frozenset(array.name for array in block.arrays if array.rank == 0 and counts[array.name] == 1 and array.name in direct)
