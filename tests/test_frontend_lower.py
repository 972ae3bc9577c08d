"""Lowering as a whole: listings, hidden arguments, what is resolved, keys and places, speed."""

import time
from types import FunctionType

import numpy as np
import pytest

from dfad.frontend.fence import check
from dfad.ir.nodes import Exchange, Library, Loop, Role, Tasklet, While
from dfad.ir.show import show
from dfad.ir.signature import ArrayType, FloatType, IntegerType
from dfad.ir.walk import walk
from dfad.source import read_source
from tests.gallery import GALLERY, reports, scalars, shortcuts
from tests.gallery.refused import define
from tests.test_values import assert_same, interpreted, lowered

LISTED = (
    "loop_nonlinear_sweeps",
    "branch_chain",
    "slice_seidel",
    "array_product_in_place",
    "call_copies_elements",
    "loop_exchanges_arrays",
)


def program_of(name, size=4):
    entry = GALLERY[name]
    return lowered(entry.function, entry.make(size, np.random.default_rng(0)))[0].program


def nodes(program, kind):
    return [node for node in walk(program.body) if isinstance(node, kind)]


@pytest.mark.parametrize("name", LISTED)
def test_listing(golden, name):
    golden(f"lower_{name}.txt", show(program_of(name)))


def test_the_same_program_on_every_run():
    for name in LISTED:
        assert show(program_of(name)) == show(program_of(name))


def test_straight_line_scalars_are_written_once():
    program = program_of("scalar_assigned_again")
    written = [tasklet.write.array for tasklet in nodes(program, Tasklet)]
    assert len(written) == len(set(written))
    assert {"x", "x_2", "x_3"} <= set(written)


def test_a_scalar_lives_in_the_innermost_block_that_needs_it():
    program = program_of("loop_exchanges_arrays")
    inner = next(node for node in nodes(program, Loop) if node.index.name == "i")
    assert [array.name for array in inner.body.arrays] == ["f"]


def test_a_while_that_counts_is_a_loop():
    assert not nodes(program_of("while_counts_up"), While)
    assert not nodes(program_of("while_counts_in_loops"), While)
    assert len(nodes(program_of("while_bound_moves"), While)) == 1


def test_arrays_are_exchanged_and_not_copied():
    program = program_of("loop_exchanges_arrays")
    assert [(node.first, node.second) for node in nodes(program, Exchange)] == [("u", "un")]
    assert len(nodes(program_of("loop_rotates_three_arrays"), Exchange)) == 2


@pytest.mark.parametrize(
    ("name", "temporaries"),
    [
        ("slice_stencil", 0),
        ("slice_shift_up", 0),
        ("slice_shift_down", 0),
        ("slice_add_shifted", 0),
        ("slice_shift_two_ways", 0),
        ("slice_row_from_row", 0),
        ("slice_every_other", 0),
        ("slice_both_neighbours", 1),
        ("slice_reverses", 1),
        ("slice_transposes", 1),
        ("slice_seidel", 0),
    ],
)
def test_temporaries_only_where_cells_conflict(name, temporaries):
    program = program_of(name)
    local = [array for block in walk(program.body) for array in getattr(block, "arrays", ()) if array.rank]
    assert len(local) == temporaries


def test_an_overlapping_copy_runs_backwards():
    assert [loop.step for loop in nodes(program_of("slice_shift_up"), Loop)] == [-1]
    assert [loop.step for loop in nodes(program_of("slice_shift_down"), Loop)] == [1]


def test_products_write_straight_into_their_target():
    found = nodes(program_of("array_product_accumulates"), Library)
    assert [(node.write.array, node.accumulate) for node in found] == [("C", True), ("tmp", False), ("tmp_2", False)]


def test_results_are_written_where_they_are_returned():
    program = program_of("loop_wraps_at_run_time")
    assert [(array.name, array.role) for array in program.parameters] == [("x", Role.ARGUMENT), ("y", Role.RESULT)]
    assert program_of("array_in_place").results == ("A",)
    assert program_of("array_returned_twice").results == ("B", "result")
    assert program_of("array_returned_twice").returns_tuple


def test_keys_are_unique_and_places_are_the_sources():
    source = read_source(GALLERY["branch_chain"].function)
    program = program_of("branch_chain")
    leaves = nodes(program, Tasklet)
    assert all(leaf.where.filename == source.filename for leaf in leaves)
    assert all(leaf.key.split(".")[0] == f"L{leaf.where.line}" for leaf in leaves)
    assert len({leaf.key for leaf in leaves}) == len(leaves)


# ---------------------------------------------------------------- hidden arguments


def test_numbers_and_arrays_of_the_namespace_are_arguments_read_anew(monkeypatch):
    function, x = scalars.scalar_globals, np.ones(4)
    found, _ = lowered(function, (x,))
    kinds = {hidden.variable: type(hidden.type) for hidden in found.hidden}
    assert kinds == {"LIMIT": FloatType, "TABLE": ArrayType, "COUNT": IntegerType}
    assert interpreted(function, (x,)) == function(x)
    monkeypatch.setattr(scalars, "LIMIT", 7.0)
    assert {hidden.variable: hidden.get() for hidden in found.hidden}["LIMIT"] == 7.0
    assert interpreted(function, (x,)) == function(x)


def closure_kernel(scale, table):
    def kernel(x):
        return np.sum(x) * scale + table[0]

    return kernel


def test_closure_variables_are_hidden_arguments_too():
    function = closure_kernel(3.0, np.array([5.0]))
    assert interpreted(function, (np.ones(2),)) == 11.0
    assert [hidden.variable for hidden in lowered(function, (np.ones(2),))[0].hidden] == ["scale", "table"]


def test_functions_are_resolved_and_known_to_change(monkeypatch):
    found, _ = lowered(GALLERY["report_smoother"].function, (np.ones((4, 4)), 2))
    assert [source.name for source in found.inlined] == ["smooth"]
    assert all(resolved.is_current() for resolved in found.resolved)
    assert {resolved.variable for resolved in found.resolved} == {"smooth", "np", "range"}
    monkeypatch.setattr(reports, "smooth", lambda A, steps: None)
    assert [resolved.variable for resolved in found.resolved if not resolved.is_current()] == ["smooth"]


def scaled_by(scale):
    def helper(x, c=scale):
        return x * c

    return helper


def test_defaults_of_functions_of_one_name_are_told_apart():
    function = define("def f(x):\n    return first(x) + second(x)\n", "two_defaults")
    function.__globals__.update(first=scaled_by(2.0), second=scaled_by(5.0))
    assert interpreted(function, (np.ones(2),)).tolist() == [7.0, 7.0]


def test_a_kernel_object_is_inlined_as_its_function():
    class Kernel:
        __wrapped__ = staticmethod(reports.smooth)

    text = "def f(A):\n    smoother(A, 2)\n    return np.sum(A)\n"
    function = define(text, "calls_a_kernel")
    function.__globals__["smoother"] = Kernel()
    A = np.arange(16.0).reshape(4, 4) ** 2
    expected = reports.report_smoother(A.copy(), 2)
    assert interpreted(function, (A,)) == pytest.approx(expected, rel=1e-13)


def test_numpy_is_known_by_any_name():
    text = "def f(x):\n    return numeric.sum(numeric.sqrt(x)) + root(x[0]) + m.pi\n"
    function = define(text, "renamed")
    function.__globals__.update(numeric=np, root=np.sqrt, m=__import__("math"))
    assert interpreted(function, (np.array([4.0, 9.0]),)) == pytest.approx(7.0 + np.pi, rel=1e-13)


# ---------------------------------------------------------------- types that settle late


def test_a_carried_variable_takes_the_widest_type():
    text = "def f(x, n):\n    s = 0\n    t = 1\n    for i in range(n):\n        s = s + t\n        t = t * x[i]\n    return s, t\n"
    function = define(text, "widened")
    arguments = (np.array([0.5, 2.0, 3.0]), 3)
    assert_same(interpreted(function, arguments), tuple(map(np.float64, function(*arguments))), True, "widened")


@pytest.mark.parametrize("name", sorted(set(reports.ANSWERS)))
def test_known_answers(name):
    arguments, value, _ = reports.ANSWERS[name]
    entry = GALLERY[name]
    fresh = tuple(np.array(argument) if isinstance(argument, np.ndarray) else argument for argument in arguments)
    if value is not None:
        np.testing.assert_allclose(interpreted(entry.function, fresh), value, rtol=1e-8, atol=1e-12)


def test_gallery_holds_documented_plain_functions():
    for entry in GALLERY.values():
        assert isinstance(entry.function, FunctionType)
        assert (entry.function.__doc__ or "").count("\n") == 0
        assert entry.function.__doc__
        check(read_source(entry.function))
    assert len([name for name in GALLERY if name.startswith("short")]) == len(shortcuts.ENTRIES)


def test_lowering_takes_milliseconds():
    """Thirty lines in well under 50 ms of processor time once sympy is warm; the bound leaves room for a slow machine."""
    entry = GALLERY["slice_seidel"]
    arguments = entry.make(5, np.random.default_rng(0))
    lowered(entry.function, arguments)
    seconds = []
    for _ in range(3):
        start = time.process_time()
        lowered(entry.function, arguments)
        seconds.append(time.process_time() - start)
    assert min(seconds) < 0.05
