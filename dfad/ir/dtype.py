"""Element types: kind, size and the C name under which emit declares them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_NUMPY: dict[tuple[str, int], np.dtype[np.generic]] = {
    (kind, size): np.dtype(name)
    for kind, size, name in (
        ("f", 8, "float64"), ("f", 4, "float32"), ("i", 8, "int64"), ("i", 4, "int32"), ("i", 1, "int8"), ("b", 1, "bool"),
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Dtype:
    """An element type.

    Attributes
    ----------
    kind : str
        ``"f"`` floating point, ``"i"`` signed integer, ``"b"`` boolean.
    bytes : int
        Size of one element, in bytes.
    c_name : str
        Its type in generated code.
    """

    kind: str
    bytes: int
    c_name: str

    @property
    def name(self) -> str:
        """The NumPy name, such as ``float64``."""
        return "bool" if self.kind == "b" else {"f": "float", "i": "int"}[self.kind] + str(8 * self.bytes)

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """The NumPy dtype."""
        return _NUMPY[self.kind, self.bytes]

    @property
    def is_float(self) -> bool:
        """Whether values of this type can be active."""
        return self.kind == "f"

    def __str__(self) -> str:
        return self.name


F64 = Dtype("f", 8, "double")
F32 = Dtype("f", 4, "float")
I64 = Dtype("i", 8, "int64_t")
I32 = Dtype("i", 4, "int32_t")
I8 = Dtype("i", 1, "int8_t")
BOOL = Dtype("b", 1, "uint8_t")

SUPPORTED = {dtype.name: dtype for dtype in (F64, F32, I64, I32, BOOL)}
"""What a kernel's arguments may hold; int8 is for what we record."""
