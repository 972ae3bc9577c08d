"""The notebook layer of dfad: magics, cards and panels.

`%load_ext dfad` brings `%%dfad`, `%dfad_budget` and `%dfad_compare`. Each is a thin shell over a plain function that works in a
script as well: `define`, `budget` and `compare`.

    cell.py     a cell's text -> its kernels, bound in the namespace
    line.py     `CALL --options` -> a Call, its arguments evaluated and copied
    card.py     a kernel as the notebook shows it; with page.py, graph.py and annotate.py
    comparison.py  measurements beside JAX and NumPy
    choices.py  the plans of a gradient by budget; panel.py moves through them
    plots.py    the pictures
    magic.py    the magics; complete.py their Tab completion
    harness.py  executes a notebook and fails on everything that went wrong in it; demo.py shows the quickstart
"""

from dfad_magics.card import Card
from dfad_magics.cell import CellText, define
from dfad_magics.choices import Choices, Measured, Report
from dfad_magics.comparison import Comparison, Row, compare
from dfad_magics.errors import OptionError
from dfad_magics.extension import load, unload
from dfad_magics.extension import load as load_ipython_extension
from dfad_magics.extension import unload as unload_ipython_extension
from dfad_magics.panel import BudgetPanel, budget

__all__ = [
    "BudgetPanel", "Card", "CellText", "Choices", "Comparison", "Measured", "OptionError", "Report", "Row",
    "budget", "compare", "define", "load", "load_ipython_extension", "unload", "unload_ipython_extension",
]  # fmt: skip
