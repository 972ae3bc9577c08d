"""Programs that are refused for what their values are, one for each message that refused.py has no program for."""

import numpy as np

from tests.gallery.makers import all_of, array, number
from tests.gallery.refused import Refused

X = array("n")
XC = all_of(array("n"), number())
A = array("n", "n")
AX = all_of(array("n", "n"), array("n"))


def calls(expression: str, message: str, hint: str | None = None, make=X, underlined: str | None = None) -> Refused:
    """A kernel that returns an expression of x (and c), all of it underlined unless said otherwise."""
    names = "x, c" if make is XC else "x, y" if make is AX else "x"
    return Refused(f"def f({names}):\n    return {expression}\n", 2, underlined or expression, message, hint, make)


TYPES = {
    "matrix_into_row": Refused("def f(x):\n    x[0] = x\n", 2, "x[0] = x", "does not fit into cells of rank 1", None, A),
    "vector_needed": calls("np.trace(x)", "a trace is of a matrix, not of"),
    "elements_of_a_number_assigned": Refused("def f(x, c):\n    c[0] = 1.0\n", 2, "c", "has no elements to assign", None, XC),
    "assigned_call": Refused("def f(x):\n    (x, x[0].y) = 1.0, 2.0\n", 2, "x[0].y", "only names, elements and slices", None),
    "unknown_name_in_module": calls("np.nonsense(x)", "the module numpy has no nonsense", underlined="np.nonsense"),
    "attribute_of_tuple": Refused("def f(x):\n    t = (1.0, 2.0)\n    return t.size\n", 3, "t.size", "has no attribute size", None),
    "attribute_under_mask": calls("x[x > 0].T", "the attribute T of elements chosen by a mask"),
    "number_called": calls("c(x)", "cannot be called", make=XC),
    "range_of_nothing": Refused("def f(x):\n    for i in range():\n        pass\n", 2, "range()", "range takes start, stop and step", None),
    "length_of_number": calls("len(c)", "has no len", make=XC),
    "fill_of_expression": Refused("def f(x):\n    (x + 1.0).fill(2.0)\n", 2, "(x + 1.0).fill(2.0)", "an array that has a name", None),
    "add_at_expression": Refused(
        "def f(x):\n    np.add.at(x + 1.0, 0, 1.0)\n", 2, "np.add.at(x + 1.0, 0, 1.0)", "an array that has a name", None
    ),
    "method_without_meaning": calls("x.tolist()", "the attribute tolist", underlined="x.tolist"),
    "bins_by_edges": calls("np.histogram(x, x)[0]", "a number of bins", "np.digitize", underlined="np.histogram(x, x)"),
    "histogram_range": calls("np.histogram(x, 3, 2.0)[0]", "a pair of numbers", underlined="np.histogram(x, 3, 2.0)"),
    "fractional_extent": calls("np.zeros(c)", "an extent is an integer", "int(...)", XC),
    "ragged_rows": calls("np.array([[1.0, 2.0], [3.0]])", "rows of an array have one length"),
    "arange_of_nothing": calls("np.arange()", "np.arange"),
    "einsum_without_text": calls("np.einsum(x, x)", "its subscripts as a text", '"ij,jk->ik"'),
    "einsum_of_too_few": calls("np.einsum('i,i', x)", "do not fit 1 operands", "each letter of the result"),
    "einsum_of_wrong_rank": calls("np.einsum('ij->i', x)", "'ij' do not fit"),
    "float_as_flags": calls("c & 1", "& takes integers and booleans", "join conditions with and", XC),
    "function_kept": Refused(
        "def f(x, c):\n    g = (lambda v: v * c, 1.0)\n    return g[0](x[0])\n", 2, "lambda v: v * c", "reads c is kept", "hand it", XC
    ),
    "function_returned": Refused(
        "def f(x, c):\n    def g(v):\n        return v * c\n    return g\n", 4, "g", "reads c is kept", "hand it", XC
    ),
    "function_defined_later": Refused(
        "def f(x):\n    s = g(x[0])\n    def g(v):\n        return v\n    return s\n", 2, "g", "defined further down", "before"
    ),
    "function_or_number": Refused(
        "def f(x):\n    def g(v):\n        return v\n    g = 2.0\n    return g * x\n", 2, "def g(v):", "something else", "its own name"
    ),
    "function_with_the_name_of_a_variable_around": Refused(
        "def f(x, c):\n    def h():\n        return c\n    def g(c):\n        return h() + c\n    return g(x[0])\n",
        4, "def g(c):", "a variable c", "its own name", XC,
    ),
    "function_that_calls_itself": Refused(
        "def f(x):\n    def g(v):\n        return g(v - 1.0)\n    return g(x[0])\n", 3, "g(v - 1.0)", "recursion", "loop"
    ),
    "xor": calls("x ^ 2", "^ takes integers and booleans", "**"),
    "shift": calls("x[0] << 2", "<< takes integers and booleans", "a power of 2"),
    "exchanged_ranks": Refused(
        "def f(x, y):\n    for t in range(2):\n        x, y = y, x\n    return y\n", 3, "x, y = y, x", "differ", None, AX
    ),
    "text_compared": calls("x < 'a'", "cannot be compared"),
    "sides_of_other_ranks": calls("x if x[0] > 0 else x[:, None]", "not arrays of one shape and type", "if statement"),
    "inverted_number": calls("~x[0]", "~ takes integers and booleans"),
    "inverted_condition": calls("~(c > 1.0)", "~ of a condition", "not", XC),
    "tuple_sliced_by_data": calls("(1.0, 2.0)[: int(x[0])]", "sliced by constants", "into an array"),
    "math_function_of_two": calls("math.sin(c, c)", "this function takes 1 numbers", make=XC),
    "grid_of_number": calls("np.mgrid[3]", "start:stop:step", underlined="np.mgrid[3]"),
    "grid_of_matrix": calls("np.meshgrid(x, x)[0]", "takes vectors", make=A, underlined="np.meshgrid(x, x)"),
    "grid_indexing": calls("np.meshgrid(x, x, indexing='yx')[0]", '"xy" or "ij"', underlined="np.meshgrid(x, x, indexing='yx')"),
    "two_dots": calls("x[..., ...]", "one ... only"),
    "mask_of_higher_rank": Refused("def f(x, y):\n    y[x > 0] = 1.0\n", 2, "y[x > 0] = 1.0", "too few for a mask of rank 2", None, AX),
    "packed_matrix": Refused("def f(x, y):\n    y[y > 0] = x\n", 2, "y[y > 0] = x", "of rank 2 does not fit", None, AX),
    "outer_of_matrix": calls("np.outer(x, x)", "two vectors", make=A),
    "axis_out_of_range": calls("np.sum(x, axis=1)", "axis is a constant integer of an axis"),
    "flag_from_data": calls("np.sum(x, keepdims=x[0] > 0)", "known when the kernel is compiled"),
    "joined_number": calls("np.concatenate(c)", "joined from a tuple", make=XC),
    "stacked_along_no_axis": calls("np.stack((x, x), axis=3)", "a constant from -2 to 1"),
    "triangle_of_vector": calls("np.tril(x)", "a triangle is of a matrix"),
    "two_free_extents": calls("x.reshape(-1, -1)", "one -1 only"),
    "axes_named_twice": calls("np.transpose(x, (0, 0))", "each named once", make=A),
    "loop_over_number": Refused("def f(x, c):\n    for v in c:\n        x[0] = v\n", 2, "c", "a for loop runs over", None, XC),
    "complex_global": calls("x + WAVES", "complex128", "float64", underlined="WAVES"),
    "out_is_a_number": calls("np.add(x, 1.0, out=2)", "out is an integer", make=X),
    "out_of_lesser_type": calls("np.add(x, 1.0, out=np.zeros(3, dtype=int))", "not an array that has a name"),
    "out_of_integers": Refused(
        "def f(x):\n    p = np.zeros(3, dtype=int)\n    np.add(p, 0.5, out=p)\n",
        3,
        "np.add(p, 0.5, out=p)",
        "out is an array of int64, the result is a float64 array",
        ".astype(...)",
    ),
    "out_of_other_rank": calls("np.sum(x, out=x)", "out is a float64 array of rank 1, the result is a"),
    "zip_strict": Refused(
        "def f(x):\n    for a, b in zip(x, x, strict=True):\n        x[0] = a\n",
        2,
        "zip(x, x, strict=True)",
        "strict=True is not",
        "assert",
    ),
    "add_at_mask": Refused(
        "def f(x):\n    np.add.at(x, x > 0, 1.0)\n", 2, "np.add.at(x, x > 0, 1.0)", "np.add.at with a mask", "a[mask] += b"
    ),
    "histogram_density": calls(
        "np.histogram(x, 3, density=True)[0]", "density is not", "divide the counts", underlined="np.histogram(x, 3, density=True)"
    ),
    "arange_step_from_data": calls("np.arange(0, 3, int(x[0]))", "a constant other than 0"),
    "booleans_subtracted": calls("(x > 0) - (x < 1)", "of booleans is not supported"),
    "bool_negated": calls("-(x > 0)", "of booleans is not supported"),
    "undefined_element": Refused(
        "def f(x):\n    y = np.empty(3)\n    return y[0] * x[0]\n", 3, "return y[0] * x[0]", "y is read here, and", "np.zeros"
    ),
    "undefined_sum": Refused(
        "def f(x):\n    y = np.empty(3)\n    s = np.sum(y)\n    y[:] = 1.0\n    return s\n",
        3,
        "s = np.sum(y)",
        "y is read here",
        "np.zeros",
    ),
    "undefined_element_added_to": Refused(
        "def f(x):\n    y = np.empty(len(x))\n    y[0] += x[0]\n    return y\n", 3, "y[0] += x[0]", "y is read here", "np.zeros"
    ),
    "undefined_in_a_loop": Refused(
        "def f(x):\n    y, s = np.empty((2, 2)), 0.0\n    for i in range(2):\n        s += y[i, 0]\n    return s + x[0]\n",
        4,
        "s += y[i, 0]",
        "y is read here",
        "np.zeros",
    ),
    "rank_depends_on_branch": Refused(
        "def f(x):\n    if x[0] > 0:\n        y = x\n    else:\n        y = x[:, None]\n    return y\n",
        5,
        "y = x[:, None]",
        "y is a float64 array of rank 1 in line 3 and a float64 array of rank 2 here",
        "another name",
    ),
    "number_or_array_by_branch": Refused(
        "def f(x):\n    y = 1.0\n    if x[0] > 0:\n        y = x\n    return y\n",
        4,
        "y = x",
        "y is a float64 number in line 2 and a float64 array of rank 1 here",
        "another name",
    ),
    "number_or_array_returned": Refused(
        "def f(x):\n    if x[0] > 0:\n        return 1.0\n    return x\n",
        4,
        "return x",
        "result is a float64 number in line 3 and a float64 array of rank 1 here",
        "another name",
    ),
    "number_or_nothing_returned": Refused(
        "def f(x):\n    if x[0] > 0:\n        return 1.0\n    return\n",
        4,
        "return",
        "gives it another value in line 3",
        "a number or an array",
    ),
    "parameter_changes_its_rank": Refused(
        "def f(x):\n    for t in range(2):\n        x = np.sum(x)\n    return x\n",
        3,
        "x = np.sum(x)",
        "x is a float64 array of rank 1 in line 1 and a float64 number here",
        "another name",
    ),
}
"""Refused when types are known."""

WAVES = np.ones(3, complex)
"""A global that no kernel takes."""
