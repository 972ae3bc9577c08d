"""From a function's text and the types of its arguments to a Program.

In: a `SourceText` and the type of each parameter. Out: `Lowered`, with a verified PRIMAL Program that does what Python does when it
runs the function. Where a variable turns out to have another type than first assumed, lowering starts again with what it learned.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from dfad.errors import CompilerBug, UnsupportedSyntax
from dfad.frontend.arrays import materialise
from dfad.frontend.blocks import Checks
from dfad.frontend.builder import Builder
from dfad.frontend.computed import computed_result, is_computed, returned_variables
from dfad.frontend.early import start_again
from dfad.frontend.exits import without_exits
from dfad.frontend.fence import check
from dfad.frontend.inline import inline
from dfad.frontend.inner import without_functions
from dfad.frontend.lists import without_appends
from dfad.frontend.literals import as_array
from dfad.frontend.liveness import live_variables, parameters_of
from dfad.frontend.names import declare_parameter
from dfad.frontend.packing import side_by_side
from dfad.frontend.scope import Context, Frame, Hidden, Learned, Resolved, Retry
from dfad.frontend.statements import lower_body
from dfad.frontend.undefined import refuse_undefined
from dfad.frontend.unpacked import unpacked
from dfad.frontend.values import Deferred, Known, Lazy, Masked, Scalar, Tuple, Value, View, kind_of, whole
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Array, Block, Program, Read, Role
from dfad.ir.signature import ArgumentType
from dfad.ir.verify import verify
from dfad.source import SourceText

ATTEMPTS = 200
"""Each attempt learns something about one variable at least."""


@dataclass(frozen=True)
class Lowered:
    """A Program and what it depends on beside its parameters.

    Attributes
    ----------
    program : Program
        PRIMAL, verified.
    hidden : tuple of Hidden
        Numbers and arrays of namespaces: further arguments, read anew at every call.
    resolved : tuple of Resolved
        Names that were resolved to functions, modules and constants.
    inlined : tuple of SourceText
        The functions whose bodies were put in place of calls.
    """

    program: Program
    hidden: tuple[Hidden, ...]
    resolved: tuple[Resolved, ...]
    inlined: tuple[SourceText, ...]


def lower(source: SourceText, types: Mapping[str, ArgumentType], checks: Checks = Checks.OUTSIDE, resized: Collection[str] = ()) -> Lowered:
    """Lower a function for arguments of these types.

    ``checks``: where checks of accesses in loops stand; ``resized``: variables, with the path of their frame, that may mean arrays of
    different extents where nothing but the arguments tells.

    Raises
    ------
    UnsupportedSyntax
        When it uses what dfad does not take.
    KernelTypeError
        When ranks, dtypes or shapes do not fit together.
    """
    check(source)
    learned = Learned(selected=set(resized), resized=set(resized))
    for _ in range(ATTEMPTS):
        try:
            return _attempt(source, types, checks, learned)
        except Retry:
            continue
    if not learned.selected:
        raise CompilerBug(f"the types of {source.name} do not settle: {learned}")
    names = ", ".join(sorted({name.rpartition(".")[2] for name in learned.selected}))
    raise UnsupportedSyntax(
        f"which arrays {names} mean in {source.name} does not settle",
        **source.locate(source.tree).place() | {"hint": "bind new names where these mean other arrays, or copies of them"},
    )


def _attempt(source: SourceText, types: Mapping[str, ArgumentType], checks: Checks, learned: Learned) -> Lowered:
    reserved = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)} | types.keys()
    context = Context(Builder(reserved, checks), inline, side_by_side, as_array, learned)
    written = without_appends(without_functions(context, source))
    guarded = without_exits(written)
    tree = unpacked(guarded, learned.items.get("", {}))
    frame = Frame(source, live_variables(tree), "", gives="", returned=returned_variables(written, guarded, ""))
    context.frames.append(frame)
    context.stand_at(source.tree)
    for parameter in parameters_of(source.tree):
        name = context.builder.name(parameter.arg)
        frame.variables[parameter.arg] = declare_parameter(context, name, types[parameter.arg])
    lower_body(context, tree.body)
    start_again(context)
    results = _results(context, Known(None) if frame.result is None else frame.result)
    program = _program(context, results, isinstance(frame.result, Tuple))
    refuse_undefined(verify(program))
    return Lowered(
        program,
        tuple(hidden for hidden, _ in context.hidden.values()),
        tuple(context.resolved.values()),
        tuple(one for one in context.inlined.values() if one.enclosing is None),
    )


def _program(context: Context, results: tuple[Array, ...], returns_tuple: bool) -> Program:
    """Close the function's block; results leave it and become parameters."""
    block = context.builder.close(context.builder.block)
    local = {array.name: array for array in block.arrays}
    extents = (extent for one in context.computed.values() for extent in one.extents)
    leaving = dict.fromkeys(array.name for array in (*results, *extents) if array.name in local)
    promoted = tuple(replace(local[name], role=Role.RESULT) for name in leaving)
    return Program(
        context.frame.source.name,
        tuple(context.symbols),
        (*(context.builder.shaped(array) for array in context.parameters), *promoted),
        Block(tuple(array for array in block.arrays if array.name not in leaving), block.body),
        tuple(array.name for array in results),
        returns_tuple,
        extents=tuple((one.array.name, tuple(extent.name for extent in one.extents)) for one in context.computed.values()),
    )


# ---------------------------------------------------------------- results


def _results(context: Context, value: Value) -> tuple[Array, ...]:
    items = value.items if isinstance(value, Tuple) else () if isinstance(value, Known) and value.value is None else (value,)
    found = list[Array]()
    for item in items:
        found.append(_result(context, item, {array.name for array in found}))
    return tuple(found)


def _result(context: Context, value: Value, taken: set[str]) -> Array:
    """The array that holds a returned value: the caller's own, a local one that leaves the function, or a copy."""
    match value:
        case View() if any(value.array == one.array for one in context.computed.values()):
            return value.array
        case View() | Lazy() | Deferred() | Masked() if is_computed(context, value):
            return computed_result(context, value, _result_name(context))
        case View() if value.is_whole and _may_leave(context, value.array, taken):
            return value.array
        case View():
            return materialise(context, Lazy(value.shape, value.dtype, value.at), _result_name(context)).array
        case Scalar():
            return _scalar_result(context, value, taken)
        case Lazy() if value.shape:
            return materialise(context, value, _result_name(context)).array
        case Lazy():
            return _scalar_result(context, Scalar(value.at(())), taken)
        case Deferred():
            array = context.builder.declare(context.builder.name(_result_name(context)), value.dtype, value.shape)
            value.write(whole(array), False)
            return array
        case _:
            context.unsupported(f"a kernel cannot return {kind_of(value)}", hint="return numbers, arrays or a tuple of them")


def _result_name(context: Context) -> str:
    return context.builder.unused("result")


def _may_leave(context: Context, array: Array, taken: set[str]) -> bool:
    """Whether the array itself can be the result; after an exchange its name may stand for another buffer."""
    if array.name in context.builder.exchanged or array.name in taken:
        return False
    return array.role == Role.ARGUMENT or array in context.builder.block.arrays


def _scalar_result(context: Context, value: Scalar, taken: set[str]) -> Array:
    match value.expression:
        case Read(Memlet(name, ())):
            own = [array for array in context.builder.block.arrays if array.name == name and name not in taken]
            if own:
                return own[0]
        case _:
            pass
    return context.builder.hold(_result_name(context), value.expression)
