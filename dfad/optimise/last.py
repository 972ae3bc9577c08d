"""The rewrites just before emission, in order: what the language of emit lacks, and what a C compiler cannot see."""

from __future__ import annotations

from dfad.ir.nodes import Program
from dfad.optimise.lower_library import lower_library
from dfad.optimise.registers import hold_cells


def optimise_last(program: Program) -> Program:
    """The PRIMAL or PLANNED Program as a LOWERED one."""
    return hold_cells(lower_library(program))
