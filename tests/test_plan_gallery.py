"""The planner on the gallery: every kernel's gradient under random decisions and with its adjoints postponed, by the interpreter."""

import copy
import random

import numpy as np
import pytest

from dfad.errors import KernelTypeError
from dfad.ir.evaluate import evaluate
from dfad.ir.nodes import Program, Role, ShapeSymbol
from dfad.ir.verify import verify
from dfad.ir.walk import all_arrays
from dfad.plan.audit import audit
from dfad.plan.costs import Costs
from dfad.plan.planner import Planner
from dfad.plan.postpone import postpone
from dfad.plan.problem import is_possible, simulate
from dfad.plan.realize import realize
from tests.adjoint_paths import Subject, cotangents, planned, seed_for, subject
from tests.gallery import GALLERY
from tests.references import run_numpy

SIZE = 4
PLANS = 4

# What the frontend or the recording refuses, whatever the plan.
REFUSED = {"branch_exchange", "choice_csr_product"}

UNBOUNDED = {
    "extents_differ_by_choice", "places_of_a_mask_chosen_twice", "trips_arrays_in_branches", "trips_ragged_temporary",
    "length_at_most_one", "length_beside_number", "length_concatenated", "length_of_new_arrays", "length_of_filled",
    "length_of_exchanged", "length_of_lent", "length_of_two_names", "length_of_updated",
    "mask_elements", "mask_extremes", "mask_meets_another", "mask_rows_packed", "mask_takes_array", "mask_takes_fewer_axes",
    "trips_from_an_array", "every_second_of_every_second", "every_second_from_the_end", "loop_over_what_masks_write",
}  # fmt: skip
"""Kernels with arrays whose size is known only while they run: they have no plan, like those with tapes that grow."""


def arguments_of(case: Subject, of) -> dict[str, object]:
    arrays = all_arrays(case.primal)
    values = {name: value for name, value in case.arguments.items() if value is not None}
    values |= {hidden.name: hidden.get() for hidden in case.lowered.hidden}
    outputs = zip(cotangents(case, of), run_numpy(case.function, case.arguments, of), strict=True)
    floats = [weight for weight, output in outputs if np.asarray(output).dtype.kind == "f"]
    names = case.results if of is None else of
    return values | {f"{name}_seed": seed_for(w, arrays[name]) for name, w in zip(names, floats, strict=True)}


def sizes_of(program: Program, arguments) -> dict[str, int]:
    return {
        bound.symbol.name: np.shape(arguments[bound.array])[bound.dimension]
        if isinstance(bound, ShapeSymbol)
        else int(arguments[bound.parameter])
        for bound in program.symbols
    }


def run(program: Program, arguments):
    held = peak = 0

    def count(array, size):
        nonlocal held, peak
        held, peak = held + size, max(peak, held + size)

    results = evaluate(program, copy.deepcopy(arguments), count)
    return {name: np.asarray(value) for name, value in results.items()}, peak


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [name for name in GALLERY if name not in REFUSED])
def test_gradients_do_not_depend_on_the_plan(name):
    entry = GALLERY[name]
    case = subject(entry.function, entry.make(max(SIZE, entry.least), np.random.default_rng(1)))
    chance = random.Random(name)
    for of in case.kinds if case.active else ():
        as_recorded = planned(case, of, case.active)
        arguments = arguments_of(case, of)
        expected, _ = run(as_recorded, arguments)
        if name in UNBOUNDED or any(a.grows and a.role is not Role.ARGUMENT for a in all_arrays(as_recorded).values()):
            with pytest.raises(KernelTypeError, match="known only while the kernel runs"):
                Planner(verify(postpone(as_recorded)), sizes_of(as_recorded, arguments), Costs())
            continue
        planner = Planner(verify(postpone(as_recorded)), sizes_of(as_recorded, arguments), Costs())
        for attempt in range(PLANS):
            decisions = {value.name: chance.choice(value.options[: attempt + 1]) for value in planner.problem.values}
            if not is_possible(planner.problem, decisions):
                continue
            outcome = simulate(planner.problem, decisions)
            found, peak = run(audit(planner.sweeps.program, verify(realize(planner.sweeps, planner.problem, decisions))), arguments)
            assert peak <= outcome.peak
            for key, value in expected.items():
                np.testing.assert_array_equal(found[key], value, err_msg=f"{key} under {decisions}")
