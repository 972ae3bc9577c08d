"""Numbers: types and promotion, integer arithmetic, powers, builtins, the module math."""

import math

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, integers, number, signed, size, value

LIMIT = 2.5
COUNT = 3
TABLE = np.array([1.0, -2.0, 0.5])


def scalar_polynomial(a, b):
    """(a + b) * b."""
    return (a + b) * b


def scalar_assigned_again(a):
    """Each assignment is a new value."""
    x = a * 2.0
    y = x * x
    x = y + x
    x = x * y
    return x - y


def scalar_parameter_assigned(a, n):
    """A parameter is an ordinary variable."""
    a = a + 1.0
    n = n + 2
    return a * n


def scalar_square(x):
    """x**2 is x*x."""
    s = 0.0
    for i in range(len(x)):
        s += (x[i] + 1.0) ** 2 - x[i] ** 2
    return s


def scalar_powers(x):
    """Other powers, of positive numbers."""
    s = 0.0
    for i in range(len(x)):
        s += x[i] ** 3 + x[i] ** 0.5 + x[i] ** -1 + x[i] ** x[i]
    return s


def scalar_integer_division(k):
    """Integer // and % floor, true division gives a float."""
    return k // 3, k % 3, k / 4, -k // 5, (-k) % 5


def scalar_integer_arrays(k):
    """Integer arithmetic on elements."""
    out = np.zeros(len(k), dtype=np.int64)
    for i in range(len(k)):
        out[i] = k[i] // 3 + k[i] % 4 * abs(k[i]) - max(k[i], 2) * k[i] ** 2
    return out


def scalar_builtins(x):
    """abs, int, float, round, len of what is known when it runs."""
    s = 0.0
    for i in range(len(x)):
        s += abs(x[i]) + int(3.0 * x[i]) + float(i) + round(2.0 * x[i])
    return s / max(len(x), 1)


def scalar_math(x):
    """The module math."""
    s = 0.0
    for i in range(len(x)):
        s += math.exp(x[i]) + math.log(x[i]) + math.sin(x[i]) * math.cos(x[i]) + math.tanh(x[i]) + math.atan2(x[i], 2.0)
        s += math.sqrt(x[i]) + math.hypot(x[i], 1.0) + math.floor(5.0 * x[i]) + math.pi + math.fabs(-x[i])
    return s


def scalar_promotes_weakly(x):
    """A Python number takes the dtype of the array; an element keeps it."""
    y = np.zeros_like(x)
    for i in range(len(x)):
        t = 0.1 * x[i]
        y[i] = t * 3 + 1.5
    return y


def singles(n, rng):
    return (rng.uniform(0, 1, n).astype(np.float32),)


def scalar_mixed_precision(x, y):
    """float32 and float64 meet in float64."""
    z = np.zeros_like(y)
    for i in range(len(x)):
        z[i] = x[i] * y[i]
        x[i] += y[i]
    return z


def mixed(n, rng):
    return rng.uniform(0, 1, n).astype(np.float32), rng.uniform(0, 1, n)


def scalar_globals(x):
    """Numbers and arrays of the namespace."""
    s = 0.0
    for i in range(len(x)):
        s += LIMIT * x[i] + TABLE[i % COUNT]
    return s


def scalar_tuple_swap(a, b):
    """Swap, unpack, a tuple in a variable."""
    a, b = b, a
    pair = (a, 2.0 * b)
    c, d = pair
    return a - b, c * d, pair[0] + pair[-1]


def scalar_chain_assignment(a):
    """a = b = value."""
    x = y = a * 3.0
    x += 1.0
    return x, y


def scalar_swap_elements(x):
    """Swap of two elements."""
    x[0], x[-1] = x[-1], x[0]


def scalar_augmented(x, c):
    """Every augmented operator."""
    for i in range(len(x)):
        x[i] += c
        x[i] -= 0.25
        x[i] *= c
        x[i] /= 3.0
    t = c
    t += 1.0
    t -= 0.5
    t *= t
    t /= 3.0
    return t


def scalar_element_reads_itself(A):
    """A[i] += f(A[i], A[i-1])."""
    for i in range(1, len(A)):
        A[i] += 0.5 * A[i] + 3.0 * A[i - 1]


def scalar_division_by_zero(a):
    """Floats follow NumPy: 1.0/0.0 is inf."""
    x = np.zeros(2)
    return a / x[0], x[1] / x[0]


def scalar_negative_constants(x):
    """Constant indices from the end."""
    return x[-1] - x[-2] + x[0]


def scalar_integer_results(n):
    """Integers come back as integers."""
    k = n * n + 1
    return k, k % 2 == 0


def scalar_minimum_of_integers(x, m):
    """Bounds by min and max of integers."""
    s = 0.0
    for i in range(max(0, m - 2), min(len(x), m + 2)):
        s += x[i]
    return s


def scalar_numpy_functions(x):
    """NumPy's functions on elements."""
    s = 0.0
    for i in range(len(x)):
        s += np.sqrt(x[i]) + np.abs(-x[i]) + np.maximum(x[i], 0.7) - np.minimum(x[i], 0.7) + np.sign(x[i]) + np.floor(3.0 * x[i])
    return s


ENTRIES = (
    Entry(scalar_polynomial, all_of(number(), number())),
    Entry(scalar_assigned_again, number()),
    Entry(scalar_parameter_assigned, all_of(number(), size())),
    Entry(scalar_square, array("n")),
    Entry(scalar_powers, array("n"), bits=False),
    Entry(scalar_integer_division, size(-3)),
    Entry(scalar_integer_arrays, integers("n")),
    Entry(scalar_builtins, signed("n")),
    Entry(scalar_math, array("n"), bits=False),
    Entry(scalar_promotes_weakly, singles),
    Entry(scalar_mixed_precision, mixed),
    Entry(scalar_globals, array("n")),
    Entry(scalar_tuple_swap, all_of(number(), number())),
    Entry(scalar_chain_assignment, number()),
    Entry(scalar_swap_elements, array("n"), least=1),
    Entry(scalar_augmented, all_of(array("n"), number())),
    Entry(scalar_element_reads_itself, array("n")),
    Entry(scalar_division_by_zero, number()),
    Entry(scalar_negative_constants, array("n"), least=2),
    Entry(scalar_integer_results, size()),
    Entry(scalar_minimum_of_integers, all_of(array("n"), value(3))),
    Entry(scalar_numpy_functions, array("n")),
)
