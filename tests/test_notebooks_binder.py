"""The Binder environment is complete, pinned and the one that repo2docker reads."""

import os
import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
ENVIRONMENT = yaml.safe_load((ROOT / "binder" / "environment.yml").read_text())
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def pip_pins():
    (pips,) = [entry["pip"] for entry in ENVIRONMENT["dependencies"] if isinstance(entry, dict)]
    return dict(pin.split("==") for pin in pips)


def test_python_is_named_literally():
    (python,) = [entry for entry in ENVIRONMENT["dependencies"] if str(entry).startswith("python")]
    assert re.fullmatch(r"python=3\.\d+", python)


def test_everything_that_the_project_needs_is_pinned():
    project = PROJECT["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["notebook"], *PROJECT["build-system"]["requires"]]
    missing = {re.match(r"[\w-]+", need)[0].lower() for need in needed} - set(pip_pins())
    assert missing == set()


@pytest.mark.parametrize("need", PROJECT["project"]["dependencies"])
def test_pins_are_not_older_than_the_project_asks(need):
    name, least = need.split(">=")
    pinned = pip_pins()[name.lower()]
    assert [int(part) for part in pinned.split(".")] >= [int(part) for part in least.split(".")]


def test_the_post_build_script_stops_at_the_first_fault():
    script = ROOT / "binder" / "postBuild"
    assert os.access(script, os.X_OK)
    assert script.read_text().startswith("#!")
    assert "set -euo pipefail" in script.read_text()
    assert "--no-deps" in script.read_text()


def test_only_one_folder_is_read():
    assert not (ROOT / ".binder").exists()
    assert {path.name for path in (ROOT / "binder").iterdir()} == {"environment.yml", "apt.txt", "postBuild"}


def test_badges_lead_to_notebooks_that_exist():
    targets = [target for text in (page.read_text() for page in PAGES) for target in re.findall(r"urlpath=lab/tree/([^)\s\"]+)", text)]
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
