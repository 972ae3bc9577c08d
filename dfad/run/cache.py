"""What is kept between processes: two folders of files with checked contents, and what this process has loaded.

The *question* (what a call depends on) leads to an entry: recipes, listings, the key of the compiled code. The *answer* (a hash of all
that reaches the compiler) leads to the code. A file is written beside and then moved into place, so a reader sees all of it or
nothing; a damaged or foreign file counts as absent and is removed. Racing processes write the same contents.
"""

import atexit
import contextlib
import hashlib
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import platformdirs

MAGIC = b"\ndfad 1\n"
MOST_BYTES = 1 << 30
"""The size of the cache on disk above which the entries used longest ago are removed."""

NEEDED_BYTES = 1 << 26
"""The free space below which a disk counts as full."""

STALE_SECONDS = 3600.0
"""The age at which a temporary folder was left by a killed process."""

log = logging.getLogger("dfad")


@dataclass(frozen=True)
class Store:
    """A folder of kept files.

    Attributes
    ----------
    root : Path
        The folder.
    """

    root: Path

    def read(self, kind: str, key: str) -> bytes | None:
        """The contents kept under a kind and a key; None when there are none, or they are damaged."""
        path = self.path(kind, key)
        try:
            raw = path.read_bytes()
        except OSError:
            return None
        contents = _unsealed(raw)
        if contents is None:
            with contextlib.suppress(OSError):
                path.unlink()
        else:
            _touch(path)
        return contents

    def write(self, kind: str, key: str, contents: bytes) -> None:
        """Keep contents under a kind and a key; OSError when the disk does not take them."""
        self.move_in(kind, key, _sealed(contents))

    def move_in(self, kind: str, key: str, raw: bytes) -> None:
        """Put a file in its place in one step."""
        path = self.path(kind, key)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self.scratch() as folder:
            (folder / "new").write_bytes(raw)
            os.replace(folder / "new", path)

    def path(self, kind: str, key: str) -> Path:
        """Where the file of that kind and key is."""
        return self.root / kind / key

    @contextlib.contextmanager
    def scratch(self) -> Iterator[Path]:
        """A temporary folder on the same disk."""
        folder = Path(tempfile.mkdtemp(prefix="building-", dir=self.root))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def files(self) -> list[tuple[float, int, Path]]:
        """Time of last use, size and path of every kept file."""
        found = []
        for folder, _, names in os.walk(self.root):  # passes over folders that another process removes meanwhile, which rglob does not
            for path in (Path(folder, name) for name in names):
                with contextlib.suppress(OSError):
                    status = path.stat()
                    found.append((status.st_mtime, status.st_size, path))
        return found

    def evict(self, most: int = MOST_BYTES) -> None:
        """Remove the files used longest ago until at most `most` bytes are left."""
        for folder in self.root.glob("building-*"):
            with contextlib.suppress(OSError):
                if time.time() - folder.stat().st_mtime > STALE_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)
        files = sorted(self.files())
        total = sum(size for _, size, _ in files)
        for _, size, path in files:
            if total <= most:
                break
            with contextlib.suppress(OSError):
                path.unlink()
                total -= size

    def clear(self) -> None:
        """Remove everything."""
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)


def disk() -> Store:
    """Where kernels are kept: `DFAD_CACHE_DIR`, else the user's cache folder; a temporary folder where that cannot be written."""
    return _usable(os.environ.get("DFAD_CACHE_DIR") or platformdirs.user_cache_dir("dfad"))


def put(store: Store, files: Mapping[tuple[str, str], bytes]) -> Store:
    """Write files, by kind and key, in this order; where the disk does not take them, into a temporary folder. The store that has them."""
    try:
        for (kind, key), contents in files.items():
            store.write(kind, key, contents)
    except OSError as error:
        if store == temporary():
            raise
        log.warning("dfad: %s cannot be written (%s); this kernel is kept for this process only", store.root, error.strerror)
        return put(temporary(), files)
    store.evict()
    return store


@cache
def temporary() -> Store:
    """A folder that lives as long as this process."""
    root = tempfile.mkdtemp(prefix="dfad-")
    atexit.register(_remove, root, os.getpid())
    return Store(Path(root))


def _remove(root: str, owner: int) -> None:
    """Remove a folder at the end of the process that made it, not of those forked from it."""
    if os.getpid() == owner:
        shutil.rmtree(root, ignore_errors=True)


@cache
def _usable(root: str) -> Store:
    problem = _problem(Path(root))
    if problem is None:
        return Store(Path(root))
    log.warning("dfad: %s %s; compiled kernels are kept for this process only", root, problem)
    return temporary()


def _problem(root: Path) -> str | None:
    """What keeps a folder from being used; makes it where there is none."""
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = root.stat()
        free = shutil.disk_usage(root).free
        with tempfile.TemporaryFile(dir=root):
            pass
    except OSError as error:
        return f"cannot be written ({error.strerror})"
    if status.st_uid != os.getuid():
        return "belongs to another user"
    return "is on a full disk" if free < NEEDED_BYTES else None


def _sealed(contents: bytes) -> bytes:
    """The contents and behind them their hash: a shared library that is sealed still loads."""
    return contents + hashlib.sha256(contents).digest() + MAGIC


def _unsealed(raw: bytes) -> bytes | None:
    end = len(raw) - len(MAGIC) - 32
    contents, seal = raw[: max(end, 0)], raw[max(end, 0) :]
    return contents if end >= 0 and seal == hashlib.sha256(contents).digest() + MAGIC else None


def _touch(path: Path) -> None:
    """Note the use of a file, where the disk lets us."""
    with contextlib.suppress(OSError):
        os.utime(path)
