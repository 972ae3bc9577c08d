"""Errors say what, where and what to write instead, in text, over pickling, and in a notebook."""

import copy
import linecache
import pickle

import pytest

from dfad import errors
from dfad.errors import BudgetTooSmall, BuildFailed, CompilerBug, DfadError, KernelIndexError, UnsupportedSyntax

LINE = "    total = lambda x: x\n"


@pytest.fixture
def problem():
    return UnsupportedSyntax(
        "lambda is not supported", filename="kernel.py", line=7, column=12, end_column=23, text=LINE, hint="write a def"
    )


def test_message_place_caret_and_hint_are_shown(problem):
    assert str(problem).splitlines() == [
        "lambda is not supported",
        '  File "kernel.py", line 7',
        "    total = lambda x: x",
        "            ^^^^^^^^^^^",
        "  hint: write a def",
    ]


@pytest.mark.parametrize(("column", "end_column", "carets"), [(0, 3, "^^^"), (2, None, "^"), (3, 99, "^^"), (99, 100, None)])
def test_carets_stay_within_the_line(column, end_column, carets):
    lines = str(DfadError("wrong", line=1, column=column, end_column=end_column, text="a + b")).splitlines()
    assert lines[2] == "    a + b"
    assert lines[3:] == ([] if carets is None else [" " * (4 + column) + carets])


def test_text_is_looked_up_from_the_file(monkeypatch):
    monkeypatch.setitem(linecache.cache, "<cell>", (4, None, ["a\n", "b = c\n"], "<cell>"))
    error = DfadError("wrong", filename="<cell>", line=2, column=4)
    assert error.text == "b = c"
    assert "    b = c\n        ^" in str(error)


def test_an_error_without_a_place_is_its_message():
    assert str(DfadError("wrong")) == "wrong"


def test_several_problems_are_listed(problem):
    other = UnsupportedSyntax("yield is not supported", filename="kernel.py", line=9, text="yield 1", column=0, end_column=5)
    whole = errors.gather([problem, other])
    assert type(whole) is UnsupportedSyntax
    assert whole.problems == (problem, other)
    assert (whole.filename, whole.line, whole.column) == ("kernel.py", 7, 12)
    assert str(whole).splitlines()[:2] == ["2 problems", "1. lambda is not supported"]
    assert "2. yield is not supported" in str(whole)
    assert errors.gather([problem]) is problem


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_errors_can_be_copied(problem, duplicate):
    again = duplicate(problem)
    assert type(again) is UnsupportedSyntax
    assert str(again) == str(problem)
    assert (again.line, again.column, again.end_column, again.hint) == (7, 12, 23, "write a def")
    small = duplicate(BudgetTooSmall("too small", least=800, practical=1600))
    assert (small.least, small.practical, str(small)) == (800, 1600, "too small")
    bug = duplicate(CompilerBug("a demand is open", "program text"))
    assert (bug.message, bug.program) == ("a demand is open", "program text")
    several = duplicate(errors.gather([problem, problem]))
    assert [str(each) for each in several.problems] == [str(problem)] * 2


def test_practical_budget_is_the_least_when_not_given():
    assert BudgetTooSmall("too small", least=800).practical == 800


def test_kinds_are_also_pythons_own():
    assert issubclass(KernelIndexError, IndexError)
    assert issubclass(errors.KernelAssertionError, AssertionError)
    assert not issubclass(CompilerBug, DfadError)
    assert not issubclass(UnsupportedSyntax, SyntaxError)


def test_a_failed_build_shows_the_end_of_the_output():
    error = BuildFailed("gcc failed", output="\n".join(f"line {k}" for k in range(50)))
    assert str(error).splitlines()[0] == "gcc failed"
    assert str(error).endswith("  | line 49")
    assert len(str(error).splitlines()) == 21


def test_a_bug_asks_for_a_report_with_the_program():
    assert str(CompilerBug("wrong", "the program")).splitlines()[0] == "wrong"
    assert str(CompilerBug("wrong", "the program")).endswith("\nthe program")


def test_the_notebook_shows_no_frames_for_an_error_of_the_text(problem):
    with pytest.raises(UnsupportedSyntax) as caught:
        raise problem
    shown = "\n".join(caught.value._render_traceback_())
    assert shown == f"UnsupportedSyntax: {problem}"


def test_the_notebook_shows_the_users_frames_for_an_error_of_a_call():
    ours = {"__name__": "dfad.api", "KernelIndexError": KernelIndexError}
    exec(compile("def call(): raise KernelIndexError('index 9')", "dfad/api.py", "exec"), ours)
    with pytest.raises(KernelIndexError) as caught:
        ours["call"]()
    shown = caught.value._render_traceback_()
    assert len(shown) == 2
    assert "in test_the_notebook_shows_the_users_frames_for_an_error_of_a_call" in shown[0]
    assert shown[1] == "KernelIndexError: index 9"
