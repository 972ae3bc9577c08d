"""The benchmark suite: loop kernels as a scientist writes them, each with its JAX counterparts.

One module per kernel. Each offers

- `function`: the plain NumPy function; `initialize(size)`: its arguments, by name, for a dict of sizes or a name of `sizes`
  (`S`, `M`, `L`, and `paper`, the published one);
- `wrt`: the argument to differentiate, or a tuple of them; `outputs`: the arguments that it updates, or `("return",)` for what it returns;
- `jax_port`: the loops as written, with `fori_loop` and `.at[].set`, and `port_limit`, where it has one, the largest sizes at
  which that takes seconds; `jax_best`: the best formulation of the same algorithm that we know; `jax_lib`, for factorizations:
  the library call; `no_reverse`, where JAX has no gradient of the kernel: why, for the table;
- `tape_minimum(size)`: the least bytes that the reverse sweep of such a size needs recorded, counted by hand, beyond
  what the kernel leaves in its outputs and what a pullback copies of its arguments, when no product, reduction or loop runs twice;
- `family`: the class in `MODULES`: `V` array code, `L` loops and in-place updates, `T` non-linear state marched in time.

`python -m dfad.suite` measures them. JAX is imported by the JAX functions only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

__all__ = ["FAMILIES", "MODULES", "Benchmark", "cotangent", "kernels"]

FAMILIES = {"V": "array code", "L": "loops and in-place updates", "T": "non-linear state in time"}
MODULES = {
    "V": (
        "gemm",
        "k2mm",
        "k3mm",
        "atax",
        "bicg",
        "mvt",
        "gemver",
        "gesummv",
        "doitgen",
        "covariance",
        "correlation",
        "softmax",
        "mlp",
        "conv2d_bias",
        "lenet",
        "resnet",
        "arc_distance",
        "go_fast",
        "compute",
        "hdiff",
        "azimint_naive",
    ),
    "L": (
        "seidel_2d",
        "jacobi_1d",
        "jacobi_2d",
        "heat_3d",
        "fdtd_2d",
        "adi",
        "deriche",
        "durbin",
        "trisolv",
        "cholesky",
        "lu",
        "ludcmp",
        "gramschmidt",
        "trmm",
        "symm",
        "syrk",
        "syr2k",
        "cavity_flow",
        "channel_flow",
        "nbody",
        "vadv",
        "spmv",
        "azimint_hist",
        "floyd_warshall",
    ),
    "T": (
        "burgers_1d",
        "burgers_2d",
        "seidel_nonlinear",
        "shallow_water",
        "heat_radiation",
        "lorenz_rk4",
        "lstm",
        "gray_scott",
        "plasticity",
        "option_mc",
        "newton_loop",
        "cg",
    ),
}
Function = Callable[..., Any]
Sizes = dict[str, Any]


@dataclass(frozen=True)
class Benchmark:
    """One kernel of the suite: what its module offers, checked and typed."""

    name: str
    family: str
    function: Function
    initialize: Callable[[str | Sizes], dict[str, Any]]
    sizes: Mapping[str, Sizes]
    wrt: str | tuple[str, ...]
    outputs: tuple[str, ...]
    systems: Mapping[str, Function]
    port_limit: Sizes | None
    no_reverse: str | None
    tape_minimum: Callable[[Sizes], int] | None = None

    @property
    def active(self) -> tuple[str, ...]:
        """The names in `wrt`, one or several."""
        return (self.wrt,) if isinstance(self.wrt, str) else self.wrt

    @property
    def of(self) -> str | tuple[str, ...] | None:
        """The outputs in the form that `dfad.vjp` takes: None for what the function returns."""
        if self.outputs == ("return",):
            return None
        return self.outputs[0] if len(self.outputs) == 1 else self.outputs


def cotangent(shape: int | tuple[int, ...]) -> np.ndarray:
    """The weights of the loss: w = 1 + 0.5*cos(0.7*k) over the flat index k of an output of this shape; 1 for a scalar."""
    if shape == ():
        return np.ones(())
    return np.reshape(1.0 + 0.5 * np.cos(0.7 * np.arange(np.prod(shape, dtype=int))), shape)


def kernels() -> dict[str, Benchmark]:
    """All kernels by name, class V first, then L, then T."""
    return {name: _benchmark(import_module(f"{__name__}.{name}")) for names in MODULES.values() for name in names}


def _benchmark(module: ModuleType) -> Benchmark:
    systems = {name: getattr(module, name) for name in ("jax_port", "jax_best", "jax_lib") if hasattr(module, name)}
    return Benchmark(
        name=module.__name__.rpartition(".")[2],
        family=module.family,
        function=module.function,
        initialize=module.initialize,
        sizes=module.sizes,
        wrt=module.wrt,
        outputs=module.outputs,
        systems=systems,
        port_limit=getattr(module, "port_limit", None),
        no_reverse=getattr(module, "no_reverse", None),
        tape_minimum=getattr(module, "tape_minimum", None),
    )
