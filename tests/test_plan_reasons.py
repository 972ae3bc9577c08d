"""Why each value is recorded: the reads that demand it and the write that overwrites it, with their lines."""

import re

import numpy as np
import pytest
from dfad_magics.card import Card

import dfad
from dfad.adjoint.reverse import Request, differentiate
from dfad.ir.nodes import Role
from dfad.ir.walk import all_arrays
from dfad.plan.record import record_with_reasons
from tests.adjoint_paths import subject
from tests.gallery import GALLERY
from tests.generated.writer import compiled

X = np.linspace(0.2, 1.1, 5)
A = np.linspace(0.2, 1.1, 12).reshape(4, 3)
MODULES = ("calls", "choices", "masks", "whiles")  # all of the gallery would take two minutes


def kernel(text):
    """A kernel whose `def` stands in line 1."""
    return compiled(text)


KERNELS = {
    # name: (text, arguments, what is recorded)
    "a linear loop": (
        "def kernel(A):\n    for i in range(1, len(A)):\n        A[i] = 0.5 * A[i - 1] + A[i]\n    return np.sum(A)\n",
        (X,),
        [],
    ),
    "an operand that its own statement overwrites": (
        "def kernel(x):\n    for t in range(3):\n        for i in range(len(x)):\n            x[i] = x[i] * x[i]\n    return np.sum(x)\n",
        (X,),
        ["x_tape keeps x[i]: read by x[i] in line 4; overwritten in line 4"],
    ),
    "read here, overwritten there": (
        "def kernel(x):\n    y = x * 2.0\n    s = 0.0\n    for i in range(len(x)):\n        s += np.sin(y[i]) * s\n"
        "    for i in range(len(x)):\n"
        "        y[i] = y[i - 1] * y[i]\n    return s + np.sum(y)\n",
        (X,),
        [
            "s_tape keeps s: read by s in line 5; overwritten in line 5",
            "y_tape keeps y[i_2]: read by y[wrapped] in line 7, y[i_2] in line 7, y[i] in line 5; overwritten in line 7",
            "y keeps y: read by y[wrapped] in line 7, y[i_2] in line 7, y[i] in line 5; what is overwritten is in y_tape",
        ],
    ),
    "a running product": (
        "def kernel(x):\n    p = 1.0\n    for i in range(len(x)):\n        p *= x[i]\n    return p\n",
        (X,),
        ["p_tape keeps p: read by p in line 4; overwritten in line 4"],
    ),
    "a predicate": (
        "def kernel(x, c):\n    for t in range(3):\n        for i in range(len(x)):\n            if x[i] > c:\n"
        "                x[i] = 0.7 * c\n    return np.sum(x)\n",
        (X, 0.5),
        ["taken_tape keeps taken: read by taken in line 4; each trip of line 3 makes a new one"],
    ),
    "a count of trips in a loop": (
        "def kernel(x):\n    s = 1.0\n    for i in range(len(x)):\n        k = 0\n        while k < 3 and s < 9.0:\n"
        "            s = s + x[i] * s\n            k += 1\n    return s\n",
        (X,),
        [
            "s_tape keeps s: read by s in line 6; overwritten in line 6",
            "trip_trips_tape keeps trip_trips: read by trip_trips in line 5; each trip of line 3 makes a new one",
        ],
    ),
    "a tape that grows": (
        "def kernel(a):\n    x = 1.0\n    while abs(x * x - a) > 1e-9:\n        x = x - (x * x - a) / (2.0 * x)\n    return x\n",
        (2.0,),
        [
            "x_tape keeps x: read by x in line 4; overwritten in line 4",
            "trip_trips_tape keeps trip_trips: read by trip_trips in line 3; its branch ends",
        ],
    ),
    "array code keeps what it made": (
        "def kernel(x, W):\n    h = np.tanh(W @ x)\n    g = np.exp(W @ h)\n    return np.sum(g * g)\n",
        (X[:3], A[:3]),
        ["tmp keeps tmp: read by tmp[i0] in line 2; nothing overwrites that"],
    ),
    "rows that are exchanged": (
        "def kernel(u, v):\n    for t in range(3):\n        v[1:] = np.sin(u[:-1])\n        u, v = v, u\n    return np.sum(u)\n",
        (X, X + 1.0),
        ["v_tape keeps v[i0 + 1]: read by u[i0] in line 3; overwritten in line 3"],
    ),
    "the row of a matrix": (
        "def kernel(A):\n    for t in range(2):\n        for i in range(1, len(A)):\n            A[i] = A[i - 1] * A[i]\n"
        "    return np.sum(A)\n",
        (A,),
        ["A_tape keeps A[i, i0]: read by A[i - 1, i0] in line 4, A[i, i0] in line 4; overwritten in line 4"],
    ),
    "an index that data decide": (
        "def kernel(x, k):\n    for t in range(len(k)):\n        j = k[t]\n        x[j] = x[j] * x[0]\n    return np.sum(x)\n",
        (X, np.array([1, 0, 1, 4])),
        ["x_tape keeps x[wrapped]: read by x[0] in line 4, x[wrapped] in line 4; overwritten in line 4"],
    ),
}


def listed(text):
    """The lines of the list of reasons."""
    _, _, told = text.partition("recorded:")
    return [line.strip() for line in told.splitlines() if line.startswith("    ")]


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_the_listing_of_the_adjoint_names_reads_and_writes(name):
    text, arguments, expected = KERNELS[name]
    gradient = dfad.grad(kernel(text))
    gradient(*arguments)
    assert sorted(listed(gradient.source("adjoint"))) == sorted(expected)
    assert ("recorded: nothing" in gradient.source("adjoint")) == (not expected)


def test_lines_of_an_inlined_function_are_its_own():
    """Line 2 of `squared` is demanded by line 2, and by line 5 of the kernel."""

    def squared(v, k):
        v[k] = v[k] * v[k]
        return v[k]

    function = kernel("def kernel(x):\n    s = 1.0\n    for i in range(len(x)):\n        s = s * squared(x, 0)\n    return s\n")
    function.__globals__["squared"] = squared
    first = squared.__code__.co_firstlineno
    case = subject(function, (X,))
    _, reasons = record_with_reasons(differentiate(case.primal, Request(case.active, case.results)))
    told = {reason.value: reason for reason in reasons if reason.array.endswith("_tape")}
    assert told["x[0]"].overwrite == f"overwritten in line {first + 1}"
    assert set(told["x[0]"].reads) == {f"x[0] in line {first + 1}", "x[0] in line 4"}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in sorted(GALLERY) if GALLERY[name].function.__module__.split(".")[-1] in MODULES])
def test_every_tape_has_one_reason_with_lines_of_the_kernel(name):
    entry = GALLERY[name]
    case = subject(entry.function, entry.make(max(4, entry.least), np.random.default_rng(0)))
    for of in case.kinds if case.active else ():
        adjoint = differentiate(case.primal, Request(case.active, case.results if of is None else of))
        program, reasons = record_with_reasons(adjoint)
        tapes = [array.name for array in all_arrays(program).values() if array.role is Role.TAPE]
        found = [reason for reason in reasons if reason.array in tapes]
        assert sorted(reason.array for reason in found) == sorted(tapes)
        for reason in found:
            assert re.search(r"line \d+|its branch ends", reason.overwrite)
            assert all(re.search(r" in line \d+| as line \d+ left it| in the shape of ", read) for read in reason.reads)


@pytest.mark.slow
def test_the_card_tells_the_same():
    text, arguments, (expected,) = KERNELS["a predicate"]
    made = dfad.kernel(kernel(text))
    made.grad(*arguments)
    assert expected.replace(" keeps taken: ", " = taken: ") in " ".join(Card(made).facts())
