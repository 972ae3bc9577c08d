"""Bounds: what is proven needs no Check, the rest is checked once, as far out as it certainly runs, before anything is touched."""

import numpy as np
import pytest
import sympy

from dfad.errors import KernelIndexError
from dfad.frontend.affine import Search, linear
from dfad.ir.nodes import Check, Loop, Select, Tasklet
from dfad.ir.walk import expressions, walk, walk_expression
from tests.gallery import GALLERY
from tests.test_values import interpreted, lowered

i, j, N, M = sympy.symbols("i j n m", integer=True)


def proves(goal, *facts, natural=(N, M)):
    return Search([linear(fact) for fact in facts], lambda atom: atom in natural, {i: 1, j: 2}).holds(linear(sympy.expand(goal)))


def test_proofs_combine_facts():
    inside = (i - 1, N - 2 - i)
    assert proves(i - 1, *inside)
    assert proves(N - 3, *inside), "a loop that runs tells of its extent"
    assert proves(N - 1 - (i + 1), *inside)
    assert not proves(N - 1 - (i + 2), *inside)
    assert not proves(i - 2, *inside)
    assert proves(i - j - 1, j, i - 1 - j)
    assert proves(N - 1 - j, j, i - 1 - j, i, N - 1 - i)


def test_proofs_know_floor_remainder_and_extremes():
    half = sympy.floor(i / 2)
    assert proves(half, i)
    assert proves(N - 1 - half, i, N - 1 - i)
    assert not proves(half - 1, i)
    assert proves(sympy.Mod(i, 3))
    assert proves(2 - sympy.Mod(i, 3))
    assert proves(N - sympy.Min(M, N))
    assert proves(sympy.Max(0, N - 2) - N + 2)


def test_proofs_use_that_numbers_are_whole():
    assert proves(i, 2 * i + 1)
    assert not proves(i - 1, 2 * i + 1)


def checks(name, size=5):
    entry = GALLERY[name]
    program = lowered(entry.function, entry.make(size, np.random.default_rng(0)))[0].program
    return [node for node in walk(program.body) if isinstance(node, Check)], program


PROVEN = (
    "loop_nonlinear_sweeps",
    "loop_backwards",
    "loop_ragged_step",
    "loop_ragged_negative_step",
    "loop_over_rows",
    "loop_blocks",
    "slice_row_from_row",
    "slice_transposes",
    "slice_bounds_from_loop",
    "branch_guards_an_index",
    "branch_expression",
    "report_four_sweeps",
    "loop_wraps_at_run_time",
)


@pytest.mark.parametrize("name", PROVEN)
def test_what_loops_and_guards_prove_is_not_checked(name):
    found = [check for check in checks(name)[0] if "different" not in check.message and "fit" not in check.message]
    assert len(found) == (2 if name == "loop_over_rows" else 0)


@pytest.mark.parametrize(
    "name", ["loop_extent_given_apart", "loop_reads_neighbours", "loop_triangular_factorization", "loop_exchanges_arrays"]
)
def test_checks_stand_before_the_loops(name):
    found, program = checks(name)
    assert found
    inside = [node for loop in walk(program.body) if isinstance(loop, Loop) for node in walk(loop.body) if isinstance(node, Check)]
    assert inside == []


def test_a_run_time_index_wraps_by_a_choice():
    program = checks("loop_wraps_at_run_time")[1]
    values = [part for node in walk(program.body) for expression in expressions(node) for part in walk_expression(expression)]
    assert sum(isinstance(value, Select) for value in values) == 1


def test_an_index_that_a_guard_makes_legal_does_not_wrap():
    program = checks("branch_expression")[1]
    written = [node.write.array for node in walk(program.body) if isinstance(node, Tasklet)]
    assert not any(name.startswith("wrapped") for name in written)


def out_of_range_inside(A, n):
    for i in range(n):
        A[i] = 2.0 * A[i]


def out_of_range_in_branch(A, k):
    for i in range(len(A)):
        if A[i] > 10.0:
            A[i + k] = 0.0


def out_of_range_from_data(A, idx):
    s = 0.0
    for i in range(len(idx)):
        s += A[idx[i]]
    return s


def test_a_check_that_fails_names_line_index_and_extent():
    A = np.ones(3)
    with pytest.raises(KernelIndexError) as caught:
        interpreted(out_of_range_inside, (A, 5))
    assert "index 4" in caught.value.message
    assert "extent 3" in caught.value.message
    assert (caught.value.text or "").strip() == "A[i] = 2.0 * A[i]"
    np.testing.assert_array_equal(A, np.ones(3), err_msg="the loop has not begun")


def test_an_access_that_does_not_run_is_not_checked():
    A = np.ones(3)
    interpreted(out_of_range_in_branch, (A, 7))
    interpreted(out_of_range_inside, (A, -4))
    np.testing.assert_array_equal(A, np.ones(3))


def test_indices_from_data_are_checked_at_the_access():
    A = np.arange(3.0)
    assert interpreted(out_of_range_from_data, (A, np.array([0, -1, 2]))) == 4.0
    for bad in (3, -4):
        with pytest.raises(KernelIndexError):
            interpreted(out_of_range_from_data, (A, np.array([0, bad])))


def shapes_differ(A, B):
    A[:] = A + B


def test_shapes_that_differ_are_told_with_both_extents():
    with pytest.raises(KernelIndexError, match="extents 3 and 4"):
        interpreted(shapes_differ, (np.ones(3), np.ones(4)))
