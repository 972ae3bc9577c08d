"""The suite's kernels at the smallest sizes, by way of the interpreter: extents and numbers of trips of 0, 1 and 2, one after the other.

A size counts where NumPy itself runs the kernel to finite values. Gradients as recorded and with loops joined, against the complex step.
"""

import numpy as np
import pytest

from dfad import suite
from dfad.ir.evaluate import evaluate
from tests.adjoint_paths import cotangents, fused, recorded, run_gradient, subject
from tests.references import gradient_error, relative_error, run_numpy
from tests.test_suite import TINY

KERNELS = suite.kernels()
TOLERANCE = 1e-11

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def smallest(name, counts):
    """Arguments with one of the sizes at a time as small as that, and what NumPy gives."""
    benchmark, size = KERNELS[name], TINY[name][0]
    for key, count in ((key, count) for key, value in size.items() if isinstance(value, int) for count in counts):
        try:
            arguments = benchmark.initialize({**size, key: count})
            expected = run_numpy(benchmark.function, arguments, benchmark.of)
        except (ValueError, IndexError, ZeroDivisionError):
            continue  # no such data, or a maximum of nothing
        if all(np.all(np.isfinite(part)) for part in expected):
            yield arguments, expected


def names(given):
    return (given,) if isinstance(given, str) else given


def compare(name, arguments, expected, rewrites):
    benchmark = KERNELS[name]
    case, wrt = subject(benchmark.function, tuple(arguments.values())), names(benchmark.wrt)
    of = None if benchmark.of is None else names(benchmark.of)
    given = {key: np.copy(value) if isinstance(value, np.ndarray) else value for key, value in case.arguments.items()}
    results = tuple(evaluate(case.primal, given).values())
    found = results if of is None else tuple(given[output] for output in of)
    assert relative_error(found, expected) <= 1e-12
    program = recorded(case, of, wrt)
    for rewrite in rewrites:
        gradient = run_gradient(case, rewrite(program, wrt), of, wrt)
        error = gradient_error(benchmark.function, arguments, gradient, wrt=wrt, of=of, cotangents=cotangents(case, of))
        assert error <= TOLERANCE or is_rounding_of_zero(error, gradient)


def is_rounding_of_zero(error, gradient):
    """Whether the reference is 0 and what differs from it is rounding: a single body feels no force and keeps its speed."""
    return error == np.inf and all(np.max(np.abs(part), initial=0.0) <= 1e-15 for part in gradient)


def as_recorded(program, wrt):
    return program


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in KERNELS if name not in ("lenet", "resnet")])  # minutes, and theirs are array code
def test_a_kernel_with_one_of_its_sizes_one(name):
    for arguments, expected in smallest(name, (1,)):
        compare(name, arguments, expected, (fused,))


@pytest.mark.long
@pytest.mark.parametrize("name", KERNELS)
def test_the_smallest_sizes(name):
    tried = 0
    for arguments, expected in smallest(name, (0, 1, 2)):
        compare(name, arguments, expected, (as_recorded, fused))
        tried += 1
    assert tried
