"""The pullback of one `vjp`: it owns what the reverse sweep reads, and runs that sweep for any cotangent, as often as asked."""

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from dfad.errors import CompilerBug, KernelTypeError
from dfad.run.caller import Specialisation
from dfad.run.launch import Routine, launcher
from dfad.run.recipe import Input, Origin

CLASSES = ("tape", "snapshots", "temporaries", "copies", "adjoints", "results")


class Pullback:
    """From a cotangent to the gradients. Made by `dfad.vjp`.

    Nothing that is later done to the arguments or the outputs changes what it gives; equal cotangents give equal bits.
    """

    def __init__(self, found: Specialisation, values: Sequence[object], outputs: tuple[Any, ...], kept: tuple[Any, ...]) -> None:
        self._routine: Routine = found.routines[1]
        self._recipe = found.compiled.recipes[1]
        self._forward, self._ahead = found.recipe, found.routine
        self._is_planned = found.recipe.sizes is not None
        found.pullback[:] = [weakref.ref(self)]
        if self._is_planned:
            self._ahead.free_pool()
        self._kept = kept
        self._templates = tuple((np.shape(output), np.asarray(output).dtype) for output in outputs)
        self._kept_as = self._forward.outputs[len(self._forward.outputs) - len(kept) :]
        pairs = zip(self._recipe.inputs, self._recipe.origins, strict=True)
        self._written_seeds = {origin.which for expected, origin in pairs if origin.kind == "seed" and expected.is_written}
        self._fixed = tuple(_fixed(origin, values) for origin in self._recipe.origins)

    def __call__(self, cotangent: object) -> Any:
        """The gradients for a cotangent.

        Parameters
        ----------
        cotangent : array_like or tuple
            One array (or number) of the output's shape; for several outputs a tuple in their order. Not changed.

        Returns
        -------
        ndarray, NumPy scalar or tuple
            One gradient, or a tuple in the order of `wrt`.

        Raises
        ------
        KernelTypeError
            When the number, shape or kind of the cotangents does not fit.
        """
        seeds, copied = self._seeds(cotangent)
        values = []
        for expected, origin, fixed in zip(self._recipe.inputs, self._recipe.origins, self._fixed, strict=True):
            value, bytes_copied = self._input(expected, origin, fixed, seeds)
            values.append(value)
            copied += bytes_copied
        result = self._routine(tuple(values), copied)
        if result is launcher().MISS:
            raise CompilerBug(f"the reverse sweep of {self._recipe.name} does not take what its forward sweep kept")
        if self._is_planned:
            self._routine.free_pool()
        return result

    @property
    def memory(self) -> dict[str, int]:
        """Bytes of the last call, as `Kernel.memory`: what the pullback keeps, and what its vjp left in the pool, included."""
        found = dict(self._routine.memory)
        found["peak"] += self._ahead.pooled
        for output, array in zip(self._kept_as, self._kept, strict=True):
            found[CLASSES[output.memory]] += array.nbytes
            found["peak"] += array.nbytes
        return found

    def _input(self, expected: Input, origin: Origin, fixed: object, seeds: Sequence[Any]) -> tuple[Any, int]:
        """One input of the reverse sweep, and the bytes copied for it: it works on copies of the kept arrays that it writes."""
        match origin.kind:
            case "kept" if expected.is_written:
                copy = self._kept[origin.which].copy()
                return copy, copy.nbytes
            case "kept":
                return self._kept[origin.which], 0
            case "seed":
                seed = seeds[origin.which]
                return seed.reshape(-1) if len(expected.ones) < np.ndim(seed) else seed, 0
            case _:
                return fixed, 0

    def _seeds(self, cotangent: object) -> tuple[list[Any], int]:
        """The cotangents, and the bytes copied for them."""
        count = len(self._templates)
        given = cotangent if count > 1 or isinstance(cotangent, tuple) else (cotangent,)
        if not isinstance(given, tuple | list) or len(given) != count:
            what = "one array or number" if count == 1 else f"a tuple of {count}, one array or number for each output"
            raise KernelTypeError(f"the cotangent of {self._recipe.name} is {what}", hint="pass them in the order of the outputs")
        seeds = [_seed(one, *template) for one, template in zip(given, self._templates, strict=True)]
        copied = 0
        for number, (one, seed) in enumerate(zip(given, seeds, strict=True)):
            if isinstance(seed, np.ndarray) and (seed is not one or number in self._written_seeds or self._is_planned):
                seeds[number] = seed.copy() if seed is one else seed
                copied += seed.nbytes
        return seeds, copied


def _seed(given: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """The cotangent as the reverse sweep takes it: the caller's own array where it is of that kind already."""
    array = np.asarray(given)
    if array.shape != shape or not np.can_cast(array.dtype, dtype, "same_kind"):
        raise KernelTypeError(
            f"a cotangent has shape {array.shape} and dtype {array.dtype}, the output has shape {shape} and dtype {dtype}",
            hint="a cotangent is like the output",
        )
    if not shape:
        return float(array)
    if type(given) is np.ndarray and array.dtype is dtype and array.flags.c_contiguous and array.flags.aligned:
        return given
    return np.array(array, dtype=dtype, order="C")


def _fixed(origin: Origin, values: Sequence[Any]) -> object:
    """What does not change between the calls of a pullback."""
    match origin.kind:
        case "value":
            return values[origin.which]
        case "extent":
            return int(values[origin.which].shape[origin.part])
        case _:
            return None
