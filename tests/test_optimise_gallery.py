"""The meaning of every rewrite on every kernel of the gallery: the interpreter gives the same values before and after.

Gradients of all outputs, with uneven cotangents, by all floating-point arguments; the rewrites in the order of the compiler.
"""

import copy

import numpy as np
import pytest

from dfad.adjoint.reverse import Request, differentiate
from dfad.ir.evaluate import evaluate
from dfad.ir.show import show
from dfad.ir.verify import verify
from dfad.optimise.aliases import remove_copies
from dfad.optimise.carry import carry_values
from dfad.optimise.choose import choose_sums
from dfad.optimise.contract import contract
from dfad.optimise.dead import remove_dead
from dfad.optimise.distribute import distribute
from dfad.optimise.ends import end_loops
from dfad.optimise.fuse import fuse
from dfad.optimise.gather import gather
from dfad.optimise.guards import name_guards
from dfad.optimise.initial import assign_first
from dfad.optimise.last import optimise_last
from dfad.optimise.lower_library import lower_extremes
from dfad.optimise.number import number_values
from dfad.optimise.once import run_once
from dfad.optimise.renew import renew_arrays
from dfad.optimise.stages import name_stages
from dfad.optimise.substitute import substitute_once
from dfad.optimise.tidy import tidy
from dfad.optimise.unswitch import unswitch
from dfad.optimise.upward import run_upwards
from dfad.optimise.wraps import unwrap
from dfad.plan.postpone import postpone
from dfad.plan.record import record
from tests.adjoint_paths import Subject, only_gradients, run_gradient, subject
from tests.gallery import GALLERY
from tests.shared_loops import share_backwards

SIZES = (1, 4)
NO_GRADIENT = {"scalar_division_by_zero"}
"""Kernels with an infinite gradient."""

BEFORE = (renew_arrays, substitute_once, number_values, end_loops, unwrap, name_stages, name_guards)
PRIMAL = (lower_extremes, choose_sums, run_once, tidy, fuse, contract)
"""Of a Program that is not differentiated."""
EXACT = (tidy, remove_dead, assign_first, remove_copies, remove_dead, postpone)
AFTER = (
    gather, run_upwards, lower_extremes, choose_sums, run_once, tidy, fuse, contract, distribute, remove_dead, carry_values, unswitch,
    optimise_last,
)  # fmt: skip
AFTER += (share_backwards,)
"""May change the order of free sums and of the factors of an adjoint contribution."""

TOLERANCE = 1e-12  # |a - b| / max|a|; ten million times the rounding of float64 where float32 takes part


def case(name: str, size: int) -> Subject:
    entry = GALLERY[name]
    return subject(entry.function, entry.make(max(size, entry.least), np.random.default_rng(size)))


def primal_values(program, one: Subject) -> list[np.ndarray]:
    values = {name: value for name, value in one.arguments.items() if value is not None}
    given = copy.deepcopy(values | {hidden.name: hidden.get() for hidden in one.lowered.hidden})
    found = evaluate(program, given)
    return [np.asarray(value) for value in (*found.values(), *given.values())]


@pytest.mark.parametrize("name", sorted(GALLERY))
def test_rewrites_of_the_primal_keep_every_bit(name):
    for size in SIZES:
        one = case(name, size)
        before = one.lowered.program
        for rewrite in BEFORE:
            after = verify(rewrite(before))
            for a, b in zip(primal_values(before, one), primal_values(after, one), strict=True):
                np.testing.assert_array_equal(b, a, rewrite.__name__)
            before = after


@pytest.mark.parametrize("name", sorted(GALLERY))
def test_joined_loops_of_the_primal_keep_every_bit(name):
    for size in SIZES:
        one = case(name, size)
        before = one.primal
        expected = primal_values(before, one)
        for rewrite in PRIMAL:
            before = verify(rewrite(before))
            for a, b in zip(expected, primal_values(before, one), strict=True):
                np.testing.assert_array_equal(b, a, rewrite.__name__)


@pytest.mark.parametrize("name", sorted(GALLERY))
def test_trips_of_the_primal_that_threads_share_have_no_order(name):
    for size in SIZES:
        one = case(name, size)
        expected = primal_values(one.primal, one)
        turned = verify(share_backwards(optimise_last(unswitch(carry_values(contract(fuse(tidy(lower_extremes(one.primal)))))))))
        for a, b in zip(expected, primal_values(turned, one), strict=True):
            bound = TOLERANCE * (1e7 if a.dtype == np.float32 else 1.0) if a.dtype.kind == "f" else 0.0
            np.testing.assert_allclose(b, a, rtol=bound, atol=bound)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(GALLERY.keys() - NO_GRADIENT))
def test_rewrites_of_the_gradient_keep_the_meaning(name):
    for size in SIZES:
        one = case(name, size)
        for of in one.kinds if one.active else ():
            check(one, of)


def check(one: Subject, of: tuple[str, ...] | None) -> None:
    wrt = one.active
    before = only_gradients(record(differentiate(one.primal, Request(wrt, one.results if of is None else of))), wrt)
    expected, text = run_gradient(one, before, of, wrt), show(before)
    for rewrite in (*EXACT, *AFTER):
        before = verify(rewrite(before))
        if show(before) == text:
            continue
        found, text = run_gradient(one, before, of, wrt), show(before)
        for a, b in zip(expected, found, strict=True):
            bound = 0.0 if rewrite in EXACT else TOLERANCE * (1e7 if a.dtype == np.float32 else 1.0)
            np.testing.assert_allclose(b, a, rtol=0.0, atol=bound * np.max(np.abs(a), initial=0.0), err_msg=rewrite.__name__)
        expected = found
