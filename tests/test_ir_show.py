"""The listing of a Program: golden texts, and expressions that Python reads back as the same tree."""

import ast

import pytest
import sympy

from dfad.ir.memlet import symbol
from dfad.ir.nodes import Stage, Tasklet
from dfad.ir.show import show, show_expression, show_integer
from dfad.ir.walk import walk
from tests.ir_text import build

SEIDEL = """
def seidel(A: f8[N, M], T: int):
    s: f8 = result
    for t in range(0, T):
        for i in range(1, N - 1):
            for j in range(1, M - 1):
                A[i, j] = 0.5*A[i, j] + 0.25*sin(A[i - 1, j]*A[i, j - 1])
    s = 0.0
    for i2 in range(N - 1, -1, -1):
        s += A[i2, floor(M/2)]
    return s
"""

MIXED = """
def mixed(a: f4[N], n: int, x: f8):
    total: f8 = result
    k: i8
    k = floordiv(n, 2)
    assert k < N, "index"
    total = 0.0
    if x > 0.0 and not a[k] > f4(1.0):
        b: f4[N - 1]
        for i in range(0, N - 1):
            b[i] = -a[i + 1]*(a[i] - a[k])
        total += reduce_max(b[:], axes=(0,))
    else:
        with block:
            c: f4[N]
            d: f4[N]
            c, d = d, c
    return (total,)
"""

ADJOINT = """
def adjoint(A: f8[N], A_bar: f8[N], n: int):
    s: f8 = adjoint
    A[0] = A[0]*A[0]
    s = A_bar[0]
    A_bar[0] = 0.0
    A_bar[0] += s*(2.0*demand(A[0], "L3") + after(A[0], "L3"))
"""


@pytest.mark.parametrize(("name", "text", "stage"), [
    ("seidel", SEIDEL, Stage.PRIMAL), ("mixed", MIXED, Stage.PRIMAL), ("adjoint", ADJOINT, Stage.ADJOINT),
])  # fmt: skip
def test_listing(golden, name, text, stage):
    golden(f"ir_show_{name}.txt", show(build(text, stage)))


EXPRESSIONS = [
    "a - (b - c)", "a - b - c", "(a + b)*c", "a*b/c", "a/(b*c)", "-a*b", "-(a*b)", "a**-b", "(-a)**b", "a**b**c", "(a**b)**c",
    "a if b < c else b if a > c else c", "(a if b < c else b) + c", "not (a < b and b < c) or a == c", "-(-a)", "sin(a + b)*cos(c)",
    "(a < b) == (b < c)", "a - -b", "a*(b % c)", "a//b*c",
]  # fmt: skip


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_parentheses_are_right(text):
    program = build(f"def f(a: f8, b: f8, c: f8, r: f8):\n    r = {text}")
    (tasklet,) = (node for node in walk(program.body) if isinstance(node, Tasklet))
    shown = show_expression(tasklet.value)
    assert ast.dump(ast.parse(shown)) == ast.dump(ast.parse(text))
    assert shown.count("(") <= text.count("(")


INTEGERS = {
    "2*floor(N/2)": "2*(N//2)", "floor((N + 1)/2)": "(N + 1)//2", "floor(N/M)": "N//M", "N - floor(N/2)": "N - (N//2)",
    "2*Mod(N, 3) + 1": "2*(N % 3) + 1", "Min(N, M + 1)": "min(M + 1, N)", "Max(0, N - 1)": "max(0, N - 1)", "-floor(N/3)": "-(N//3)",
    "floor((N + 1)/(M + 1))": "(N + 1)//(M + 1)",
}  # fmt: skip


@pytest.mark.parametrize(("value", "text"), INTEGERS.items())
def test_integers_are_python(value, text):
    expression = sympy.sympify(value, locals={name: symbol(name) for name in "NM"})
    assert show_integer(expression) == text
    for n, m in ((5, 2), (12, 7)):
        assert eval(text, {"N": n, "M": m}) == expression.subs({symbol("N"): n, symbol("M"): m})
