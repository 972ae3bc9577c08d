"""What is installed is complete: a wheel, unpacked in another folder, works without the repository."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent

PROGRAM = """
import sys

site, *repository = sys.argv[1:]
sys.path[:] = [site] + [folder for folder in sys.path if folder not in repository]

import dfad, dfad_magics
import numpy as np

assert dfad.__file__.startswith(site), dfad.__file__
assert dfad_magics.__file__.startswith(site), dfad_magics.__file__

@dfad.kernel
def total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * x[i]
    return s

array = np.linspace(0.0, 1.0, 5)
np.testing.assert_allclose(dfad.grad(total)(array), 2.0 * array, rtol=1e-15)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, ROOT]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("dfad-*.whl"))


def test_the_wheel_holds_every_file_of_the_packages(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    for package in (ROOT / "dfad", ROOT / "magics" / "dfad_magics"):
        files = {path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
        assert {str(path.relative_to(package.parent)) for path in files} <= held


def test_the_wheel_works_from_another_folder(wheel, tmp_path):
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "program.py", site, ROOT, ROOT / "magics"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
