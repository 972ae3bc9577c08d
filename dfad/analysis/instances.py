"""Statements of a Program as sets of instances: iteration domains, order and accesses, for isl.

An *instance* is a statement (statements.py) with values for the indices of the loops around it. Instances are ordered by their schedule
vector

    (n_1, i_1, n_2, i_2, ..., n_k)

where n is a number of the text (of a loop, or of the statement itself) and i the index of the loop, negated when it runs downwards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import islpy as isl
import sympy

from dfad.analysis.buffers import Buffers
from dfad.analysis.sets import Space
from dfad.analysis.statements import Statement
from dfad.ir.memlet import Memlet, Range
from dfad.ir.nodes import Apply, Branch, Check, Expression, Integer, Loop, Node, Repetition, While


class Instances:
    """Domains, schedules and accesses of a list of statements, as isl maps over one Space.

    Reading a map's text is dear, and the same maps are asked for by every want of a Program: they are kept, as long as the Space has the
    same parameters.
    """

    def __init__(self, space: Space, buffers: Buffers, statements: Collection[Statement]) -> None:
        self.space = space
        self.buffers = buffers
        self.depth = max((len(statement.loops) for statement in statements), default=0)
        self._checks = [one for one in statements if isinstance(one.node, Check) and not one.loops and not one.guards]
        self._loops_of_guard = {id(one.node.guard): len(one.loops) for one in statements if isinstance(one.node, Branch)}
        self._domains: dict[Node, tuple[str, bool]] = {}
        self._schedules: dict[tuple[Node, bool, int], isl.Map] = {}
        self._accesses: dict[tuple[Node, Memlet, int], tuple[isl.Map, bool]] = {}
        self._simplified: dict[tuple[str, ...], str] = {}
        for statement in statements:
            self.domain_text(statement)  # introduces every opaque parameter before the first set is built

    def domain_text(self, statement: Statement) -> tuple[str, bool]:
        """The constraints of the iteration domain, and whether they say exactly when the statement runs."""
        if statement.node not in self._domains:
            self._domains[statement.node] = self._domain_text(statement)
        return self._domains[statement.node]

    def _domain_text(self, statement: Statement) -> tuple[str, bool]:
        parts, exact = [], True
        for loop in statement.loops:
            text, is_exact = self._loop_text(loop)
            parts.append(text)
            exact &= is_exact
        for guard, side in statement.guards:
            guard_text = self._guard_text(guard)
            exact &= guard_text is not None
            if guard_text is not None:
                parts.append(guard_text if side else f"not ({guard_text})")
        compared = tuple(self._compared(statement))
        if compared not in self._simplified:
            self._simplified[compared] = self.space.simplified(compared)
        parts.append(self._simplified[compared])
        return " and ".join(part for part in parts if part) or "true", exact

    def _compared(self, statement: Statement) -> Iterator[str]:
        """Equalities of extents that Checks in front of the statement have made sure of."""
        for check in self._checks:
            if check.order[0] < statement.order[0] and isinstance(check.node, Check):
                sides = _equality(check.node.condition, statement.loops)
                texts = [] if sides is None else [self.space.text(side) for side in sides]
                if texts and None not in texts:
                    yield f"{texts[0]} = {texts[1]}"

    def certain_together(self, statement: Statement, other: Statement) -> int | None:
        """In how many of the outermost loops instances must agree for the statement to run whenever the other one does, within its domain;
        None where that is not known."""
        depth = 0
        for position, loop in enumerate(statement.loops):
            if not self._loop_text(loop)[1]:
                depth = position + 1
        for guard, side in statement.guards:
            if self._guard_text(guard) is None:
                if not any(guard is held and side is taken for held, taken in other.guards):
                    return None
                depth = max(depth, self._loops_of_guard[id(guard)])
        return depth if statement.loops[:depth] == other.loops[:depth] else None

    def apart(self, statement: Statement, other: Statement) -> int | None:
        """How many of the outermost loops two statements share round a Branch that has them on different sides, so that no two instances
        that agree in these both run; None where there is no such Branch."""
        sides = [
            self._loops_of_guard[id(guard)]
            for guard, side in statement.guards
            for held, taken in other.guards
            if guard is held and side is not taken
        ]
        return min((depth for depth in sides if statement.loops[:depth] == other.loops[:depth]), default=None)

    def _loop_text(self, loop: Repetition) -> tuple[str, bool]:
        """The range of an index, and whether every index in it is a trip: of a While, nobody knows the last."""
        if isinstance(loop, While):
            return f"0 <= {loop.index.name}_", False
        start, stop, index = self.space.text(loop.start), self.space.text(loop.stop), f"{loop.index.name}_"
        first, last = ("<=", "<") if loop.step > 0 else (">=", ">")
        parts = [f"{start} {first} {index}" if start else "", f"{index} {last} {stop}" if stop else ""]
        if abs(loop.step) > 1 and start:
            parts.append(f"({index} - {start}) mod {abs(loop.step)} = 0")
        return " and ".join(part for part in parts if part), bool(start and stop)

    def _guard_text(self, guard: Expression) -> str | None:
        """The guard as a condition on symbols; None where it reads data or is not affine."""
        signs = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "=", "ne": "!="}
        match guard:
            case Apply(operation="and" | "or" as word, operands=(left, right)):
                first, second = self._guard_text(left), self._guard_text(right)
                return f"({first} {word} {second})" if first and second else None
            case Apply(operation="not", operands=(inner,)):
                text = self._guard_text(inner)
                return f"(not {text})" if text else None
            case Apply(operation=name, operands=(Integer(value=left), Integer(value=right))) if name in signs:
                first, second = self.space.text(left), self.space.text(right)
                return f"({first} {signs[name]} {second})" if first and second else None
            case _:
                return None

    def tuple_text(self, statement: Statement) -> str:
        """The tuple that names an instance."""
        return "S[" + ", ".join(f"{loop.index.name}_" for loop in statement.loops) + "]"

    def domain(self, statement: Statement) -> tuple[isl.Set, bool]:
        """The iteration domain, and whether it is exact."""
        text, exact = self.domain_text(statement)
        return isl.Set(f"{self.space.header()}{{ {self.tuple_text(statement)} : {text} }}"), exact

    def schedule(self, statement: Statement, at_exit: bool = False) -> isl.Map:
        """Instance -> schedule vector, padded to the depth of the Program."""
        question = statement.node, at_exit, len(self.space.parameters)
        if question not in self._schedules:
            self._schedules[question] = self._schedule(statement, at_exit)
        return self._schedules[question]

    def _schedule(self, statement: Statement, at_exit: bool) -> isl.Map:
        vector = _interleaved(statement, len(statement.loops))
        vector.append(str(statement.exit if at_exit else statement.order[-1]))
        vector += ["0"] * (2 * self.depth + 1 - len(vector))
        text, _ = self.domain_text(statement)
        return isl.Map(f"{self.space.header()}{{ {self.tuple_text(statement)} -> [{', '.join(vector)}] : {text} }}")

    def moment(self, statement: Statement, depth: int, number: int) -> isl.Map:
        """Instance -> the first part of the schedule vector of what has this number inside the outermost ``depth`` loops."""
        text, _ = self.domain_text(statement)
        vector = [*_interleaved(statement, depth), str(number)]
        return isl.Map(f"{self.space.header()}{{ {self.tuple_text(statement)} -> [{', '.join(vector)}] : {text} }}")

    def outermost(self, schedule: isl.Map, depth: int) -> isl.Map:
        """The schedule up to the numbers in the body of the innermost of ``depth`` loops."""
        length = schedule.dim(isl.dim_type.out)
        return schedule.project_out(isl.dim_type.out, 2 * depth + 1, length - 2 * depth - 1)

    def same(self, first: Statement, second: Statement, depth: int) -> isl.Map:
        """Pairs of instances that agree in the indices of the outermost ``depth`` loops."""
        left = [f"a{k}" for k in range(len(first.loops))]
        right = [f"b{k}" for k in range(len(second.loops))]
        equal = " and ".join(f"a{k} = b{k}" for k in range(depth)) or "true"
        return isl.Map(f"{self.space.header()}{{ S[{', '.join(left)}] -> S[{', '.join(right)}] : {equal} }}")

    def access(self, statement: Statement, memlet: Memlet) -> tuple[isl.Map, bool]:
        """Instance -> cells (buffer, index...) that the memlet names, and whether it is exactly these, for the instances that run.

        A dimension whose index is not affine ranges over everything.
        """
        question = statement.node, memlet, len(self.space.parameters)
        if question not in self._accesses:
            self._accesses[question] = self._access(statement, memlet)
        return self._accesses[question]

    def _access(self, statement: Statement, memlet: Memlet) -> tuple[isl.Map, bool]:
        exact, cells = True, list[str]()
        parts = [self.domain_text(statement)[0]]
        for position, index in enumerate(memlet.subset):
            cell = f"c{position}"
            cells.append(cell)
            text = self._index_text(cell, index)
            exact &= text is not None
            parts.append(text or "true")
        buffer, known = self.buffers.condition(memlet.array, statement.loops, statement.order, self.space)
        exact &= known
        parts.append(buffer)
        name = self.buffers.group(memlet.array)
        inner = ", ".join(["b", *cells])
        return isl.Map(f"{self.space.header()}{{ {self.tuple_text(statement)} -> {name}_[{inner}] : {' and '.join(parts)} }}"), exact

    def _index_text(self, cell: str, index: sympy.Expr | Range) -> str | None:
        if not isinstance(index, Range):
            text = self.space.text(index)
            return None if text is None else f"{cell} = {text}"
        start, stop = self.space.text(index.start), self.space.text(index.stop)
        if start is None or stop is None or not sympy.sympify(index.step).is_Integer:
            return None
        stride = f" and ({cell} - {start}) mod {int(index.step)} = 0" if index.step != 1 else ""
        return f"{start} <= {cell} and {cell} < {stop}{stride}"


def _equality(condition: Expression, loops: tuple[Repetition, ...]) -> tuple[sympy.Expr, sympy.Expr] | None:
    """The two sides that a condition of the form ``the loop is empty or ... or left == right`` says are equal inside these loops."""
    match condition:
        case Apply(operation="or", operands=(Apply(operation="ge", operands=(Integer(value=start), Integer(value=stop))), rest)):
            around = any(isinstance(loop, Loop) and loop.step > 0 and (loop.start, loop.stop) == (start, stop) for loop in loops)
            return _equality(rest, loops) if around else None
        case Apply(operation="eq", operands=(Integer(value=left), Integer(value=right))):
            return left, right
        case _:
            return None


def _interleaved(statement: Statement, depth: int) -> list[str]:
    """The numbers and indices of the outermost ``depth`` loops around a statement, in turn."""
    found: list[str] = []
    for number, loop in zip(statement.order, statement.loops[:depth], strict=False):
        found += [str(number), f"-{loop.index.name}_" if _runs_down(loop) else f"{loop.index.name}_"]
    return found


def _runs_down(loop: Repetition) -> bool:
    return isinstance(loop, Loop) and loop.step < 0
