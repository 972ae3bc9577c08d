"""Executes a notebook and fails on everything that went wrong in it.

Stricter than a notebook runner: an exception, an `error` output, text on stderr that is not expected, and an error inside the
saved state of an Output widget each count. A magic's usage error leaves no `error` output and still fails here.
"""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

OUTPUT_MODEL = "OutputModel"
WIDGET = "application/vnd.jupyter.widget-view+json"


@dataclass(frozen=True)
class Execution:
    """An executed notebook and what was wrong with it.

    Attributes
    ----------
    notebook : NotebookNode
        The notebook with its outputs.
    problems : tuple of str
        One sentence for each fault, naming the cell by its number among all cells.
    """

    notebook: Any
    problems: tuple[str, ...]

    def texts(self, tag: str | None = None) -> list[str]:
        """The plain text of each result but widgets, in order; of the cells with a tag only, where one is given."""
        return [str(data["text/plain"]) for _, data in self._results(tag) if "text/plain" in data and WIDGET not in data]

    def figures(self) -> list[tuple[int, bytes]]:
        """Every PNG, also those inside HTML, with the number of its cell."""
        return [(number, base64.b64decode(picture)) for number, data in self._results() for picture in _pictures(data)]

    def save(self, path: Path) -> None:
        """Write the notebook with its outputs."""
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(self.notebook, path)  # type: ignore[no-untyped-call]

    def _results(self, tag: str | None = None) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for number, cell in enumerate(self.notebook.cells):
            if tag is None or tag in cell.metadata.get("tags", ()):
                yield from ((number, output["data"]) for output in cell.get("outputs", ()) if "data" in output)


def execute(path: Path | str, expected_stderr: Sequence[str] = (), timeout: int = 600) -> Execution:
    """Execute a notebook in a fresh kernel, in the folder it stands in.

    Parameters
    ----------
    path : path
        The notebook; the file is left alone.
    expected_stderr : sequence of str
        Regular expressions; a text on stderr that one of them matches is no fault.
    timeout : int
        Seconds that one cell may take.
    """
    path = Path(path)
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    return execute_cells(notebook, path.parent, expected_stderr, timeout)


def execute_cells(notebook: Any, folder: Path, expected_stderr: Sequence[str] = (), timeout: int = 600) -> Execution:
    """Execute a notebook that is in memory; see `execute`."""
    quiet = ["--IPKernelApp.log_level=ERROR"]
    client = NotebookClient(notebook, timeout=timeout, resources={"metadata": {"path": str(folder)}}, extra_arguments=quiet)
    stopped = []
    try:
        client.execute()
    except CellExecutionError as error:
        stopped.append(f"the run stopped: {_plain(str(error)).strip()}")
    return Execution(notebook, (*stopped, *problems_of(notebook, expected_stderr)))


def problems_of(notebook: Any, expected_stderr: Sequence[str] = ()) -> Iterator[str]:
    """What went wrong in a notebook, as its outputs tell."""
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", ()):
            fault = _fault(output, expected_stderr)
            if fault:
                yield f"cell {number}: {fault}"
    state = notebook.metadata.get("widgets", {}).get("application/vnd.jupyter.widget-state+json", {}).get("state", {})
    for model in state.values():
        if model["model_name"] == OUTPUT_MODEL:
            faults = (_fault(output, expected_stderr) for output in model["state"].get("outputs", ()))
            yield from (f"Output widget: {fault}" for fault in faults if fault)


def _fault(output: Mapping[str, Any], expected_stderr: Sequence[str]) -> str | None:
    match output:
        case {"output_type": "error", "ename": name, "evalue": value}:
            return f"{name}: {_plain(value)}"
        case {"output_type": "stream", "name": "stderr", "text": text} if not any(re.search(known, text) for known in expected_stderr):
            return f"stderr: {text.strip()}"
    return None


def _pictures(data: Mapping[str, Any]) -> Iterator[str]:
    if "image/png" in data:
        yield data["image/png"]
    yield from re.findall(r'src="data:image/png;base64,([^"]+)"', str(data.get("text/html", "")))


def _plain(text: str) -> str:
    """A text without the escape sequences of a terminal."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)
