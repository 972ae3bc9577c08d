"""Lines of text."""

from __future__ import annotations

from collections.abc import Iterable

Lines = tuple[str, ...]


def indent(lines: Iterable[str]) -> Lines:
    """The lines one level deeper."""
    return tuple(f"    {line}" for line in lines)
