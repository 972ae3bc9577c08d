"""The hand-written C adjoints of tests/anchors as libraries to call."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "anchors"
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")


def builder(make_folder: Callable[[str], Path], flags: Sequence[str] = ()) -> Callable[[str], ctypes.CDLL]:
    """`build(name)`: the compiled library of tests/anchors/<name>.c, in a folder that `make_folder(name)` gives."""

    def build(name: str) -> ctypes.CDLL:
        library = make_folder(name) / f"{name}.so"
        source = FOLDER / f"{name}.c"
        subprocess.run([os.environ.get("CC", "cc"), *FLAGS, *flags, "-o", library, source, "-lmvec", "-lm"], check=True)
        return ctypes.CDLL(str(library))

    return build


def call(function: Any, *arguments: Any) -> Any:
    """Call a C function with arrays as pointers to double and integers as long."""
    return function(*(ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else ctypes.c_long(a) for a in arguments))
