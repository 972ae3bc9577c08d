"""Text -> shared library: Cython in this process, then one call of the C compiler.

A kernel's module is compiled for one exported function, `dfad_kernel`, without its Python half, which makes it importable on its own:
the kernel's functions are C that needs neither Python.h nor anything of Cython's, and the rest is nine tenths of what the compiler would
read for a small kernel.
"""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from Cython.Compiler.Main import compile_single
from Cython.Compiler.Options import CompilationOptions

from dfad.emit import Emitted
from dfad.errors import BuildFailed, CompilerMissing
from dfad.run import cache, launch, toolchain
from dfad.run.cache import Store
from dfad.run.toolchain import INSTALL, LINK, find_compiler, header_folder

KERNEL = "generated"
"""The name of a kernel's module, in the names that Cython gives its functions."""

EXPORT = f"""
int64_t dfad_kernel(struct dfad_workspace* workspace, int64_t* block);
int64_t dfad_kernel(struct dfad_workspace* workspace, int64_t* block) {{ return __pyx_f_{len(KERNEL)}{KERNEL}_kernel(workspace, block); }}
"""
PREAMBLE = """#define _GNU_SOURCE
#define CYTHON_UNUSED __attribute__((unused))
#include "dfad.h"
"""
"""What stands for Cython's declarations before the functions of a kernel."""

HIDE_MODULE = "-DPyMODINIT_FUNC=static __attribute__((unused)) PyObject*"
"""Of a module that is compiled whole nothing reaches the Python half, so that the compiler drops it; it has read it by then."""

LAUNCHER_FLAGS = ("-O0", "-g0", "-fPIC", "-shared")
"""Optimising the launcher takes seconds and saves less than a microsecond a call."""

MOST_AT_ONCE = 4
"""C compilers at work side by side."""

SECTION = "/* #### Code section: "
WRAPPER = "/* Python wrapper */"


@dataclass(frozen=True)
class Kernels:
    """Compiled kernels and how they came about.

    Attributes
    ----------
    libraries : dict
        The contents of the shared libraries, by key.
    c : dict
        The C text that the compiler got, without what each of them begins with, by key.
    seconds : dict
        `cython`, and `compiler`: what the C compiler takes beyond all else that happens meanwhile.
    """

    libraries: dict[str, bytes]
    c: dict[str, str]
    seconds: dict[str, float]


class Build:
    """Kernels on their way: Cython translates each when it comes, the C compiler works beside everything else, on several at once."""

    def __init__(self, store: Store, folder: Path, pool: ThreadPoolExecutor) -> None:
        self._store, self._folder, self._pool = store, folder, pool
        self._known: dict[str, tuple[bytes, bytes]] = {}
        self._running: dict[str, tuple[Future[bytes], bytes]] = {}
        self._seconds = {"cython": 0.0, "compiler": 0.0}

    def add(self, emitted: Emitted) -> str:
        """The key of a kernel; begins to build it where the store does not have it; raises BuildFailed when Cython refuses the text."""
        key = _answer(emitted)
        if key in self._known or key in self._running:
            return key
        library, c = self._store.read("libraries", key), self._store.read("c", key)
        if library is not None and c is not None:
            self._known[key] = library, c
            return key
        start = perf_counter()
        source = _write(KERNEL, {f"{KERNEL}.pyx": emitted.pyx, "dfad.h": emitted.header}, self._folder / key)
        whole, flags = source.read_text(encoding="utf-8"), (*toolchain.flags(), *emitted.flags, *LINK)
        declarations, functions = _own_parts(whole)
        if functions:
            source.write_text(PREAMBLE + declarations + functions + EXPORT, encoding="utf-8")
        else:
            source.write_text(whole + EXPORT, encoding="utf-8")
            flags = (*flags, HIDE_MODULE, f"-I{header_folder()}")
        self._running[key] = self._pool.submit(_compile, source, flags, emitted.libraries), (functions or whole).encode()
        self._seconds["cython"] += perf_counter() - start
        return key

    def kernels(self) -> Kernels:
        """All that were added, compiled.

        Raises
        ------
        CompilerMissing
            When there is no compiler or no Python.h.
        BuildFailed
            When the compiler refuses a text; carries what it printed.
        """
        start = perf_counter()
        built = {key: (library.result(), c) for key, (library, c) in self._running.items()}
        self._seconds["compiler"] += perf_counter() - start
        cache.put(self._store, {("c", key): c for key, (_, c) in built.items()})
        self._known |= built
        self._running.clear()
        libraries = {key: library for key, (library, _) in self._known.items()}
        return Kernels(libraries, {key: c.decode() for key, (_, c) in self._known.items()}, dict(self._seconds))


@contextmanager
def building(store: Store) -> Iterator[Build]:
    """A Build whose kernels are kept in the store."""
    with store.scratch() as folder, ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        yield Build(store, folder, pool)


def _answer(emitted: Emitted) -> str:
    """The key of compiled code: a hash of all that reaches the compiler."""
    compiler, flags = find_compiler(), (*toolchain.flags(), *emitted.flags)
    text = (emitted.pyx, emitted.header, flags, emitted.libraries, PREAMBLE, EXPORT)
    return toolchain.digest((text, compiler.identity(), compiler.version(), toolchain.machine()))


def provide_launcher() -> None:
    """Build and load the launcher where that has not been done for this environment; raises as a Build does."""
    if launch.launcher() is None:
        with cache.disk().scratch() as folder:
            source = _write("launcher", launch.launcher_texts(), folder / "launcher")
            library = _compile(source, (*LAUNCHER_FLAGS, f"-I{header_folder()}"), ())
        key = launch.launcher_key()
        store = cache.put(cache.disk(), {("libraries", key): library})
        launch.load_launcher(store.path("libraries", key))


def warm() -> None:
    """Translate a small module: Cython's first one in a process takes most of a second more than the next."""
    with cache.disk().scratch() as folder:
        _write("warm", {"warm.pyx": "def nothing():\n    pass\n"}, folder / "warm")


def _write(name: str, texts: Mapping[str, str], folder: Path) -> Path:
    """The C file of a Cython module, in a folder of its own with the files that it includes."""
    folder.mkdir()
    for filename, text in texts.items():
        (folder / filename).write_text(text + "\n", encoding="utf-8")
    source = folder / f"{name}.c"
    source.write_text(_translate(folder / f"{name}.pyx"), encoding="utf-8")
    return source


def _translate(source: Path) -> str:
    """The C text of a Cython module."""
    options = CompilationOptions(language_level=3, errors_to_stderr=0, use_listing_file=1)  # type: ignore[no-untyped-call]
    result = compile_single(str(source), options, full_module_name=source.stem)  # type: ignore[no-untyped-call]
    if result.num_errors or not result.c_file:
        listing = source.with_suffix(".lis")
        output = listing.read_text(encoding="utf-8", errors="replace") if listing.exists() else ""
        raise BuildFailed("Cython refuses the generated code; this is a bug in dfad", output=output)
    return Path(result.c_file).read_text(encoding="utf-8")


def _compile(source: Path, flags: Sequence[str], libraries: Sequence[str]) -> bytes:
    """The contents of the shared library of a C file."""
    compiler, target = find_compiler(), source.with_suffix(".so")
    command = [*compiler.command, *flags, f"-I{source.parent}", str(source), "-o", str(target), *libraries]
    try:
        answer = subprocess.run(command, cwd=source.parent, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise CompilerMissing(f"the C compiler {compiler.path} does not run: {error.strerror}", hint=INSTALL) from error
    if answer.returncode != 0:
        raise BuildFailed(f"{compiler.command[0]} failed on the generated code", output=answer.stderr or answer.stdout)
    return target.read_bytes()


def _own_parts(c: str) -> tuple[str, str]:
    """Of Cython's C text of a kernel's module the declarations of its functions, and these, without the function for Python; both empty
    where the text is not divided as that of Cython 3 is."""
    _, begins, prototypes = _section(c, "module_declarations").partition(f'/* Module declarations from "{KERNEL}" */')
    functions, ends, _ = _section(c, "module_code").partition(WRAPPER)
    if not (begins and ends):
        return "", ""
    return _section(c, "type_declarations") + prototypes, functions.strip() + "\n"


def _section(c: str, name: str) -> str:
    """One of the sections into which Cython divides its C text."""
    return c.partition(f"{SECTION}{name} ### */")[2].partition(SECTION)[0]
