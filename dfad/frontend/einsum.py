"""``np.einsum``: products of elements summed over the letters that the result does not have.

    np.einsum("ij,jk->ik", A, B)        C[i, k] = sum over j of A[i, j] * B[j, k]

A letter that stands twice in one operand runs along its diagonal. Without an arrow the result has, in alphabetical order, the letters
that stand once. A product of two matrices, or of a matrix and a vector, becomes a `matmul` of the IR; what sums nothing is an
elementwise array; all else is one nest that accumulates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import reduce

import sympy

from dfad.frontend.arithmetic import apply
from dfad.frontend.arrays import as_view, nest, store
from dfad.frontend.builder import cast, constant
from dfad.frontend.elementwise import common_dtype, require_equal
from dfad.frontend.indexing import turned_view
from dfad.frontend.products import matmul, transposed
from dfad.frontend.scope import Context
from dfad.frontend.values import Deferred, Known, Lazy, Scalar, Shape, Sharing, Value, View, kind_of
from dfad.ir.dtype import Dtype
from dfad.ir.nodes import Expression


def einsum(context: Context, subscripts: Value, *operands: Value) -> Value:
    """``np.einsum`` with a text of letters; not supported: ``...`` and lists of axes."""
    if not isinstance(subscripts, Known) or not isinstance(subscripts.value, str):
        context.unsupported("np.einsum takes its subscripts as a text", hint='write np.einsum("ij,jk->ik", A, B)')
    terms, result = _parsed(context, subscripts.value, len(operands))
    views = [as_view(context, operand) for operand in operands]
    extents = _extents(context, terms, views)
    product = _product_of_matrices(context, terms, result, views)
    if product is not None:
        return product
    dtype, _ = common_dtype(context, views)
    shape = tuple(extents[letter] for letter in result)
    if len(views) == 1 and terms[0] and sorted(result) == sorted(terms[0]):
        return turned_view(views[0], [terms[0].index(letter) for letter in result])
    if set(result) == set(extents):
        shares = Sharing((views[0],), None) if len(views) == 1 else None  # a diagonal, of which NumPy gives a view
        return Lazy(shape, dtype, lambda indices: _element(terms, views, dict(zip(result, indices, strict=True)), dtype), shares)
    return _summed(context, terms, result, views, extents, dtype)


def _parsed(context: Context, text: str, count: int) -> tuple[list[str], str]:
    """The letters of each operand and of the result."""
    left, arrow, right = text.replace(" ", "").partition("->")
    terms = left.split(",")
    letters = Counter(letter for term in terms for letter in term)
    if not all(letter.isalpha() for letter in (*letters, *right)):
        context.unsupported("the subscripts of np.einsum are letters, commas and one ->", hint="name every axis by a letter")
    result = right if arrow else "".join(sorted(letter for letter, times in letters.items() if times == 1))
    if len(terms) != count or not set(result) <= letters.keys() or len(set(result)) < len(result):
        context.wrong_type(f"the subscripts {text!r} do not fit {count} operands", hint="each letter of the result stands in an operand")
    return terms, result


def _extents(context: Context, terms: Sequence[str], views: Sequence[View]) -> dict[str, sympy.Expr]:
    """The extent of each letter, checked to be the same wherever it stands."""
    found: dict[str, sympy.Expr] = {}
    for term, view in zip(terms, views, strict=True):
        if len(term) != len(view.shape):
            context.wrong_type(f"the subscripts {term!r} do not fit {kind_of(view)}")
        for letter, extent in zip(term, view.shape, strict=True):
            require_equal(context, found.setdefault(letter, extent), extent)
    return found


def _product_of_matrices(context: Context, terms: Sequence[str], result: str, views: Sequence[View]) -> Value | None:
    """The operands, transposed where needed, as ``@`` takes them; None when the subscripts say something else."""
    if len(terms) != 2 or not all(1 <= len(term) <= 2 and len(set(term)) == len(term) for term in terms):
        return None
    shared = set(terms[0]) & set(terms[1])
    if len(shared) != 1 or shared & set(result):
        return None
    letter = shared.pop()
    left, right = (term.replace(letter, "") for term in terms)
    if result == right + left and left and right:
        terms, views, left, right = terms[::-1], views[::-1], right, left
    if result != left + right:
        return None
    first = views[0] if terms[0].endswith(letter) else transposed(views[0])
    second = views[1] if terms[1].startswith(letter) else transposed(views[1])
    return matmul(context, first, second)


def _element(terms: Sequence[str], views: Sequence[View], at: Mapping[str, sympy.Expr], dtype: Dtype) -> Expression:
    """The product of one element of each operand."""
    factors = [
        Scalar(cast(view.at(tuple(at[letter] for letter in term)), dtype)) for term, view in zip(terms, views, strict=True)
    ]
    return reduce(lambda first, second: apply("mul", first, second), factors).expression


def _summed(
    context: Context, terms: Sequence[str], result: str, views: Sequence[View], extents: Mapping[str, sympy.Expr], dtype: Dtype
) -> Deferred:
    """One nest that accumulates into the result."""
    letters = [*result, *(letter for letter in extents if letter not in result)]
    shape: Shape = tuple(extents[letter] for letter in result)

    def write(target: View, accumulate: bool) -> None:
        if not accumulate:
            store(context, target, Scalar(constant(0, target.dtype)))
        with ExitStack() as stack:
            indices, _ = nest(context, tuple(extents[letter] for letter in letters), stack)
            element = cast(_element(terms, views, dict(zip(letters, indices, strict=True)), dtype), target.dtype)
            context.builder.tasklet(target.memlet(indices[: len(shape)]), element, True, target.dtype.is_float)

    return Deferred(shape, dtype, frozenset(view.array.name for view in views), write)

