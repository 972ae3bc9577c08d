"""The options of a kernel and of its gradients: one frozen value, checked when it is made."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from numbers import Integral
from typing import Any, Literal, TypeGuard

from dfad.errors import KernelTypeError

UNITS = {
    "": 1, "B": 1,
    "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40,
}  # fmt: skip
"""Bytes of each unit of a budget, the unit in capitals."""

Wrt = str | int | tuple[str | int, ...] | None
"""What is differentiated: a parameter's name or position, or several."""


@dataclass(frozen=True)
class Options:
    """How a kernel is compiled and differentiated.

    Parameters
    ----------
    wrt : str, int or sequence of them, optional
        The parameters to differentiate by, by name or position; with a sequence a tuple of gradients comes back. Default: the
        first floating-point array, else the first float.
    memory : int or str, optional
        The budget of a gradient call beyond the caller's own arrays: bytes, or a text such as ``"500 MB"`` (10**6) or
        ``"64 MiB"`` (2**20). Kept in bytes. Default: unlimited.
    tape_dtype : "float32", optional
        The precision of what is recorded. Default: that of the data.
    snapshots : "memory" or "disk"
        Where the states of a time loop are kept.
    threads : int, optional
        Default: ``OMP_NUM_THREADS``, else the cores that this process may use.
    fastmath : bool
        Allow the compiler to reorder floating-point sums; NaN and infinity keep their meaning.
    cache : bool
        Keep the compiled kernel on disk.

    Raises
    ------
    KernelTypeError
        When a value has no meaning; names the option and what it takes.
    """

    wrt: Wrt = None
    memory: int | str | None = None
    tape_dtype: Literal["float32"] | None = None
    snapshots: Literal["memory", "disk"] = "memory"
    threads: int | None = None
    fastmath: bool = False
    cache: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "wrt", _checked_wrt(self.wrt))
        object.__setattr__(self, "memory", parse_bytes(self.memory))
        _check_choice("tape_dtype", self.tape_dtype, (None, "float32"))
        _check_choice("snapshots", self.snapshots, ("memory", "disk"))
        _check_choice("fastmath", self.fastmath, (False, True))
        _check_choice("cache", self.cache, (False, True))
        if self.threads is not None and (not _is_integer(self.threads) or self.threads < 1):
            raise KernelTypeError(f"threads={self.threads!r} is not a number of threads", hint="a positive integer, or None for all cores")

    @property
    def budget(self) -> int | None:
        """The memory budget in bytes, None when unlimited."""
        return parse_bytes(self.memory)

    def compile_key(self) -> tuple[object, ...]:
        """The options that change the generated code; two calls that differ only in the others share one compilation.

        The budget and the number of threads are not among them: a plan that changes the code enters by its own text.
        """
        return (self.wrt, self.tape_dtype, self.snapshots, self.fastmath)


def merge(options: Options, **overrides: Any) -> Options:
    """The options with some of them replaced.

    Raises
    ------
    KernelTypeError
        When an override is not an option, or its value has no meaning.
    """
    known = [field.name for field in fields(Options)]
    for name in overrides:
        if name not in known:
            raise KernelTypeError(f"{name} is not an option", hint=f"the options are {', '.join(known)}")
    return replace(options, **overrides)


def parse_bytes(size: float | str | None) -> int | None:
    """A memory budget in bytes.

    Parameters
    ----------
    size : int, float, str or None
        Bytes, a whole number, or a number with a unit: B, kB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB (powers of 1024).

    Raises
    ------
    KernelTypeError
        When it is not a size.
    """
    match size:
        case None:
            return None
        case str():
            return _parse_text(size)
        case float() if size.is_integer() and size >= 0:
            return int(size)
        case _ if not _is_integer(size) or size < 0:
            raise _no_size(size)
        case _:
            return int(size)


def _parse_text(size: str) -> int:
    match = re.fullmatch(r"\s*(\d+(?:_\d+)*(?:\.\d*)?|\.\d+)\s*([A-Za-z]*)\s*", size)
    if match is None or match[2].upper() not in UNITS:
        raise _no_size(size)
    number, unit = match[1].replace("_", ""), UNITS[match[2].upper()]
    whole, _, fraction = number.partition(".")
    count: int = int(whole + fraction) * unit // 10 ** len(fraction)
    return count


def _no_size(size: object) -> KernelTypeError:
    return KernelTypeError(f"memory={size!r} is not a size", hint='a number of bytes, or a text such as "500 MB" or "64 MiB"')


def _checked_wrt(wrt: object) -> Wrt:
    match wrt:
        case None | str():
            return wrt
        case _ if _is_integer(wrt):
            return int(wrt)
        case Sequence():
            names = tuple(name for name in wrt if isinstance(name, str) or _is_integer(name))
            if not names or len(names) < len(wrt):
                raise _no_parameter(wrt)
            return names
        case _:
            raise _no_parameter(wrt)


def _no_parameter(wrt: object) -> KernelTypeError:
    return KernelTypeError(f"wrt={wrt!r} names no parameter", hint="a parameter's name or position, or a sequence of them")


def _check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        raise KernelTypeError(f"{name}={value!r} is not a choice", hint=f"one of {', '.join(map(repr, choices))}")


def _is_integer(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number: Python's or NumPy's, but not a truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)
