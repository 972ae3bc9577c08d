"""Bytes and seconds as people read them."""

import math
from collections.abc import Sequence

MIB = 2**20
UNITS = ("B", "KiB", "MiB", "GiB")


def size(count: float, digits: int = 3) -> str:
    """A number of bytes: `0 B`, `640 B`, `1.42 MiB`."""
    if count < 1024:
        return f"{count:.0f} B"
    power = min(int(math.log2(count) // 10), 3)
    scaled = count / 1024**power
    return f"{scaled:.{digits}g} {UNITS[power]}" if scaled < 10**digits else f"{scaled:.0f} {UNITS[power]}"


def sizes(counts: Sequence[int]) -> list[str]:
    """Numbers of bytes with as many digits as tell different ones apart."""
    for digits in range(3, 10):
        texts = [size(count, digits) for count in counts]
        if len(set(texts)) == len(set(counts)):
            return texts
    return [f"{count} B" for count in counts]


def duration(seconds: float) -> str:
    """A time: `850 ns`, `1.2 ms`, `3.4 s`."""
    for limit, factor, unit in ((1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1.0, 1e3, "ms")):
        if seconds < limit:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:.0f} s"
