"""Programs written by hand, as text: a few lines of Python read straight into IR, for tests of the rooms behind the frontend.

    build('''
    def smooth(A: f8[N, M], T: int):
        s: f8 = result                      # an array with a role; no value: declared in the Block around it
        for t in range(0, T):
            for i in range(1, N - 1):
                A[i, 0] = 0.5*A[i, 0] + sin(A[i - 1, 0])
        s = 0.0
        return s
    ''')

The key of a node is ``L`` and its line (the ``def`` is line 1). ``demand(A[i], "L6")`` and ``after(A[i], "L6")`` are demands;
``A, B = B, A`` is an exchange; ``assert i < N, "index"`` a check; ``with block:`` a plain Block; ``C[:, :] = matmul(A[:, :], B[:, :])``
a Library call; ``while (err > tol, k):`` a While that counts its trips in k; an extent, an
integer parameter or a loop index in an expression is a symbol. Nothing is inferred but the dtypes of reads.
"""

import ast
import textwrap
from dataclasses import replace

import sympy

from dfad.ir.dtype import BOOL, F32, F64, I64, Dtype
from dfad.ir.memlet import Index, Memlet, Range, symbol
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
    Stage,
    Tasklet,
    While,
)
from dfad.source import Location

DTYPES = {"f8": F64, "f4": F32, "i8": I64, "b1": BOOL}
LIBRARY = {"matmul", "reduce_max", "reduce_min"}
SIGNS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow",
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne", ast.And: "and", ast.Or: "or",
    ast.USub: "neg", ast.Not: "not",
}  # fmt: skip


def build(text: str, stage: Stage = Stage.PRIMAL) -> Program:
    (definition,) = ast.parse(textwrap.dedent(text).strip()).body
    assert isinstance(definition, ast.FunctionDef)
    return Builder().program(definition, stage)


class Builder:
    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}
        self.indices: set[str] = set()
        self.results: list[Array] = []

    # ------------------------------------------------------------ the whole

    def program(self, definition: ast.FunctionDef, stage: Stage) -> Program:
        parameters, symbols = [], {}
        for argument in definition.args.args:
            if ast.unparse(argument.annotation) == "int":
                self.indices.add(argument.arg)
                symbols[argument.arg] = IntegerSymbol(symbol(argument.arg), argument.arg)
                continue
            array = self.declare(argument.arg, argument.annotation, Role.ARGUMENT)
            parameters.append(array)
            for dimension, extent in enumerate(array.shape):
                if extent.is_Symbol:
                    symbols.setdefault(extent.name, ShapeSymbol(extent, array.name, dimension))
        *statements, last = definition.body
        returned = last.value if isinstance(last, ast.Return) else None
        body = self.block(statements if returned is not None else definition.body)
        names = [] if returned is None else [part.id for part in getattr(returned, "elts", [returned])]
        return Program(
            definition.name, tuple(symbols.values()), (*parameters, *self.results), body, tuple(names),
            isinstance(returned, ast.Tuple), stage,
        )  # fmt: skip

    def declare(self, name: str, annotation: ast.expr, role: Role) -> Array:
        shape = ()
        if isinstance(annotation, ast.Subscript):
            extents = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
            shape, annotation = tuple(self.integer(extent) for extent in extents), annotation.value
        self.arrays[name] = Array(name, DTYPES[ast.unparse(annotation)], shape, role)
        return self.arrays[name]

    # ------------------------------------------------------------ nodes

    def block(self, statements: list[ast.stmt]) -> Block:
        arrays, body = [], []
        for statement in statements:
            if isinstance(statement, ast.AnnAssign):
                role = Role(statement.value.id) if statement.value else Role.LOCAL
                array = self.declare(statement.target.id, statement.annotation, role)
                (self.results if role is Role.RESULT else arrays).append(array)
            elif not isinstance(statement, ast.Pass):
                body.append(self.node(statement))
        return Block(tuple(arrays), tuple(body))

    def node(self, statement: ast.stmt) -> Node:
        where = Location("kernel.py", statement.lineno, statement.col_offset, statement.end_lineno, statement.end_col_offset)
        key = f"L{statement.lineno}"
        match statement:
            case ast.For(target=ast.Name(id=index), iter=ast.Call(args=bounds)):
                start, stop, *step = (self.integer(bound) for bound in bounds)
                self.indices.add(index)
                return Loop(symbol(index), start, stop, int(step[0]) if step else 1, self.block(statement.body), where, key)
            case ast.While(test=ast.Tuple(elts=[test, ast.Name(id=index)])):
                guard = self.expression(test)
                self.indices.add(index)
                return While(symbol(index), guard, self.block(statement.body), where, key)
            case ast.If():
                guard = self.expression(statement.test)
                return Branch(guard, self.block(statement.body), self.block(statement.orelse), where, key)
            case ast.With():
                return self.block(statement.body)
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=first), ast.Name(id=second)])]):
                return Exchange(first, second, where, key)
            case ast.Assign(targets=[target], value=ast.Call(func=ast.Name(id=name))) if name in LIBRARY:
                return self.library(target, statement.value, where, key)
            case ast.AugAssign(value=ast.Call(func=ast.Name(id=name))) if name in LIBRARY:
                return replace(self.library(statement.target, statement.value, where, key), accumulate=True)
            case ast.Assign(targets=[target]):
                return Tasklet(self.memlet(target), self.expression(statement.value), where, key)
            case ast.AugAssign(target=target):
                return Tasklet(self.memlet(target), self.expression(statement.value), where, key, accumulate=True, reassociable=True)
            case ast.Assert(test=test, msg=message):
                kind = message.value if message is not None else "assertion"
                return Check(self.expression(test), kind, "failed", where, key)
        raise AssertionError(ast.unparse(statement))

    def library(self, target: ast.expr, call: ast.Call, where: Location, key: str) -> Library:
        attributes = tuple(sorted((word.arg, ast.literal_eval(word.value)) for word in call.keywords))
        return Library(call.func.id, tuple(self.memlet(read) for read in call.args), self.memlet(target), where, key, attributes)

    # ------------------------------------------------------------ memlets and expressions

    def memlet(self, node: ast.expr) -> Memlet:
        if isinstance(node, ast.Name):
            return Memlet(node.id)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        shape = self.arrays[node.value.id].shape
        return Memlet(node.value.id, tuple(self.index(part, extent) for part, extent in zip(parts, shape, strict=True)))

    def index(self, node: ast.expr, extent: sympy.Expr) -> Index:
        if not isinstance(node, ast.Slice):
            return self.integer(node)
        start = self.integer(node.lower) if node.lower else sympy.Integer(0)
        stop = self.integer(node.upper) if node.upper else extent
        return Range(start, stop, self.integer(node.step) if node.step else sympy.Integer(1))

    def integer(self, node: ast.expr) -> sympy.Expr:
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} - {"floor", "Mod", "Min", "Max"}
        return sympy.sympify(ast.unparse(node), locals={name: symbol(name) for name in names})

    def is_symbol(self, name: str) -> bool:
        return name in self.indices or name not in self.arrays

    def expression(self, node: ast.expr) -> Expression:
        match node:
            case ast.Constant(value=bool() as value):
                return Constant(value, BOOL)
            case ast.Constant(value=value):
                return Constant(value, F64 if isinstance(value, float) else I64)
            case ast.Name(id=name) if self.is_symbol(name):
                return Integer(symbol(name))
            case ast.Name() | ast.Subscript():
                memlet = self.memlet(node)
                return Read(memlet, self.arrays[memlet.array].dtype)
            case ast.Call(func=ast.Name(id="demand" | "after" as name), args=[read, ast.Constant(value=key)]):
                memlet = self.memlet(read)
                return Demand(memlet, key, self.arrays[memlet.array].dtype, name == "after")
            case ast.Call(func=ast.Name(id=name), args=[operand]) if name in DTYPES:
                return Apply("cast", (self.expression(operand),), DTYPES[name])
            case ast.Call(func=ast.Name(id="integer"), args=[value]):
                return Integer(self.integer(value))
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self.apply(name, *arguments)
            case ast.BinOp(left=left, op=op, right=right):
                return self.apply(SIGNS[type(op)], left, right)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return replace(self.apply(SIGNS[type(op)], left, right), dtype=BOOL)
            case ast.BoolOp(op=op, values=[left, right]):
                return self.apply(SIGNS[type(op)], left, right)
            case ast.UnaryOp(op=op, operand=operand):
                return self.apply(SIGNS[type(op)], operand)
            case ast.IfExp(test=test, body=chosen, orelse=other):
                side = self.expression(chosen)
                return Select(self.expression(test), side, self.expression(other), side.dtype)
        raise AssertionError(ast.unparse(node))

    def apply(self, name: str, *operands: ast.expr) -> Apply:
        below = tuple(self.expression(operand) for operand in operands)
        return Apply(name, below, widest([operand.dtype for operand in below]))


def widest(dtypes: list[Dtype]) -> Dtype:
    return max(dtypes, key=lambda dtype: (dtype.kind == "f", dtype.kind == "i", dtype.bytes))
