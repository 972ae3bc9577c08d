"""From a question to something that can be called: find what was compiled before, in this process or on disk, and load it.

Nothing here needs the compiler's rooms: a kernel that is on disk is called without them.
"""

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any, Protocol, cast

import numpy as np

from dfad.errors import BuildFailed, CompilerBug, DfadError, failed_check
from dfad.run import cache
from dfad.run.cache import Store
from dfad.run.recipe import INPUT_KINDS, Recipe, Site, from_text, to_text
from dfad.run.toolchain import PACKAGE, digest, machine
from dfad.source import Location, SourceText


class Unproven(Exception):
    """With these arguments an index may be out of range: the code that does not check each access has done nothing."""


class Routine(Protocol):
    """A compiled kernel with its recipe (launcher/)."""

    memory: dict[str, int]
    pooled: int

    def __call__(self, values: tuple[object, ...], copied: int = 0) -> object:
        """Run; `MISS` when the values are not of the routine's types."""
        ...

    def free_pool(self) -> None:
        """Give the pooled memory back."""
        ...


class Dispatcher(Protocol):
    """The routines of one kernel (launcher/)."""

    last: object

    def __call__(self, args: tuple[object, ...]) -> object:
        """The result of the first routine that takes these arguments, else `MISS`."""
        ...

    def add(self, routine: Routine, guards: tuple[object, ...], hidden: tuple[object, ...]) -> None:
        """Put a routine before the others."""
        ...


@dataclass(frozen=True)
class Compiled:
    """What one question led to.

    Attributes
    ----------
    recipes : tuple of Recipe
        One for each compiled program.
    addresses : tuple of int
        Of the compiled functions.
    listings : callable
        () -> the texts of the stages, by form; read from disk at first need.
    timings : mapping
        Seconds of each step, and `cache`: memory, disk or built.
    """

    recipes: tuple[Recipe, ...]
    addresses: tuple[int, ...]
    listings: Callable[[], Mapping[str, Any]]
    timings: Mapping[str, float | str]


LOADED: dict[str, Compiled] = {}
"""What this process has loaded, by question."""

COUNTED = np.iinfo(np.int64).max
"""What a kernel asks for when 64 bits do not count the bytes."""

LAUNCHER: list[ModuleType] = []
"""The launcher, once it is loaded."""


def launcher_texts() -> dict[str, str]:
    """The files of the launcher by name: its Cython text in parts, and the header that all generated code includes."""
    paths = [*sorted((PACKAGE / "run" / "launcher").glob("*.p[yx][xi]")), PACKAGE / "emit" / "dfad.h"]
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


def launcher_key() -> str:
    """The key of the compiled launcher: it outlives changes of the rest of dfad."""
    return digest((sorted(launcher_texts().items()), machine()))


def launcher() -> Any:
    """The loaded launcher; None when it has not been built for this environment."""
    if not LAUNCHER:
        store = cache.disk()
        key = launcher_key()
        if store.read("libraries", key) is not None:
            load_launcher(store.path("libraries", key))
    return LAUNCHER[0] if LAUNCHER else None


def load_launcher(path: Path) -> None:
    """Load the launcher's shared library."""
    spec = spec_from_file_location("launcher", path, loader=ExtensionFileLoader("launcher", str(path)))
    if spec is None or spec.loader is None:
        raise CompilerBug(f"no loader for {path}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    LAUNCHER[:] = [module]


def find(question: str) -> Compiled | None:
    """What was compiled for a question, in this process or on disk; None when nothing was."""
    start = perf_counter()
    found = LOADED.get(question)
    origin = "memory"
    if found is None and launcher() is not None:
        found = _read(cache.disk(), question)
        origin = "disk"
    if found is None:
        return None
    LOADED[question] = found
    seconds = perf_counter() - start
    return Compiled(found.recipes, found.addresses, found.listings, {"load": seconds, "total": seconds, "cache": origin})


def _read(store: Store, question: str) -> Compiled | None:
    entry = store.read("questions", question)
    if entry is None:
        return None
    recipes = tuple(from_text(text) for text in json.loads(entry))
    return _loaded(store, question, recipes)


def _loaded(store: Store, question: str, recipes: Sequence[Recipe]) -> Compiled | None:
    """Load the libraries; None when one of them is gone or damaged."""
    if any(store.read("libraries", recipe.library) is None for recipe in recipes):
        return None
    addresses = tuple(load_library(store, recipe) for recipe in recipes)
    return Compiled(tuple(recipes), addresses, lambda: _listings(store, question), {})


def load_library(store: Store, recipe: Recipe) -> int:
    """Load a kernel's shared library; its address. BuildFailed when the system's loader refuses it."""
    module = launcher()
    if recipe.uses_blas:
        module.connect_blas()
    try:
        return cast(int, module.load(str(store.path("libraries", recipe.library))))
    except OSError as error:
        raise BuildFailed(f"the compiled {recipe.name} does not load", output=str(error)) from error


def _listings(store: Store, question: str) -> Mapping[str, Any]:
    packed = store.read("listings", question)
    if packed is None:
        raise DfadError("the listings of this kernel are no longer in the cache", hint="dfad.clear_cache() and call it again")
    return cast(Mapping[str, Any], json.loads(zlib.decompress(packed)))


def keep(store: Store, question: str, recipes: Sequence[Recipe], libraries: Mapping[str, bytes], listings: Mapping[str, Any]) -> Compiled:
    """Write what a question led to and load it. The entry comes last: a reader finds all or nothing."""
    files = {("libraries", key): contents for key, contents in libraries.items()}
    files["listings", question] = zlib.compress(json.dumps(listings).encode(), 1)
    files["questions", question] = json.dumps([to_text(recipe) for recipe in recipes]).encode()
    compiled = _loaded(cache.put(store, files), question, recipes)
    if compiled is None:
        raise CompilerBug("what was just written to the cache is not there")
    LOADED[question] = compiled
    return compiled


def make_routine(recipe: Recipe, address: int, functions: Sequence[SourceText], threads: int) -> Routine:
    """A compiled kernel ready to be called; `functions` are those whose text it came from, as they are now, `threads` how many may share a
    loop: 0 asks the environment at each call."""
    routine = launcher().Routine(
        address,
        [
            (INPUT_KINDS.index(i.kind), np.dtype(i.dtype) if i.dtype else None, i.ones, i.is_written, i.is_updated, i.constant)
            for i in recipe.inputs
        ],
        [(np.dtype(o.dtype), o.like, o.memory, o.read, o.extents) for o in recipe.outputs],
        [(slot.kind, slot.which, slot.part) for slot in recipe.slots],
        [(slot.kind, slot.which, slot.part) for slot in recipe.symbols],
        eval(recipe.shapes, {"__builtins__": {"min": min, "max": max}}) if recipe.shapes else None,
        recipe.returns,
        lambda status, site, values: failure(recipe, functions, status, site, values),
        recipe.sizes,
        threads if recipe.uses_blas or recipe.is_parallel else 1,
        recipe.uses_blas,
    )
    return cast(Routine, routine)


def failure(recipe: Recipe, functions: Sequence[SourceText], status: int, site: int, values: Sequence[int]) -> Exception:
    """The exception for what a kernel answered; without memory, the values are the bytes that were asked for, and held."""
    if status == 1:
        asked = f"{values[0]} bytes" if 0 <= values[0] < COUNTED else "more bytes than 64 bits count"
        return MemoryError(f"{recipe.name} found no memory for {asked} of its arrays; it held {values[1]} bytes")
    if status != 2 or not 0 <= site < len(recipe.sites):
        return CompilerBug(f"{recipe.name} ended with status {status} at site {site}")
    check = recipe.sites[site]
    if check.error == "entry":
        return Unproven()
    return failed_check(check.error, check.message, values, place(check, functions).place())


def place(check: Site, functions: Sequence[SourceText]) -> Location:
    """Where a check stands, in the files as they are called now."""
    filename = functions[check.function].filename
    return Location(filename, check.line, check.column, check.end_line, check.end_column)
