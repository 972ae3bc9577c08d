"""An index out of range: a primal leaves what NumPy would have left, up to the access that fails."""

import copy

import numpy as np
import pytest

import dfad
from dfad.errors import KernelIndexError, OtherExtents, OutOfRoom
from dfad.frontend.blocks import Checks
from dfad.frontend.liveness import parameters_of
from dfad.frontend.lower import lower
from dfad.frontend.names import type_of
from dfad.ir.evaluate import evaluate
from dfad.ir.nodes import IntegerSymbol
from dfad.ir.verify import verify
from dfad.optimise.before import optimise_before
from dfad.optimise.last import optimise_last
from dfad.pipeline.budget import joined
from dfad.run.transform import Transform
from dfad.source import read_source
from tests.gallery import GALLERY


def shrunk(values):
    """The arguments with one array that has a row or a column less, or with an integer out of range, each in turn."""
    for at, value in enumerate(values):
        if not isinstance(value, np.ndarray):
            continue
        for axis in range(value.ndim):
            if value.shape[axis] > 2:
                changed = copy.deepcopy(list(values))
                changed[at] = np.ascontiguousarray(np.delete(value, -1, axis))
                yield changed
        if value.dtype.kind == "i" and value.size:
            changed = copy.deepcopy(list(values))
            changed[at].flat[value.size // 2] = 40
            yield changed


def left_by_numpy(function, values):
    """Whether NumPy gets to the end, or else the error, and the arguments as it leaves them; None where it ends in another way."""
    given = copy.deepcopy(values)
    try:
        with np.errstate(all="ignore"):
            function(*given)
    except (IndexError, ValueError):
        return False, given
    except (ArithmeticError, AssertionError, MemoryError):
        return None
    return True, given


def left_by(found, program, names, values, rooms):
    """The same for a Program, in the interpreter."""
    given = copy.deepcopy(values)
    hidden = {one.name: rooms.get(one.name, 0) if one.is_room else copy.deepcopy(one.get()) for one in found.hidden}
    named = dict(zip(names, given, strict=True)) | hidden
    known = {array.name for array in program.parameters}
    known |= {bound.parameter for bound in program.symbols if isinstance(bound, IntegerSymbol)}
    try:
        evaluate(program, {name: value for name, value in named.items() if name in known})
    except KernelIndexError:
        return False, given
    return True, given


def assert_same(ours, theirs, what):
    for mine, numpys in zip(ours, theirs, strict=True):
        rtol = 1e-6 if np.asarray(mine).dtype == np.float32 else 1e-12
        np.testing.assert_allclose(mine, numpys, rtol=rtol, atol=rtol, err_msg=what)


def emitted(source, names, values, checks, resized=()):
    """The kernel as lowered, and its Program as it is emitted."""
    found = lower(source, {name: type_of(value) for name, value in zip(names, values, strict=True)}, checks, resized)
    return found, verify(optimise_last(verify(joined(verify(optimise_before(found.program))))))


def left_by_calls(source, names, values, changed, known):
    """As a call does it: the quick code, the careful code where that cannot tell, both again where a name means arrays of other extents."""
    resized, rooms = (), {}
    while True:
        for checks in (Checks.AT_ENTRY, Checks.AT_ACCESS):
            if (checks, resized) not in known:
                known[checks, resized] = emitted(source, names, values, checks, resized)
            try:
                ended, given = left_by(*known[checks, resized], names, changed, rooms)
            except OtherExtents as other:
                resized = tuple(sorted({*resized, other.variable}))
                break
            except OutOfRoom as short:
                rooms[short.room] = short.enough
                break
            if ended or checks is Checks.AT_ACCESS or not all(np.array_equal(a, b) for a, b in zip(given, changed, strict=True)):
                return ended, given


ONE_SHAPE = {name for name in GALLERY if "exchange" in name or "rotates" in name} | {"branch_chooses_array", "program_gray_scott"}
ONE_SHAPE |= {name for name in GALLERY if name.startswith(("selection_", "along_"))}
ONE_SHAPE |= {"rows_of_two_that_change_places", "arrays_chosen_that_change_places"}
"""Arrays that are exchanged or chosen between have one shape; another one is told at once."""
EXTENTS_OF_ONE = {"mask_takes_array", "mask_made_of_what_it_writes", "program_cavity_flow"}
"""With one row less NumPy broadcasts a slice that has one element left; which extents are 1 is known when a kernel is compiled."""
NO_ARRAY = {"branch_on_none"}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(GALLERY.keys() - ONE_SHAPE - EXTENTS_OF_ONE - NO_ARRAY))
def test_a_primal_leaves_what_numpy_leaves(name):
    entry = GALLERY[name]
    source = read_source(entry.function)
    names = [parameter.arg for parameter in parameters_of(source.tree)]
    values = entry.make(max(5, entry.least), np.random.default_rng(5))
    known = {}
    for changed in shrunk(values):
        expected = left_by_numpy(entry.function, changed)
        if expected is None:
            continue
        ended, given = left_by_calls(source, names, values, changed, known)
        what = f"{name}: {[np.shape(value) for value in changed]}"
        assert ended == expected[0], what
        assert_same(given, expected[1], what)


# ---------------------------------------------------------------- compiled


def nest(A, B):
    A[0, 0] = 7.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] += B[i, j]


def two_loops(x, y, n):
    for i in range(n):
        x[i] += 1.0
    for i in range(n):
        y[i] += x[i]


def two_gathers(x, by, y):
    for i in range(y.shape[0]):
        y[i] += x[by[i]]
    for i in range(y.shape[0]):
        y[i] *= 2.0


def gather_rows(x, by, y):
    y[0] = 5.0
    y[:] = x[by]


def scatter(x, by, y):
    x[by] = y


def add_at(x, by, y):
    np.add.at(x, by, y)


def wraps(x, y, k):
    for i in range(x.shape[0]):
        y[i - k] += x[i]


def rows(A, B):
    for i in range(A.shape[0]):
        A[i] += B[i]


def ragged(starts, x, y):
    for i in range(starts.shape[0] - 1):
        for k in range(starts[i], starts[i + 1]):
            y[i] += x[k]


def only_sometimes(x, y, mode):
    x[0] += 1.0
    if mode > 0:
        for i in range(x.shape[0]):
            y[i] += x[i]


X = np.arange(5) / 4.0
BY = np.array([0, 2, 9, 1])
CASES = (
    (nest, np.ones((4, 5)), np.ones((3, 5))),
    (nest, np.ones((4, 5)), np.ones((4, 3))),
    (two_loops, X, np.zeros(3), 4),
    (two_loops, X, np.zeros(9), 6),
    (two_gathers, X, BY, np.ones(4)),
    (gather_rows, X, BY, np.ones(4)),
    (scatter, X, BY, np.ones(4)),
    (add_at, X, BY, np.ones(4)),
    (wraps, X, np.zeros(4), 2),
    (wraps, X, np.zeros(4), 5),
    (wraps, X, np.zeros(2), 2),
    (rows, np.ones((4, 5)), np.ones((3, 5))),
    (rows, np.ones((5, 4)).T, np.ones((3, 5))),
    (ragged, np.array([0, 2, 7, 7]), X, np.zeros(3)),
    (only_sometimes, X, np.zeros(3), 0),
    (only_sometimes, X, np.zeros(3), 1),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_a_compiled_primal_leaves_what_numpy_leaves(case):
    function, *values = case
    ended, expected = left_by_numpy(function, values)
    made = dfad.kernel(function)
    for _ in range(2):
        given = copy.deepcopy(values)
        if ended:
            made(*given)
        else:
            with pytest.raises(IndexError) as told:
                made(*given)
            assert told.value.line > function.__code__.co_firstlineno
        assert_same(given, expected, function.__name__)
    assert made.source("cython")


def test_arguments_that_fit_take_the_quick_way_again():
    made = dfad.kernel(nest)
    A = np.zeros((4, 5))
    with pytest.raises(IndexError):
        made(A, np.ones((3, 5)))
    made(A, np.ones((4, 5)))
    assert made._primal.last.request.transform == Transform("primal")
    assert [known.request.transform.is_checked for known in made._primal.specialisations] == [True, False]
