"""verify takes every well-formed Program and names what is wrong with a broken one."""

from dataclasses import replace

import pytest
import sympy

from dfad.errors import CompilerBug
from dfad.ir.dtype import F32, F64
from dfad.ir.memlet import Memlet
from dfad.ir.nodes import Array, Block, Constant, Program, Read, Role, Stage, Tasklet
from dfad.ir.verify import verify
from dfad.ir.walk import rewrite
from tests.ir_text import build
from tests.test_ir_show import ADJOINT, MIXED, SEIDEL

GOOD = [
    (SEIDEL, Stage.PRIMAL),
    (MIXED, Stage.PRIMAL),
    (ADJOINT, Stage.ADJOINT),
    ("""
    def gather(a: f8[N], idx: i8[M]):
        for j in range(0, M):
            k: i8
            k = idx[j]
            a[k] = 2.0*a[k]
            with block:
                b: f8[k + 1]
                b[0] = a[k]
    """, Stage.PRIMAL),
    ("""
    def f(a: f8[N]):
        k: i8
        with block:
            with block:
                k = 1
        with block:
            a[k] = 1.0
    """, Stage.PRIMAL),
    ("""
    def f(a: f8[N]):
        k: i8
        b: f8[k]
        k = 2
        for i in range(0, k):
            b[i] = a[i]
    """, Stage.PRIMAL),
    ("""
    def product(A: f8[N, K], B: f8[K, M], C: f8[N, M], v: f8[K], w: f8[N]):
        C[:, :] = matmul(A[:, :], B[:, :])
        w[:] += matmul(A[:, :], v[:])
        w[:] = reduce_max(C[:, :], axes=(1,))
    """, Stage.PRIMAL),
]  # fmt: skip


@pytest.mark.parametrize(("text", "stage"), GOOD)
def test_well_formed(text, stage):
    program = build(text, stage)
    assert verify(program) is program


BAD = [
    ("def f(a: f8[N]):\n    a[0] = b", "the symbol b in b is not bound there"),
    ("def f(a: f8[N]):\n    a[:] = 1.0", "a[:N] is a range where an element must stand"),
    ("def f(a: f8[N]):\n    a[M] = 1.0", "the symbol M in M is not bound there"),
    ("def f(a: f8[N]):\n    for i in range(0, N):\n        pass\n    a[i] = 1.0", "the symbol i in i is not bound there"),
    ("def f(a: f8[N]):\n    for i in range(0, N):\n        for i in range(0, N):\n            a[i] = 1.0", "the name i is declared twice"),
    ("def f(a: f8[N]):\n    for i in range(0, i):\n        a[i] = 1.0", "the symbol i in i is not bound there"),
    ("def f(a: f8[N]):\n    a: f8", "the name a is declared twice"),
    ("def f(a: f8[N]):\n    with block:\n        b: f8\n        b = 1.0\n    a[0] = b", "b: b is not in scope"),
    ("def f(a: f8[N]):\n    k: i8\n    a[k] = 1.0\n    k = 0", "the symbol k in k is not bound there"),
    ("def f(a: f8[N]):\n    k: i8\n    k = 0\n    a[k] = 1.0\n    k = 1", "the integer scalar k is written 2 times"),
    ("def f(a: f8[N]):\n    k: i8\n    if a[0] > 0.0:\n        k = 0\n    a[k] = 1.0", "the symbol k in k is not bound there"),
    ("def f(a: f8[N]):\n    k: f8\n    k = 1.0\n    a[k] = 1.0", "the symbol k in k is not bound there"),
    ("def f(a: f8[N]):\n    k: i8\n    b: f8[k]\n    b[0] = 1.0\n    k = 1", "the symbol k in k is not bound there"),
    ("def f(a: f8[N]):\n    for i in range(0, N):\n        k: i8\n        b: f8[k]\n        k = 1\n        b[0] = 0.0", "the symbol k"),
    ("def f(a: f8[N]):\n    k: i8\n    b: f8[k]\n    for i in range(0, N):\n        k = 1\n        b[0] = 0.0", "the symbol k"),
    ("def f(a: f8[N]):\n    if a[0]:\n        pass", "the guard of L2 is float64, not bool"),
    ("def f(a: f8[N]):\n    assert a[0]", "the condition of L2 is float64, not bool"),
    ("def f(a: f8[N]):\n    assert a[0] > 0.0, 'weather'", "L2 checks for an unknown error weather"),
    ("def f(a: f8[N]):\n    a[0] = sin(a[0], a[0])", "sin of 2 operands"),
    ("def f(a: f8[N]):\n    a[0] = sine(a[0])", "no operation sine"),
    ("def f(a: f8[N]):\n    a[0] = 1.0 if a[0] and a[0] > 1.0 else 0.0", "and gives bool, not float64"),
    ("def f(a: f8[N]):\n    a[0] = demand(a[0], 'L2')", "an open demand of a[0] in a primal program"),
    ("def f(a: f8[N]):\n    b: f8 = adjoint\n    b = 0.0", "b has role adjoint in a primal program"),
    ("def f(a: f8[N], b: f8[M]):\n    a, b = b, a", "L2 exchanges a and b of different dtype or shape"),
    ("def f(a: f8[N], b: f8[N]):\n    a[:] = matmul(a[:], b[:])", "L2: matmul of ranks [1, 1] gives no rank 1"),
    ("def f(a: f8[N], b: f8[N]):\n    a[:] = reduce_max(b[:], axes=(0,))", "L2: reduce_max of ranks [1] over axes (0,) gives no rank 1"),
    ("def f(a: f8[N]):\n    return b", "the result b is no parameter"),
    ("def f(a: f8[N]):\n    for i in range(0, N, 0):\n        pass", "the step of L2 is 0"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), BAD)
def test_ill_formed(text, message):
    with pytest.raises(CompilerBug) as caught:
        verify(build(text))
    assert message in caught.value.message
    assert caught.value.program.startswith("f(a")


def broken(change, text=SEIDEL, stage=Stage.PRIMAL) -> Program:
    program = build(text, stage)
    return replace(program, body=rewrite(program.body, change))


def test_a_node_in_two_places():
    def twice(node):
        return (node, node) if isinstance(node, Tasklet) else node

    with pytest.raises(CompilerBug, match="stands in two places"):
        verify(broken(twice))


def test_a_key_of_two_nodes():
    def twice(node):
        return (node, replace(node)) if isinstance(node, Tasklet) else node

    with pytest.raises(CompilerBug, match="the key L6 names two nodes"):
        verify(broken(twice))


def test_a_memlet_of_wrong_rank():
    def shorten(node):
        return replace(node, write=Memlet("A", (sympy.Integer(0),))) if isinstance(node, Tasklet) and node.key == "L6" else node

    with pytest.raises(CompilerBug, match="has 1 indices and A rank 2"):
        verify(broken(shorten))


def test_a_read_of_wrong_dtype():
    def narrow(node):
        return replace(node, value=Read(Memlet("s"), F32)) if isinstance(node, Tasklet) and node.key == "L7" else node

    with pytest.raises(CompilerBug, match="s is read as float32 and is float64"):
        verify(broken(narrow))


def test_a_constant_of_wrong_kind():
    def blur(node):
        return replace(node, value=Constant(True, F64)) if isinstance(node, Tasklet) and node.key == "L7" else node

    with pytest.raises(CompilerBug, match="the constant True is no float64"):
        verify(broken(blur))


def test_a_local_of_a_parameter_role():
    def promote(node):
        return replace(node, arrays=(Array("extra", F64, (), Role.RESULT),)) if isinstance(node, Block) and not node.arrays else node

    with pytest.raises(CompilerBug, match="extra"):
        verify(broken(promote))


def test_a_demand_of_a_key_that_is_not_there():
    with pytest.raises(CompilerBug, match="names the key L9, which no node has"):
        verify(build("def f(a: f8[N]):\n    a[0] = demand(a[0], 'L9')", Stage.ADJOINT))


def test_a_demand_outside_the_loop_of_its_node():
    text = "def f(a: f8[N]):\n    for i in range(0, N):\n        a[i] = 1.0\n    a[0] = demand(a[0], 'L3')"
    with pytest.raises(CompilerBug, match=r"a demand of a\[0\] at L3 stands outside the loops \['i'\]"):
        verify(build(text, Stage.ADJOINT))


def test_the_reverse_may_bind_an_index_again():
    text = """
    def f(a: f8[N]):
        for i in range(0, N):
            a[i] = 2.0*a[i]
        for i in range(N - 1, -1, -1):
            a[i] = demand(a[i], 'L3')
    """
    verify(build(text, Stage.ADJOINT))
    with pytest.raises(CompilerBug, match="the name i is declared twice"):
        verify(build(text, Stage.PRIMAL))
