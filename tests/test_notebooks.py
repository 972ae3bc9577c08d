"""Notebooks in a real kernel: the harness sees every kind of failure, and the notebooks of the project run without one."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from dfad_magics import harness
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

STAND_IN = """
import dfad
import numpy as np
from tests import stand_in
from dfad_magics import extension
dfad.kernel, dfad.grad = stand_in.kernel, stand_in.grad
extension.KERNEL = (stand_in.__name__, "Kernel")
A = np.arange(6.0)
extension.load(get_ipython())
"""
SQUARES = "%%dfad\ndef f(A, n):\n    return np.sum(A*A)"


def execute(*cells):
    return harness.execute_cells(new_notebook(cells=[new_code_cell(text) for text in cells]), ROOT, timeout=120)


def outputs(execution, cell):
    return execution.notebook.cells[cell].outputs


# The harness itself


def test_a_good_notebook_has_no_problems():
    execution = execute("1 + 1", "print('fine')")
    assert execution.problems == ()
    assert execution.texts() == ["2"]


def test_an_exception_is_a_problem():
    problems = execute("1/0").problems
    assert any("ZeroDivisionError" in problem for problem in problems)


def test_a_usage_error_is_a_problem_though_it_leaves_no_error_output():
    execution = execute("%%timeit --nope\npass", "1")
    assert execution.problems
    assert [output.output_type for output in outputs(execution, 0)] == ["stream"]


def test_text_on_stderr_is_a_problem_unless_expected():
    text = "import sys; print('careful', file=sys.stderr)"
    assert execute(text).problems == ("cell 0: stderr: careful",)
    notebook = new_notebook(cells=[new_code_cell(text)])
    assert harness.execute_cells(notebook, ROOT, expected_stderr=["^careful"]).problems == ()


def test_an_error_inside_an_output_widget_is_a_problem():
    text = "import ipywidgets\nout = ipywidgets.Output()\nwith out:\n    1/0\nout"
    problems = execute(text).problems
    assert any(problem.startswith("Output widget: ZeroDivisionError") for problem in problems)


# The magics in a kernel


FAULTS = {
    "%%dfad --nope\ndef f(x):\n    return x": ("OptionError", "unrecognized arguments: --nope"),
    "%%dfad\ndef f(x:\n    return x": ("UnsupportedSyntax", "Cell In[3], line 2"),
    "\n\n%%dfad\ndef refused(x):\n    return x": ("UnsupportedSyntax", "Cell In[4], line 5"),
    "%dfad_compare nowhere(A)": ("NameError", "nowhere"),
    "%dfad_budget 3": ("OptionError", "no call"),
}


def test_failures_leave_an_error_output_that_points_into_the_cell():
    notebook = new_notebook(cells=[new_code_cell(text) for text in (STAND_IN, *FAULTS)])
    NotebookClient(notebook, allow_errors=True, resources={"metadata": {"path": str(ROOT)}}).execute()
    for cell, (name, message) in zip(notebook.cells[1:], FAULTS.values(), strict=True):
        (error,) = cell.outputs
        assert (error.output_type, error.ename) == ("error", name)
        assert message in error.evalue + "".join(error.traceback)
    assert len([*harness.problems_of(notebook)]) == len(FAULTS)


def test_a_notebook_stops_at_a_bad_option():
    execution = execute(STAND_IN, "%%dfad --nope\ndef f(x):\n    return x", "'not reached'")
    assert any("OptionError" in problem for problem in execution.problems)
    assert outputs(execution, 2) == []


def test_cards_plots_and_panels_are_outputs():
    execution = execute(STAND_IN, SQUARES, "f.grad(A, 1)", "f", "%dfad_compare f(A, -1) --seconds 0.01", "%dfad_budget f(A, -1)")
    assert execution.problems == ()
    (card,) = outputs(execution, 1)
    assert "checked and bound" in card["data"]["text/html"]
    (used,) = outputs(execution, 3)
    assert "<svg" in used["data"]["text/html"]
    assert "<script" not in used["data"]["text/html"]
    (comparison,) = outputs(execution, 4)
    assert "NumPy primal" in comparison["data"]["text/plain"]
    widget, report = outputs(execution, 5)
    assert "application/vnd.jupyter.widget-view+json" in widget["data"]
    assert "16 MiB" in report["data"]["text/html"]
    assert len(execution.figures()) == 2


def test_a_silenced_line_magic_leaves_nothing():
    execution = execute(STAND_IN, SQUARES + ";", "%dfad_compare f(A, -1) --seconds 0.01;")
    assert execution.problems == ()
    assert outputs(execution, 1) == []
    assert outputs(execution, 2) == []


# The notebooks of the project


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_without_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.nbformat_minor >= 5
    assert notebook.metadata.kernelspec.name == "python3"
    for cell in notebook.cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_make_demo_runs_the_quickstart(tmp_path):
    command = [sys.executable, "-m", "dfad_magics.demo", "--out", str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, env={**os.environ, "DFAD_SMOKE": "1"}, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "dfad gradient" in ran.stdout
    assert "JAX gradient: creep_jax" in ran.stdout
    assert "memory against time" in ran.stdout
    assert (tmp_path / "01_quickstart.ipynb").exists()
    assert len(list(tmp_path.glob("*.png"))) == 3
