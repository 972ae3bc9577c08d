"""HTML as the notebook front ends take it: escaped text, tables, folded sections, coloured code.

No script. Colours come from the front end's own variables, with fallbacks that read on light and on dark ground, and stand on
spans and rows below one class, because JupyterLab overrides the background of `pre`.
"""

import base64
from collections.abc import Iterable, Sequence
from html import escape

from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import CythonLexer  # type: ignore[import-untyped]

STYLE = """<style>
.dfad {font-size: 13px; line-height: 1.5; max-width: 60em}
.dfad .dfad-title {font-size: 115%; margin: 0.2em 0}
.dfad .dfad-name {font-family: var(--jp-code-font-family, monospace); font-weight: 600}
.dfad .dfad-note {opacity: 0.75}
.dfad details {margin: 0.15em 0; border-left: 2px solid rgba(128,128,128,0.35); padding-left: 0.7em}
.dfad summary {cursor: pointer; font-weight: 600}
.dfad summary small {font-weight: normal; opacity: 0.75}
.dfad details details summary, .dfad .dfad-line {font-weight: normal; font-family: var(--jp-code-font-family, monospace); font-size: 12px}
.dfad .dfad-line {padding-left: 1.85em}
.dfad pre {font-size: 12px; line-height: 1.4; margin: 0.3em 0; overflow-x: auto; max-height: 32em; white-space: pre}
.dfad table.dfad-table {color: inherit; border-collapse: collapse; margin: 0.3em 0; font-size: 12px}
.dfad table.dfad-table th {text-align: left; font-weight: 600; padding: 0.15em 0.9em 0.15em 0}
.dfad table.dfad-table thead {border-bottom: 1px solid rgba(128,128,128,0.5)}
.dfad table.dfad-table td {text-align: left; padding: 0.1em 0.9em 0.1em 0; font-variant-numeric: tabular-nums; vertical-align: top}
.dfad table.dfad-table .dfad-number {text-align: right}
.dfad .dfad-place {opacity: 0.55; user-select: none}
.dfad svg {max-width: 100%; height: auto}
.dfad .k, .dfad .kn, .dfad .ow {color: var(--jp-mirror-editor-keyword-color, #2f8f4e); font-weight: 600}
.dfad .kt, .dfad .nb, .dfad .bp {color: var(--jp-mirror-editor-builtin-color, #2f8f4e)}
.dfad .nf, .dfad .nn {color: var(--jp-mirror-editor-def-color, #3d7fd9)}
.dfad .o {color: var(--jp-mirror-editor-operator-color, #a44fd0)}
.dfad .mi, .dfad .mf, .dfad .mh {color: var(--jp-mirror-editor-number-color, #2f8f4e)}
.dfad .s1, .dfad .s2, .dfad .sd {color: var(--jp-mirror-editor-string-color, #c0504d)}
.dfad .c1, .dfad .cm, .dfad .sd {color: var(--jp-mirror-editor-comment-color, #5f8a8b); font-style: italic}
</style>"""


def page(*parts: str) -> str:
    """One self-contained block: the style and the parts."""
    return f'{STYLE}<div class="dfad">{"".join(parts)}</div>'


def fold(title: str, body: str, note: str = "") -> str:
    """A section that opens on a click; `body` is HTML."""
    small = f" <small>{escape(note)}</small>" if note else ""
    return f"<details><summary>{escape(title)}{small}</summary>{body}</details>"


def code(text: str) -> str:
    """Program text, coloured as Cython."""
    return f"<pre>{coloured(text)}</pre>"


def coloured(text: str) -> str:
    """Program text as coloured spans, without a block round it."""
    return str(highlight(text, CythonLexer(stripnl=False, ensurenl=False), HtmlFormatter(nowrap=True))).rstrip("\n")


def title(name: str, rest: str = "") -> str:
    """The first line of a block: a call or a name, and what the block says of it."""
    return f'<div class="dfad-title"><span class="dfad-name">{escape(name)}</span>{escape(rest)}</div>'


def image(picture: bytes, description: str, width: int) -> str:
    """A PNG, held in the page itself, as wide as so many pixels."""
    data = base64.b64encode(picture).decode()
    return f'<img alt="{escape(description)}" width="{width}" style="max-width: 100%" src="data:image/png;base64,{data}">'


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()) -> str:
    """A table of texts; the columns in `numbers` are aligned right."""
    right = set(numbers)
    tops = "".join(f'<th scope="col"{_align(column in right)}>{escape(text)}</th>' for column, text in enumerate(head))
    lines = "".join(
        "<tr>" + "".join(f"<td{_align(column in right)}>{escape(text)}</td>" for column, text in enumerate(row)) + "</tr>" for row in rows
    )
    return f'<table class="dfad-table"><thead><tr>{tops}</tr></thead><tbody>{lines}</tbody></table>'


def columns(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()) -> str:
    """The same table as plain text."""
    right = set(numbers)
    lines = [list(head), *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    shown = [_padded(line, widths, right) for line in lines]
    return "\n".join([shown[0], "-" * len(shown[0]), *shown[1:]])


def _padded(line: Sequence[str], widths: Sequence[int], right: set[int]) -> str:
    sized = enumerate(zip(line, widths, strict=True))
    cells = (text.rjust(width) if column in right else text.ljust(width) for column, (text, width) in sized)
    return "  ".join(cells).rstrip()


def _align(right: bool) -> str:
    return ' class="dfad-number"' if right else ""
