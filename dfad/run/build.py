"""Text -> shared library: Cython in this process, then one call of the C compiler.

A kernel's module is compiled for one exported function, `dfad_kernel`. Its Python half, which makes it importable on its own, is not
exported here, so the compiler drops it unseen: that is four fifths of the time for a small kernel.
"""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from Cython.Compiler.Main import compile_single
from Cython.Compiler.Options import CompilationOptions

from dfad.emit import Emitted
from dfad.errors import BuildFailed, CompilerMissing
from dfad.run import cache, launch, toolchain
from dfad.run.cache import Store
from dfad.run.toolchain import INSTALL, LINK, Compiler, find_compiler, header_folder

KERNEL = "generated"
"""The name of a kernel's module, in the names that Cython gives its functions."""

EXPORT = f"""
int64_t dfad_kernel(struct dfad_workspace* workspace, int64_t* block);
int64_t dfad_kernel(struct dfad_workspace* workspace, int64_t* block) {{ return __pyx_f_{len(KERNEL)}{KERNEL}_kernel(workspace, block); }}
"""
HIDE_MODULE = "-DPyMODINIT_FUNC=static __attribute__((unused)) PyObject*"
"""The module's entry point is not exported: nothing reaches the Python half."""

LAUNCHER_FLAGS = ("-O0", "-g0", "-fPIC")
"""Optimising the launcher takes seconds and saves less than a microsecond a call."""

SECTION = "/* #### Code section: "


@dataclass(frozen=True)
class Built:
    """A shared library and how it came about.

    Attributes
    ----------
    library : bytes
        The contents of the shared library.
    c : str
        The C text that Cython made of the module, without its Python half.
    seconds : dict
        `cython` and `compiler`.
    """

    library: bytes
    c: str
    seconds: dict[str, float]


def provide_launcher() -> None:
    """Build and load the launcher where that has not been done for this environment; raises as `build_kernel` does."""
    if launch.launcher() is None:
        pyx, header = launch.launcher_texts()
        with cache.disk().scratch() as folder:
            built = _build("launcher", pyx, "", header, LAUNCHER_FLAGS, (), folder)
        key = launch.launcher_key()
        store = cache.put(cache.disk(), {("libraries", key): built.library})
        launch.load_launcher(store.path("libraries", key))


def provide_kernel(store: Store, emitted: Emitted) -> tuple[str, Built]:
    """The shared library of an emitted kernel and its key; compiled where the store does not have it.

    Raises
    ------
    CompilerMissing
        When there is no compiler or no Python.h.
    BuildFailed
        When Cython or the compiler refuses the text; carries what it printed.
    """
    flags = (*toolchain.flags(), *emitted.flags)
    compiler = find_compiler()
    answer = (emitted.pyx, emitted.header, flags, emitted.libraries, compiler.identity(), compiler.version(), toolchain.machine())
    key = toolchain.digest(answer)
    library, c = store.read("libraries", key), store.read("c", key)
    if library is not None and c is not None:
        return key, Built(library, c.decode(), {"cython": 0.0, "compiler": 0.0})
    with store.scratch() as folder:
        built = build_kernel(emitted.pyx, emitted.header, flags, emitted.libraries, folder)
    cache.put(store, {("c", key): built.c.encode()})
    return key, built


def build_kernel(pyx: str, header: str, flags: Sequence[str], libraries: Sequence[str], folder: Path) -> Built:
    """Compile a kernel's module.

    Parameters
    ----------
    pyx, header : str
        The module and the `dfad.h` that it includes.
    flags, libraries : sequence of str
        For the compiler and for the linker.
    folder : Path
        An empty folder to work in.

    Raises
    ------
    CompilerMissing
        When there is no compiler or no Python.h.
    BuildFailed
        When Cython or the compiler refuses the text; carries what it printed.
    """
    return _build(KERNEL, pyx + "\n", EXPORT, header, (*flags, HIDE_MODULE), libraries, folder)


def _build(name: str, pyx: str, more_c: str, header: str, flags: Sequence[str], libraries: Sequence[str], folder: Path) -> Built:
    compiler, include = find_compiler(), header_folder()
    (folder / "dfad.h").write_text(header, encoding="utf-8")
    start = perf_counter()
    c = _translate(name, pyx, folder)
    between = perf_counter()
    source = folder / f"{name}.c"
    source.write_text(c + more_c, encoding="utf-8")
    library = _compile(compiler, [*flags, *_linked(flags), f"-I{folder}", f"-I{include}"], source, libraries)
    seconds = {"cython": between - start, "compiler": perf_counter() - between}
    return Built(library, _own_part(c), seconds)


def _translate(name: str, pyx: str, folder: Path) -> str:
    """The C text of a Cython module."""
    source = folder / f"{name}.pyx"
    source.write_text(pyx, encoding="utf-8")
    options = CompilationOptions(language_level=3, errors_to_stderr=0, use_listing_file=1)  # type: ignore[no-untyped-call]
    result = compile_single(str(source), options, full_module_name=name)  # type: ignore[no-untyped-call]
    if result.num_errors or not result.c_file:
        listing = source.with_suffix(".lis")
        output = listing.read_text(encoding="utf-8", errors="replace") if listing.exists() else ""
        raise BuildFailed("Cython refuses the generated code; this is a bug in dfad", output=output)
    return Path(result.c_file).read_text(encoding="utf-8")


def _compile(compiler: Compiler, flags: Sequence[str], source: Path, libraries: Sequence[str]) -> bytes:
    target = source.with_suffix(".so")
    command = [*compiler.command, *flags, str(source), "-o", str(target), *libraries]
    try:
        answer = subprocess.run(command, cwd=source.parent, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise CompilerMissing(f"the C compiler {compiler.path} does not run: {error.strerror}", hint=INSTALL) from error
    if answer.returncode != 0:
        raise BuildFailed(f"{compiler.command[0]} failed on the generated code", output=answer.stderr or answer.stdout)
    return target.read_bytes()


def _linked(flags: Sequence[str]) -> tuple[str, ...]:
    """How to link: an extension module leaves Python's names open, a kernel leaves none."""
    return LINK if HIDE_MODULE in flags else ("-shared",)


def _own_part(c: str) -> str:
    """The part of Cython's C text that is the module's own functions."""
    _, _, rest = c.partition(f"{SECTION}module_code ### */")
    return rest.partition(SECTION)[0].strip() + "\n" if rest else c
