"""The gradient of a kernel by way of the interpreter: lowered, differentiated, planned and evaluated, each room verified.

`interpreted_gradients` gives the gradients of the weighted loss (tests/references.py) by every floating-point argument, as `dfad.vjp`
would, but in NumPy and without a compiler; `reference_gradients` gives the same by the complex step.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from dfad.adjoint.reverse import Request, differentiate
from dfad.frontend.lower import Lowered, lower
from dfad.ir.evaluate import evaluate
from dfad.ir.nodes import Array, Program, Role
from dfad.ir.verify import verify
from dfad.ir.walk import all_arrays, walk, writes
from dfad.optimise.after import optimise_after
from dfad.optimise.before import optimise_before
from dfad.optimise.between import optimise_between
from dfad.optimise.fused import optimise_fused
from dfad.optimise.last import optimise_last
from dfad.plan.parts import only
from dfad.plan.postpone import postpone
from dfad.plan.record import record
from dfad.run.call import classify
from dfad.source import read_source
from tests.gallery.refused import define
from tests.references import complex_step_gradient, run_numpy, weights

Function = Callable[..., Any]


@dataclass(frozen=True)
class Subject:
    """A kernel at certain arguments, ready to be differentiated.

    `outputs`: what is differentiated, either names of results or names of arguments updated in place; `active`: the floating-point
    arguments.
    """

    function: Function
    arguments: dict[str, Any]
    lowered: Lowered
    primal: Program
    active: tuple[str, ...]
    results: tuple[str, ...]
    updated: tuple[str, ...]

    @property
    def kinds(self) -> list[tuple[str, ...] | None]:
        """The values of `of` to try: None for what the function returns, and the arguments that it updates."""
        found: list[tuple[str, ...] | None] = [None] if self.results else []
        return found + ([self.updated] if self.updated else [])

    def outputs(self, of: tuple[str, ...] | None) -> tuple[np.ndarray, ...]:
        """What NumPy gives for them."""
        return run_numpy(self.function, self.arguments, of)


def written(text: str, name: str) -> Function:
    """The kernel of a text; its helpers get a module, without which the complex step does not look into them."""
    function = define(text, name)
    for found in function.__globals__.values():
        if isinstance(found, FunctionType):
            found.__module__ = __name__
    return function


def subject(function: Function, arguments: Sequence[Any]) -> Subject:
    """Lower a function for these arguments."""
    bound = inspect.signature(function).bind(*arguments)
    bound.apply_defaults()
    named = dict(bound.arguments)
    source = read_source(function)
    lowered = lower(source, {name: classify(value) for name, value in named.items()})
    primal = verify(optimise_before(lowered.program))
    arrays = all_arrays(primal)
    written = {memlet.array for node in walk(primal.body) for memlet in writes(node)}
    parameters = {array.name for array in primal.parameters if array.role is Role.ARGUMENT}
    active = tuple(name for name in named if name in parameters and arrays[name].dtype.is_float)
    results = tuple(name for name in primal.results if arrays[name].dtype.is_float)
    updated = tuple(name for name in active if name in written and arrays[name].rank)
    return Subject(function, named, lowered, primal, active, results, updated)


def planned(case: Subject, of: tuple[str, ...] | None, wrt: tuple[str, ...], passes: bool = True) -> Program:
    """The PLANNED Program of the gradient; with ``passes`` as LOWERED for emission."""
    program = recorded(case, of, wrt)
    return ready(program, wrt) if passes else program


def recorded(case: Subject, of: tuple[str, ...] | None, wrt: tuple[str, ...]) -> Program:
    """The gradient with its demands met, as no rewrite has seen it."""
    return verify(record(verify(differentiate(case.primal, Request(wrt, case.results if of is None else of)))))


def ready(program: Program, wrt: tuple[str, ...]) -> Program:
    """The same as LOWERED for emission, with the loops that a budget leaves apart."""
    return _lowered(verify(optimise_between(only_gradients(program, wrt))))


def fused(program: Program, wrt: tuple[str, ...]) -> Program:
    """The same as LOWERED for emission, with its loops joined."""
    return _lowered(verify(optimise_fused(only_gradients(program, wrt))))


def _lowered(program: Program) -> Program:
    return verify(optimise_last(verify(optimise_after(verify(postpone(program))))))


def only_gradients(program: Program, wrt: tuple[str, ...]) -> Program:
    """The Program with the gradients as its only results."""
    return only(program, tuple(f"{name}_bar" for name in wrt))


def cotangents(case: Subject, of: tuple[str, ...] | None) -> list[np.ndarray]:
    """Uneven cotangents of the outputs; zeros for outputs that are no floats."""
    outputs = case.outputs(of)
    return [weights(np.shape(out)) if np.asarray(out).dtype.kind == "f" else np.zeros(np.shape(out)) for out in outputs]


def adjoint_gradients(case: Subject, of: tuple[str, ...] | None) -> tuple[np.ndarray, ...]:
    """The gradients by all active arguments, from the ADJOINT Program: its demands are answered from the log of its forward sweep."""
    adjoint = verify(differentiate(case.primal, Request(case.active, case.results if of is None else of)))
    return run_gradient(case, adjoint, of, case.active, may_update=True)


def run_gradient(
    case: Subject, program: Program, of: tuple[str, ...] | None, wrt: tuple[str, ...], may_update: bool = False
) -> tuple[np.ndarray, ...]:
    """Evaluate a gradient Program; unless it may update them, the arguments must be as they were afterwards."""
    names = case.results if of is None else of
    arrays = all_arrays(program)
    values: dict[str, Any] = {name: copy.deepcopy(value) for name, value in case.arguments.items() if value is not None}
    values |= {hidden.name: copy.deepcopy(hidden.get()) for hidden in case.lowered.hidden}
    floats = [w for w, out in zip(cotangents(case, of), case.outputs(of), strict=True) if np.asarray(out).dtype.kind == "f"]
    seeds = {f"{name}_seed": seed_for(w, arrays[f"{name}_seed"]) for name, w in zip(names, floats, strict=True)}
    given = {**values, **seeds}
    entered = copy.deepcopy(given)
    found = evaluate(program, entered)
    for name, value in given.items():
        assert may_update or is_same(entered[name], value), f"{name} was changed"
    return tuple(np.asarray(found[f"{name}_bar"]) for name in wrt)


def seed_for(cotangent: np.ndarray, array: Array) -> np.ndarray:
    """The cotangent as the Program takes it: its elements in a row where the shape of its rows is not known."""
    seed = np.asarray(cotangent, array.dtype.numpy)
    return seed.ravel() if array.rank < seed.ndim else seed


def is_same(a: Any, b: Any) -> bool:
    """Whether two values are equal bit for bit, NaN included."""
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def interpreted_gradients(case: Subject, of: tuple[str, ...] | None, passes: bool = True) -> tuple[np.ndarray, ...]:
    """The gradients by all active arguments."""
    return run_gradient(case, planned(case, of, case.active, passes), of, case.active)


def reference_gradients(case: Subject, of: tuple[str, ...] | None) -> tuple[np.ndarray, ...]:
    """The same by the complex step."""
    return tuple(complex_step_gradient(case.function, case.arguments, wrt=case.active, of=of, cotangents=cotangents(case, of)))
