"""The generated Cython beside the cell: which source line became which generated lines.

A generated line ends in `# line N` where it comes from line N of the cell.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape

from dfad_magics import page

_MARK = re.compile(r"\s*#\s*line (\d+)\s*$")


def origin(generated: str) -> tuple[str, int | None]:
    """A generated line without its mark, and the source line it comes from.

    Examples
    --------
    >>> origin("A[i] = 0.0  # line 4")
    ('A[i] = 0.0', 4)
    """
    found = _MARK.search(generated)
    return (generated[: found.start()], int(found[1])) if found else (generated, None)


def by_source_line(listing: str) -> dict[int, list[str]]:
    """The generated lines of each source line, in order."""
    lines: dict[int, list[str]] = defaultdict(list)
    for generated in listing.splitlines():
        text, number = origin(generated)
        if number is not None:
            lines[number].append(text)
    return dict(lines)


def annotated(source: str, first: int, listing: str) -> str:
    """HTML: the source, each line opening on what became of it, and below it the whole listing with the source lines at its side.

    Parameters
    ----------
    source : str
        The text of the kernel.
    first : int
        The number of its first line in the cell.
    listing : str
        The generated Cython.
    """
    became = by_source_line(listing)
    shown = [_source_line(number, text, became) for number, text in enumerate(source.splitlines(), first)]
    return "".join(shown) + page.fold("the whole listing", _listing(listing), f"{len(listing.splitlines())} lines")


def _source_line(number: int, text: str, became: Mapping[int, Sequence[str]]) -> str:
    indent = "&nbsp;" * (len(text) - len(text.lstrip()))
    line = f'<span class="dfad-place">{number:4d} </span>{indent}{page.coloured(text.lstrip())}'.replace("    ", "&nbsp;" * 4)
    generated = became.get(number, [])
    if not generated:
        return f'<div class="dfad-line">{line}</div>'
    head = f"<summary>{line} <small>{len(generated)} generated</small></summary>"
    return f"<details>{head}{page.code(_dedented(generated))}</details>"


def _dedented(lines: Sequence[str]) -> str:
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    return "\n".join(line[margin:] for line in lines)


def _listing(listing: str) -> str:
    lines = [origin(line) for line in listing.splitlines()]
    texts = page.coloured("\n".join(text for text, _ in lines)).split("\n")
    gutters = (f"{number:4d}" if number is not None else "    " for _, number in lines)
    rows = (f'<span class="dfad-place">{escape(gutter)}  </span>{text}' for gutter, text in zip(gutters, texts, strict=False))
    return f"<pre>{chr(10).join(rows)}</pre>"
