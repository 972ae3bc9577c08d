"""The rewrites one by one, in the order in which a primal meets them: what each must keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dfad.ir.nodes import Program
from dfad.ir.verify import verify
from dfad.optimise.carry import carry_values
from dfad.optimise.choose import choose_sums
from dfad.optimise.columns import multiply_columns
from dfad.optimise.contract import contract
from dfad.optimise.ends import end_loops
from dfad.optimise.extents import unify_extents
from dfad.optimise.factors import scale_vectors
from dfad.optimise.fuse import fuse
from dfad.optimise.guards import name_guards
from dfad.optimise.lower_library import lower_extremes, lower_library
from dfad.optimise.number import number_values
from dfad.optimise.once import run_once
from dfad.optimise.panels import multiply_panels
from dfad.optimise.registers import hold_cells
from dfad.optimise.renew import renew_arrays
from dfad.optimise.stages import name_stages
from dfad.optimise.strips import multiply_strips
from dfad.optimise.substitute import substitute_once
from dfad.optimise.tidy import tidy
from dfad.optimise.twins import read_twins
from dfad.optimise.unswitch import unswitch
from dfad.optimise.wraps import unwrap
from tests.shared_loops import share_backwards

Rewrite = Callable[[Program], Program]

OF_A_PRIMAL: tuple[Rewrite, ...] = (
    renew_arrays, substitute_once, number_values, scale_vectors, multiply_columns, multiply_strips, read_twins, end_loops, unwrap,
    name_stages, name_guards, unify_extents, lower_extremes, choose_sums, run_once, tidy, fuse, contract, carry_values, unswitch,
    lower_library, multiply_panels, hold_cells, share_backwards,
)  # fmt: skip
"""Before differentiation, then those of a Program that is not differentiated; all but the last keep every bit."""


def rewritten(program: Program) -> Iterator[tuple[str, Program]]:
    """The Program after each rewrite that changed it, verified, with the name of the rewrite."""
    for rewrite in OF_A_PRIMAL:
        after = rewrite(program)
        if after is not program:
            yield rewrite.__name__, verify(after)
        program = after
