"""The Program under construction: open blocks, names, keys, and what is known of its integers.

The only place of the frontend that makes nodes. A node is appended to the innermost open Block; Blocks are frozen when they close. Each open
block holds facts (linear forms known to be >= 0 inside it), so that bounds are proven where they stand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import sympy

from dfad.frontend.affine import Linear, Search, linear
from dfad.frontend.values import Scalar, View, integer, whole
from dfad.ir.dtype import BOOL, I64, Dtype
from dfad.ir.memlet import Memlet, symbol
from dfad.ir.nodes import (
    Apply,
    Array,
    Block,
    Branch,
    Check,
    Constant,
    Exchange,
    Expression,
    Integer,
    Library,
    Loop,
    Node,
    Read,
    Role,
    Tasklet,
)
from dfad.ir.walk import walk_expression, writes
from dfad.source import Location


@dataclass(slots=True)
class Header:
    """The head of a loop that is still open; its direction may still be turned."""

    index: sympy.Symbol
    start: sympy.Expr
    stop: sympy.Expr
    step: int

    @property
    def extremes(self) -> tuple[sympy.Expr, sympy.Expr]:
        """The least and the greatest value of the index, for a loop that runs."""
        if abs(self.step) == 1:
            last = self.stop - self.step
        else:
            last = self.start + self.step * sympy.floor((self.stop - self.start - sympy.sign(self.step)) / self.step)
        return (self.start, last) if self.step > 0 else (last, self.start)

    def turn(self) -> None:
        """Run the other way round (unit steps only)."""
        self.start, self.stop, self.step = self.stop - self.step, self.start - self.step, -self.step


@dataclass(eq=False, slots=True)
class OpenBlock:
    """A Block under construction, and the loop that it is the body of."""

    header: Header | None = None
    arrays: list[Array] = field(default_factory=list)
    body: list[Node] = field(default_factory=list)
    facts: list[Linear] = field(default_factory=list)
    pinned: dict[Expression, sympy.Symbol] = field(default_factory=dict)

    def binds(self, expression: sympy.Expr) -> bool:
        """Whether the expression names a symbol that exists only in here."""
        names = {array.name for array in self.arrays}
        if self.header is not None:
            names.add(self.header.index.name)
        return any(part.name in names for part in expression.free_symbols)


class Builder:
    """Open blocks, from the function's own to the innermost, and the one place where names are given.

    Parameters
    ----------
    reserved : iterable of str
        Names that the source uses: generated names keep away from them.
    """

    def __init__(self, reserved: Iterable[str]) -> None:
        self.reserved = frozenset(reserved)
        self.taken: set[str] = set()
        self.keys: Counter[int] = Counter()
        self.blocks: list[OpenBlock] = [OpenBlock()]
        self.where = Location("", 0, 0, 0, 0)
        self.naturals: set[sympy.Expr] = set()
        self.age: dict[sympy.Expr, int] = {}
        self.entry: set[sympy.Expr] = set()
        self.exchanged: set[str] = set()
        self.shapes: dict[str, tuple[sympy.Expr, ...]] = {}

    # ------------------------------------------------------------ names

    def name(self, base: str) -> str:
        """A fresh name for a variable of the source: ``x``, then ``x_2``, ``x_3``."""
        number = 1
        while (found := base if number == 1 else f"{base}_{number}") in self.taken or (number > 1 and found in self.reserved):
            number += 1
        self.taken.add(found)
        return found

    def generated(self, base: str) -> str:
        """A fresh name for what the source does not name."""
        while base in self.reserved:
            base += "_"
        return self.name(base)

    def key(self) -> str:
        """A fresh key, by line."""
        line = self.where.line
        self.keys[line] += 1
        return f"L{line}" if self.keys[line] == 1 else f"L{line}.{self.keys[line]}"

    def index(self, base: str) -> sympy.Symbol:
        """A fresh symbol for a loop."""
        found = symbol(self.name(base))
        self.age[found] = len(self.age) + 1
        return found

    # ------------------------------------------------------------ nodes

    @property
    def block(self) -> OpenBlock:
        """The innermost open block."""
        return self.blocks[-1]

    def declare(self, name: str, dtype: Dtype, shape: Sequence[sympy.Expr] = (), block: OpenBlock | None = None) -> Array:
        """A fresh local array of that (already fresh) name in a block, the innermost by default."""
        array = Array(name, dtype, tuple(shape), Role.LOCAL)
        (block or self.block).arrays.append(array)
        return array

    def append(self, node: Node, block: OpenBlock | None = None) -> None:
        """Put a node at the end of a block, the innermost by default."""
        (block or self.block).body.append(node)
        written = {memlet.array for memlet in writes(node)}
        for opened in self.blocks:
            stale = [expression for expression in opened.pinned if _reads_any(expression, written)]
            for expression in stale:
                del opened.pinned[expression]

    def tasklet(
        self,
        write: Memlet,
        value: Expression,
        accumulate: bool = False,
        reassociable: bool = False,
        block: OpenBlock | None = None,
    ) -> None:
        """``write = value``, or ``write += value``."""
        self.append(Tasklet(write, value, self.where, self.key(), accumulate, reassociable), block)

    def library(
        self,
        operation: str,
        reads: tuple[Memlet, ...],
        write: Memlet,
        attributes: Mapping[str, object],
        accumulate: bool = False,
    ) -> None:
        """An operation on whole subsets."""
        self.append(Library(operation, reads, write, self.where, self.key(), tuple(sorted(attributes.items())), accumulate))

    def exchange(self, first: Array, second: Array) -> None:
        """Let two names change their buffers."""
        self.exchanged |= {first.name, second.name}
        self.append(Exchange(first.name, second.name, self.where, self.key()))

    def check(self, condition: Expression, error: str, message: str, values: Sequence[Expression], block: OpenBlock | None = None) -> None:
        """End the call with an error when the condition is false."""
        self.append(Check(condition, error, message, self.where, self.key(), tuple(values)), block)

    @contextmanager
    def loop(self, base: str, start: sympy.Expr, stop: sympy.Expr, step: int = 1) -> Iterator[Header]:
        """A Loop; its body is what the `with` block appends."""
        header = Header(self.index(base), start, stop, step)
        where, key = self.where, self.key()
        opened = OpenBlock(header)
        self.blocks.append(opened)
        ascending = step > 0
        self.know(header.index - start if ascending else start - header.index)
        self.know(stop - 1 - header.index if ascending else header.index - stop - 1)
        yield header
        self.blocks.pop()
        self._forget(opened.body)
        self.append(Loop(header.index, header.start, header.stop, header.step, self.close(opened), where, key))

    @contextmanager
    def nested(self) -> Iterator[OpenBlock]:
        """A block whose nodes are kept apart, for a Branch or to be put into the open block later."""
        opened = OpenBlock()
        self.blocks.append(opened)
        yield opened
        self.blocks.pop()

    def branch(self, guard: Expression, then: OpenBlock, orelse: OpenBlock) -> None:
        """A Branch over two blocks that `nested` made."""
        self._forget([*then.body, *orelse.body])
        self.append(Branch(guard, self.close(then), self.close(orelse), self.where, self.key()))

    def splice(self, opened: OpenBlock) -> None:
        """Put what a `nested` block holds at the end of the innermost one."""
        self.block.arrays.extend(opened.arrays)
        self.block.facts.extend(opened.facts)
        for node in opened.body:
            self.append(node)

    def _forget(self, body: Sequence[Node]) -> None:
        """Pinned values may be old after a region."""
        if body:
            for opened in self.blocks:
                opened.pinned.clear()

    # ------------------------------------------------------------ scalars

    def hold(self, base: str, value: Expression, dtype: Dtype | None = None) -> Array:
        """A fresh scalar of that base name that holds the value."""
        array = self.declare(self.name(base), dtype or value.dtype)
        self.tasklet(Memlet(array.name), cast(value, array.dtype))
        return array

    def pin_integer(self, value: Scalar, base: str = "k") -> sympy.Expr:
        """The value of an integer that may change, as a symbolic integer: a fresh integer scalar holds it from here on."""
        if value.integer is not None:
            return value.integer
        known = self.block.pinned.get(value.expression)
        if known is None:
            known = symbol(self.hold(self.generated_base(base), value.expression, I64).name)
            self.age[known] = len(self.age) + 1
            self.block.pinned[value.expression] = known
        return known

    def generated_base(self, base: str) -> str:
        """A base name that the source does not use."""
        while base in self.reserved:
            base += "_"
        return base

    def temporary(self, base: str, dtype: Dtype, shape: Sequence[sympy.Expr], block: OpenBlock | None = None) -> View:
        """A fresh local array that the source does not name."""
        clamped = tuple(self.natural(extent) for extent in shape)
        return whole(self.declare(self.generated(base), dtype, clamped, block))

    # ------------------------------------------------------------ facts

    def know(self, expression: sympy.Expr, block: OpenBlock | None = None) -> None:
        """From here to the end of the block the expression is >= 0."""
        form = linear(sympy.expand(expression))
        if form is not None and form.terms:
            (block or self.block).facts.append(form)

    def proves(self, expression: sympy.Expr, level: int | None = None) -> bool:
        """Whether the expression is >= 0 in the innermost block, or in that of a level."""
        if expression.is_Integer:
            return bool(expression >= 0)
        form = linear(sympy.expand(expression))
        if form is None:
            return False
        facts = (fact for opened in self.blocks[: None if level is None else level + 1] for fact in opened.facts)
        return Search(facts, self.is_natural, self.age).holds(form)

    def is_natural(self, atom: sympy.Expr) -> bool:
        """Whether an atom is an extent, or a product or maximum of such."""
        match atom:
            case sympy.Symbol():
                return atom in self.naturals
            case sympy.Mul():
                return all(factor in self.naturals or (factor.is_Integer and factor >= 0) for factor in atom.args)
            case sympy.Max():
                return any(part.is_Integer and part >= 0 for part in atom.args)
            case _:
                return False

    def natural(self, extent: sympy.Expr) -> sympy.Expr:
        """The extent that a view has, where an extent below 0 means 0."""
        return extent if self.proves(extent) else sympy.Max(0, extent)

    def are_equal(self, first: sympy.Expr, second: sympy.Expr) -> bool:
        """Whether two symbolic integers are proven equal."""
        return bool(first == second) or (self.proves(first - second) and self.proves(second - first))

    # ------------------------------------------------------------ checks

    def require(self, expression: sympy.Expr, error: str, message: str, values: Sequence[sympy.Expr]) -> None:
        """Make sure that an expression is >= 0: by proof, else by a Check as far out as it certainly runs.

        A Check leaves a loop when it holds in every trip exactly if it holds at one end of the loop's range; it is then guarded by
        "the loop runs". It does not leave a branch. Such a Check comes before the loop: when it fails, the loop has not begun.
        """
        if not self.proves(expression):
            self._check_claim(Claim(sympy.expand(expression), "ge", tuple(values)), error, message)
            self.know(expression)

    def require_equal(self, first: sympy.Expr, second: sympy.Expr, error: str, message: str) -> None:
        """Make sure, in the same way, that two extents are equal.

        An extent below 0 means 0. Where both may be below 0, as in ``A[2:]`` and ``B[2:]``, equal means the same number below 0 too: so
        that what is learned is about A and B.
        """
        if not self.are_equal(first, second):
            own, other = self.natural(first), self.natural(second)
            if first != own and second != other:
                own, other = first, second
            self._check_claim(Claim(sympy.expand(own - other), "eq", (own, other)), error, message)
            self.know(own - other)
            self.know(other - own)

    def _check_claim(self, claim: Claim, error: str, message: str) -> None:
        claim, level = self._hoist(claim)
        condition: Expression = _compare(claim.relation, claim.expression, sympy.Integer(0))
        for start, stop in claim.ranges:
            condition = Apply("or", (_compare("ge", start, stop), condition), BOOL)
        self.check(condition, error, message, [Integer(value) for value in claim.values], self.blocks[level])
        self._learn(claim, level)

    def _hoist(self, claim: Claim) -> tuple[Claim, int]:
        """The claim as it reads in the outermost block that it can go to, and the level of that block."""
        level = len(self.blocks) - 1
        while level > 0 and (header := self.blocks[level].header) is not None:
            outer = claim.outside(header)
            if outer is None or any(self.blocks[level].binds(part) for part in outer.parts()):
                break
            level -= 1
            claim = self._guarded(outer, header, level)
        return claim, level

    def _guarded(self, claim: Claim, header: Header, level: int) -> Claim:
        """The claim outside a loop that may not run; of ranges that imply each other one is kept."""
        span = (header.start, header.stop) if header.step > 0 else (header.stop, header.start)
        length = span[1] - span[0] - 1
        lengths = [stop - start - 1 for start, stop in claim.ranges]
        if self.proves(length, level) or any(self.proves(length - other, level) for other in lengths):
            return claim
        kept = tuple(known for known, other in zip(claim.ranges, lengths, strict=True) if not self.proves(other - length, level))
        return replace(claim, ranges=(*kept, span))

    def _learn(self, claim: Claim, level: int) -> None:
        """What was checked holds from the outermost block on in which the guarding loops certainly run."""
        for inner in range(level, len(self.blocks)):
            if all(self.proves(stop - start - 1, inner) for start, stop in claim.ranges):
                self.know(claim.expression, self.blocks[inner])
                if claim.relation == "eq":
                    self.know(-claim.expression, self.blocks[inner])
                return

    # ------------------------------------------------------------ exchanged arrays

    def unify(self, first: Array, second: Array) -> bool:
        """Give two arrays one shape, after a Check at the function's entry; False when the shapes are not known there."""
        for own, other in zip(first.shape, second.shape, strict=True):
            if own == other:
                continue
            if not (own.free_symbols | other.free_symbols) <= self.entry:
                return False
            values = (Integer(own), Integer(other))
            message = f"{first.name} and {second.name} are exchanged and have different extents: {{0}} and {{1}}"
            check = Check(Apply("eq", values, BOOL), "index", message, self.where, self.key(), values)
            self.blocks[0].body.insert(0, check)
            self.know(own - other, self.blocks[0])
            self.know(other - own, self.blocks[0])
        self.shapes[second.name] = self.shapes.get(first.name, first.shape)
        return True

    def shaped(self, array: Array) -> Array:
        """The array with the shape that `unify` gave it."""
        shape = self.shapes.get(array.name, array.shape)
        return array if shape == array.shape else replace(array, shape=shape)

    def close(self, opened: OpenBlock) -> Block:
        """The Block, frozen. An array whose shape names a scalar of the block begins after it, in a Block of its own."""
        arrays = [self.shaped(array) for array in opened.arrays]
        writers = {memlet.array: position for position, node in enumerate(opened.body) for memlet in writes(node)}
        starts = {array.name: _start_of(array, arrays, writers) for array in arrays}
        inner = Block((), ())
        end = len(opened.body)
        for start in sorted(set(starts.values()) | {0}, reverse=True):
            rest = (inner,) if inner.body else ()
            inner = Block(tuple(array for array in arrays if starts[array.name] == start), (*opened.body[start:end], *rest))
            end = start
        return inner


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


def _start_of(array: Array, arrays: Sequence[Array], writers: Mapping[str, int]) -> int:
    """The position in a block's body from which on the array's shape is known."""
    scalars = {other.name for other in arrays if not other.rank}
    named = {part.name for extent in array.shape for part in extent.free_symbols}
    return max((writers[name] + 1 for name in named & scalars), default=0)


def _slope(expression: sympy.Expr, index: sympy.Symbol) -> int | None:
    """The factor of the index in a linear expression; None when it is not linear in it."""
    form = linear(sympy.expand(expression))
    if form is None or any(index in atom.free_symbols for atom, _ in form.terms if atom != index):
        return None
    return form.coefficient(index)


def _compare(operation: str, first: sympy.Expr, second: sympy.Expr) -> Expression:
    return Apply(operation, (Integer(first), Integer(second)), BOOL)


def _reads_any(expression: Expression, names: set[str]) -> bool:
    return any(isinstance(part, Read) and part.memlet.array in names for part in walk_expression(expression))


def cast(value: Expression, dtype: Dtype) -> Expression:
    """The value in another type: constants are converted here, the rest when it runs."""
    if value.dtype == dtype:
        return value
    match value:
        case Constant(known):
            return constant(known, dtype)
        case Integer(known) if known.is_Integer:
            return constant(int(known), dtype)
        case _:
            return Apply("cast", (value,), dtype)


def constant(value: float, dtype: Dtype) -> Expression:
    """A number as a constant of that type."""
    if dtype == I64:
        return Integer(sympy.Integer(int(value)))
    return Constant(dtype.numpy.type(value).item(), dtype)


def integer_scalar(name: str) -> Scalar:
    """The integer scalar of that name as a Python integer."""
    return integer(symbol(name))
