"""Bounds: what must hold of integers, proven where possible, else checked as far out as the check certainly runs.

A Check leaves a loop when it holds in every trip exactly if it holds at one end of the loop's range; it is then guarded by "the loop
runs". It does not leave a branch. Such a Check comes before the loop: when it fails, the loop has not begun. That is right for a gradient,
which changes nothing of the caller's. A primal leaves what NumPy would have left (`Checks`): where the values at entry decide, it asks
before it begins, and who calls it turns to a Program with all Checks at the accesses; else the Check stays where the access is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import sympy

from dfad.frontend.affine import linear
from dfad.frontend.blocks import Checks, Header
from dfad.frontend.builder import Builder
from dfad.ir.dtype import BOOL
from dfad.ir.nodes import Apply, Array, Check, Expression, Integer


@dataclass(frozen=True, slots=True)
class Claim:
    """That an expression is >= 0 (``"ge"``) or 0 (``"eq"``) where no range is empty; ``values`` are told when it is not."""

    expression: sympy.Expr
    relation: str
    values: tuple[sympy.Expr, ...]
    ranges: tuple[tuple[sympy.Expr, sympy.Expr], ...] = ()

    def parts(self) -> Iterator[sympy.Expr]:
        """Every integer expression in it."""
        yield from (self.expression, *self.values)
        for span in self.ranges:
            yield from span

    def outside(self, header: Header) -> Claim | None:
        """The claim for all trips of a loop, as one at an end of its range; None when neither end decides.

        The expression is least, and each range longest, at that end: when the claim fails anywhere, it fails there.
        """
        slopes = [_slope(self.expression, header.index)]
        slopes += [None if slope is None else -slope for slope in (_slope(stop - start, header.index) for start, stop in self.ranges)]
        if any(slope is None for slope in slopes):
            return None
        if self.relation == "eq" and slopes[0]:
            return None
        rising = any(slope > 0 for slope in slopes if slope)
        if rising and any(slope < 0 for slope in slopes if slope):
            return None
        table = {header.index: header.extremes[0 if rising else 1]}
        return Claim(
            sympy.expand(self.expression.xreplace(table)),
            self.relation,
            tuple(value.xreplace(table) for value in self.values),
            tuple((start.xreplace(table), stop.xreplace(table)) for start, stop in self.ranges),
        )


def _slope(expression: sympy.Expr, index: sympy.Symbol) -> int | None:
    """The factor of the index in a linear expression; None when it is not linear in it."""
    form = linear(sympy.expand(expression))
    if form is None or any(index in atom.free_symbols for atom, _ in form.terms if atom != index):
        return None
    return form.coefficient(index)


def require(builder: Builder, expression: sympy.Expr, error: str, message: str, values: Sequence[sympy.Expr]) -> None:
    """Make sure that an expression is >= 0: by proof, else by a Check as far out as it certainly runs.

    A Check leaves a loop when it holds in every trip exactly if it holds at one end of the loop's range; it is then guarded by
    "the loop runs". It does not leave a branch. Such a Check comes before the loop: when it fails, the loop has not begun.
    """
    if not builder.proves(expression):
        _check_claim(builder, Claim(sympy.expand(expression), "ge", tuple(values)), error, message)
        builder.know(expression)


def require_equal(builder: Builder, first: sympy.Expr, second: sympy.Expr, error: str, message: str) -> None:
    """Make sure, in the same way, that two extents are equal.

    An extent below 0 means 0. Where both may be below 0, as in ``A[2:]`` and ``B[2:]``, equal means the same number below 0 too: so
    that what is learned is about A and B.
    """
    if not builder.are_equal(first, second):
        own, other = builder.natural(first), builder.natural(second)
        if first != own and second != other:
            own, other = first, second
        if own == other:
            return
        _check_claim(builder, Claim(sympy.expand(own - other), "eq", (own, other)), error, message)
        builder.know(own - other)
        builder.know(other - own)


def require_assumed(builder: Builder, first: sympy.Expr, second: sympy.Expr, variable: str | None, message: str) -> None:
    """Make sure that two extents are equal as code assumes; where they are not, the call begins again without the assumption on the
    variable, or ends where that is None. Code that checks nothing at its accesses asks before it has written anything."""
    if variable is None:
        require_equal(builder, first, second, "index", message)
    elif builder.checks is not Checks.AT_ENTRY:
        require_equal(builder, first, second, "extents", variable)
    elif not builder.are_equal(first, second):
        own, other = builder.natural(first), builder.natural(second)
        builder.check_at_entry(_compare("eq", own, other), message, [Integer(own), Integer(other)])
        builder.know(own - other)
        builder.know(other - own)


def require_stretched(builder: Builder, extent: sympy.Expr, common: sympy.Expr, error: str, message: str) -> None:
    """Make sure that an extent of at most one is 1, as what is broadcast must be, or that it and the other are 0."""
    if builder.are_equal(extent, sympy.Integer(1)) or builder.are_equal(extent, common):
        return
    own, other = builder.natural(extent), builder.natural(common)
    is_one, fits = (_compare("eq", own, fitting) for fitting in (sympy.Integer(1), other))
    builder.check(Apply("or", (is_one, fits), BOOL), error, message, [Integer(other), Integer(own)])


def _check_claim(builder: Builder, claim: Claim, error: str, message: str) -> None:
    here = len(builder.blocks) - 1
    outer, level = _hoist(builder, claim)
    if builder.checks is Checks.AT_ENTRY and level < here and all(part.free_symbols <= builder.entry for part in outer.parts()):
        builder.check_at_entry(_condition(outer), message, [Integer(value) for value in outer.values])
    else:
        if builder.checks is not Checks.OUTSIDE:
            outer, level = claim, here
        builder.check(_condition(outer), error, message, [Integer(value) for value in outer.values], builder.blocks[level])
    _learn(builder, outer, level)


def _condition(claim: Claim) -> Expression:
    condition: Expression = _compare(claim.relation, claim.expression, sympy.Integer(0))
    for start, stop in claim.ranges:
        condition = Apply("or", (_compare("ge", start, stop), condition), BOOL)
    return condition


def _hoist(builder: Builder, claim: Claim) -> tuple[Claim, int]:
    """The claim as it reads in the outermost block that it can go to, and the level of that block."""
    level = len(builder.blocks) - 1
    while level > 0 and (header := builder.blocks[level].header) is not None:
        outer = claim.outside(header)
        if outer is None or any(builder.blocks[level].binds(part) for part in outer.parts()):
            break
        level -= 1
        claim = _guarded(builder, outer, header, level)
    return claim, level


def _guarded(builder: Builder, claim: Claim, header: Header, level: int) -> Claim:
    """The claim outside a loop that may not run; of ranges that imply each other one is kept."""
    span = (header.start, header.stop) if header.step > 0 else (header.stop, header.start)
    length = span[1] - span[0] - 1
    lengths = [stop - start - 1 for start, stop in claim.ranges]
    if builder.proves(length, level) or any(builder.proves(length - other, level) for other in lengths):
        return claim
    kept = tuple(known for known, other in zip(claim.ranges, lengths, strict=True) if not builder.proves(other - length, level))
    return replace(claim, ranges=(*kept, span))


def _learn(builder: Builder, claim: Claim, level: int) -> None:
    """What was checked holds from the outermost block on in which the guarding loops certainly run."""
    for inner in range(level, len(builder.blocks)):
        if all(builder.proves(stop - start - 1, inner) for start, stop in claim.ranges):
            builder.know(claim.expression, builder.blocks[inner])
            if claim.relation == "eq":
                builder.know(-claim.expression, builder.blocks[inner])
            return


# ---------------------------------------------------------------- exchanged arrays


def unify(builder: Builder, first: Array, second: Array, variable: str | None) -> bool:
    """Give two arrays one shape, after a Check at the function's entry; False when the shapes are not known there. Where they differ, the
    call begins again without the assumption on the variable, or ends where that is None."""
    for own, other in zip(first.shape, second.shape, strict=True):
        if own == other:
            continue
        if not (own.free_symbols | other.free_symbols) <= builder.entry:
            return False
        values = (Integer(own), Integer(other))
        message = f"{first.name} and {second.name} are exchanged and have different extents: {{0}} and {{1}}"
        error, told = ("index", message) if variable is None else ("extents", variable)
        check = Check(Apply("eq", values, BOOL), error, told, builder.where, builder.key(), values)
        builder.blocks[0].body.insert(0, check)
        builder.know(own - other, builder.blocks[0])
        builder.know(other - own, builder.blocks[0])
    common, merged = builder.shaped(first).shape, builder.shaped(second).shape
    known = {name for name, shape in builder.shapes.items() if shape == merged}
    builder.shapes.update(dict.fromkeys({first.name, second.name, *known}, common))
    return True


def _compare(operation: str, first: sympy.Expr, second: sympy.Expr) -> Expression:
    return Apply(operation, (Integer(first), Integer(second)), BOOL)
