"""What is kept between calls and processes: when a kernel is compiled anew, and what a damaged or unusable cache does."""

import gc
import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import dfad
from dfad.run import cache, launch, toolchain
from dfad.run.cache import Store

pytestmark = pytest.mark.slow

MODULE = """
import dfad
import numpy as np

factor = 2.0

def helper(x):
    return x * x

@dfad.kernel
def loss(a):
    s = 0.0
    for i in range(a.shape[0]):
        s += factor * helper(a[i])
    return s
"""

PROGRAM = """
import json, sys, time
import numpy as np
from dfad.run import toolchain
toolchain.LEVEL = 1
from module import loss
a = np.arange(1.0, 4.0)
start = time.perf_counter()
gradient = loss.grad(a)
seconds = time.perf_counter() - start
heavy = sorted({"sympy", "islpy", "Cython", "cvxpy", "IPython", "matplotlib", "jax", "scipy"} & set(sys.modules))
print(json.dumps({"gradient": gradient.tolist(), "cache": loss.timings["cache"], "seconds": seconds, "heavy": heavy}))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A copy of the package, and a cache with what `MODULE` needs: the launcher alone takes seconds to build."""
    root = tmp_path_factory.mktemp("installed")
    shutil.copytree(Path(dfad.__file__).parent, root / "site" / "dfad", ignore=shutil.ignore_patterns("__pycache__", "suite"))
    (root / "module.py").write_text(MODULE)
    assert finish(start(root, root / "site"))["cache"] == "built"
    return root


@pytest.fixture
def empty(tmp_path):
    """A folder with the module and no cache."""
    (tmp_path / "module.py").write_text(MODULE)
    return tmp_path


@pytest.fixture
def folder(empty, installed):
    """The same with a cache that holds shared libraries, but no kernel."""
    shutil.copytree(installed / "cache" / "libraries", empty / "cache" / "libraries")
    shutil.copytree(installed / "cache" / "c", empty / "cache" / "c")
    return empty


@pytest.fixture
def run(installed):
    """Run the program in a folder; what it found."""
    return lambda folder, **variables: finish(start(folder, installed / "site", **variables))


def start(folder, site, **variables):
    environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{site}", "DFAD_CACHE_DIR": str(folder / "cache"), **variables}
    command = [sys.executable, "-c", PROGRAM]
    return subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process):
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return {**json.loads(out), "stderr": err}


def rewrite(folder, old, new):
    text = (folder / "module.py").read_text()
    assert old in text
    (folder / "module.py").write_text(text.replace(old, new))


# ---------------------------------------------------------------- between processes


def test_a_new_process_takes_the_kernel_from_disk_without_the_compilers_rooms(folder, run):
    first = run(folder)
    assert first == {**first, "gradient": [4.0, 8.0, 12.0], "cache": "built", "stderr": ""}
    again = [run(folder) for _ in range(3)]
    assert {(tuple(found["gradient"]), found["cache"], tuple(found["heavy"])) for found in again} == {((4.0, 8.0, 12.0), "disk", ())}
    assert min(found["seconds"] for found in again) < 0.25


def test_eight_processes_compile_the_same_kernel_at_once(empty, installed, run):
    for found in [finish(process) for process in [start(empty, installed / "site") for _ in range(8)]]:
        assert found["gradient"] == [4.0, 8.0, 12.0]
        assert found["stderr"] == ""
    assert run(empty)["cache"] == "disk"
    assert not list((empty / "cache").glob("building-*"))


def test_a_damaged_or_foreign_file_is_rebuilt(folder, run):
    run(folder)
    files = sorted(path for path in (folder / "cache").rglob("*") if path.is_file())
    assert {path.parent.name for path in files} == {"questions", "libraries", "listings", "c"}
    damages = (lambda raw: raw[: len(raw) // 2], lambda raw: b"foreign", lambda raw: raw[:-50] + bytes(50), lambda raw: b"")
    for number, path in enumerate(files):
        path.write_bytes(damages[number % len(damages)](path.read_bytes()))
    found = run(folder)
    assert (found["gradient"], found["cache"], found["stderr"]) == ([4.0, 8.0, 12.0], "built", "")
    assert run(folder)["cache"] == "disk"


def test_a_helper_is_part_of_the_question(folder, run):
    run(folder)
    rewrite(folder, "x * x", "x * x * x")
    found = run(folder)
    assert (found["cache"], found["gradient"]) == ("built", [6.0, 24.0, 54.0])


def test_the_type_of_a_global_is_part_of_the_question(folder, run):
    run(folder)
    rewrite(folder, "factor = 2.0", "factor = 3")
    found = run(folder)
    assert (found["cache"], found["gradient"]) == ("built", [6.0, 12.0, 18.0])


def test_the_compiler_and_its_arguments_are_part_of_the_question(folder, run):
    compiler = folder / "my compiler"
    compiler.write_text('#!/bin/sh\nexec cc "$@"\n')
    compiler.chmod(0o755)
    for command in ("cc", f"'{compiler}'", "cc -DUNUSED"):
        found = run(folder, CC=command)
        assert (found["cache"], found["gradient"]) == ("built", [4.0, 8.0, 12.0])
    assert run(folder, CC=f"'{compiler}'")["cache"] == "disk"


def test_the_value_of_a_global_is_seen_and_compiles_nothing(folder, run):
    run(folder)
    rewrite(folder, "factor = 2.0", "factor = 5.0")
    found = run(folder)
    assert (found["cache"], found["gradient"]) == ("disk", [10.0, 20.0, 30.0])


def test_a_folder_that_cannot_be_made_gives_one_note(folder, run):
    (folder / "file").write_text("")
    found = run(folder, DFAD_CACHE_DIR=str(folder / "file" / "cache"))
    assert (found["gradient"], found["cache"]) == ([4.0, 8.0, 12.0], "built")
    assert found["stderr"].count("kept for this process only") == 1
    assert len(found["stderr"].splitlines()) == 1


def test_without_a_compiler_the_error_says_what_to_install(folder, installed):
    process = start(folder, installed / "site", CC="no-such-compiler")
    _, err = process.communicate(timeout=300)
    assert process.returncode == 1
    assert "CompilerMissing: CC names no-such-compiler" in err
    assert "apt-get install gcc" in err


def test_a_compiler_that_fails_shows_its_output(folder, installed):
    process = start(folder, installed / "site", CC="cc -no-such-flag")
    _, err = process.communicate(timeout=300)
    assert "BuildFailed: cc failed on the generated code" in err
    assert "no-such-flag" in err.partition("BuildFailed")[2]


# ---------------------------------------------------------------- in one process


def defined(namespace, text):
    """A function whose text is known to linecache, in a namespace."""
    import linecache

    filename = f"<test {len(linecache.cache)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), namespace)
    return namespace


TEXT = textwrap.dedent(
    """
    def helper(x):
        return x + shift

    def loss(a):
        s = 0.0
        for i in range(a.shape[0]):
            s += factor * helper(a[i]) * (2.0 if flag else 1.0)
        return s
    """
)


def make():
    namespace = defined({"factor": 2.0, "shift": 0.0, "flag": False}, TEXT)
    return namespace, dfad.kernel(namespace["loss"])


def test_names_are_read_anew_at_every_call():
    namespace, loss = make()
    a = np.ones(2)
    assert loss(a) == 4.0
    namespace["factor"] = 3.0
    assert loss(a) == 6.0
    namespace["shift"] = 1.0
    assert loss(a) == 12.0
    assert len(loss._primal.specialisations) == 1
    namespace["shift"] = 1
    assert loss(a) == 12.0
    assert len(loss._primal.specialisations) == 2


def test_a_constant_a_helper_or_a_builtin_that_changes_compiles_anew():
    namespace, loss = make()
    a = np.ones(2)
    assert loss(a) == 4.0
    namespace["flag"] = True
    assert loss(a) == 8.0
    defined(namespace, "def helper(x):\n    return x - shift\n")
    namespace["shift"] = 2.0
    assert loss(a) == -8.0
    namespace["range"] = lambda n: (0,)
    with pytest.raises(dfad.DfadError):
        loss(a)
    del namespace["range"]
    assert loss(a) == -8.0


def test_an_equal_kernel_comes_from_memory():
    _, first = make()
    first(np.ones(2))
    _, second = make()
    assert second(np.ones(2)) == 4.0
    assert second.timings["cache"] == "memory"
    assert second.timings["total"] < 0.1


def test_clear_cache_forgets_everything(tmp_path, monkeypatch):
    monkeypatch.setenv("DFAD_CACHE_DIR", str(tmp_path / "own"))
    _, loss = make()
    loss(np.ones(2))
    question = loss._primal.specialisations[0].request.question
    dfad.clear_cache()
    assert question not in launch.LOADED
    assert not list((tmp_path / "own").rglob("*"))
    assert loss(np.ones(2)) == 4.0
    assert loss.timings["cache"] == "built"


def test_without_the_cache_option_nothing_stays_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("DFAD_CACHE_DIR", str(tmp_path / "own"))
    namespace, _ = make()
    loss = dfad.kernel(namespace["loss"], cache=False, fastmath=True)
    assert loss(np.ones(2)) == 4.0
    assert not list((tmp_path / "own").rglob("questions/*"))


# ---------------------------------------------------------------- the store


def test_a_store_gives_back_what_it_took(tmp_path):
    store = Store(tmp_path)
    assert store.read("kind", "key") is None
    store.write("kind", "key", b"contents")
    assert store.read("kind", "key") == b"contents"
    assert not list(tmp_path.glob("building-*"))


def test_the_folder_is_the_users_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("DFAD_CACHE_DIR", str(tmp_path / "deep" / "cache"))
    assert cache.disk().root.stat().st_mode & 0o777 == 0o700


def test_what_was_used_longest_ago_is_evicted_first(tmp_path):
    store = Store(tmp_path)
    for number, key in enumerate("abcd"):
        store.write("kind", key, bytes(1000))
        os.utime(store.path("kind", key), (number, number))
    store.read("kind", "a")
    store.evict(2500)
    assert sorted(path.name for path in (tmp_path / "kind").iterdir()) == ["a", "d"]


def test_a_folder_left_by_a_killed_process_is_removed(tmp_path):
    store = Store(tmp_path)
    for name, age in (("building-old", 2 * cache.STALE_SECONDS), ("building-new", 0.0)):
        (tmp_path / name).mkdir()
        then = time.time() - age
        os.utime(tmp_path / name, (then, then))
    store.evict()
    assert [path.name for path in tmp_path.iterdir()] == ["building-new"]


def test_a_full_disk_falls_back_with_a_note(tmp_path, monkeypatch, caplog):
    def full(self, kind, key, contents):
        if self.root == tmp_path:
            raise OSError(28, "No space left on device")
        return original(self, kind, key, contents)

    original = Store.write
    monkeypatch.setattr(Store, "write", full)
    store = cache.put(Store(tmp_path), {("kind", "full disk"): b"contents"})
    assert store == cache.temporary()
    assert store.read("kind", "full disk") == b"contents"
    assert "No space left on device" in caplog.text


def test_digests_are_the_same_in_every_process():
    program = "from dfad.run.toolchain import digest; print(digest(('a', 1, 2.5, (None, True))))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    assert found == toolchain.digest(("a", 1, 2.5, (None, True)))


def test_compiling_pauses_the_garbage_collector_only_while_it_lasts():
    def good(x):
        return x * 2.0

    def bad(x):
        return x.nothing

    for expected in (True, False):
        (gc.enable if expected else gc.disable)()
        try:
            dfad.kernel(good, cache=False)(1.5)
            with pytest.raises(dfad.DfadError):
                dfad.kernel(bad, cache=False)(np.ones(3))
            assert gc.isenabled() == expected
        finally:
            gc.enable()


def test_a_text_of_cythons_that_is_divided_in_another_way_is_compiled_whole(monkeypatch):
    @dfad.kernel(cache=False)
    def f(x):
        return np.sum(x * x)

    assert f(np.arange(3.0)) == 5.0
    short = f.source("c")
    assert "Py" not in short
    monkeypatch.setattr("dfad.run.build.WRAPPER", "in no text")
    again = dfad.kernel(f, fastmath=True)  # another question, so that it is compiled
    assert again(np.arange(3.0)) == 5.0
    assert "#include \"Python.h\"" in again.source("c")
