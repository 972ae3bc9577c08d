"""Library operations as calls of BLAS on row-major operands (dfad.h)."""

from __future__ import annotations

import sympy

from dfad.emit.layout import offset, stride
from dfad.emit.scope import SHORT, Scope
from dfad.errors import CompilerBug
from dfad.ir.lifetimes import bytes_of_row
from dfad.ir.memlet import Memlet, Range
from dfad.ir.nodes import Library


def library_text(node: Library, scope: Scope) -> str:
    """The call; what has no such call was made loops before (optimise/lower_library)."""
    if node.operation == "grow":
        return grow_text(node, scope)
    if node.operation != "matmul":
        raise CompilerBug(f"emit has no call for {node.operation}")
    a, b = node.reads
    flags = dict(node.attributes)
    ta, tb = bool(flags.get("transpose_a", False)), bool(flags.get("transpose_b", False))
    dtype = scope.arrays[node.write.array].dtype
    kind, add = SHORT[dtype.name], int(node.accumulate)
    ranks = (len(a.ranges), len(b.ranges))
    if ranks == (2, 2):
        m, k = _extents(a, ta)
        _, n = _extents(b, tb)
        sizes = ", ".join(scope.integer(extent) for extent in (m, n, k))
        operands = f"{_matrix(a, scope)}, {_matrix(b, scope)}, {add}, {_matrix(node.write, scope)}"
        return f"dfad_gemm_{kind}(ws, {int(ta)}, {int(tb)}, {sizes}, {operands})  # line {node.where.line}"
    if sorted(ranks) == [1, 2]:
        matrix, vector, turned = (a, b, ta) if ranks == (2, 1) else (b, a, not tb)
        m, n = (scope.integer(extent) for extent in _extents(matrix, False))
        operands = f"{_matrix(matrix, scope)}, {_vector(vector, scope)}, {add}, {_vector(node.write, scope)}"
        return f"dfad_gemv_{kind}(ws, {int(turned)}, {m}, {n}, {operands})  # line {node.where.line}"
    raise CompilerBug(f"emit has no call for a product of ranks {ranks}")


def grow_text(node: Library, scope: Scope) -> str:
    """The rows up to the last of the range get memory where they have none."""
    array, rows = scope.arrays[node.write.array], node.write.ranges[0]
    size = scope.integer(rows.stop * bytes_of_row(array))
    return f"if dfad_grow(ws, {scope.names[array.name]}, {size}): return 1  # line {node.where.line}"


def _extents(memlet: Memlet, transposed: bool) -> tuple[sympy.Expr, sympy.Expr]:
    rows, columns = (index.extent for index in memlet.ranges)
    return (columns, rows) if transposed else (rows, columns)


def _address(memlet: Memlet, scope: Scope) -> str:
    array = scope.arrays[memlet.array]
    first = offset(memlet.subset, array, scope)
    return scope.names[array.name] if first == "0" else f"{scope.names[array.name]} + {first}"


def _steps(memlet: Memlet, scope: Scope) -> tuple[sympy.Expr, ...]:
    """How many elements lie between neighbours along each range."""
    array = scope.arrays[memlet.array]
    return tuple(index.step * stride(array, at) for at, index in enumerate(memlet.subset) if isinstance(index, Range))


def _matrix(memlet: Memlet, scope: Scope) -> str:
    rows, columns = _steps(memlet, scope)
    if columns != 1:
        raise CompilerBug(f"the rows of {memlet.array} are not contiguous")
    return f"{_address(memlet, scope)}, {scope.integer(rows)}"


def _vector(memlet: Memlet, scope: Scope) -> str:
    (step,) = _steps(memlet, scope)
    return f"{_address(memlet, scope)}, {scope.integer(step)}"
