"""What every test shares: a compilation cache of its own, golden files, and no quiet skips where CI runs."""

import os
import shutil
import signal
import tempfile
from pathlib import Path

import hypothesis
import pytest

GOLDEN = Path(__file__).parent / "golden"

ALLOWED_SKIPS: dict[str, str] = {}
"""Tests that may be skipped where CI runs: start of the test's id -> the reason."""


# A compilation may take a second, and a failure seen once must be seen again.
hypothesis.settings.register_profile("dfad", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("dfad")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--refresh-golden", action="store_true", help="write the golden files instead of comparing with them")


def pytest_configure(config: pytest.Config) -> None:
    """One empty cache for the whole run; its worker processes inherit the variables."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a job that a shell put in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("JAX_ENABLE_X64", "1")
    if "DFAD_CACHE_DIR" not in os.environ:
        folder = tempfile.mkdtemp(prefix="dfad-test-cache-")
        os.environ["DFAD_CACHE_DIR"] = folder
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    report = yield
    return _refuse_skip(report)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector):
    report = yield
    return _refuse_skip(report)


def _refuse_skip(report):
    """Where CI runs, a skip that is not listed above is a failure."""
    listed = any(report.nodeid.startswith(start) for start in ALLOWED_SKIPS)
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail") and not listed:
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid}: {reason} (skips are listed in tests/conftest.py)"
    return report


@pytest.fixture(autouse=True)
def compiler_level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are compiled at -O1, which takes half the time; tests marked `production` take the flags that users get."""
    if request.node.get_closest_marker("production") is None:
        monkeypatch.setattr("dfad.run.toolchain.LEVEL", 1)


@pytest.fixture
def golden(request: pytest.FixtureRequest):
    """`golden(name, text)`: the text equals tests/golden/<name>; `pytest --refresh-golden` writes it instead."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--refresh-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert path.exists(), f"no golden file {name}: run pytest --refresh-golden and read what it wrote"
        assert text == path.read_text(), f"differs from golden file {name}: if that is right, run pytest --refresh-golden"

    return check
