"""The adjoint of one statement.

For a Tasklet ``y = e(x...)`` always

    s = y_bar;  y_bar = 0 (kept when it accumulates);  x_bar += s * de/dx   for every active read

so that a statement that reads what it writes, or another cell of the same array, is right. Operands of partials are Demands for the
values that the statement saw. A side of a Select that reads what nothing else in the statement reads gets its adjoint under a Branch:
where the side is not taken, its memlets may name no cell at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from dfad.adjoint.collector import Collector, Setting
from dfad.adjoint.library import reverse_library
from dfad.adjoint.rules import BY_OPERAND, BY_RESULT, is_flat
from dfad.errors import CompilerBug
from dfad.ir.algebra import add, cast, choose, zero_like
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Apply, Block, Branch, Constant, Demand, Expression, Library, Read, Select, Tasklet
from dfad.ir.walk import certain_reads, operands, walk_expression

Conditions = tuple[tuple[Expression, bool], ...]
"""The conditions of the Selects above an expression, each with the side taken."""


def adjoint_of(statement: Tasklet | Library, setting: Setting, is_fresh: bool) -> Block:
    """The adjoint statements of one statement, as a Block of their own.

    Parameters
    ----------
    statement : Tasklet or Library
        The statement of the forward sweep.
    setting : Setting
        Adjoint arrays and names.
    is_fresh : bool
        Whether the written array is a scalar that only this statement writes: its adjoint need not be zeroed then.
    """
    out = Collector(setting, statement.key, statement.where)
    if statement.write.array in setting.bars:
        if isinstance(statement, Tasklet):
            _reverse_tasklet(statement, out, is_fresh)
        else:
            reverse_library(statement, out)
    return out.block()


def _reverse_tasklet(statement: Tasklet, out: Collector, is_fresh: bool) -> None:
    bar = out.bar(statement.write)
    seed: Expression = Read(bar, out.setting.arrays[statement.write.array].dtype)
    parts = _Contributions(out, statement)
    if not parts.is_active(statement.value):
        if not statement.accumulate and not is_fresh:
            out.put(bar, zero_like(seed))
        return
    if bar.subset or not is_fresh:
        seed = out.scalar("s", seed)
    parts.spread(statement.value, cast(seed, statement.value.dtype), parts.result(), ())
    own = parts.found.pop(statement.write, None)
    if not statement.accumulate and not is_fresh:
        out.put(bar, own if own is not None else zero_like(seed))
    elif own is not None:
        out.put(bar, own, accumulate=True)
    parts.put(out)


class _Contributions:
    """What each active read of one Tasklet receives."""

    def __init__(self, out: Collector, statement: Tasklet) -> None:
        self.out = out
        self.statement = statement
        self.found: dict[Memlet, Expression] = {}
        self.branches: list[Branch] = []
        self.certain = frozenset(certain_reads(statement.value)) | {statement.write}

    def result(self) -> Expression | None:
        """The value that the statement left, where it left its value as computed."""
        array = self.out.setting.arrays[self.statement.write.array]
        if self.statement.accumulate or array.dtype != self.statement.value.dtype:
            return None
        return Demand(self.statement.write, self.statement.key, array.dtype, after=True)

    def is_active(self, expression: Expression) -> bool:
        match expression:
            case Read():
                return expression.dtype.is_float and expression.memlet.array in self.out.setting.bars
            case Select():
                return self.is_active(expression.chosen) or self.is_active(expression.other)
            case Apply():
                differentiable = expression.dtype.is_float and not is_flat(expression.operation)
                return differentiable and any(self.is_active(operand) for operand in expression.operands)
            case _:
                return False

    def spread(self, expression: Expression, c: Expression, result: Expression | None, conditions: Conditions) -> None:
        """Send the adjoint ``c`` of an expression down to its active reads, under the conditions of the Selects above."""
        if not self.is_active(expression):
            return
        match expression:
            case Read():
                self._collect(expression, c, conditions)
            case Select() if not self._is_total(expression):
                self._branch(expression, c)
            case Select():
                condition = self.out.demanded(expression.condition)
                self.spread(expression.chosen, c, None, (*conditions, (condition, True)))
                self.spread(expression.other, c, None, (*conditions, (condition, False)))
            case Apply(operation="cast"):
                self.spread(expression.operands[0], cast(c, expression.operands[0].dtype), None, conditions)
            case Apply():
                self._spread_operands(expression, c, result, conditions)
            case _:
                raise CompilerBug(f"an active expression of an unknown form: {expression!r}")

    def _spread_operands(self, expression: Apply, c: Expression, result: Expression | None, conditions: Conditions) -> None:
        active = [k for k, operand in enumerate(expression.operands) if self.is_active(operand)]
        seen = tuple(self.out.demanded(operand) for operand in expression.operands)
        if self._is_shared(expression, c):
            c = self.out.scalar("c", c)
        for k in active:
            if result is not None and expression.operation in BY_RESULT:
                below = BY_RESULT[expression.operation][k](c, seen, result)
            else:
                below = BY_OPERAND[expression.operation][k](c, seen)
            self.spread(expression.operands[k], below, None, conditions)

    def put(self, out: Collector) -> None:
        """Add every contribution to its adjoint."""
        for memlet, value in self.found.items():
            out.put(out.bar(memlet), value, accumulate=True)
        out.nodes += self.branches

    def _is_total(self, select: Select) -> bool:
        """Whether the sides read only cells that the statement reads or writes in any case."""
        sides = (*walk_expression(select.chosen), *walk_expression(select.other))
        return all(part.memlet in self.certain for part in sides if isinstance(part, Read))

    def _branch(self, select: Select, c: Expression) -> None:
        """Each side of the Select gets its adjoint only where it was taken."""
        key = self.out.next_key()
        chosen, other = (self._side(side, c) for side in (select.chosen, select.other))
        self.branches.append(Branch(self.out.demanded(select.condition), chosen, other, self.out.where, key))

    def _side(self, side: Expression, c: Expression) -> Block:
        inside = self.out.inside()
        parts = _Contributions(inside, self.statement)
        parts.spread(side, c, None, ())
        parts.put(inside)
        self.out.count = inside.count
        return inside.block()

    def _is_shared(self, expression: Apply, c: Expression) -> bool:
        """Whether ``c`` is worth a scalar: it is an operation, and more than one active read receives it."""
        plain = isinstance(c, Read | Constant) or (isinstance(c, Apply) and c.operation == "neg" and isinstance(c.operands[0], Read))
        return not plain and sum(1 for part in _active_reads(expression, self)) > 1

    def _collect(self, read: Read, c: Expression, conditions: Conditions) -> None:
        for condition, side in reversed(conditions):
            c = choose(condition, c, zero_like(c)) if side else choose(condition, zero_like(c), c)
        value = cast(c, self.out.setting.arrays[read.memlet.array].dtype)
        self.found[read.memlet] = add(self.found[read.memlet], value) if read.memlet in self.found else value


def _active_reads(expression: Expression, parts: _Contributions) -> Iterator[Expression]:
    if isinstance(expression, Read):
        if parts.is_active(expression):
            yield expression
        return
    for operand in operands(expression):
        yield from _active_reads(operand, parts)
