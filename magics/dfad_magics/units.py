"""Bytes and seconds as people read them."""

MIB = 2**20


def size(count: float) -> str:
    """A number of bytes: `0 B`, `640 B`, `1.42 MiB`."""
    if count < 1024:
        return f"{count:.0f} B"
    for unit in ("KiB", "MiB", "GiB"):
        count /= 1024
        if count < 1024:
            break
    return f"{count:.3g} {unit}" if count < 1000 else f"{count:.0f} {unit}"


def duration(seconds: float) -> str:
    """A time: `850 ns`, `1.2 ms`, `3.4 s`."""
    for limit, factor, unit in ((1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1.0, 1e3, "ms")):
        if seconds < limit:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:.0f} s"
