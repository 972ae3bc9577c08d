"""The rewrites just before emission, in order: what the language of emit lacks, and what a C compiler cannot see."""

from __future__ import annotations

from dfad.ir.nodes import Program
from dfad.optimise.lower_library import lower_library
from dfad.optimise.panels import multiply_panels
from dfad.optimise.registers import hold_cells


def optimise_last(program: Program, threads: int = 1) -> Program:
    """The PRIMAL or PLANNED Program as a LOWERED one; ``threads``: how many may share a product."""
    lowered = lower_library(program)
    return hold_cells(multiply_panels(lowered) if threads == 1 else lowered)
