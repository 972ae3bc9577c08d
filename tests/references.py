"""What a gradient is tried against: references that share nothing with the compiler.

Every derivative test compares with two of these, never only with another mode of dfad:

- `complex_step` and `complex_step_gradient`: the kernel's own text run in complex numbers, exact to rounding (`stepping.py`);
- `jax_gradient`: a JAX port of the kernel, in float64;
- `dot_product_error`: <w, J v> against <J' w, v>, which checks any pair of products;
- `richardson`: extrapolated central differences, good to about 1e-9, for what has no complex step.

A typical test, where `pullback(w)` gave `g`:

    error = gradient_error(kernel, arguments, g, wrt="A", of="A")        # full up to 200 unknowns, else five random directions
    assert error <= 1e-11

`arguments` is a dict by parameter name, or a sequence in the order of the signature; it is never changed. `wrt` is a name or a
tuple of names. `of` is as in `dfad.vjp`: None for what the function returns, or names of arguments updated in place. The loss is
the sum over all outputs of `weights(shape) * output`, unless cotangents are given: a plain sum hides errors. A scalar result is
the loss itself.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tests.stepped_world import run
from tests.stepping import derivative

Array = np.ndarray
Function = Callable[..., Any]
Arguments = Mapping[str, Any] | Sequence[Any]
Names = str | tuple[str, ...]
FULL = 200  # unknowns up to which a gradient is compared element by element
DIRECTIONS = 5


def weights(shape: int | tuple[int, ...]) -> Array:
    """The uneven cotangent of every test: w = 1 + 0.5*cos(0.7*k) over the flat index k; 1 for a scalar, as `dfad.grad` takes it."""
    if shape == ():
        return np.ones(())
    return (1.0 + 0.5 * np.cos(0.7 * np.arange(np.prod(shape, dtype=int)))).reshape(shape)


def relative_error(g: Any, r: Any) -> float:
    """`max|g - r| / max|r|` of a result against its reference, over one array or a tuple of them.

    NaN equals nothing: the error is then NaN, and no `<=` holds. Two all-zero arrays differ by 0; anything else against an
    all-zero reference by infinity. Different shapes are an AssertionError.
    """
    if isinstance(r, tuple):
        assert len(g) == len(r), f"{len(g)} results against {len(r)} references"
        return max((relative_error(one, other) for one, other in zip(g, r, strict=True)), key=lambda error: (np.isnan(error), error))
    g, r = np.asarray(g, dtype=np.float64), np.asarray(r, dtype=np.float64)
    assert g.shape == r.shape, f"shape {g.shape} against {r.shape}"
    difference, scale = np.max(np.abs(g - r), initial=0.0), np.max(np.abs(r), initial=0.0)
    if difference == 0.0 or np.isnan(difference):
        return float(difference)
    return float(difference / scale) if scale else float("inf")


def by_name(function: Function, arguments: Arguments) -> dict[str, Any]:
    """The arguments as a dict, defaults filled in."""
    named = isinstance(arguments, Mapping)
    signature = inspect.signature(inspect.unwrap(function))
    bound = signature.bind(**arguments) if named else signature.bind(*arguments)
    bound.apply_defaults()
    return dict(bound.arguments)


def run_numpy(function: Function, arguments: Arguments, of: Names | None = None) -> tuple[Array, ...]:
    """The outputs as NumPy computes them, on copies of the arguments."""
    inputs = copy.deepcopy(by_name(function, arguments))
    return _outputs(inspect.unwrap(function)(**inputs), inputs, of)


def complex_step(function: Function, arguments: Arguments, direction: Mapping[str, Any], of: Names | None = None) -> tuple[Array, ...]:
    """J v for every output: the derivative along `direction`, a value for each name that varies."""
    result, inputs = run(function, by_name(function, arguments), direction)
    return tuple(derivative(output) for output in _outputs(result, inputs, of))


def complex_step_gradient(
    function: Function, arguments: Arguments, *, wrt: Names, of: Names | None = None, cotangents: Sequence[Array] | None = None
) -> Any:
    """The gradient of the weighted loss, one run for each unknown: an array for one name, a tuple for a tuple of names."""
    named = by_name(function, arguments)
    gradients = tuple(_gradient_of_one(function, named, name, of, cotangents) for name in _tuple(wrt))
    return gradients[0] if isinstance(wrt, str) else gradients


def gradient_error(
    function: Function,
    arguments: Arguments,
    gradient: Any,
    *,
    wrt: Names,
    of: Names | None = None,
    cotangents: Sequence[Array] | None = None,
    seed: int = 0,
) -> float:
    """The relative error of `gradient` against the complex step: in full up to 200 unknowns, else along five random directions."""
    named = by_name(function, arguments)
    if sum(np.size(named[name]) for name in _tuple(wrt)) <= FULL:
        return relative_error(gradient, complex_step_gradient(function, named, wrt=wrt, of=of, cotangents=cotangents))
    gradients = (gradient,) if isinstance(wrt, str) else tuple(gradient)
    mine, theirs = [], []
    for direction in random_directions(named, _tuple(wrt), seed):
        mine.append(sum(np.sum(g * v) for g, v in zip(gradients, direction.values(), strict=True)))
        theirs.append(_weighted(complex_step(function, named, direction, of), cotangents))
    return relative_error(mine, theirs)


def random_directions(arguments: Mapping[str, Any], wrt: tuple[str, ...], seed: int = 0) -> list[dict[str, Array]]:
    """Five directions of normal numbers, in the shapes of the named arguments."""
    random = np.random.default_rng(seed)
    return [{name: random.standard_normal(np.shape(arguments[name])) for name in wrt} for _ in range(DIRECTIONS)]


def dot_product_error(
    product: Callable[[Array], Array],
    transposed: Callable[[Array], Array],
    shape: tuple[int, ...],
    result_shape: tuple[int, ...],
    seed: int = 0,
) -> float:
    """`|<w, J v> - <J' w, v>| / (|w| |J v|)` for random v and w: zero to rounding when the two products belong together."""
    random = np.random.default_rng(seed)
    v, w = random.standard_normal(shape), random.standard_normal(result_shape)
    forward = np.asarray(product(v))
    gap = abs(np.sum(w * forward) - np.sum(np.asarray(transposed(w)) * v))
    scale = np.linalg.norm(w) * np.linalg.norm(forward)
    return float(gap / scale) if scale else float(gap)


def richardson(
    function: Function,
    arguments: Arguments,
    direction: Mapping[str, Any],
    *,
    of: Names | None = None,
    cotangents: Sequence[Array] | None = None,
    step: float = 1e-2,
    levels: int = 5,
) -> float:
    """The derivative of the weighted loss along `direction` by extrapolated central differences, about 1e-9 for smooth losses.

    Richardson's scheme: with D(h) = (f(x + h v) - f(x - h v)) / 2h and D[i, 0] = D(step / 2^i), the table
    D[i, k] = D[i, k-1] + (D[i, k-1] - D[i-1, k-1]) / (4^k - 1) removes one even power of h after the other; of its entries the
    one that differs least from its two neighbours is returned.
    """
    named = by_name(function, arguments)

    def loss(size: float) -> float:
        moved = {name: named[name] + size * np.asarray(v) for name, v in direction.items()}
        return _weighted(run_numpy(function, {**named, **moved}, of), cotangents)

    best, doubt, previous = np.nan, np.inf, []
    for i in range(levels):
        h = step / 2**i
        row = [(loss(h) - loss(-h)) / (2.0 * h)]
        for k, older in enumerate(previous, start=1):
            row.append(row[-1] + (row[-1] - older) / (4.0**k - 1.0))
            spread = max(abs(row[-1] - row[-2]), abs(row[-1] - older))
            best, doubt = (row[-1], spread) if spread < doubt else (best, doubt)
        previous = row
    return float(best)


def jax_gradient(port: Function, arguments: Mapping[str, Any], *, wrt: Names, cotangents: Sequence[Array] | None = None) -> Any:
    """The same gradient by JAX of a port that returns its outputs: float64; integers and strings are static, never traced."""
    import jax

    jax.config.update("jax_enable_x64", True)
    lifted = {key: jax.numpy.asarray(value) if isinstance(value, np.ndarray) else value for key, value in arguments.items()}

    def loss(active: Sequence[Any]) -> Any:
        outputs = port(**{**lifted, **dict(zip(_tuple(wrt), active, strict=True))})
        outputs = outputs if isinstance(outputs, tuple | list) else (outputs,)
        return sum((w * y).sum() for w, y in zip(_cotangents(outputs, cotangents), outputs, strict=True))

    active = [jax.numpy.asarray(arguments[name], dtype=jax.numpy.float64) for name in _tuple(wrt)]
    gradients = tuple(np.asarray(g) for g in jax.grad(loss)(active))
    return gradients[0] if isinstance(wrt, str) else gradients


def _tuple(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _outputs(result: Any, inputs: Mapping[str, Any], of: Names | None) -> tuple[Array, ...]:
    if of is not None:
        return tuple(inputs[name] for name in _tuple(of))
    assert result is not None, "the function returns nothing: name the arguments that it updates with of="
    return tuple(result) if isinstance(result, tuple | list) else (result,)


def _cotangents(outputs: Sequence[Any], cotangents: Sequence[Array] | None) -> Sequence[Array]:
    return [weights(np.shape(output)) for output in outputs] if cotangents is None else cotangents


def _weighted(outputs: Sequence[Array], cotangents: Sequence[Array] | None) -> float:
    return float(sum(np.sum(w * y) for w, y in zip(_cotangents(outputs, cotangents), outputs, strict=True)))


def _gradient_of_one(
    function: Function, named: Mapping[str, Any], name: str, of: Names | None, cotangents: Sequence[Array] | None
) -> Array:
    gradient = np.zeros(np.shape(named[name]))
    for index in np.ndindex(gradient.shape):
        unit = np.zeros(gradient.shape)
        unit[index] = 1.0
        gradient[index] = _weighted(complex_step(function, named, {name: unit}, of), cotangents)
    return gradient
