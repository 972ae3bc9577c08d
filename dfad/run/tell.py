"""What a specialisation tells of itself in a few lines: what was compiled, for which types, and what that took."""

from __future__ import annotations

from dfad.ir.signature import ArgumentType, ArrayType, ConstantType, FloatType, IntegerType
from dfad.run.caller import Specialisation


def tell(found: Specialisation) -> str:
    """The lines that a notebook or prompt shows."""
    request, timings = found.request, found.compiled.timings
    types = ", ".join(f"{name}: {_type(kind)}" for name, kind in request.arguments.items())
    steps = ", ".join(f"{step} {time:.2g}" for step, time in timings.items() if isinstance(time, float) and time and step != "total")
    return (
        f"{request.transform.kind} of {request.source.name}, compiled for {types}\n"
        f"code: {timings.get('cache')}, {timings.get('total', 0.0):.2g} s ({steps})\n"
        "ask .source(form), .timings, .memory, .dataflow()"
    )


def _type(kind: ArgumentType) -> str:
    match kind:
        case ArrayType():
            return f"{kind.dtype}[{', '.join('1' if is_one else ':' for is_one in kind.ones)}]"
        case IntegerType():
            return "int"
        case FloatType():
            return "float"
        case ConstantType(value):
            return repr(value)
