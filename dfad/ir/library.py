"""The meaning of Library operations, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dfad.errors import CompilerBug
from dfad.ir.nodes import Library


def library_value(node: Library, operands: list[npt.NDArray[Any]]) -> Any:
    """The result of the operation for these operands."""
    attributes = dict(node.attributes)
    match node.operation:
        case "matmul":
            left, right = operands
            left = left.T if attributes.get("transpose_a") else left
            right = right.T if attributes.get("transpose_b") else right
            return np.matmul(left, right)
        case "reduce_max":
            return np.max(operands[0], axis=attributes["axes"])  # type: ignore[call-overload]
        case "reduce_min":
            return np.min(operands[0], axis=attributes["axes"])  # type: ignore[call-overload]
        case _:
            raise CompilerBug(f"no library operation {node.operation}")
