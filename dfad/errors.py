"""What can go wrong, in two families.

`DfadError` is the user's: something in the kernel, its arguments, the budget or the machine, told with the place, the source
line, a caret and what to write instead. `CompilerBug` is ours: a broken promise between two rooms, told with the program that
shows it; dfad never catches it.

Lines count from 1 and columns from 0, in characters, as an editor's text does; `end_column` is one past the last character.
"""

import linecache
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from types import FrameType, TracebackType
from typing import Any, ClassVar, TypedDict, Unpack


class Place(TypedDict, total=False):
    """The keywords that every `DfadError` takes beside its message."""

    filename: str | None
    line: int | None
    column: int | None
    end_column: int | None
    text: str | None
    hint: str | None
    problems: Sequence["DfadError"]


class DfadError(Exception):
    """An error in what the user gave, with its place.

    Parameters
    ----------
    message : str
        What is wrong, in one sentence.
    filename, line, column, end_column : optional
        Where: the file (or notebook cell), the line from 1, the columns from 0.
    text : str, optional
        The source line; looked up from `filename` and `line` when not given.
    hint : str, optional
        What to write instead.
    problems : sequence of DfadError
        Where one error reports several, each of them.
    """

    shows_frames: ClassVar[bool] = False
    """Whether a notebook shows the user's own frames: yes for errors of a call, no for errors of a text."""

    def __init__(
        self,
        message: str,
        *,
        filename: str | None = None,
        line: int | None = None,
        column: int | None = None,
        end_column: int | None = None,
        text: str | None = None,
        hint: str | None = None,
        problems: Sequence["DfadError"] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.filename = filename
        self.line = line
        self.column = column
        self.end_column = end_column
        self.text = _source_line(filename, line) if text is None else text
        self.hint = hint
        self.problems = tuple(problems)

    def __str__(self) -> str:
        if not self.problems:
            return "\n".join(self._lines())
        numbered = (f"{number}. {problem}" for number, problem in enumerate(self.problems, 1))
        return "\n".join([self.message, *numbered, *self._hint_lines()])

    def __reduce__(self) -> tuple[Callable[..., "DfadError"], tuple[type["DfadError"], str, dict[str, Any]]]:
        return _rebuild, (type(self), self.message, self.__dict__)

    def _lines(self) -> Iterator[str]:
        yield self.message
        if self.line is not None:
            yield f"  {_shown_name(self.filename)}, line {self.line}"
        if self.text and self.text.strip():
            yield from _underlined(self.text, self.column, self.end_column)
        yield from self._hint_lines()

    def _hint_lines(self) -> Iterator[str]:
        if self.hint:
            yield f"  hint: {self.hint}"

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython shows in place of a traceback: the user's frames, where they matter, and the error."""
        frames = _user_frames(self.__traceback__) if self.shows_frames else []
        return [*frames, f"{type(self).__name__}: {self}"]


class UnsupportedSyntax(DfadError):
    """The kernel uses Python that dfad does not take."""


class KernelTypeError(DfadError):
    """An argument, option or value has a type, rank, dtype or layout that does not fit."""

    shows_frames = True


class BudgetTooSmall(DfadError):
    """No plan fits the memory budget.

    Attributes
    ----------
    least : int
        The smallest budget that works, in bytes.
    practical : int
        The smallest budget whose predicted time is within 20 times the unlimited plan's, in bytes.
    """

    shows_frames = True

    def __init__(self, message: str, *, least: int, practical: int | None = None, **place: Unpack[Place]) -> None:
        super().__init__(message, **place)
        self.least = least
        self.practical = least if practical is None else practical


class BudgetExceeded(DfadError):
    """A loop of unknown length outgrew the memory budget; nothing of the caller's has changed."""

    shows_frames = True


class CompilerMissing(DfadError):
    """The machine has no working C compiler."""


class BuildFailed(DfadError):
    """The C compiler or Cython refused the generated code.

    Attributes
    ----------
    output : str
        What the tool printed.
    """

    def __init__(self, message: str, *, output: str = "", **place: Unpack[Place]) -> None:
        super().__init__(message, **place)
        self.output = output

    def __str__(self) -> str:
        tail = self.output.strip().splitlines()[-20:]
        return "\n".join([super().__str__(), *(f"  | {line}" for line in tail)])


class KernelIndexError(DfadError, IndexError):
    """A compiled kernel met an index out of range."""

    shows_frames = True


class KernelAssertionError(DfadError, AssertionError):
    """An `assert` of a compiled kernel failed."""

    shows_frames = True


class OutOfRoom(Exception):
    """A kernel's array has grown beyond its room: never seen by a caller, whose call begins again with a larger one.

    Parameters
    ----------
    room : str
        The parameter of the Program that says how large the room is, in one direction.
    extent : int
        What would not fit.
    """

    def __init__(self, room: str, extent: int) -> None:
        super().__init__(room, extent)
        self.room, self.extent = room, extent

    @property
    def enough(self) -> int:
        """The next size to try: twice what would not fit, so that all attempts together take no more than twice the time of the last."""
        return 2 * self.extent


class OtherExtents(Exception):
    """A variable means arrays of different extents, against what was assumed: never seen by a caller, whose call begins again without.

    Parameters
    ----------
    variable : str
        With the path of the calls that lead to its function (frontend/scope.py).
    """

    def __init__(self, variable: str) -> None:
        super().__init__(variable)
        self.variable = variable


def failed_check(error: str, message: str, values: Sequence[int], place: Place) -> Exception:
    """The exception for a check of a Program that failed: its ``error``, ``message`` and the values of its ``values``."""
    if error == "room":
        return OutOfRoom(message, values[0])
    if error == "extents":
        return OtherExtents(message)
    kind = KernelAssertionError if error == "assertion" else KernelIndexError
    return kind(message.format(*values), **place)


class CompilerBug(Exception):
    """A fault of dfad itself; never caught by dfad.

    Parameters
    ----------
    message : str
        The broken promise.
    program : object, optional
        The program that shows it; its printed text is kept.
    """

    def __init__(self, message: str, program: object = None) -> None:
        self.message = message
        self.program = None if program is None else str(program)
        super().__init__(message, self.program)

    def __str__(self) -> str:
        advice = "This is a bug in dfad, not in your kernel: please report it with the text below."
        return self.message if self.program is None else f"{self.message}\n{advice}\n{self.program}"


def gather(problems: Sequence[DfadError]) -> DfadError:
    """One error for one or several problems: the problem itself, or an error of the first one's kind that lists them all.

    The place of the first problem is the place of the whole.
    """
    first = problems[0]
    if len(problems) == 1:
        return first
    message = f"{len(problems)} problems"
    return _rebuild(type(first), message, {**first.__dict__, "message": message, "hint": None, "problems": tuple(problems)})


def _rebuild(kind: type[DfadError], message: str, state: dict[str, Any]) -> DfadError:
    error = kind.__new__(kind, message)
    error.__dict__.update(state)
    return error


def _source_line(filename: str | None, line: int | None) -> str | None:
    if filename is None or line is None:
        return None
    return linecache.getline(filename, line).rstrip("\n") or None


def _underlined(text: str, column: int | None, end_column: int | None) -> Iterator[str]:
    """The source line without its indentation and, below it, a caret for each character from `column` to `end_column`."""
    line = text.rstrip()
    indent = len(line) - len(line.lstrip())
    yield f"    {line[indent:]}"
    if column is not None and indent <= column <= len(line):
        width = max(1, min(end_column or 0, len(line)) - column)
        yield f"    {' ' * (column - indent)}{'^' * width}"


def _shown_name(filename: str | None) -> str:
    """How the user knows a file: the cell's label in a running notebook, else its path."""
    if filename is None:
        return "<unknown>"
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    compiler = getattr(shell, "compile", None)
    label = compiler.format_code_name(filename) if compiler is not None else None
    return " ".join(label) if label else f'File "{filename}"'


def _user_frames(chain: TracebackType | None) -> list[str]:
    """The frames of the user's own code that led to dfad, as lines of text; what dfad itself calls is left out."""
    before = takewhile(lambda step: _room(step[0]) not in {"dfad", "dfad_magics"}, traceback.walk_tb(chain))
    kept = [(frame, line) for frame, line in before if _room(frame) not in {"IPython", "ipykernel"}]
    summary = traceback.StackSummary.extract(iter(kept))
    return [
        f"  {_shown_name(entry.filename)}, line {entry.lineno}, in {entry.name}\n    {entry.line or ''}".rstrip()
        for entry in summary
        if not (entry.line or "").startswith("get_ipython().run_")
    ]


def _room(frame: FrameType) -> str:
    """The package that a frame's code belongs to."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
