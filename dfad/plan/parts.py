"""A PLANNED gradient Program cut to what a call wants: one function for ``grad`` and ``value_and_grad``, two for ``vjp``.

In both forms no argument of the caller's is written. What stays true: the values of all results that are left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy

from dfad.adjoint.exchanges import unwound, wound
from dfad.adjoint.nests import nest
from dfad.adjoint.places import arrangements
from dfad.ir.dtype import I64
from dfad.ir.lifetimes import used_names
from dfad.ir.memlet import Memlet, Range, symbol
from dfad.ir.names import names_of
from dfad.ir.nodes import (
    Apply,
    Array,
    Block,
    Expression,
    IntegerSymbol,
    Library,
    Node,
    Program,
    Read,
    Role,
    Tasklet,
)
from dfad.ir.walk import all_arrays, exchanged, first_location, reads, rename_arrays, rewrite, rewrite_block, symbol_names, walk, writes
from dfad.plan.afresh import filled_first
from dfad.plan.demands import sweeps
from dfad.source import Location


def only(program: Program, results: tuple[str, ...]) -> Program:
    """The Program with those results; the arrays of the others become its own."""
    extents = {name: names for name, names in program.extents if name in results}
    kept = {*results, *(name for names in extents.values() for name in names)}
    dropped = [array for array in program.parameters if array.role == Role.RESULT and array.name not in kept]
    local = tuple(replace(array, role=Role.LOCAL) for array in dropped)
    parameters = tuple(array for array in program.parameters if array not in dropped)
    body = replace(program.body, arrays=(*program.body.arrays, *local))
    return replace(program, parameters=parameters, body=body, results=results, extents=tuple(extents.items()))


def with_value_set_aside(program: Program, name: str) -> tuple[Program, str]:
    """The gradient Program with the scalar result as the forward sweep leaves it, under the name that comes with it.

    What the reverse sweep reads is put back where it was, also into the variable that the kernel returns.
    """
    forward, reverse = sweeps(program)
    if not any(memlet.array == name for node in walk(program.body) for memlet in reads(node)) and not any(
        memlet.array == name for node in walk(reverse) for memlet in writes(node)
    ):
        return program, name
    array = all_arrays(program)[name]
    out = replace(array, name=names_of(program).fresh(f"{name}_out"), role=Role.RESULT)
    where = first_location(program.body) or Location(program.name, 1, 0, 1, 0)
    copy = Tasklet(Memlet(out.name), Read(Memlet(name), array.dtype), where, f"@{out.name}")
    body = replace(
        program.body,
        arrays=(*program.body.arrays, replace(array, role=Role.LOCAL)),
        body=(replace(forward, body=(*forward.body, copy)), reverse),
    )
    parameters = tuple(out if one.name == name else one for one in program.parameters)
    return replace(program, parameters=parameters, body=body, results=(out.name, *program.results[1:])), out.name


@dataclass(frozen=True, slots=True)
class Pair:
    """The two halves of a ``vjp``.

    Attributes
    ----------
    forward : Program
        Results: the outputs (``outputs`` names them, in the order of ``of``), then the kept arrays. A result whose shape the kernel
        computes is an output itself, any other output a copy.
    reverse : Program
        Parameters: the kept arrays under the same names, the cotangents (``seeds`` names them, in the order of ``of``), float scalars of
        the kernel. Extents are integers named as their symbols. Results: the gradients.
    """

    forward: Program
    reverse: Program
    outputs: tuple[str, ...]
    kept: tuple[str, ...]
    seeds: tuple[str, ...]


def split(program: Program, of: tuple[str, ...], wrt: tuple[str, ...]) -> Pair:
    """The halves of a PLANNED gradient Program.

    Parameters
    ----------
    program : Program
        As ``record`` returns it: its parameters end with the cotangents and the gradients.
    of : tuple of str
        What is differentiated: results, or arguments as updated.
    wrt : tuple of str
        The arguments whose gradients are wanted.
    """
    forward, reverse = sweeps(program)
    outside = Block((*program.body.arrays, *forward.arrays), (replace(forward, arrays=()), reverse))
    return _Split(replace(program, body=outside), of, wrt).pair()


class _Split:
    """The work of `split`: what the parameters are, and each half in turn."""

    def __init__(self, program: Program, of: tuple[str, ...], wrt: tuple[str, ...]) -> None:
        self.program, self.of = program, of
        before = len(program.parameters) - len(wrt)
        self.gradients = program.parameters[before:]
        self.seeds = program.parameters[before - len(of) : before]
        self.own = program.parameters[: before - len(of)]
        self.forward, self.reverse = sweeps(program)
        self.arrays = all_arrays(program)
        self.where = first_location(program.body) or Location(program.name, 1, 0, 1, 0)
        self.names = names_of(program)
        self.extents = {name: extents for name, extents in program.extents if name in of}
        self.late = self.made_late()
        self.afresh = filled_first(self.reverse, program.body.arrays) - exchanged(self.forward) - self.late

    def made_late(self) -> set[str]:
        """The arrays that the reverse sweep alone uses: adjoints, and what it makes for itself."""
        inside = {array.name for node in walk(self.reverse) if isinstance(node, Block) for array in node.arrays}
        early = {name for node in walk(self.forward) for name in symbol_names(node)} | used_names(self.forward)
        outer = {a.name for a in self.program.body.arrays if a.role is Role.ADJOINT or a.name not in early}
        return inside | outer

    def pair(self) -> Pair:
        swapped = exchanged(self.forward) & {array.name for array in (*self.program.parameters, *self.program.body.arrays)}
        names = {name: name for name in swapped}
        carried = self.carried(names)
        kept = {array.name: self.kept_array(array) for array in carried}
        outputs = {name: name if name in self.extents else self.names.fresh(f"{name}_out") for name in self.of}
        forward = self.forward_half(names, outputs, kept)
        reverse = self.reverse_half(names, kept)
        names_of_kept = tuple(array.name for array in kept.values())
        return Pair(forward, reverse, tuple(outputs.values()), names_of_kept, tuple(array.name for array in self.seeds))

    def carried(self, names: dict[str, str]) -> list[Array]:
        """What the reverse sweep reads and does not make itself: arrays of the forward sweep, and arguments of rank above 0."""
        used = {memlet.array for node in walk(self.reverse) for memlet in (*reads(node), *writes(node))} | exchanged(self.reverse)
        used |= {name for node in walk(self.reverse) for name in symbol_names(node)}
        used |= {place.name for part in arrangements(self.forward, names, "@") if used & set(part.names) for place in part.places}
        if used & names.keys():
            used |= {memlet.array for node in wound(self.forward, names, "@", self.names) for part in walk(node) for memlet in reads(part)}
        shapes = [self.arrays[name].shape for name in (used | self.late) & self.arrays.keys()]
        used |= {item.name for shape in shapes for extent in shape for item in extent.free_symbols}
        found = []
        for array in self.arrays.values():
            outer = array in self.own or array in self.program.body.arrays
            scalar_argument = array.role == Role.ARGUMENT and array.rank == 0
            if outer and array.name in used - self.late - self.afresh and not scalar_argument:
                found.append(array)
        return found

    def kept_array(self, array: Array) -> Array:
        """The parameter that carries the array: under its own name where the Program made it, a copy for an argument or a scalar, and,
        as a vector that grows, for an array whose size the kernel computes."""
        shape = array.shape or (sympy.Integer(1),)
        if not array.grows and not self.is_known(array):
            return Array(self.names.fresh(f"{array.name}_kept"), array.dtype, (sympy.oo,), Role.ARGUMENT)
        if array.role in (Role.ARGUMENT, Role.RESULT) or array.rank == 0:
            return Array(self.names.fresh(f"{array.name}_kept"), array.dtype, shape, Role.ARGUMENT)
        return replace(array, role=Role.ARGUMENT)

    def is_known(self, array: Array) -> bool:
        """Whether the extents follow from the arguments."""
        return {item for extent in array.shape for item in extent.free_symbols} <= {entry.symbol for entry in self.program.symbols}

    def forward_half(self, names: dict[str, str], outputs: dict[str, str], kept: dict[str, Array]) -> Program:
        tail: list[Node] = list(unwound(self.forward, names, "@", self.names))
        results = []
        for name, out in outputs.items():
            if name in self.extents:
                results += [self.arrays[part] for part in (name, *self.extents[name])]
                continue
            source = self.final(name)
            results.append(Array(out, source.dtype, source.shape, Role.RESULT))
            tail += self.copy(source, results[-1])
        for name, array in kept.items():
            if array.name != name:
                tail += self.copy(self.arrays[name], array)
        carried = tuple(replace(array, role=Role.RESULT) for array in kept.values())
        arguments = [array for array in self.own if array.role == Role.ARGUMENT]
        given = {array.name for array in (*results, *carried)}
        local = [a for a in (*self.program.body.arrays, *self.own_results()) if a.name not in given]
        body = Block(tuple(a for a in local if a.name not in self.late), (Block((), (*self.forward.body, *tail)),))
        return replace(
            self.program,
            parameters=(*arguments, *results, *carried),
            results=(*outputs.values(), *(array.name for array in carried)),
            body=body,
            extents=tuple(self.extents.items()),
        )

    def reverse_half(self, names: dict[str, str], kept: dict[str, Array]) -> Program:
        head: list[Node] = []
        unpacked: list[Node] = []
        local: list[Array] = [array for array in self.program.body.arrays if array.name in self.late | self.afresh]
        table: dict[str, str] = {}
        for name, array in kept.items():
            if not self.is_known(self.arrays[name]) and array.name != name:
                local.append(replace(self.arrays[name], role=Role.LOCAL))
                unpacked += self.copy(array, self.arrays[name])
            elif self.arrays[name].rank == 0:
                local.append(replace(self.arrays[name], role=Role.LOCAL))
                value = Read(Memlet(array.name, (sympy.Integer(0),)), array.dtype)
                head.append(Tasklet(Memlet(name), value, self.where, f"@{name}"))
            elif array.name != name:
                table[name] = array.name
        moving = [name for name in names if name in kept]
        restored = wound(self.forward, {name: table.get(name, name) for name in names}, "@", self.names) if moving else ()
        restored = tuple(rewrite(node, lambda part: rename_arrays(part, table)) for node in restored)
        body = rewrite_block(self.reverse, lambda node: rename_arrays(node, table))
        symbols = tuple(IntegerSymbol(entry.symbol, entry.symbol.name) for entry in self.program.symbols)
        scalars = [array for array in self.own if array.role == Role.ARGUMENT and array.rank == 0]
        return replace(
            self.program,
            symbols=symbols,
            parameters=(*kept.values(), *scalars, *self.seeds, *self.gradients),
            results=tuple(array.name for array in self.gradients),
            body=Block(tuple(local), (Block((), (*head, *unpacked, *restored)), body)),
            extents=(),
        )

    def own_results(self) -> list[Array]:
        """The results of the kernel: arrays of the forward half's own, copied to its outputs."""
        return [replace(array, role=Role.LOCAL) for array in self.own if array.role == Role.RESULT]

    def final(self, name: str) -> Array:
        """The array that holds the final value of an output: the working copy for an argument that is written."""
        return self.arrays[_working_copies(self.forward, self.arrays).get(name, name)]

    def copy_computed(self, source: Array, target: Array) -> Block:
        """A result whose shape the kernel computed, copied row by row."""
        rows = Array(self.names.fresh(f"{source.name}_rows"), I64)
        first, *rest = [Read(Memlet(name), I64) for name in dict(self.program.extents)[source.name]]
        counted: Expression = first
        for extent in rest if source.rank == 1 else ():
            counted = Apply("mul", (counted, extent), I64)
        shape = (symbol(rows.name), *source.shape[1:])
        count = Tasklet(Memlet(rows.name), counted, self.where, f"@{rows.name}")
        return Block((rows,), (count, *self.copy(replace(source, shape=shape), target)))

    def copy(self, source: Array, target: Array) -> tuple[Node, ...]:
        """The whole array copied; a scalar into an array of one element where the target is one, from and to a vector that grows element by
        element."""
        if source.grows and target.grows:
            return (self.copy_computed(source, target),)
        shape = target.shape if source.grows else source.shape

        def cell(indices: tuple[sympy.Expr, ...]) -> tuple[Node, ...]:
            place, origin = (Memlet(array.name, _cell(array, shape, indices)) for array in (target, source))
            return (Tasklet(place, Read(origin, source.dtype), self.where, f"@{target.name}"),)

        copied = nest(tuple(Range(sympy.Integer(0), extent) for extent in shape), cell, self.names, self.where, f"@{target.name}/nest")
        if not target.grows:
            return copied
        size = sympy.Mul(*(sympy.Max(0, extent) for extent in (shape if target.rank == 1 else shape[:1])))
        rows = tuple(Range(sympy.Integer(0), extent) for extent in (size, *target.shape[1:]))
        grown = Library("grow", (), Memlet(target.name, rows), self.where, f"@{target.name}+")
        return (grown, *copied)


def _cell(array: Array, shape: tuple[sympy.Expr, ...], indices: tuple[sympy.Expr, ...]) -> tuple[sympy.Expr, ...]:
    """Where the cell of those indices lies: at them, or where it is the one element, or in the vector that grows."""
    if array.grows and array.rank < len(indices):
        number = sympy.Integer(0)
        for extent, index in zip(shape, indices, strict=True):
            number = number * extent + index
        return (number,)
    return indices if array.rank == len(indices) else (sympy.Integer(0),)


def _working_copies(forward: Block, arrays: dict[str, Array]) -> dict[str, str]:
    """Argument -> the copy that the sweep works on: an array of role COPY, which the first write to it fills from the argument."""
    found: dict[str, str] = {}
    for node in walk(forward):
        match node:
            case Tasklet(write=Memlet(array=copy), value=Read(memlet=Memlet(array=source))) if arrays[copy].role is Role.COPY:
                if copy not in found.values():
                    found[source] = copy
            case _:
                pass
    return found
