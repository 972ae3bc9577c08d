"""Who compiles and how: the C compiler, its flags, and what identifies them, this Python, Cython and this processor.

Everything here is found without importing Cython, so that a kernel that is in the cache needs none of it.
"""

import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from dfad.errors import CompilerMissing

PACKAGE = Path(__file__).parents[1]

# Contraction is off so that two variants of a loop body agree in every bit. GCC would merge the sine and the cosine of one
# argument, which every adjoint of a sine has, into a scalar call; -fno-builtin-cos keeps them apart, and vectorised. Conditions that
# no trip changes are taken out of loops by optimise/unswitch.py where it pays; GCC needs twice its time to try them all. Cells are held
# in scalars by optimise/carry.py and registers.py, and rows lie with stride 1: two more searches of GCC find nothing, for up to a third
# of its time on large kernels.
FLAGS = (
    "-march=native",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-builtin-cos",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-unswitch-loops",
    "-fno-predictive-commoning",
    "-fno-version-loops-for-strides",
    "-g0",
    "-fPIC",
)
LEVEL = 3
"""The -O level of kernels; tests lower it."""

LINK = ("-shared", "-Wl,-z,defs")

INSTALL = "on Debian or Ubuntu: apt-get install gcc; with conda: conda install -c conda-forge gcc_linux-64; or set CC"


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C compiler: the words of its command and the file that the first of them names."""

    command: tuple[str, ...]
    path: Path

    def identity(self) -> tuple[object, ...]:
        """What changes when the compiler does: command, file, size and time of change."""
        status = self.path.stat()
        return (*self.command, str(self.path), status.st_size, status.st_mtime_ns)

    def version(self) -> str:
        """The first line of what it says of itself.

        Raises
        ------
        CompilerMissing
            When it does not run.
        """
        try:
            answer = subprocess.run([*self.command, "--version"], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise CompilerMissing(f"the C compiler {shlex.join(self.command)} does not run: {error}", hint=INSTALL) from error
        return answer.stdout.partition("\n")[0]


def find_compiler() -> Compiler:
    """The compiler that `CC` names, else cc, else gcc.

    Raises
    ------
    CompilerMissing
        When there is none; says what to install.
    """
    named = shlex.split(os.environ.get("CC", ""))
    for command in [named] if named else [["cc"], ["gcc"]]:
        path = shutil.which(command[0])
        if path is not None:
            return Compiler(tuple(command), Path(path).resolve())
    missing = f"CC names {named[0]}, which is not found" if named else "no C compiler is found (tried cc and gcc)"
    raise CompilerMissing(missing, hint=INSTALL)


def compiler_identity() -> tuple[object, ...]:
    """The identity of the compiler; empty where there is none."""
    try:
        return find_compiler().identity()
    except CompilerMissing:
        return ()


def available_threads() -> int:
    """`OMP_NUM_THREADS`, else the processors that this process may use."""
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(asked) if asked.isdecimal() and int(asked) > 0 else len(os.sched_getaffinity(0))


def header_folder() -> Path:
    """The folder of Python.h.

    Raises
    ------
    CompilerMissing
        When it is not there; says what to install.
    """
    folder = Path(sysconfig.get_path("include"))
    if not (folder / "Python.h").is_file():
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise CompilerMissing(f"Python.h is not in {folder}", hint=f"on Debian or Ubuntu: apt-get install python{version}-dev")
    return folder


def flags() -> tuple[str, ...]:
    """The compiler's flags for every kernel."""
    return (f"-O{LEVEL}", *FLAGS)


def environment() -> tuple[object, ...]:
    """What a compilation depends on besides its source, flags and compiler: dfad itself and the machine."""
    return (dfad_identity(), *machine())


def machine() -> tuple[object, ...]:
    """What compiled code depends on besides its text, flags and compiler: Python, Cython, the processor, the C library."""
    return (sysconfig.get_config_var("SOABI"), cython_version(), processor(), platform.libc_ver())


@cache
def dfad_identity() -> str:
    """A hash of dfad's files: names, sizes and times of change."""
    files = sorted(path for kind in ("*.py", "*.pyx", "*.pxi", "*.h") for path in PACKAGE.rglob(kind))
    stamps = [(str(path.relative_to(PACKAGE)), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return digest(stamps)


@cache
def cython_version() -> str:
    """Cython's version, from its text; empty when it is not installed."""
    found = find_spec("Cython")
    if found is None or found.origin is None:
        return ""
    text = (Path(found.origin).parent / "Shadow.py").read_text(encoding="utf-8", errors="replace")
    return next((line for line in text.splitlines() if line.startswith("__version__")), "")


@cache
def processor() -> str:
    """The processor's model and features."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            first = file.read(1 << 14).partition("\n\n")[0]
    except OSError:
        return platform.processor()
    kept = ("model name", "flags", "Features", "CPU part")
    return "\n".join(line for line in first.splitlines() if line.startswith(kept))


def digest(value: object) -> str:
    """A short hash of a value made of texts, numbers and tuples: equal values, equal hashes, in every process."""
    return hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:32]
