"""An IPython session for tests: runs cells as a notebook does and keeps what they showed."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config


class Session:
    """One session; `names` is its namespace."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell, self.names = shell, shell.user_ns

    def run(self, text: str) -> SimpleNamespace:
        """Run one cell; an error in it is returned, not raised."""
        with capture_output() as shown:
            result = self.shell.run_cell(text, store_history=True)
        error = result.error_in_exec or result.error_before_exec
        return SimpleNamespace(value=result.result, error=error, text=shown.stdout)

    def good(self, text: str) -> Any:
        """Run one cell that must not fail; returns its value."""
        ran = self.run(text)
        assert ran.error is None, ran.text
        return ran.value


@contextmanager
def opened() -> Iterator[Session]:
    """A fresh session, the process's only one while it is open."""
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}, "InteractiveShell": {"colors": "nocolor"}}))
    try:
        yield Session(shell)
    finally:
        shell.history_manager.end_session()
        InteractiveShell.clear_instance()
