"""The magics over the real compiler: cards, caches, errors of a call, and what a budget panel measures."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from dfad_magics import Card, compare
from dfad_magics.line import Call

import dfad
from tests.session import opened

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
SEIDEL = """%%dfad
def seidel(A, steps):
    for t in range(steps):
        for i in range(1, A.shape[0] - 1):
            for j in range(1, A.shape[1] - 1):
                A[i, j] = 0.5*A[i, j] + 0.25*math.sin(A[i-1, j]*A[i, j-1])
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            total += A[i, j]
    return total"""
CALL = "A = np.linspace(0.1, 1.0, 63).reshape(7, 9)"


@pytest.fixture
def session():
    with opened() as session:
        session.good("%load_ext dfad")
        session.good(f"import math\nimport numpy as np\n{CALL}")
        yield session


def test_a_cell_gives_a_gradient_and_leaves_the_array(session):
    session.good(SEIDEL)
    before = session.names["A"].copy()
    gradient = session.good("seidel.grad(A, 3)")
    assert gradient.shape == (7, 9)
    assert np.array_equal(session.names["A"], before)
    stepped = before.astype(complex)
    stepped[3, 4] += 1e-30j
    session.names["math"] = np
    exact = session.names["seidel"].__wrapped__(stepped, 3).imag / 1e-30
    assert gradient[3, 4] == pytest.approx(exact, rel=1e-12)


def test_the_card_shows_every_room(session):
    ran = session.run(SEIDEL.replace("%%dfad", "%%dfad --call 'seidel(A, 3)'"))
    assert ran.error is None, ran.text
    assert "seidel(A: float64[7, 9], steps: int)" in ran.text
    assert "keeps A_tape" in ran.text
    assert "the last call" not in ran.text
    call = Call.of(session.names["seidel"], (session.names["A"], 3))
    html = Card(call.kernel, call, dfad.grad(call.kernel).for_args(*call.args)).html()
    for title in ("Dataflow", "IR", "Adjoint", "Plan", "Cython"):
        assert f"<summary>{title}" in html
    assert "<svg" in html
    assert "<script" not in html
    assert "generated" in html


def test_running_an_unchanged_cell_again_costs_milliseconds(session):
    session.good(SEIDEL)
    session.good("seidel.grad(A, 3)")
    start = time.perf_counter()
    session.good(SEIDEL)
    session.good("seidel.grad(A, 3)")
    assert time.perf_counter() - start < 0.25
    assert session.names["seidel"].timings["cache"] == "memory"
    assert "from memory" in session.run("seidel").text


def test_changing_an_option_compiles_again(session):
    session.good(SEIDEL)
    session.good("seidel.grad(A, 3)")
    session.good(SEIDEL.replace("%%dfad", "%%dfad --fastmath"))
    session.good("seidel.grad(A, 3)")
    assert session.names["seidel"].timings["cache"] == "built"


def test_another_process_finds_the_compiled_cell_on_disk(tmp_path):
    program = (
        "from tests.session import opened\n"
        "with opened() as session:\n"
        f"    session.good('%load_ext dfad')\n    session.good({'import math, numpy as np; ' + CALL!r})\n"
        f"    session.good({SEIDEL!r})\n    session.good('seidel.grad(A, 3)')\n"
        "    print(session.names['seidel'].timings['cache'])"
    )
    environment = {**os.environ, "DFAD_CACHE_DIR": str(tmp_path)}
    runs = [subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True) for _ in range(2)]
    assert [run.stdout.split()[-1:] for run in runs] == [["built"], ["disk"]], runs[-1].stderr


def test_an_index_out_of_range_points_at_the_cells_line(session):
    session.good("%%dfad\ndef pick(A, n):\n    s = 0.0\n    for i in range(n):\n        s += A[i]*A[i]\n    return s")
    ran = session.run("def outer(n):\n    return pick(A[0], n)\n\nouter(99)")
    assert isinstance(ran.error, IndexError)
    assert ran.error.line == 5
    assert "line 5" in ran.text
    assert "in outer" in ran.text
    assert "api.py" not in ran.text
    assert "launcher" not in ran.text


def test_helpers_of_the_cell_and_names_of_the_notebook_are_seen(session):
    session.good("c = 2.0")
    session.good("%%dfad\nB = 3.0\ndef helper(x, y):\n    return x*y*B\ndef f(A):\n    return helper(A[0, 0], c)")
    assert session.good("f.grad(A)")[0, 0] == 6.0
    session.good("c = 5.0")
    assert session.good("f.grad(A)")[0, 0] == 15.0


def test_the_card_tells_of_the_specialisation_last_used(session):
    session.good(SEIDEL)
    session.good("seidel.grad(A, 3)")
    assert "A: float64[" in session.run("seidel").text
    session.good("seidel.grad(A.astype(np.float32), 3)")
    assert "A: float32[" in session.run("seidel").text


def test_the_stop_button_ends_a_long_call(session):
    session.good(SEIDEL)
    session.good("seidel(A.copy(), 1)")
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.perf_counter()
    ran = session.run("seidel(A.copy(), 10**9)")
    assert time.perf_counter() - start < 5
    assert isinstance(ran.error, KeyboardInterrupt)
    assert session.good("seidel(A.copy(), 1)") > 0


def test_a_budget_with_a_choice(session):
    session.good("z = np.sin(np.arange(600.0)).reshape(20, 30)")
    session.good(
        "%%dfad\ndef texture(z):\n    a = np.tanh(z[:, 1:] - z[:, :-1])\n    b = np.exp(a[1:, :]*a[:-1, :])\n"
        "    c = np.sin(b[:, 1:] + b[:, :-1])\n    return np.sum(c*c)"
    )
    panel = session.good("%dfad_budget texture(z)")
    unlimited = session.good("texture.grad(z)")
    assert not panel.choices.is_single
    for plan in panel.choices.plans:
        panel.choose(plan.budget)
        assert panel.run().peak <= plan.budget
        gradient = dfad.grad(session.names["texture"], memory=plan.budget)(session.names["z"])
        assert np.max(np.abs(gradient - unlimited)) <= 1e-13 * np.max(np.abs(unlimited))
    with pytest.raises(dfad.BudgetTooSmall) as caught:
        panel.choose(panel.choices.least - 1)
    assert caught.value.least == panel.choices.least
    panel.close()


def test_a_loop_without_a_choice_is_said_in_words(session):
    session.good(SEIDEL)
    panel = session.good("%dfad_budget seidel(A, 5)")
    assert panel.widget is None
    assert "There is one plan" in str(panel)


def test_refused_syntax_points_at_the_cells_line(session):
    ran = session.run("\n%%dfad\ndef f(A):\n    with open('x') as g:\n        pass\n    return A[0]")
    assert isinstance(ran.error, dfad.UnsupportedSyntax)
    assert ran.error.line == 4
    assert "Cell In[" in ran.text


def test_help_and_source_are_the_users(session):
    session.good(SEIDEL)
    shown = session.shell.object_inspect("seidel", detail_level=1)
    assert SEIDEL.split("\n", 1)[1] in str(shown["source"])


def test_compare_agrees_with_the_plain_function(session):
    session.good(SEIDEL)
    comparison = compare(session.names["seidel"], session.names["A"], 3, seconds=0.05)
    assert [row.system for row in comparison.rows] == ["dfad gradient", "dfad primal", "NumPy primal"]
    assert comparison.rows[0].peak > 0


def test_the_cells_of_the_readme_run_as_they_stand(session):
    section = (ROOT / "README.md").read_text().split("## A first notebook")[1].split("The same without a notebook")[0]
    cells = [block.split("```")[0] for block in section.split("```python\n")[1:]]
    assert [cell.startswith("%%dfad\n") for cell in cells] == [False, True, False, False]
    for cell in cells:
        session.good(cell.replace("200, 200", "20, 20"))
    assert session.names["G"].shape == (20, 20)
