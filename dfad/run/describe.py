"""A Program and its emitted text -> the recipe of its call."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import sympy

from dfad.emit import ArrayField, Emitted, ExtentField, Field, FloatField, GrownField, IntegerField, MadeField, ScalarResultField
from dfad.errors import CompilerBug
from dfad.ir.nodes import Array, Check, Exchange, IntegerSymbol, Program, Role, ShapeSymbol
from dfad.ir.signature import ArgumentType, ArrayType, ConstantType, FloatType, IntegerType
from dfad.ir.walk import walk, writes
from dfad.run.recipe import SCALARS, SLOT_KINDS, Input, Origin, Output, Recipe, Returns, Site, Slot
from dfad.source import Location, SourceText

MEMORY = {Role.TAPE: 0, Role.COPY: 3, Role.ADJOINT: 4, Role.RESULT: 5}
"""The memory class of an array that the launcher makes, by its role."""

Named = str | None | tuple["Named", ...]
"""What a call gives, by the names of parameters, nested as the result is."""


@dataclass(frozen=True)
class Wrapper:
    """How a Program is called from Python.

    Attributes
    ----------
    inputs : sequence of (name, type)
        What the call hands over, in order; hidden arguments last.
    hidden : sequence of (int, str)
        For each hidden argument, the function by its number and the name in it.
    returns : Named
        What the call gives.
    gradients : frozenset of str
        The results that are gradients: scalars among them come back as NumPy scalars, other scalars as Python's.
    kept : mapping of str to Role
        Arrays that a forward sweep leaves for its reverse sweep, and what for; their extents are not part of the types.
    origins : tuple of Origin
        For a reverse sweep: where each input comes from.
    updated : frozenset of str
        Arrays that the function updates, which this program may do in a copy; those that the program writes are among them anyway.
    sizes : tuple of int, optional
        The values of the Program's symbols for which it was planned, where it was planned for a budget.
    """

    inputs: Sequence[tuple[str, ArgumentType]]
    hidden: tuple[tuple[int, str], ...] = ()
    returns: Named = None
    gradients: frozenset[str] = frozenset()
    kept: Mapping[str, Role] = field(default_factory=dict)
    origins: tuple[Origin, ...] = ()
    sizes: tuple[int, ...] | None = None
    updated: frozenset[str] = frozenset()


def returned(program: Program) -> Named:
    """What a primal returns: nothing, one value or a tuple."""
    if program.returns_tuple:
        return program.results
    return program.results[0] if program.results else None


def describe(
    program: Program, emitted: Emitted, wrapper: Wrapper, functions: Sequence[SourceText], library: str
) -> Recipe:
    """The recipe for calling an emitted program.

    Parameters
    ----------
    program : Program
        What was emitted.
    emitted : Emitted
    wrapper : Wrapper
    functions : sequence of SourceText
        The functions whose text it came from.
    library : str
        The key of the compiled code.
    """
    places = {name: number for number, (name, _) in enumerate(wrapper.inputs)}
    made = [array for array in program.parameters if array.name not in places]
    places.update((array.name, len(wrapper.inputs) + number) for number, array in enumerate(made))
    arguments = {array.name: array for array in program.parameters}
    shapes, written = [() if array.grows else array.shape for array in made], written_arguments(program)
    extents = {name: tuple(places[extent] for extent in names) for name, names in program.extents}
    likes = [-4 if array.name in extents else _like(array, wrapper.inputs, arguments) for array in made]
    made_by_us = {name for (name, _), origin in zip(wrapper.inputs, wrapper.origins, strict=False) if origin.kind in ("kept", "seed")}
    return Recipe(
        name=program.name,
        inputs=tuple(_input(name, kind, name in written, name in wrapper.updated, name in made_by_us) for name, kind in wrapper.inputs),
        hidden=tuple(wrapper.hidden),
        outputs=tuple(_output(array, like, wrapper, extents.get(array.name, ())) for array, like in zip(made, likes, strict=True)),
        slots=tuple(_slot(field, places) for field in emitted.fields),
        symbols=tuple(_symbol_slot(bound, places) for bound in program.symbols),
        shapes=_shapes_text(program, shapes) if -1 in likes else "",
        returns=_positions(wrapper.returns, places),
        sites=tuple(_site(check, functions) for check in emitted.sites),
        library=library,
        uses_blas=emitted.uses_blas,
        is_parallel=emitted.is_parallel,
        origins=wrapper.origins,
        sizes=wrapper.sizes,
    )


def written_arguments(program: Program) -> frozenset[str]:
    """The arrays whose buffers the program may write to: those written, and those that an Exchange may put in their place."""
    nodes = list(walk(program.body))
    found = {memlet.array for node in nodes for memlet in writes(node)}
    pairs = [{node.first, node.second} for node in nodes if isinstance(node, Exchange)]
    while grown := {name for pair in pairs if pair & found for name in pair} - found:
        found |= grown
    return frozenset(found)


def _input(name: str, kind: ArgumentType, is_written: bool, is_updated: bool, is_made_by_us: bool) -> Input:
    match kind:
        case ArrayType(dtype, ones):
            known = tuple(one or None for one in ones) if is_made_by_us else ones
            return Input(name, "array", dtype.name, known, is_written, is_written or is_updated)
        case IntegerType():
            return Input(name, "integer")
        case FloatType():
            return Input(name, "float")
        case ConstantType(value):
            return Input(name, "constant", constant=value)


def _like(array: Array, inputs: Sequence[tuple[str, ArgumentType]], arguments: Mapping[str, Array]) -> int:
    """The input of the same shape; -1 when there is none, -2 for a scalar, -3 for an array that grows."""
    if array.grows:
        return -3
    if not array.shape:
        return -2
    for number, (name, kind) in enumerate(inputs):
        if isinstance(kind, ArrayType) and name in arguments and arguments[name].shape == array.shape:
            return number
    return -1


def _output(array: Array, like: int, wrapper: Wrapper, extents: tuple[int, ...]) -> Output:
    role = wrapper.kept.get(array.name, array.role)
    reading = _reading(array, array.name in wrapper.gradients) if like == -2 else 0
    return Output(array.name, array.dtype.name, like, MEMORY[role], reading, extents)


def _reading(array: Array, is_gradient: bool) -> int:
    """How the scalar is read: a position in SCALARS."""
    match array.dtype.kind:
        case "b":
            return SCALARS.index("bool")
        case "i":
            return SCALARS.index("integer")
        case _ if is_gradient:
            return SCALARS.index(array.dtype.name)
        case _:
            return SCALARS.index(array.dtype.c_name)


def _slot(field: Field, places: Mapping[str, int]) -> Slot:
    match field:
        case ExtentField(array, dimension):
            return Slot(SLOT_KINDS.index("extent"), places[array], dimension)
        case IntegerField(parameter):
            return Slot(SLOT_KINDS.index("number"), places[parameter])
        case FloatField(array, dtype):
            return Slot(SLOT_KINDS.index("bits"), places[array], dtype.bytes)
        case ArrayField(array):
            return Slot(SLOT_KINDS.index("address"), places[array])
        case GrownField(array):
            return Slot(SLOT_KINDS.index("grown"), places[array])
        case MadeField(array):
            return Slot(SLOT_KINDS.index("made"), places[array])
        case ScalarResultField(array):
            return Slot(SLOT_KINDS.index("scalar"), places[array])
        case _:
            raise CompilerBug(f"no such field: {field!r}")


def _symbol_slot(bound: ShapeSymbol | IntegerSymbol, places: Mapping[str, int]) -> Slot:
    match bound:
        case ShapeSymbol():
            return Slot(SLOT_KINDS.index("extent"), places[bound.array], bound.dimension)
        case IntegerSymbol():
            return Slot(SLOT_KINDS.index("number"), places[bound.parameter])


def _positions(named: Named, places: Mapping[str, int]) -> Returns:
    if named is None:
        return None
    return places[named] if isinstance(named, str) else tuple(_positions(part, places) for part in named)


def _site(check: Check, functions: Sequence[SourceText]) -> Site:
    where = check.where
    number = next((n for n, source in enumerate(functions) if _holds(source, where)), 0)
    return Site(check.error, check.message, number, where.line, where.column, where.end_line, where.end_column)


def _holds(source: SourceText, where: Location) -> bool:
    last = source.tree.end_lineno or source.tree.lineno
    return source.filename == where.filename and source.tree.lineno <= where.line <= last


def _shapes_text(program: Program, shapes: Sequence[Sequence[sympy.Expr]]) -> str:
    """A Python function from the values of the program's symbols to the shapes; an extent below 0 means 0."""
    names = {bound.symbol: f"s{number}" for number, bound in enumerate(program.symbols)}
    rows = ("(" + "".join(f"max({_python(extent, names)}, 0), " for extent in shape) + ")" for shape in shapes)
    return f"lambda {', '.join(names.values())}: ({''.join(f'{row}, ' for row in rows)})"


def _python(expression: sympy.Expr, names: Mapping[sympy.Symbol, str]) -> str:
    """A symbolic integer as Python text that stays within integers."""
    top, bottom = sympy.fraction(sympy.together(expression))
    return _whole(top, names) if bottom == 1 else f"({_whole(top, names)} // {_whole(bottom, names)})"


def _whole(expression: sympy.Expr, names: Mapping[sympy.Symbol, str]) -> str:
    parts = list(_parts(expression, names))
    match expression:
        case sympy.Integer():
            return f"({expression})" if expression < 0 else str(expression)
        case sympy.Symbol():
            return names[expression]
        case sympy.Add():
            return f"({' + '.join(parts)})"
        case sympy.Mul():
            return f"({' * '.join(parts)})"
        case sympy.Pow():
            return f"({parts[0]} ** {parts[1]})"
        case sympy.floor():
            return parts[0]
        case sympy.Mod():
            return f"({parts[0]} % {parts[1]})"
        case sympy.Min():
            return f"min({', '.join(parts)})"
        case sympy.Max():
            return f"max({', '.join(parts)})"
        case _:
            raise CompilerBug(f"{expression} is no symbolic integer")


def _parts(expression: sympy.Expr, names: Mapping[sympy.Symbol, str]) -> Iterator[str]:
    for part in expression.args:
        yield _python(part, names)
