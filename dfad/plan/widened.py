"""Arrays that hold numbers of a smaller type than their own: a record of them takes the smaller one.

    k = int64(p[i])      for int32 data p: k is recorded in 4 bytes

What an array holds is known where every statement that writes it widens a number of the same kind, or writes a constant that fits. Not
looked at: arguments, whose values at entry are anybody's, arrays that are exchanged or accumulated into, and results of Library operations.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dfad.ir.dtype import Dtype
from dfad.ir.nodes import Apply, Array, Block, Constant, Expression, Role, Tasklet
from dfad.ir.walk import exchanged, walk, writes


def widened(forward: Block, arrays: Mapping[str, Array]) -> dict[str, Dtype]:
    """Array -> the smaller type of all that its statements write."""
    unknown = set(exchanged(forward))
    given: dict[str, list[Expression]] = {}
    for node in walk(forward):
        for memlet in writes(node):
            if isinstance(node, Tasklet) and not node.accumulate and arrays[memlet.array].role is not Role.ARGUMENT:
                given.setdefault(memlet.array, []).append(node.value)
            else:
                unknown.add(memlet.array)
    found = {name: _small(values, arrays[name].dtype) for name, values in given.items() if name not in unknown}
    return {name: dtype for name, dtype in found.items() if dtype is not None}


def _small(values: list[Expression], dtype: Dtype) -> Dtype | None:
    """The least type that holds all values; None where that is no smaller one."""
    narrow = [value.operands[0].dtype for value in values if isinstance(value, Apply) and value.operation == "cast"]
    constants = [value.value for value in values if isinstance(value, Constant)]
    if not narrow or len(narrow) + len(constants) < len(values) or any(one.kind != dtype.kind for one in narrow):
        return None
    least = max(narrow, key=lambda one: one.bytes)
    fits = least.bytes < dtype.bytes and all(_holds(least, constant) for constant in constants)
    return least if fits else None


def _holds(dtype: Dtype, constant: float) -> bool:
    with np.errstate(all="ignore"):
        return bool(dtype.numpy.type(constant) == constant)
