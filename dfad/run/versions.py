"""The versions of dfad and of everything that it stands on, for reports of faults and for the record of a benchmark."""

import platform
import shlex
from importlib.metadata import PackageNotFoundError, version

from dfad.errors import CompilerMissing
from dfad.run import cache, toolchain

PACKAGES = ("dfad", "numpy", "scipy", "sympy", "islpy", "cython", "cvxpy", "highspy", "ipython", "ipywidgets", "matplotlib", "jax")


def versions() -> dict[str, str]:
    """Names and versions as text; the compiler with its flags, the processor, the folder of the cache."""
    return {
        **{name: _version(name) for name in PACKAGES},
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        "system": platform.platform(),
        "compiler": _compiler(),
        "flags": shlex.join(toolchain.flags()),
        "processor": toolchain.processor().partition("\n")[0].partition(":")[2].strip(),
        "cache": str(cache.disk().root),
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _compiler() -> str:
    try:
        return toolchain.find_compiler().version()
    except CompilerMissing as error:
        return str(error).partition("\n")[0]
