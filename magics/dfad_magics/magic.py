"""The magics: thin shells over `define`, `compare` and `BudgetPanel`, with the same options."""

from collections.abc import Callable
from typing import Any, TypeVar

from IPython.core import magic_arguments
from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class, no_var_expand
from IPython.display import clear_output

import dfad
from dfad_magics.card import Card
from dfad_magics.cell import CellText, define, is_silenced
from dfad_magics.comparison import Comparison, measure
from dfad_magics.errors import OptionError
from dfad_magics.line import evaluate, split, words
from dfad_magics.panel import BudgetPanel

F = TypeVar("F", bound=Callable[..., Any])
option: Callable[..., Callable[[F], F]] = magic_arguments.argument
cell_text: Callable[[F], F] = cell_magic  # type: ignore[assignment]
line_text: Callable[[F], F] = line_magic  # type: ignore[assignment]
unexpanded: Callable[[F], F] = no_var_expand


def parsed(magic: F) -> F:
    """A magic with a parser of its options, which takes them by their whole names only."""
    documented: Any = magic_arguments.magic_arguments()(magic)  # type: ignore[no-untyped-call]
    documented.parser.allow_abbrev = False
    return magic


def called(magic: F) -> F:
    """A line magic whose help and errors show the CALL before its options."""
    documented: Any = magic
    documented.parser.usage = documented.parser.format_usage().removeprefix("::").strip(" %\n").replace(" [", " CALL [", 1)
    documented.__doc__ = documented.parser.format_help()
    return magic


def _usage(text: str) -> str:
    """The usage of a magic in one line, its sign in front: two for a cell."""
    line = " ".join(text.replace("::", "").split()).lstrip("%")
    return f"%{line}" if " CALL " in line.partition("[")[0] else f"%%{line}"


@magics_class
class DfadMagics(Magics):
    """`%%dfad`, `%dfad_budget` and `%dfad_compare`."""

    shell: Any

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self.panels: dict[str, BudgetPanel] = {}

    @unexpanded
    @parsed
    @option("--call", metavar="CALL", help="compile and plan the gradient of a call now, without running it: --call 'smooth(A, 50)'")
    @option("--wrt", nargs="+", metavar="NAME", help="what to differentiate by: names or positions of parameters")
    @option("--memory", metavar="SIZE", help='budget of a gradient call: bytes, "500 MB" or "64 MiB"')
    @option("--tape-dtype", choices=["float32"], help="precision of what is recorded")
    @option("--snapshots", choices=["memory", "disk"], help="where the states of a time loop are kept")
    @option("--threads", type=int, metavar="N", help="how many threads to use")
    @option("--fastmath", action="store_const", const=True, help="let the compiler reorder floating-point sums")
    @option("--no-cache", dest="cache", action="store_const", const=False, help="do not keep the compiled kernel on disk")
    @cell_text
    def dfad(self, line: str, cell: str) -> Any:
        """Make kernels of the functions that this cell defines: compiled, and differentiable by `name.grad(...)`.

        The cell is plain Python and sees the names of the notebook. Imports and constants in it run as usual. The last function's
        card is shown; a semicolon at the end of the cell keeps it back.
        """
        __tracebackhide__ = True
        options = self._options(self.dfad, words(line))
        call = options.pop("call", None)
        flags = self.shell.compile.flags
        kernels = define(self._cell_text(line, cell), self.shell.user_ns, _typed(options), flags)
        self.shell.push(kernels)
        kernel = list(kernels.values())[-1]
        if call is not None:
            evaluated = evaluate(call, self.shell.user_ns)
            compiled = dfad.grad(evaluated.kernel).for_args(*evaluated.args, **evaluated.kwargs)
            return None if is_silenced(cell) else Card(evaluated.kernel, evaluated, compiled)
        return None if is_silenced(cell) else kernel

    @unexpanded
    @called
    @parsed
    @option("--budget", metavar="SIZE", help='where to start: bytes, "500 MB" or "64 MiB"')
    @line_text
    def dfad_budget(self, line: str) -> BudgetPanel | None:
        """Choose the memory budget of a gradient: %dfad_budget CALL [options].

        Shows what is stored and what is recomputed at each budget, at what predicted time, and measures a run.
        """
        __tracebackhide__ = True
        text, rest = split(line.rstrip("; "))
        options = self._options(self.dfad_budget, rest)
        if text in self.panels:
            self.panels.pop(text).close()
        panel = BudgetPanel(evaluate(text, self.shell.user_ns), **options)
        self.panels[text] = panel
        return None if line.rstrip().endswith(";") else panel

    @unexpanded
    @called
    @parsed
    @option("--jax", metavar="NAME", help="the JAX function of the same arguments to compare with")
    @option("--seconds", type=float, help="how long to repeat each measurement (default 0.5)")
    @line_text
    def dfad_compare(self, line: str) -> Comparison | None:
        """Measure a gradient beside JAX or NumPy: %dfad_compare CALL [options].

        Shows time, compile time and peak memory as bars and as a table.
        """
        __tracebackhide__ = True
        text, rest = split(line.rstrip("; "))
        options = self._options(self.dfad_compare, rest)
        call = evaluate(text, self.shell.user_ns)
        comparison = measure(call, self._function(options.get("jax")), options.get("seconds", 0.5), _progress)
        _clear(wait=not line.rstrip().endswith(";"))
        return None if line.rstrip().endswith(";") else comparison

    def _function(self, name: str | None) -> Callable[..., Any] | None:
        """The function of the notebook that a name means."""
        if name is None:
            return None
        if name not in self.shell.user_ns:
            raise OptionError(f"no function {name} in this notebook", hint="name a function that is written with jax.numpy")
        function: Callable[..., Any] = self.shell.user_ns[name]
        return function

    def _options(self, magic: Any, given: list[str]) -> dict[str, Any]:
        """The options that were given, by name."""
        try:
            parsed = magic.parser.parse_args(given)
        except UsageError as error:
            raise OptionError(str(error), hint=_usage(magic.parser.format_usage())) from None
        return {name: value for name, value in vars(parsed).items() if value is not None}

    def _cell_text(self, line: str, cell: str) -> CellText:
        """The cell as the editor shows it, registered under the name that tracebacks use.

        Text and number come from the input history: the execution count may have moved on already.
        """
        history = self.shell.history_manager.input_hist_raw
        raw, number = history[-1], len(history) - 1
        if not raw.rstrip().endswith(cell.rstrip()):
            raw = f"%%dfad {line}\n{cell}"
        return CellText(raw, cell, self.shell.compile.cache(raw, number, raw_code=raw))


def _typed(options: dict[str, Any]) -> dict[str, Any]:
    """The options of `dfad.kernel` from their texts: positions are numbers, one name stands alone."""
    if "wrt" not in options:
        return options
    wrt = [int(name) if name.lstrip("-").isdigit() else name for text in options["wrt"] for name in text.split(",") if name]
    return {**options, "wrt": wrt[0] if len(wrt) == 1 else tuple(wrt)}


_clear: Callable[..., None] = clear_output


def _progress(text: str) -> None:
    """One line that the next one, or the result, replaces."""
    _clear(wait=True)
    print(text, flush=True)
