"""Tab completion of the magics' options, which IPython itself does not offer."""

from collections.abc import Iterable
from typing import Any


def completer(parser: Any) -> Any:
    """A hook for IPython's `complete_command`: the option names of a parser that fit what is typed."""
    names = sorted(option for action in parser._actions for option in action.option_strings)

    def complete(shell: object, event: Any) -> Iterable[str]:
        """The names; a word that starts no option completes as Python does."""
        symbol = event.text_until_cursor.split()[-1] if not event.text_until_cursor.endswith(" ") else ""
        typed = symbol.lstrip("-")
        if not symbol.startswith("-"):
            return []
        # IPython may count the dashes to the word or not: answer in kind.
        return [name if event.symbol.startswith("-") else name.lstrip("-") for name in names if name.lstrip("-").startswith(typed)]

    return complete
