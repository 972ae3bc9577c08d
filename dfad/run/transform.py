"""What a call computes: the function itself or which derivative of it, as the options and the types of the arguments say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dfad.errors import KernelTypeError, Place
from dfad.ir.signature import ArgumentType, ArrayType, FloatType, IntegerType
from dfad.options import Options
from dfad.source import SourceText

_FLOATS = "pass an array of float64 or float32, or a float"


@dataclass(frozen=True)
class Transform:
    """What is computed.

    Attributes
    ----------
    kind : str
        ``"primal"``, ``"grad"``, ``"value_and_grad"`` or ``"vjp"``.
    wrt : tuple of str
        The parameters to differentiate by.
    of : tuple of str
        For ``"vjp"``: what is differentiated, arguments by name; empty for the result.
    is_single : bool
        Whether one gradient comes back, not a tuple of gradients.
    is_checked : bool
        Of a primal: whether all indices are checked at their accesses, for arguments with which one may be out of range.
    resized : tuple of str
        Variables that mean arrays of different extents; of others that is not assumed.
    """

    kind: str
    wrt: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    is_single: bool = True
    is_checked: bool = False
    resized: tuple[str, ...] = ()


def parameters(source: SourceText) -> tuple[str, ...]:
    """The names of a function's parameters, in order."""
    code = source.function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def place_of(source: SourceText, name: str) -> Place:
    """Where a parameter stands; the function itself for a name that is none."""
    arguments = source.tree.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    node = next((argument for argument in every if argument.arg == name), None)
    return source.locate(source.tree if node is None else node).place()


def differentiated(source: SourceText, types: Mapping[str, ArgumentType], kind: str, options: Options) -> Transform:
    """The transform that the options mean for arguments of these types."""
    wrt = options.wrt
    if wrt is None:
        return Transform(kind, (_default_wrt(source, types),))
    chosen = (wrt,) if isinstance(wrt, str | int) else wrt
    names = tuple(parameter_named(source, one) for one in chosen)
    for name in names:
        if names.count(name) > 1:
            raise KernelTypeError(f"wrt names {name} twice", **place_of(source, name))
        if not _is_active(types[name]):
            where = place_of(source, name)
            where["hint"] = _as_floats(name, types[name])
            raise KernelTypeError(f"{name} is not of floating-point type, so there is no gradient by it", **where)
    return Transform(kind, names, is_single=isinstance(wrt, str | int))


def _default_wrt(source: SourceText, types: Mapping[str, ArgumentType]) -> str:
    arrays = [name for name, kind in types.items() if isinstance(kind, ArrayType) and kind.dtype.is_float]
    floats = [name for name, kind in types.items() if isinstance(kind, FloatType)]
    if not arrays and not floats:
        where = source.locate(source.tree).place()
        where["hint"] = next((_as_floats(name, kind) for name, kind in types.items() if isinstance(kind, ArrayType)), _FLOATS)
        raise KernelTypeError(f"no argument of {source.name} is of floating-point type", **where)
    return (arrays or floats)[0]


def _as_floats(name: str, kind: ArgumentType) -> str:
    """What to pass in place of an argument that has no derivative."""
    match kind:
        case ArrayType():
            return f"pass {name}.astype(float)"
        case IntegerType():
            return f"pass float({name})"
        case _:
            return _FLOATS


def parameter_named(source: SourceText, one: str | int) -> str:
    """The parameter that an item of `wrt` means; raises `KernelTypeError` where there is none."""
    names: Sequence[str] = parameters(source)
    if isinstance(one, int) and -len(names) <= one < len(names):
        return names[one]
    if one in names:
        return str(one)
    raise KernelTypeError(f"wrt={one!r} is no parameter of {source.name}", hint=f"its parameters are {', '.join(names)}")


def _is_active(kind: ArgumentType) -> bool:
    return isinstance(kind, FloatType) or (isinstance(kind, ArrayType) and kind.dtype.is_float)
