"""Programs that must be refused: what is underlined, in which line, the message and the hint.

`define` makes a function of a text; line 1 is the `def`.
"""

import linecache
import math
from dataclasses import dataclass
from types import FunctionType

import numpy as np

from tests.gallery.makers import Make, all_of, array, number, size, value


def define(text: str, name: str = "refused") -> FunctionType:
    """The function that a text defines, as if it stood in a file of its own."""
    filename = f"<{name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace = {"np": np, "math": math, "twice": twice, "recursive": recursive}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["f"]


def twice(x):
    return 2.0 * x


def recursive(n):
    if n > 0:
        n = recursive(n - 1)
    return n


ARRAY = array("n")


@dataclass(frozen=True)
class Refused:
    """A program and its refusal: the line from 1, the underlined text, parts of message and hint."""

    text: str
    line: int
    underlined: str
    message: str
    hint: str | None
    make: Make = ARRAY


X = array("n")
XN = all_of(array("n"), size())
XC = all_of(array("n"), number())

SYNTAX = {
    "comprehension": Refused("def f(x):\n    return [v for v in x]\n", 2, "[v for v in x]", "cannot be kept", "np.array"),
    "generator": Refused("def f(x):\n    g = (v for v in x)\n    return sum(g)\n", 2, "(v for v in x)", "cannot be kept", "np.array"),
    "comprehension_of_a_set": Refused("def f(x):\n    return len({v for v in x})\n", 2, "{v for v in x}", "comprehensions", "for loop"),
    "comprehension_in_a_lambda": Refused(
        "def f(x):\n    g = lambda a: sum([v * a for v in x])\n    return g(2.0)\n", 2, "[v * a for v in x]", "in a lambda", "def"
    ),
    "lambda_of_any_number": Refused("def f(x):\n    g = lambda *v: v[0]\n    return g(x)\n", 2, "v", "*v", "name each"),
    "dict": Refused("def f(x):\n    d = {'a': 1}\n    return x\n", 2, "{'a': 1}", "dictionaries", "parameters"),
    "try": Refused("def f(x):\n    try:\n        x[0] = 1\n    except ValueError:\n        pass\n", 2, "try:", "try", "if"),
    "raise": Refused("def f(x):\n    raise ValueError\n", 2, "raise ValueError", "raise", "assert"),
    "with": Refused("def f(x):\n    with x:\n        pass\n", 2, "with x:", "with", None),
    "import": Refused("def f(x):\n    import numpy\n    return x\n", 2, "import numpy", "import", "outside"),
    "global": Refused("def f(x):\n    global g\n    g = 1\n", 2, "global g", "global", "array"),
    "def_in_a_loop": Refused(
        "def f(x):\n    for i in range(3):\n        def g(v):\n            return v\n    return x\n",
        3,
        "def g(v):",
        "in a loop or branch",
        "before",
    ),
    "decorated_def": Refused("def f(x):\n    @h\n    def g(v):\n        return v\n    return g(x)\n", 2, "h", "decorated", "leave"),
    "default_of_an_inner_function": Refused(
        "def f(x):\n    def g(v, w=x):\n        return v\n    return g(x)\n", 2, "x", "default", "in the call"
    ),
    "nonlocal": Refused(
        "def f(x):\n    s = 0.0\n    def g(v):\n        nonlocal s\n        s += v\n    g(x[0])\n    return s\n",
        4,
        "nonlocal s",
        "nonlocal",
        "array",
    ),
    "class": Refused("def f(x):\n    class C:\n        pass\n", 2, "class C:", "class", None),
    "yield": Refused("def f(x):\n    yield x\n", 2, "yield x", "yield", "array"),
    "del": Refused("def f(x):\n    del x\n", 2, "del x", "del", "leave it out"),
    "match": Refused("def f(x):\n    match x:\n        case _:\n            pass\n", 2, "match x:", "match", "elif"),
    "walrus": Refused("def f(x):\n    return (y := x)\n", 2, "y := x", ":=", "statement"),
    "f_string": Refused("def f(x):\n    s = f'{x}'\n    return x\n", 2, "f'{x}'", "strings", None),
    "starred_call": Refused("def f(x):\n    return np.sum(*x)\n", 2, "*x", "*", "one by one"),
    "double_star_call": Refused("def f(x):\n    return np.sum(**x)\n", 2, "x", "**", "one by one"),
    "in": Refused("def f(x):\n    return 1.0 in x\n", 2, "1.0 in x", "in is not", "=="),
    "complex": Refused("def f(x):\n    return x * 1j\n", 2, "1j", "complex", "two arrays"),
    "attribute_assigned": Refused("def f(x):\n    x.shape = 3\n", 2, "x.shape", "attributes", "A[...]"),
    "star_arguments": Refused("def f(x, *rest):\n    return x\n", 1, "rest", "*rest", "name each"),
}
"""Refused before any type is known."""

MEANING = {
    "return_of_number_or_nothing": Refused(
        "def f(x):\n    if x[0] > 0:\n        return 1.0\n    return\n", 4, "return", "result becomes", "number"
    ),
    "return_of_number_or_array": Refused(
        "def f(x):\n    if x[0] > 0:\n        return 1.0\n    return x\n", 4, "return x", "result is", "one type"
    ),
    "print": Refused("def f(x):\n    print(x)\n", 2, "print(x)", "print", "returns"),
    "numpy_function": Refused("def f(x):\n    return np.linalg.inv(x)\n", 2, "np.linalg.inv(x)", "np.linalg.inv is", "before the kernel"),
    "zip_of_number": Refused(
        "def f(x):\n    for a, b in zip(x, 3):\n        pass\n", 2, "for a, b in zip(x, 3):", "arrays and ranges", "range"
    ),
    "recursion": Refused("def f(x, n):\n    return recursive(n)\n", 3, "recursive(n - 1)", "calls itself", "loop", XN),
    "float_index": Refused("def f(x):\n    return x[x]\n", 2, "x[x]", "index is an integer", "int()"),
    "builtin_max_of_rows": Refused("def f(A):\n    return max(A)\n", 2, "max(A)", "a number is needed", "element", array("n", "n")),
    "fractional_index": Refused("def f(x):\n    return x[len(x) / 2]\n", 2, "x[len(x) / 2]", "index is an integer", "//"),
    "too_many_indices": Refused("def f(x):\n    return x[0, 0]\n", 2, "x[0, 0]", "x has 1 dimension, and here are 2 indices", None),
    "fractional_range": Refused("def f(x):\n    for i in range(len(x) / 2):\n        pass\n", 2, "range(len(x) / 2)", "integers", "//"),
    "undefined_name": Refused("def f(x):\n    return y\n", 2, "y", "y is not defined", None),
    "unassigned_variable": Refused("def f(x):\n    y += 1.0\n    return y\n", 2, "y", "read before", "every path"),
    "array_as_condition": Refused("def f(x):\n    if x > 0:\n        x[0] = 1\n", 2, "if x > 0:", "number is needed", "np.sum"),
    "wrong_ranks_stored": Refused("def f(x):\n    x[0] = x\n", 2, "x[0] = x", "cannot be stored", None),
    "shapes_that_cannot_fit": Refused(
        "def f(x):\n    return np.zeros(3) + np.zeros(4)\n",
        2,
        "np.zeros(3) + np.zeros(4)",
        "in np.zeros(3) + np.zeros(4): extents 3 and 4",
        None,
    ),
    "float_into_integers": Refused("def f(x):\n    k = np.arange(3)\n    k += 0.5\n", 3, "k += 0.5", "float", "A = A op"),
    "number_as_array": Refused("def f(x, c):\n    return c[0]\n", 2, "c[0]", "no elements", None, XC),
    "wrong_unpacking": Refused("def f(x):\n    a, b = 1.0, 2.0, 3.0\n", 2, "a, b = 1.0, 2.0, 3.0", "3 values for 2", None),
    "unpacked_shape": Refused("def f(x):\n    n, m = x.shape\n", 2, "n, m = x.shape", "x has 1 dimension, and here are 2 names", None),
    "extent_of_no_axis": Refused("def f(x):\n    return x.shape[1]\n", 2, "x.shape[1]", "x has 1 dimension, so that there is no", None),
    "too_many_indices_stored": Refused("def f(x):\n    x[0, 0] = 1\n", 2, "x[0, 0] = 1", "x has 1 dimension, and here are 2 in", None),
    "text_as_bound": Refused(
        "def f(x, n):\n    for i in range(n):\n        x[0] = 1\n",
        2,
        "range(n)",
        "parameter n is the text '2'",
        None,
        all_of(X, value("2")),
    ),
    "unique": Refused("def f(x):\n    return np.unique(x)\n", 2, "np.unique(x)", "np.unique is not", "before the kernel"),
    "einsum": Refused(
        "def f(x):\n    return np.einsum('i...,i', x, x)\n", 2, "np.einsum('i...,i', x, x)", "letters, commas", "by a letter"
    ),
    "random_numbers": Refused("def f(x):\n    return np.random.rand(3)\n", 2, "np.random.rand(3)", "np.random.rand is not", "draw"),
    "unpacked_number": Refused("def f(x, c):\n    a, b = c\n", 2, "a, b = c", "unpacked", None, XC),
    "unknown_keyword": Refused("def f(x):\n    return np.sum(x, where=x)\n", 2, "np.sum(x, where=x)", "where", "fewer arguments"),
    "wrong_arguments": Refused("def f(x):\n    return twice(x, x)\n", 2, "twice(x, x)", "twice", None),
    "complex_dtype": Refused("def f(x):\n    return np.zeros(3, dtype=complex)\n", 2, "np.zeros(3, dtype=complex)", "complex", "float64"),
    "unknown_attribute": Refused("def f(x):\n    return x.flat\n", 2, "x.flat", "flat", None),
    "returned_range": Refused("def f(x):\n    return range(3)\n", 2, "return range(3)", "cannot return", "numbers, arrays"),
    "type_changes_in_loop": Refused(
        "def f(x):\n    s = 0.0\n    for i in range(3):\n        s = s + x\n    return s\n", 4, "s = s + x", "s is", "another name"
    ),
    "rank_changes_in_loop": Refused(
        "def f(x):\n    for i in range(3):\n        x = x[:, None] * x\n    return x\n", 3, "x = x[:, None] * x", "x is", "another name"
    ),
    "reshaped_then_written": Refused(
        "def f(x):\n    y = x.T.reshape(-1)\n    y[0] = 1.0\n", 3, "y[0] = 1.0", "share", "y.copy()", array("n", "n")
    ),
    "joined_ranks": Refused(
        "def f(x):\n    return np.concatenate((x, x[:, None]))\n", 2, "np.concatenate((x, x[:, None]))", "one rank", "np.stack"
    ),
    "returns_nothing_on_a_path": Refused(
        "def f(x):\n    for v in x:\n        if v > 0:\n            return v * x\n",
        2, "for v in x:", "result becomes None", "a number or an array",
    ),
    "returns_array_or_number": Refused(
        "def f(x):\n    if x[0] > 0:\n        return x[x > 0]\n    return 1.0\n",
        4, "return 1.0", "a float64 number here and an array elsewhere", "one type",
    ),
    "returns_arrays_of_two_types": Refused(
        "def f(x, c):\n    if c > 0:\n        return x[:2]\n    return np.arange(3)\n",
        4, "return np.arange(3)", "a int64 array of rank 1 here and a float64 array of rank 1 elsewhere", "one type", XC,
    ),
    "tuple_index_out_of_range": Refused("def f(x):\n    t = (1.0, 2.0)\n    return t[2]\n", 3, "t[2]", "integer in range", "array"),
    "tuple_of_several_kinds": Refused(
        "def f(x, n):\n    t = (1.0, x)\n    return t[n]\n", 3, "t[n]", "of several kinds", "write if", XN
    ),
    "tuple_of_unlike_arrays": Refused(
        "def f(x, n):\n    t = (x, x[:, None])\n    return t[n]\n", 3, "t[n]", "not arrays of one shape", None, XN
    ),
    "tuple_that_gets_longer": Refused(
        "def f(x, n):\n    t = (x,)\n    for i in range(n):\n        t = (t[0], t[0] * 2.0)\n    return t[0]\n",
        4,
        "t = (t[0], t[0] * 2.0)",
        "t gets another length in a loop or branch",
        "of the final length",
        XN,
    ),
    "tuple_that_is_added_to": Refused(
        "def f(x, n):\n    t = (x, x)\n    for i in range(n):\n        t = (t[1], t[0] * 2.0)\n    t += (x,)\n    return t[0]\n",
        4,
        "t = (t[1], t[0] * 2.0)",
        "becomes a tuple of 2",
        "with all the items",
        XN,
    ),
    "sides_of_lengths_unknown": Refused(
        "def f(x, c):\n    return np.sum(x[x > 0] if c > 0 else x[x < 0])\n",
        2,
        "x[x > 0] if c > 0 else x[x < 0]",
        "lengths of their own",
        "on each path",
        XC,
    ),
    "decimals_of_a_python_number": Refused("def f(x, c):\n    return round(c, 2)\n", 2, "round(c, 2)", "to decimals", "np.round", XC),
    "decimals_unknown": Refused("def f(x, n):\n    return np.round(x, n)\n", 2, "np.round(x, n)", "number of decimals", None, XN),
    "reversed_number": Refused(
        "def f(x, c):\n    for i in reversed(c):\n        pass\n", 2, "reversed(c)", "reversed takes a range", None, XC
    ),
    "differences_unknown": Refused("def f(x, n):\n    return np.diff(x, n)\n", 2, "np.diff(x, n)", "number of times", None, XN),
    "shifts_and_axes": Refused(
        "def f(x):\n    return np.roll(x, (1, 2, 3), (0, 1))\n", 2, "np.roll(x, (1, 2, 3), (0, 1))", "3 shifts", None, array("n", 2)
    ),
    "one_of_too_many_rows": Refused(
        "def f(A):\n    u = A[0]\n    for i in range(3):\n"
        + "".join(f"        if A[0, 0] > {k}:\n            u = A[{k}]\n" for k in range(1, 23))
        + "        u[0] = 1.0\n    return A[0, 0]\n",
        43,
        "u = A[20]",
        "kinds of view",
        "another name",
        array(24, 2),
    ),
    "list_that_grows": Refused(
        "def f(x):\n    r = []\n    for k in range(3):\n        r = r + [x[k]]\n    return r[0]\n",
        4,
        "r = r + [x[k]]",
        "r gets another length in a loop or branch",
        "of the final length",
    ),
    "list_appended_in_a_loop": Refused(
        "def f(x):\n    r = []\n    for k in range(len(x)):\n        r.append(x[k])\n    return len(r)\n",
        4,
        "r.append(x[k])",
        "r gets another length in a loop or branch",
        "np.append(r, value)",
    ),
    "list_extended_in_a_branch": Refused(
        "def f(x):\n    r = [x[0]]\n    if x[0] > 1.0:\n        r += [x[1]]\n    return len(r)\n",
        4,
        "r += [x[1]]",
        "r gets another length in a loop or branch",
        "of the final length",
    ),
    "tuple_extended_in_a_loop": Refused(
        "def f(x):\n    r = (x[0],)\n    while len(r) < 3:\n        r += (x[1],)\n    return len(r)\n",
        4,
        "r += (x[1],)",
        "r gets another length in a loop or branch",
        "of the final length",
    ),
    "list_repeated_in_a_loop": Refused(
        "def f(x):\n    r = [x[0]]\n    for k in range(3):\n        r *= 2\n    return len(r)\n",
        4,
        "r *= 2",
        "r gets another length in a loop or branch",
        "of the final length",
    ),
    "list_under_two_names": Refused(
        "def f(x):\n    r = [x[0]]\n    q = r\n    q.append(x[1])\n    return len(r) + len(q)\n",
        4,
        "q.append(x[1])",
        "q and r are one list",
        "q = q + [...]",
    ),
    "list_in_a_tuple": Refused(
        "def f(x):\n    r = [x[0]]\n    q = (r, x)\n    r += [x[1]]\n    return len(q[0])\n",
        4,
        "r += [x[1]]",
        "r and q are one list",
        "r = r + [...]",
    ),
    "list_one_of_two": Refused(
        "def f(x):\n    a, b = [x[0]], [x[1]]\n    r = a if x[0] > 1.0 else b\n    r += [x[1]]\n    return len(r) + len(a)\n",
        4,
        "r += [x[1]]",
        "r is one of several lists",
        "r = r + [...]",
    ),
    "choice_of_list_or_array": Refused(
        "def f(x):\n    r = x if x[0] > 1.0 else [0.0, 1.0]\n    return len(r)\n",
        2,
        "x if x[0] > 1.0 else [0.0, 1.0]",
        "the sides are a float64 array of rank 1 and a list of 2",
        "np.array(...)",
    ),
    "list_changes_in_its_loop": Refused(
        "def f(x):\n    r = [x[0]]\n    for v in r:\n        r.append(v)\n    return len(r)\n",
        4,
        "r.append(v)",
        "r changes while a loop goes over it",
        "r[:]",
    ),
    "list_changes_under_enumerate": Refused(
        "def f(x):\n    r = [x[0]]\n    for i, v in enumerate(r):\n        r += [v]\n    return len(r)\n",
        4,
        "r += [v]",
        "r changes while a loop goes over it",
        "r[:]",
    ),
    "list_that_may_be_another": Refused(
        "def f(x):\n    a = [x[0], 1.0]\n    b = a if x[0] > 1.0 else [0.0, 0.0]\n    a.append(1.0)\n    return len(b)\n",
        4,
        "a.append(1.0)",
        "a and b are one list",
        "a = a + [...]",
    ),
    "call_in_a_chain": Refused(
        "def g(x):\n    x[0] += 1.0\n    return x[0]\n\n\ndef f(x):\n    return 1.0 < x[0] < g(x)\n",
        7,
        "1.0 < x[0] < g(x)",
        "a call in a chained comparison",
        "b < f(x)",
    ),
    "list_extended_by_an_array": Refused(
        "def f(x):\n    r = [0.0, 1.0, 2.0]\n    r += x\n    return len(r)\n",
        3,
        "r += x",
        "a list is extended by",
        "np.append(np.array(r), ...)",
    ),
    "append_to_an_array": Refused(
        "def f(x):\n    x.append(1.0)\n",
        2,
        "x.append(1.0)",
        "has no attribute append here",
        "np.append(u, value)",
    ),
    "integers_to_negative_powers": Refused(
        "def f(x):\n    p = np.arange(3)\n    return np.sum(x) + np.sum(p**-1)\n", 3, "p**-1", "no integers to negative powers", "a float"
    ),
    "norm_of_another_order": Refused(
        "def f(x):\n    return np.linalg.norm(x, 3)\n", 2, "np.linalg.norm(x, 3)", "takes ord 1, 2", "np.abs"
    ),
    "constant_beyond_int32": Refused(
        "def f(x):\n    p = x.astype(np.int32)\n    return np.sum(p + 2**31)\n", 3, "p + 2**31", "out of bounds for int32", "np.int64"
    ),
    "sides_of_other_lengths": Refused(
        "def f(x, c):\n    return np.sum(x[1:] if c > 0 else x * 2.0)\n",
        2,
        "x[1:] if c > 0 else x * 2.0",
        "only views may have",
        "on each path",
        XC,
    ),
    "list_repeated": Refused("def f(x, n):\n    return np.sum([0.0] * n)\n", 2, "[0.0] * n", "is repeated", "np.full", XN),
    "list_negated": Refused("def f(x):\n    return x + -[1.0, 2.0]\n", 2, "-[1.0, 2.0]", "not defined for a list", "np.array"),
    "list_and_number": Refused("def f(x):\n    return (1.0, 2.0) + 1.0\n", 2, "(1.0, 2.0) + 1.0", "not defined for a tuple", "np.array"),
    "list_compared": Refused("def f(x):\n    return [1.0] == 1.0\n", 2, "[1.0] == 1.0", "not defined for a list", "np.array"),
    "list_of_nothing": Refused("def f(x):\n    return x + np.array([])\n", 2, "np.array([])", "of nothing", "np.zeros(0)"),
    "rows_of_several_ranks": Refused("def f(x):\n    return np.array([x, 1.0])\n", 2, "np.array([x, 1.0])", "one shape", None),
    "dot_of_stacks": Refused(
        "def f(x):\n    return np.dot(x, x)\n", 2, "np.dot(x, x)", "np.dot takes vectors", "write @", array("n", 2, 2)
    ),
    "is_number": Refused("def f(x, n):\n    return n is x\n", 2, "n is x", "None only", "==", XN),
    "slice_step": Refused("def f(x, c):\n    return x[::c] * 1.0\n", 2, "x[::c]", "step of a slice", None, XC),
    "string_as_number": Refused(
        "def f(x, mode):\n    return x + mode\n", 2, "x + mode", "parameter mode is the text 'fast'", None, all_of(X, value("fast"))
    ),
    "matmul_of_numbers": Refused("def f(x, c):\n    return x @ c\n", 2, "x @ c", "array is needed", None, XC),
}
"""Refused when types are known."""
