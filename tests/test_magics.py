"""The magics in a session: what a cell binds, where errors point, how options are read, and that nothing fails quietly.

The compiler is replaced by tests/stand_in.py; the notebooks run with the real one in test_notebooks.py.
"""

import inspect
import re

import numpy as np
import pytest
from dfad_magics import OptionError, extension
from IPython.core.completer import provisionalcompleter

import dfad
from tests import stand_in
from tests.session import opened

SQUARES = "def f(A, n):\n    s = 0.0\n    for i in range(len(A)):\n        s = s + A[i]*A[i]\n    return s"


@pytest.fixture
def session(monkeypatch):
    monkeypatch.setattr(dfad, "kernel", stand_in.kernel)
    monkeypatch.setattr(dfad, "grad", stand_in.grad)
    monkeypatch.setattr(extension, "KERNEL", (stand_in.__name__, "Kernel"))
    with opened() as session:
        extension.load(session.shell)
        session.good("import numpy as np; A = np.arange(6.0)")
        yield session


# What a cell binds


def test_functions_of_the_cell_become_kernels_and_the_last_is_shown(session):
    ran = session.run(f"%%dfad\nimport math\nN = 3\ndef g(A):\n    return np.sum(A)*N\n{SQUARES}")
    assert isinstance(session.names["f"], stand_in.Kernel)
    assert isinstance(session.names["g"], stand_in.Kernel)
    assert session.names["N"] == 3
    assert session.names["math"].pi == pytest.approx(np.pi, rel=1e-15)
    assert ran.value is session.names["f"]
    assert "∂ f(A, n)" in ran.text


def test_inner_names_stay_inside(session):
    before = set(session.names)
    session.good("%%dfad\ndef f(x):\n    inner = 2.0*x\n    return inner")
    assert {name for name in set(session.names) - before if not name.startswith("_")} == {"f"}


def test_names_are_the_users_and_rebinding_is_seen(session):
    session.good("scale = 2.0")
    session.good("%%dfad\ndef f(A):\n    return scale*np.sum(A)")
    assert session.good("f(A)") == 30.0
    assert session.good("scale = 3.0\nf(A)") == 45.0


def test_the_cell_runs_as_plain_python_too(session):
    session.good(SQUARES)
    plain = session.good("f(A, 0)")
    session.good(f"%%dfad\n{SQUARES}")
    assert session.good("f(A, 0)") == plain


@pytest.mark.parametrize("statement", ["print(3)", "for i in range(3): pass", "class B: pass", "A[0] = 1.0", "if A[0]: pass", "del A"])
def test_other_statements_are_refused_and_bind_nothing(session, statement):
    ran = session.run(f"%%dfad\n{SQUARES}\n{statement}")
    assert isinstance(ran.error, dfad.UnsupportedSyntax)
    assert ran.error.line == 7
    assert "f" not in session.names
    assert "Cell In[" in ran.text


def test_all_refusals_of_a_cell_are_told_at_once(session):
    ran = session.run(f"%%dfad\nprint(1)\n{SQUARES}\nprint(2)")
    assert [problem.line for problem in ran.error.problems] == [2, 8]


def test_a_failing_cell_leaves_the_old_function(session):
    session.good("%%dfad\ndef f(A):\n    return np.sum(A)")
    old = session.names["f"]
    ran = session.run(f"%%dfad\n{SQUARES}\ndef refused(x):\n    return x")
    assert isinstance(ran.error, dfad.UnsupportedSyntax)
    assert session.names["f"] is old
    assert "refused" not in session.names


def test_future_imports_hold_for_the_cell(session):
    session.good("%%dfad\nfrom __future__ import annotations\ndef f(x: Undefined) -> Nowhere:\n    return x")
    assert session.names["f"].__wrapped__.__annotations__["x"] == "Undefined"


def test_a_decorated_function_is_refused(session):
    ran = session.run("%%dfad\nimport functools\n@functools.cache\ndef f(x):\n    return x")
    assert isinstance(ran.error, dfad.UnsupportedSyntax)
    assert (ran.error.line, ran.error.column) == (3, 1)


def test_a_cell_without_a_function_is_refused(session):
    assert "no function" in str(session.run("%%dfad\nN = 3").error)


# Where errors point


@pytest.mark.parametrize("above", ["", "\n", "\n\n\n"])
def test_lines_are_counted_as_the_editor_does(session, above):
    ran = session.run(f"{above}%%dfad\ndef f(x:\n    return x")
    line = above.count("\n") + 2
    assert isinstance(ran.error, dfad.UnsupportedSyntax)
    assert ran.error.line == line
    assert re.search(rf"Cell In\[2\], line {line}\n    def f\(x:\n         \^", ran.text)


def test_an_error_of_the_compiler_points_into_the_cell(session):
    session.good("1 + 1")
    ran = session.run("%%dfad\n\ndef refused(x):\n    return x")
    assert ran.error.line == 4
    assert "Cell In[3], line 4\n    return x\n    ^" in ran.text


def test_a_compile_time_error_shows_no_frames(session):
    shown = session.run("%%dfad\ndef refused(x):\n    return x").text
    assert "dfad_magics" not in shown
    assert "Traceback" not in shown
    assert len(shown.splitlines()) <= 5


def test_an_error_of_a_call_keeps_the_users_frames_and_drops_ours(session):
    session.good(f"%%dfad\n{SQUARES}")
    ran = session.run("def outer():\n    return get_ipython().run_line_magic('dfad_compare', 'f(A)')\nouter()")
    assert isinstance(ran.error, dfad.KernelTypeError)
    assert "in outer" in ran.text
    assert "dfad_magics" not in ran.text
    assert "missing a required argument: 'n'" in ran.text


def test_an_error_in_an_argument_is_the_users_own(session):
    session.good(f"%%dfad\n{SQUARES}")
    ran = session.run("%dfad_compare f(nowhere, 1)")
    assert isinstance(ran.error, NameError)
    assert "nowhere" in str(ran.error)


# Source, help, silence


def test_the_source_and_signature_are_the_users(session):
    kernel = session.good(f"%%dfad\n{SQUARES}")
    assert inspect.getsource(kernel).rstrip() == SQUARES
    assert str(inspect.signature(kernel)) == "(A, n)"
    assert kernel.__wrapped__.__code__.co_firstlineno == 2
    shown = session.shell.object_inspect("f", detail_level=1)
    assert SQUARES in str(shown["source"])


def test_the_magic_shows_its_help(session):
    for name in ("dfad", "dfad_budget", "dfad_compare"):
        kind = "cell" if name == "dfad" else "line"
        text = session.shell.magics_manager.magics[kind][name].__doc__
        assert "--" in text
        assert "CALL" in text
        assert name == "dfad" or f"%{name} CALL [" in text.split("\n\n")[1]


@pytest.mark.parametrize(
    ("ending", "shown"),
    [
        ("", True),
        (";", False),
        ("; # a comment", False),
        ("\n;", None),
        (" # a;", True),
        ("\n# ;", True),
        ("\n    # ;\n", True),
        (";\n\n", False),
    ],
)
def test_a_semicolon_silences_the_card(session, ending, shown):
    ran = session.run(f"%%dfad\n{SQUARES}{ending}")
    if shown is None:
        assert isinstance(ran.error, dfad.UnsupportedSyntax)
        return
    assert ran.error is None
    assert ("∂ f" in ran.text) == shown


def test_a_semicolon_silences_a_line_magic(session):
    session.good(f"%%dfad\n{SQUARES}")
    assert session.good("%dfad_compare f(A, 1) --seconds 0.001;") is None
    assert session.good("%dfad_compare f(A, 1) --seconds 0.001") is not None


# Options


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("--wrt A", {"wrt": "A"}),
        ("--wrt A n", {"wrt": ("A", "n")}),
        ("--wrt A,n", {"wrt": ("A", "n")}),
        ("--wrt 0", {"wrt": 0}),
        ('--memory "500 MB"', {"memory": "500 MB"}),
        ("--memory='64 MiB'", {"memory": "64 MiB"}),
        ("--threads 2 --fastmath --no-cache", {"threads": 2, "fastmath": True, "cache": False}),
        ("--tape-dtype float32 --snapshots disk", {"tape_dtype": "float32", "snapshots": "disk"}),
        ("--memory {x} --wrt $y", {"memory": "{x}", "wrt": "$y"}),
        ("", {}),
    ],
)
def test_options_reach_the_kernel(session, line, options):
    assert session.good(f"%%dfad {line}\n{SQUARES}").given == options


@pytest.mark.parametrize("line", ["--nope", "--mem 3", "--threads two", "--memory 'open", "stray", "--call"])
def test_a_bad_option_raises_our_error_and_binds_nothing(session, line):
    ran = session.run(f"%%dfad {line}\n{SQUARES}")
    assert isinstance(ran.error, OptionError)
    assert isinstance(ran.error, dfad.DfadError)
    assert "OptionError" in ran.text
    assert "f" not in session.names


@pytest.mark.parametrize("line", ["f(A, 1) --nope 3", "", "3 + 4", "f", "f(A, 1) --jax", "f(A, 1) --j x", "f(A, 1) --jax 'x"])
def test_a_bad_line_raises_our_error(session, line):
    session.good(f"%%dfad\n{SQUARES}")
    assert isinstance(session.run(f"%dfad_compare {line}").error, OptionError)


@pytest.mark.parametrize(
    ("cell", "hint"),
    [
        ("%dfad_compare f(A, 1) --seconds abc", "%dfad_compare CALL [--jax NAME] [--seconds SECONDS]"),
        ("%dfad_budget f(A, 1) --nope", "%dfad_budget CALL [--budget SIZE]"),
        (f"%%dfad --threads two\n{SQUARES}", "%%dfad [--call CALL] [--wrt NAME [NAME ...]] [--memory SIZE]"),
    ],
)
def test_the_hint_of_a_bad_option_is_the_usage(session, cell, hint):
    session.good(f"%%dfad\n{SQUARES}")
    assert session.run(cell).error.hint.startswith(hint)


def test_a_budget_too_small_tells_what_a_gradient_tells(session):
    session.good(f"%%dfad\n{SQUARES}")
    error = session.run('%dfad_budget f(A, 1) --budget "1 MiB"').error
    assert error.message == f"no plan fits {2**20} bytes: the least budget is {2 * 2**20} bytes, and everything kept takes {16 * 2**20}"
    assert error.hint == f"memory={4 * 2**20} or more"


def test_call_compiles_at_once_and_shows_the_types(session):
    ran = session.run(f"%%dfad --call 'f(A, -1)'\n{SQUARES}")
    assert "∂ f(A: float64[6], n: int)" in ran.text
    assert "total 250 ms" in ran.text
    assert "last call" not in ran.text
    assert session.names["f"].calls == 0


def test_what_is_no_kernel_is_refused(session):
    session.good("def g(x):\n    return x")
    error = session.run("%dfad_compare g(A)").error
    assert isinstance(error, OptionError)
    assert "dfad.kernel(g)" in error.hint


def test_options_complete_with_tab(session):
    def complete(line):
        with provisionalcompleter():
            found = session.shell.Completer.completions(line, len(line))
            return [line[: completion.start] + completion.text for completion in found]

    def offered(line):
        return [text.split(" ")[-1] for text in complete(line)]

    assert set(offered("%%dfad --")) >= {"--call", "--wrt", "--memory", "--threads"}
    assert "--memory" in offered("%%dfad --me")
    assert "--jax" in offered("%dfad_compare f(A, -1) --j")
    assert "--budget" in offered("%dfad_budget f(A, 1) --")


def test_unload_takes_everything_away(session):
    extension.unload(session.shell)
    magics = session.shell.magics_manager.magics
    assert "dfad" not in magics["cell"]
    assert not {"dfad_budget", "dfad_compare"} & set(magics["line"])
    extension.load(session.shell)
    session.good(f"%%dfad\n{SQUARES}")


def test_our_error_is_shown_as_one_error():
    error = OptionError("no", problems=[])
    assert not isinstance(error, SyntaxError | BaseExceptionGroup)
    assert error._render_traceback_() == ["OptionError: no"]


def test_a_panel_shown_anew_closes_its_forerunner(session):
    session.good(f"%%dfad\n{SQUARES}")
    first = session.good("%dfad_budget f(A, 1)")
    other = session.good("%dfad_budget f(A, 2)")
    second = session.good("%dfad_budget f(A, 1)")
    assert first.widget is None
    assert second.widget is not None
    assert other.widget is not None
    other.close()
    second.close()


# Line magics work on copies


def test_line_magics_leave_the_users_arrays(session):
    session.good("%%dfad\ndef g(A):\n    A[0] = 7.0\n    return np.sum(A*A)")
    session.good("%dfad_compare g(A) --seconds 0.001")
    assert session.names["A"][0] == 0.0


def test_compare_without_jax_tells_how_to_name_a_function(session):
    session.good(f"%%dfad\n{SQUARES}")
    comparison = session.good("%dfad_compare f(A, -1) --seconds 0.001")
    assert [row.system for row in comparison.rows] == ["dfad gradient", "dfad primal", "NumPy primal"]
    assert "%dfad_compare f(A, -1) --jax NAME" in comparison.note
    assert comparison.rows[0].compile_seconds == 0.25
    assert comparison.rows[2].peak > 0


def test_compare_with_jax_reports_the_difference(session):
    pytest.importorskip("jax")
    session.good("import jax, jax.numpy as jnp\ndef f_jax(A, n):\n    return jnp.sum(A*A) + 0.0*n")
    session.good(f"%%dfad\n{SQUARES}")
    comparison = session.good("%dfad_compare f(A, 3) --jax f_jax --seconds 0.001")
    row = comparison.rows[-1]
    assert row.system == "JAX gradient: f_jax"
    assert row.difference <= 1e-15
    assert row.compile_seconds > 0
    assert row.peak > 0
    assert comparison.figure().startswith(b"\x89PNG")
