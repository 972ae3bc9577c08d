"""What the language refuses: the right line, the right characters underlined, what to write instead; all problems at once."""

import subprocess
import sys

import numpy as np
import pytest

from dfad.errors import DfadError, KernelTypeError, UnsupportedSyntax
from dfad.frontend.fence import check
from dfad.source import read_source
from tests.gallery.refused import MEANING, SYNTAX, define
from tests.gallery.refused_types import TYPES, WAVES
from tests.test_values import lowered


def assert_tells(error, refused):
    assert error.line == refused.line
    assert refused.message in error.message
    assert (error.hint is None) if refused.hint is None else (refused.hint in (error.hint or "")), error.hint
    text = refused.text.splitlines()[refused.line - 1]
    assert text[error.column : error.end_column].rstrip() == refused.underlined
    assert "^" * len(refused.underlined) in str(error)


@pytest.mark.parametrize("name", sorted(SYNTAX))
def test_syntax_is_refused_without_types(name):
    refused = SYNTAX[name]
    with pytest.raises(UnsupportedSyntax) as caught:
        check(read_source(define(refused.text, name)))
    assert_tells(caught.value, refused)


@pytest.mark.parametrize("name", sorted(MEANING.keys() | TYPES.keys()))
def test_meaning_is_refused_with_types(name):
    refused = (MEANING | TYPES)[name]
    function = define(refused.text, name)
    function.__globals__["WAVES"] = WAVES
    check(read_source(function))
    with pytest.raises((KernelTypeError, UnsupportedSyntax)) as caught:
        lowered(function, refused.make(4, np.random.default_rng(0)))
    if name == "recursion":
        assert "calls itself" in caught.value.message
        return
    assert_tells(caught.value, refused)


def test_all_problems_of_a_function_are_told_at_once():
    text = "def f(x):\n    with x[0]:\n        x[0] -= 1\n    y = [v for v in x]\n    del y\n    return x\n"
    with pytest.raises(UnsupportedSyntax) as caught:
        check(read_source(define(text, "several")))
    assert [problem.line for problem in caught.value.problems] == [2, 4, 5]
    assert all(isinstance(problem, DfadError) for problem in caught.value.problems)
    assert "3 problems" in str(caught.value)


def test_refusal_inside_a_helper_names_the_helper():
    def helper(x):
        with x:
            x[0] -= 1.0

    text = "def f(x):\n    helper(x)\n"
    function = define(text, "outer_of_helper")
    function.__globals__["helper"] = helper
    with pytest.raises(UnsupportedSyntax) as caught:
        lowered(function, (np.ones(3),))
    assert caught.value.filename == __file__
    assert "with" in caught.value.message


def test_fence_is_light():
    program = "import sys; import dfad.frontend.fence; print(*sorted({'sympy', 'islpy', 'scipy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split() == []
