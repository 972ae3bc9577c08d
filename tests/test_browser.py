"""The budget panel in a real JupyterLab, driven in a real browser: the only test that sees the front end."""

import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

pytestmark = [pytest.mark.slow, pytest.mark.browser]

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"]
HARMLESS = ("favicon",)
"""Console errors that are none of ours."""

CONFIGURATION = """
from jupyterlab.galata import configure_jupyter_server
c = get_config()
configure_jupyter_server(c)
c.ServerApp.port = 0
c.ServerApp.open_browser = False
c.ServerApp.allow_root = True
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
"""

SETUP = """%load_ext dfad
import numpy as np
z = np.sin(np.arange(240.0*200)).reshape(240, 200)"""
KERNEL = """%%dfad
def texture(z):
    slope = np.tanh(z[:, 1:] - z[:, :-1])
    bend = np.exp(0.5*(slope[1:, :] - slope[:-1, :]))
    grain = np.sqrt(1.0 + bend[:, 1:]*bend[:, :-1])
    wave = np.sin(grain[1:, :] + grain[:-1, :])
    return np.sum(wave*wave)"""
CELLS = [SETUP, KERNEL, "%dfad_budget texture(z)"]
KERNELSPEC = {"name": "python3", "display_name": "Python 3", "language": "python"}
WAIT = 90_000
"""Milliseconds for what compiles on a busy machine."""


@contextmanager
def jupyterlab(folder: Path):
    """JupyterLab on a folder; yields its address."""
    configuration = folder / "configuration.py"
    configuration.write_text(CONFIGURATION)
    log = folder / "server.log"
    command = [sys.executable, "-m", "jupyterlab", f"--config={configuration}", "--no-browser"]
    environment = {
        **os.environ,
        "JUPYTERLAB_GALATA_ROOT_DIR": str(folder),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
    }
    with log.open("w") as output:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            yield address(log, server)
        finally:
            server.terminate()
            server.wait(timeout=20)


def address(log: Path, server: subprocess.Popen) -> str:
    """Where the server answers, as soon as it does."""
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline and server.poll() is None:
        found = [word for word in log.read_text().split() if word.startswith("http://") and "/lab" in word]
        if found and answers(base := found[0].split("/lab")[0]):
            return base
        time.sleep(0.2)
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text()}")


def answers(base: str) -> bool:
    try:
        with urllib.request.urlopen(f"{base}/api", timeout=2) as response:
            return response.status == 200
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


@pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="no Chromium: apt-get install chromium")
def test_the_budget_panel_in_jupyterlab(tmp_path):
    from playwright.sync_api import expect, sync_playwright

    notebook = new_notebook(cells=[new_code_cell(text) for text in CELLS], metadata={"kernelspec": KERNELSPEC})
    nbformat.write(notebook, tmp_path / "budget.ipynb")
    with jupyterlab(tmp_path) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1400, "height": 1600})
        errors = []
        page.on("console", lambda message: errors.append(f"{message.text} {message.location['url']}") if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{base}/lab/tree/budget.ipynb?reset")
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=WAIT)
        page.wait_for_selector("#jp-main-statusbar >> text=Idle", timeout=WAIT)
        page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
        panel = page.locator(".dfad-budget")
        status, plan, picture = panel.locator(".dfad-status"), panel.locator(".dfad-plan"), panel.locator("img")
        expect(status).to_contain_text("plans found", timeout=WAIT)
        expect(page.locator(".jp-OutputArea-output .dfad-title")).to_contain_text(["memory against time"])

        start, all_kept, drawn = status.inner_text(), plan.inner_text(), str(picture.get_attribute("src"))
        assert "■ kept" in all_kept
        assert "↻" not in all_kept
        handle = panel.locator(".noUi-handle")
        handle.focus()
        handle.press("Home")
        box = panel.locator("input[type=number]")
        least_budget = str(box.get_attribute("min"))
        assert float(least_budget) < float(str(box.get_attribute("max")))
        expect(box).to_have_value(least_budget, timeout=WAIT)
        least = status.inner_text()
        handle.press("ArrowRight")
        expect(status).not_to_contain_text(least, timeout=WAIT)
        expect(status).not_to_contain_text(start)
        expect(plan).to_contain_text("↻", timeout=WAIT)
        expect(picture).not_to_have_attribute("src", drawn)

        chosen = str(picture.get_attribute("src"))
        panel.get_by_role("button", name="Run").click()
        expect(status).to_contain_text("measured", timeout=WAIT)
        expect(picture).not_to_have_attribute("src", chosen)
        page.screenshot(path=os.environ.get("DFAD_SCREENSHOT", str(tmp_path / "panel.png")))
        browser.close()
    assert [error for error in errors if not any(word in error for word in HARMLESS)] == []
