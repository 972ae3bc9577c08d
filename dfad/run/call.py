"""A call's arguments: their types, what is refused, and how they are brought into the form that compiled code takes.

This is the careful way, taken when the launcher's quick check does not know the arguments: at a first call, and for arrays that are not
contiguous, aligned and of the machine's byte order.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from inspect import Parameter, Signature
from itertools import combinations
from typing import Any, NoReturn

import numpy as np

from dfad.errors import CompilerBug, KernelTypeError, OtherExtents, OutOfRoom, Place
from dfad.ir.dtype import SUPPORTED
from dfad.ir.signature import ArgumentType, ArrayType, ConstantType, FloatType, IntegerType
from dfad.options import Options
from dfad.run.recipe import Recipe

Array = np.ndarray[Any, Any]

OPTION_NAMES = frozenset(option.name for option in fields(Options))
"""The keywords of `dfad.grad` and its kin, which a call does not take."""

LARGEST = np.iinfo(np.int64).max


def bind(name: str, signature: Signature, args: Sequence[object], kwargs: Mapping[str, object]) -> tuple[object, ...]:
    """The values of all parameters in order, as Python binds a call.

    Raises
    ------
    KernelTypeError
        When the call does not fit the signature.
    """
    _check_keywords(name, signature, kwargs)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise KernelTypeError(f"{name}{signature}: {error}") from None
    bound.apply_defaults()
    return tuple(bound.arguments[parameter] for parameter in signature.parameters)


def _check_keywords(name: str, signature: Signature, kwargs: Mapping[str, object]) -> None:
    """Refuse a keyword that names no parameter, before Python tells of the one that is then missing."""
    for keyword in kwargs:
        if keyword in signature.parameters:
            continue
        close = get_close_matches(keyword, signature.parameters, 1)
        hint = f"did you mean {close[0]}?" if close else f"its parameters are {', '.join(signature.parameters)}"
        if keyword in OPTION_NAMES:
            hint = f"options go to the transform: dfad.grad({name}, {keyword}=...)"
        raise KernelTypeError(f"{name}{signature}: got an unexpected keyword argument {keyword!r}", hint=hint)


def trailing_defaults(signature: Signature) -> tuple[object, ...]:
    """The default values at the end of the signature, for calls that leave them out."""
    found = [parameter.default for parameter in signature.parameters.values()]
    count = next((n for n, default in enumerate(reversed(found)) if default is Parameter.empty), len(found))
    return tuple(found[len(found) - count :])


def classify(value: object) -> ArgumentType | None:
    """The type of an argument; None when it is of no type that a kernel takes."""
    match value:
        case None | bool() | str():
            return ConstantType(value)
        case np.bool_():
            return ConstantType(bool(value))
        case int() | np.integer():
            return IntegerType() if -LARGEST <= int(value) <= LARGEST else None
        case float() | np.floating():
            return FloatType()
        case np.ndarray() if type(value) in (np.ndarray, np.memmap) and value.ndim > 0:
            dtype = SUPPORTED.get(value.dtype.name)
            native = dtype is not None and value.dtype.isnative
            return ArrayType(dtype, tuple(extent == 1 for extent in value.shape)) if dtype is not None and native else None
        case _:
            return None


def size_of(value: object) -> tuple[int, ...]:
    """What a budget's plan depends on: an array's shape, an integer's value; nothing of other values."""
    match value:
        case np.ndarray():
            return tuple(map(int, value.shape))
        case int() | np.integer():
            return (int(value),)
        case _:
            return ()


def copied_bytes(value: object) -> int:
    """The bytes that a call copies of an argument since compiled code takes contiguous arrays alone; 0 for what it takes as it is."""
    match value:
        case np.ndarray() if not (value.flags.c_contiguous and value.flags.aligned):
            return int(value.nbytes)
        case _:
            return 0


def types_of(names: Sequence[str], values: Sequence[object], place: Callable[[str], Place]) -> tuple[ArgumentType, ...]:
    """The types of all arguments.

    Raises
    ------
    KernelTypeError
        For the first argument of no such type; names it and says what to pass.
    """
    found = []
    for name, value in zip(names, values, strict=True):
        kind = classify(value)
        if kind is None:
            refuse(name, value, place(name))
        found.append(kind)
    return tuple(found)


def refuse(name: str, value: object, place: Place) -> NoReturn:
    """Raise the error for an argument of no type that a kernel takes."""
    what, hint = _objection(name, value)
    place["hint"] = hint
    raise KernelTypeError(f"argument {name} is {what}", **place)


def _objection(name: str, value: object) -> tuple[str, str]:
    takes = ", ".join(SUPPORTED)
    match value:
        case np.ndarray() if type(value) not in (np.ndarray, np.memmap):
            return f"a {type(value).__name__}", f"pass a plain array: np.asarray({name})"
        case np.ndarray() if value.dtype.kind == "c":
            return f"an array of {value.dtype}", f"complex numbers are not supported yet: pass {name}.real and {name}.imag"
        case np.ndarray() if value.dtype.name not in SUPPORTED:
            return f"an array of {value.dtype}", f"arrays of {takes} are taken: {name}.astype(np.float64)"
        case np.ndarray() if not value.dtype.isnative:
            return "an array in foreign byte order", f"{name}.astype({name}.dtype.newbyteorder('='))"
        case np.ndarray():
            return "an array of no dimensions", f"pass the number: {name}.item()"
        case list() | tuple():
            return f"a {type(value).__name__}", f"pass an array: np.array({name})"
        case int() | np.integer():
            return f"the integer {value}, which does not fit 64 bits", "integers are int64"
        case complex() | np.complexfloating():
            return "a complex number", "complex numbers are not supported yet"
        case _ if hasattr(value, "__array__"):
            return f"a {type(value).__module__.split('.')[0]} {type(value).__name__}", f"pass a NumPy array: np.asarray({name})"
        case _:
            return f"a {type(value).__name__}", f"a kernel takes arrays of {takes}, numbers, None, bools and strings"


@dataclass(slots=True)
class Prepared:
    """Arguments in the form that compiled code takes.

    Attributes
    ----------
    values : list
        The arguments; arrays C-contiguous, aligned, plain.
    originals : dict
        id of a changed array -> (the array, the caller's own).
    copied : int
        Bytes of the copies.
    """

    values: list[Any] = field(default_factory=list)
    originals: dict[int, tuple[Array, Array]] = field(default_factory=dict)
    copied: int = 0

    def written(self, recipe: Recipe) -> list[tuple[Array, Array]]:
        """The arrays that the kernel writes, with copies of them."""
        return [(value, value.copy()) for expected, value in zip(recipe.inputs, self.values, strict=True) if expected.is_written]

    def write_back(self, recipe: Recipe) -> None:
        """Give the caller's arrays what the kernel wrote to their copies."""
        for expected, value in zip(recipe.inputs, self.values, strict=True):
            if expected.is_written and id(value) in self.originals:
                copy, own = self.originals[id(value)]
                if not np.may_share_memory(copy, own):
                    own[...] = copy

    def restored(self, result: object) -> object:
        """The result with the caller's own arrays in place of their copies."""
        if isinstance(result, tuple):
            return tuple(map(self.restored, result))
        return self.originals[id(result)][1] if id(result) in self.originals else result


def prepare(recipe: Recipe, values: Sequence[object], place: Callable[[str], Place]) -> Prepared:
    """Check what types do not show, and copy where the layout asks for it.

    Raises
    ------
    KernelTypeError
        When an array that the kernel writes is read-only, or shares memory with another argument.
    """
    check_writes(recipe, values, place)
    prepared = Prepared()
    for value in values:
        prepared.values.append(_prepared(value, prepared))
    return prepared


def _prepared(value: object, prepared: Prepared) -> object:
    match value:
        case np.ndarray():
            return _laid_out(value, prepared)
        case np.bool_():
            return bool(value)
        case _:
            return value


def _laid_out(value: Array, prepared: Prepared) -> Array:
    plain = value.view(np.ndarray) if type(value) is not np.ndarray else value
    dtype = np.dtype(plain.dtype.name)
    if plain.dtype is not dtype:
        plain = plain.view(dtype)
    if copied_bytes(plain):
        plain = np.array(plain, order="C", copy=True)
        prepared.copied += plain.nbytes
    if plain is not value:
        prepared.originals[id(plain)] = (plain, value)
    return plain


def check_writes(recipe: Recipe, values: Sequence[object], place: Callable[[str], Place]) -> None:
    """Refuse read-only arrays that the kernel writes and arrays that overlap one that it writes; raises KernelTypeError."""
    arrays = [(expected, value) for expected, value in zip(recipe.inputs, values, strict=True) if isinstance(value, np.ndarray)]
    for expected, value in arrays:
        if expected.is_written and not value.flags.writeable:
            where = place(expected.name)
            where["hint"] = f"pass {expected.name}.copy(), or call the gradient, which writes to no argument"
            raise KernelTypeError(f"{recipe.name} writes to argument {expected.name}, which is read-only", **where)
        if expected.is_written and _overlaps_itself(value):
            raise KernelTypeError(f"{recipe.name} writes to argument {expected.name}, whose elements overlap", **place(expected.name))
    for (first, one), (second, other) in combinations(arrays, 2):
        if (first.is_updated or second.is_updated) and np.shares_memory(one, other):
            updated = first.name if first.is_updated else second.name
            where = place(second.name)
            where["hint"] = "pass a copy of one of them"
            raise KernelTypeError(f"arguments {first.name} and {second.name} overlap, and {recipe.name} writes to {updated}", **where)


def _overlaps_itself(value: Array) -> bool:
    """Whether two elements of the array are one, as far as strides of 0 show it."""
    return any(stride == 0 and extent > 1 for stride, extent in zip(value.strides, value.shape, strict=True)) and value.size > 0


def run_prepared(
    routine: Callable[..., object], recipe: Recipe, values: Sequence[object], place: Callable[[str], Place], miss: object
) -> object:
    """Call a routine the careful way; a written argument gets what was written, also when the call fails, but not when it begins again."""
    prepared = prepare(recipe, values, place)
    before = prepared.written(recipe) if recipe.writes_again else []
    try:
        result = routine(tuple(prepared.values), prepared.copied + sum(copy.nbytes for _, copy in before))
    except (OutOfRoom, OtherExtents):
        for array, copy in before:
            array[...] = copy
        raise
    finally:
        prepared.write_back(recipe)
    if result is miss:
        raise CompilerBug(f"the compiled {recipe.name} does not take the arguments that it was compiled for")
    return prepared.restored(result)
