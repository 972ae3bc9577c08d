"""Generated kernels: values against NumPy, gradients against the complex step, passes on and off, some of them compiled."""

import random
from collections import Counter

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies

import dfad
from dfad.errors import KernelTypeError, UnsupportedSyntax
from dfad.ir.evaluate import evaluate
from dfad.ir.nodes import Role
from dfad.ir.show import show
from dfad.ir.walk import all_arrays
from tests.adjoint_paths import Subject, cotangents, fused, planned, ready, recorded, run_gradient, subject
from tests.generated.writer import Kernel, arguments, generate
from tests.references import complex_step

TOLERANCE = 1e-9  # of <g, v> against the sum of |g v|
WANTED = (
    "record", "branch in loop", "slice overlap", "exchange", "exchange that depends on data", "no trip", "while", "break", "early return",
    "continue", "gather", "mask", "view", "axis", "library", "zip, enumerate or rows", "computed index", "call", "downwards", "step",
    "triangular",
)  # fmt: skip
"""What at least a tenth of the kernels contains."""

HINTS = hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large, hypothesis.HealthCheck.filter_too_much


def run_all(count: int, check) -> Counter:
    """Check so many kernels, and count what those contain that were compared; wild ones, which `check` answers with None, apart."""
    seen: Counter = Counter()

    @hypothesis.settings(max_examples=count, suppress_health_check=HINTS, phases=[hypothesis.Phase.generate])
    @hypothesis.given(strategies.integers(0, 2**32 - 1))
    def one(seed):
        rng = random.Random(seed)
        kernel, n, steps = generate(rng), rng.randint(1, 5), rng.randint(0, 3)
        try:
            features = check(kernel, arguments(n, steps, seed))
        except UnsupportedSyntax:
            seen["refused"] += 1
        except Exception as error:
            error.add_note(f"seed {seed}, n = {n}, steps = {steps}\n{kernel.text}")
            raise
        else:
            wild = features is None
            seen.update(["wild"] if wild else {*features, "kernels", *(["no trip"] if steps == 0 or n == 1 else [])})

    one()
    return seen


def is_tame(case: Subject) -> bool:
    """Whether all values stayed finite, also those that the outputs do not show (`tanh(inf)` is 1), and the outputs of moderate size."""
    with np.errstate(over="raise", invalid="raise", divide="ignore", under="ignore"):
        try:
            outputs = [np.max(np.abs(out), initial=0.0) for of in case.kinds for out in case.outputs(of)]
        except (ValueError, OverflowError, FloatingPointError):  # also from the module math
            return False
    return all(np.isfinite(value) and value < 1e3 for value in outputs)


MOST_SLOPE = 1e9
"""A derivative above this is that of values which leave the range in a few more trips: chaos, that no two computations agree on."""


ROUNDINGS = 4 * float(np.finfo(np.float64).eps)
"""Sums in another order and vector math differ from NumPy by as much as if the arguments had."""


def steepest(case: Subject) -> float:
    """How much faster than the arguments some output changes."""
    rng = np.random.default_rng(0)
    direction = {name: rng.standard_normal(np.shape(case.arguments[name])) for name in case.active}
    with np.errstate(all="ignore"):
        slopes = [slope for of in case.kinds for slope in complex_step(case.function, case.arguments, direction, of)]
    return max((float(np.max(np.abs(slope), initial=0.0)) for slope in slopes), default=0.0)


def is_steep(case: Subject) -> bool:
    return not steepest(case) < MOST_SLOPE


def check_values(case: Subject) -> None:
    copies = {name: np.copy(value) if isinstance(value, np.ndarray) else value for name, value in case.arguments.items()}
    assert_close(case, tuple(evaluate(case.primal, copies).values()), case.outputs(None))
    assert_close(case, tuple(copies[name] for name in case.updated), case.outputs(case.updated) if case.updated else ())


def assert_close(case: Subject, found, expected) -> None:
    """To rounding of numbers up to 1, since results may cancel, and to what a rounded argument changes."""
    tolerance = 1e-12 + ROUNDINGS * steepest(case)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=tolerance)


def check_gradient(case: Subject, of, gradients, wrt: tuple[str, ...] | None = None) -> None:
    """Along two random directions, in the arguments `wrt` (all that are active)."""
    weights = cotangents(case, of)
    for seed in range(2):
        rng = np.random.default_rng(seed)
        direction = {name: rng.standard_normal(np.shape(case.arguments[name])) for name in wrt or case.active}
        products = complex_step(case.function, case.arguments, direction, of)
        expected = sum(float(np.sum(w * product)) for w, product in zip(weights, products, strict=True))
        terms = [gradient * v for gradient, v in zip(gradients, direction.values(), strict=True)]
        scale = sum(float(np.sum(np.abs(term))) for term in terms) + abs(expected)
        assert abs(sum(float(np.sum(term)) for term in terms) - expected) <= TOLERANCE * scale, of


def interpret(kernel: Kernel, values) -> set[str] | None:
    """One kind of output after the other: as recorded, as a budget leaves it or with joined loops."""
    case = subject(kernel.function, values)
    if not is_tame(case) or is_steep(case):
        return None
    check_values(case)
    features = set(kernel.features)
    rng = random.Random(len(show(case.primal)))
    for of in case.kinds:
        program = recorded(case, of, case.active)
        if any(array.role is Role.TAPE for array in all_arrays(program).values()):
            features.add("record")
        for one in (program, rng.choice((ready, fused))(program, case.active)):
            check_gradient(case, of, run_gradient(case, one, of, case.active))
    if rng.random() < 0.2:
        check_some(case, rng)
    return features


def check_some(case: Subject, rng: random.Random) -> None:
    """The gradient by one or two of the arguments, of one or two of those that are updated."""
    wrt = tuple(name for name in case.active if rng.random() < 0.4) or case.active[:1]
    of = tuple(name for name in case.updated if rng.random() < 0.4) or None
    check_gradient(case, of, run_gradient(case, planned(case, of, wrt), of, wrt), wrt)


def compile_and_run(kernel: Kernel, values) -> set[str] | None:
    """Value and gradient, or a pullback, with one thread or two; now and then within the least budget."""
    case = subject(kernel.function, values)
    if not is_tame(case) or is_steep(case):
        return None
    rng = random.Random(len(show(case.primal)))
    threads = rng.choice((1, 2))
    if case.updated and rng.random() < 0.5:
        _, pullback = dfad.vjp(kernel.function, *values, of=case.updated, wrt=case.active, threads=threads, cache=False)
        weights = cotangents(case, case.updated)
        check_gradient(case, case.updated, pullback(tuple(weights) if len(weights) > 1 else weights[0]))
        return set(kernel.features)
    gradient = dfad.value_and_grad(kernel.function, wrt=case.active, threads=threads, cache=False)
    value, gradients = gradient(*values)
    assert_close(case, (value,), case.outputs(None))
    check_gradient(case, None, gradients)
    if rng.random() < 0.2:
        check_least(kernel, case, values)
    return {*kernel.features}


UNPLANNED = ("depends on the trips of a loop", "known only while the kernel runs")


def check_least(kernel: Kernel, case: Subject, values) -> None:
    """The gradient within the least budget, where there is one: no plan says beforehand what tapes of loops of unknown length take, or what
    a mask selects."""
    try:
        least = dfad.value_and_grad(kernel.function, wrt=case.active, cache=False).plan(*values).least
    except KernelTypeError as refusal:
        if not any(reason in refusal.message for reason in UNPLANNED):
            raise
        return
    value, gradients = dfad.value_and_grad(kernel.function, wrt=case.active, memory=least, cache=False)(*values)
    assert_close(case, (value,), case.outputs(None))
    check_gradient(case, None, gradients)


def report(seen: Counter) -> None:
    total = seen["kernels"]
    shares = {name: f"{seen[name] / total:.0%}" for name in sorted(seen.keys() - {"kernels", "refused", "wild"})}
    print(total, "kernels compared,", seen["refused"], "refused,", seen["wild"], "of values too large to compare:", shares)
    assert seen["refused"] <= 0.01 * (total + seen["refused"])
    assert seen["wild"] <= 0.2 * (total + seen["wild"])
    rare = [name for name in WANTED if seen[name] < 0.1 * total]
    assert not rare, f"in fewer than a tenth of {total} kernels: {rare}"


def test_a_few_generated_kernels():
    assert run_all(6, interpret)["kernels"] >= 4


@pytest.mark.slow
def test_generated_kernels():
    report(run_all(200, interpret))


@pytest.mark.slow
def test_generated_kernels_compiled():
    assert run_all(10, compile_and_run)["kernels"] >= 8


@pytest.mark.long
def test_many_generated_kernels():
    seen = run_all(10500, interpret)
    report(seen)
    assert seen["kernels"] >= 10000


@pytest.mark.long
def test_many_generated_kernels_compiled():
    assert run_all(1600, compile_and_run)["kernels"] >= 1500
