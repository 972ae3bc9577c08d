"""Random straight-line kernels and their planned gradients, for tests of the planner on real Programs."""

import linecache
import random

import numpy as np

from dfad.adjoint.reverse import Request, differentiate
from dfad.frontend.lower import lower
from dfad.ir.dtype import F64
from dfad.ir.evaluate import evaluate
from dfad.ir.nodes import Program
from dfad.ir.signature import ArrayType
from dfad.ir.verify import verify
from dfad.optimise.after import optimise_after
from dfad.optimise.before import optimise_before
from dfad.optimise.between import optimise_between
from dfad.plan.parts import only
from dfad.plan.postpone import postpone
from dfad.plan.record import record
from dfad.source import read_source


def kernel(text: str):
    """The function of a text, known to linecache as a notebook cell's is."""
    name = f"<kernel {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {"np": np}
    exec(compile(text, name, "exec"), namespace)
    return namespace["f"]


def random_text(seed: int, count: int) -> str:
    """A kernel of ``count`` arrays: elementwise steps, row sums, shifts and broadcasts of earlier arrays."""
    chance = random.Random(seed)
    matrices, rows, lines = ["x"], [], []
    for position in range(1, count + 1):
        name, a, b = f"v{position}", chance.choice(matrices[-2:]), chance.choice(matrices)
        forms = [f"np.sin({a})", f"{a}*{b}", f"np.exp(0.1*{a}) + {b}", "shift", "row", "clip"]
        match chance.choice([*forms, *(["broadcast"] if rows else [])]):
            case "shift":
                lines += [f"{name} = np.zeros_like({a})", f"{name}[:, 1:] = np.tanh({a}[:, :-1])"]
            case "row":
                lines.append(f"{name} = np.sum({a}*{b}, axis=1)")
            case "broadcast":
                lines.append(f"{name} = {a} * np.cos({chance.choice(rows)}[:, None])")
            case "clip":
                lines.append(f"{name} = np.where({a} > 0.1, {a}*{a}, {b})")
            case form:
                lines.append(f"{name} = {form}")
        (rows if "np.sum" in lines[-1] else matrices).append(name)
    last = matrices[-1]
    total = f"np.sum({last}*{last})" + (f" + np.sum({rows[-1]}*{rows[-1]})" if rows else "")
    return "def f(x):\n" + "".join(f"    {line}\n" for line in lines) + f"    return {total}\n"


def gradient(function, wanted: str = "gradient", **types: ArrayType) -> Program:
    """The PLANNED Program of the gradient by the first argument, ready for the planner."""
    types = types or {"x": ArrayType(F64, (False, False))}
    primal = verify(optimise_before(verify(lower(read_source(function), types).program)))
    adjoint = verify(differentiate(primal, Request((next(iter(types)),), (primal.results[0],), unit_seed=True)))
    planned = verify(record(adjoint))
    results = adjoint.results if wanted == "both" else adjoint.results[1:]
    return verify(optimise_after(verify(postpone(optimise_between(verify(only(planned, results)))))))


def run(program: Program, arguments: dict[str, np.ndarray]) -> tuple[np.ndarray, int]:
    """The gradient and the peak that the allocator of the interpreter counts."""
    held = peak = 0

    def count(array, size):
        nonlocal held, peak
        held += size
        peak = max(peak, held)

    results = evaluate(program, {name: value.copy() for name, value in arguments.items()}, count)
    return results[program.results[-1]], peak
