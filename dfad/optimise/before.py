"""The rewrites before differentiation, in order: they may create and remove arrays, since no demand is taken yet."""

from __future__ import annotations

from dfad.ir.nodes import Program
from dfad.optimise.apart import take_apart
from dfad.optimise.columns import multiply_columns
from dfad.optimise.ends import end_loops
from dfad.optimise.factors import scale_vectors
from dfad.optimise.guards import name_guards
from dfad.optimise.number import number_values
from dfad.optimise.renew import renew_arrays
from dfad.optimise.stages import name_stages
from dfad.optimise.strips import multiply_strips
from dfad.optimise.substitute import substitute_once
from dfad.optimise.twins import read_twins
from dfad.optimise.windows import multiply_windows
from dfad.optimise.wraps import unwrap


def optimise_before(program: Program) -> Program:
    """The PRIMAL Program as the adjoint wants it: no array that hides older values of its own, or that is read once or computed twice, no
    matrix scaled for one vector, products with neighbouring columns and of neighbouring trips as one, sums of products as products of
    matrices, copies read while they are alike, no trip of a loop that was left, no array outside a loop whose trips make it anew of
    constants, no index that wraps in the middle of a nest, no cell that holds a value in passing, and every guard a scalar or a condition
    on symbols."""
    program = number_values(substitute_once(renew_arrays(program)))
    program = multiply_windows(multiply_strips(multiply_columns(scale_vectors(program))))
    return name_guards(name_stages(unwrap(take_apart(end_loops(read_twins(program))))))
