"""The gradient of every kernel of the gallery: by way of the interpreter, and compiled, against the complex step.

All outputs together, with uneven cotangents, by all floating-point arguments; at sizes with no trip, one trip and several.
"""

import copy

import numpy as np
import pytest

import dfad
from tests.adjoint_paths import Subject, adjoint_gradients, cotangents, interpreted_gradients, is_same, reference_gradients, subject
from tests.gallery import GALLERY
from tests.references import relative_error, run_numpy

SIZES = (0, 1, 2, 5)
TOLERANCE = 1e-11  # max|g - r| / max|r|
SINGLES = 1e-6  # where float32 takes part

NO_COMPLEX_STEP = {"scalar_division_by_zero"}
"""Kernels whose gradient is infinite; `tests/test_adjoint_rules.py` has such values."""


def sizes(name: str) -> list[int]:
    return sorted({max(GALLERY[name].least, size) for size in SIZES})


def cases(name: str, seed: int = 0) -> list[Subject]:
    """The kernel at every size, where it has a floating-point argument."""
    entry = GALLERY[name]
    found = [subject(entry.function, entry.make(size, np.random.default_rng(size + seed))) for size in sizes(name)]
    return [case for case in found if case.active]


def tolerance(case: Subject) -> float:
    dtypes = {np.asarray(case.arguments[name]).dtype for name in case.active}
    return SINGLES if np.dtype(np.float32) in dtypes else TOLERANCE


@pytest.mark.parametrize("name", sorted(GALLERY.keys() - NO_COMPLEX_STEP))
def test_the_interpreter_gives_the_gradient(name):
    for case in cases(name):
        for of in case.kinds:
            expected = reference_gradients(case, of)
            for passes in (False, True):
                found = interpreted_gradients(case, of, passes)
                assert relative_error(found, expected) <= tolerance(case), (case.arguments, of, passes)


@pytest.mark.parametrize("name", sorted(GALLERY.keys() - NO_COMPLEX_STEP))
def test_the_adjoint_program_means_the_gradient_before_it_is_planned(name):
    for case in cases(name)[-1:]:
        for of in case.kinds:
            assert relative_error(adjoint_gradients(case, of), reference_gradients(case, of)) <= tolerance(case), of


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(GALLERY.keys() - NO_COMPLEX_STEP))
def test_the_compiled_kernel_gives_the_gradient(name):
    for case in (cases(name)[0], cases(name)[-1], cases(name, seed=7)[-1]) if cases(name) else ():
        for of in case.kinds:
            if of is None and len(case.results) < len(run_numpy(case.function, case.arguments)):
                continue  # integers among the results: a vjp is of floats
            check_compiled(case, of)


def check_compiled(case: Subject, of: tuple[str, ...] | None) -> None:
    """Value and gradient of a vjp; its arguments may change afterwards, and a pullback may be called again."""
    given = copy.deepcopy(case.arguments)
    out, pullback = dfad.vjp(case.function, *given.values(), of=of, wrt=case.active)
    for name, value in given.items():
        assert value is None or is_same(value, case.arguments[name]), f"{name} was changed"
        if isinstance(value, np.ndarray):
            value[...] = 77
    outputs = out if isinstance(out, tuple) else (out,)
    assert relative_error(outputs, case.outputs(of)) <= (1e-13 if tolerance(case) == TOLERANCE else SINGLES)
    weights = cotangents(case, of)
    cotangent = tuple(weights) if len(weights) > 1 else weights[0]
    kept = copy.deepcopy(outputs)
    gradients = pullback(cotangent)
    assert relative_error(gradients, reference_gradients(case, of)) <= tolerance(case), (case.arguments, of)
    again = pullback(cotangent)
    assert all(is_same(one, other) for one, other in zip(gradients, again, strict=True)), "a second pullback gave other bits"
    assert all(is_same(one, other) for one, other in zip(outputs, kept, strict=True)), "a pullback changed the output"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["short_guard_on_changed_data", "report_narrow_stencil", "loop_nonlinear_sweeps", "slice_seidel"])
def test_a_gradient_is_called_again_with_other_values_and_shapes(name):
    entry = GALLERY[name]
    for size, seed in ((4, 0), (4, 1), (6, 2), (4, 0), (max(entry.least, 1), 3)):
        case = subject(entry.function, entry.make(size, np.random.default_rng(seed)))
        check_compiled(case, case.kinds[0])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["report_four_sweeps", "short_recomputed_scalar", "report_logsumexp", "short_exchanged_names"])
def test_value_and_gradient_of_a_scalar(name):
    entry = GALLERY[name]
    case = subject(entry.function, entry.make(5, np.random.default_rng(5)))
    wrt = case.active[0]
    value, gradient = dfad.value_and_grad(case.function)(*case.arguments.values())
    assert relative_error((value,), case.outputs(None)) <= 1e-13
    expected = reference_gradients(case, None)[case.active.index(wrt)]
    assert relative_error(gradient, expected) <= TOLERANCE
    assert relative_error(dfad.grad(case.function)(*case.arguments.values()), expected) <= TOLERANCE
