"""Expressions of numbers: operators, comparisons, conditional expressions, builtins, math, dtypes."""

import math

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, integers, number, signed, size


def arithmetic_operators(a, b):
    return a + b * a - b / a + a**b - (-a) ** 3 + a % b + a // b


def integer_floor_division_and_remainder(k, x):
    s = 0.0
    for i in range(len(k)):
        s += (k[i] // 3) * x[i] + (k[i] % 4) * x[i] ** 2 + (-k[i]) // 2
    return s


def comparison_chain(x):
    s = 0.0
    for v in x:
        if -0.5 < v <= 0.5:
            s += v * v
    return s


def and_or_not(x):
    s = 0.0
    for v in x:
        if not (v < -0.5 or v > 0.5) and v != 0.0:
            s += v * v * v
    return s


def conditional_expression(x):
    s = 0.0
    for v in x:
        s += v * v if v > 0.0 else -3.0 * v
    return s


def builtins_max_min_abs(x):
    s = 0.0
    for v in x:
        s += max(v, 0.1) * min(v, 0.7, 0.9) + abs(v)
    return s


def builtins_int_float_len_round(x, n):
    s = float(len(x)) + round(2.5) + int(-1.7)
    for i in range(int(n / 2)):
        s += round(float(i)) * 0.5
    for v in x:
        s += v * int(3.9)
    return s


def module_math(a, b):
    s = math.sin(a) * math.cos(b) + math.exp(-a) + math.log(b) + math.sqrt(a) + math.tanh(b) + math.pow(a, 1.5)
    return s + math.atan2(a, b) + math.hypot(a, b) + math.pi + math.fabs(-a) + math.floor(1.5) + math.e * math.erf(a)


def integer_arithmetic(n, x):
    k = 0
    for i in range(n):
        k += i * i - 2 * i
        k = k % 97
    return k * np.sum(x)


def boolean_variable(x):
    found = False
    s = 0.0
    for v in x:
        found = found or v > 0.6
        if found:
            s += v * v
    return s


def power_with_integer_and_float_exponents(x, p):
    s = 0.0
    for v in x:
        s += v**2 + v**-1 + v**0.5 + v**p + 2.0**v
    return s


def float32_data(x):
    x[:] = x * 3.0 + 1.0
    return x * x - 2.0


def mixed_float32_and_float64(x, y):
    return np.sum(x * y) * 0.5, x + y


def integer_and_boolean_arrays(k, x):
    even = k % 2 == 0
    s = 0.0
    for i in range(len(k)):
        if even[i]:
            s += x[i] ** 2
    return s


def constants_of_numpy(x):
    return np.sum(x) * np.pi + np.e


def literals_and_signs(x):
    return np.sum(+x - -x) * 1e-3 + 1_000 + 0x10


def floats32(n, rng):
    return (rng.uniform(0.5, 1.5, n).astype(np.float32),)


ENTRIES = (
    Entry(arithmetic_operators, all_of(number(), number(0.3, 0.4)), bits=False),
    Entry(integer_floor_division_and_remainder, all_of(integers("n"), array("n")), bits=False),
    Entry(comparison_chain, signed("n")),
    Entry(and_or_not, signed("n")),
    Entry(conditional_expression, signed("n")),
    Entry(builtins_max_min_abs, signed("n")),
    Entry(builtins_int_float_len_round, all_of(array("n"), size())),
    Entry(module_math, all_of(number(), number()), bits=False),
    Entry(integer_arithmetic, all_of(size(), array("n")), bits=False),
    Entry(boolean_variable, signed("n")),
    Entry(power_with_integer_and_float_exponents, all_of(array("n"), number()), bits=False),
    Entry(float32_data, floats32, bits=False),
    Entry(mixed_float32_and_float64, all_of(floats32, array("n")), bits=False),
    Entry(integer_and_boolean_arrays, all_of(integers("n"), array("n")), bits=False),
    Entry(constants_of_numpy, array("n"), bits=False),
    Entry(literals_and_signs, array("n"), bits=False),
)
