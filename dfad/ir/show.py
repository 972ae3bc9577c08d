"""The listing of a Program: Python-like text, one line for each node, for people and for golden files.

In: any Program, node or expression, well-formed or not. Out: text. The listing is complete but for locations, of which it keeps the
line numbers as trailing comments, and for keys, of which it keeps those that a Demand names: ``<A[i, j] @ key>`` is the value that
the statement ``key`` saw in ``A[i, j]``, ``<A[i, j] after key>`` the one that it left there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import sympy
from sympy.printing.str import StrPrinter

from dfad.errors import CompilerBug
from dfad.ir.dtype import F64
from dfad.ir.memlet import Index, Memlet, Range
from dfad.ir.nodes import (
    Apply,
    Array,
    Block,
    Branch,
    Check,
    Constant,
    Demand,
    Exchange,
    Expression,
    Integer,
    IntegerSymbol,
    Library,
    Loop,
    Node,
    Program,
    Read,
    Role,
    Select,
    ShapeSymbol,
    Statement,
    Tasklet,
    While,
)
from dfad.ir.walk import expressions, walk, walk_expression

INDENT = "    "
COMMENT_COLUMN = 60

# Binary operations that have a sign in Python: the sign and how tightly it binds (Python's order).
_SIGNS = {
    "or": ("or", 1),
    "and": ("and", 2),
    "lt": ("<", 4),
    "le": ("<=", 4),
    "gt": (">", 4),
    "ge": (">=", 4),
    "eq": ("==", 4),
    "ne": ("!=", 4),
    "bitwise_or": ("|", 5),
    "bitwise_xor": ("^", 6),
    "bitwise_and": ("&", 7),
    "left_shift": ("<<", 8),
    "right_shift": (">>", 8),
    "add": ("+", 9),
    "sub": ("-", 9),
    "mul": ("*", 10),
    "div": ("/", 10),
    "floordiv": ("//", 10),
    "mod": ("%", 10),
    "pow": ("**", 12),
}
_TIGHT = {"*", "/", "**"}
_SELECT, _NOT, _COMPARISON, _NEGATION, _ATOM = 0, 3, 4, 11, 20


# ---------------------------------------------------------------- integers, subsets, memlets


class _IntegerPrinter(StrPrinter):  # type: ignore[misc]
    """Symbolic integers as Python writes them: `//` for a floor of a quotient, `%` for Mod, `min`, `max`."""

    def _print_floor(self, expression: sympy.Expr) -> str:
        numerator, denominator = sympy.fraction(sympy.together(expression.args[0]))
        if denominator == 1:
            return str(self._print(numerator))
        below = self._print(denominator)
        return f"{self._operand(numerator)}//{below if denominator.is_Atom else f'({below})'}"

    def _print_Mod(self, expression: sympy.Expr) -> str:
        return " % ".join(self._operand(part) for part in expression.args)

    def _print_Min(self, expression: sympy.Expr) -> str:
        return f"min({', '.join(sorted(self._print(part) for part in expression.args))})"

    def _print_Max(self, expression: sympy.Expr) -> str:
        return f"max({', '.join(sorted(self._print(part) for part in expression.args))})"

    def parenthesize(self, item: sympy.Expr, level: int, strict: bool = False) -> str:
        """As sympy does, but for the functions that are printed as signs."""
        text = str(super().parenthesize(item, level, strict))
        return f"({text})" if isinstance(item, sympy.floor) else text

    def _operand(self, expression: sympy.Expr) -> str:
        text = str(self._print(expression))
        return text if expression.is_Atom and not expression.is_negative else f"({text})"


_PRINTER = _IntegerPrinter()


@lru_cache(maxsize=10_000)
def show_integer(value: sympy.Expr) -> str:
    """A symbolic integer as Python text."""
    return str(_PRINTER.doprint(value))


def _show_index(index: Index) -> str:
    if not isinstance(index, Range):
        return show_integer(index)
    start = "" if index.start == 0 else show_integer(index.start)
    step = "" if index.step == 1 else f":{show_integer(index.step)}"
    return f"{start}:{show_integer(index.stop)}{step}"


def show_memlet(memlet: Memlet) -> str:
    """A memlet as Python would index the array; a scalar by its name alone."""
    if not memlet.subset:
        return memlet.array
    return f"{memlet.array}[{', '.join(_show_index(index) for index in memlet.subset)}]"


# ---------------------------------------------------------------- expressions


def show_expression(expression: Expression) -> str:
    """An expression infix, with the parentheses that Python needs to read it as the same tree."""
    return _expression(expression)[0]


def _expression(expression: Expression) -> tuple[str, int]:
    """The text and how tightly its outermost sign binds."""
    match expression:
        case Constant():
            return _constant(expression)
        case Integer():
            value = expression.value
            return show_integer(value), _ATOM if value.is_Atom and not value.is_negative else _COMPARISON + 1
        case Read():
            return show_memlet(expression.memlet), _ATOM
        case Demand():
            return f"<{show_memlet(expression.memlet)} {'after' if expression.after else '@'} {expression.key}>", _ATOM
        case Select():
            chosen, condition = _bound(expression.chosen, _SELECT + 1), _bound(expression.condition, _SELECT + 1)
            return f"{chosen} if {condition} else {_bound(expression.other, _SELECT)}", _SELECT
        case Apply():
            return _apply(expression)
        case _:
            raise CompilerBug(f"no such expression: {expression!r}")


def _constant(constant: Constant) -> tuple[str, int]:
    text = repr(constant.value)
    if constant.dtype.is_float and constant.dtype != F64:
        return f"{constant.dtype}({text})", _ATOM
    return text, _NEGATION if text.startswith("-") else _ATOM


def _apply(expression: Apply) -> tuple[str, int]:
    name, operands = expression.operation, expression.operands
    if name in _SIGNS and len(operands) == 2:
        return _infix(*_SIGNS[name], operands)
    if name == "neg":
        return f"-{_bound(operands[0], _NEGATION)}", _NEGATION
    if name == "not":
        return f"not {_bound(operands[0], _NOT)}", _NOT
    called = str(expression.dtype) if name == "cast" else name
    return f"{called}({', '.join(show_expression(operand) for operand in operands)})", _ATOM


def _infix(sign: str, binding: int, operands: tuple[Expression, ...]) -> tuple[str, int]:
    """Left to right, but for `**`, which is right to left; comparisons do not chain."""
    left_least = binding + 1 if sign == "**" or binding == _COMPARISON else binding
    right_least = _NEGATION if sign == "**" else binding + 1
    left, right = _bound(operands[0], left_least), _bound(operands[1], right_least)
    space = "" if sign in _TIGHT else " "
    return f"{left}{space}{sign}{space}{right}", binding


def _bound(expression: Expression, least: int) -> str:
    text, binding = _expression(expression)
    return text if binding >= least else f"({text})"


# ---------------------------------------------------------------- nodes


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    remark: str = ""

    def __str__(self) -> str:
        return f"{self.text:<{COMMENT_COLUMN}}  # {self.remark}" if self.remark else self.text


def show(program: Program) -> str:
    """The listing of a Program.

    Returns
    -------
    str
        Python-like text that ends in a newline: parameters, arrays with role and shape, and one line for each node with the line of
        the source that it came from. Not Python to be run.
    """
    lines = [_Line(f"{program.name}({', '.join(array.name for array in program.parameters)}):  # {program.stage.value}")]
    lines += [_Line(INDENT + _declaration(array)) for array in program.parameters]
    lines += [_Line(INDENT + _binding(symbol)) for symbol in program.symbols]
    named = _demanded_keys(program)
    lines += _indented(_block(program.body, lambda key: key in named))
    lines += [_Line(f"{INDENT}return {_returned(program)}")] if program.results else []
    return "".join(f"{line}\n" for line in lines)


def _demanded_keys(program: Program) -> set[str]:
    parts = (part for node in walk(program.body) for value in expressions(node) for part in walk_expression(value))
    return {part.key for part in parts if isinstance(part, Demand)}


def _returned(program: Program) -> str:
    shapes = {name: f".reshape({', '.join(extents)})" for name, extents in program.extents}
    names = ", ".join(f"{name}{shapes.get(name, '')}" for name in program.results)
    return f"({names}{',' if len(program.results) == 1 else ''})" if program.returns_tuple else names


def _binding(symbol: ShapeSymbol | IntegerSymbol) -> str:
    if isinstance(symbol, ShapeSymbol):
        return f"{symbol.symbol} = {symbol.array}.shape[{symbol.dimension}]"
    return f"{symbol.symbol} = int({symbol.parameter})"


def _declaration(array: Array) -> str:
    shape = f"[{', '.join(show_integer(extent) for extent in array.shape)}]" if array.shape else ""
    role = "" if array.role is Role.LOCAL else f" {array.role.value}"
    return f"{array.name}: {array.dtype}{shape}{role}"


def _indented(lines: Iterator[_Line]) -> list[_Line]:
    found = [_Line(INDENT + line.text, line.remark) for line in lines]
    return found or [_Line(f"{INDENT}pass")]


def _block(block: Block, is_named: Callable[[str], bool]) -> Iterator[_Line]:
    yield from (_Line(_declaration(array)) for array in block.arrays)
    for node in block.body:
        yield from _node(node, is_named)


def _node(node: Node, is_named: Callable[[str], bool]) -> Iterator[_Line]:
    match node:
        case Block():
            yield _Line("block:")
            yield from _indented(_block(node, is_named))
        case Loop():
            yield _Line(_label(node.key, is_named) + _loop_head(node), _remark(node))
            yield from _indented(_block(node.body, is_named))
        case While():
            head = f"while {show_expression(node.guard)}, counting {node.index}:"
            yield _Line(_label(node.key, is_named) + head, _remark(node))
            yield from _indented(_block(node.body, is_named))
        case Branch():
            yield _Line(f"{_label(node.key, is_named)}if {show_expression(node.guard)}:", _remark(node))
            yield from _indented(_block(node.then, is_named))
            if node.orelse.body or node.orelse.arrays:
                yield _Line("else:")
                yield from _indented(_block(node.orelse, is_named))
        case Tasklet() | Library() | Exchange() | Check():
            yield _Line(_label(node.key, is_named) + _leaf(node), _remark(node))
        case _:
            raise CompilerBug(f"no such node: {node!r}")


def _remark(node: Statement) -> str:
    free = isinstance(node, Tasklet) and node.reassociable
    return f"line {node.where.line}{', any order' if free else ''}"


def _label(key: str, is_named: Callable[[str], bool]) -> str:
    return f"@{key} " if is_named(key) else ""


def _loop_head(loop: Loop) -> str:
    bounds = [show_integer(loop.start), show_integer(loop.stop)] + ([] if loop.step == 1 else [str(loop.step)])
    return f"{'parallel ' if loop.parallel else ''}for {loop.index} in range({', '.join(bounds)}):"


def _leaf(node: Tasklet | Library | Exchange | Check) -> str:
    match node:
        case Tasklet():
            return f"{show_memlet(node.write)} {'+=' if node.accumulate else '='} {show_expression(node.value)}"
        case Library():
            attributes = [f"{name}={value!r}" for name, value in node.attributes]
            operands = ", ".join([show_memlet(memlet) for memlet in node.reads] + attributes)
            return f"{show_memlet(node.write)} {'+=' if node.accumulate else '='} {node.operation}({operands})"
        case Exchange():
            return f"{node.first}, {node.second} = {node.second}, {node.first}"
        case Check():
            values = "".join(f", {show_expression(value)}" for value in node.values)
            return f"check {show_expression(node.condition)} else {node.error}: {node.message!r}{values}"
