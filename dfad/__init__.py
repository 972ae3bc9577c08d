"""Exact, fast gradients of scientific loop kernels under a memory budget.

::

    @dfad.kernel                                # or %load_ext dfad, and %%dfad as the first line of a notebook cell
    def smooth(A, steps):                       # plain Python and NumPy, arrays updated in place
        ...
        return np.sum(A)

    smooth(A, 20)                               # runs compiled
    smooth.grad(A, 20)                          # the gradient by A, the first floating-point array; A is not changed
    dfad.grad(smooth, wrt="A", memory="64 MiB") # a gradient with options: wrt memory threads fastmath cache
    dfad.value_and_grad(smooth)(A, 20)          # (value, gradient)
    out, pullback = dfad.vjp(smooth, A, 20)     # pullback(cotangent) -> gradient
    dfad.check_grad(smooth, A, 20)              # does the gradient agree with differences? a verdict for each argument
    smooth.plan(A, 20)                          # what is kept, what is computed again, the least budget
    smooth.source("adjoint")                    # "python", "ir", "adjoint", "cython" or "c"

Inside
------
The house, in the order in which a kernel walks through it::

    check       `check_grad`: gradients against differences
    api         kernels, gradients, transforms: what a user touches
    pipeline    the story: the rooms below, one after the other
    frontend    Python text -> Program
    ir          the language that all rooms speak
    analysis    facts about a Program
    adjoint     Program -> its adjoint, with open demands
    plan        demands and a budget -> what is kept, what is recomputed
    optimise    Program -> faster Program
    emit        Program -> Cython
    run         Cython -> a call: build, cache, launch
    suite       the benchmark kernels

Nothing here loads the compiler; the first compilation does.
"""

from dfad.api import Gradient, Kernel, clear_cache, grad, kernel, show_versions, value_and_grad, vjp, warm_up
from dfad.check import check_grad
from dfad.errors import (
    BudgetExceeded,
    BudgetTooSmall,
    BuildFailed,
    CompilerBug,
    CompilerMissing,
    DfadError,
    KernelAssertionError,
    KernelIndexError,
    KernelTypeError,
    UnsupportedSyntax,
)

__all__ = [
    "BudgetExceeded",
    "BudgetTooSmall",
    "BuildFailed",
    "CompilerBug",
    "CompilerMissing",
    "DfadError",
    "Gradient",
    "Kernel",
    "KernelAssertionError",
    "KernelIndexError",
    "KernelTypeError",
    "UnsupportedSyntax",
    "check_grad",
    "clear_cache",
    "grad",
    "kernel",
    "show_versions",
    "value_and_grad",
    "vjp",
]
__version__ = "0.1.0"


def load_ipython_extension(ipython: object) -> None:
    """What `%load_ext dfad` calls: the magics, and in the background the compiler's rooms."""
    from dfad_magics import load_ipython_extension as load

    warm_up()
    load(ipython)
