"""The Program under construction: open blocks, names, keys, and what is known of its integers.

The only place of the frontend that makes nodes. A node is appended to the innermost open Block; Blocks are frozen when they close.
Each open block holds facts (linear forms known to be >= 0 inside it), so that bounds are proven where they stand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import sympy

from dfad.frontend.affine import Search, linear
from dfad.frontend.blocks import Checks, Header, OpenBlock
from dfad.frontend.values import Scalar, View, whole
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
    While,
)
from dfad.ir.walk import walk_expression, writes
from dfad.source import Location


class Builder:
    """Open blocks, from the function's own to the innermost, and the one place where names are given.

    Parameters
    ----------
    reserved : iterable of str
        Names that the source uses: generated names keep away from them.
    checks : Checks
        Where checks of accesses in loops stand.
    """

    def __init__(self, reserved: Iterable[str], checks: Checks = Checks.OUTSIDE) -> None:
        self.checks = checks
        self.entry_checks = 0
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

    def unused(self, base: str) -> str:
        """A base name, for what the source does not name, that the source does not use."""
        while base in self.reserved:
            base += "_"
        return base

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

    def check_at_entry(self, condition: Expression, message: str, values: Sequence[Expression]) -> None:
        """End the call before anything has run when the condition, on values at entry, is false."""
        self.blocks[0].body.insert(self.entry_checks, Check(condition, "entry", message, self.where, self.key(), tuple(values)))
        self.entry_checks += 1

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
    def repetition(self, guard: Expression) -> Iterator[sympy.Symbol]:
        """A While; its body is what the `with` block appends, and the number of the trip is handed over."""
        counter = self.index(self.unused("trip"))
        where, key = self.where, self.key()
        opened = OpenBlock(counter=counter)
        self.blocks.append(opened)
        self.know(counter)
        yield counter
        self.blocks.pop()
        self._forget(opened.body)
        self.append(While(counter, guard, self.close(opened), where, key))

    @contextmanager
    def nested(self) -> Iterator[OpenBlock]:
        """A block whose nodes are kept apart, for a Branch or to be put into the open block later."""
        opened = OpenBlock()
        self.blocks.append(opened)
        yield opened
        self.blocks.pop()

    @contextmanager
    def inside(self, opened: OpenBlock) -> Iterator[None]:
        """Go on with a block that `nested` made."""
        self.blocks.append(opened)
        yield
        self.blocks.pop()

    def branch(self, guard: Expression, then: OpenBlock, orelse: OpenBlock) -> None:
        """A Branch over two blocks that `nested` made; one with nothing to do comes second."""
        if orelse.body and not then.body:
            guard, then, orelse = _negated(guard), orelse, then
        self._forget([*then.body, *orelse.body])
        self.append(Branch(guard, self.close(then), self.close(orelse), self.where, self.key()))

    def _forget(self, body: Sequence[Node]) -> None:
        """Pinned values may be old after a region."""
        if body:
            self.unpin()

    def unpin(self) -> None:
        """Integers that may change are read anew from here on."""
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
            known = symbol(self.hold(self.unused(base), value.expression, I64).name)
            self.age[known] = len(self.age) + 1
            self.block.pinned[value.expression] = known
        return known

    def temporary(self, base: str, dtype: Dtype, shape: Sequence[sympy.Expr], block: OpenBlock | None = None) -> View:
        """A fresh local array that the source does not name."""
        clamped = tuple(self.natural(extent) for extent in shape)
        return whole(self.declare(self.name(self.unused(base)), dtype, clamped, block))

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
            case sympy.Min():
                return all(part in self.naturals or (part.is_Integer and part >= 0) for part in atom.args)
            case _:
                return False

    def natural(self, extent: sympy.Expr) -> sympy.Expr:
        """The extent that a view has, where an extent below 0 means 0."""
        return extent if self.proves(extent) else sympy.Max(0, without_floor(extent))

    def are_equal(self, first: sympy.Expr, second: sympy.Expr) -> bool:
        """Whether two symbolic integers are proven equal."""
        return bool(first == second) or (self.proves(first - second) and self.proves(second - first))

    def shaped(self, array: Array) -> Array:
        """The array with the shape that `unify` gave it."""
        shape = self.shapes.get(array.name, array.shape)
        return array if shape == array.shape else replace(array, shape=shape)

    def start_of(self, array: Array) -> int:
        """The position in the function's block from which on the shape of one of its arrays is known."""
        opened = self.blocks[0]
        return _start_of(array, opened.arrays, {memlet.array: at for at, node in enumerate(opened.body) for memlet in writes(node)})

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


def _start_of(array: Array, arrays: Sequence[Array], writers: Mapping[str, int]) -> int:
    """The position in a block's body from which on the array's shape is known."""
    scalars = {other.name for other in arrays if not other.rank}
    named = {part.name for extent in array.shape for part in extent.free_symbols}
    return max((writers[name] + 1 for name in named & scalars), default=0)


def _negated(guard: Expression) -> Expression:
    match guard:
        case Apply("not", (operand,)):
            return operand
        case _:
            return Apply("not", (guard,), BOOL)


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


def without_floor(extent: sympy.Expr) -> sympy.Expr:
    """``e - c`` for ``Max(0, e) - c`` with a constant c >= 0: the same extent, as one below 0 means 0; any other as it is."""
    for part in sympy.Add.make_args(extent):
        rest = extent - part
        if isinstance(part, sympy.Max) and sympy.Integer(0) in part.args and rest.is_Integer and rest <= 0:
            return sympy.Max(*(one for one in part.args if one != 0)) + rest
    return extent


def constant(value: float, dtype: Dtype) -> Expression:
    """A number as a constant of that type."""
    if dtype == I64:
        return Integer(sympy.Integer(int(value)))
    return Constant(dtype.numpy.type(value).item(), dtype)
