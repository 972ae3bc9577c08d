"""Every kernel of the gallery: the reference interpreter of the IR gives what NumPy gives, results and updated arguments."""

import copy

import numpy as np
import pytest

from dfad.frontend.liveness import parameters_of
from dfad.frontend.lower import lower
from dfad.frontend.names import type_of
from dfad.ir.evaluate import evaluate
from dfad.ir.nodes import IntegerSymbol
from dfad.source import read_source
from tests.gallery import GALLERY

SIZES = (0, 1, 4, 7)


def lowered(function, arguments):
    """The function for those arguments, and the types by name."""
    source = read_source(function)
    names = [parameter.arg for parameter in parameters_of(source.tree)]
    return lower(source, {name: type_of(argument) for name, argument in zip(names, arguments, strict=True)}), names


def interpreted(function, arguments):
    """What the interpreter returns for the function; arrays among the arguments are updated."""
    found, names = lowered(function, arguments)
    known = {array.name for array in found.program.parameters}
    known |= {bound.parameter for bound in found.program.symbols if isinstance(bound, IntegerSymbol)}
    given = dict(zip(names, arguments, strict=True)) | {hidden.name: hidden.get() for hidden in found.hidden}
    values = tuple(evaluate(found.program, {name: given[name] for name in given if name in known}).values())
    if found.program.returns_tuple:
        return values
    return values[0] if values else None


def assert_same(actual, expected, bits, what):
    if isinstance(expected, tuple):
        assert isinstance(actual, tuple)
        assert len(actual) == len(expected), what
        for position, (ours, theirs) in enumerate(zip(actual, expected, strict=True)):
            assert_same(ours, theirs, bits, f"{what}[{position}]")
    elif expected is None:
        assert actual is None, what
    else:
        assert np.shape(actual) == np.shape(expected), what
        assert np.asarray(actual).dtype == np.asarray(expected).dtype, what
        rtol = 0.0 if bits else 1e-6 if np.asarray(expected).dtype == np.float32 else 1e-13
        np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol, err_msg=what)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", sorted(GALLERY))
def test_interpreter_agrees_with_numpy(name, size):
    entry = GALLERY[name]
    if size < entry.least:
        size = entry.least + size
    ours = entry.make(size, np.random.default_rng(size))
    theirs = copy.deepcopy(ours)
    with np.errstate(all="ignore"):
        expected = entry.function(*theirs)
        actual = interpreted(entry.function, ours)
    assert_same(actual, expected, entry.bits, name)
    for position, (mine, numpys) in enumerate(zip(ours, theirs, strict=True)):
        assert_same(mine, numpys, entry.bits, f"{name}: argument {position}")
