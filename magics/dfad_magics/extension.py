"""Loading and unloading: what `%load_ext dfad` does to a session."""

from typing import Any

from dfad_magics.card import Card
from dfad_magics.complete import completer
from dfad_magics.magic import DfadMagics

KERNEL = ("dfad.api", "Kernel")
"""The class that is shown as a card, by module and name."""


def load(ipython: Any) -> None:
    """Register the magics, their completion and the card of a kernel with an IPython session.

    Parameters
    ----------
    ipython : InteractiveShell
        The session.
    """
    magics = DfadMagics(ipython)
    ipython.register_magics(magics)
    for name, magic in _magics(magics).items():
        ipython.set_hook("complete_command", completer(magic.parser), str_key=name)
    ipython.display_formatter.mimebundle_formatter.for_type_by_name(*KERNEL, _bundle)


def unload(ipython: Any) -> None:
    """Take the magics and the card away again; what cells have defined stays."""
    registered = ipython.magics_manager.magics
    registered["cell"].pop("dfad", None)
    for name in ("dfad_budget", "dfad_compare"):
        registered["line"].pop(name, None)
    ipython.display_formatter.mimebundle_formatter.pop(".".join(KERNEL), None)


def _magics(magics: DfadMagics) -> dict[str, Any]:
    return {"%%dfad": magics.dfad, "%dfad_budget": magics.dfad_budget, "%dfad_compare": magics.dfad_compare}


def _bundle(kernel: Any, include: object = None, exclude: object = None) -> dict[str, str]:
    return Card(kernel)._repr_mimebundle_()
